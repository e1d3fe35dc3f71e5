import GRDBServer
import GRDBQueries
import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// What connections and observers do when the file system fails.
@Suite(.databases) struct FileFailureTests {
    /// Creates more pages than the cache has.
    private func createPages(_ db: Database) throws {
        try db.execute(
            sql: """
                PRAGMA cache_size = 4;
                CREATE TABLE t(id INTEGER PRIMARY KEY, a);
                WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 100)
                INSERT INTO t SELECT i, zeroblob(1000) FROM n;
                """)
    }

    // MARK: - Folders

    #if os(Linux)
    /// Runs a closure on this thread with the rights of another user than root.
    private func withoutRoot<T>(_ body: () throws -> T) rethrows -> T {
        typealias SetUser = @convention(c) (UInt32) -> CInt
        let setUser = unsafeBitCast(dlsym(nil, "setfsuid"), to: SetUser.self)
        let former = setUser(geteuid() == 0 ? 65534 : geteuid())
        defer { _ = setUser(UInt32(former)) }
        return try body()
    }

    @Test func readOnlyFolder() throws {
        let folder = TestDatabases.makePath("folder")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/db.sqlite"
        let pool = try TestDatabases.openPool(path, TestDatabases.makePlainConfiguration())
        try pool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        try pool.close()
        chmod(path, 0o444)
        chmod(folder, 0o555)
        defer { chmod(folder, 0o755) }
        var configuration = TestDatabases.makePlainConfiguration()
        configuration.readonly = true
        try withoutRoot {
            let error = expectError(DatabaseError.self) {
                try TestDatabases.openQueue(path, configuration).read { db in
                    _ = try Int.fetchOne(db, sql: "SELECT a FROM t")
                }
            }
            expectEqual(error?.extendedResultCode, .SQLITE_READONLY_DIRECTORY)
            expectEqual(
                error?.message,
                """
                attempt to write a readonly database: \(path) (its folder is read-only, but WAL mode creates \
                files in it, even for readers. Open a file that never changes with the URI parameter \
                "immutable")
                """)
            expectError(DatabaseError.self) {
                try TestDatabases.openPool(path, configuration).read { db in
                    _ = try Int.fetchOne(db, sql: "SELECT a FROM t")
                }
            }
            let uri = DatabaseURI(path: path, parameters: [.immutable(true)])
            let value = try DatabaseQueue(uri: uri, configuration: configuration).read { db in
                try Int.fetchOne(db, sql: "SELECT a FROM t")
            }
            expectEqual(value, 1)
        }
    }
    #endif

    // MARK: - Savepoints

