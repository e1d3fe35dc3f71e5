import GRDB
import GRDBTestSupport
import Testing

@Suite struct CursorCollectionsTests {
    @Test func arrays() throws {
        try expectEqual(Array(RecordingCursor(count: 3)), [1, 2, 3])
        try expectEqual(Array(RecordingCursor(count: 0)), [])
        try expectEqual(ContiguousArray(RecordingCursor(count: 2)), [1, 2])
        try expectEqual(String(AnyCursor("abc")), "abc")

        let array = try Array(RecordingCursor(count: 2), minimumCapacity: 100)
        expectEqual(array, [1, 2])
        #expect(array.capacity >= 100)

        expectError(CursorError.self) {
            try Array(RecordingCursor(count: 3, failingAt: [3]))
        }
    }

    @Test func appendKeepsTheElementsBeforeAnError() throws {
        var array = [0]
        try array.append(contentsOf: RecordingCursor(count: 2))
        expectEqual(array, [0, 1, 2])
        expectError(CursorError.self) {
            try array.append(contentsOf: RecordingCursor(count: 3, failingAt: [2]))
        }
        expectEqual(array, [0, 1, 2, 1])
    }

    @Test func dictionaryGroupsElements() throws {
        let parity = { (element: Int) in element.isMultiple(of: 2) ? "even" : "odd" }
        let expected = ["odd": [1, 3, 5], "even": [2, 4]]
        try expectEqual(Dictionary(grouping: RecordingCursor(count: 5), by: parity), expected)
        let dictionary = try Dictionary(
            minimumCapacity: 100, grouping: RecordingCursor(count: 5), by: parity)
        expectEqual(dictionary, expected)
        #expect(dictionary.capacity >= 100)
        expectError(CursorError.self) {
            try Dictionary(grouping: RecordingCursor(count: 5)) { _ -> Int in throw CursorError() }
        }
    }

    @Test func dictionaryOfUniqueKeys() throws {
        let pairs = { RecordingCursor(count: 2).map { ($0, "\($0)") } }
        try expectEqual(Dictionary(uniqueKeysWithValues: pairs()), [1: "1", 2: "2"])
        let dictionary = try Dictionary(minimumCapacity: 100, uniqueKeysWithValues: pairs())
        expectEqual(dictionary, [1: "1", 2: "2"])
        #expect(dictionary.capacity >= 100)
    }

    @Test func duplicateKeysThrow() {
        let pairs = { AnyCursor([("a", 1), ("b", 2), ("a", 3)]) }
        let error = expectError(DatabaseError.self) {
            try Dictionary(uniqueKeysWithValues: pairs())
        }
        expectEqual(error?.description, "SQLite error 1: Duplicate key in cursor: a")
        expectError(DatabaseError.self) {
            try Dictionary(minimumCapacity: 3, uniqueKeysWithValues: pairs())
        }
        // Even when the value is nil
        expectError(DatabaseError.self) {
            try Dictionary(uniqueKeysWithValues: AnyCursor([("a", Int?.none), ("a", nil)]))
        }
    }

    @Test func sets() throws {
        try expectEqual(Set(AnyCursor([1, 2, 1])), [1, 2])
        let set = try Set(AnyCursor([1, 2, 1]), minimumCapacity: 100)
        expectEqual(set, [1, 2])
        #expect(set.capacity >= 100)
    }

    @Test func unions() throws {
        try expectEqual(Set([1, 7]).union(RecordingCursor(count: 2)), [1, 2, 7])
        var set: Set = [7]
        try set.formUnion(RecordingCursor(count: 2))
        expectEqual(set, [1, 2, 7])
        expectError(CursorError.self) {
            try set.formUnion(RecordingCursor(count: 5, failingAt: [4]))
        }
        expectEqual(set, [1, 2, 3, 7])
    }

    @Test func intersections() throws {
        try expectEqual(Set([2, 3, 9]).intersection(RecordingCursor(count: 3)), [2, 3])
        var set: Set = [2, 3, 9]
        expectError(CursorError.self) {
            try set.formIntersection(RecordingCursor(count: 3, failingAt: [3]))
        }
        expectEqual(set, [2, 3, 9])
        try set.formIntersection(RecordingCursor(count: 3))
        expectEqual(set, [2, 3])
    }

    @Test func intersectionsKeepTheElementsOfTheSet() throws {
        struct Key: Hashable {
            var id: Int
            var origin: String
            static func == (lhs: Key, rhs: Key) -> Bool { lhs.id == rhs.id }
            func hash(into hasher: inout Hasher) { hasher.combine(id) }
        }
        let set: Set = [Key(id: 1, origin: "set")]
        let keys = try set.intersection(AnyCursor([Key(id: 1, origin: "cursor")]))
        expectEqual(keys.first?.origin, "set")
    }
}
