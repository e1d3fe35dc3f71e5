import GRDB
import GRDBTestSupport
import Testing

@Suite struct FilterCursorTests {
    @Test func isLazy() throws {
        let base = RecordingCursor(count: 5)
        let cursor = base.filter { $0.isMultiple(of: 2) }
        expectEqual(base.nextCount, 0)
        try expectEqual(cursor.next(), 2)
        expectEqual(base.nextCount, 2)
        expectEqual(cursor.outcomes(3), ["4", "nil", "nil"])
    }

    @Test func errorLosesOneElement() {
        let cursor = RecordingCursor(count: 3).filter { element in
            if element == 2 { throw CursorError(index: element) }
            return true
        }
        expectEqual(cursor.outcomes(4), ["1", "error 2", "3", "nil"])
    }

    @Test func forEachFilters() throws {
        var elements: [Int] = []
        try RecordingCursor(count: 5).filter { $0 > 3 }.forEach { elements.append($0) }
        expectEqual(elements, [4, 5])
    }
}
