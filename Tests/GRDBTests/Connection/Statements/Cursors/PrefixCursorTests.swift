import GRDB
import GRDBTestSupport
import Testing

@Suite struct PrefixCursorTests {
    @Test(arguments: [(0, 0), (2, 2), (3, 3), (9, 4)])
    func neverConsumesMoreThanItsLength(maxLength: Int, consumed: Int) throws {
        let base = RecordingCursor(count: 3)
        let cursor = base.prefix(maxLength)
        expectEqual(base.nextCount, 0)
        try expectEqual(Array(cursor), Array((1...3).prefix(maxLength)))
        try expectEqual(cursor.next(), nil)
        expectEqual(base.nextCount, consumed)
    }

    @Test func negativeLengthMakesAnEmptyCursor() {
        let base = RecordingCursor(count: 3)
        expectEqual(base.prefix(-1).outcomes(2), ["nil", "nil"])
        expectEqual(base.nextCount, 0)
    }

    @Test func baseCanGoOn() throws {
        let base = RecordingCursor(count: 3)
        try expectEqual(Array(base.prefix(2)), [1, 2])
        try expectEqual(base.next(), 3)
    }

    @Test func errorsAreNotCounted() {
        let cursor = RecordingCursor(count: 5, failingAt: [1]).prefix(2)
        expectEqual(cursor.outcomes(4), ["error 1", "2", "3", "nil"])
    }
}
