import GRDB
import GRDBTestSupport
import Testing

/// The rows that go with others are told, whenever foreign keys were enabled.
@Suite(.databases) struct CascadeObservationTests {
    private struct Author: TableRecord, MutablePersistableRecord, Codable {
        var id: Int
    }

    private func makeQueue() throws -> (DatabaseQueue, TransactionRecorder) {
        let dbQueue = try TestDatabases.makeQueue()
        let recorder = TransactionRecorder()
        recorder.filter = { $0.tableName == "book" }
        dbQueue.add(transactionObserver: recorder, extent: .databaseLifetime)
        return (dbQueue, recorder)
    }

    private let schema = """
        CREATE TABLE author(id INTEGER PRIMARY KEY);
        CREATE TABLE book(
            id INTEGER PRIMARY KEY, authorId REFERENCES author(id) ON DELETE CASCADE);
        """

    private let rows = """
        INSERT INTO author VALUES (1), (2), (3), (4);
        INSERT INTO book VALUES (1, 1), (2, 2), (3, 3), (4, 4);
        """

    /// Deletes by all kinds of statements, which are kept.
    private func delete(_ db: Database, _ id: Int) throws {
        switch id % 4 {
        case 0: _ = try Author.deleteOne(db, key: id)
        case 1: _ = try Author(id: id).delete(db)
        case 2: _ = try Author.filter(Column("id") == id).deleteAll(db)
        default: try db.execute(sql: "DELETE FROM author WHERE id = ?", arguments: [id])
        }
    }

    @Test func afterAMigrationOfData() throws {
        let (dbQueue, recorder) = try makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { try $0.execute(sql: schema) }
        migrator.registerMigration("v2") { db in
            try db.execute(sql: rows)
            for id in 96...99 { try delete(db, id) }
        }
        try migrator.migrate(dbQueue)
        _ = recorder.lines()
        try dbQueue.write { db in
            for id in 1...4 { try delete(db, id) }
        }
        expectEqual(
            recorder.lines(),
            [
                "didChange delete main.book 1", "didChange delete main.book 2",
                "didChange delete main.book 3", "didChange delete main.book 4",
                "willCommit", "didCommit",
            ])
    }

    @Test func afterAPragma() throws {
        let (dbQueue, recorder) = try makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: schema + rows)
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            for id in 96...99 { try delete(db, id) }
            try db.execute(sql: "PRAGMA foreign_keys = ON")
        }
        _ = recorder.lines()
        try dbQueue.write { db in
            for id in 1...4 { try delete(db, id) }
        }
        expectEqual(recorder.lines().filter { $0.hasPrefix("didChange delete") }.count, 4)
    }

    @Test func triggersOfReplacedRows() throws {
        let (dbQueue, recorder) = try makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: schema + """
                    CREATE TRIGGER replaced AFTER DELETE ON author
                    BEGIN INSERT INTO book(id) VALUES (OLD.id); END;
                    """)
            let sql = "REPLACE INTO author VALUES (1)"
            try db.execute(sql: sql)
            try db.execute(sql: sql)
            expectTrue(!recorder.lines().contains("didChange insert main.book 1"))
            try db.execute(sql: "PRAGMA recursive_triggers = ON")
            try db.execute(sql: sql)
            expectTrue(recorder.lines().contains("didChange insert main.book 1"))
        }
    }
}
