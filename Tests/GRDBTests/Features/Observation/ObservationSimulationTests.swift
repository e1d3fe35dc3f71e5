import Foundation
import GRDBTestSupport
import Testing

/// Random interleavings, a seed each: see `ObservationSimulation`.
///
/// `scripts/simulate-observation` runs other seeds, and more of them.
@Suite(.databases) struct ObservationSimulationTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test(arguments: DatabaseKind.allCases)
    func valuesFollowTheCommits(kind: DatabaseKind) throws {
        let first = Self.number("OBSERVATION_SEED") ?? 1
        let count = Self.number("OBSERVATION_COUNT") ?? 1_000
        let databases = ObservationSimulation.Databases(kind)
        var failureCount = 0
        for seed in first..<first + count {
            let faults = try ObservationSimulation(databases, seed: seed).run()
            if faults.isEmpty { continue }
            failureCount += 1
            Issue.record("\(kind), seed \(seed): \(faults.joined(separator: "; "))")
            if failureCount == 10 { break }
        }
    }
}
