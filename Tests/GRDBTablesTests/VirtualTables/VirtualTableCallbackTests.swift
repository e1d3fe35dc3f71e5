@testable import GRDBTables
import GRDBTestSupport
import Testing

@testable import GRDB

/// A table in memory that calls a closure in each of its callbacks.
private final class HookedTable: TransactionalVirtualTable {
    typealias Hook = @Sendable (_ call: String, _ db: Database) throws -> Void

    static let hook = Locked<Hook?>(nil)
    static let calls = Log<String>()
    static let cursorCount = Locked(0)

    typealias Rows = [Int64: [DatabaseValue]]
    var rows: Rows = [:]
    private var committed: Rows = [:]
    private var saved: [(number: Int, rows: Rows)] = []
    private weak var database: Database?
    let declaration = "name TEXT, text TEXT"

    init(connecting connection: VirtualTableConnection) throws {
        database = connection.database
        try note(connection.isCreated ? "create" : "connect")
    }

    func note(_ call: String) throws {
        HookedTable.calls.append(call)
        guard let database else { throw TestError("closed") }
        let hook = HookedTable.hook.withLock { $0 }
        try hook?(call, database)
    }

    func plan(_ plan: inout VirtualTablePlan) throws -> Bool {
        try note("plan")
        return true
    }

    func makeCursor() throws -> HookedCursor {
        try note("open")
        return HookedCursor(self)
    }

    func destroy() throws { try note("destroy") }
    func rename(to name: String) throws { try note("rename") }

    func integrityProblem(schema: String, table: String, isQuick: Bool) throws -> String? {
        try note("integrity")
        return nil
    }

    func insert(
        _ values: [DatabaseValue], rowID: Int64?, onConflict: Database.ConflictResolution
    ) throws -> Int64 {
        try note("insert")
        let rowID = rowID ?? (rows.keys.max() ?? 0) + 1
        rows[rowID] = values
        return rowID
    }

    func update(
        rowID: Int64, newRowID: Int64, _ values: [DatabaseValue],
        onConflict: Database.ConflictResolution
    ) throws {
        try note("update")
        rows[rowID] = nil
        rows[newRowID] = values
    }

    func delete(rowID: Int64) throws {
        try note("delete")
        rows[rowID] = nil
    }

    func begin() throws {
        committed = rows
        saved = []
        try note("begin")
    }
    func sync() throws { try note("sync") }
    func commit() {
        try? note("commit")
        saved = []
    }
    func rollback() {
        try? note("rollback")
        rows = committed
        saved = []
    }
    func savepoint(_ number: Int) throws {
        saved.append((number, rows))
        try note("savepoint")
    }
    func release(_ number: Int) throws {
        saved.removeAll { $0.number >= number }
        try note("release")
    }
    func rollback(to number: Int) throws {
        if let state = saved.first(where: { $0.number == number }) { rows = state.rows }
        try note("rollback to")
    }
}

private final class HookedCursor: VirtualTableCursor {
    private let table: HookedTable
    private var rowIDs: [Int64] = []

    init(_ table: HookedTable) {
        self.table = table
        HookedTable.cursorCount.withLock { $0 += 1 }
    }

    deinit { HookedTable.cursorCount.withLock { $0 -= 1 } }

    func filter(number: Int, text: String?, arguments: VirtualTableArguments) throws {
        rowIDs = table.rows.keys.sorted(by: >)
        try table.note("filter")
    }

    func next() throws {
        try table.note("next")
        rowIDs.removeLast()
    }

    var isAtEnd: Bool { rowIDs.isEmpty }

    func column(_ index: Int, into result: VirtualTableResult) throws {
        try table.note("column")
        try result.set(table.rows[rowIDs.last!]![index])
    }

    var rowID: Int64 {
        get throws {
            try table.note("rowid")
            return rowIDs.last!
        }
    }
}

