import Foundation

/// The ratios that workloads must not exceed: those that were reached when they were written, and a
/// tenth more. Only workloads are listed whose ratios hardly vary.
///
/// The file has a line a workload: the ratio, a space, the name.
struct Ceilings {
    let path: String
    private(set) var ratios: [(name: String, ratio: Double)] = []

    init(path: String) throws {
        self.path = path
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        where !line.hasPrefix("#") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let ratio = Double(parts[0]) else {
                throw Malformed(line: String(line))
            }
            ratios.append((String(parts[1]), ratio))
        }
    }

    struct Malformed: Error {
        let line: String
    }

    /// Compares the listed workloads with their ceilings.
    ///
    /// A workload that exceeds its own is measured again: a busy machine slows the library more than
    /// the calls of C, which need less of the caches.
    ///
    /// - returns: whether none exceeds its ceiling.
    func check(_ workloads: [Workload], rounds: Int) throws -> Bool {
        var isKept = true
        for (name, ceiling) in ratios {
            guard let workload = workloads.first(where: { $0.name == name }) else {
                print("\(name): there is no such workload")
                isKept = false
                continue
            }
            var ratio = try workload.measure(rounds: rounds).ratioOfMinima
            for _ in 0..<3 where ratio > ceiling {
                ratio = min(ratio, try workload.measure(rounds: 2 * rounds).ratioOfMinima)
            }
            if ratio > ceiling { isKept = false }
            print(
                ratio > ceiling ? "FAIL" : "  ok", format(ratio, decimals: 2).leftPadded(to: 7),
                "of", format(ceiling, decimals: 2).leftPadded(to: 7), " \(name)")
            fflush(nil)
        }
        return isKept
    }

    /// Measures the listed workloads, and writes new ceilings.
    func write(_ workloads: [Workload], rounds: Int) throws {
        var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("#") }.map(String.init)
        for (name, _) in ratios {
            guard let workload = workloads.first(where: { $0.name == name }) else { continue }
            let ratio = try workload.measure(rounds: rounds).ratioOfMinima
            lines.append("\(format(ratio * 1.1, decimals: 2)) \(name)")
            print(format(ratio, decimals: 2).leftPadded(to: 7), " \(name)")
            fflush(nil)
        }
        try (lines.joined(separator: "\n") + "\n").write(
            toFile: path, atomically: true, encoding: .utf8)
    }
}
