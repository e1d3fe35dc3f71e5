import GRDB
import GRDBTestSupport
import Testing

@Suite struct DropWhileCursorTests {
    @Test func dropsInitialElementsOnly() throws {
        let base = AnyCursor([1, 2, 5, 1])
        expectEqual(base.drop { $0 < 3 }.outcomes(4), ["5", "1", "nil", "nil"])
        try expectEqual(Array(RecordingCursor(count: 3).drop { _ in true }), [])
        try expectEqual(Array(RecordingCursor(count: 3).drop { _ in false }), [1, 2, 3])
    }

    @Test func isLazy() {
        let base = RecordingCursor(count: 3)
        let cursor = base.drop { _ in false }
        expectEqual(base.nextCount, 0)
        expectEqual(cursor.outcomes(1), ["1"])
        expectEqual(base.nextCount, 1)
    }

    @Test func predicateIsNotCalledAgain() throws {
        var calls = 0
        let cursor = RecordingCursor(count: 5).drop { element in
            calls += 1
            return element < 3
        }
        try expectEqual(Array(cursor), [3, 4, 5])
        expectEqual(calls, 3)
    }

    @Test func errorLosesOneElement() {
        let cursor = RecordingCursor(count: 5).drop { element in
            if element == 2 { throw CursorError(index: 2) }
            return element < 4
        }
        expectEqual(cursor.outcomes(4), ["error 2", "4", "5", "nil"])
    }
}
