import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct SmokeTests {
    @Test func smoke() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try expectSQL(
            """
            BEGIN IMMEDIATE TRANSACTION
            COMMIT TRANSACTION
            """
        ) {
            try dbQueue.write { _ in }
        }
    }

    nonisolated(unsafe) static var leak: DatabaseQueue?

    @Test func leaks() throws {
        Self.leak = try TestDatabases.makeQueue()
    }
}
