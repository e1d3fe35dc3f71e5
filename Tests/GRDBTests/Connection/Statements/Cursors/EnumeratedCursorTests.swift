import GRDB
import GRDBTestSupport
import Testing

@Suite struct EnumeratedCursorTests {
    @Test func countsFromZero() {
        let cursor = AnyCursor(["a", "b"]).enumerated()
        expectEqual(cursor.outcomes(4), [#"(0, "a")"#, #"(1, "b")"#, "nil", "nil"])
    }

    @Test func errorsAreNotCounted() {
        let cursor = RecordingCursor(count: 3, failingAt: [2]).enumerated()
        expectEqual(cursor.outcomes(4), ["(0, 1)", "error 2", "(1, 3)", "nil"])
    }

    @Test func forEachGoesOnCounting() throws {
        let cursor = AnyCursor(["a", "b", "c"]).enumerated()
        _ = try cursor.next()
        var elements: [String] = []
        try cursor.forEach { n, element in elements.append("\(n)\(element)") }
        expectEqual(elements, ["1b", "2c"])
    }
}
