import GRDB
import GRDBQueries
import GRDBTestSupport
import Testing

/// Tables with columns that hide names of the rowid.
@Suite(.databases) struct HiddenRowIDTests {
    private struct Keyed: Codable, MutablePersistableRecord, FetchableRecord, Equatable {
        static let databaseTableName = "keyed"
        var id: Int64?
        var rowid: String
        var v = 0

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    private struct Plain: Codable, MutablePersistableRecord, FetchableRecord, Equatable {
        static var databaseTableName: String { "plain" }
        var rowid: String
        var v: Int
        var insertedID: Int64?
        enum CodingKeys: CodingKey { case rowid, v }

        mutating func didInsert(_ inserted: InsertionSuccess) { insertedID = inserted.rowID }
    }

    /// All names of the rowid are taken, and there is no alias.
    private struct Unnamed: Codable, MutablePersistableRecord {
        static let databaseTableName = "unnamed"
        var rowid: String
        var oid = "oid"
        var _rowid_ = "_rowid_"
        var insertedID: Int64?
        enum CodingKeys: CodingKey { case rowid, oid, _rowid_ }

        mutating func didInsert(_ inserted: InsertionSuccess) { insertedID = inserted.rowID }
    }

    private func write(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE keyed(id INTEGER PRIMARY KEY, rowid TEXT UNIQUE, v INTEGER);
                    CREATE TABLE plain(RowID TEXT UNIQUE, v INTEGER);
                    CREATE TABLE aliased(
                        id INTEGER PRIMARY KEY, rowid UNIQUE, oid, _rowid_, v INTEGER);
                    CREATE TABLE unnamed(rowid TEXT UNIQUE, oid, _rowid_);
                    """)
            try body(db)
        }
    }

    @Test func upserts() throws {
        try write { db in
            for (id, text) in [(1, "a"), (2, "7"), (1, "a"), (2, "7")] as [(Int64, String)] {
                var record = Keyed(rowid: text)
                try record.upsert(db)
                expectEqual(record, Keyed(id: id, rowid: text))
                record = Keyed(rowid: text)
                try expectEqual(
                    record.upsertAndFetch(db, onConflict: ["rowid"]),
                    Keyed(id: id, rowid: text))
                expectEqual(record.id, id)
                var plain = Plain(rowid: text, v: 1)
                try plain.upsert(db)
                expectEqual(plain.insertedID, id)
            }
            try expectEqual(Keyed.fetchCount(db), 2)
            var unnamed = Unnamed(rowid: "a")
            try unnamed.upsert(db)
            expectEqual(unnamed.insertedID, 1)
            try unnamed.upsert(db)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM unnamed"), 1)
        }
    }

    @Test func insertionsOfManyRecords() throws {
        try write { db in
            var records = [Keyed(rowid: "a"), Keyed(rowid: "7"), Keyed(rowid: "b")]
            try Keyed.insertMany(db, &records)
            expectEqual(records.map(\.id), [1, 2, 3])
            var plains = [Plain(rowid: "a", v: 1), Plain(rowid: "7", v: 2)]
            try expectEqual(
                Plain.insertManyAndFetch(db, &plains, as: Plain.self).map(\.rowid),
                ["a", "7"])
            expectEqual(plains.map(\.insertedID), [1, 2])
            var others = [Unnamed(rowid: "a"), Unnamed(rowid: "7")]
            try Unnamed.insertMany(db, &others)
            expectEqual(others.map(\.insertedID), [1, 2])
        }
    }

    @Test func upsertsWithoutRecord() throws {
        try write { db in
            for table in ["keyed", "plain", "aliased"] {
                for (id, text) in [(1, "a"), (2, "7"), (1, "a"), (2, "7")] as [(Int64, String)] {
                    let rowID = try Table(table).upsert(
                        db, [Column("rowid").set(to: text), Column("v").set(to: 1)],
                        onConflict: ["rowid"])
                    expectEqual(rowID, id)
                }
            }
            // Statements can't tell this one.
            try expectEqual(Table("unnamed").upsert(db, [Column("rowid").set(to: "a")]), 0)
        }
    }
}
