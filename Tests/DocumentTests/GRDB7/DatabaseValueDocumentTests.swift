import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// The snippets of the pages "DatabaseValue", "DatabaseValueConvertible" and
/// "StatementColumnConvertible".
@Suite(.databases) struct DatabaseValueDocumentTests {
    // MARK: - DatabaseValue

    @Test func databaseValues() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: "CREATE TABLE player (name TEXT); INSERT INTO player VALUES ('Arthur')")
        }

        try dbQueue.read { db in
            let dbValue = try DatabaseValue.fetchOne(
                db,
                sql: """
                    SELECT name FROM player
                    """)
            expectEqual(dbValue, "Arthur".databaseValue)
        }

        try dbQueue.read { db in
            if let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT name FROM player
                    """)
            {
                let dbValue = row[0] as DatabaseValue
                expectEqual(dbValue, "Arthur".databaseValue)
            } else {
                Issue.record("no row")
            }
        }

        expectTrue(DatabaseValue.null.isNull)
        expectEqual(1.databaseValue.storage, .int64(1))
        expectEqual("Arthur".databaseValue.storage, .string("Arthur"))
        expectEqual(
            Date(timeIntervalSince1970: 0).databaseValue.storage,
            .string("1970-01-01 00:00:00.000"))
    }

    // MARK: - DatabaseValueConvertible

    struct EvenInteger {
        let value: Int  // Guaranteed even

        init?(_ value: Int) {
            guard value.isMultiple(of: 2) else {
                return nil  // Not an even number
            }
            self.value = value
        }
    }

    @Test func customValues() throws {
        try TestDatabases.makeQueue().write { db in
            try expectEqual(
                EvenInteger.fetchOne(db, sql: "SELECT ?", arguments: [EvenInteger(4)])?.value,
                4)
            try expectEqual(EvenInteger?.fetchAll(db, sql: "SELECT NULL").map { $0?.value }, [nil])
            let row = try unwrap(Row.fetchOne(db, sql: "SELECT 6 AS a, 7 AS b, 'x' AS c"))
            expectEqual((row["a"] as EvenInteger).value, 6)
            expectError(RowDecodingError.self) {
                try row.decode(EvenInteger.self, forColumn: "b")
            }
            expectError(RowDecodingError.self) {
                try row.decode(EvenInteger.self, forColumn: "c")
            }
        }
    }

    enum Grape: String {
        case chardonnay, merlot, riesling
    }

    @Test func rawRepresentables() throws {
        try TestDatabases.makeQueue().write { db in
            try expectEqual(
                Row.fetchOne(db, sql: "SELECT ? AS grape", arguments: [Grape.merlot]),
                ["grape": "merlot"])
            try expectEqual(Grape.fetchOne(db, sql: "SELECT 'riesling'"), .riesling)
        }
    }

    struct Color: Codable {
        var red: Double
        var green: Double
        var blue: Double
    }

    @Test func codables() throws {
        try TestDatabases.makeQueue().write { db in
            let color = Color(red: 1, green: 0.5, blue: 0)
            let json = try String.fetchOne(db, sql: "SELECT ?", arguments: [color])
            expectEqual(json, #"{"blue":0,"green":0.5,"red":1}"#)
            let fetched = try Color.fetchOne(db, sql: "SELECT ?", arguments: [json])
            expectEqual(fetched?.green, 0.5)
            expectError(RowDecodingError.self) { try Color.fetchOne(db, sql: "SELECT '{}'") }
        }
    }

    /// As in the Tagged library.
    struct Tagged<Tag, RawValue>: RawRepresentable {
        var rawValue: RawValue
    }

    struct Player: Identifiable {
        typealias ID = Tagged<Self, String>
        var id: ID
    }

    @Test func taggedValues() throws {
        try TestDatabases.makeQueue().write { db in
            let id = Player.ID(rawValue: "a")
            let rows = try Row.fetchCursor(db, sql: "SELECT ? AS id", arguments: [id])
            let row = try unwrap(rows.next())
            let live: Player.ID = row["id"]
            let copied: Player.ID = row.copy()["id"]
            expectEqual(live.rawValue, "a")
            expectEqual(copied.rawValue, "a")
            let request: SQLRequest<Bool> = "SELECT 'a' = \(id)"
            try expectEqual(request.fetchOne(db), true)
            try expectEqual(Player.ID.fetchOne(db, sql: "SELECT 'b'")?.rawValue, "b")
            let statement = try db.makeStatement(sql: "SELECT ?")
            try statement.execute(values: id)
        }
    }

    // MARK: - StatementColumnConvertible

    @Test func optimizedValues() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (score INTEGER, name TEXT);
                    INSERT INTO player VALUES (2, 'Arthur'), (4, 'Barbara');
                    """)
            // Optimized
            let scores = try Int.fetchAll(db, sql: "SELECT score FROM player")
            expectEqual(scores, [2, 4])

            var players: [String] = []
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
            while let row = try rows.next() {
                // Optimized
                let int: Int = row[0]
                let name: String = row[1]
                let even: EvenInteger = row[0]
                players.append("\(int) \(name) \(even.value)")
            }
            expectEqual(players, ["2 Arthur 2", "4 Barbara 4"])
        }
    }
}

extension DatabaseValueDocumentTests.EvenInteger: DatabaseValueConvertible {
    var databaseValue: DatabaseValue {
        value.databaseValue
    }

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        guard let value = Int.fromDatabaseValue(dbValue) else {
            return nil  // Not an integer
        }
        return Self(value)  // Nil if not even
    }
}

extension DatabaseValueDocumentTests.EvenInteger: StatementColumnConvertible {
    init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let int64 = sqlite3_column_int64(sqliteStatement, index)
        guard let value = Int(exactly: int64) else {
            return nil  // Does not fit Int (probably a 32-bit architecture)
        }
        self.init(value)  // Nil if not even
    }
}

// Encodes and decodes `Grape` as a string in the database:
extension DatabaseValueDocumentTests.Grape: DatabaseValueConvertible {}

// Encodes and decodes `Color` as a JSON object in the database:
extension DatabaseValueDocumentTests.Color: DatabaseValueConvertible {}

extension DatabaseValueDocumentTests.Tagged: Equatable where RawValue: Equatable {}
extension DatabaseValueDocumentTests.Tagged: Hashable where RawValue: Hashable {}

// Add database support to Tagged values
extension DatabaseValueDocumentTests.Tagged: SQLExpressible where RawValue: SQLExpressible {}
extension DatabaseValueDocumentTests.Tagged: StatementBinding where RawValue: StatementBinding {}
extension DatabaseValueDocumentTests.Tagged: StatementColumnConvertible
where RawValue: StatementColumnConvertible {}
extension DatabaseValueDocumentTests.Tagged: DatabaseValueConvertible
where RawValue: DatabaseValueConvertible {}
