import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// What happens to a connection from outside: files that are replaced, cancellations that come late,
/// writes by others. See `ForkTests` for forks.
@Suite(.databases) struct ConnectionSafetyTests {
    // MARK: - Isolation

    /// A read sees the database as it was when its closure began, not when its first statement ran.
    ///
    /// The limit is long because the test waits for its turn among all other tests, between its parts.
    @Test(.patience) func readsSeeTheDatabaseOfTheirBeginning() async throws {
        let pool = try TestDatabases.makePool()
        try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let count: @Sendable (Database) throws -> Int? = { db in
            // Not in the read: its transaction would be a snapshot anyway.
            onAnotherThread {
                try! pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            }
            return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        }
        func readOnThisThread(_ reader: any DatabaseReader) throws -> Int? {
            try reader.read { try count($0) }
        }
        func unsafeReadOnThisThread() throws -> Int? { try pool.unsafeRead { try count($0) } }
        try expectEqual(readOnThisThread(pool), 0)
        try await expectEqual(pool.read(count), 1)
        let third: Int? = try await withCheckedThrowingContinuation { continuation in
            pool.asyncRead { result in
                continuation.resume(with: Result { try count(result.get()) })
            }
        }
        expectEqual(third, 2)
        try expectEqual(unsafeReadOnThisThread(), 4)
        try expectEqual(readOnThisThread(AnyDatabaseReader(pool)), 4)
    }