    /// SQLite rolls the transaction back, which must not remain unnoticed.
    @Test func rollbackOfSavepointThrows() throws {
        let files = FailingFiles()
        let dbQueue = try files.makeQueue()
        try dbQueue.writeWithoutTransaction(createPages)

        expectError(matching: .SQLITE_IOERR_READ) {
            try dbQueue.write { db in
                try db.execute(sql: "DELETE FROM t WHERE id = 1")
                do {
                    try db.inSavepoint {
                        try db.execute(sql: "UPDATE t SET a = zeroblob(900)")
                        files.fail(.read)
                        return .rollback
                    }
                } catch {
                    files.restore()
                    expectTrue(!db.isInsideTransaction)
                    throw error
                }
                Issue.record("no error")
            }
        }
        let count = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 100)
    }

    @Test func rollbackOfSavepointThrowsInManualTransaction() throws {
        let files = FailingFiles()
        let dbQueue = try files.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try createPages(db)
            try db.beginTransaction()
            try db.execute(sql: "DELETE FROM t WHERE id = 1")
            expectError(matching: .SQLITE_IOERR_READ) {
                try db.inSavepoint {
                    try db.execute(sql: "UPDATE t SET a = zeroblob(900)")
                    files.fail(.read)
                    return .rollback
                }
            }
            files.restore()
            expectTrue(!db.isInsideTransaction)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 100)
        }
    }

    @Test func savepointThatThrowsKeepsItsError() throws {
        let files = FailingFiles()
        let dbQueue = try files.makeQueue()
        try dbQueue.writeWithoutTransaction(createPages)
        expectError("TestError") {
            try dbQueue.write { db in
                try db.execute(sql: "DELETE FROM t WHERE id = 1")
                try db.inSavepoint {
                    try db.execute(sql: "UPDATE t SET a = zeroblob(900)")
                    files.fail(.read)
                    throw TestError()
                }
            }
        }
        files.restore()
        try expectEqual(dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 100)
    }

    // MARK: - Changesets

    @Test(arguments: [FailingFiles.Operation.read, .write])
    func changesetThrowsErrorOfFile(operation: FailingFiles.Operation) throws {
        let files = FailingFiles()
        let dbQueue = try files.makeQueue()
        try dbQueue.writeWithoutTransaction(createPages)
        let changeset = try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attach("t")
            try db.execute(sql: "UPDATE t SET a = zeroblob(900)")
            return try session.changeset()
        }
        expectError(matching: operation == .read ? .SQLITE_IOERR_READ : .SQLITE_IOERR_WRITE) {
            try dbQueue.write { db in
                files.fail(operation)
                try db.apply(changeset.inverted())
            }
        }
        files.restore()
        try dbQueue.write { _ = try $0.apply(changeset.inverted()) }
        let length = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT MIN(length(a)) FROM t") }
        expectEqual(length, 1000)
    }

    // MARK: - Full-text search

    /// The statements of FTS5 roll the transaction back when they fail, in the middle of a change.
    @Test func fullTextIndexIsWholeAfterFailedReads() throws {
        let files = FailingFiles()
        let dbQueue = try files.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try createPages(db)
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE doc USING fts5(text);
                    INSERT INTO doc SELECT 'a b c' FROM t
                    """)
        }
        for skipped in 0..<20 {
            // Not from the cache.
            dbQueue.releaseMemory()
            files.fail(.read, times: 1, skipping: skipped)
            try? dbQueue.write { try $0.execute(sql: "INSERT INTO doc VALUES ('d')") }
            files.restore()
            try dbQueue.write { try $0.execute(sql: "INSERT INTO doc VALUES ('e')") }
            let report = try dbQueue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
            expectEqual(report, ["ok"], "\(skipped)")
        }
    }

    // MARK: - Commits

    /// SQLite reports an error although the transaction is in the file.
    @Test func observationSeesCommitThatThrows() throws {
        let files = FailingFiles()
        let dbQueue = try files.makeQueue()
        try dbQueue.writeWithoutTransaction(createPages)
        let counts = Log<Int?>()
        let tables = Log<Int?>()
        let changes = Log<Int>()
        let cancellables = [
            ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
                .start(
                    in: dbQueue, scheduling: .async(onQueue: DispatchQueue(label: "counts")),
                    onError: { Issue.record($0) }, onChange: { counts.append($0) }),
            ValueObservation
                .tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") }
                .start(
                    in: dbQueue, scheduling: .async(onQueue: DispatchQueue(label: "tables")),
                    onError: { Issue.record($0) }, onChange: { tables.append($0) }),
            DatabaseRegionObservation(tracking: Table("t"))
                .start(
                    in: dbQueue, onError: { Issue.record($0) }, onChange: { _ in changes.append(1) }
                ),
        ]
        defer { cancellables.forEach { $0.cancel() } }
        counts.wait(forCount: 1)
        tables.wait(forCount: 1)

        expectError(matching: .SQLITE_IOERR_UNLOCK) {
            try dbQueue.write { db in
                try db.execute(sql: "DELETE FROM t WHERE id < 11; CREATE TABLE u(a)")
                files.fail(.unlock, times: 1)
            }
        }
        expectEqual(counts.wait(forCount: 2), [100, 90])
        expectEqual(tables.wait(forCount: 2), [1, 2])
        expectEqual(changes.wait(forCount: 1), [1])
        try expectTrue(dbQueue.read { try $0.tableExists("u") })

        // The next transaction is like any other.
        try dbQueue.write { try $0.execute(sql: "DELETE FROM t WHERE id < 12") }
        expectEqual(counts.wait(forCount: 3), [100, 90, 89])
    }

    /// SQLite reports an error although the content was replaced.
    @Test func observationSeesReplacementsThatThrow() throws {
        let source = try DatabaseQueue()
        try source.writeWithoutTransaction(createPages)
        let replacements: [(DatabaseQueue) throws -> Void] = [
            { try source.backup(to: $0) }, { try $0.erase() },
        ]
        for replace in replacements {
            for skipped in 0..<6 {
                let files = FailingFiles()
                let dbQueue = try files.makeQueue()
                try dbQueue.writeWithoutTransaction { db in
                    try createPages(db)
                    try db.execute(sql: "CREATE TABLE u(a)")
                }
                let sql = "SELECT COUNT(*) FROM sqlite_master"
                let counts = Log<Int?>()
                let cancellable = ValueObservation.tracking { try Int.fetchOne($0, sql: sql) }
                    .start(
                        in: dbQueue, scheduling: .async(onQueue: DispatchQueue(label: "counts")),
                        onError: { Issue.record($0) }, onChange: { counts.append($0) })
                expectEqual(counts.wait(forCount: 1), [2])
                files.fail(.unlock, times: 1, skipping: skipped)
                try? replace(dbQueue)
                files.restore()
                let count = try dbQueue.read { try Int.fetchOne($0, sql: sql) }
                if count != 2 { expectEqual(counts.wait(forCount: 2).last, count) }
                cancellable.cancel()
            }
        }
    }

    @Test func observationIsNotWokenByCommitThatFails() throws {
        let files = FailingFiles()
        let dbQueue = try files.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t(a)")
        }
        let changes = Log<Int>()
        let cancellable = DatabaseRegionObservation(tracking: Table("t"))
            .start(in: dbQueue, onError: { Issue.record($0) }, onChange: { _ in changes.append(1) })
        defer { cancellable.cancel() }
        expectError("TestError") {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                throw TestError()
            }
        }
        expectEqual(changes.elements, [])
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        expectEqual(changes.wait(forCount: 1), [1])
    }

    // MARK: - Undo

    /// The state is read after the commit.
    @Test func undoStateIsNeverLost() throws {
        let files = FailingFiles()
        let dbQueue = try files.makeQueue()
        try dbQueue.writeWithoutTransaction(createPages)
        let history = try UndoHistory(dbQueue, storage: .table("history"))
        try history.record("delete") { try $0.execute(sql: "DELETE FROM t WHERE id = 1") }
        let observer = CommitObserver {
            try? $0.execute(sql: "PRAGMA shrink_memory")
            files.fail(.read)
        }
        dbQueue.add(transactionObserver: observer, extent: .databaseLifetime)
        guard case .done = try history.undo() else {
            Issue.record("nothing is undone")
            return
        }
        files.restore()
        expectTrue(!history.state.canUndo)
        expectEqual(history.state.redoName, "delete")
    }

    // MARK: - Damaged schemas

    @Test(arguments: ["type", "name", "tbl_name"], ["NULL", "12", "x'ff'"])
    func damagedSchemaThrows(column: String, value: String) throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a);
                    CREATE INDEX i ON t(a);
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET \(column) = \(value);
                    """)
            db.clearSchemaCache()
            var results: [String] = []
            for (name, body) in [
                ("tables", { _ = try db.tableExists("t") }),
                ("columns", { _ = try db.columns(in: "t") }),
                ("key", { _ = try db.primaryKey("t") }),
                ("dump", { try db.dumpSchema(to: Text()) }),
            ] as [(String, () throws -> Void)] {
                do {
                    try body()
                } catch {
                    results.append(name)
                }
            }
            // No trap.
            if value == "NULL" { expectEqual(results.first, "tables") }
        }
    }
}

private final class Text: TextOutputStream {
    func write(_ string: String) {}
}

private final class CommitObserver: TransactionObserver {
    private let onCommit: (Database) -> Void

    init(onCommit: @escaping (Database) -> Void) { self.onCommit = onCommit }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { onCommit(db) }
    func databaseDidRollback(_ db: Database) {}
}

/// Expects that the closure throws a database error of this code.
private func expectError<Result>(
    matching code: ResultCode, line: Int = #line,
    _ body: () throws -> Result
) {
    do {
        _ = try body()
        recordIssue("no error of code \(code)", line: line)
    } catch {
        expectEqual((error as? DatabaseError)?.extendedResultCode, code, "\(error)", line: line)
    }
}
