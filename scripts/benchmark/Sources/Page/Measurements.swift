import Foundation

/// The times of a workload over those of its twin, a ratio a round.
struct Ratios {
    let sorted: [Double]

    var median: Double { sorted[sorted.count / 2] }
    var minimum: Double { sorted[0] }
    var maximum: Double { sorted[sorted.count - 1] }
}

/// What the program Benchmark has written: see `Results` there.
struct Measurements {
    struct Time {
        let ratios: Ratios
        /// Of one operation, in nanoseconds.
        let library: Double
        let twin: Double
    }

    struct Peak {
        /// In bytes.
        let library: Double
        let twin: Double
    }

    private(set) var sqliteVersion = ""
    private(set) var times: [String: Time] = [:]
    private(set) var peaks: [String: Peak] = [:]
    /// In the order of the file.
    private(set) var timeNames: [String] = []
    private(set) var peakNames: [String] = []

    struct Malformed: Error {
        let line: String
    }

    init(path: String) throws {
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: "\t").map(String.init)
            let numbers = fields.dropFirst(2).compactMap(Double.init)
            switch fields[0] {
            case "SQLite" where fields.count == 2:
                sqliteVersion = fields[1]
            case "workload" where numbers.count > 2 && numbers.count == fields.count - 2:
                times[fields[1]] = Time(
                    ratios: Ratios(sorted: numbers.dropFirst(2).sorted()),
                    library: numbers[0], twin: numbers[1])
                timeNames.append(fields[1])
            case "memory" where numbers.count == 2:
                peaks[fields[1]] = Peak(library: numbers[0], twin: numbers[1])
                peakNames.append(fields[1])
            default:
                throw Malformed(line: String(line))
            }
        }
    }
}
