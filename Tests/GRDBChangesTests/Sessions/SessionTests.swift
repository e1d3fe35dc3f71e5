@testable import GRDBChanges
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct SessionTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.createSessionTables() }
    }

    // MARK: - Recording

    @Test(arguments: DatabaseKind.allCases) func changesAreRecorded(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
                    INSERT INTO t VALUES (1, 'one', 1.5), (2, 'two', NULL);
                    """)
            let changeset = try db.recording(
                """
                INSERT INTO t VALUES (3, 'three', x'ff');
                UPDATE t SET a = 'uno' WHERE id = 1;
                UPDATE t SET a = 'eins' WHERE id = 1;
                DELETE FROM t WHERE id = 2
                """)
            expectEqual(
                changeset.lines,
                [
                    "delete t [0:2 1:\"two\" 2:NULL]",
                    "insert t [0:3 1:\"three\" 2:Data(1 bytes)]",
                    "update t [0:1 1:\"one\" → \"eins\"]",
                ])
            expectEqual(changeset.changeCount, 3)
            expectEqual(changeset.tableNames, ["t"])
            expectTrue(!changeset.isPatchset)
            expectTrue(!changeset.isEmpty)
        }
    }

    @Test func patchsetsLackFormerValues() throws {
        try dbQueue.write { db in
            let patchset = try db.patchset(
                of: """
                    UPDATE t SET a = 'uno' WHERE id = 1;
                    DELETE FROM t WHERE id = 2;
                    UPDATE w SET v = 7
                    """)
            expectTrue(patchset.isPatchset)
            expectEqual(
                patchset.lines,
                [
                    "delete t [0:2]",
                    "update t [0:1 1:? → \"uno\"]",
                    "update w [0:\"x\" 1:1 2:? → 7]",
                ])
            try expectEqual(db.lines(of: "w"), ["\"x\"|1|x'1 2'"])
        }
    }

    @Test func nothingIsRecordedWithoutTables() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            try db.execute(sql: "DELETE FROM t")
            try expectTrue(session.isEmpty)
            try expectTrue(session.changeset().isEmpty)
            try expectEqual(session.changeset(), Changeset())
        }
    }

    @Test func attachedTablesAreRecorded() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attach("T", "later")
            try db.execute(
                sql: """
                    DELETE FROM w;
                    UPDATE t SET b = 2 WHERE id = 1;
                    CREATE TABLE later(id INTEGER PRIMARY KEY);
                    INSERT INTO later VALUES (1)
                    """)
            try expectEqual(
                session.changeset().lines,
                ["insert later [0:1]", "update T [0:1 2:1.5 → 2]"])
            try expectTrue(!session.isEmpty)
            expectError("SQLite error 21: The name of a table contains a NUL character") {
                try session.attach(["w\0"])
            }
        }
    }

    @Test func filterChoosesTables() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            var asked: [String] = []
            var error: (any Error)?
            try session.attachTables { table in
                asked.append(table)
                // It may read, but not write.
                expectEqual(try! Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 2)
                do { try db.execute(sql: "DELETE FROM t") } catch let failure { error = failure }
                return table == "w"
            }
            try db.execute(
                sql: "UPDATE t SET a = 0; DELETE FROM w; INSERT INTO w VALUES ('x', 1, 0)")
            try expectEqual(session.changeset().tableNames, ["w"])
            expectEqual(asked, ["t", "t", "w"])
            expectEqual((error as? DatabaseError)?.resultCode, .SQLITE_READONLY)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 2)
        }
    }

    @Test func tablesWithoutPrimaryKeyAreRecordedByRowID() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            let byRowID = try db.makeSession(options: .rowIDs)
            try byRowID.attachAllTables()
            try db.execute(sql: "INSERT INTO noKey(rowid, a) VALUES (7, 'x')")
            try expectTrue(session.changeset().isEmpty)
            let changeset = try byRowID.changeset()
            expectEqual(changeset.lines, ["insert noKey [0:7 1:\"x\"]"])
            let schema = try ChangesetSchema(db)
            expectEqual(
                changeset.changes(in: schema).map(\.description),
                [
                    "insert noKey [_rowid_:7 a:\"x\"]"
                ])
            try db.execute(sql: "DELETE FROM noKey")
            try db.apply(changeset)
            try expectEqual(Int64.fetchAll(db, sql: "SELECT rowid FROM noKey"), [7])
        }
    }

    @Test func triggersAndForeignKeysChangeIndirectly() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO child VALUES (5, 2);
                    CREATE TRIGGER tr AFTER DELETE ON t BEGIN
                      INSERT INTO log VALUES (OLD.id, 'gone');
                    END
                    """)
            let session = try db.makeSession()
            try session.attachAllTables()
            try db.execute(sql: "DELETE FROM t WHERE id = 2")
            let changes = try session.changeset().sorted { $0.description < $1.description }
            expectEqual(
                changes.map { "\($0.tableName) \($0.isIndirect)" },
                ["child true", "t false", "log true"])
            expectTrue(!session.isIndirect)
            session.isIndirect = true
            expectTrue(session.isIndirect)
            try db.execute(sql: "DELETE FROM t WHERE id = 1")
            try expectTrue(
                session.changeset().allSatisfy {
                    $0.isIndirect || $0.primaryKey == [2.databaseValue]
                })
            try session.setIndirect(false)
            expectTrue(!session.isIndirect)
        }
    }

    @Test func disabledSessionsDoNotRecord() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            expectTrue(session.isEnabled)
            session.isEnabled = false
            try db.execute(sql: "DELETE FROM t WHERE id = 1")
            try expectTrue(session.isEmpty)
            try session.setEnabled(true)
            expectTrue(session.isEnabled)
            try db.execute(sql: "DELETE FROM t WHERE id = 2")
            try expectEqual(session.changeset().lines, ["delete t [0:2 1:\"two\" 2:NULL]"])
        }
    }

    @Test func rolledBackChangesLeaveNoTrace() throws {
        try dbQueue.writeWithoutTransaction { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM t WHERE id = 1")
                try db.inSavepoint {
                    try db.execute(sql: "DELETE FROM w")
                    return .rollback
                }
                try expectEqual(session.changeset().tableNames, ["t"])
                return .rollback
            }
            try expectTrue(session.changeset().isEmpty)
            try expectTrue(!session.isEmpty)
        }
    }

    /// Compiled before there was a session, it clears the table without a call of any hook.
    @Test func deletionOfAllRowsIsRecordedByAnOldStatement() throws {
        try dbQueue.write { db in
            let statement = try db.makeStatement(sql: "DELETE FROM t")
            try db.inSavepoint {
                try statement.execute()
                return .rollback
            }
            let changeset = try db.recording { try statement.execute() }
            expectEqual(changeset.changeCount, 2)
        }
    }

    @Test func tablesOfVirtualTablesAreLeftOut() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE ft USING fts5(a, content='t', content_rowid='id');
                    CREATE TRIGGER tr AFTER INSERT ON t BEGIN
                      INSERT INTO ft(rowid, a) VALUES (NEW.id, NEW.a);
                    END
                    """)
            let changeset = try db.recording("INSERT INTO t VALUES (3, 'three', 0)")
            expectEqual(changeset.tableNames, ["t"])
            let session = try db.makeSession()
            try session.attach("ft_data")
            try db.execute(sql: "INSERT INTO t VALUES (4, 'four', 0)")
            try expectEqual(session.changeset().tableNames, ["ft_data"])
        }
    }

    @Test func otherSchemasAreRecorded() throws {
        try dbQueue.write { db in
            let session = try db.makeSession(schema: "temp")
            expectEqual(session.schema, "temp")
            try session.attachAllTables()
            try db.execute(sql: "CREATE TEMP TABLE x(id INTEGER PRIMARY KEY)")
            try db.execute(sql: "INSERT INTO x VALUES (1); DELETE FROM t")
            try expectEqual(session.changeset().lines, ["insert x [0:1]"])
            expectError("SQLite error 1: no such schema: nowhere") {
                try db.makeSession(schema: "nowhere")
            }
        }
    }

    @Test func sizesAreKnown() throws {
        try dbQueue.write { db in
            let session = try db.makeSession(options: .size)
            try session.attachAllTables()
            let memory = try session.memoryUsed
            try expectEqual(session.estimatedChangesetSize, 0)
            try db.execute(sql: "UPDATE t SET a = 'another text'")
            #expect(try session.memoryUsed > memory)
            #expect(try session.estimatedChangesetSize >= session.changeset().data.count)
            let other = try db.makeSession()
            try other.attachAllTables()
            try db.execute(sql: "UPDATE t SET a = 'a third text'")
            try expectEqual(other.estimatedChangesetSize, 0)
        }
    }

    @Test func generatedColumnsAreNoPartOfChanges() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE g(
                      v AS (b * 2) VIRTUAL, id INTEGER PRIMARY KEY, s AS (b * 3) STORED, b);
                    """)
            let changeset = try db.recording("INSERT INTO g(id, b) VALUES (1, 5)")
            let changes = try changeset.changes(in: ChangesetSchema(db)).map(\.description)
            expectEqual(changes, ["insert g [id:1 b:5]"])
            try db.execute(sql: "DELETE FROM g")
            try db.apply(changeset)
            try expectEqual(db.lines(of: "g"), ["10|1|15|5"])
        }
    }

    // MARK: - The schema

    @Test func addedColumnsAreRecorded() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attach("t")
            try db.execute(
                sql: """
                    UPDATE t SET a = 'uno' WHERE id = 1;
                    ALTER TABLE t ADD COLUMN c DEFAULT 'new';
                    UPDATE t SET c = 'newer' WHERE id = 1;
                    """)
            try expectEqual(
                session.changeset().lines,
                ["update t [0:1 1:\"one\" → \"uno\" 3:\"new\" → \"newer\"]"])
        }
    }

    @Test func sessionFailsAfterOtherChangesOfTheSchema() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attach("t")
            try db.execute(
                sql: """
                    UPDATE t SET a = 'uno' WHERE id = 1;
                    ALTER TABLE t DROP COLUMN b;
                    UPDATE t SET a = 'eins' WHERE id = 1;
                    """)
            for _ in 0..<2 {
                expectError(
                    """
                    SQLite error 17: The session has stopped recording: the schema of a table has \
                    changed
                    """
                ) {
                    try session.changeset()
                }
            }
        }
    }

    // MARK: - Differences

    @Test func differenceOfSchemasIsRecorded() throws {
        let path = TestDatabases.makePath()
        let other = try TestDatabases.openQueue(path)
        try other.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
                    CREATE TABLE w(k);
                    INSERT INTO t VALUES (2, 'two', 0), (3, 'three', 0)
                    """)
        }
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: TestDatabases.attachment(path, as: "other"))
            let session = try db.makeSession()
            try session.diff(from: "other", table: "t")
            try expectEqual(
                session.changeset().lines,
                [
                    "delete t [0:3 1:\"three\" 2:0]",
                    "insert t [0:1 1:\"one\" 2:1.5]",
                    "update t [0:2 2:0 → NULL]",
                ])
            expectError("SQLite error 17: table schemas do not match") {
                try session.diff(from: "other", table: "w")
            }
            expectError("SQLite error 17: no such table: other.log") {
                try session.diff(from: "other", table: "log")
            }
            expectError("SQLite error 17: no such table: nowhere.t") {
                try session.diff(from: "nowhere", table: "t")
            }
            let changeset = try session.changeset()
            _ = try other.write { try $0.apply(changeset) }
            try db.execute(sql: "DETACH DATABASE other")
        }
        try expectEqual(
            other.read { try $0.lines(of: "t") }, dbQueue.read { try $0.lines(of: "t") })
    }
}
