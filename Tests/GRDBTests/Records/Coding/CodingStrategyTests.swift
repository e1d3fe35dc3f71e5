import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct CodingStrategyTests {
    // MARK: - Columns

    private struct SnakeRecord: Codable, FetchableRecord, EncodableRecord, Equatable {
        static let databaseColumnDecodingStrategy =
            DatabaseColumnDecodingStrategy.convertFromSnakeCase
        static let databaseColumnEncodingStrategy =
            DatabaseColumnEncodingStrategy.convertToSnakeCase

        var playerId: Int
        var fooBarBaz: String?
        var _hidden: [Int]
    }

    @Test func snakeCase() throws {
        let record = SnakeRecord(playerId: 1, fooBarBaz: "a", _hidden: [2])
        let dictionary = try record.databaseDictionary
        expectEqual(
            dictionary,
            [
                "player_id": 1.databaseValue, "foo_bar_baz": "a".databaseValue,
                "_hidden": "[2]".databaseValue,
            ])
        try expectEqual(SnakeRecord(row: Row(dictionary)), record)
        try TestDatabases.makeQueue().read { db in
            let sql = "SELECT 'a' AS foo_bar_baz, 1 AS player_id, '[2]' AS _hidden"
            let records = try SnakeRecord.fetchAll(db, sql: "\(sql) UNION ALL \(sql)")
            expectEqual(records, [record, record])
            expectError(
                """
                could not decode Int from database value NULL - column: "player_id", \
                column index: 0, sql: `SELECT NULL AS player_id`
                """
            ) {
                try SnakeRecord.fetchOne(db, sql: "SELECT NULL AS player_id")
            }
        }
    }

    @Test func customColumns() throws {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { return nil }
        }
        struct Record: Codable, FetchableRecord, EncodableRecord, Equatable {
            static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
                .custom { Key(stringValue: String($0.dropFirst(2))) }
            }
            static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
                .custom { "p_" + $0.stringValue }
            }
            var a: Int
            var b: Date?
        }
        let record = Record(a: 1, b: Date(timeIntervalSince1970: 0))
        let dictionary = try record.databaseDictionary
        expectEqual(Set(dictionary.keys), ["p_a", "p_b"])
        try expectEqual(Record(row: Row(dictionary)), record)
    }

    @Test(arguments: [
        ("a", "a"), ("ab", "ab"), ("aB", "a_b"), ("playerID", "player_id"),
        ("httpURLPath", "http_url_path"), ("_aB", "_a_b"), ("URL", "u_rl"), ("ID", "i_d"),
        ("URLString", "u_rl_string"), ("HTTPServer2", "h_ttp_server2"), ("A1B", "a1_b"),
        ("_URL", "__url"), ("x_Y", "x__y"), ("aB1C", "a_b1c"), ("ab1C", "ab1_c"), ("", ""),
    ])
    func snakeCaseOfKeys(key: String, column: String) {
        expectEqual(SnakeCase.snakeCased(key), column)
    }

    @Test(arguments: [
        ("a", "a"), ("a_b", "aB"), ("player_id", "playerId"), ("__a_b_", "__aB_"), ("_", "_"),
        ("", ""), ("A_B", "aB"), ("a_BC", "aBc"), ("a__b", "aB"), ("a_1b", "a1B"), ("FOO", "FOO"),
    ])
    func camelCaseOfColumns(column: String, key: String) {
        expectEqual(SnakeCase.camelCased(column), key)
    }

    @Test func snakeCaseIsThatOfFoundation() throws {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { return nil }
        }
        /// Encodes, and decodes, one key.
        struct Probe: Codable {
            var name: String

            init(_ name: String) { self.name = name }

            init(from decoder: any Decoder) throws {
                name = try unwrap(
                    decoder.container(keyedBy: Key.self).allKeys.first?.stringValue)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: Key(stringValue: name))
            }
        }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let letters: [Character] = [
            "a", "b", "c", "A", "B", "C", "_", "_", "1", "2", ".", "-", " ", "é", "É", "e\u{301}",
            "E\u{301}", "ß", "ǅ", "İ", "Ⓐ", "ⅷ", "ª", "ﬁ", "日",
        ]
        var random = SplitMix64(seed: 5)
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...9, using: &random)
            // Half of the names are made of common letters.
            let choice = Bool.random(using: &random) ? letters[0..<9] : letters[...]
            let name = String((0..<count).map { _ in choice.randomElement(using: &random)! })
            let json = String(decoding: try encoder.encode(Probe(name)), as: UTF8.self)
            expectEqual("{\"\(SnakeCase.snakeCased(name))\":1}", json, "\(name)")
            let key = try decoder.decode(Probe.self, from: JSONEncoder().encode([name: 1])).name
            expectEqual(SnakeCase.camelCased(name), key, "\(name)")
        }
    }

    // MARK: - Dates

    @Test func dateEncoding() throws {
        let date = Date(timeIntervalSince1970: -1.5)
        func encoded(_ strategy: DatabaseDateEncodingStrategy) throws -> DatabaseValue.Storage {
            try strategy.encode(date).storage
        }
        try expectEqual(encoded(.deferredToDate), .string("1969-12-31 23:59:58.500"))
        try expectEqual(encoded(.timeIntervalSinceReferenceDate), .double(-978_307_201.5))
        try expectEqual(encoded(.timeIntervalSince1970), .double(-1.5))
        try expectEqual(encoded(.secondsSince1970), .int64(-2))
        try expectEqual(encoded(.millisecondsSince1970), .int64(-1_500))
        try expectEqual(encoded(.iso8601), .string("1969-12-31T23:59:58Z"))
        try expectEqual(encoded(.custom { _ in nil }), .null)
        try expectEqual(encoded(.custom { _ in "a" }), .string("a"))
    }

    @Test func datesOutOfRangeAreErrors() {
        for date in [Date(timeIntervalSince1970: 1e300), Date(timeIntervalSince1970: .nan)] {
            for strategy in [DatabaseDateEncodingStrategy.millisecondsSince1970, .iso8601] {
                expectError(EncodingError.self) { try strategy.encode(date) }
            }
        }
    }

    @Test func dateDecoding() {
        func decoded(
            _ strategy: DatabaseDateDecodingStrategy, _ value: some DatabaseValueConvertible
        ) -> Double? {
            strategy.date(value.databaseValue)?.timeIntervalSince1970
        }
        expectEqual(decoded(.timeIntervalSince1970, 1.5), 1.5)
        expectEqual(decoded(.millisecondsSince1970, 1_500), 1.5)
        expectEqual(decoded(.timeIntervalSinceReferenceDate, 1), 978_307_201)
        expectEqual(decoded(.iso8601, "2001-01-01T00:00:00Z"), 978_307_200)
        expectEqual(decoded(.iso8601, "2001-01-01T00:00:00+01:00"), 978_303_600)
        expectEqual(decoded(.iso8601, "2001-02-30T00:00:00Z"), nil)
        expectEqual(decoded(.iso8601, "2001-01-01T00:00:00.5Z"), nil)
        expectEqual(decoded(.iso8601, "10000-01-01T00:00:00Z"), 253_402_300_800)
        expectEqual(decoded(.iso8601, "foo"), nil)
        expectEqual(decoded(.timeIntervalSince1970, "foo"), nil)
        expectEqual(decoded(.custom { _ in nil }, 1), nil)
    }

    @Test func iso8601IsThatOfFoundation() {
        let formatter = ISO8601DateFormatter()
        var random = SplitMix64(seed: 3)
        for _ in 0..<1_000 {
            // From year 1600 to 2400
            let seconds =
                Double(
                    Int64.random(in: -11_000_000_000_000...13_000_000_000_000, using: &random))
                / 1_000
            let text = ISO8601Text.text(secondsSince1970: seconds.rounded(.down))
            expectEqual(
                text,
                formatter.string(from: Date(timeIntervalSince1970: seconds.rounded(.down))))
            expectEqual(
                DatabaseDateDecodingStrategy.iso8601.date(text!.databaseValue),
                Date(timeIntervalSince1970: seconds.rounded(.down)))
        }
    }

    private struct DateRecord: Codable, FetchableRecord, EncodableRecord, Equatable {
        var milliseconds: Date
        var seconds: Date?

        static func databaseDateDecodingStrategy(
            for column: String
        ) -> DatabaseDateDecodingStrategy {
            column == "seconds" ? .timeIntervalSince1970 : .millisecondsSince1970
        }

        static func databaseDateEncodingStrategy(
            for column: String
        ) -> DatabaseDateEncodingStrategy {
            column == "seconds" ? .secondsSince1970 : .millisecondsSince1970
        }
    }

    @Test func strategiesDependOnTheColumn() throws {
        let record = DateRecord(
            milliseconds: Date(timeIntervalSince1970: 1), seconds: Date(timeIntervalSince1970: 2))
        let dictionary = try record.databaseDictionary
        expectEqual(dictionary, ["milliseconds": 1_000.databaseValue, "seconds": 2.databaseValue])
        try expectEqual(DateRecord(row: Row(dictionary)), record)
        try expectEqual(DateRecord(row: ["milliseconds": 0]).seconds, nil)
        expectError(
            """
            could not decode Date from database value "foo" - column: "milliseconds", \
            column index: 0, row: [milliseconds:"foo"]
            """
        ) {
            try DateRecord(row: ["milliseconds": "foo"])
        }
    }

    @Test func strategiesOfTheColumnAreNotAskedForDatesInJSON() throws {
        struct Trip: Codable {
            var start: Date
            var ends: [Date]
        }
        struct Record: Encodable, EncodableRecord {
            nonisolated(unsafe) static var columns: [String] = []
            var date: Date
            var trip: Trip
            var dates: [Date]

            static func databaseDateEncodingStrategy(
                for column: String
            ) -> DatabaseDateEncodingStrategy {
                .custom {
                    columns.append(column)
                    return $0.timeIntervalSince1970
                }
            }
        }
        let date = Date(timeIntervalSince1970: 1)
        let record = Record(date: date, trip: Trip(start: date, ends: [date]), dates: [date])
        try expectEqual(
            record.databaseDictionary,
            [
                "date": 1.0.databaseValue, "trip": #"{"ends":[1000],"start":1000}"#.databaseValue,
                "dates": "[1000]".databaseValue,
            ])
        expectEqual(Record.columns, ["date"])
    }

    @Test func customStrategiesAreNotAskedForNilProperties() throws {
        struct Record: Decodable, FetchableRecord {
            var date: Date?
            var data: Data?

            static func databaseDateDecodingStrategy(
                for column: String
            ) -> DatabaseDateDecodingStrategy {
                .custom { Date(timeIntervalSince1970: Double.fromDatabaseValue($0) ?? 0) }
            }

            static func databaseDataDecodingStrategy(
                for column: String
            ) -> DatabaseDataDecodingStrategy {
                .custom { Data.fromDatabaseValue($0) ?? Data([9]) }
            }
        }
        struct Strict: Decodable, FetchableRecord {
            var data: Data

            static func databaseDataDecodingStrategy(
                for column: String
            ) -> DatabaseDataDecodingStrategy {
                Record.databaseDataDecodingStrategy(for: column)
            }
        }
        try TestDatabases.makeQueue().read { db in
            let sql = "SELECT NULL AS date, NULL AS data UNION ALL SELECT 1, x'01'"
            let records = try Record.fetchAll(db, sql: sql)
            expectEqual(records.map(\.date), [nil, Date(timeIntervalSince1970: 1)])
            expectEqual(records.map(\.data), [nil, Data([1])])
            let rows = try Row.fetchAll(db, sql: sql)
            try expectEqual(rows.map { try Record(row: $0).data }, [nil, Data([1])])
            try expectEqual(rows.map { try Strict(row: $0).data }, [Data([9]), Data([1])])
        }
    }

    // MARK: - Data and UUIDs

    private struct BytesRecord: Codable, FetchableRecord, EncodableRecord, Equatable {
        var data: Data
        var lower: UUID
        var upper: UUID?

        static func databaseDataEncodingStrategy(
            for column: String
        ) -> DatabaseDataEncodingStrategy { .text }

        static func databaseUUIDEncodingStrategy(
            for column: String
        ) -> DatabaseUUIDEncodingStrategy {
            column == "lower" ? .lowercaseString : .uppercaseString
        }
    }

    @Test func dataAndUUIDs() throws {
        let uuid = try unwrap(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let record = BytesRecord(data: Data("é".utf8), lower: uuid, upper: uuid)
        let dictionary = try record.databaseDictionary
        expectEqual(
            dictionary,
            [
                "data": "é".databaseValue, "lower": uuid.uuidString.lowercased().databaseValue,
                "upper": uuid.uuidString.databaseValue,
            ])
        try expectEqual(BytesRecord(row: Row(dictionary)), record)
        expectError(EncodingError.self) {
            try BytesRecord(data: Data([0xff]), lower: uuid).databaseDictionary
        }
    }

    // MARK: - User info and JSON

    private struct ContextRecord: Codable, FetchableRecord, EncodableRecord {
        struct Inner: Codable {
            var context: String?
            var date = Date(timeIntervalSince1970: 1)
            enum CodingKeys: CodingKey { case context, date }

            init() {}

            init(from decoder: any Decoder) throws {
                context = decoder.userInfo[.context] as? String
                let container = try decoder.container(keyedBy: CodingKeys.self)
                date = try container.decode(Date.self, forKey: .date)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                let context = encoder.userInfo[.context] as? String
                try container.encode(context, forKey: .context)
                try container.encode(date, forKey: .date)
            }
        }

        static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [.context: "decoding"] }
        static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [.context: "encoding"] }

        var inner = Inner()
        var inners = [Inner()]

        static func databaseJSONDecoder(for column: String) -> JSONDecoder {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .secondsSince1970
            decoder.userInfo = [.context: "decoding \(column)"]
            return decoder
        }
    }

    @Test func userInfoReachesJSON() throws {
        let dictionary = try ContextRecord().databaseDictionary
        expectEqual(dictionary["inner"], #"{"context":"encoding","date":1000}"#.databaseValue)
        expectEqual(dictionary["inners"], #"[{"context":"encoding","date":1000}]"#.databaseValue)
        let record = try ContextRecord(row: Row(dictionary))
        expectEqual(record.inner.context, "decoding inner")
        expectEqual(record.inners.map(\.context), ["decoding inners"])
        expectEqual(record.inner.date, Date(timeIntervalSince1970: 1_000))
    }

    // MARK: - Prefetched rows

    @Test func prefetchedRowsAreDecodedAsCollections() throws {
        struct Book: Codable, FetchableRecord, Hashable {
            var title: String
        }
        struct Chapter: Decodable, Equatable {
            var page: Int
        }
        struct Author: Decodable, FetchableRecord {
            var name: String
            var books: [Book]
            var set: Set<Book>?
            var chapters: [Chapter]
            var missing: [Book]?

            enum CodingKeys: String, CodingKey {
                case name, books, chapters, missing
                case set = "books2"
            }
        }
        try TestDatabases.makeQueue().read { db in
            let row = try unwrap(Row.fetchOne(db, sql: "SELECT 'A' AS name"))
            let books = try Row.fetchAll(db, sql: "SELECT 'x' AS title UNION ALL SELECT 'y'")
            let chapters = try Row.fetchAll(db, sql: "SELECT 1 AS page UNION ALL SELECT 2")
            row.setPrefetches(
                Row.PrefetchedRowsView(entries: [
                    .init(path: [], key: "books", rows: RowGroup(rows: books)),
                    .init(path: [], key: "books2", rows: RowGroup(rows: books)),
                    .init(path: [], key: "chapters", rows: RowGroup(rows: chapters)),
                ]))
            let author = try Author(row: row)
            expectEqual(author.books, [Book(title: "x"), Book(title: "y")])
            expectEqual(author.set, [Book(title: "x"), Book(title: "y")])
            expectEqual(author.chapters, [Chapter(page: 1), Chapter(page: 2)])
            expectEqual(author.missing, nil)
        }
    }
}

extension CodingUserInfoKey {
    fileprivate static let context = CodingUserInfoKey(rawValue: "context")!
}