    /// The same in a pool that can't write, in reads that follow one that has failed, and in reads of
    /// several threads.
    @Test(.patience) func readsOfReadOnlyPoolsSeeTheDatabaseOfTheirBeginning() throws {
        let writer = try TestDatabases.makePool()
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let pool = try TestDatabases.openPool(writer.path, configuration)
        let insert: @Sendable () -> Void = {
            try! writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        let count: @Sendable (Database) throws -> Int? = {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t")
        }
        for expected in 0..<5 {
            expectError("TestError") {
                try pool.read { _ in throw TestError() }
            }
            let counts = try pool.read { db in
                onAnotherThread(insert)
                // Another reader begins later.
                let later = Log<Int?>()
                onAnotherThread { later.append(try! pool.read(count)) }
                return try [count(db), later.elements[0], count(db)]
            }
            expectEqual(counts, [expected, expected + 1, expected])
        }
    }

    // MARK: - Cancellation

    /// All that the read wanted is there: there is nothing to cancel.
    @Test(arguments: DatabaseKind.allCases)
    func readCancelledAfterItsLastStatementReturns(kind: DatabaseKind) async throws {
        let writer = try TestDatabases.makeWriter(kind)
        let value = try await Task {
            try await writer.read { db in
                let value = try Int.fetchOne(db, sql: "SELECT 42")
                withUnsafeCurrentTask { $0?.cancel() }
                return value
            }
        }.value
        expectEqual(value, 42)
        let first = try await Task {
            try await writer.read { db in
                let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
                let value = try cursor.next()
                withUnsafeCurrentTask { $0?.cancel() }
                return withExtendedLifetime(cursor) { value }
            }
        }.value
        expectEqual(first, 1)
        // A statement after the cancellation fails.
        await expectError(CancellationError.self) {
            try await Task {
                try await writer.read { db in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try Int.fetchOne(db, sql: "SELECT 42")
                }
            }.value
        }
        try await expectEqual(writer.read { try Int.fetchOne($0, sql: "SELECT 1") }, 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func committedWriteReportsNoCancellation(kind: DatabaseKind) async throws {
        let writer = try TestDatabases.makeWriter(kind)
        try await writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let value = try await Task {
            try await writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    db.afterNextTransaction { _ in
                        withUnsafeCurrentTask { $0?.cancel() }
                    }
                    return .commit
                }
                return 42
            }
        }.value
        expectEqual(value, 42)
        let other = try await Task {
            try await writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                db.afterNextTransaction { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                }
                return 43
            }
        }.value
        expectEqual(other, 43)
        try await expectEqual(writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1, 2])
    }

    // MARK: - Replaced files

    @Test func readersDoNotOpenAnotherFileThanTheWriter() throws {
        let path = TestDatabases.makePath()
        let pool = try TestDatabases.openPool(path)
        try pool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.moveItem(atPath: path + suffix, toPath: path + "-old" + suffix)
        }
        let other = try TestDatabases.openPool(path)
        try other.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (2)") }
        let error = """
            SQLite error 1032: The database file was replaced while connections to the former one \
            are open: \(path)
            """
        let description = "SQLite error 8" + error.dropFirst("SQLite error 1032".count)
        expectError(description) { try pool.read { _ in } }
        do {
            try pool.read { _ in }
        } catch let error as DatabaseError {
            expectEqual(error.extendedResultCode, .SQLITE_READONLY_DBMOVED)
        }
        try expectEqual(other.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [2])
        expectError(description) { _ = try pool.makeSnapshot() }
        expectError(description) { _ = try pool.makeSnapshotPool() }
        // The writer still has its file.
        try expectEqual(pool.write { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1])
    }

    /// A file that is gone, and not replaced: SQLite finds nothing to open.
    @Test func readersDoNotOpenAMissingFile() throws {
        let path = TestDatabases.makePath()
        let pool = try TestDatabases.openPool(path)
        try pool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
        expectError(
            "SQLite error 14: unable to open database file: \(path) (No such file or directory)"
        ) {
            try pool.read { _ in }
        }
        expectTrue(!FileManager.default.fileExists(atPath: path))
        try expectEqual(pool.write { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1])
    }

    /// A queue, and a pool that has opened its readers, go on with the file that they have. Without a
    /// WAL file, SQLite refuses to write what nobody could find.
    @Test(arguments: DatabaseKind.allCases)
    func openConnectionsKeepTheirFile(kind: DatabaseKind) throws {
        let path = TestDatabases.makePath()
        let writer: any DatabaseWriter =
            kind == .queue ? try TestDatabases.openQueue(path) : try TestDatabases.openPool(path)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        try writer.read { _ in }
        for file in try FileManager.default.contentsOfDirectory(
            atPath: (path as NSString).deletingLastPathComponent)
        where file.hasPrefix((path as NSString).lastPathComponent) {
            let folder = (path as NSString).deletingLastPathComponent + "/"
            try FileManager.default.moveItem(atPath: folder + file, toPath: folder + "old-" + file)
        }
        try TestDatabases.openQueue(path).write { try $0.execute(sql: "CREATE TABLE other(a)") }
        try expectEqual(writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1])
        let insert: (Database) throws -> Void = { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        switch kind {
        case .queue:
            let error = expectError(DatabaseError.self) { try writer.write(insert) }
            expectEqual(error?.extendedResultCode, .SQLITE_READONLY_DBMOVED)
            try expectEqual(writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1])
        case .pool:
            try writer.write(insert)
            try expectEqual(writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1, 2])
        }
    }

    // MARK: - Busy modes

    @Test func readersHaveTheirOwnBusyMode() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(2)
        configuration.readonlyBusyMode = .timeout(3)
        let timeout: (Database) throws -> Int? = {
            try Int.fetchOne($0, sql: "PRAGMA busy_timeout")
        }
        let pool = try TestDatabases.makePool(configuration)
        try expectEqual(pool.writeWithoutTransaction(timeout), 2000)
        try expectEqual(pool.read(timeout), 3000)
        try expectEqual(pool.makeSnapshot().read(timeout), 3000)
        let path = pool.path
        try expectEqual(TestDatabases.openQueue(path, configuration).read(timeout), 2000)
        configuration.readonly = true
        try expectEqual(TestDatabases.openQueue(path, configuration).read(timeout), 3000)
        configuration.readonlyBusyMode = nil
        try expectEqual(TestDatabases.openQueue(path, configuration).read(timeout), 2000)
        try expectEqual(TestDatabases.openPool(path, configuration).read(timeout), 10_000)
    }

    // MARK: - Lengths

    @Test func tooLongSQLIsRefused() throws {
        try TestDatabases.makeQueue().read { db in
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_SQL_LENGTH, 1_500_000)
            let sql = "SELECT 1" + String(repeating: " ", count: 2_000_000)
            let message =
                "SQLite error 18: The SQL is too long: 2000008 bytes, where 1500000 are accepted"
            expectError(message) { try db.execute(sql: sql) }
            expectError(message) { try db.makeStatement(sql: sql) }
            expectError(message) { try db.cachedStatement(sql: sql) }
            expectError(message) { try Int.fetchOne(db, sql: sql) }
            expectError(message) { try db.allStatements(sql: sql).next() }
            let accepted = "SELECT 1" + String(repeating: " ", count: 1_400_000)
            let value = try Int.fetchOne(db, sql: accepted)
            expectEqual(value, 1)
        }
    }
}
