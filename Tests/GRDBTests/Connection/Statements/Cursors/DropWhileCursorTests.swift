import GRDB
import Testing

@Suite struct DropWhileCursorTests {
    @Test func dropsInitialElementsOnly() throws {
        let base = AnyCursor([1, 2, 5, 1])
        #expect(base.drop { $0 < 3 }.outcomes(4) == ["5", "1", "nil", "nil"])
        #expect(try Array(RecordingCursor(count: 3).drop { _ in true }) == [])
        #expect(try Array(RecordingCursor(count: 3).drop { _ in false }) == [1, 2, 3])
    }

    @Test func isLazy() {
        let base = RecordingCursor(count: 3)
        let cursor = base.drop { _ in false }
        #expect(base.nextCount == 0)
        #expect(cursor.outcomes(1) == ["1"])
        #expect(base.nextCount == 1)
    }

    @Test func predicateIsNotCalledAgain() throws {
        var calls = 0
        let cursor = RecordingCursor(count: 5).drop { element in
            calls += 1
            return element < 3
        }
        #expect(try Array(cursor) == [3, 4, 5])
        #expect(calls == 3)
    }

    @Test func errorLosesOneElement() {
        let cursor = RecordingCursor(count: 5).drop { element in
            if element == 2 { throw CursorError(index: 2) }
            return element < 4
        }
        #expect(cursor.outcomes(4) == ["error 2", "4", "5", "nil"])
    }
}
