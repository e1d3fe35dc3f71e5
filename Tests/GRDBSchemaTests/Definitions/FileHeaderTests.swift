import GRDB
import GRDBSchema
import GRDBTestSupport
import Testing

@Suite(.databases) struct FileHeaderTests {
    @Test func numbers() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try expectEqual(db.userVersion(), 0)
            try expectEqual(db.applicationID(), 0)
            try db.setUserVersion(.min)
            try db.setApplicationID(.max)
            try expectEqual(db.userVersion(), .min)
            try expectEqual(db.applicationID(), .max)
            expectError(
                """
                SQLite error 1: unknown database "nope" - while executing \
                `PRAGMA "nope".user_version`
                """
            ) { try db.userVersion(in: "nope") }
        }
        try dbQueue.read { db in
            expectError(
                """
                SQLite error 8: attempt to write a readonly database - while executing \
                `PRAGMA "main".user_version = 1`
                """
            ) { try db.setUserVersion(1) }
        }
    }
}
