import Foundation
import GRDBTestSupport
import Testing

/// Random interleavings, a seed each: see `ObservationSimulation`.
///
/// `scripts/run-tests observation` runs other seeds, and more of them.
@Suite(.databases) struct ObservationSimulationTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// Of the seeds that the suite runs, each kind of database has its half.
    @Test(arguments: DatabaseKind.allCases)
    func valuesFollowTheCommits(kind: DatabaseKind) throws {
        let first = Self.number("OBSERVATION_SEED") ?? 1
        let count = Self.number("OBSERVATION_COUNT")
        let half: UInt64 = 500
        let seeds =
            switch kind {
            case _ where count != nil: first..<first + count!
            case .queue: first..<first + half
            case .pool: first + half..<first + 2 * half
            }
        let databases = ObservationSimulation.Databases(kind)
        var failureCount = 0
        for seed in seeds {
            let faults = try ObservationSimulation(databases, seed: seed).run()
            if faults.isEmpty { continue }
            failureCount += 1
            Issue.record("\(kind), seed \(seed): \(faults.joined(separator: "; "))")
            if failureCount == 10 { break }
        }
    }
}
