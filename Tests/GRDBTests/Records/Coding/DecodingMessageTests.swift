import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// What errors say of a column whose value can't be decoded.
@Suite(.databases) struct DecodingMessageTests {
    private struct One<Value: Decodable>: Decodable, FetchableRecord {
        var a: Value
    }

    private struct Meta: Codable, Equatable {
        var agency: String
        var number: Int?
        var prices: [Decimal] = []
    }

    /// Decodes itself: it is no database value.
    private enum Kind: String, Codable {
        case news
    }

    /// Opens a database with the column `item.a`, and two others beside it.
    private func withItem(
        _ value: some DatabaseValueConvertible, isPublic: Bool = false,
        kind: DatabaseKind = .queue, _ body: (Database) throws -> Void
    ) throws {
        var config = TestDatabases.makeConfiguration()
        config.publicStatementArguments = isPublic
        let writer = try TestDatabases.makeWriter(kind, config)
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, a ANY, secret)")
            try db.execute(
                sql: "INSERT INTO item VALUES (1, ?, 'secret')", arguments: [value])
        }
        try writer.read(body)
    }

    /// What is shown of the column: the table, its name and the SQL, and the row if arguments are
    /// public.
    private func details(
        index: Int = 1, row: String? = nil, arguments: String? = nil, sql: String
    ) -> String {
        var details = #"table: "item", column: "a", column index: \#(index)"#
        if let row { details += ", row: \(row)" }
        details += ", sql: `\(sql)`"
        if let arguments { details += ", arguments: \(arguments)" }
        return details
    }

    private func text(_ error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context),
            DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
            context.debugDescription
        default: "\(error)"
        }
    }

    private func path(_ error: any Error) -> [String]? {
        switch error {
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context),
            DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
            context.codingPath.map(\.stringValue)
        default: nil
        }
    }

    private func error(
        _ body: () throws -> Void, file: String = #filePath, line: Int = #line
    ) throws -> any Error {
        try unwrap(
            expectError((any Error).self, file: file, line: line, body), file: file, line: line)
    }

    // MARK: - Values

    /// Expects that the value can't be decoded, whichever way the row is read.
    private func expectMismatch<Value: Decodable, Stored: DatabaseValueConvertible>(
        _ type: Value.Type, _ value: Stored, _ mismatch: String,
        file: String = #filePath, line: Int = #line
    ) throws {
        for isPublic in [false, true] {
            try withItem(value, isPublic: isPublic) { db in
                try expectMismatch(
                    One<Value>.self, db, isPublic: isPublic,
                    row: "[id:1 a:\(mismatch.suffix(after: "value ")) secret:\"secret\"]", mismatch,
                    file: file, line: line)
            }
        }
    }

    private func expectMismatch<Record: FetchableRecord>(
        _ type: Record.Type, _ db: Database, isPublic: Bool, row: String, _ mismatch: String,
        file: String = #filePath, line: Int = #line
    ) throws {
        let sql = "SELECT * FROM item WHERE id = ?"
        let live =
            "\(mismatch) - "
            + details(row: isPublic ? row : nil, arguments: isPublic ? "[1]" : nil, sql: sql)
        let copied = "\(mismatch) - " + details(row: isPublic ? row : nil, sql: sql)
        let adapter = ScopeAdapter(["scope": SuffixRowAdapter(fromIndex: 1)])
        let ways: [(String, () throws -> Void)] = [
            (live, { _ = try Record.fetchAll(db, sql: sql, arguments: [1]) }),
            (live, { _ = try Record.fetchOne(db, sql: sql, arguments: [1]) }),
            (live, { _ = try Record.fetchCursor(db, sql: sql, arguments: [1]).next() }),
            (
                live,
                {
                    let rows = try Row.fetchCursor(db, sql: sql, arguments: [1])
                    _ = try Record(row: try unwrap(rows.next()))
                }
            ),
            (
                live,
                {
                    let rows = try Row.fetchCursor(db, sql: sql, arguments: [1], adapter: adapter)
                    _ = try unwrap(rows.next()).decode(Record.self, forKey: "scope")
                }
            ),
            (
                copied,
                {
                    let row = try Row.fetchOne(db, sql: sql, arguments: [1])
                    _ = try Record(row: unwrap(row))
                }
            ),
            (
                copied,
                {
                    let rows = try Row.fetchCursor(db, sql: sql, arguments: [1])
                    _ = try Record(row: try unwrap(rows.next()).copy())
                }
            ),
            (
                copied,
                { _ = try Record(row: Row.fetchAll(db, sql: sql, arguments: [1])[0]) }
            ),
            (
                copied,
                {
                    let row = try Row.fetchOne(db, sql: sql, arguments: [1], adapter: adapter)
                    _ = try Record(row: unwrap(row?.scopes["scope"]))
                }
            ),
        ]
        for (message, body) in ways {
            expectError(message, file: file, line: line, body)
        }
    }

    @Test func decimals() throws {
        try expectMismatch(
            Decimal.self, "x", #"could not decode Decimal from database value "x""#)
        try expectMismatch(
            Decimal?.self, "x", #"could not decode Decimal from database value "x""#)
        try expectMismatch(
            Decimal.self, Data([1, 2]), "could not decode Decimal from database value X'0102'")
        try expectMismatch(
            Decimal.self, DatabaseValue.null, "could not decode Decimal from database value NULL")
    }

    @Test func datesAndOtherValues() throws {
        try expectMismatch(Date.self, "x", #"could not decode Date from database value "x""#)
        try expectMismatch(Date?.self, "x", #"could not decode Date from database value "x""#)
        try expectMismatch(
            DatabaseDateComponents.self, "x",
            #"could not decode DatabaseDateComponents from database value "x""#)
        try expectMismatch(UUID.self, "x", #"could not decode UUID from database value "x""#)
        try expectMismatch(URL.self, 1, "could not decode URL from database value 1")
        try expectMismatch(Int8.self, 300, "could not decode Int8 from database value 300")
        try expectMismatch(Meta.self, 12, "could not decode Meta from database value 12")
        try expectMismatch(
            [Int].self, DatabaseValue.null,
            "could not decode Array<Int> from database value NULL")
    }

    private protocol DateStrategy {
        static var strategy: DatabaseDateDecodingStrategy { get }
    }

    private struct Dated<Strategy: DateStrategy, Value: Decodable>: Decodable, FetchableRecord {
        var a: Value

        static func databaseDateDecodingStrategy(
            for column: String
        ) -> DatabaseDateDecodingStrategy {
            Strategy.strategy
        }
    }

    private enum Deferred: DateStrategy {
        static let strategy = DatabaseDateDecodingStrategy.deferredToDate
    }
    private enum SinceReferenceDate: DateStrategy {
        static let strategy = DatabaseDateDecodingStrategy.timeIntervalSinceReferenceDate
    }
    private enum Since1970: DateStrategy {
        static let strategy = DatabaseDateDecodingStrategy.timeIntervalSince1970
    }
    private enum Milliseconds: DateStrategy {
        static let strategy = DatabaseDateDecodingStrategy.millisecondsSince1970
    }
    private enum ISO8601: DateStrategy {
        static let strategy = DatabaseDateDecodingStrategy.iso8601
    }
    private enum Formatted: DateStrategy {
        static let strategy = DatabaseDateDecodingStrategy.formatted(DateFormatter())
    }
    private enum Custom: DateStrategy {
        static let strategy = DatabaseDateDecodingStrategy.custom { _ in nil }
    }

    @Test func datesOfEachStrategy() throws {
        func expect<Strategy: DateStrategy>(_ strategy: Strategy.Type) throws {
            for isPublic in [false, true] {
                try withItem("x", isPublic: isPublic) { db in
                    let row = #"[id:1 a:"x" secret:"secret"]"#
                    let mismatch = #"could not decode Date from database value "x""#
                    try expectMismatch(
                        Dated<Strategy, Date>.self, db, isPublic: isPublic, row: row, mismatch)
                    try expectMismatch(
                        Dated<Strategy, Date?>.self, db, isPublic: isPublic, row: row, mismatch)
                }
            }
        }
        try expect(Deferred.self)
        try expect(SinceReferenceDate.self)
        try expect(Since1970.self)
        try expect(Milliseconds.self)
        try expect(ISO8601.self)
        try expect(Formatted.self)
        try expect(Custom.self)
    }

    // MARK: - JSON

    /// Expects that the JSON can't be decoded, whichever way the row is read.
    private func expectInvalidJSON<Value: Decodable>(
        _ type: Value.Type, _ json: String, _ expectedPath: [String],
        kind: DatabaseKind = .queue, file: String = #filePath, line: Int = #line
    ) throws {
        // Texts and blobs
        for value in [json.databaseValue, Data(json.utf8).databaseValue] {
            for isPublic in [false, true] {
                try withItem(value, isPublic: isPublic, kind: kind) { db in
                    let sql = "SELECT a, secret FROM item"
                    func check(
                        _ ending: String, _ body: () throws -> Void
                    ) throws {
                        let error = try error(body, file: file, line: line)
                        let text = text(error)
                        expectTrue(
                            text.contains(#" - table: "item", column: "a", column index: 0, "#),
                            file: file, line: line)
                        expectTrue(text.hasSuffix(ending), "\(text)", file: file, line: line)
                        expectEqual(
                            text.contains("secret:"), isPublic, "\(text)", file: file, line: line)
                        expectEqual(
                            text.ranges(of: "table: ").count, 1, "\(text)", file: file, line: line)
                        expectEqual(
                            path(error)?.starts(with: expectedPath), true, "\(error)",
                            file: file, line: line)
                    }
                    let copied = "sql: `\(sql)`"
                    let live = copied + (isPublic ? ", arguments: []" : "")
                    try check(live) { _ = try One<Value>.fetchAll(db, sql: sql) }
                    try check(live) { _ = try One<Value>.fetchOne(db, sql: sql) }
                    try check(live) { _ = try One<Value>.fetchCursor(db, sql: sql).next() }
                    try check(live) { _ = try One<Value?>.fetchAll(db, sql: sql) }
                    try check(copied) { _ = try One<Value>(row: Row.fetchAll(db, sql: sql)[0]) }
                    try check(copied) {
                        _ = try unwrap(Row.fetchOne(db, sql: sql)).decode(One<Value>.self)
                    }
                    let adapter = ScopeAdapter(["scope": SuffixRowAdapter(fromIndex: 0)])
                    try check(live) {
                        let rows = try Row.fetchCursor(db, sql: sql, adapter: adapter)
                        _ = try unwrap(rows.next()).decode(One<Value>.self, forKey: "scope")
                    }
                }
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases) func invalidJSON(kind: DatabaseKind) throws {
        for json in ["", "foo", "{", #"{"agency":"#] {
            try expectInvalidJSON(Meta.self, json, ["a"], kind: kind)
        }
        try expectInvalidJSON([Meta].self, "[{}", ["a"], kind: kind)
    }

    @Test func jsonOfAnotherShape() throws {
        try expectInvalidJSON(Meta.self, "{}", ["a"])
        try expectInvalidJSON(Meta.self, "[]", ["a"])
        try expectInvalidJSON(Meta.self, #"{"agency":1}"#, ["a", "agency"])
        try expectInvalidJSON([Meta].self, "[{}]", ["a", "Index 0"])
        try expectInvalidJSON([String: Meta].self, #"{"x":{}}"#, ["a", "x"])
        try expectInvalidJSON(
            Meta.self, #"{"agency":"","prices":["x"]}"#, ["a", "prices", "Index 0"])
    }

    /// Foundation may not say where in the JSON the number is.
    @Test func numbersInJSONThatDoNotFit() throws {
        struct Number<Value: Decodable>: Decodable {
            var n: Value
        }
        try expectInvalidJSON(Number<Int>.self, #"{"n":9223372036854775808}"#, ["a"])
        try expectInvalidJSON(Number<Int64>.self, #"{"n":18446744073709551615}"#, ["a"])
        try expectInvalidJSON(Number<Int?>.self, #"{"n":-9223372036854775809}"#, ["a"])
        try expectInvalidJSON(Number<UInt64>.self, #"{"n":18446744073709551616}"#, ["a"])
        try expectInvalidJSON(Number<UInt8>.self, #"{"n":256}"#, ["a"])
        try expectInvalidJSON([Int].self, "[9223372036854775808]", ["a"])
        try withItem(#"{"n":18446744073709551615}"#) { db in
            let record = try One<Number<UInt64>>.fetchOne(db, sql: "SELECT a FROM item")
            expectEqual(record?.a.n, .max)
        }
    }

    /// Foundation decodes 512 levels, however deep types are nested.
    @Test func deepJSON() throws {
        final class Node: Codable {
            var child: Node?
        }
        for depth in [513, 5_000, 20_000] {
            let json =
                String(repeating: #"{"child":"#, count: depth - 1) + "{}"
                + String(repeating: "}", count: depth - 1)
            try expectInvalidJSON(Node.self, json, ["a"])
        }
    }

    @Test func valuesThatDecodeThemselves() throws {
        try withItem("x") { db in
            let sql = "SELECT a FROM item"
            let details = details(index: 0, sql: sql)
            for body in [
                { _ = try One<Kind>.fetchAll(db, sql: sql) },
                { _ = try One<Kind?>.fetchOne(db, sql: sql) },
                { _ = try One<Kind>(row: Row.fetchAll(db, sql: sql)[0]) },
            ] as [() throws -> Void] {
                let error = try error(body)
                expectEqual(
                    text(error),
                    "Cannot initialize Kind from invalid String value x - \(details)")
                expectEqual(path(error), ["a"])
            }
        }
    }

    /// Containers and decoders that `init(from:)` asks for itself.
    @Test func nestedContainers() throws {
        struct Nested: Decodable, FetchableRecord {
            nonisolated(unsafe) static var decode:
                (KeyedDecodingContainer<CodingKeys>) throws -> Void = { _ in }

            enum CodingKeys: CodingKey { case a, agency }

            init(from decoder: any Decoder) throws {
                try Self.decode(decoder.container(keyedBy: CodingKeys.self))
            }
        }
        func expect(
            _ value: String, path expectedPath: [String],
            file: String = #filePath, line: Int = #line,
            _ decode: @escaping (KeyedDecodingContainer<Nested.CodingKeys>) throws -> Void
        ) throws {
            Nested.decode = decode
            try withItem(value) { db in
                let sql = "SELECT a FROM item"
                for body in [
                    { _ = try Nested.fetchAll(db, sql: sql) },
                    { _ = try Nested(row: Row.fetchAll(db, sql: sql)[0]) },
                ] as [() throws -> Void] {
                    let error = try error(body, file: file, line: line)
                    let text = text(error)
                    expectTrue(
                        text.hasSuffix(" - " + details(index: 0, sql: sql)), "\(text)",
                        file: file, line: line)
                    expectEqual(
                        text.ranges(of: "table: ").count, 1, "\(text)", file: file, line: line)
                    expectEqual(path(error), expectedPath, file: file, line: line)
                }
            }
        }
        typealias Key = Nested.CodingKeys
        let json = #"{"agency":1}"#
        try expect(json, path: ["a", "agency"]) {
            _ = try $0.nestedContainer(keyedBy: Key.self, forKey: .a)
                .decode(String.self, forKey: .agency)
        }
        try expect("foo", path: ["a"]) {
            _ = try $0.nestedContainer(keyedBy: Key.self, forKey: .a)
        }
        try expect("[1]", path: ["a", "Index 0"]) {
            var container = try $0.nestedUnkeyedContainer(forKey: .a)
            _ = try container.decode(String.self)
        }
        try expect(json, path: ["a", "agency"]) {
            _ = try Meta(from: $0.superDecoder(forKey: .a))
        }
        try expect(json, path: ["a", "agency"]) {
            _ = try $0.superDecoder(forKey: .a).singleValueContainer().decode(Meta.self)
        }
        try expect("[1]", path: ["a", "Index 0"]) {
            _ = try $0.superDecoder(forKey: .a).singleValueContainer().decode([String].self)
        }
        try expect("x", path: ["a"]) {
            _ = try $0.superDecoder(forKey: .a).singleValueContainer().decode(Kind.self)
        }
    }

    // MARK: - Associations

    @Test(arguments: [false, true]) func associatedRecords(isPublic: Bool) throws {
        struct Feed: Decodable, FetchableRecord, TableRecord {
            var id: Int
        }
        struct Item: Decodable, FetchableRecord, TableRecord {
            static let feed = belongsTo(Feed.self, using: ForeignKey(["secret"], to: ["id"]))
            var id: Int
            var a: Meta
        }
        struct ItemWithFeed: Decodable, FetchableRecord {
            var feed: Feed
            var item: Item
        }
        struct FeedWithItems: Decodable, FetchableRecord {
            var id: Int
            var items: [Item]
        }
        let items = Feed.hasMany(
            Item.self, key: "items", using: ForeignKey(["secret"], to: ["id"]))
        var config = TestDatabases.makeConfiguration()
        config.publicStatementArguments = isPublic
        try TestDatabases.makeQueue(.memory, config).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE feed (id INTEGER PRIMARY KEY);
                    CREATE TABLE item (id INTEGER PRIMARY KEY, a, secret);
                    INSERT INTO feed VALUES (7);
                    INSERT INTO item VALUES (1, '{}', 7);
                    """)
            let row = #"[id:1 a:"{}" secret:7"#
            for (body, expected) in [
                (
                    {
                        _ = try Item.including(required: Item.feed).asRequest(of: ItemWithFeed.self)
                            .fetchAll(db)
                    },
                    details(
                        row: isPublic ? row + " id:7]" : nil, arguments: isPublic ? "[]" : nil,
                        sql: """
                            SELECT "item".*, "feed".* FROM "item" \
                            JOIN "feed" ON "feed"."id" = "item"."secret"
                            """)
                ),
                (
                    {
                        _ = try Feed.including(all: items).asRequest(of: FeedWithItems.self)
                            .fetchAll(db)
                    },
                    details(
                        row: isPublic ? row + " grdb_secret:7]" : nil,
                        sql: """
                            SELECT *, "secret" AS "grdb_secret" FROM "item" \
                            WHERE "secret" = ?
                            """)
                ),
            ] as [(() throws -> Void, String)] {
                let error = try error(body)
                expectTrue(text(error).hasSuffix(" - " + expected), "\(text(error))")
                expectEqual(path(error)?.last, "a")
            }
        }
    }

    /// A key that is neither a column, nor a scope, nor a prefetched association
    @Test(arguments: [false, true]) func missingAssociations(isPublic: Bool) throws {
        struct Feed: Decodable, FetchableRecord {
            var names: [String]
        }
        struct Two: Decodable, FetchableRecord {
            struct Item: Decodable {
                var id: Int
            }
            var first: Item
            var second: Item
        }
        try withItem("x", isPublic: isPublic) { db in
            let sql = "SELECT * FROM item"
            let content =
                #"available scopes: ["left"], "#
                + (isPublic
                    ? #"row: [id:1 a:"x" secret:"secret"]"#
                    : #"available columns: ["id", "a", "secret"]"#)
                + #", sql: `\#(sql)`"#
            let adapter = ScopeAdapter(["left": RangeRowAdapter(0..<1)])
            let unkeyed = try error { _ = try Feed.fetchAll(db, sql: sql, adapter: adapter) }
            expectEqual(
                text(unkeyed),
                #"No column, no scope, and no prefetched rows for "names" - \#(content)"#)
            let claimed = try error { _ = try Two.fetchAll(db, sql: sql, adapter: adapter) }
            expectEqual(
                text(claimed),
                """
                No column, no scope, and no prefetched rows for first, nor for second: only one \
                of them can be decoded from the columns of the row itself - \(content)
                """)
        }
    }
}

extension String {
    fileprivate func suffix(after separator: String) -> Substring {
        guard let range = range(of: separator) else { return self[...] }
        return self[range.upperBound...]
    }
}
