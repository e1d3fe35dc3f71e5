import GRDB
import GRDBTestSupport
import Testing

@Suite struct AnyCursorTests {
    @Test func closure() {
        var element = 0
        let cursor = AnyCursor<Int> {
            element += 1
            return element < 3 ? element : nil
        }
        expectEqual(cursor.outcomes(4), ["1", "2", "nil", "nil"])
    }

    @Test func closureIsNotCalledAfterTheEnd() {
        var calls = 0
        let cursor = AnyCursor<Int> {
            calls += 1
            return calls == 2 ? nil : calls
        }
        expectEqual(cursor.outcomes(4), ["1", "nil", "nil", "nil"])
        expectEqual(calls, 2)
    }

    @Test func closureIsNotCalledAfterAnError() {
        var calls = 0
        let cursor = AnyCursor<Int> {
            calls += 1
            if calls == 2 { throw CursorError(index: calls) }
            return calls
        }
        expectEqual(cursor.outcomes(4), ["1", "error 2", "nil", "nil"])
        expectEqual(calls, 2)
    }

    @Test func endedCursorFreesItsClosure() throws {
        final class Object {}
        weak var reference: Object?
        let cursor: AnyCursor<Int>
        do {
            let object = Object()
            reference = object
            cursor = AnyCursor { withExtendedLifetime(object) { nil } }
        }
        expectTrue(reference != nil)
        try expectEqual(cursor.next(), nil)
        expectNil(reference)
    }

    @Test func wrappedCursorDecidesWhatFollowsAnError() {
        let cursor = AnyCursor(RecordingCursor(count: 3, failingAt: [2]))
        expectEqual(cursor.outcomes(5), ["1", "error 2", "3", "nil", "nil"])
    }

    @Test func sequencesAndIterators() throws {
        try expectEqual(Array(AnyCursor([1, 2])), [1, 2])
        try expectEqual(Array(AnyCursor(stride(from: 3, to: 0, by: -1))), [3, 2, 1])
        var iterator = [1, 2, 3].makeIterator()
        _ = iterator.next()
        try expectEqual(Array(AnyCursor(iterator: iterator)), [2, 3])
    }
}
