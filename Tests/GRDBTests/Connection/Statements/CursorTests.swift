import GRDB
import GRDBTestSupport
import Testing

@Suite struct CursorTests {
    private struct Player: Equatable {
        var score: Int
        var name: String
    }

    // MARK: - Iterating

    @Test func forEachStopsAtTheFirstError() {
        let cursor = RecordingCursor(count: 3)
        var elements: [Int] = []
        expectError(CursorError(index: 7)) {
            try cursor.forEach { element in
                if element == 2 { throw CursorError(index: 7) }
                elements.append(element)
            }
        }
        expectEqual(elements, [1])
        expectEqual(cursor.nextCount, 2)
    }

    // MARK: - Searching

    @Test func isEmptyConsumesOneElement() throws {
        let cursor = RecordingCursor(count: 1)
        try expectTrue(!cursor.isEmpty)
        expectEqual(cursor.nextCount, 1)
        try expectTrue(cursor.isEmpty)
        expectError(CursorError.self) {
            try RecordingCursor(count: 0, failingAt: [1]).isEmpty
        }
    }

    @Test func containsStopsAtTheFirstMatch() throws {
        let cursor = RecordingCursor(count: 5)
        try expectTrue(cursor.contains(2))
        expectEqual(cursor.nextCount, 2)
        try expectTrue(!cursor.contains(1))
        expectEqual(cursor.nextCount, 6)
        try expectTrue(RecordingCursor(count: 5).contains { $0 > 4 })
        try expectTrue(!RecordingCursor(count: 5).contains { $0 > 5 })
        expectError(CursorError.self) {
            try RecordingCursor(count: 5).contains { _ in throw CursorError() }
        }
    }

    @Test func firstStopsAtTheFirstMatch() throws {
        let cursor = RecordingCursor(count: 5)
        try expectEqual(cursor.first { $0.isMultiple(of: 2) }, 2)
        expectEqual(cursor.nextCount, 2)
        try expectEqual(cursor.first { $0.isMultiple(of: 2) }, 4)
        try expectEqual(cursor.first { $0 > 5 }, nil)
    }

    // MARK: - Reducing

    @Test func reduce() throws {
        try expectEqual(RecordingCursor(count: 4).reduce(10, +), 20)
        try expectEqual(RecordingCursor(count: 0).reduce(10, +), 10)
        let strings = try RecordingCursor(count: 3).reduce(into: []) { $0.append("\($1)") }
        expectEqual(strings, ["1", "2", "3"])
        expectError(CursorError.self) {
            try RecordingCursor(count: 3, failingAt: [2]).reduce(0, +)
        }
    }

    @Test func minAndMax() throws {
        try expectEqual(AnyCursor([2, 1, 3, 2]).min(), 1)
        try expectEqual(AnyCursor([2, 1, 3, 2]).max(), 3)
        try expectEqual(AnyCursor([Int]()).min(), nil)
        try expectEqual(AnyCursor([Int]()).max(), nil)
        try expectEqual(AnyCursor([2, 1, 3]).min(by: >), 3)
        expectError(CursorError.self) {
            try AnyCursor([1, 2]).max { _, _ in throw CursorError() }
        }
    }

    @Test func minAndMaxReturnTheFirstOfEqualElements() throws {
        let players = [Player(score: 1, name: "Arthur"), Player(score: 1, name: "Barbara")]
        try expectEqual(AnyCursor(players).min { $0.score < $1.score }, players[0])
        try expectEqual(AnyCursor(players).max { $0.score < $1.score }, players[0])
        // As in the standard library
        expectEqual(players.min { $0.score < $1.score }, players[0])
        expectEqual(players.max { $0.score < $1.score }, players[0])
    }

    @Test func joinedStrings() throws {
        try expectEqual(AnyCursor(["a", "b", "c"]).joined(separator: ", "), "a, b, c")
        try expectEqual(AnyCursor(["a", "b"]).joined(), "ab")
        try expectEqual(AnyCursor(["a"]).joined(separator: ", "), "a")
        try expectEqual(AnyCursor([String]()).joined(separator: ", "), "")
        try expectEqual(AnyCursor(["a-b".prefix(1), "c"]).joined(separator: "+"), "a+c")
    }

    // MARK: - Suffixes

    @Test func dropLast() throws {
        try expectEqual(RecordingCursor(count: 3).dropLast(), [1, 2])
        try expectEqual(RecordingCursor(count: 0).dropLast(), [])
        try expectEqual(RecordingCursor(count: 3).dropLast(0), [1, 2, 3])
        try expectEqual(RecordingCursor(count: 3).dropLast(2), [1])
        try expectEqual(RecordingCursor(count: 3).dropLast(4), [])
        expectError(CursorError.self) {
            try RecordingCursor(count: 3, failingAt: [3]).dropLast(2)
        }
    }

    @Test(arguments: 0...7)
    func suffix(maxLength: Int) throws {
        try expectEqual(RecordingCursor(count: 5).suffix(maxLength), (1...5).suffix(maxLength))
    }

    @Test func negativeCountsTrap() async {
        await #expect(processExitsWith: .failure) { _ = AnyCursor([1]).dropFirst(-1) }
        await #expect(processExitsWith: .failure) { _ = try AnyCursor([1]).dropLast(-1) }
        await #expect(processExitsWith: .failure) { _ = try AnyCursor([1]).suffix(-1) }
    }
}
