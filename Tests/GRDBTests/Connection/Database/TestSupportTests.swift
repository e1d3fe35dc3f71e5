import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The helpers of the tests fail when they should.
@Suite(.databases) struct TestSupportTests {
    @Test func expectedSQLIsCompared() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try expectSQL("SELECT 1") {
            try dbQueue.writeWithoutTransaction { try $0.execute(sql: "SELECT\n  1") }
        }
        withKnownIssue {
            try expectSQL("SELECT 1\nSELECT 2") {
                try dbQueue.writeWithoutTransaction { try $0.execute(sql: "SELECT 1") }
            }
        }
        withKnownIssue {
            try expectSQL("") { try dbQueue.read { _ in } }
        }
        expectSQL("SELECT  1\n", equals: "SELECT 1")
        withKnownIssue { expectSQL("SELECT 1", equals: "SELECT 2") }
    }

    @Test func sqlOfAllConnectionsIsLogged() throws {
        let dbQueue1 = try TestDatabases.makeQueue()
        let dbQueue2 = try TestDatabases.makeQueue(.file)
        try expectSQL("SELECT 1\nSELECT 'x'") {
            try dbQueue1.writeWithoutTransaction { try $0.execute(sql: "SELECT 1") }
            try dbQueue2.writeWithoutTransaction {
                try $0.execute(sql: "SELECT ?", arguments: ["x"])
            }
        }
    }

    @Test func expectedErrorsAreCompared() {
        expectError("TestError mine") { throw TestError("mine") }
        withKnownIssue { expectError("TestError mine") { throw TestError("yours") } }
        withKnownIssue { expectError("TestError mine") {} }
    }

    #if os(Linux)
    /// The kernel lists them in pages of about 67 locks.
    @Test func allLocksAreRead() throws {
        let path = TestDatabases.makePath()
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        for index in 0..<200 {
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_start = 2 * index
            lock.l_len = 1
            try #require(fcntl(file, F_SETLK, &lock) == 0)
        }
        let locks = try FileLocks(path: path)
        expectTrue(locks.hasWriteLock)
        expectEqual(locks.description.split(separator: ",").count, 200)
    }
    #endif

    @Test func pathsAreNew() throws {
        #expect(TestDatabases.makePath() != TestDatabases.makePath())
        let dbQueue = try TestDatabases.makeQueue(.file)
        expectTrue(dbQueue.path.hasSuffix("db.sqlite"))
    }
}
