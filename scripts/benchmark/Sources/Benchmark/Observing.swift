import Foundation
import GRDB
import GRDBSQLite

// Writes that are observed, or could be.

/// Counts the changes of one table.
private final class CountingObserver: TransactionObserver {
    let table: String
    var count = 0

    init(_ table: String) { self.table = table }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        eventKind.tableName == table
    }

    func databaseDidChange(with event: DatabaseEvent) { count += 1 }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}

nonisolated(unsafe) private var hookCount = 0

func observationWorkloads() -> [Workload] {
    let table =
        "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, rating REAL)"
    let sql = "INSERT INTO player VALUES (?, ?, ?, ?)"
    // Row by row, also with a hook of C, which is not told when a table is cleared at once.
    let emptying = "DELETE FROM player WHERE true"
    let names = (0..<50_000).map { "The name of player \($0)" }

    func makeRaw() -> RawDatabase {
        let memory = RawDatabase(path: ":memory:")
        memory.execute(table)
        return memory
    }

    func makeQueue() -> DatabaseQueue {
        let queue = try! DatabaseQueue()
        try! queue.write { try $0.execute(sql: table) }
        return queue
    }

    func rawInserts(_ memory: RawDatabase) -> Int {
        memory.execute(emptying)
        memory.execute("BEGIN IMMEDIATE")
        let s = memory.prepare(sql)
        defer { sqlite3_finalize(s) }
        for (i, name) in names.enumerated() {
            sqlite3_bind_int64(s, 1, Int64(i))
            rawBind(s, 2, name)
            sqlite3_bind_int64(s, 3, Int64(i % 1000))
            sqlite3_bind_double(s, 4, Double(i) / 3)
            precondition(sqlite3_step(s) == SQLITE_DONE)
            sqlite3_reset(s)
        }
        memory.execute("COMMIT")
        return Int(sqlite3_last_insert_rowid(memory.handle))
    }

    func inserts(_ queue: DatabaseQueue, emptying: String = "DELETE FROM player") throws -> Int {
        try queue.write { db in
            try db.execute(sql: emptying)
            let statement = try db.makeStatement(sql: sql)
            for (i, name) in names.enumerated() {
                try statement.execute(values: i, name, i % 1000, Double(i) / 3)
            }
            return Int(db.lastInsertedRowID)
        }
    }

    func bulkSQL(_ count: Int) -> String {
        """
        INSERT INTO player WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n \
        WHERE i < \(count - 1)) SELECT i, 'The name of player ' || i, i % 1000, i / 3.0 FROM n
        """
    }

    /// One insertion a transaction.
    func transactions(_ queue: DatabaseQueue) throws -> Int {
        try queue.write { try $0.execute(sql: "DELETE FROM player") }
        for i in 0..<10_000 {
            try queue.write { db in
                try db.execute(sql: sql, arguments: [i, names[i], i % 1000, Double(i) / 3])
            }
        }
        return 0
    }

    let plainQueue = makeQueue()
    let otherQueue = makeQueue()
    let otherObserver = CountingObserver("team")
    otherQueue.add(transactionObserver: otherObserver, extent: .databaseLifetime)
    let weakOtherQueue = makeQueue()
    weakOtherQueue.add(transactionObserver: otherObserver)

    let hooked = makeRaw()
    sqlite3_update_hook(hooked.handle, { _, _, _, _, _ in hookCount += 1 }, nil)
    let observedQueue = makeQueue()
    let observer = CountingObserver("player")
    observedQueue.add(transactionObserver: observer)

    let bulkHooked = makeRaw()
    sqlite3_update_hook(bulkHooked.handle, { _, _, _, _, _ in hookCount += 1 }, nil)

    return [
        Workload(name: "50k inserts, observer of another table / none", count: 50_000) {
            try inserts(plainQueue)
        } library: {
            try inserts(otherQueue)
        },
        Workload(name: "50k inserts, weak observer of another / none", count: 50_000) {
            try inserts(plainQueue)
        } library: {
            withExtendedLifetime(otherObserver) {}
            return try inserts(weakOtherQueue)
        },
        Workload(name: "10k write transactions, observer of another / none", count: 10_000) {
            try transactions(plainQueue)
        } library: {
            try transactions(otherQueue)
        },
        Workload(name: "50k inserts, interested observer / C update hook", count: 50_000) {
            rawInserts(hooked)
        } library: {
            observer.count = 0
            return try inserts(observedQueue, emptying: emptying)
        },
        Workload(name: "insert of 50k rows, interested observer / C hook", count: 50_000) {
            bulkHooked.execute(emptying)
            bulkHooked.execute(bulkSQL(50_000))
            return 0
        } library: {
            try observedQueue.write { db in
                try db.execute(sql: emptying)
                try db.execute(sql: bulkSQL(50_000))
            }
            return 0
        },
        Workload(name: "50k inserts in a savepoint, observer / C hook", count: 50_000) {
            rawInserts(hooked)
        } library: {
            try observedQueue.write { db in
                try db.execute(sql: emptying)
                try db.inSavepoint {
                    let statement = try db.makeStatement(sql: sql)
                    for (i, name) in names.enumerated() {
                        try statement.execute(values: i, name, i % 1000, Double(i) / 3)
                    }
                    return .commit
                }
                return Int(db.lastInsertedRowID)
            }
        },
    ]
}
