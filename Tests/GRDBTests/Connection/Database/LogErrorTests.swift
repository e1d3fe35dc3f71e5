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
            #expect(entry?.0 == .SQLITE_ERROR)
            #expect(entry?.1.contains("no such table: logged_table") == true)
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
            #expect(entry?.0 == .SQLITE_CONSTRAINT_PRIMARYKEY)
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
        #expect(Database.logError == nil)
        try dbQueue.write { try? $0.execute(sql: "SELECT * FROM replaced_3") }

        func names(_ log: Log<String>) -> [Int] {
            (1...3).filter { number in
                log.elements.contains { $0.contains("replaced_\(number)") }
            }
        }
        #expect(names(first) == [1])
        #expect(names(second) == [2])
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
        #expect(freed.wait(timeout: .now() + 300) == .success)
    }
}
