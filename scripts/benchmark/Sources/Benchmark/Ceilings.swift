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
    /// - parameters:
    ///   - isSelection: whether the workloads are not all that there are.
    ///   - slack: how much higher than listed the ceilings are, in percent.
    /// - returns: whether none exceeds its ceiling.
    func check(
        _ workloads: [Workload], isSelection: Bool, slack: Double, rounds: Int
    ) throws -> Bool {
        var isKept = true
        for (name, listedCeiling) in ratios {
            let ceiling = listedCeiling * (1 + slack / 100)
            guard let workload = workloads.first(where: { $0.name == name }) else {
                if isSelection { continue }
                print("FAIL there is no such workload:  \(name)")
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
    ///
    /// - parameter raisesOnly: whether ceilings stay that are higher than the new ones. Memory is laid
    ///   out differently in each process, and the slowest of a few is still a good one.
    func write(_ workloads: [Workload], raisesOnly: Bool, rounds: Int) throws {
        var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("#") }.map(String.init)
        for (name, ceiling) in ratios {
            guard let workload = workloads.first(where: { $0.name == name }) else { continue }
            let ratio = try workload.measure(rounds: rounds).ratioOfMinima
            let newCeiling = raisesOnly ? max(ceiling, ratio * 1.1) : ratio * 1.1
            lines.append("\(format(newCeiling, decimals: 2)) \(name)")
            print(format(ratio, decimals: 2).leftPadded(to: 7), " \(name)")
            fflush(nil)
        }
        try (lines.joined(separator: "\n") + "\n").write(
            toFile: path, atomically: true, encoding: .utf8)
    }
}
