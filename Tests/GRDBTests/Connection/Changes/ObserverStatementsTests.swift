import GRDB
import GRDBTestSupport
import Testing

/// The statements of observers do not change what the writer reads after its own statement.
@Suite(.databases) struct ObserverStatementsTests {
    /// Inserts rows into a log after each transaction, and deletes nothing.
    private final class Logger: TransactionObserver {
        private var isLogging = false

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            eventKind.tableName != "log"
        }

        func databaseDidChange(with event: DatabaseEvent) {}

        func databaseDidCommit(_ db: Database) {
            if isLogging { return }
            isLogging = true
            defer { isLogging = false }
            try? db.execute(
                sql: """
                    INSERT INTO log (text) VALUES ('a'), ('b'), ('c');
                    UPDATE log SET text = 'd';
                    DELETE FROM log WHERE id = -1;
                    """)
        }

        func databaseDidRollback(_ db: Database) {}
    }

    private struct Item: Codable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var name: String

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE item (id INTEGER PRIMARY KEY, name UNIQUE);
                    CREATE TABLE log (id INTEGER PRIMARY KEY AUTOINCREMENT, text);
                    INSERT INTO log VALUES (1000, 'a');
                    CREATE VIEW itemView AS SELECT * FROM item;
                    CREATE TRIGGER updateView INSTEAD OF UPDATE ON itemView BEGIN
                        UPDATE item SET name = new.name WHERE id = new.id;
                    END;
                    """)
        }
        dbQueue.add(transactionObserver: Logger(), extent: .databaseLifetime)
    }

    @Test func rowIDsOfInsertedRecords() throws {
        try dbQueue.writeWithoutTransaction { db in
            var ids: [Int64?] = []
            for number in 1...3 {
                var item = Item(id: nil, name: "\(number)")
                try item.insert(db)
                ids.append(item.id)
                ids.append(db.lastInsertedRowID)
            }
            var item = Item(id: nil, name: "4")
            try ids.append(item.insertAndFetch(db, as: Item.self).id)
            ids.append(item.id)
            item = Item(id: nil, name: "5")
            try item.save(db)
            ids.append(item.id)
            item = Item(id: nil, name: "6")
            try item.upsert(db)
            ids.append(item.id)
            try db.execute(sql: "INSERT INTO item (name) VALUES ('7')")
            ids.append(db.lastInsertedRowID)
            expectEqual(ids, [1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7])
        }
    }

    @Test func changeCounts() throws {
        try dbQueue.writeWithoutTransaction { db in
            var item = Item(id: nil, name: "a")
            try item.insert(db)
            item.name = "b"
            try item.update(db)
            var counts = [db.changesCount]
            try counts.append(Item.updateAll(db, Column("name").set(to: "c")))
            try db.execute(sql: "UPDATE item SET name = 'd'")
            counts.append(db.changesCount)
            try counts.append(Item.deleteAll(db))
            try counts.append(item.delete(db) ? 1 : 0)
            expectEqual(counts, [1, 1, 1, 1, 0])
            expectError(RecordError.self) { try item.update(db) }
            try expectEqual(Table("itemView").updateAll(db, Column("name").set(to: "a")), 0)
            try item.insert(db)
            try expectEqual(Table("itemView").updateAll(db, Column("name").set(to: "f")), 1)
        }
    }

    @Test func countsAfterCommit() throws {
        try dbQueue.inDatabase { db in
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO item (name) VALUES ('a'), ('b')")
                return .commit
            }
            expectEqual([Int64(db.changesCount), db.lastInsertedRowID], [2, 2])
        }
    }
}
