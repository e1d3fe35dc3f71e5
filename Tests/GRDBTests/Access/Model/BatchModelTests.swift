import GRDB
import GRDBTestSupport
import Testing

/// Random batched writes that fail in all ways. `scripts/run-trust batches` runs many more.
@Suite(.databases) struct BatchModelTests {
    @Test(arguments: 1...2) func resultsAreTrue(part: UInt64) async throws {
        for seed in part * 8 - 7...part * 8 {
            let failure = try await BatchModel(seed: seed).run(path: TestDatabases.makePath())
            expectNil(failure, "seed \(seed)")
        }
    }
}
