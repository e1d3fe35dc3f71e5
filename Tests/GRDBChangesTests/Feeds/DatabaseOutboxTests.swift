import GRDBServer
@testable import GRDBChanges
import Foundation
import GRDB
import GRDBSchema
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseOutboxTests {
    private struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int64
        var name: String
        var score: Int?
    }

    private func makeWriter(
        _ kind: DatabaseKind = .pool, limit: DatabaseOutbox.Limit = .none
    ) throws -> (any DatabaseWriter, DatabaseOutbox) {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER);
                    CREATE TABLE other(a)
                    """)
        }
        return (writer, try writer.outbox(named: "test", tables: ["player"], limit: limit))
    }

    private func texts(_ writer: any DatabaseWriter, _ outbox: DatabaseOutbox) throws -> [String] {
        try writer.read { db in
            try outbox.pendingEntries(db, limit: 1000).map { entry in
                func text(_ row: Row?) -> String {
                    row.map { $0.map { "\($1)" }.joined(separator: ",") } ?? "-"
                }
                return "\(entry.kind) \(text(entry.oldRow)) \(text(entry.newRow))"
            }
        }
    }

    /// The trap of `scripts/run-trust faults`, in `outbox` with `short-read`.
    @Test(arguments: ["date = 'no date'", "kind = 'none'"])
    func damagedEntriesThrow(assignment: String) throws {
        let (writer, outbox) = try makeWriter()
        try writer.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 10)") }
        try writer.write { try $0.execute(sql: "UPDATE grdb_outbox_test SET \(assignment)") }
        expectError((any Error).self) {
            try writer.read { _ = try outbox.pendingEntries($0) }
        }
    }

    // MARK: - Recording

    @Test(arguments: DatabaseKind.allCases)
    func changesAreRecordedInOrder(kind: DatabaseKind) throws {
        let (writer, outbox) = try makeWriter(kind)
        try writer.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 10), (2, 'Bob', NULL)")
            try db.execute(sql: "INSERT INTO other VALUES (1)")
        }
        try writer.write { db in
            try db.execute(sql: "UPDATE player SET score = 20 WHERE id = 1")
            try db.execute(sql: "DELETE FROM player WHERE id = 2")
        }
        try expectEqual(
            texts(writer, outbox),
            [
                #"insert - 1,"Ada",10"#, #"insert - 2,"Bob",NULL"#,
                #"update 1,"Ada",10 1,"Ada",20"#, #"delete 2,"Bob",NULL -"#,
            ])
        let entries = try writer.read { try outbox.pendingEntries($0) }
        expectEqual(entries.map(\.position), [1, 2, 3, 4])
        expectEqual(entries.map(\.transaction), [1, 1, 3, 3])
        expectTrue(entries.allSatisfy { $0.tableName == "player" })
        #expect(abs(entries[0].date.timeIntervalSinceNow) < 600)
        try expectEqual(entries[0].new(as: Player.self), Player(id: 1, name: "Ada", score: 10))
        try expectEqual(entries[0].old(as: Player.self), nil)
        expectEqual(
            entries[2].json,
            """
            {"position":3,"transaction":3,"table":"player","kind":"update",\
            "old":{"id":1,"name":"Ada","score":10},"new":{"id":1,"name":"Ada","score":20}}
            """)
    }

    @Test func recordsAreRecorded() throws {
        let (writer, outbox) = try makeWriter()
        try writer.write { db in
            try Player(id: 1, name: "Ada", score: 1).insert(db)
            try Player(id: 1, name: "Ada", score: 2).upsert(db)
            try Player.deleteAll(db)
        }
        try expectEqual(
            texts(writer, outbox),
            [
                #"insert - 1,"Ada",1"#, #"update 1,"Ada",1 1,"Ada",2"#, #"delete 1,"Ada",2 -"#,
            ])
    }

    @Test(arguments: DatabaseKind.allCases)
    func whatIsRolledBackIsNotRecorded(kind: DatabaseKind) throws {
        let (writer, outbox) = try makeWriter(kind)
        expectError(TestError("no")) {
            try writer.write { (db: Database) throws in
                try db.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 1)")
                throw TestError("no")
            }
        }
        try expectEqual(texts(writer, outbox), [])
        try writer.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 1)")
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO player VALUES (2, 'Bob', 2)")
                return .rollback
            }
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO player VALUES (3, 'Cid', 3)")
                return .commit
            }
            // Fails halfway.
            try? db.execute(sql: "INSERT INTO player VALUES (4, 'Dan', 4), (5, 'Ada', 5)")
            try db.execute(sql: "INSERT INTO player VALUES (6, 'Eve', 6)")
        }
        try expectEqual(
            texts(writer, outbox),
            [
                #"insert - 1,"Ada",1"#, #"insert - 3,"Cid",3"#, #"insert - 6,"Eve",6"#,
            ])
        // Positions of what was rolled back are used again.
        try expectEqual(writer.read { try outbox.pendingEntries($0).map(\.position) }, [1, 2, 3])
    }

    @Test func cascadesTriggersAndReplacementsAreRecorded() throws {
        let writer = try TestDatabases.makePool()
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(id INTEGER PRIMARY KEY);
                    CREATE TABLE player(
                        id INTEGER PRIMARY KEY, name TEXT UNIQUE,
                        teamID REFERENCES team ON DELETE CASCADE);
                    CREATE TABLE log(text TEXT PRIMARY KEY) WITHOUT ROWID;
                    CREATE TRIGGER t AFTER INSERT ON player BEGIN
                        INSERT INTO log VALUES (NEW.name || NEW.id);
                    END;
                    INSERT INTO team VALUES (1)
                    """)
        }
        let outbox = try writer.outbox(named: "all", tables: ["player", "LOG"])
        try writer.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 1)")
            // Another row makes room.
            try db.execute(sql: "INSERT OR REPLACE INTO player VALUES (2, 'Ada', 1)")
            try db.execute(sql: "DELETE FROM team")
        }
        try expectEqual(
            texts(writer, outbox),
            [
                #"insert - 1,"Ada",1"#, #"insert - "Ada1""#, #"delete 1,"Ada",1 -"#,
                #"insert - 2,"Ada",1"#, #"insert - "Ada2""#, #"delete 2,"Ada",1 -"#,
            ])
    }

    @Test func batchedWritesAreRecorded() async throws {
        let (writer, outbox) = try makeWriter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 1...50 {
                group.addTask {
                    try await writer.batchedWrite { db in
                        try Player(id: Int64(id), name: "\(id)", score: nil).insert(db)
                    }
                }
            }
            try await group.waitForAll()
        }
        let entries = try await writer.read { try outbox.pendingEntries($0) }
        expectEqual(Set(entries.map { $0.newRow!["id"] as Int }), Set(1...50))
        expectEqual(entries.map(\.position), Array(1...50))
    }

    @Test func valuesKeepTheirTypes() throws {
        let writer = try TestDatabases.makeQueue()
        try writer.write {
            try $0.execute(sql: #"CREATE TABLE t(id INTEGER PRIMARY KEY, "a""\b")"#)
        }
        let outbox = try writer.outbox(named: "types", tables: ["t"])
        let values: [DatabaseValue] = [
            .null, 0.databaseValue, Int64.min.databaseValue, Int64.max.databaseValue,
            1.0.databaseValue, (-0.5).databaseValue, 1e300.databaseValue, 0.1.databaseValue,
            Double.leastNonzeroMagnitude.databaseValue, Double.infinity.databaseValue,
            (-Double.infinity).databaseValue,
            "".databaseValue, "a\"b\\c\nd\te\r\u{0}\u{1f}é👩‍🚀".databaseValue, "null".databaseValue,
            "{}".databaseValue, Data().databaseValue, Data([0, 255, 34]).databaseValue,
        ]
        try writer.write { db in
            for value in values {
                try db.execute(
                    sql: #"INSERT INTO t("a""\b") VALUES (?)"#, arguments: [value])
            }
        }
        let entries = try writer.read { try outbox.pendingEntries($0) }
        expectEqual(entries.map { $0.newRow![1] as DatabaseValue }, values)
        expectEqual(Array(entries[0].newRow!.columnNames), ["id", #"a"\b"#])
        for entry in entries {
            try expectTrue(
                JSONSerialization.jsonObject(with: Data(entry.json.utf8)) is [String: Any])
        }
    }

    /// Hooks can't write, and nothing comes before the commit of a statement on its own.
    @Test func changesOutsideOfTransactionsAreRefused() throws {
        let (writer, outbox) = try makeWriter(.queue)
        try writer.writeWithoutTransaction { db in
            expectError(DatabaseOutbox.TransactionRequired.self) {
                try db.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 1)")
            }
            try db.execute(sql: "INSERT INTO other VALUES (1)")
            expectError(DatabaseOutbox.TransactionRequired.self) {
                try db.execute(
                    sql: """
                        SAVEPOINT s; INSERT INTO player VALUES (1, 'Ada', 1); RELEASE s
                        """)
            }
            try db.execute(sql: "BEGIN; INSERT INTO player VALUES (2, 'Bob', 2); COMMIT")
        }
        try expectEqual(texts(writer, outbox), [#"insert - 2,"Bob",2"#])
        try expectEqual(writer.read { try Player.fetchCount($0) }, 1)
    }

    @Test func outboxSurvivesRestarts() throws {
        let (writer, _) = try makeWriter()
        try writer.write { try Player(id: 1, name: "Ada", score: 1).insert($0) }
        try writer.close()
        let pool = try TestDatabases.openPool(writer.path)
        let outbox = try pool.outbox(named: "test", tables: ["player"])
        try pool.write { try Player(id: 2, name: "Bob", score: 1).insert($0) }
        try expectEqual(pool.read { try outbox.pendingEntries($0).map(\.position) }, [1, 2])
    }

    /// It is the connection that records, as long as it is open.
    @Test func releasedOutboxRecords() throws {
        let writer: any DatabaseWriter
        do {
            (writer, _) = try makeWriter()
        }
        try writer.write { try Player(id: 1, name: "Ada", score: 1).insert($0) }
        let reader = try writer.outbox(named: "test")
        try writer.write { try Player(id: 2, name: "Bob", score: 1).insert($0) }
        try expectEqual(writer.read { try reader.pendingCount($0) }, 2)
    }

    @Test func outboxIsOpenedAgain() throws {
        let (writer, outbox) = try makeWriter()
        let other = try writer.outbox(named: "test", tables: ["other"])
        let second = try writer.outbox(named: "second", tables: ["other", "player"])
        try writer.write { db in
            try Player(id: 1, name: "Ada", score: 1).insert(db)
            try db.execute(sql: "INSERT INTO other VALUES (1)")
        }
        try expectEqual(texts(writer, outbox), ["insert - 1"])
        try expectEqual(texts(writer, other), ["insert - 1"])
        try expectEqual(texts(writer, second), [#"insert - 1,"Ada",1"#, "insert - 1"])
    }

    @Test func stoppedOutboxKeepsItsEntries() throws {
        let (writer, outbox) = try makeWriter()
        try writer.write { try Player(id: 1, name: "Ada", score: 1).insert($0) }
        try outbox.stop()
        try writer.write { try Player(id: 2, name: "Bob", score: 1).insert($0) }
        try expectEqual(writer.read { try outbox.pendingCount($0) }, 1)
        try outbox.remove()
        try expectTrue(
            writer.read { try $0.tableExists(DatabaseOutbox.tableName("test")) } == false)
    }

    @Test func tablesMustBeOrdinary() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE VIEW v AS SELECT 1; CREATE VIRTUAL TABLE f USING fts5(a)")
        }
        for table in ["v", "f", "nothing"] {
            expectError(
                """
                SQLite error 1: The outbox x can't record the table \(table): the main database has no \
                such table, or it is a view, a virtual table, or an internal table
                """
            ) { try queue.outbox(named: "x", tables: [table]) }
        }
    }

    // MARK: - Schema changes

    @Test func entriesSurviveSchemaChanges() throws {
        let (writer, outbox) = try makeWriter()
        try writer.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 1)")
            try db.execute(sql: "ALTER TABLE player ADD COLUMN email TEXT")
            try db.execute(sql: "UPDATE player SET email = 'a@b'")
            try db.execute(sql: "ALTER TABLE player RENAME COLUMN name TO nick")
            try db.execute(sql: "ALTER TABLE player DROP COLUMN score")
            try db.execute(sql: "UPDATE player SET nick = 'Bob'")
        }
        let entries = try writer.read { try outbox.pendingEntries($0) }
        expectEqual(entries.map { Array($0.newRow!.columnNames) }.last, ["id", "nick", "email"])
        expectEqual(Array(entries[0].newRow!.columnNames), ["id", "name", "score"])
        try expectEqual(entries[0].new(as: Player.self)?.name, "Ada")
        expectError((any Error).self) { try entries.last!.new(as: Player.self) }
    }

    @Test func recordedTableCannotGo() throws {
        let (writer, outbox) = try makeWriter()
        for sql in ["DROP TABLE player", "ALTER TABLE player RENAME TO p"] {
            expectError(DatabaseError.self) { try writer.write { try $0.execute(sql: sql) } }
        }
        // Another table may take its place in the same transaction.
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE new(id INTEGER PRIMARY KEY, name TEXT); DROP TABLE player;
                    ALTER TABLE new RENAME TO player; INSERT INTO player VALUES (1, 'Ada')
                    """)
        }
        try expectEqual(texts(writer, outbox), [#"insert - 1,"Ada""#])
        try outbox.stop()
        try writer.write { try $0.execute(sql: "DROP TABLE player") }
    }

    /// Rows that leave a recorded table, or enter it, without an entry.
    @Test(arguments: [
        "DROP TABLE player; CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score)",
        "DELETE FROM player; DROP TABLE player; CREATE TABLE player AS SELECT 1 AS id",
        "CREATE TABLE new AS SELECT * FROM player; DROP TABLE player; ALTER TABLE new RENAME TO player",
        """
        DELETE FROM player; DROP TABLE player; CREATE TABLE new(id, name); INSERT INTO new VALUES (1, 1);
        ALTER TABLE new RENAME TO player
        """,
        "ALTER TABLE player RENAME TO o; ALTER TABLE other RENAME TO player",
        "ALTER TABLE player RENAME TO o; UPDATE o SET score = 2; ALTER TABLE o RENAME TO player",
        "SAVEPOINT s; DELETE FROM player; DROP TABLE player; CREATE TABLE player(id); RELEASE s",
    ])
    func recordedTableCannotBeReplaced(sql: String) throws {
        let (writer, outbox) = try makeWriter()
        try writer.write { try Player(id: 1, name: "Ada", score: nil).insert($0) }
        expectError(DatabaseError.self) { try writer.write { try $0.execute(sql: sql) } }
        expectError(DatabaseError.self) {
            try writer.write { db in
                try db.transform(table: "player") {
                    $0.setNotNull(column: "score", replacingNullWith: 5)
                }
            }
        }
        try expectEqual(texts(writer, outbox), [#"insert - 1,"Ada",NULL"#])
        try expectEqual(writer.read { try Player.fetchAll($0).map(\.score) }, [nil])
    }

    /// Statements that free the name of a recorded table, outside of transactions.
    @Test func recordedTableCannotGoInAStatement() throws {
        let (writer, outbox) = try makeWriter()
        for sql in ["DROP TABLE player", "ALTER TABLE player RENAME TO p"] {
            expectError(DatabaseOutbox.TransactionRequired.self) {
                try writer.writeWithoutTransaction { try $0.execute(sql: sql) }
            }
        }
        // Other alterations, and other tables
        try writer.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ALTER TABLE player ADD COLUMN email TEXT; ALTER TABLE player RENAME COLUMN name TO nick;
                    ALTER TABLE other RENAME TO others; DROP TABLE others;
                    CREATE TEMP TABLE player(a); DROP TABLE temp.player
                    """)
        }
        try writer.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 1, NULL)") }
        try expectEqual(texts(writer, outbox), [#"insert - 1,"Ada",1,NULL"#])
    }

    /// Another process renames a recorded table. Later statements would change it without entries.
    @Test func renamedByAnotherProcess() throws {
        let (writer, outbox) = try makeWriter()
        let other = try TestDatabases.openQueue((writer as! DatabasePool).path)
        try other.write { try $0.execute(sql: "ALTER TABLE player RENAME TO p") }
        expectError(DatabaseError.self) {
            try writer.writeWithoutTransaction {
                try $0.execute(sql: "INSERT INTO p (id) VALUES (1)")
            }
        }
        try expectEqual(writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM p") }, 0)
        try expectEqual(texts(writer, outbox), [])
    }

    // MARK: - Positions

    /// No position is used again, so that iterators go on, and nobody acknowledges what was not read.
    @Test func positionsIncreaseAfterRemoval() async throws {
        let (writer, outbox) = try makeWriter()
        for id in 1...3 {
            try await writer.write { try Player(id: Int64(id), name: "\(id)", score: 1).insert($0) }
        }
        var iterator = outbox.entries().makeAsyncIterator()
        _ = try await iterator.next()
        let third = try await writer.read { try outbox.pendingEntries($0) }[2]
        try outbox.remove()
        // The name has another case.
        let second = try writer.outbox(named: "TEST", tables: ["player"])
        try await writer.write { try Player(id: 4, name: "4", score: 1).insert($0) }
        try await second.acknowledge(third)
        let entries = try await writer.read { try second.pendingEntries($0) }
        expectEqual(entries.map(\.generation), [1])
        #expect(entries[0].position > third.position)
        expectEqual(entries[0].transaction, entries[0].position)
        while let entry = try await iterator.next(), entry.position < entries[0].position {}
    }

    /// Another process, which has no outbox, restores an older state.
    @Test func positionsIncreaseAfterARestoreByAnotherProcess() async throws {
        let (writer, outbox) = try makeWriter()
        let saved = try TestDatabases.makeQueue()
        try await writer.write { try Player(id: 1, name: "1", score: 1).insert($0) }
        try writer.backup(to: saved)
        for id in 2...4 {
            try await writer.write { try Player(id: Int64(id), name: "\(id)", score: 1).insert($0) }
        }
        let other = try TestDatabases.openQueue((writer as! DatabasePool).path)
        try saved.backup(to: other)
        try await writer.write { try Player(id: 5, name: "5", score: 1).insert($0) }
        let entries = try await writer.read { try outbox.pendingEntries($0) }
        expectEqual(entries.map(\.generation), [1, 1])
        try await expectEqual(writer.read { try outbox.pendingCount($0) }, 2)
    }

    /// The entries of restored content have positions that nobody wrote.
    @Test func positionsIncreaseAfterTwoReplacements() throws {
        let (writer, outbox) = try makeWriter()
        let saved = try TestDatabases.makeQueue()
        try writer.write { try Player(id: 1, name: "1", score: 1).insert($0) }
        try writer.backup(to: saved)
        try saved.backup(to: writer)
        let restored = try writer.read { try outbox.pendingEntries($0) }
        try writer.erase()
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name, score)")
            try Player(id: 2, name: "2", score: 1).insert(db)
        }
        let erased = try writer.read { try outbox.pendingEntries($0) }
        expectEqual((restored + erased).map(\.generation), [1, 2])
    }

    /// Migrations run after an erasure, although the recorded tables don't exist yet.
    @Test func migrationsAfterAnErasure() throws {
        let (writer, outbox) = try makeWriter()
        try writer.write { try Player(id: 1, name: "1", score: 1).insert($0) }
        try writer.erase()
        try writer.write { try $0.execute(sql: "CREATE TABLE first(a)") }
        try? writer.write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name, score)")
            throw TestError()
        }
        try writer.write { try $0.execute(sql: "INSERT INTO first VALUES (1)") }
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name, score)")
            try Player(id: 2, name: "2", score: 1).insert(db)
        }
        try expectEqual(texts(writer, outbox), [#"insert - 2,"2",1"#])
        // From now on, it is recorded like any other.
        expectError(DatabaseError.self) {
            try writer.write { try $0.execute(sql: "DROP TABLE player") }
        }
    }

    // MARK: - Limits

    @Test func fullOutboxRefusesTransactions() throws {
        let (writer, outbox) = try makeWriter(limit: .refuse(highWaterMark: 2))
        try writer.write { try Player(id: 1, name: "Ada", score: 1).insert($0) }
        expectError(
            """
            The outbox test is full: 1 changes wait to be acknowledged, and 2 more would exceed the limit of 2
            """
        ) {
            try writer.write { db in
                try Player(id: 2, name: "Bob", score: 1).insert(db)
                try Player(id: 3, name: "Cid", score: 1).insert(db)
            }
        }
        try expectEqual(writer.read { try Player.fetchCount($0) }, 1)
        // What the outbox does not record is not refused.
        try writer.write { try $0.execute(sql: "INSERT INTO other VALUES (1)") }
        try writer.write { db in
            try outbox.acknowledge(db, through: 1)
            try Player(id: 2, name: "Bob", score: 1).insert(db)
            try Player(id: 3, name: "Cid", score: 1).insert(db)
        }
        try expectEqual(writer.read { try outbox.pendingEntries($0).map(\.position) }, [2, 3])
    }

    @Test func oldestEntriesAreDropped() throws {
        let (writer, outbox) = try makeWriter(limit: .dropOldest(highWaterMark: 3))
        for id in 1...5 {
            try writer.write { try Player(id: Int64(id), name: "\(id)", score: 1).insert($0) }
        }
        try expectEqual(writer.read { try outbox.pendingEntries($0).map(\.position) }, [3, 4, 5])
        try expectEqual(writer.read { try outbox.droppedCount($0) }, 2)
        try expectEqual(writer.read { try outbox.pendingCount($0) }, 3)
    }

    // MARK: - Delivery

    @Test(arguments: DatabaseKind.allCases)
    func entriesAreDelivered(kind: DatabaseKind) async throws {
        let (writer, outbox) = try makeWriter(kind)
        try await writer.write { try Player(id: 1, name: "Ada", score: 1).insert($0) }
        let received = Log<Int64>()
        let task = Task {
            for try await entry in outbox.entries(batchSize: 2) {
                received.append(entry.position)
                try await outbox.acknowledge(entry)
            }
        }
        _ = await received.wait(forCount: 1)
        for id in 2...10 {
            try await writer.write { db in
                try Player(id: Int64(id), name: "\(id)", score: 1).insert(db)
            }
        }
        await expectEqual(received.wait(forCount: 10), Array(1...10))
        task.cancel()
        _ = await task.result
        let count = try await writer.read { try outbox.pendingCount($0) }
        // The cancellation may have come before the last acknowledgment.
        #expect(count <= 1)
        // Positions are not used again.
        try await writer.write { _ = try Player.deleteOne($0, key: 1) }
        try await expectEqual(writer.read { try outbox.pendingEntries($0).last?.position }, 11)
    }

    @Test func entriesAreDeliveredUntilTheyAreAcknowledged() async throws {
        let (writer, outbox) = try makeWriter()
        try await writer.write { db in
            try Player(id: 1, name: "Ada", score: 1).insert(db)
            try Player(id: 2, name: "Bob", score: 1).insert(db)
        }
        func first() async throws -> Int64? {
            for try await entry in outbox.entries() { return entry.position }
            return nil
        }
        try await expectEqual(first(), 1)
        try await expectEqual(first(), 1)
        try await outbox.acknowledge(through: 1)
        try await expectEqual(first(), 2)
        // A second time changes nothing.
        try await outbox.acknowledge(through: 1)
        try await expectEqual(first(), 2)
        try await outbox.acknowledge(through: 2)
        try await expectEqual(writer.read { try outbox.pendingCount($0) }, 0)
    }

    @Test func entriesOfOtherConnectionsAreFound() async throws {
        let (writer, outbox) = try makeWriter()
        let received = Log<Int64>()
        let task = Task {
            for try await entry in outbox.entries(pollInterval: 0.005) {
                received.append(entry.position)
            }
        }
        let other = try TestDatabases.openPool(writer.path)
        _ = try other.outbox(named: "test", tables: ["player"])
        try await other.write { try Player(id: 1, name: "Ada", score: 1).insert($0) }
        await expectEqual(received.wait(forCount: 1), [1])
        task.cancel()
        try await task.value
    }

    @Test func closedDatabaseEndsTheSequence() async throws {
        let (writer, outbox) = try makeWriter()
        let task = Task { for try await _ in outbox.entries() {} }
        try writer.close()
        await expectError(DatabaseError.self) { try await task.value }
    }
}
