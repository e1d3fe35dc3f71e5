import GRDBChanges
import Testing

/// Random sequences of groups, compared with the rows that were remembered. `scripts/run-trust undo` runs
/// many more.
struct UndoModelTests {
    @Test(arguments: [UInt64(0), 100]) func groupsRestoreTheRowsThatTheyHaveChanged(first: UInt64) {
        for seed in first..<first + 4 {
            if let failure = UndoSequence(seed: seed).run().failure {
                Issue.record("seed \(seed): \(failure)")
            }
        }
    }
}
