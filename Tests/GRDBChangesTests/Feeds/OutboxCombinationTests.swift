@testable import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Outboxes together with other features of SQLite and of the library.
@Suite(.databases) struct OutboxCombinationTests {
    private static let schema = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER);
        INSERT INTO player VALUES (1, 'Ada', 10), (2, 'Bob', 20)
        """

    private func makePool(_ sql: String = Self.schema) throws -> DatabasePool {
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(10)
        let pool = try TestDatabases.makePool(configuration)
        try pool.write { try $0.execute(sql: sql) }
        return pool
    }

    private func lines(_ writer: any DatabaseWriter, _ outbox: DatabaseOutbox) throws -> [String] {
        try writer.read { db in
            try outbox.pendingEntries(db, limit: 1000).map { entry in
                func text(_ row: Row?) -> String {
                    row.map { $0.map { "\($1)" }.joined(separator: ",") } ?? "-"
                }
                return "\(entry.kind) \(text(entry.oldRow)) \(text(entry.newRow))"
            }
        }
    }

    // MARK: - Tables

    @Test(.disabled(if: TestDatabases.encryptsDatabases, "Attaches a file without a key"))
    func tablesOfOtherSchemasAreOthers() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ':memory:' AS aux; CREATE TABLE aux.player(a)")
            try db.execute(sql: "CREATE TABLE player(a)")
        }
        let outbox = try queue.outbox(named: "test", tables: ["player"])
        try queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO aux.player VALUES (1); INSERT INTO player VALUES (2);
                    UPDATE aux.player SET a = 3
                    """)
        }
        // A statement on its own changes nothing that is recorded.
        try queue.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM aux.player") }
        try expectEqual(lines(queue, outbox), ["insert - 2"])
        // It hides the table.
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TEMP TABLE player(a); INSERT INTO player VALUES (4);
                    INSERT INTO main.player VALUES (5); DELETE FROM player
                    """)
        }
        try expectEqual(lines(queue, outbox), ["insert - 2", "insert - 5"])
    }

    @Test func internalTablesAreRefused() throws {
        let pool = try makePool()
        let outbox = try pool.outbox(named: "a", tables: ["player"])
        for table in [DatabaseOutbox.tableName("a"), "grdb_outbox", "sqlite_sequence"] {
            expectError(DatabaseError.self) { try pool.outbox(named: "b", tables: [table]) }
        }
        try pool.write { try $0.execute(sql: "DELETE FROM player WHERE id = 1") }
        try expectEqual(lines(pool, outbox), [#"delete 1,"Ada",10 -"#])
    }

    /// Names of tables have no case, and neither have those of outboxes.
    @Test func namesHaveNoCase() throws {
        let pool = try makePool()
        let outbox = try pool.outbox(named: "Über \"x\"", tables: ["PLAYER"])
        let same = try pool.outbox(
            named: "Über \"X\"", tables: ["Player"], limit: .dropOldest(highWaterMark: 1))
        try pool.write { try $0.execute(sql: "UPDATE player SET score = 1") }
        try pool.write { try $0.execute(sql: "UPDATE player SET score = 2 WHERE id = 1") }
        try expectEqual(lines(pool, outbox), [#"update 1,"Ada",1 1,"Ada",2"#])
        try expectEqual(lines(pool, same), lines(pool, outbox))
        let entries = try pool.read { try same.pendingEntries($0) }
        expectEqual(entries.map(\.transaction), [3])
        try expectTrue(pool.read { try (outbox.droppedCount($0), same.droppedCount($0)) } == (2, 2))
        try same.remove()
        let count = try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM grdb_outbox") }
        expectEqual(count, 0)
        expectError(DatabaseError.self) { try outbox.remove() }
    }

    @Test func rowsWithoutRowIDsAndGeneratedColumns() throws {
        let pool = try makePool(
            """
            CREATE TABLE w(
                k TEXT, l INTEGER, v, stored AS (v * 2) STORED, virtual AS (v * 3),
                PRIMARY KEY (k, l)) WITHOUT ROWID
            """)
        let outbox = try pool.outbox(named: "test", tables: ["w"])
        try pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO w(k, l, v) VALUES ('a', 1, 1), ('b', 2, 2);
                    UPDATE w SET l = 3 WHERE k = 'a';
                    UPDATE OR REPLACE w SET k = 'b', l = 2 WHERE k = 'a';
                    INSERT INTO w(k, l, v) VALUES ('b', 2, 9) ON CONFLICT DO UPDATE SET v = 5;
                    REPLACE INTO w(k, l, v) VALUES ('b', 2, 7);
                    DELETE FROM w
                    """)
        }
        let texts = try lines(pool, outbox)
        // Follows the changes one by one.
        var rows: Set<String> = []
        for text in texts {
            let parts = text.split(separator: " ").map(String.init)
            if parts[1] != "-" { expectTrue(rows.remove(parts[1]) != nil, "\(texts)") }
            if parts[2] != "-" { rows.insert(parts[2]) }
        }
        expectTrue(rows.isEmpty)
        expectEqual(texts.first, #"insert - "a",1,1,2"#)
        expectEqual(texts.last, #"delete "b",2,7,14 -"#)
        let entry = try pool.read { try outbox.pendingEntries($0)[0] }
        expectEqual(Array(entry.newRow!.columnNames), ["k", "l", "v", "stored"])
    }

    // MARK: - Statements

    /// SQLite clears a table at once when nobody looks at its rows, also in statements that were
    /// compiled before the outbox.
    @Test(arguments: DatabaseKind.allCases)
    func clearedTablesAreRecordedRowByRow(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        let insert = "INSERT INTO player VALUES (1, 'Ada', 10), (2, 'Bob', 20)"
        try writer.write { db in
            try db.execute(sql: Self.schema)
            try db.cachedStatement(sql: "DELETE FROM player").execute()
            try db.execute(sql: insert)
        }
        let outbox = try writer.outbox(named: "test", tables: ["player"])
        try writer.write { try $0.cachedStatement(sql: "DELETE FROM player").execute() }
        try expectEqual(lines(writer, outbox), [#"delete 1,"Ada",10 -"#, #"delete 2,"Bob",20 -"#])
    }

    @Test func statementsThatEndTheTransactionAreNotRecorded() throws {
        let pool = try makePool()
        let outbox = try pool.outbox(named: "test", tables: ["player"])
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN; INSERT INTO player VALUES (3, 'Cid', 3)")
            expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT OR ROLLBACK INTO player VALUES (4, 'Ada', 4)")
            }
            expectTrue(!db.isInsideTransaction)
            // FAIL keeps the rows before the one that fails.
            try db.execute(sql: "BEGIN")
            expectError(DatabaseError.self) {
                try db.execute(
                    sql: "INSERT OR FAIL INTO player VALUES (5, 'Eve', 5), (6, 'Ada', 6)")
            }
            try db.execute(sql: "COMMIT")
        }
        try expectEqual(lines(pool, outbox), [#"insert - 5,"Eve",5"#])
    }

    @Test func savepointsAreUndone() throws {
        let pool = try makePool()
        let outbox = try pool.outbox(named: "test", tables: ["player"])
        try pool.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    BEGIN; UPDATE player SET score = 1 WHERE id = 1;
                    SAVEPOINT a; UPDATE player SET score = 2 WHERE id = 1;
                    SAVEPOINT b; UPDATE player SET score = 3 WHERE id = 1; RELEASE b;
                    ROLLBACK TO a; UPDATE player SET score = 4 WHERE id = 1;
                    ROLLBACK TO a; UPDATE player SET score = 5 WHERE id = 1; RELEASE a; END
                    """)
        }
        try expectEqual(
            lines(pool, outbox),
            [
                #"update 1,"Ada",10 1,"Ada",1"#, #"update 1,"Ada",1 1,"Ada",5"#,
            ])
    }

    @Test func blobWritesAreRecorded() throws {
        let pool = try makePool(
            """
            CREATE TABLE file(id INTEGER PRIMARY KEY, name TEXT, content BLOB);
            INSERT INTO file VALUES (1, 'one', x'010203')
            """)
        let outbox = try pool.outbox(named: "test", tables: ["file"])
        try pool.write { db in
            let blob = try db.openBlob(
                table: "file", column: "content", rowID: 1, mode: .readWrite)
            try blob.write(Data([0xff]), at: 1)
            try blob.close()
        }
        try expectEqual(pool.read { try outbox.pendingCount($0) }, 1)
        let entry = try pool.read { try outbox.pendingEntries($0)[0] }
        expectEqual(entry.kind, .update)
        expectEqual(entry.oldRow?["content"], Data([1, 2, 3]))
        expectEqual(entry.newRow?["content"], Data([1, 255, 3]))
        expectEqual(entry.newRow?["name"], "one")
    }

    @Test func changesetsAndBatchesAreRecorded() throws {
        let source = try TestDatabases.makeQueue()
        let changeset = try source.write { db in
            try db.execute(sql: Self.schema)
            return try db.recording("UPDATE player SET score = 11 WHERE id = 1")
        }
        let pool = try makePool()
        let outbox = try pool.outbox(named: "test", tables: ["player"])
        _ = try pool.write { try $0.apply(changeset) }
        try pool.write { try $0.execute(sql: "ALTER TABLE player ADD COLUMN c DEFAULT 7") }
        try pool.write { _ = try Table("player").updateAll($0, Column("score") += 1) }
        try expectEqual(
            lines(pool, outbox),
            [
                #"update 1,"Ada",10 1,"Ada",11"#, #"update 1,"Ada",11,7 1,"Ada",12,7"#,
                #"update 2,"Bob",20,7 2,"Bob",21,7"#,
            ])
    }

    // MARK: - Commits

    /// Entries are stored once, however often the transaction tries to be committed.
    @Test func failedCommitIsTriedAgain() throws {
        let pool = try makePool(
            """
            CREATE TABLE team(id INTEGER PRIMARY KEY);
            CREATE TABLE player(
                id INTEGER PRIMARY KEY, team REFERENCES team DEFERRABLE INITIALLY DEFERRED)
            """)
        let outbox = try pool.outbox(named: "test", tables: ["player", "team"])
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN; INSERT INTO player VALUES (1, 7)")
            for _ in 0..<2 {
                expectError(DatabaseError.self) { try db.execute(sql: "COMMIT") }
            }
            try db.execute(
                sql: """
                    SAVEPOINT s; DELETE FROM player; ROLLBACK TO s; RELEASE s;
                    INSERT INTO team VALUES (7); COMMIT
                    """)
        }
        try expectEqual(lines(pool, outbox), ["insert - 1,7", "insert - 7"])
        // The rest is rolled back.
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN; INSERT INTO player VALUES (2, 8)")
            expectError(DatabaseError.self) { try db.execute(sql: "COMMIT") }
            try db.execute(sql: "ROLLBACK")
        }
        try expectEqual(lines(pool, outbox), ["insert - 1,7", "insert - 7"])
    }

    @Test func observersMayRefuseTheTransaction() throws {
        let pool = try makePool()
        let outbox = try pool.outbox(named: "test", tables: ["player"])
        let recorder = TransactionRecorder()
        recorder.onWillCommit = { throw TestError("no") }
        pool.add(transactionObserver: recorder)
        expectError(TestError("no")) {
            try pool.write { try $0.execute(sql: "DELETE FROM player") }
        }
        recorder.onWillCommit = nil
        try expectEqual(lines(pool, outbox), [])
        try pool.write { try $0.execute(sql: "DELETE FROM player WHERE id = 1") }
        try expectEqual(lines(pool, outbox), [#"delete 1,"Ada",10 -"#])
    }

    @Test func cancelledWritesAreNotRecorded() async throws {
        let pool = try makePool()
        let outbox = try pool.outbox(named: "test", tables: ["player"])
        let task = Task {
            try await pool.write { db in
                try db.execute(sql: "DELETE FROM player")
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        _ = await task.result
        let interrupted = Task {
            let started = Log<Bool>()
            let write = Task {
                try await pool.write { db in
                    try db.execute(sql: "INSERT INTO player VALUES (7, 'Gus', 7)")
                    started.append(true)
                    while true { _ = try Int.fetchOne(db, sql: "SELECT 1") }
                }
            }
            _ = await started.wait(forCount: 1)
            write.cancel()
            return await write.result
        }
        let result = await interrupted.value
        expectError(CancellationError.self) { try result.get() }
        let counts = try await pool.read { db in
            try (
                outbox.pendingCount(db),
                Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player WHERE id < 7")!,
                Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player WHERE id = 7")!
            )
        }
        // Both, or none.
        expectEqual(counts.0, 2 - counts.1)
        expectEqual(counts.2, 0)
    }

    // MARK: - Other processes

    /// Changes of a table that another process has renamed would be lost.
    @Test func tableThatOthersRenameIsMissed() throws {
        let pool = try makePool()
        let outbox = try pool.outbox(named: "test", tables: ["player"])
        try pool.write { try $0.execute(sql: "DELETE FROM player WHERE id = 1") }
        let other = try TestDatabases.openPool(pool.path, pool.configuration)
        try other.write { try $0.execute(sql: "ALTER TABLE player RENAME COLUMN name TO nick") }
        try pool.write { try $0.execute(sql: "UPDATE player SET nick = 'Eve'") }
        let entry = try pool.read { try outbox.pendingEntries($0).last! }
        expectEqual(Array(entry.newRow!.columnNames), ["id", "nick", "score"])

        try other.write { try $0.execute(sql: "ALTER TABLE player RENAME TO p") }
        expectError(DatabaseError.self) {
            try pool.write { try $0.execute(sql: "DELETE FROM p") }
        }
        try expectEqual(other.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM p") }, 1)
        _ = try pool.outbox(named: "test", tables: ["p"])
        try pool.write { try $0.execute(sql: "DELETE FROM p") }
        try expectEqual(lines(pool, outbox).last, #"delete 2,"Eve",20 -"#)
    }

    // MARK: - Reading

    /// Who acknowledges does so for all: entries that another reader has fetched come once more.
    @Test func twoReadersShareAnOutbox() async throws {
        let pool = try makePool()
        let outbox = try pool.outbox(named: "test", tables: ["player"])
        let second = try pool.outbox(named: "test")
        try await pool.write { try $0.execute(sql: "UPDATE player SET score = 1") }
        try await pool.write { try $0.execute(sql: "UPDATE player SET score = 2") }
        var one = outbox.entries(batchSize: 2).makeAsyncIterator()
        var two = second.entries(batchSize: 3).makeAsyncIterator()
        try await expectEqual(one.next()?.position, 1)
        try await expectEqual(two.next()?.position, 1)
        try await outbox.acknowledge(through: 3)
        // Fetched before.
        try await expectEqual(two.next()?.position, 2)
        try await second.acknowledge(through: 2)
        try await expectEqual(one.next()?.position, 2)
        try await expectEqual(one.next()?.position, 4)
        try await expectEqual(two.next()?.position, 3)
        try await expectEqual(two.next()?.position, 4)
        try await expectEqual(pool.read { try outbox.pendingCount($0) }, 1)
    }

    @Test func acknowledgmentsAreRolledBack() async throws {
        let pool = try makePool()
        let outbox = try pool.outbox(named: "test", tables: ["player"])
        try await pool.write { try $0.execute(sql: "UPDATE player SET score = 1") }
        await expectError(TestError("no")) {
            try await pool.write { (db: Database) throws in
                try outbox.acknowledge(db, through: 2)
                try expectEqual(outbox.pendingCount(db), 0)
                throw TestError("no")
            }
        }
        try await expectEqual(pool.read { try outbox.pendingCount($0) }, 2)
        // More than there is, and less.
        try await outbox.acknowledge(through: 100)
        try await outbox.acknowledge(through: -1)
        try await pool.write { try $0.execute(sql: "DELETE FROM player WHERE id = 1") }
        try await expectEqual(pool.read { try outbox.pendingEntries($0).map(\.position) }, [3])
    }

    /// The batch that a reader holds was recorded with the former columns.
    @Test func schemaChangesWhileTheOutboxIsRead() async throws {
        let pool = try makePool()
        let outbox = try pool.outbox(named: "test", tables: ["player"])
        try await pool.write { try $0.execute(sql: "UPDATE player SET score = 1") }
        var iterator = outbox.entries(batchSize: 1).makeAsyncIterator()
        let first: String? = try await iterator.next()?.newRow?["name"]
        expectEqual(first, "Ada")
        try await pool.write { db in
            try db.execute(
                sql: """
                    ALTER TABLE player RENAME COLUMN name TO nick;
                    ALTER TABLE player DROP COLUMN score;
                    UPDATE player SET nick = 'Eve' WHERE id = 1
                    """)
        }
        let second: String? = try await iterator.next()?.newRow?["name"]
        expectEqual(second, "Bob")
        let third = try await iterator.next()?.json
        expectTrue(third?.hasSuffix(#""new":{"id":1,"nick":"Eve"}}"#) ?? false, "\(third ?? "nil")")
    }

    @Test func cancelledReaderEnds() async throws {
        let pool = try makePool()
        for pollInterval in [nil, 0.001, 1000] {
            let outbox = try pool.outbox(named: "test", tables: ["player"])
            let task = Task {
                for try await _ in outbox.entries(pollInterval: pollInterval) {}
                return Task.isCancelled
            }
            await letOthersRun()
            task.cancel()
            try await expectTrue(task.value)
        }
    }

    /// Nothing is recorded by this connection, or not any more.
    @Test(arguments: [true, false])
    func closedDatabaseEndsAReader(stops: Bool) async throws {
        let pool = try makePool()
        let outbox = try pool.outbox(named: "test", tables: stops ? ["player"] : nil)
        if stops { try outbox.stop() }
        let task = Task { for try await _ in outbox.entries() {} }
        await letOthersRun()
        try pool.close()
        await expectError(DatabaseError.self) { try await task.value }
        await expectError(DatabaseError.self) { try await outbox.acknowledge(through: 1) }
        expectError(DatabaseError.self) { try outbox.remove() }
    }

    @Test func negativeLimitsKeepNothing() throws {
        let pool = try makePool()
        let outbox = try pool.outbox(
            named: "test", tables: ["player"], limit: .dropOldest(highWaterMark: -5))
        try pool.write { try $0.execute(sql: "DELETE FROM player") }
        try expectEqual(pool.read { try outbox.pendingCount($0) }, 0)
        try expectEqual(pool.read { try outbox.droppedCount($0) }, 2)
    }
}
