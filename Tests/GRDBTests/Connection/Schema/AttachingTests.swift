import GRDBServer
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct AttachingTests {
    @Test func files() throws {
        let path = TestDatabases.makePath("it's 100% \"odd\".sqlite")
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.attach(path, as: "archive")
            try db.execute(sql: "CREATE TABLE archive.t(a); INSERT INTO t VALUES (1)")
            try expectTrue(db.tableExists("t", in: "archive"))
            try db.detach("ARCHIVE")
            try expectTrue(!db.tableExists("t"))

            try db.attach(DatabaseURI(path: path, parameters: [.mode(.readOnly)]), as: "ro")
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM ro.t"), [1])
            expectError(DatabaseError.self) { try db.execute(sql: "DELETE FROM ro.t") }
        }
    }

    @Test func failures() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            expectError(
                """
                SQLite error 1: no such database: nope - while executing `DETACH DATABASE ?`
                """
            ) { try db.detach("nope") }
            expectError(
                """
                SQLite error 1: cannot detach database main - while executing `DETACH DATABASE ?`
                """
            ) { try db.detach("main") }
            expectError(
                """
                SQLite error 1: database main is already in use - while executing \
                `ATTACH DATABASE ? AS ?`
                """
            ) { try db.attach(":memory:", as: "main") }
        }
    }

    @Test func everyConnection() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { try $0.attach(":memory:", as: "att") }
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        try expectTrue(dbQueue.read { try $0.tableExists("nope", in: "att") } == false)
    }
}
