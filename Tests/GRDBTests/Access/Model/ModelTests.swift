import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Random sequences of calls, compared with a model. `scripts/run-trust model` runs many more.
@Suite(.databases) struct ModelTests {
    @Test(arguments: 1...4)
    func callsDoWhatTheModelDoes(part: Int) throws {
        let path = TestDatabases.makePath()
        for seed in UInt64(part * 60 - 59)...UInt64(part * 60) {
            let sequence = ModelSequence(seed: seed)
            if let failure = sequence.run(path: path) {
                Issue.record("seed \(seed), \(sequence.kind): \(failure)")
                return
            }
        }
    }
}
