import Foundation
import GRDBSQLite

/// Runs workloads for the page, and writes what they take as lines of fields between tabs:
///
///     SQLite    version
///     workload  name  nanoseconds an operation  those of the twin  the ratio of each round…
///     memory    name  peak bytes  those of the twin
struct Results {
    let path: String

    func write(_ workloads: [Workload], rounds: Int) throws {
        var text = ""
        // Each line at once: what was measured remains when a workload fails.
        func write(_ fields: [String]) throws {
            text += fields.joined(separator: "\t") + "\n"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            fflush(nil)
        }
        try write(["SQLite", String(cString: sqlite3_libversion())])
        for workload in workloads {
            let result = try workload.measure(rounds: rounds)
            let ratios = zip(result.library.durations, result.twin.durations).map { $0 / $1 }
            let times = [result.library, result.twin].map {
                format($0.median / Double(workload.count) * 1e9, decimals: 0)
            }
            print(
                format(result.ratioOfMedians, decimals: 2).leftPadded(to: 7), " \(workload.name)")
            try write(["workload", workload.name] + times + ratios.map { format($0, decimals: 3) })
        }
        for (name, twin, library) in try MemoryCase.measureAll() {
            print(format(Double(library) / 1e6, decimals: 1).leftPadded(to: 7), "MB, \(name)")
            try write(["memory", name, String(library), String(twin)])
        }
    }
}
