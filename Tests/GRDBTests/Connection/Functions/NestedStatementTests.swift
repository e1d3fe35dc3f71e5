import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Functions and observers that run statements, which call them again, without end.
@Suite(.databases) struct NestedStatementTests {
    /// Lets a connection into closures that must not use it.
    private final class Escaped: @unchecked Sendable {
        var db: Database!
        var depth = 0
        var maximumDepth = 0
        var error: (any Error)?
    }

    private static func onThread(
        stackSize: Int, _ body: @escaping @Sendable () throws -> Void
    ) {
        let semaphore = DispatchSemaphore(value: 0)
        let thread = Thread {
            try! body()
            semaphore.signal()
        }
        thread.stackSize = stackSize
        thread.start()
        semaphore.wait()
    }

    private static func expectNestingError(_ body: () throws -> Void) {
        do {
            try body()
            fatalError("no error")
        } catch let error as DatabaseError {
            precondition(error.resultCode == .SQLITE_ERROR, "\(error)")
            precondition(error.message!.hasPrefix("Too many nested statements"), "\(error)")
        } catch {
            fatalError("\(error)")
        }
    }

    @Test(arguments: [256, 512, 8192])
    func functionThatCallsItself(kilobytes: Int) async {
        await #expect(processExitsWith: .success) { [kilobytes] in
            NestedStatementTests.onThread(stackSize: kilobytes * 1024) {
                try DatabaseQueue().write { db in
                    let escaped = Escaped()
                    escaped.db = db
                    db.add(
                        function: DatabaseFunction("f", argumentCount: 1) { values in
                            try Int.fetchOne(escaped.db, sql: "SELECT f(?)", arguments: [1])
                        })
                    NestedStatementTests.expectNestingError {
                        try db.execute(sql: "SELECT f(1)")
                    }
                    // The connection is as good as before.
                    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
                    let value = try Int.fetchOne(db, sql: "SELECT a FROM t")
                    precondition(value == 1)
                    // Cursors call functions in any of their steps.
                    db.add(
                        function: DatabaseFunction("f", argumentCount: 1) { values in
                            guard let value = Int.fromDatabaseValue(values[0]), value > 1 else {
                                return 0
                            }
                            let cursor = try Int.fetchCursor(
                                escaped.db, sql: "SELECT f(column1) FROM (VALUES (1), (2))")
                            while try cursor.next() != nil {}
                            return 0
                        })
                    NestedStatementTests.expectNestingError {
                        try db.execute(sql: "SELECT f(2)")
                    }
                }
            }
        }
    }

    /// The readers of a pool, and its writer, on a thread with little stack.
    @Test func functionThatCallsItselfInAPool() async {
        await #expect(processExitsWith: .success) {
            let path = NSTemporaryDirectory() + "nested-\(UUID().uuidString).sqlite"
            defer {
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: path + suffix)
                }
            }
            NestedStatementTests.onThread(stackSize: 512 * 1024) {
                let pool = try DatabasePool(path: path)
                try pool.write {
                    try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
                }
                func expectNestingErrors(_ db: Database) throws {
                    let escaped = Escaped()
                    escaped.db = db
                    db.add(
                        function: DatabaseFunction("f", argumentCount: 1) { values in
                            try Int.fetchOne(escaped.db, sql: "SELECT f(a) FROM t")
                        })
                    NestedStatementTests.expectNestingError {
                        _ = try Int.fetchAll(db, sql: "SELECT f(a) FROM t")
                    }
                    let value = try Int.fetchOne(db, sql: "SELECT a FROM t")
                    precondition(value == 1)
                }
                try pool.read(expectNestingErrors)
                try pool.write(expectNestingErrors)
                try pool.makeSnapshot().read(expectNestingErrors)
                try pool.write { db in
                    NestedStatementTests.expectNestingError {
                        try db.execute(sql: "INSERT INTO t SELECT f(a) FROM t")
                    }
                }
                let values = try pool.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
                precondition(values == [1])
            }
        }
    }

    @Test(arguments: [512, 8192])
    func observerThatRunsStatements(kilobytes: Int) async {
        await #expect(processExitsWith: .success) { [kilobytes] in
            NestedStatementTests.onThread(stackSize: kilobytes * 1024) {
                let dbQueue = try DatabaseQueue()
                try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
                let escaped = Escaped()
                let recorder = TransactionRecorder()
                recorder.onWillCommit = {
                    // SQLite is in autocommit mode here: this commits as well.
                    try escaped.db.execute(sql: "INSERT INTO t VALUES (2)")
                }
                dbQueue.add(transactionObserver: recorder)
                NestedStatementTests.expectNestingError {
                    try dbQueue.write { db in
                        escaped.db = db
                        try db.execute(sql: "INSERT INTO t VALUES (1)")
                    }
                }
                dbQueue.remove(transactionObserver: recorder)
                try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
                let values = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
                precondition(values == [3])
            }
        }
    }
}
