import GRDB
import Testing

@Suite struct PrefixCursorTests {
    @Test(arguments: [(0, 0), (2, 2), (3, 3), (9, 4)])
    func neverConsumesMoreThanItsLength(maxLength: Int, consumed: Int) throws {
        let base = RecordingCursor(count: 3)
        let cursor = base.prefix(maxLength)
        #expect(base.nextCount == 0)
        #expect(try Array(cursor) == Array((1...3).prefix(maxLength)))
        #expect(try cursor.next() == nil)
        #expect(base.nextCount == consumed)
    }

    @Test func negativeLengthMakesAnEmptyCursor() {
        let base = RecordingCursor(count: 3)
        #expect(base.prefix(-1).outcomes(2) == ["nil", "nil"])
        #expect(base.nextCount == 0)
    }

    @Test func baseCanGoOn() throws {
        let base = RecordingCursor(count: 3)
        #expect(try Array(base.prefix(2)) == [1, 2])
        #expect(try base.next() == 3)
    }

    @Test func errorsAreNotCounted() {
        let cursor = RecordingCursor(count: 5, failingAt: [1]).prefix(2)
        #expect(cursor.outcomes(4) == ["error 1", "2", "3", "nil"])
    }
}
