import GRDB
import GRDBTestSupport
import Testing

@Suite struct FlattenCursorTests {
    @Test func joinedCursors() throws {
        let cursor = AnyCursor([
            RecordingCursor(count: 2), RecordingCursor(count: 0), RecordingCursor(count: 1),
        ]).joined()
        expectEqual(cursor.outcomes(5), ["1", "2", "1", "nil", "nil"])
    }

    @Test func joinedSequences() throws {
        let cursor = AnyCursor([[1, 2], [], [3]]).joined()
        expectEqual(cursor.outcomes(5), ["1", "2", "3", "nil", "nil"])
    }

    @Test func flatMapOfCursorsIsLazy() throws {
        let base = RecordingCursor(count: 3)
        let cursor = base.flatMap { RecordingCursor(count: $0) }
        expectEqual(base.nextCount, 0)
        try expectEqual(cursor.next(), 1)
        expectEqual(base.nextCount, 1)
        try expectEqual(Array(cursor), [1, 2, 1, 2, 3])
    }

    @Test func flatMapOfSequences() throws {
        let cursor = RecordingCursor(count: 3).flatMap { 0..<$0 }
        try expectEqual(Array(cursor), [0, 0, 1, 0, 1, 2])
    }

    @Test func flatMapFromASequence() throws {
        let cursor = [1, 2].flatMap { RecordingCursor(count: $0) }
        try expectEqual(Array(cursor), [1, 1, 2])
    }

    @Test func errorsLoseOneElement() {
        let cursor = RecordingCursor(count: 3).flatMap { element -> RecordingCursor in
            if element == 2 { throw CursorError(index: -2) }
            return RecordingCursor(count: 2, failingAt: [element])
        }
        expectEqual(cursor.outcomes(7), ["error 1", "2", "error -2", "1", "2", "error 3", "nil"])
    }

    @Test func finishedInnerCursorIsFreedBeforeTheNextIsMade() throws {
        weak var last: RecordingCursor?
        let cursor = RecordingCursor(count: 3).flatMap { _ in
            expectNil(last)
            let inner = RecordingCursor(count: 1)
            last = inner
            return inner
        }
        try expectEqual(Array(cursor), [1, 1, 1])
    }
}
