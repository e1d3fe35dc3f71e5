import GRDB
import GRDBTestSupport
import Testing

@Suite struct PrefixWhileCursorTests {
    @Test func endsForEver() {
        let base = AnyCursor([1, 2, 5, 1])
        let cursor = base.prefix { $0 < 3 }
        expectEqual(cursor.outcomes(4), ["1", "2", "nil", "nil"])
        // The element that ended the cursor is lost.
        expectEqual(base.outcomes(2), ["1", "nil"])
    }

    @Test func isLazy() {
        let base = RecordingCursor(count: 3)
        let cursor = base.prefix { _ in true }
        expectEqual(base.nextCount, 0)
        expectEqual(cursor.outcomes(4), ["1", "2", "3", "nil"])
    }

    @Test func errorLosesOneElement() {
        let cursor = RecordingCursor(count: 5).prefix { element in
            if element == 2 { throw CursorError(index: 2) }
            return element < 4
        }
        expectEqual(cursor.outcomes(4), ["1", "error 2", "3", "nil"])
    }
}
