import Foundation
import GRDBSQLite
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct SessionTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
                    CREATE TABLE w(k TEXT, l INTEGER, v, PRIMARY KEY (k, l)) WITHOUT ROWID;
                    CREATE TABLE noKey(a);
                    CREATE TABLE child(
                      id INTEGER PRIMARY KEY, t REFERENCES t(id) ON DELETE CASCADE);
                    CREATE TABLE log(id INTEGER PRIMARY KEY, text);
                    INSERT INTO t VALUES (1, 'one', 1.5), (2, 'two', NULL);
                    INSERT INTO w VALUES ('x', 1, x'0102');
                    """)
        }
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
            #expect(
                changeset.lines == [
                    "delete t [0:2 1:\"two\" 2:NULL]",
                    "insert t [0:3 1:\"three\" 2:Data(1 bytes)]",
                    "update t [0:1 1:\"one\" → \"eins\"]",
                ])
            #expect(changeset.changeCount == 3)
            #expect(changeset.tableNames == ["t"])
            #expect(!changeset.isPatchset)
            #expect(!changeset.isEmpty)
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
            #expect(patchset.isPatchset)
            #expect(
                patchset.lines == [
                    "delete t [0:2]",
                    "update t [0:1 1:? → \"uno\"]",
                    "update w [0:\"x\" 1:1 2:? → 7]",
                ])
            #expect(try db.lines(of: "w") == ["\"x\"|1|x'1 2'"])
        }
    }

    @Test func nothingIsRecordedWithoutTables() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            try db.execute(sql: "DELETE FROM t")
            #expect(try session.isEmpty)
            #expect(try session.changeset().isEmpty)
            #expect(try session.changeset() == Changeset())
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
            #expect(
                try session.changeset().lines == ["insert later [0:1]", "update T [0:1 2:1.5 → 2]"])
            #expect(try !session.isEmpty)
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
                #expect(try! Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 2)
                do { try db.execute(sql: "DELETE FROM t") } catch let failure { error = failure }
                return table == "w"
            }
            try db.execute(
                sql: "UPDATE t SET a = 0; DELETE FROM w; INSERT INTO w VALUES ('x', 1, 0)")
            #expect(try session.changeset().tableNames == ["w"])
            #expect(asked == ["t", "t", "w"])
            #expect((error as? DatabaseError)?.resultCode == .SQLITE_READONLY)
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 2)
        }
    }

    @Test func tablesWithoutPrimaryKeyAreRecordedByRowID() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            let byRowID = try db.makeSession(options: .rowIDs)
            try byRowID.attachAllTables()
            try db.execute(sql: "INSERT INTO noKey(rowid, a) VALUES (7, 'x')")
            #expect(try session.changeset().isEmpty)
            let changeset = try byRowID.changeset()
            #expect(changeset.lines == ["insert noKey [0:7 1:\"x\"]"])
            let schema = try ChangesetSchema(db)
            #expect(
                changeset.changes(in: schema).map(\.description) == [
                    "insert noKey [_rowid_:7 a:\"x\"]"
                ])
            try db.execute(sql: "DELETE FROM noKey")
            try db.apply(changeset)
            #expect(try Int64.fetchAll(db, sql: "SELECT rowid FROM noKey") == [7])
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
            #expect(
                changes.map { "\($0.tableName) \($0.isIndirect)" }
                    == ["child true", "t false", "log true"])
            #expect(!session.isIndirect)
            session.isIndirect = true
            #expect(session.isIndirect)
            try db.execute(sql: "DELETE FROM t WHERE id = 1")
            #expect(
                try session.changeset().allSatisfy {
                    $0.isIndirect || $0.primaryKey == [2.databaseValue]
                })
            try session.setIndirect(false)
            #expect(!session.isIndirect)
        }
    }

    @Test func disabledSessionsDoNotRecord() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            #expect(session.isEnabled)
            session.isEnabled = false
            try db.execute(sql: "DELETE FROM t WHERE id = 1")
            #expect(try session.isEmpty)
            try session.setEnabled(true)
            #expect(session.isEnabled)
            try db.execute(sql: "DELETE FROM t WHERE id = 2")
            #expect(try session.changeset().lines == ["delete t [0:2 1:\"two\" 2:NULL]"])
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
                #expect(try session.changeset().tableNames == ["t"])
                return .rollback
            }
            #expect(try session.changeset().isEmpty)
            #expect(try !session.isEmpty)
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
            #expect(changeset.changeCount == 2)
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
            #expect(changeset.tableNames == ["t"])
            let session = try db.makeSession()
            try session.attach("ft_data")
            try db.execute(sql: "INSERT INTO t VALUES (4, 'four', 0)")
            #expect(try session.changeset().tableNames == ["ft_data"])
        }
    }

    @Test func otherSchemasAreRecorded() throws {
        try dbQueue.write { db in
            let session = try db.makeSession(schema: "temp")
            #expect(session.schema == "temp")
            try session.attachAllTables()
            try db.execute(sql: "CREATE TEMP TABLE x(id INTEGER PRIMARY KEY)")
            try db.execute(sql: "INSERT INTO x VALUES (1); DELETE FROM t")
            #expect(try session.changeset().lines == ["insert x [0:1]"])
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
            #expect(try session.estimatedChangesetSize == 0)
            try db.execute(sql: "UPDATE t SET a = 'another text'")
            #expect(try session.memoryUsed > memory)
            #expect(try session.estimatedChangesetSize >= session.changeset().data.count)
            let other = try db.makeSession()
            try other.attachAllTables()
            try db.execute(sql: "UPDATE t SET a = 'a third text'")
            #expect(try other.estimatedChangesetSize == 0)
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
            #expect(changes == ["insert g [id:1 b:5]"])
            try db.execute(sql: "DELETE FROM g")
            try db.apply(changeset)
            #expect(try db.lines(of: "g") == ["10|1|15|5"])
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
            #expect(
                try session.changeset().lines
                    == ["update t [0:1 1:\"one\" → \"uno\" 3:\"new\" → \"newer\"]"])
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
            try db.execute(sql: "ATTACH DATABASE ? AS other", arguments: [path])
            let session = try db.makeSession()
            try session.diff(from: "other", table: "t")
            #expect(
                try session.changeset().lines == [
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
        #expect(try other.read { try $0.lines(of: "t") } == dbQueue.read { try $0.lines(of: "t") })
    }

    // MARK: - Observers

    /// SQLite has one place for the preupdate hook of observers and the one of sessions.
    @Test(arguments: [false, true]) func sessionsAndObserversGetAlong(observerFirst: Bool) throws {
        try dbQueue.writeWithoutTransaction { db in
            let recorder = TransactionRecorder(nil, .willChange)
            if observerFirst {
                db.add(transactionObserver: recorder)
                try db.execute(sql: "UPDATE t SET b = 0 WHERE id = 1")
                #expect(recorder.lines() == ["willChange update main.t 1"])
            }
            var session: Session? = try db.makeSession()
            try session!.attachAllTables()
            if !observerFirst { db.add(transactionObserver: recorder) }
            try db.execute(sql: "UPDATE t SET b = 1 WHERE id = 1")
            #expect(recorder.lines() == ["willChange update main.t 1"])
            #expect(try session!.changeset().lines.count == 1)

            let second = try db.makeSession()
            try second.attachAllTables()
            try db.execute(sql: "UPDATE t SET b = 2 WHERE id = 2")
            #expect(recorder.lines() == ["willChange update main.t 2"])
            #expect(try session!.changeset().changeCount == 2)
            #expect(try second.changeset().changeCount == 1)

            // Either may go.
            if observerFirst {
                db.remove(transactionObserver: recorder)
            } else {
                session = nil
            }
            try db.execute(sql: "DELETE FROM w")
            #expect(recorder.lines() == (observerFirst ? [] : ["willChange delete main.w 0"]))
            #expect(try second.changeset().changeCount == 2)
            if observerFirst {
                session = nil
                db.add(transactionObserver: recorder)
            } else {
                db.remove(transactionObserver: recorder)
            }
            try db.execute(sql: "INSERT INTO t VALUES (9, 9, 9)")
            #expect(recorder.lines() == (observerFirst ? ["willChange insert main.t 9"] : []))
            #expect(try second.changeset().changeCount == 3)
        }
    }

    /// The C functions under their plain names are those of sessions in Swift.
    @Test func sessionsOfCGetAlong() throws {
        try dbQueue.writeWithoutTransaction { db in
            let recorder = TransactionRecorder(nil, .willChange)
            db.add(transactionObserver: recorder)
            try db.execute(sql: "UPDATE t SET b = 0 WHERE id = 1")
            var raw: OpaquePointer?
            let session = try db.makeSession()
            try session.attachAllTables()
            #expect(sqlite3session_create(db.sqliteConnection, "main", &raw) == SQLITE_OK)
            #expect(sqlite3session_attach(raw, nil) == SQLITE_OK)
            var count = 0
            withUnsafeMutablePointer(to: &count) { count in
                sqlite3_preupdate_hook(
                    db.sqliteConnection,
                    { count, _, _, _, _, _, _ in
                        count!.assumingMemoryBound(to: Int.self).pointee += 1
                    }, count)
                sqlite3_exec(db.sqliteConnection, "UPDATE t SET b = 4", nil, nil, nil)
                let former = sqlite3_preupdate_hook(db.sqliteConnection, nil, nil)
                #expect(former == UnsafeMutableRawPointer(count))
            }
            #expect(count == 2)
            #expect(sqlite3session_isempty(raw) == 0)
            sqlite3session_delete(raw)
            try db.execute(sql: "UPDATE w SET v = 4")
            #expect(recorder.lines().last == "willChange update main.w 0")
            #expect(try session.changeset().changeCount == 3)
        }
    }

    @Test func observerMayRecordInAnAccessOfItsOwn() throws {
        try dbQueue.writeWithoutTransaction { db in
            let recorder = TransactionRecorder()
            var changeset: Changeset?
            var session: Session?
            recorder.onChange = { _ in
                // In the middle of a change: SQLite opens no savepoint.
                #expect(throws: DatabaseError.self) { try session?.changeset() }
            }
            recorder.onCommit = { _ in changeset = try? session?.changeset() }
            db.add(transactionObserver: recorder)
            session = try db.makeSession()
            try session?.attachAllTables()
            try db.execute(sql: "DELETE FROM w")
            #expect(changeset?.lines == ["delete w [0:\"x\" 1:1 2:Data(2 bytes)]"])
        }
    }

    // MARK: - Lifetime

    @Test func sessionOutlivesItsAccess() throws {
        let box = try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            return SessionBox(session)
        }
        try dbQueue.write { try $0.execute(sql: "DELETE FROM w") }
        try dbQueue.write { _ throws in
            #expect(try box.value?.changeset().changeCount == 1)
        }
        expectError("SQLite error 21: Database was not used on the correct thread.") {
            try box.value?.changeset()
        }
        expectError("SQLite error 21: Database was not used on the correct thread.") {
            try box.value?.attach("t")
        }
        expectError("SQLite error 21: Database was not used on the correct thread.") {
            try box.value?.setEnabled(false)
        }
    }

    @Test func sessionMayBeFreedOnAnotherThread() async throws {
        for _ in 0..<20 {
            let box = try await dbQueue.write { db in
                let session = try db.makeSession()
                try session.attachTables { $0 == "t" }
                try db.execute(sql: "UPDATE t SET b = random()")
                return SessionBox(session)
            }
            async let write: Void = dbQueue.write {
                try $0.execute(sql: "UPDATE t SET b = random()")
            }
            await Task.detached { box.value = nil }.value
            try await write
        }
        try await dbQueue.write { db in
            #expect(db.raw.sessions.isEmpty)
        }
    }

    @Test(arguments: DatabaseKind.allCases) func closingEndsSessions(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        let box = try writer.write { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
            let session = try db.makeSession()
            try session.attachTables { _ in true }
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            return SessionBox(session)
        }
        try writer.close()
        #expect(throws: DatabaseError.self) { try box.value?.changeset() }
        box.value = nil
    }

    @Test func sessionGoesOnWhenClosingFails() throws {
        let (box, statement) = try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            return (SessionBox(session), SessionBox(try db.makeStatement(sql: "SELECT 1")))
        }
        expectCode(.SQLITE_BUSY) { try dbQueue.close() }
        try dbQueue.write { db in
            try db.execute(sql: "DELETE FROM w")
            #expect(try box.value?.changeset().changeCount == 1)
        }
        statement.value = nil
        try dbQueue.close()
    }

    @Test func connectionMayGoFirst() throws {
        var queue: DatabaseQueue? = try TestDatabases.makeQueue()
        let box = try queue!.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            return SessionBox(session)
        }
        queue = nil
        #expect(throws: DatabaseError.self) { try box.value?.changeset() }
        box.value = nil
    }

    // MARK: - Output

    @Test func changesetsAreWrittenInPieces() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            for index in 10..<2000 {
                try db.execute(
                    sql: "INSERT INTO t VALUES (?, ?, NULL)",
                    arguments: [index, String(repeating: "x", count: index)])
            }
            let changeset = try session.changeset()
            var pieces: [Data] = []
            try session.writeChangeset { pieces.append(Data($0)) }
            #expect(pieces.count > 10)
            #expect(pieces.reduce(Data(), +) == changeset.data)
            pieces = []
            try session.writePatchset { pieces.append(Data($0)) }
            #expect(try pieces.reduce(Data(), +) == session.patchset().data)

            let url = URL(fileURLWithPath: TestDatabases.makePath("changes"))
            try session.writeChangeset(to: url)
            #expect(try Data(contentsOf: url) == changeset.data)
            try session.writePatchset(to: url)
            #expect(try Data(contentsOf: url) == session.patchset().data)

            // An error leaves the file as it is.
            struct Full: Error {}
            #expect(throws: Full.self) {
                try session.writeChangeset { _ in throw Full() }
            }
            #expect(throws: Full.self) {
                try ChangesetFile.write(to: url) { write in
                    try session.writeChangeset { bytes in
                        try write(bytes)
                        throw Full()
                    }
                }
            }
            #expect(try Data(contentsOf: url) == session.patchset().data)
            #expect(
                try FileManager.default.contentsOfDirectory(
                    atPath: url.deletingLastPathComponent().path) == [url.lastPathComponent])
            #expect(throws: (any Error).self) {
                try session.writeChangeset(to: URL(fileURLWithPath: "/nowhere/at/all"))
            }
            expectCode(.SQLITE_READONLY) {
                try session.writeChangeset { _ in try db.execute(sql: "DELETE FROM w") }
            }
        }
    }

    @Test func sessionsOfReadersCompareTables() throws {
        let pool = try TestDatabases.makePool()
        try pool.write { try $0.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)") }
        try pool.read { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            #expect(try session.changeset().isEmpty)
        }
    }
}
