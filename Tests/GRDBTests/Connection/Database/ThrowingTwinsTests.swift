import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Calls that trap, and those that throw in their place.
@Suite(.databases) struct ThrowingTwinsTests {
    // MARK: - Functions and collations

    @Test func functionsAreAddedAndRemoved() throws {
        try TestDatabases.makeQueue().write { db in
            let answer = DatabaseFunction("answer", argumentCount: 0) { _ in 42 }
            try db.tryAdd(function: answer)
            try expectEqual(Int.fetchOne(db, sql: "SELECT answer()"), 42)
            try db.tryRemove(function: answer)
            expectError(
                "SQLite error 1: no such function: answer - while executing `SELECT answer()`"
            ) {
                try Int.fetchOne(db, sql: "SELECT answer()")
            }
        }
    }

    @Test func collationsAreAddedAndRemoved() throws {
        try TestDatabases.makeQueue().write { db in
            let reversed = DatabaseCollation("reversed") { $1.compare($0) }
            try db.tryAdd(collation: reversed)
            let sql = "SELECT column1 FROM (VALUES ('a'), ('b')) ORDER BY column1 COLLATE reversed"
            try expectEqual(String.fetchAll(db, sql: sql), ["b", "a"])
            try db.tryRemove(collation: reversed)
            expectError(
                "SQLite error 1: no such collation sequence: reversed - while executing `\(sql)`"
            ) {
                try String.fetchAll(db, sql: sql)
            }
        }
    }

    @Test func runningStatementsAreInTheWay() throws {
        try TestDatabases.makeQueue().write { db in
            let answer = DatabaseFunction("answer", argumentCount: 0) { _ in 42 }
            let reversed = DatabaseCollation("reversed") { $1.compare($0) }
            try db.tryAdd(function: answer)
            try db.tryAdd(collation: reversed)
            let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
            try expectEqual(cursor.next(), 1)
            let function =
                "SQLite error 5: unable to delete/modify user-function due to active statements"
            expectError(function) { try db.tryAdd(function: answer) }
            expectError(function) { try db.tryRemove(function: answer) }
            let collation =
                "SQLite error 5: unable to delete/modify collation sequence due to active statements"
            expectError(collation) { try db.tryAdd(collation: reversed) }
            expectError(collation) { try db.tryRemove(collation: reversed) }
        }
    }

    @Test func invalidFunctionsAreErrors() throws {
        try TestDatabases.makeQueue().write { db in
            for (name, count) in [(String(repeating: "f", count: 256), 1), ("f", 1001)] {
                let error = expectError(DatabaseError.self) {
                    try db.tryAdd(function: DatabaseFunction(name, argumentCount: count) { _ in 1 })
                }
                expectEqual(error?.resultCode, .SQLITE_MISUSE)
            }
        }
    }

    /// C functions would stop at the NUL character, and redefine `abs`, NOCASE and others.
    @Test(arguments: DatabaseKind.allCases)
    func namesWithNULAreRefused(kind: DatabaseKind) throws {
        try TestDatabases.makeWriter(kind).writeWithoutTransaction { db throws in
            let abs = DatabaseFunction("abs\0x", argumentCount: 1) { _ in 0 }
            let function =
                "SQLite error 21: The name of the function holds a NUL character, at byte 3"
            expectError(function) { try db.tryAdd(function: abs) }
            expectError(function) { try db.tryRemove(function: abs) }
            try expectEqual(Int.fetchOne(db, sql: "SELECT abs(-1)"), 1)
            let nocase = DatabaseCollation("nocase\0x") { $0.compare($1) }
            let collation =
                "SQLite error 21: The name of the collation holds a NUL character, at byte 6"
            expectError(collation) { try db.tryAdd(collation: nocase) }
            expectError(collation) { try db.tryRemove(collation: nocase) }
            try expectEqual(Bool.fetchOne(db, sql: "SELECT 'a' = 'A' COLLATE NOCASE"), true)

            expectError("SQLite error 21: The path holds a NUL character, at byte 1") {
                try db.attach("b\0.sqlite", as: "n")
            }
            expectError("SQLite error 21: The name of the schema holds a NUL character, at byte 1")
            {
                try db.attach(":memory:", as: "n\0x")
            }
            expectError("SQLite error 21: The name of the schema holds a NUL character, at byte 1")
            {
                try db.detach("n\0x")
            }
            try expectEqual(
                String.fetchAll(db, sql: "SELECT name FROM pragma_database_list"),
                ["main"])
            let sql = "SELECT \"a\0b\""
            expectError(
                """
                SQLite error 21: The SQL holds a NUL character, at byte 9 - while executing `\(sql)`
                """
            ) {
                try db.execute(literal: "SELECT \(identifier: "a\0b")")
            }
        }
    }

