import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// What fails in methods that can't throw is thrown by the access.
@Suite(.databases) struct KeptFailureTests {
    private static let longName = String(repeating: "f", count: 256)

    /// Additions that SQLite refuses, with the beginning of the message.
    enum Addition: CaseIterable {
        case longFunction, manyArguments, functionWithNUL, collationWithNUL, tokenizerWithNUL

        func callAsFunction(_ db: Database) {
            switch self {
            case .longFunction: db.add(function: DatabaseFunction(longName) { _ in nil })
            case .manyArguments:
                db.add(function: DatabaseFunction("f", argumentCount: 100_000) { _ in nil })
            case .functionWithNUL: db.add(function: DatabaseFunction("abs\0x") { _ in nil })
            case .collationWithNUL:
                db.add(collation: DatabaseCollation("nocase\0x") { $0.compare($1) })
            case .tokenizerWithNUL: db.add(tokenizer: OddTokenizer.self)
            }
        }

        var message: String {
            switch self {
            case .longFunction: "SQLite error 21: could not add function \(longName): "
            case .manyArguments: "SQLite error 21: could not add function f: "
            case .functionWithNUL: "SQLite error 21: could not add function abs\0x: "
            case .collationWithNUL: "SQLite error 21: could not add collation nocase\0x: "
            case .tokenizerWithNUL: "SQLite error 21: could not add tokenizer a\0b: "
            }
        }
    }

    private final class OddTokenizer: FTS5WrapperTokenizer {
        static var name: String { "a\0b" }
        let wrappedTokenizer: any FTS5Tokenizer

        init(db: Database, arguments: [String]) throws {
            wrappedTokenizer = try db.makeTokenizer(.unicode61())
        }

        func accept(
            token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
            tokenCallback: FTS5WrapperTokenCallback
        ) throws {
            try tokenCallback(token, flags)
        }
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        return writer
    }

    private func count(_ writer: any DatabaseWriter) throws -> Int? {
        try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    }

    private func expect(
        _ addition: Addition, line: Int = #line,
        _ body: () throws -> Void
    ) {
        do {
            try body()
            recordIssue("no error", line: line)
        } catch {
            expectTrue("\(error)".hasPrefix(addition.message), line: line)
        }
    }

