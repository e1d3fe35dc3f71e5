import GRDB
import GRDBTestSupport
import Testing

/// The chapter "Transactions and Savepoints" of the 0.107 guide.
@Suite(.databases) struct Guide107TransactionsTests {
    private struct Wine: Codable, PersistableRecord {
        var name: String
    }

    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE wine (name TEXT)")
        }
        return dbQueue
    }

    private func names(_ dbQueue: DatabaseQueue) throws -> [String] {
        try dbQueue.read { try String.fetchAll($0, sql: "SELECT name FROM wine") }
    }

    @Test func inTransaction() throws {
        let dbQueue = try makeQueue()
        // Reads the schema, which is not looked at again.
        try dbQueue.write { try Wine(name: "Chablis").insert($0) }
        try expectSQL(
            """
            BEGIN IMMEDIATE TRANSACTION
            INSERT INTO "wine" ("name") VALUES ('Pomerol')
            COMMIT TRANSACTION
            """
        ) {
            try dbQueue.inTransaction { db in
                let wine = Wine(name: "Pomerol")
                try wine.insert(db)
                return .commit
            }
        }
        try dbQueue.inTransaction { db in
            try db.execute(sql: "DELETE FROM wine")
            return .rollback
        }
        expectError(TestError()) {
            try dbQueue.inTransaction { db in
                try db.execute(sql: "DELETE FROM wine")
                throw TestError()
            }
        }
        try expectEqual(names(dbQueue), ["Chablis", "Pomerol"])
    }

    @Test func transactionsBetweenOtherStatements() throws {
        let dbQueue = try makeQueue()
        try dbQueue.inDatabase { db in
            try db.execute(sql: "INSERT INTO wine VALUES ('a')")
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO wine VALUES ('b')")
                expectTrue(db.isInsideTransaction)
                return .commit
            }
            expectTrue(!db.isInsideTransaction)
            try db.execute(sql: "BEGIN TRANSACTION")
            expectTrue(db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO wine VALUES ('c')")
            try db.execute(sql: "COMMIT")
        }
        try expectEqual(names(dbQueue), ["a", "b", "c"])
    }

    private func myCriticalMethod(_ db: Database) throws {
        try db.inSavepoint {
            // Here the database is guaranteed to be inside a transaction.
            expectTrue(db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO wine VALUES ('critical')")
            return .commit
        }
    }

    @Test func savepoints() throws {
        let dbQueue = try makeQueue()
        try dbQueue.inDatabase { try myCriticalMethod($0) }
        try dbQueue.inTransaction { db in
            try myCriticalMethod(db)
            // An error rolls back the savepoint, not the transaction.
            try? db.inSavepoint {
                try db.execute(sql: "DELETE FROM wine")
                try db.execute(sql: "INSERT INTO nope VALUES (1)")
                return .commit
            }
            return .commit
        }
        try expectEqual(names(dbQueue), ["critical", "critical"])
    }

    @Test func nestedSavepoints() throws {
        let dbQueue = try makeQueue()
        try dbQueue.inDatabase { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO wine VALUES ('outer')")
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO wine VALUES ('inner')")
                    return .commit
                }
                try db.inSavepoint {
                    try db.execute(sql: "DELETE FROM wine")
                    return .rollback
                }
                return .commit  // writes changes to disk
            }
        }
        try expectEqual(names(dbQueue), ["outer", "inner"])
    }

    @Test func transactionKinds() throws {
        let dbQueue = try makeQueue()
        try expectSQL(
            """
            BEGIN EXCLUSIVE TRANSACTION
            COMMIT TRANSACTION
            """
        ) {
            try dbQueue.inTransaction(.exclusive) { _ in .commit }
        }
        try expectSQL(
            """
            BEGIN DEFERRED TRANSACTION
            COMMIT TRANSACTION
            """
        ) {
            try dbQueue.inTransaction(.deferred) { _ in .commit }
        }
    }
}
