import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapters "Database Connections" and "Concurrency" of the 0.107 guide, under the names of
/// today: what was `write` is `writeWithoutTransaction`, and what was `readFromCurrentState` is
/// `asyncConcurrentRead`.
@Suite(.databases) struct Guide107ConcurrencyTests {
    struct PointOfInterest: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var title: String
    }

    struct Credit: Codable, FetchableRecord, PersistableRecord {
        var account: String
        var amount: Int
    }

    struct Debit: Codable, FetchableRecord, PersistableRecord {
        var account: String
        var amount: Int
    }

    private static func create(_ db: Database) throws {
        try db.create(table: "pointOfInterest") { t in
            t.primaryKey("id", .integer)
            t.column("title", .text)
        }
        for table in ["credit", "debit"] {
            try db.create(table: table) { t in
                t.column("account", .text)
                t.column("amount", .integer)
            }
        }
    }

    private func makePool(_ configuration: Configuration? = nil) throws -> DatabasePool {
        let dbPool = try TestDatabases.makePool(configuration)
        try dbPool.write { try Self.create($0) }
        return dbPool
    }

    private let poi = PointOfInterest(id: 1, title: "Paris")

    // MARK: - Database connections

    @Test func databaseQueues() throws {
        let dbQueue = try TestDatabases.makeQueue(.file)
        // Execute database statements:
        try dbQueue.inDatabase { db in
            try Self.create(db)
            try poi.insert(db)
        }

        // Wrap database statements in a transaction:
        try dbQueue.inTransaction { db in
            if let poi = try PointOfInterest.fetchOne(db, key: 1) {
                try poi.delete(db)
            }
            return .commit
        }

        // Read values:
        try dbQueue.inDatabase { db in
            let pois = try PointOfInterest.fetchAll(db)
            let poiCount = try PointOfInterest.fetchCount(db)
            expectTrue(pois.isEmpty)
            expectEqual(poiCount, 0)
        }

        // Extract a value from the database:
        let poiCount = try dbQueue.inDatabase { db in
            try PointOfInterest.fetchCount(db)
        }
        expectEqual(poiCount, 0)
    }

    @Test func databasePools() throws {
        let dbPool = try makePool()
        // Execute database statements:
        try dbPool.write { db in
            try poi.insert(db)
        }

        // Wrap database statements in a transaction:
        try dbPool.writeInTransaction { db in
            if let poi = try PointOfInterest.fetchOne(db, key: 1) {
                try poi.delete(db)
            }
            return .commit
        }

        // Read values:
        try dbPool.read { db in
            let pois = try PointOfInterest.fetchAll(db)
            let poiCount = try PointOfInterest.fetchCount(db)
            expectTrue(pois.isEmpty)
            expectEqual(poiCount, 0)
        }

        // Extract a value from the database:
        let poiCount = try dbPool.read { db in
            try PointOfInterest.fetchCount(db)
        }
        expectEqual(poiCount, 0)
    }

    @Test func databasePoolConfiguration() throws {
        let path = try makePool().path
        let log = Log<String>()
        var config = TestDatabases.makeConfiguration()
        config.readonly = true
        config.foreignKeysEnabled = true  // Default is already true
        config.prepareDatabase { db in
            db.trace { log.append("\($0)") }  // Prints all SQL statements
        }
        config.maximumReaderCount = 10  // The default is 5
        let dbPool = try DatabasePool(path: path, configuration: config)
        try expectEqual(dbPool.read(PointOfInterest.fetchCount), 0)
        expectTrue(log.elements.contains(#"SELECT COUNT(*) FROM "pointOfInterest""#))
    }

    // MARK: - Guarantees and rules

    @Test func writesAreSerialized() throws {
        let dbPool = try makePool()
        DispatchQueue.concurrentPerform(iterations: 20) { index in
            do {
                try dbPool.write { db in
                    let count = try PointOfInterest.fetchCount(db)
                    try PointOfInterest(id: Int64(count), title: "\(index)").insert(db)
                }
            } catch {
                Issue.record("\(error)")
            }
        }
        try expectEqual(dbPool.read(PointOfInterest.fetchCount), 20)
    }

    @Test func readsAreIsolated() throws {
        let dbPool = try makePool()
        try dbPool.read { db in  // or dbQueue.inDatabase { ... }
            // Guaranteed to be equal
            let count1 = try PointOfInterest.fetchCount(db)
            try dbPool.write { try poi.insert($0) }
            let count2 = try PointOfInterest.fetchCount(db)
            expectEqual(count1, count2)
        }
        // Those two values may be different because some other thread may have
        // modified the database between the two blocks:
        let count1 = try dbPool.read { db in try PointOfInterest.fetchCount(db) }
        try dbPool.write { _ = try PointOfInterest.deleteAll($0) }
        let count2 = try dbPool.read { db in try PointOfInterest.fetchCount(db) }
        expectEqual(count1, 1)
        expectEqual(count2, 0)
    }

    @Test func valuesThatDependOnUpdates() throws {
        let dbPool = try makePool()
        try dbPool.write { db in
            // The count is guaranteed to be non-zero
            try poi.insert(db)
            let count = try PointOfInterest.fetchCount(db)
            expectEqual(count, 1)
        }
    }

    /// Without a transaction, reads may see the first statement, but not the second.
    @Test func modificationsThatBelongTogether() throws {
        let dbPool = try makePool()
        func balance() throws -> Int? {
            try dbPool.read { db in
                try Int.fetchOne(
                    db,
                    sql: """
                        SELECT (SELECT TOTAL(amount) FROM credit)
                        - (SELECT TOTAL(amount) FROM debit)
                        """)
            }
        }
        // SAFE CONCURRENCY
        try dbPool.writeInTransaction { db in  // or dbQueue.inTransaction { ... }
            try Credit(account: "a", amount: 10).insert(db)
            try expectEqual(balance(), 0)
            try Debit(account: "b", amount: 10).insert(db)
            return .commit
        }
        try expectEqual(balance(), 0)
        // UNSAFE CONCURRENCY
        try dbPool.writeWithoutTransaction { db in  // or dbQueue.inDatabase { ... }
            try Credit(account: "a", amount: 10).insert(db)
            try expectEqual(balance(), 10)
            try Debit(account: "b", amount: 10).insert(db)
        }
        try expectEqual(balance(), 0)
    }

    // MARK: - Advanced DatabasePool

    @Test func readFromCurrentState() throws {
        let dbPool = try makePool()
        let counts = Log<Int>()
        let isDone = DispatchSemaphore(value: 0)
        // CORRECT
        try dbPool.writeWithoutTransaction { db in
            // Increment the number of points
            try poi.insert(db)
            dbPool.asyncConcurrentRead { dbResult in
                // Read the number of points. The writer queue has been unlocked :-)
                // Guaranteed to be non-zero
                let count = try? PointOfInterest.fetchCount(dbResult.get())
                counts.append(count ?? -1)
                isDone.signal()
            }
            _ = try PointOfInterest.deleteAll(db)
        }
        isDone.wait()
        expectEqual(counts.elements, [1])
    }

    // MARK: - Readers and writers

    /// Code that serves queues and pools.
    @Test(arguments: DatabaseKind.allCases)
    func readersAndWriters(kind: DatabaseKind) throws {
        func insert(_ writer: some DatabaseWriter) throws {
            try writer.write { try poi.insert($0) }
        }
        func count(_ reader: some DatabaseReader) throws -> Int {
            try reader.read { try PointOfInterest.fetchCount($0) }
        }
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try Self.create($0) }
        try insert(writer)
        try expectEqual(count(writer), 1)
    }

    /// A second connection eventually faces the lock of the first one.
    @Test func externalConnections() throws {
        var configuration = TestDatabases.makeConfiguration()
        let dbPool = try makePool(configuration)
        let external = try TestDatabases.openPool(dbPool.path)
        try dbPool.write { db in
            try poi.insert(db)
            let error = expectError(DatabaseError.self) { try external.write { _ in } }
            expectEqual(error?.resultCode, .SQLITE_BUSY)
        }
        configuration.busyMode = .timeout(patience)
        let patient = try TestDatabases.openPool(dbPool.path, configuration)
        dbPool.asyncWriteWithoutTransaction { db in
            try? db.inTransaction {
                letOthersRun()
                return .commit
            }
        }
        try patient.write { _ = try PointOfInterest.deleteAll($0) }
        try expectEqual(patient.read(PointOfInterest.fetchCount), 0)
    }
}
