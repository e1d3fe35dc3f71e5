import GRDB
import GRDBTestSupport
import Testing

@Suite struct DropFirstCursorTests {
    @Test func isLazy() throws {
        let base = RecordingCursor(count: 4)
        let cursor = base.dropFirst(2)
        expectEqual(base.nextCount, 0)
        expectEqual(cursor.outcomes(4), ["3", "4", "nil", "nil"])
    }

    @Test func counts() throws {
        try expectEqual(Array(RecordingCursor(count: 3).dropFirst()), [2, 3])
        try expectEqual(Array(RecordingCursor(count: 3).dropFirst(0)), [1, 2, 3])
        try expectEqual(Array(RecordingCursor(count: 3).dropFirst(1).dropFirst(1)), [3])
        try expectEqual(Array(RecordingCursor(count: 3).dropFirst(4)), [])
        expectEqual(RecordingCursor(count: 1).dropFirst(3).outcomes(2), ["nil", "nil"])
    }

    @Test func errorCountsAsADroppedElement() {
        let cursor = RecordingCursor(count: 4, failingAt: [1]).dropFirst(2)
        expectEqual(cursor.outcomes(4), ["error 1", "3", "4", "nil"])
    }
}
