import GRDB
import GRDBTestSupport
import Testing

/// An outbox beside random changes. `scripts/run-trust outboxes` runs many more.
@Suite(.databases) struct OutboxModelTests {
    @Test(arguments: 1...2) func entriesAreTheDifferences(part: UInt64) async throws {
        for seed in part * 6 - 5...part * 6 {
            let failure = try await OutboxModel(seed: seed).run(path: TestDatabases.makePath())
            expectNil(failure, "seed \(seed)")
        }
    }
}
