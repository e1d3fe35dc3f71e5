import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Types that call the containers of encoders and decoders themselves.
@Suite(.databases) struct CodingContainerTests {
    private enum Key: String, CodingKey {
        case a, b, c, d
    }

    private struct Failure: Error {
        var path: [String]
        var description: String
    }

    /// Returns the path of the error that decoding throws, and its description.
    private func failure<Value: FetchableRecord>(
        _ type: Value.Type, _ row: Row, line: Int = #line
    ) throws -> Failure {
        let error = expectError((any Error).self, line: line) {
            try Value(row: row)
        }
        switch error as? DecodingError {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            return Failure(
                path: context.codingPath.map(\.stringValue),
                description: context.debugDescription)
        default:
            throw try unwrap(error)
        }
    }

    // MARK: - Optional primitive types

    private struct Numbers: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "numbers"

        var a: Int8?
        var b: Int16?
        var c: Int32?
        var d: Int64?
        var e: UInt?
        var f: UInt8?
        var g: UInt16?
        var h: UInt32?
        var i: UInt64?
        var j: Float?
        var k: Double?
        var l: Bool?
        var m: String?
        var n: Int?
    }

    @Test func optionalValuesAreColumns() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE numbers (a, b, c, d, e, f, g, h, i, j, k, l, m, n)")
            let numbers = Numbers(
                a: .min, b: .min, c: .min, d: .min, e: 5, f: .max, g: .max, h: .max, i: 9, j: 0.5,
                k: -2.5, l: true, m: "text", n: .max)
            for record in [numbers, Numbers()] {
                // The second insertion and the second fetch go another way.
                for _ in 0..<2 { try record.insert(db) }
                try expectEqual(Numbers.fetchAll(db), [record, record])
                try expectEqual(
                    Row.fetchAll(db, Numbers.all()).map { try Numbers(row: $0) }.count, 2)
                try Numbers.deleteAll(db)
            }
            try numbers.insert(db)
            let row = try unwrap(Row.fetchOne(db, sql: "SELECT * FROM numbers"))
            let expected: Row = [
                "a": -128, "b": -32768, "c": -2_147_483_648, "d": Int64.min, "e": 5, "f": 255,
                "g": 65535, "h": 4_294_967_295, "i": 9, "j": 0.5, "k": -2.5, "l": 1, "m": "text",
                "n": Int64.max,
            ]
            expectEqual(row, expected)
        }
    }

    @Test func integersOf128Bits() throws {
        guard #available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *) else { return }
        struct Wide: Codable, FetchableRecord, PersistableRecord, Equatable {
            static let databaseTableName = "wide"

            var a: Int128
            var b: Int128?
            var c: UInt128
            var d: UInt128?
        }
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE wide (a, b, c, d)")
            let wide = Wide(a: -1, b: 2, c: 3, d: 4)
            try wide.insert(db)
            try Wide(a: 1, b: nil, c: 3, d: nil).insert(db)
            try expectEqual(Wide.fetchAll(db), [wide, Wide(a: 1, b: nil, c: 3, d: nil)])
            let refused = expectError(EncodingError.self) {
                try Wide(a: 1, b: Int128(Int64.max) + 1, c: 3, d: nil).insert(db)
            }
            expectTrue("\(refused!)".contains("SQLite stores integers of 64 bits"))
            expectError((any Error).self) {
                try Wide(row: ["a": 1, "b": nil, "c": -1, "d": nil])
            }
        }
    }

    // MARK: - Nested containers of records

    /// Has an object and an array in columns, which it reads piece by piece.
    private struct Pieces: FetchableRecord, Decodable {
        var isThere = false
        var keys: [String] = []
        var paths: [[String]] = []
        var numbers: [Int] = []
        var texts: [String?] = []

        init(from decoder: any Decoder) throws {
            let columns = try decoder.container(keyedBy: Key.self)
            let object = try columns.nestedContainer(keyedBy: Key.self, forKey: .a)
            isThere = object.contains(.a) && !object.contains(.d)
            keys = object.allKeys.map(\.rawValue).sorted()
            paths = [object.codingPath.map(\.stringValue)]
            try expectTrue(object.decodeNil(forKey: .b))
            numbers.append(try object.decode(Int.self, forKey: .a))
            texts.append(try object.decodeIfPresent(String.self, forKey: .b))
            let inner = try object.nestedContainer(keyedBy: Key.self, forKey: .c)
            paths.append(inner.codingPath.map(\.stringValue))
            numbers.append(try inner.decode(Int.self, forKey: .a))
            var list = try inner.nestedUnkeyedContainer(forKey: .b)
            paths.append(list.codingPath.map(\.stringValue))
            numbers.append(try list.decode(Int.self))
            let superDecoder = try inner.superDecoder(forKey: .b)
            numbers += try [Int](from: superDecoder)

            var array = try columns.nestedUnkeyedContainer(forKey: .b)
            numbers.append(array.count ?? -1)
            numbers.append(array.currentIndex)
            try expectTrue(array.decodeNil())
            numbers.append(try array.decode(Int.self))
            texts.append(try array.decodeIfPresent(String.self))
            let element = try array.nestedContainer(keyedBy: Key.self)
            paths.append(element.codingPath.map(\.stringValue))
            numbers.append(try element.decode(Int.self, forKey: .a))
            var innerArray = try array.nestedUnkeyedContainer()
            paths.append(innerArray.codingPath.map(\.stringValue))
            numbers.append(try innerArray.decode(Int.self))
            numbers.append(try Int(from: array.superDecoder()))
            expectTrue(array.isAtEnd)
        }
    }

    private let object = #"{"a": 1, "b": null, "c": {"a": 2, "b": [3, 4]}}"#
    private let array = #"[null, 5, "text", {"a": 6}, [7], 8]"#

    @Test func containersInJSONAreRead() throws {
        let pieces = try Pieces(row: ["a": object, "b": array])
        expectTrue(pieces.isThere)
        expectEqual(pieces.keys, ["a", "b", "c"])
        expectEqual(pieces.numbers, [1, 2, 3, 3, 4, 6, 0, 5, 6, 7, 8])
        expectEqual(pieces.texts, [nil, "text"])
        expectEqual(
            pieces.paths,
            [
                ["a"], ["a", "c"], ["a", "c", "b"], ["b", "Index 3"], ["b", "Index 4"],
            ])
    }

    @Test func errorsInJSONHaveThePathOfTheColumn() throws {
        let deep = try failure(
            Pieces.self, ["a": #"{"a": 1, "b": null, "c": {"a": "x"}}"#, "b": array])
        expectEqual(deep.path, ["a", "c", "a"])
        let missing = try failure(Pieces.self, ["a": #"{"a": 1, "b": null}"#, "b": array])
        expectEqual(missing.path.first, "a")
        let short = try failure(Pieces.self, ["a": object, "b": "[null]"])
        expectEqual(short.path, ["b", "Index 1"])
        let wrong = try failure(Pieces.self, ["a": object, "b": #"[null, 5, "t", 6]"#])
        expectEqual(wrong.path, ["b", "Index 3"])
        let notArray = try failure(
            Pieces.self, ["a": object, "b": #"[null, 5, "t", {"a": 6}, 7]"#])
        expectEqual(notArray.path, ["b", "Index 4"])
    }

    /// Writes its columns piece by piece.
    private struct WrittenPieces: EncodableRecord, Encodable {
        func encode(to encoder: any Encoder) throws {
            var columns = encoder.container(keyedBy: Key.self)
            var object = columns.nestedContainer(keyedBy: Key.self, forKey: .a)
            try object.encodeNil(forKey: .b)
            try object.encode(1, forKey: .a)
            var inner = object.nestedContainer(keyedBy: Key.self, forKey: .c)
            expectEqual(inner.codingPath.map(\.stringValue), ["a", "c"])
            try inner.encode("x", forKey: .a)
            var list = inner.nestedUnkeyedContainer(forKey: .b)
            expectEqual(list.codingPath.map(\.stringValue), ["a", "c", "b"])
            try list.encode(2)
            try list.encodeNil()
            expectEqual(list.count, 2)
            var listInList = list.nestedUnkeyedContainer()
            try listInList.encode(3)
            var objectInList = list.nestedContainer(keyedBy: Key.self)
            try objectInList.encode(4, forKey: .a)
            try 5.encode(to: list.superEncoder())
            try 6.encode(to: inner.superEncoder(forKey: .d))
            try 7.encode(to: object.superEncoder())

            let superEncoder = columns.superEncoder(forKey: .b)
            var value = superEncoder.singleValueContainer()
            expectEqual(value.codingPath.map(\.stringValue), ["b"])
            try value.encode([8])
            var null = columns.superEncoder(forKey: .c).singleValueContainer()
            try null.encodeNil()
        }
    }

    @Test func containersAreWrittenAsJSON() throws {
        let columns = try WrittenPieces().databaseDictionary
        func object(_ column: String) throws -> NSObject? {
            let text = try unwrap(columns[column].flatMap { String.fromDatabaseValue($0) })
            return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSObject
        }
        let expected: NSDictionary = [
            "a": 1, "b": NSNull(), "super": 7,
            "c": ["a": "x", "b": [2, NSNull(), [3], ["a": 4], 5] as [Any], "d": 6] as [String: Any],
        ]
        try expectEqual(object("a"), expected)
        try expectEqual(object("b"), [8] as NSArray)
        expectEqual(columns["c"], .null)
    }

    // MARK: - Prefetched rows

    private struct Pet: TableRecord {
        static let databaseTableName = "pet"
    }

    private struct Owner: TableRecord {
        static let databaseTableName = "owner"
        static let pets = hasMany(Pet.self).orderByPrimaryKey()
    }

    /// The row of an owner with two pets.
    private func makeOwner(_ body: (Row) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE owner (id INTEGER PRIMARY KEY);
                    CREATE TABLE pet (
                        id INTEGER PRIMARY KEY, ownerId INTEGER REFERENCES owner, a, b);
                    INSERT INTO owner VALUES (1);
                    INSERT INTO pet VALUES (1, 1, 10, '[11]'), (2, 1, 20, '{"a": 21}');
                    """)
            let row = try Row.fetchOne(db, Owner.including(all: Owner.pets))
            try body(unwrap(row))
        }
    }

    /// Decodes the prefetched rows with a closure.
    private struct PetList<Content: PetContent>: FetchableRecord, Decodable {
        var pets: Content
    }

    private protocol PetContent: Decodable {}

    /// Reads the rows one after the other.
    private struct PetWalk: PetContent {
        var numbers: [Int] = []
        var path: [String] = []

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            path = list.codingPath.map(\.stringValue)
            expectEqual(list.count, 2)
            try expectTrue(!list.decodeNil())
            let first = try list.nestedContainer(keyedBy: Key.self)
            expectEqual(first.codingPath.map(\.intValue), [nil, 0])
            expectTrue(first.contains(.a) && !first.contains(.c))
            expectEqual(Set(first.allKeys), [.a, .b])
            try expectTrue(!first.decodeNil(forKey: .a))
            numbers.append(try first.decode(Int.self, forKey: .a))
            numbers.append(try first.decodeIfPresent(Int.self, forKey: .a) ?? 0)
            var array = try first.nestedUnkeyedContainer(forKey: .b)
            numbers.append(try array.decode(Int.self))
            numbers += try [Int](from: first.superDecoder(forKey: .b))

            let second = try list.superDecoder().container(keyedBy: Key.self)
            expectEqual(second.codingPath.map(\.intValue), [nil, 1])
            numbers.append(try second.decode(Int.self, forKey: .a))
            let object = try second.nestedContainer(keyedBy: Key.self, forKey: .b)
            numbers.append(try object.decode(Int.self, forKey: .a))
            expectTrue(list.isAtEnd)
        }
    }

    @Test func prefetchedRowsAreReadOneByOne() throws {
        try makeOwner { row in
            let walk = try PetList<PetWalk>(row: row).pets
            expectEqual(walk.numbers, [10, 10, 11, 11, 20, 21])
            expectEqual(walk.path, ["pets"])
        }
    }

    private struct KeyedPets: PetContent {
        init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: Key.self)
        }
    }

    private struct TooManyPets: PetContent {
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            while !list.isAtEnd { _ = try list.superDecoder() }
            _ = try list.decodeNil()
        }
    }

    private struct ArraysOfPets: PetContent {
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            _ = try list.nestedUnkeyedContainer()
        }
    }

    private struct WrappedPets: PetContent {
        struct Pet: Decodable { var a: Int }
        var pets: [Pet]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            expectTrue(!container.decodeNil())
            expectEqual(container.codingPath.map(\.stringValue), ["pets"])
            pets = try container.decode([Pet].self)
        }
    }

    @Test func prefetchedRowsAreAnArray() throws {
        try makeOwner { row in
            let keyed = try failure(PetList<KeyedPets>.self, row)
            expectEqual(keyed.path, ["pets"])
            expectEqual(keyed.description, "Prefetched rows are decoded as an array or a set")
            let tooMany = try failure(PetList<TooManyPets>.self, row)
            expectEqual(tooMany.path, ["pets", "Index 2"])
            expectEqual(tooMany.description, "There are 2 prefetched rows")
            let arrays = try failure(PetList<ArraysOfPets>.self, row)
            expectEqual(arrays.path, ["pets", "Index 0"])
            expectEqual(arrays.description, "A row can't be decoded as an array")
            try expectEqual(PetList<WrappedPets>(row: row).pets.pets.map(\.a), [10, 20])
        }
    }
}