    /// Identifiers that the library writes itself are SQL with a NUL, too.
    @Test(arguments: DatabaseKind.allCases)
    func identifiersWithNULAreRefused(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        func isRefused(_ error: (any Error)?) -> Bool {
            guard let error = error as? DatabaseError else { return false }
            return error.resultCode == .SQLITE_MISUSE
                && error.message?.contains("holds a NUL character, at byte ") == true
        }
        func error(_ body: () throws -> Void) -> (any Error)? {
            do {
                try body()
                return nil
            } catch { return error }
        }
        let writes: [(Database) throws -> Void] = [
            { try $0.create(table: "u\0v") { $0.column("a") } },
            { try $0.create(table: "u") { $0.column("a\0b") } },
            { try $0.alter(table: "t") { $0.rename(column: "a", to: "a\0b") } },
            { try $0.rename(table: "t", to: "t\0u") },
            { try $0.drop(table: "t\0u") },
            { try $0.create(index: "i\0", on: "t", columns: ["a"]) },
            { try $0.execute(sql: "INSERT INTO t VALUES ('a\0b')") },
        ]
        for (index, write) in writes.enumerated() {
            expectTrue(isRefused(error { try writer.write(write) }), "\(index)")
        }
        let reads: [(Database) throws -> Void] = [
            { _ = try Table("t\0u").fetchCount($0) },
            { _ = try Table("t").filter(Column("a\0b") == 1).fetchCount($0) },
            { _ = try Row.fetchAll($0, sql: "SELECT 1 -- \0") },
            { _ = try $0.tableExists("t\0u") },
        ]
        for (index, read) in reads.enumerated() {
            expectTrue(isRefused(error { try writer.read(read) }), "\(index)")
        }
        // Values may hold them.
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["a\0b"]) }
        try expectEqual(writer.read { try String.fetchAll($0, sql: "SELECT a FROM t") }, ["a\0b"])
    }

    @Test func closedConnectionsThrow() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.close()
        let function = DatabaseFunction("f") { _ in 1 }
        let collation = DatabaseCollation("c") { $0.compare($1) }
        try dbQueue.writeWithoutTransaction { db throws in
            let closed = "SQLite error 21: Connection is closed"
            expectError(closed) { try db.tryAdd(function: function) }
            expectError(closed) { try db.tryRemove(function: function) }
            expectError(closed) { try db.tryAdd(collation: collation) }
            expectError(closed) { try db.tryRemove(collation: collation) }
        }
    }

    // MARK: - Writes

    @Test(arguments: DatabaseKind.allCases)
    func openTransactionIsAnErrorAndRolledBack(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        expectError(
            "SQLite error 21: A transaction has been left opened at the end of a database access"
        ) {
            try writer.tryWriteWithoutTransaction { db in
                try db.execute(sql: "BEGIN")
                try db.execute(sql: "INSERT INTO t VALUES (1)")
            }
        }
        try expectEqual(writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [])
        let count = try writer.tryWriteWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            return db.changesCount
        }
        expectEqual(count, 1)
        try expectEqual(writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [2])
    }

    @Test(arguments: DatabaseKind.allCases)
    func reentrantWriteIsAnError(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { _ in
            expectError("SQLite error 21: Database methods are not reentrant.") {
                try writer.tryWriteWithoutTransaction { _ in }
            }
        }
        try writer.close()
        expectError("SQLite error 21: Connection is closed") {
            try writer.tryWriteWithoutTransaction { _ in }
        }
    }

    @Test func typeErasedWritersThrowAsWell() throws {
        let writer = AnyDatabaseWriter(try TestDatabases.makeQueue())
        expectError(
            "SQLite error 21: A transaction has been left opened at the end of a database access"
        ) {
            try writer.tryWriteWithoutTransaction { try $0.execute(sql: "BEGIN") }
        }
    }

    /// A writer that does not keep the promise of the protocol.
    @Test func writerThatCallsNoClosureIsAnError() throws {
        let writer = IdleWriter(try TestDatabases.makeQueue())
        let error =
            "SQLite error 21: IdleWriter did not call the closure of writeWithoutTransaction"
        expectError(error) { try writer.write { _ in 1 } }
        expectError(error) { try writer.tryWriteWithoutTransaction { _ in 1 } }
    }

    // MARK: - Migrations and inflections

    @Test func migrationRegisteredTwice() async throws {
        var migrator = DatabaseMigrator()
        try migrator.tryRegisterMigration("v1") { db, _ in try db.execute(sql: "CREATE TABLE t(a)")
        }
        expectError("SQLite error 21: already registered migration: \"v1\"") {
            try migrator.tryRegisterMigration("v1") { _, _ in throw TestError() }
        }
        expectEqual(migrator.migrations, ["v1"])
        let dbQueue = try TestDatabases.makeQueue()
        try migrator.migrate(dbQueue)
        try await expectTrue(dbQueue.read { try $0.tableExists("t") })
        await #expect(processExitsWith: .failure) {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { _ in }
            migrator.registerMigration("v1") { _ in }
        }
    }

    @Test func inflectionPatterns() async throws {
        var inflections = Inflections()
        try inflections.tryPlural("(matr)ix$", "$1ices")
        try inflections.trySingular("(matr)ices$", "$1ix")
        expectEqual(inflections.pluralize("matrix"), "matrices")
        expectEqual(inflections.singularize("matrices"), "matrix")
        expectError((any Error).self) { try inflections.tryPlural("(", "") }
        expectError((any Error).self) { try inflections.trySingular("(", "") }
        expectEqual(inflections.pluralize("matrix"), "matrices")
        await #expect(processExitsWith: .failure) {
            var inflections = Inflections()
            inflections.plural("(", "")
        }
    }
}

private final class IdleWriter: DatabaseWriter {
    let base: DatabaseQueue

    init(_ base: DatabaseQueue) { self.base = base }

    var configuration: Configuration { base.configuration }
    var path: String { base.path }
    func close() throws {}
    func interrupt() {}
    func read<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }
    func read<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T { try await base.read(value) }
    func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {}
    func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }
    func unsafeRead<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T { try await base.read(value) }
    func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {}
    func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try base.read(value)
    }
    func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try base.writeWithoutTransaction(updates)
    }
    func _syncWriteWithoutTransaction(_ updates: (Database) throws -> Void) throws {}
    func writeWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T { try await base.writeWithoutTransaction(updates) }
    func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try base.barrierWriteWithoutTransaction(updates)
    }
    func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T { try await base.barrierWriteWithoutTransaction(updates) }
    func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {}
    func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {}
    func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try base.unsafeReentrantWrite(updates)
    }
    func spawnConcurrentRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {}
}