/// What happens when a callback of a table throws, uses the connection, or is interrupted.
@Suite(.databases, .serialized) struct VirtualTableCallbackTests {
    static let calls = [
        "create", "plan", "open", "filter", "next", "column", "rowid", "insert", "update", "delete",
        "begin", "sync", "commit", "rollback", "savepoint", "release", "rollback to", "integrity",
        "rename", "connect", "destroy",
    ]

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(module: DatabaseModule("hooked", HookedTable.self))
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db throws in
            try db.execute(sql: "CREATE TABLE plain(a); INSERT INTO plain VALUES (1), (2)")
        }
        return writer
    }

    /// Statements that run all callbacks.
    private static func work(_ db: Database) throws {
        try db.execute(sql: "CREATE VIRTUAL TABLE t USING hooked")
        try db.inTransaction {
            try db.execute(sql: "INSERT INTO t VALUES ('a', 'one'), ('b', 'two')")
            try db.inSavepoint {
                try db.execute(sql: "UPDATE t SET text = 'ZWEI' WHERE name = 'b'")
                return .commit
            }
            try db.inSavepoint {
                try db.execute(sql: "DELETE FROM t")
                return .rollback
            }
            return .commit
        }
        try db.inTransaction {
            try db.execute(sql: "DELETE FROM t WHERE name = 'a'")
            return .rollback
        }
        try expectEqual(
            Row.fetchAll(db, sql: "SELECT rowid, * FROM t ORDER BY rowid"),
            [
                ["rowid": 1, "name": "a", "text": "one"],
                ["rowid": 2, "name": "b", "text": "ZWEI"],
            ])
        try expectEqual(String.fetchAll(db, sql: "PRAGMA integrity_check"), ["ok"])
        try db.execute(sql: "ALTER TABLE t RENAME TO u")
        try db.execute(sql: "DROP TABLE u")
    }

    /// Runs the statements, with a hook that runs once: at the first or a later call.
    ///
    /// - returns: the error of the statements.
    private func run(
        _ writer: any DatabaseWriter, _ call: String, occurrence: Int,
        _ action: @escaping HookedTable.Hook
    ) -> (error: (any Error)?, calls: Int) {
        let count = Locked(0)
        HookedTable.calls.removeAll()
        HookedTable.hook.withLock {
            $0 = { name, db in
                guard name == call else { return }
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number == occurrence { try action(name, db) }
            }
        }
        defer { HookedTable.hook.withLock { $0 = nil } }
        var failure: (any Error)?
        writer.writeWithoutTransaction { db in
            do { try Self.work(db) } catch { failure = error }
            expectTrue(!db.isInsideTransaction)
        }
        return (failure, count.withLock { $0 })
    }

    /// The connection works as before, and no cursor is left.
    private func expectHealth(
        _ writer: any DatabaseWriter, _ context: String
    ) throws {
        HookedTable.hook.withLock { $0 = nil }
        expectTrue(HookedTable.cursorCount.withLock { $0 } == 0, "\(context)")
        try writer.writeWithoutTransaction { db throws in
            for table in ["t", "u"] {
                try db.execute(sql: "DROP TABLE IF EXISTS \(table)")
            }
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO plain VALUES (3); DELETE FROM plain WHERE a = 3")
                return .commit
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT sum(a) FROM plain"), 3, "\(context)")
            // No error of a callback is left for a later statement.
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: "SELECT * FROM nowhere")
            }
            expectEqual(error?.message, "no such table: nowhere", "\(context)")
            try Self.work(db)
        }
    }

    @Test func allCallbacksAreCalled() throws {
        let writer = try makeWriter(.queue)
        HookedTable.calls.removeAll()
        try writer.writeWithoutTransaction { try Self.work($0) }
        expectEqual(Set(HookedTable.calls.removeAll()), Set(Self.calls))
    }

    @Test(arguments: DatabaseKind.allCases, calls)
    func callbacksThrow(kind: DatabaseKind, call: String) throws {
        let writer = try makeWriter(kind)
        for occurrence in 1...2 {
            let (error, calls) = run(writer, call, occurrence: occurrence) { call, _ throws in
                throw TestError(call)
            }
            // The first two can't fail. A savepoint is rolled back again if that fails.
            let canFail = !["commit", "rollback", "rollback to"].contains(call)
            let expected = canFail && calls >= occurrence ? TestError(call) : nil
            expectEqual(error as? TestError, expected, "\(call) \(occurrence): \(error as Any)")
            expectEqual((error == nil), (expected == nil))
            try expectHealth(writer, "\(call) \(occurrence)")
        }
    }

    /// Callbacks read other tables, and catch the errors of statements that fail.
    @Test(arguments: DatabaseKind.allCases, calls)
    func callbacksUseTheConnection(kind: DatabaseKind, call: String) throws {
        let writer = try makeWriter(kind)
        for occurrence in 1...2 {
            let (error, calls) = run(writer, call, occurrence: occurrence) { call, db throws in
                try expectEqual(Int.fetchOne(db, sql: "SELECT sum(a) FROM plain"), 3, "\(call)")
                expectError(DatabaseError.self) {
                    try db.execute(sql: "SELECT * FROM missing")
                }
                expectError(DatabaseError.self) {
                    try Row.fetchAll(db, sql: "SELECT abs(-9223372036854775808)")
                }
            }
            expectNil(error, "\(call) \(occurrence): \(error as Any)")
            #expect(calls > 0)
            try expectHealth(writer, "\(call) \(occurrence)")
        }
    }

    /// Callbacks that change tables change other ones of the same database.
    @Test(arguments: DatabaseKind.allCases, ["create", "insert", "update", "delete", "destroy"])
    func callbacksWrite(kind: DatabaseKind, call: String) throws {
        let writer = try makeWriter(kind)
        let (error, _) = run(writer, call, occurrence: 1) { call, db throws in
            try db.execute(sql: "INSERT INTO plain VALUES (40)")
        }
        expectNil(error, "\(call): \(error as Any)")
        try writer.write { db throws in
            // The first DELETE is rolled back.
            let expected = call == "delete" ? 3 : 43
            try expectEqual(Int.fetchOne(db, sql: "SELECT sum(a) FROM plain"), expected)
            try db.execute(sql: "DELETE FROM plain WHERE a = 40")
        }
        try expectHealth(writer, call)
    }

    /// Interrupted in a callback, statements end, or the next ones go on.
    @Test(arguments: DatabaseKind.allCases, calls)
    func callbacksAreInterrupted(kind: DatabaseKind, call: String) throws {
        let writer = try makeWriter(kind)
        for occurrence in 1...2 {
            let (error, _) = run(writer, call, occurrence: occurrence) { _, _ in
                writer.interrupt()
            }
            if let error {
                expectEqual(
                    (error as? DatabaseError)?.resultCode, .SQLITE_INTERRUPT,
                    "\(call) \(occurrence): \(error)")
            }
            try expectHealth(writer, "\(call) \(occurrence)")
        }
    }

    /// A task is cancelled in a callback: its access throws, and undoes its changes.
    @Test(arguments: DatabaseKind.allCases, calls)
    func tasksAreCancelledInCallbacks(kind: DatabaseKind, call: String) async throws {
        let writer = try makeWriter(kind)
        let access = Locked<Task<Void, any Error>?>(nil)
        let isReady = Locked(false)
        HookedTable.calls.removeAll()
        HookedTable.hook.withLock {
            $0 = { name, _ in
                if name == call { access.withLock { $0 }?.cancel() }
            }
        }
        let task = Task {
            while !isReady.withLock({ $0 }) { await Task.yield() }
            try await writer.writeWithoutTransaction { db in try Self.work(db) }
        }
        access.withLock { $0 = task }
        isReady.withLock { $0 = true }
        let result = await task.result
        if call == "destroy" {
            // It is called last.
            try result.get()
        } else {
            expectError(CancellationError.self) { try result.get() }
        }
        access.withLock { $0 = nil }
        try expectHealth(writer, call)
    }
}
