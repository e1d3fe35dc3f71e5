import Dispatch
import GRDB
import GRDBTestSupport
import Testing

/// The log function is one for the whole process: the tests run one after the other, and only look
/// at the errors that they have made.
@Suite(.databases, .serialized) struct LogErrorTests {
    private func withLog(_ body: (Log<(ResultCode, String)>) throws -> Void) rethrows {
        let log = Log<(ResultCode, String)>()
        let formerFunction = Database.logError
        defer { Database.logError = formerFunction }
        Database.logError = { resultCode, message in log.append((resultCode, message)) }
        try body(log)
    }

    @Test func errorsAreLogged() throws {
        try withLog { log in
            try TestDatabases.makeQueue().write { db in
                try? db.execute(sql: "SELECT * FROM logged_table")
            }
            let entry = log.elements.first { $0.1.contains("logged_table") }
            expectEqual(entry?.0, .SQLITE_ERROR)
            expectEqual(entry?.1.contains("no such table: logged_table"), true)
        }
    }

    @Test func codesAreExtended() throws {
        try withLog { log in
            try TestDatabases.makeQueue().write { db in
                try db.execute(sql: "CREATE TABLE logged_extended(a PRIMARY KEY)")
                try db.execute(sql: "INSERT INTO logged_extended VALUES (1)")
                try? db.execute(sql: "INSERT INTO logged_extended VALUES (1)")
            }
            let entry = log.elements.first { $0.1.contains("logged_extended") }
            expectEqual(entry?.0, .SQLITE_CONSTRAINT_PRIMARYKEY)
        }
    }

    @Test func functionCanBeReplacedAtAnyTime() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let first = Log<String>()
        let second = Log<String>()
        let formerFunction = Database.logError
        defer { Database.logError = formerFunction }
        for (log, number) in [(first, 1), (second, 2)] {
            Database.logError = { _, message in log.append(message) }
            try dbQueue.write { try? $0.execute(sql: "SELECT * FROM replaced_\(number)") }
        }
        Database.logError = nil
        expectNil(Database.logError)
        try dbQueue.write { try? $0.execute(sql: "SELECT * FROM replaced_3") }

        func names(_ log: Log<String>) -> [Int] {
            (1...3).filter { number in
                log.elements.contains { $0.contains("replaced_\(number)") }
            }
        }
        expectEqual(names(first), [1])
        expectEqual(names(second), [2])
    }

    /// A statement that leaves its access.
    private struct Living: @unchecked Sendable {
        // Unchecked: used by one thread.
        let statements: [Statement]
    }

    @Test(arguments: DatabaseKind.allCases) func statementsThatPreventClosing(
        kind: DatabaseKind
    ) throws {
        try withLog { log in
            func logged() -> [String] {
                log.removeAll().filter { $0.1.contains("of closing") }.map { "\($0) \($1)" }
            }
            let writer = try TestDatabases.makeWriter(kind)
            var living: Living? = try writer.write { db in
                // Cached statements that nobody uses are no obstacle.
                _ = try Int.fetchOne(db.cachedStatement(sql: "SELECT 0 -- of closing"))
                let first = try db.makeStatement(sql: "SELECT ?, 'of closing';")
                first.arguments = ["secret"]
                return try Living(statements: [
                    first, db.makeStatement(sql: "SELECT 2 -- of closing"),
                ])
            }
            let expected = [
                "5 (database is locked) unfinalized statement: SELECT 2 -- of closing",
                "5 (database is locked) unfinalized statement: SELECT ?, 'of closing';",
            ]
            for _ in 1...2 {
                expectError(DatabaseError.self) { try writer.close() }
                expectEqual(logged(), expected)
            }
            // The connection still works.
            try expectEqual(writer.read { try Int.fetchOne($0, sql: "SELECT 1") }, 1)
            withExtendedLifetime(living) {}
            living = nil
            try writer.close()
            expectEqual(logged(), [])
        }
    }

    @Test func statementsThatOutliveTheirConnectionAreNotLogged() throws {
        try withLog { log in
            var dbQueue: DatabaseQueue? = try TestDatabases.makeQueue()
            let living = try dbQueue?.read { db in
                try Living(statements: [db.makeStatement(sql: "SELECT 'outliving'")])
            }
            dbQueue = nil
            expectTrue(!log.elements.contains { $0.1.contains("outliving") })
            withExtendedLifetime(living) {}
        }
    }

    /// What a former function holds may ask for the current one when it is freed.
    @Test func aFormerFunctionIsFreed() throws {
        final class Logger: Sendable {
            let freed: DispatchSemaphore
            init(_ freed: DispatchSemaphore) { self.freed = freed }
            deinit {
                _ = Database.logError
                freed.signal()
            }
        }
        let freed = DispatchSemaphore(value: 0)
        let formerFunction = Database.logError
        defer { Database.logError = formerFunction }
        Database.logError = { [logger = Logger(freed)] _, _ in withExtendedLifetime(logger) {} }
        Database.logError = { _, _ in }
        // By this thread, unless another one is logging an error.
        expectEqual(freed.wait(timeout: .now() + patience), .success)
    }
}
