import Foundation
import GRDB
import GRDBSchema
import GRDBTestSupport
import Testing

/// Record types, and tables that they don't fit.
@Suite(.databases) struct RecordProblemTests {
    private struct Team: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
    }

    private struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable {
        enum Level: String, Codable, CaseIterable { case beginner, master }
        struct Address: Codable, Equatable {
            var city: String
            var codes: [Int]
        }

        var id: Int64?
        var teamId: Int64?
        var name: String
        var score: Double
        var level: Level
        var address: Address
        var birth: Date?
        var price: Decimal
        var token: UUID
        var site: URL?
        var isActive: Bool
        var image: Data?
    }

    private static let fittingTable = """
        CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE player(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            teamId INTEGER REFERENCES team(id),
            name TEXT NOT NULL, score DOUBLE NOT NULL, level TEXT NOT NULL, address JSONTEXT NOT NULL,
            birth DATETIME, price TEXT NOT NULL, token BLOB NOT NULL UNIQUE, site TEXT,
            isActive BOOLEAN NOT NULL, image BLOB, remark TEXT, created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
            upper TEXT AS (upper(name)) NOT NULL);
        CREATE INDEX playerTeam ON player(teamId);
        """

    private func problems<Record: TableRecord>(
        of type: Record.Type, samples: [Record] = [], _ sql: String, kind: DatabaseKind = .queue
    ) throws -> [String] {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: sql) }
        // Reading is enough, and all that is allowed.
        return try writer.read { db in
            try db.problems(of: type, samples: samples).map { "\($0.kind) \($0)" }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func fittingTablesHaveNoProblems(kind: DatabaseKind) throws {
        expectEqual(try problems(of: Player.self, Self.fittingTable, kind: kind), [])
        expectEqual(try problems(of: Team.self, Self.fittingTable, kind: kind), [])
    }

    private struct Event: Codable, FetchableRecord, PersistableRecord {
        var rowid: Int64
        var message: String
    }

    @Test func recordsMayBeFoundByTheirRowID() throws {
        expectEqual(try problems(of: Event.self, "CREATE TABLE event(message TEXT NOT NULL)"), [])
    }

    @Test func missingTable() throws {
        expectEqual(
            try problems(of: Team.self, ""),
            ["missingColumn team: the table of Team does not exist"])
    }

    @Test func columns() throws {
        let sql = """
            CREATE TABLE team(
                ID INTEGER PRIMARY KEY, title TEXT NOT NULL, kind TEXT NOT NULL DEFAULT 'a',
                name TEXT AS (upper(title)))
            """
        expectEqual(
            try problems(of: Team.self, sql),
            [
                "missingColumn team(name): a generated column can't be written",
                "notNull team(title): the record has no such column, and there is no default value",
            ])
        expectEqual(
            try problems(of: Team.self, "CREATE TABLE team(id INTEGER PRIMARY KEY)"),
            ["missingColumn team(name): the table has no such column"])
    }

    @Test func columnsThatMayBeNull() throws {
        struct Note: Codable, FetchableRecord, PersistableRecord {
            var id: String?
            var text: String?
            var date: Date?
        }
        expectEqual(
            try problems(
                of: Note.self,
                "CREATE TABLE note(id TEXT PRIMARY KEY, text TEXT NOT NULL, date TEXT NOT NULL DEFAULT '')"
            ),
            [
                "notNull note(date): the record may leave the column NULL",
                "key note(id): the record may leave its primary key NULL",
                "notNull note(text): the record may leave the column NULL",
            ])
    }

    /// Each type of values in each type of columns: the message, or nil if the value comes back as it was.
    @Test func types() throws {
        struct Value<Content: Codable>: Codable, FetchableRecord, PersistableRecord {
            static var databaseTableName: String { "value" }
            var id: Int64
            var a: Content
        }
        func message<Content: Codable>(
            _ content: Content.Type, _ type: String, _ options: String = ""
        ) throws
            -> String?
        {
            let problems = try problems(
                of: Value<Content>.self,
                "CREATE TABLE value(id INTEGER PRIMARY KEY, a \(type)) \(options)")
            #expect(problems.count < 2)
            return problems.first
        }
        func changed(_ value: String, _ change: String, _ type: String) -> String {
            "type value(a): \(value) \(change) in a column of type \(type)"
        }
        for type in ["INTEGER", "BIGINT", "INT"] {
            expectEqual(try message(Int.self, type), nil)
            expectEqual(try message(Bool.self, type), nil)
            expectEqual(
                try message(Double.self, type),
                "type value(a): a real number does not belong in a column of type \(type)")
            expectEqual(
                try message(UUID.self, type),
                "type value(a): a blob does not belong in a column of type \(type)")
        }
        for type in ["NUMERIC", "DECIMAL(10, 2)", "DATETIME", "INTEGER", "REAL"] {
            expectEqual(try message(Date.self, type), nil)
            expectEqual(
                try message(Decimal.self, type),
                changed(
                    "the text '0.123456789012345678'",
                    "is stored as a number, rounded to 0.12345678901234568",
                    type.uppercased()))
            expectEqual(
                try message(String.self, type),
                changed("the text '1.50'", "is stored as a number, rounded to 1.5", type))
        }
        expectEqual(
            try message(Int.self, "REAL"),
            changed("an integer", "is stored as a real number, which has 53 bits", "REAL"))
        for type in ["TEXT", "VARCHAR(20)"] {
            expectEqual(
                try message(Int.self, type), changed("an integer", "is stored as text", type))
            expectEqual(
                try message(Double?.self, type), changed("a real number", "is stored as text", type)
            )
            for content in [
                String.self, Date.self, Decimal.self, URL.self, [Int].self, [String: Int].self,
            ]
                as [any Codable.Type]
            {
                expectEqual(try message(content, type), nil)
            }
        }
        for content in [
            String.self, Int.self, Double.self, Data.self, UUID.self, Decimal.self, Date.self,
        ]
            as [any Codable.Type]
        {
            expectEqual(try message(content, ""), nil)
            expectEqual(try message(content, "BLOB"), nil)
            expectEqual(try message(content, "ANY", "STRICT"), nil)
        }
        expectEqual(
            try message(String.self, "BLOB", "STRICT"),
            "type value(a): a column of type BLOB of a strict table rejects a text")
        expectEqual(
            try message(Date.self, "INTEGER", "STRICT"),
            "type value(a): a column of type INTEGER of a strict table rejects a text")
    }

    /// SQLite itself decides whether a value comes back as it was.
    @Test func typesAgreeWithSQLite() throws {
        struct Value<Content: Codable & Equatable>: Codable, FetchableRecord, PersistableRecord,
            Equatable
        {
            static var databaseTableName: String { "value" }
            var a: Content
        }
        func check<Content: Codable & Equatable>(
            _ content: Content, _ type: String, _ options: String
        ) throws {
            try TestDatabases.makeQueue().write { db in
                try db.execute(sql: "CREATE TABLE value(a \(type) PRIMARY KEY) \(options)")
                let value = Value(a: content)
                let fetched: Value<Content>?
                do {
                    try value.insert(db)
                    fetched = try Value<Content>.fetchOne(db)
                } catch {
                    fetched = nil
                }
                let problems = try db.problems(of: Value<Content>.self, samples: [value])
                if problems.isEmpty {
                    expectEqual(fetched, value, "\(content) \(type) \(options)")
                }
            }
        }
        for options in ["", "STRICT", "WITHOUT ROWID"] {
            for type in ["INTEGER", "INT", "REAL", "TEXT", "BLOB", "ANY", "NUMERIC", "DATE", ""]
            where options != "STRICT"
                || ["INTEGER", "INT", "REAL", "TEXT", "BLOB", "ANY"].contains(type)
            {
                try check(1, type, options)
                try check(0.1, type, options)
                try check("1.50", type, options)
                try check("text", type, options)
                try check(Data([0x31]), type, options)
                try check(Decimal(string: "0.123456789012345678")!, type, options)
                try check(Date(timeIntervalSince1970: 0.5), type, options)
                try check(true, type, options)
            }
        }
    }

    @Test func keys() throws {
        struct Message: Codable, FetchableRecord, PersistableRecord, Identifiable {
            var id: UUID
            var text: String
        }
        expectEqual(
            try problems(
                of: Message.self,
                "CREATE TABLE message(rowNumber INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, text TEXT NOT NULL)"
            ),
            [
                """
                key message(rowNumber): the record has no such column, so it can't be found by its primary \
                key, updated or deleted
                """
            ])
        expectEqual(
            try problems(of: Message.self, "CREATE TABLE message(id BLOB UNIQUE, text TEXT)"),
            ["key message: the table has no primary key, so records can't be updated or deleted"])
        expectEqual(
            try problems(
                of: Message.self, "CREATE TABLE message(id INTEGER PRIMARY KEY, text TEXT)"),
            ["type message(id): the rowid is an integer, and not a blob"])
    }

    // MARK: - Other record types

    @Test func samples() throws {
        struct Game: Codable, FetchableRecord, PersistableRecord {
            enum Result: String, Codable { case won, lost }
            var id: Int64
            var result: Result?
        }
        struct Plain: EncodableRecord, TableRecord {
            var values: [String: Int?]
            func encode(to container: inout PersistenceContainer) {
                for (column, value) in values { container[column] = value }
            }
        }
        let sql = "CREATE TABLE game(id INTEGER PRIMARY KEY, result TEXT NOT NULL)"
        expectEqual(
            try problems(of: Game.self, sql),
            [
                """
                unknownColumns game: the columns of Game are only known from samples, because the property \
                result has no sample value
                """
            ])
        expectEqual(try problems(of: Game.self, samples: [Game(id: 1, result: .won)], sql), [])
        expectEqual(
            try problems(
                of: Game.self, samples: [Game(id: 1, result: .won), Game(id: 1, result: nil)], sql),
            ["notNull game(result): the record may leave the column NULL"])
        let plainSQL = "CREATE TABLE plain(id INTEGER PRIMARY KEY, name TEXT)"
        expectEqual(
            try problems(of: Plain.self, plainSQL),
            [
                """
                unknownColumns plain: the columns of Plain are only known from samples, because the type is \
                not Decodable
                """
            ])
        expectEqual(
            try problems(
                of: Plain.self, samples: [Plain(values: ["id": nil, "name": 1])], plainSQL),
            ["type plain(name): an integer is stored as text in a column of type TEXT"])
    }

    /// Types that are only fetched don't store values, but need their columns.
    @Test func fetchedRecords() throws {
        struct Reading: Decodable, FetchableRecord, TableRecord {
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy
                .convertFromSnakeCase
            var playerName: String
            var teamName: String?
        }
        struct Nothing: TableRecord {
            static let databaseTableName = "reading"
        }
        let sql = "CREATE TABLE reading(player_name TEXT, other NOT NULL)"
        expectEqual(
            try problems(of: Reading.self, sql),
            ["missingColumn reading(teamName): the table has no such column"])
        expectEqual(try problems(of: Nothing.self, sql), [])
        expectEqual(
            try problems(
                of: Reading.self, "CREATE VIEW reading AS SELECT 1 AS player_name, 2 AS team_name"),
            [])
    }

    @Test func namesFollowTheStrategies() throws {
        struct Reading: Codable, FetchableRecord, PersistableRecord {
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy
                .convertFromSnakeCase
            static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy
                .convertToSnakeCase
            static func databaseUUIDEncodingStrategy(for column: String)
                -> DatabaseUUIDEncodingStrategy
            {
                .uppercaseString
            }
            var readingId: UUID
            var measuredAt: Date?
        }
        expectEqual(
            try problems(
                of: Reading.self,
                "CREATE TABLE reading(reading_id TEXT NOT NULL PRIMARY KEY, measured_at DATE)"),
            [])
    }

    @Test func virtualTablesHaveNoTypes() throws {
        struct Page: Codable, FetchableRecord, PersistableRecord {
            var title: String
            var number: Int
            var missing: Int
        }
        expectEqual(
            try problems(of: Page.self, "CREATE VIRTUAL TABLE page USING fts5(title, number)"),
            ["missingColumn page(missing): the table has no such column"])
    }

    @Test func severalTypes() throws {
        struct TeamName: Codable, FetchableRecord, TableRecord {
            static let databaseTableName = "team"
            var name: String
            var motto: String
        }
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: Self.fittingTable)
            try db.execute(
                sql: "CREATE INDEX teamName ON team(name); CREATE INDEX teamName2 ON team(name, id)"
            )
        }
        let problems = try dbQueue.read {
            try $0.problems(of: [Player.self, Team.self, TeamName.self])
        }
        expectEqual(problems.map(\.kind), [.redundantIndex, .missingColumn])
        expectEqual(problems.map(\.columns), [["name"], ["motto"]])
        expectEqual(problems.map(\.table), ["team", "team"])
    }
}
