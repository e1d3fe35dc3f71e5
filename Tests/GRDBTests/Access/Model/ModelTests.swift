import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Random sequences of calls, compared with a model. `scripts/run-trust model` runs many more.
@Suite(.databases) struct ModelTests {
    @Test(arguments: 1...4)
    func callsDoWhatTheModelDoes(part: Int) async throws {
        let path = TestDatabases.makePath()
        // A sequence waits for tasks. It must not do so on one of the threads that tasks share.
        let failure = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Self.firstFailure(part: part, path: path))
            }
        }
        if let failure { Issue.record("\(failure)") }
    }

    private static func firstFailure(part: Int, path: String) -> String? {
        for seed in UInt64(part * 60 - 59)...UInt64(part * 60) {
            let sequence = ModelSequence(seed: seed)
            if let failure = sequence.run(path: path) {
                return "seed \(seed), \(sequence.kind): \(failure)"
            }
        }
        return nil
    }
}