    private func expectInTask(
        _ addition: Addition, line: Int = #line,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            recordIssue("no error", line: line)
        } catch {
            expectTrue("\(error)".hasPrefix(addition.message), line: line)
        }
    }

    @Test(arguments: DatabaseKind.allCases, Addition.allCases)
    func accessesThrow(kind: DatabaseKind, addition: Addition) async throws {
        let writer = try makeWriter(kind)
        let access: @Sendable (Database) throws -> Void = { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            addition(db)
            // Whatever else happens.
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
        expect(addition) { try writer.write(access) }
        await expectInTask(addition) { try await writer.write(access) }
        expect(addition) { try writer.read { addition($0) } }
        await expectInTask(addition) { try await writer.read { addition($0) } }
        expect(addition) { try writer.barrierWriteWithoutTransaction { addition($0) } }
        await expectInTask(addition) { try await writer.writeWithoutTransaction { addition($0) } }
        expect(addition) { try writer.tryWriteWithoutTransaction { addition($0) } }
        expect(addition) {
            try writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    try access(db)
                    return .commit
                }
            }
        }
        expect(addition) {
            try writer.write { db in
                // The access throws even if the closure does not.
                try? db.inSavepoint {
                    try access(db)
                    return .commit
                }
            }
        }
        try expectEqual(count(writer), 0)
        try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try expectEqual(count(writer), 1)
    }

    /// The first error is the one that matters: the second may come of it.
    @Test(arguments: DatabaseKind.allCases)
    func theFailureWins(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let access: @Sendable (Database) throws -> Void = { db in
            Addition.manyArguments(db)
            try db.execute(sql: "SELECT f(1)")
        }
        expect(.manyArguments) { try writer.write(access) }
        expect(.manyArguments) { try writer.writeWithoutTransaction(access) }
        await expectInTask(.manyArguments) { try await writer.read(access) }
        try await writer.write { _ in }
    }

    @Test(arguments: Addition.allCases)
    func openingThrows(addition: Addition) throws {
        let path = TestDatabases.makePath()
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { addition($0) }
        expect(addition) { _ = try DatabaseQueue(configuration: configuration) }
        expect(addition) { _ = try DatabaseQueue(path: path, configuration: configuration) }
        expect(addition) { _ = try DatabasePool(path: path, configuration: configuration) }
        configuration.readonly = true
        try DatabaseQueue(path: path).close()
        expect(addition) { _ = try DatabaseQueue(path: path, configuration: configuration) }
    }

    /// Readers of a pool are opened later.
    @Test func openingAReaderThrows() throws {
        let isArmed = Log<Bool>()
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            if !isArmed.elements.isEmpty { Addition.longFunction(db) }
        }
        let pool = try DatabasePool(path: TestDatabases.makePath(), configuration: configuration)
        isArmed.append(true)
        expect(.longFunction) { try pool.read { _ in } }
        isArmed.removeAll()
        try pool.read { _ in }
    }

    /// An access that can't throw leaves the failure to the next one.
    @Test(arguments: DatabaseKind.allCases)
    func accessesThatCanNotThrow(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        writer.writeWithoutTransaction { Addition.longFunction($0) }
        expect(.longFunction) { try writer.write { try $0.execute(sql: "DELETE FROM t") } }
        try writer.write { _ in }
        writer.asyncWriteWithoutTransaction { Addition.longFunction($0) }
        expect(.longFunction) { try writer.write { _ in } }
        try writer.write { _ in }
    }

    /// The failures of observers are not those of the writer.
    @Test(arguments: DatabaseKind.allCases)
    func failuresOfObserversAreLogged(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let observer = TransactionRecorder()
        observer.onCommit = { Addition.longFunction($0) }
        observer.onRollback = { Addition.longFunction($0) }
        writer.add(transactionObserver: observer)
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        expectError(TestError("mine")) {
            try writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (3)")
                throw TestError("mine")
            }
        }
        try expectEqual(count(writer), 2)
    }

    @Test(arguments: DatabaseKind.allCases)
    func removalsUnderARunningStatement(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        expectError(
            """
            SQLite error 5: could not remove function f: \
            unable to delete/modify user-function due to active statements
            """
        ) {
            try writer.write { db in
                let function = DatabaseFunction("f") { _ in 1 }
                db.add(function: function)
                let cursor = try Int.fetchCursor(db, sql: "SELECT f() UNION ALL SELECT 2")
                _ = try cursor.next()
                db.remove(function: function)
                try expectEqual(cursor.next(), 2)
            }
        }
        expectError(
            """
            SQLite error 5: could not remove collation c: \
            unable to delete/modify collation sequence due to active statements
            """
        ) {
            try writer.write { db in
                let collation = DatabaseCollation("c") { $0.compare($1) }
                db.add(collation: collation)
                let cursor = try Row.fetchCursor(
                    db, sql: "SELECT 'a' AS a UNION ALL SELECT 'b' ORDER BY a COLLATE c")
                _ = try cursor.next()
                db.remove(collation: collation)
                _ = try cursor.next()
            }
        }
        try writer.write { _ in }
    }

    /// A statement whose table is gone has no region any more.
    @Test(arguments: DatabaseKind.allCases)
    func regionsOfLostTables(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        expectError(
            "SQLite error 1: no such table: t - while executing `SELECT a FROM t`"
        ) {
            try writer.write { db in
                let statement = try db.makeStatement(sql: "SELECT a FROM t")
                expectEqual(statement.databaseRegion.description, "t(a)")
                try db.drop(table: "t")
                _ = statement.databaseRegion
            }
        }
        try expectEqual(count(writer), 0)
    }
}
