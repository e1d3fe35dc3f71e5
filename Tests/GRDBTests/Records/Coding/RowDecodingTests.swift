import Foundation
@testable import GRDB
import GRDBTestSupport
import Testing

private struct Team: Codable, Equatable {
    var name: String
    var color: String?
}

private enum Kind: String, Codable {
    case goalkeeper, striker
}

private struct Player: Codable, FetchableRecord, Equatable {
    var id: Int64
    var name: String
    var score: Int?
    var kind: Kind?
    var team: Team?
    var scores: [Int]?
}

/// Reads one column.
private struct One<Value: Codable>: Codable, FetchableRecord {
    var a: Value
}

@Suite(.databases) struct RowDecodingTests {
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try TestDatabases.makeQueue().read(body)
    }

    private func expectFailure<Record: FetchableRecord>(
        _ type: Record.Type, _ sql: String, _ description: String, line: Int = #line
    ) throws {
        try read { db in
            expectError(description, line: line) {
                try Record.fetchOne(db, sql: sql)
            }
        }
    }

    // MARK: - Values

    @Test func recordsAreDecodedFromColumns() throws {
        try read { db in
            let sql = """
                SELECT 1 AS id, 'Arthur' AS name, 10 AS score, 'striker' AS kind,
                    '{"name":"Reds"}' AS team, '[1,2]' AS scores
                UNION ALL
                SELECT 2, 'Barbara', NULL, NULL, NULL, NULL
                """
            let expected = [
                Player(
                    id: 1, name: "Arthur", score: 10, kind: .striker, team: Team(name: "Reds"),
                    scores: [1, 2]),
                Player(id: 2, name: "Barbara"),
            ]
            try expectEqual(Player.fetchAll(db, sql: sql), expected)
            let rows = try Row.fetchAll(db, sql: sql)
            try expectEqual(rows.map { try Player(row: $0) }, expected)
            try expectEqual(rows.map { try $0.decode(Player.self) }, expected)
            try expectEqual(
                rows.map { try FetchableRecordDecoder().decode(Player.self, from: $0) },
                expected)
        }
    }

    @Test func columnsMayComeInAnyOrderAndCase() throws {
        try read { db in
            let player = try Player.fetchOne(db, sql: "SELECT 'b' AS NAME, 3 AS x, 1 AS Id")
            expectEqual(player, Player(id: 1, name: "b"))
        }
    }

    @Test func errorsNameColumnIndexValueAndSQL() throws {
        try expectFailure(
            One<Int>.self, "SELECT 1 AS b",
            """
            column not found: "a" - available columns: ["b"] - sql: `SELECT 1 AS b`
            """)
        try expectFailure(
            One<Int>.self, "SELECT NULL AS a",
            """
            could not decode Int from database value NULL - column: "a", column index: 0, \
            sql: `SELECT NULL AS a`
            """)
        try expectFailure(
            One<UInt8>.self, "SELECT 0, 300 AS a",
            """
            could not decode UInt8 from database value 300 - column: "a", column index: 1, \
            sql: `SELECT 0, 300 AS a`
            """)
        try expectFailure(
            One<Date>.self, "SELECT 'foo' AS a",
            """
            could not decode Date from database value "foo" - column: "a", column index: 0, \
            sql: `SELECT 'foo' AS a`
            """)
        try expectFailure(
            One<Date?>.self, "SELECT 'foo' AS a",
            """
            could not decode Date from database value "foo" - column: "a", column index: 0, \
            sql: `SELECT 'foo' AS a`
            """)
        try expectFailure(
            One<Kind>.self, "SELECT NULL AS a",
            """
            could not decode String from database value NULL - column: "a", column index: 0, \
            sql: `SELECT NULL AS a`
            """)
        try expectFailure(
            One<Kind>.self, "SELECT 1 AS b",
            """
            column not found: "a" - available columns: ["b"] - sql: `SELECT 1 AS b`
            """)
        try expectFailure(
            One<Team>.self, "SELECT NULL AS a",
            """
            could not decode Team from database value NULL - column: "a", column index: 0, \
            sql: `SELECT NULL AS a`
            """)
        try expectFailure(
            One<[Int]>.self, "SELECT NULL AS a",
            """
            could not decode Array<Int> from database value NULL - column: "a", column index: 0, \
            sql: `SELECT NULL AS a`
            """)
        try expectFailure(
            One<Team>.self, "SELECT 12 AS a",
            """
            could not decode Team from database value 12 - column: "a", column index: 0, \
            sql: `SELECT 12 AS a`
            """)
    }

    @Test func codingPathsOfErrorsStartWithTheColumn() throws {
        func codingPath<Record: FetchableRecord>(_ type: Record.Type, _ sql: String) throws
            -> [String]
        {
            try read { db in
                do {
                    _ = try Record.fetchOne(db, sql: sql)
                    return []
                } catch let error as DecodingError {
                    switch error {
                    case .typeMismatch(_, let context), .valueNotFound(_, let context),
                        .keyNotFound(_, let context), .dataCorrupted(let context):
                        return context.codingPath.map(\.stringValue)
                    @unknown default: return []
                    }
                }
            }
        }
        try expectEqual(codingPath(One<Kind>.self, "SELECT 'foo' AS a"), ["a"])
        try expectEqual(codingPath(One<Team>.self, "SELECT '{\"name\":1}' AS a"), ["a", "name"])
        try expectEqual(codingPath(One<Team?>.self, "SELECT 'foo' AS a"), ["a"])
        try expectEqual(codingPath(One<[Team]>.self, "SELECT '[{}]' AS a"), ["a", "Index 0"])
        try expectEqual(codingPath(One<[Int]>.self, "SELECT 1 AS b"), [])
    }

    @Test func missingColumnsAreNil() throws {
        /// Its properties are decoded if present.
        struct Optionals: Codable, FetchableRecord, Equatable {
            var integer: Int?
            var date: Date?
            var kind: Kind?
            var team: Team?
            var scores: [Int]?
        }
        try read { db in
            try expectEqual(Optionals.fetchOne(db, sql: "SELECT 1 AS b"), Optionals())
        }
    }

    @Test func jsonIsReadFromTextAndBlobs() throws {
        try read { db in
            for sql in [
                "SELECT '{\"name\":\"Reds\"}' AS a",
                "SELECT x'7B226E616D65223A2252656473227D' AS a",
            ] {
                let one = try One<Team>.fetchOne(db, sql: sql)
                expectEqual(one?.a, Team(name: "Reds"))
            }
        }
    }

    // MARK: - Custom implementations

    @Test func keysAndContains() throws {
        struct Probe: Decodable, FetchableRecord {
            enum CodingKeys: CodingKey { case id, team, name, other }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                expectEqual(container.allKeys.map(\.stringValue), ["id", "team"])
                expectTrue(container.contains(.id))
                expectTrue(container.contains(.team))
                expectTrue(!container.contains(.name))
                expectTrue(!container.contains(.other))
                try expectEqual(container.decodeNil(forKey: .id), false)
                try expectTrue(container.decodeNil(forKey: .team))
                try expectTrue(container.decodeNil(forKey: .other))
                expectTrue(decoder.codingPath.isEmpty)
                let team = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .team)
                try expectEqual(team.decodeIfPresent(String.self, forKey: .name), nil)
                expectEqual(team.codingPath.map(\.stringValue), ["team"])
            }
        }
        try read { db in
            _ = try Probe.fetchOne(db, sql: "SELECT 1 AS id, NULL AS name", adapter: teamAdapter)
        }
    }

    @Test func nestedContainersReadJSON() throws {
        struct Nested: Decodable, FetchableRecord {
            enum CodingKeys: CodingKey { case object, list, value }
            var value: Int
            var list: [Int] = []

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                let object = try container.nestedContainer(
                    keyedBy: CodingKeys.self, forKey: .object)
                value = try object.decode(Int.self, forKey: .value)
                var list = try container.nestedUnkeyedContainer(forKey: .list)
                while !list.isAtEnd { self.list.append(try list.decode(Int.self)) }
            }
        }
        let nested = try Nested(row: ["object": #"{"value":7}"#, "list": "[1,2]"])
        expectEqual(nested.value, 7)
        expectEqual(nested.list, [1, 2])
    }

    @Test func errorsOfNestedContainersNameTheColumn() throws {
        /// Decodes by way of nested containers, or of a nested decoder.
        struct Nested: Decodable, FetchableRecord {
            enum CodingKeys: CodingKey { case kind, n, a }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                switch try container.decode(String.self, forKey: .kind) {
                case "keyed":
                    let nested = try container.nestedContainer(
                        keyedBy: CodingKeys.self, forKey: .n)
                    expectEqual(nested.codingPath.map(\.stringValue), ["n"])
                    _ = try nested.decode(Int.self, forKey: .a)
                case "deep":
                    var deep = try container.nestedContainer(
                        keyedBy: CodingKeys.self, forKey: .n
                    ).nestedUnkeyedContainer(forKey: .a)
                    while !deep.isAtEnd { _ = try deep.decode(Int.self) }
                case "unkeyed":
                    var nested = try container.nestedUnkeyedContainer(forKey: .n)
                    while !nested.isAtEnd { _ = try nested.decode(Int.self) }
                default:
                    _ = try container.superDecoder(forKey: .n).container(
                        keyedBy: CodingKeys.self
                    ).decode(Int.self, forKey: .a)
                }
            }
        }
        func path(_ kind: String, _ json: String) -> [String]? {
            let row: Row = ["kind": kind, "n": json]
            do {
                _ = try FetchableRecordDecoder().decode(Nested.self, from: row)
                return nil
            } catch let error as DecodingError {
                switch error {
                case .typeMismatch(_, let context), .valueNotFound(_, let context),
                    .keyNotFound(_, let context), .dataCorrupted(let context):
                    return context.codingPath.map(\.stringValue)
                @unknown default: return []
                }
            } catch {
                return []
            }
        }
        for kind in ["keyed", "super"] {
            expectEqual(path(kind, #"{"a":1}"#), nil)
            expectEqual(path(kind, #"{"a":"x"}"#), ["n", "a"])
            expectEqual(path(kind, "{}"), ["n"])
            expectEqual(path(kind, "[]"), ["n"])
            expectEqual(path(kind, "foo"), ["n"])
        }
        expectEqual(path("unkeyed", "[1]"), nil)
        expectEqual(path("unkeyed", #"["x"]"#), ["n", "Index 0"])
        expectEqual(path("unkeyed", "{}"), ["n"])
        expectEqual(path("deep", #"{"a":[1]}"#), nil)
        expectEqual(path("deep", #"{"a":[1,"x"]}"#), ["n", "a", "Index 1"])
        expectEqual(path("deep", #"{"a":{}}"#), ["n", "a"])
        for (kind, type) in [
            ("keyed", "Dictionary<String, Any>"), ("super", "Dictionary<String, Any>"),
            ("unkeyed", "Array<Any>"),
        ] {
            expectError(
                """
                could not decode \(type) from database value NULL - column: "n", \
                column index: 1, row: [kind:"\(kind)" n:NULL]
                """
            ) {
                try Nested(row: ["kind": kind, "n": nil])
            }
        }
    }

    @Test func superclassesShareTheRow() throws {
        class Base: Decodable {
            var a: Int
            enum CodingKeys: CodingKey { case a }

            required init(from decoder: any Decoder) throws {
                a = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .a)
            }
        }
        final class Derived: Base, FetchableRecord {
            var b: Int
            enum CodingKeys: CodingKey { case b }

            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                b = try container.decode(Int.self, forKey: .b)
                try super.init(from: container.superDecoder())
            }
        }
        try read { db in
            let all = try Derived.fetchAll(db, sql: "SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, 4")
            expectEqual(all.map(\.a), [1, 3])
            expectEqual(all.map(\.b), [2, 4])
        }
    }

    @Test func polymorphicRecords() throws {
        enum Shape: Decodable, FetchableRecord, Equatable {
            case circle(radius: Double)
            case square(side: Double)
            enum CodingKeys: CodingKey { case kind, radius, side }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                switch try container.decode(String.self, forKey: .kind) {
                case "circle":
                    self = .circle(radius: try container.decode(Double.self, forKey: .radius))
                default:
                    self = .square(side: try container.decode(Double.self, forKey: .side))
                }
            }
        }
        try read { db in
            let sql = """
                SELECT 'circle' AS kind, 1.0 AS radius, NULL AS side
                UNION ALL SELECT 'square', NULL, 2.0 UNION ALL SELECT 'circle', 3.0, NULL
                """
            let shapes = try Shape.fetchAll(db, sql: sql)
            expectEqual(shapes, [.circle(radius: 1), .square(side: 2), .circle(radius: 3)])
        }
    }

    @Test func singleValueRecords() throws {
        struct Wrapper<Value: Decodable>: Decodable, FetchableRecord {
            var value: Value

            init(from decoder: any Decoder) throws {
                value = try decoder.singleValueContainer().decode(Value.self)
            }
        }
        try read { db in
            let sql = "SELECT 'Reds' AS name"
            let team = try Wrapper<Team>.fetchOne(db, sql: sql)
            expectEqual(team?.value, Team(name: "Reds"))
            let string = try Wrapper<String>.fetchOne(db, sql: sql)
            expectEqual(string?.value, "Reds")
        }
    }

    @Test func escapedDecodersThrow() throws {
        final class Keeper: Decodable, FetchableRecord {
            let decoder: any Decoder
            let container: KeyedDecodingContainer<CodingKeys>
            enum CodingKeys: CodingKey { case a }

            init(from decoder: any Decoder) throws {
                self.decoder = decoder
                container = try decoder.container(keyedBy: CodingKeys.self)
            }
        }
        try read { db in
            let keeper = try unwrap(Keeper.fetchOne(db, sql: "SELECT 1 AS a"))
            expectError(DecodingError.self) {
                try keeper.container.decode(Int.self, forKey: .a)
            }
            expectError(DecodingError.self) {
                try keeper.decoder.container(keyedBy: Keeper.CodingKeys.self)
            }
        }
    }

    @Test func containersOutliveTheirDecoder() throws {
        struct Keeper: Decodable, FetchableRecord {
            let container: KeyedDecodingContainer<CodingKeys>
            enum CodingKeys: CodingKey { case a, b }

            init(from decoder: any Decoder) throws {
                container = try decoder.container(keyedBy: CodingKeys.self)
                _ = try container.decode(Int.self, forKey: .a)
            }
        }
        try read { db in
            let container = try unwrap(Keeper.fetchOne(db, sql: "SELECT 1 AS a")).container
            expectTrue(container.allKeys.isEmpty)
            expectTrue(container.codingPath.isEmpty)
            expectTrue(!container.contains(.a))
            expectError(DecodingError.self) { try container.decode(Int.self, forKey: .a) }
            expectError(DecodingError.self) { try container.decode(Data.self, forKey: .a) }
            expectError(DecodingError.self) { try container.decodeNil(forKey: .a) }
            expectError(DecodingError.self) {
                try container.decodeIfPresent(String.self, forKey: .b)
            }
            expectError(DecodingError.self) { try container.superDecoder() }
        }
    }

    /// A decoder frees its memory unless a type has kept its container. Only the leak sanitizer sees
    /// that memory, so this test checks the condition itself.
    @Test func keptContainersAreDetected() throws {
        struct Keeper: Decodable {
            let container: KeyedDecodingContainer<CodingKeys>
            enum CodingKeys: CodingKey { case a }

            init(from decoder: any Decoder) throws {
                container = try decoder.container(keyedBy: CodingKeys.self)
            }
        }
        func makeBox() throws -> ValueBox<KeyedDecodingContainer<Keeper.CodingKeys>> {
            let json = Data(#"{"a": 1}"#.utf8)
            return ValueBox(try JSONDecoder().decode(Keeper.self, from: json).container)
        }
        let box = try makeBox()
        expectTrue(box.isUnique)
        let container = box.value()
        expectTrue(!box.isUnique)
        expectTrue(container.contains(.a))
    }

    /// Keys are expected in the order of the former row: which may be another one.
    @Test func keysMayComeInAnyOrder() throws {
        struct Shuffled: Decodable, FetchableRecord {
            var sum = 0
            enum CodingKeys: String, CodingKey { case order, a, b, c }
            enum OtherKeys: String, CodingKey { case c, b, a }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                let others = try decoder.container(keyedBy: OtherKeys.self)
                for character in try container.decode(String.self, forKey: .order) {
                    switch character {
                    case "a": sum = try 10 * sum + container.decode(Int.self, forKey: .a)
                    case "b": sum = try 10 * sum + container.decode(Int.self, forKey: .b)
                    case "c": sum = try 10 * sum + container.decode(Int.self, forKey: .c)
                    case "A": sum = try 10 * sum + others.decode(Int.self, forKey: .a)
                    case "B": sum = try 10 * sum + others.decode(Int.self, forKey: .b)
                    default: sum = try 10 * sum + (others.decodeIfPresent(Int.self, forKey: .c)!)
                    }
                }
            }
        }
        try read { db in
            let orders = ["abc", "abc", "cba", "aaa", "ABC", "aBc", "CCa", "abcABCabc", "b"]
            let values = orders.map { "('\($0)', 1, 2, 3)" }.joined(separator: ", ")
            let sums = try Shuffled.fetchAll(
                db,
                sql: """
                    WITH t("order", a, b, c) AS (VALUES \(values)) SELECT * FROM t
                    """)
            expectEqual(sums.map(\.sum), [123, 123, 321, 111, 123, 123, 331, 123_123_123, 2])
        }
    }

    @Test func integersOf128Bits() throws {
        struct Wide: Codable, FetchableRecord, EncodableRecord, Equatable {
            var a: Int128
            var b: UInt128?
            var c: Wrapped
            struct Wrapped: RawRepresentable, Codable, Equatable { var rawValue: Int128 }
        }
        try read { db in
            let sql = "SELECT -1 AS a, NULL AS b, 3 AS c UNION ALL SELECT '5', 6, 7"
            let records = try Wide.fetchAll(db, sql: sql)
            expectEqual(
                records,
                [
                    Wide(a: -1, b: nil, c: .init(rawValue: 3)),
                    Wide(a: 5, b: 6, c: .init(rawValue: 7)),
                ])
            try expectEqual(Row.fetchAll(db, sql: sql).first.map { try Wide(row: $0) }, records[0])
            try expectEqual(
                records[1].databaseDictionary.mapValues(\.storage),
                ["a": .int64(5), "b": .int64(6), "c": .int64(7)])
            expectError(RowDecodingError.self) {
                try Wide.fetchOne(db, sql: "SELECT 1 AS a, -1 AS b, 1 AS c")
            }
            expectError(RowDecodingError.self) {
                try Wide.fetchOne(db, sql: "SELECT 1 AS b, 1 AS c")
            }
            for wide in [
                Wide(a: .max, c: .init(rawValue: 0)), Wide(a: 0, b: .max, c: .init(rawValue: 0)),
                Wide(a: 0, c: .init(rawValue: .min)),
            ] {
                expectError(EncodingError.self) { try wide.databaseDictionary }
            }
        }
    }

    @Test func anyDecodableIsDecodedFromARow() throws {
        struct Probe: Decodable {
            var a: Int
            var context: String?
            enum CodingKeys: CodingKey { case a }

            init(from decoder: any Decoder) throws {
                a = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .a)
                context = decoder.userInfo[.context] as? String
            }
        }
        try read { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS a UNION ALL SELECT 2")
            var probes: [Probe] = []
            while let row = try rows.next() {
                probes.append(try row.decode(userInfo: [.context: "here"]))
                probes.append(try row.decode(Probe.self))
            }
            expectEqual(probes.map(\.a), [1, 1, 2, 2])
            expectEqual(probes.map(\.context), ["here", nil, "here", nil])
        }
    }
}

extension CodingUserInfoKey {
    fileprivate static let context = CodingUserInfoKey(rawValue: "context")!
}
