import GRDB
import GRDBTestSupport
import Testing

/// What all writers have in common, whatever their number of connections.
@Suite(.databases) struct DatabaseWriterTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE)")
        }
        return writer
    }

    private func count(_ reader: any DatabaseReader) throws -> Int? {
        try reader.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    }

    @Test(arguments: DatabaseKind.allCases)
    func writeCommits(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let id = try writer.write { db in
            expectTrue(db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO t(a) VALUES ('x')")
            return db.lastInsertedRowID
        }
        expectEqual(id, 1)
        try expectEqual(count(writer), 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func writeThatThrowsIsReverted(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        expectError(TestError()) {
            try writer.write { db in
                try db.execute(sql: "INSERT INTO t(a) VALUES ('x')")
                throw TestError()
            }
        }
        expectError(DatabaseError.self) {
            try writer.write { db in
                try db.execute(sql: "INSERT INTO t(a) VALUES ('x')")
                try db.execute(sql: "INSERT INTO t(a) VALUES ('x')")
            }
        }
        try expectEqual(count(writer), 0)
    }

    @Test(arguments: DatabaseKind.allCases)
    func writeMayBeAwaited(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        try await writer.write { try $0.execute(sql: "INSERT INTO t(a) VALUES ('x')") }
        await expectError(TestError()) {
            try await writer.write { db in
                try db.execute(sql: "INSERT INTO t(a) VALUES ('y')")
                throw TestError()
            }
        }
        let count = try await writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func readCanNotWrite(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        for sql in [
            "INSERT INTO t(a) VALUES ('x')", "CREATE TABLE u(a)", "PRAGMA user_version = 1",
        ] {
            expectError(
                "SQLite error 8: attempt to write a readonly database - while executing `\(sql)`"
            ) {
                try writer.read { try $0.execute(sql: sql) }
            }
        }
        try expectEqual(count(writer), 0)
    }

    @Test(arguments: DatabaseKind.allCases)
    func writesWithoutTransactionRemain(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        expectError(TestError()) {
            try writer.writeWithoutTransaction { db in
                expectTrue(!db.isInsideTransaction)
                try db.execute(sql: "INSERT INTO t(a) VALUES ('x')")
                throw TestError()
            }
        }
        try writer.barrierWriteWithoutTransaction { db in
            expectTrue(!db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO t(a) VALUES ('y')")
        }
        try expectEqual(count(writer), 2)
    }

    @Test(arguments: DatabaseKind.allCases)
    func writesAreNotReentrant(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.write { db in
            expectError("SQLite error 21: Database methods are not reentrant.") {
                try writer.write { _ in }
            }
            writer.unsafeReentrantWrite { #expect($0 === db) }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func observersWatchTheWriter(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let recorder = TransactionRecorder()
        writer.add(transactionObserver: recorder)
        try writer.write { try $0.execute(sql: "INSERT INTO t(a) VALUES ('x')") }
        try writer.read { _ in }
        expectEqual(recorder.lines(), ["didChange insert main.t 1", "willCommit", "didCommit"])
        writer.remove(transactionObserver: recorder)
        try writer.write { _ in }
        expectEqual(recorder.lines(), [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func writersCanBeBackedUpErasedAndClosed(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.write { try $0.execute(sql: "INSERT INTO t(a) VALUES ('x')") }
        let copy = try TestDatabases.makeWriter(kind)
        try writer.backup(to: copy)
        try expectEqual(count(copy), 1)
        try writer.erase()
        try writer.vacuum()
        expectError(DatabaseError.self) { try count(writer) }
        try expectEqual(count(copy), 1)
        try writer.close()
        expectError("SQLite error 21: Connection is closed") { try writer.read { _ in } }
        expectError("SQLite error 21: Connection is closed") { try writer.write { _ in } }
    }
}
