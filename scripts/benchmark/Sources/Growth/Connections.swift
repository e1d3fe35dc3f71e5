// Statements of a cache, observers of a connection, and readers of a pool.

import Foundation
import GRDB

private final class Observer: TransactionObserver {
    let table: String
    private(set) var count = 0

    init(table: String) { self.table = table }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        eventKind.tableName == table
    }

    func databaseDidChange(with event: DatabaseEvent) { count += 1 }

    func databaseDidCommit(_ db: Database) {}

    func databaseDidRollback(_ db: Database) {}
}

private func makeQueue() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
        try db.execute(
            sql: """
                CREATE TABLE a (id INTEGER PRIMARY KEY, value INTEGER);
                CREATE TABLE b (id INTEGER PRIMARY KEY, value INTEGER);
                INSERT INTO a VALUES (1, 1);
                """)
    }
    return dbQueue
}

private func makePool(readerCount: Int) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.maximumReaderCount = readerCount
    let dbPool = try DatabasePool(
        path: folder.appendingPathComponent("\(UUID()).sqlite").path, configuration: configuration)
    try dbPool.write { db in
        try db.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1)")
    }
    return dbPool
}

/// 1,000 writes of one row, each in its transaction.
private func write(_ dbQueue: DatabaseQueue) throws -> Int {
    for index in 0..<1_000 {
        try dbQueue.write { db in
            try db.execute(sql: "UPDATE a SET value = ? WHERE id = 1", arguments: [index])
        }
    }
    return 1_000
}

func connectionSeries() throws -> [Series] {
    let observerCounts = [0, 1, 10, 100, 1_000]
    return [
        Series(
            name: "statements: as many texts, each run twice", unit: "texts",
            amounts: [1, 100, 1_000, 10_000, 100_000]
        ) { count in
            let dbQueue = try makeQueue()
            let before = peakMemory()
            return {
                let sum = try dbQueue.read { db in
                    var sum = 0
                    for _ in 0..<2 {
                        for index in 0..<count {
                            let statement = try db.cachedStatement(
                                sql: "SELECT value + \(index) FROM a")
                            sum += try Int.fetchOne(statement) ?? 0
                        }
                    }
                    return sum
                }
                let grown = peakMemory() - before
                if grown > 0 { print("  (\(grown) MB more at the peak)") }
                return sum
            }
        },
        Series(
            name: "observers: 1,000 writes, observers of another table", unit: "observers",
            amounts: observerCounts
        ) { count in
            let dbQueue = try makeQueue()
            let observers = (0..<count).map { _ in Observer(table: "b") }
            for observer in observers { dbQueue.add(transactionObserver: observer) }
            return {
                try withExtendedLifetime(observers) { try write(dbQueue) }
            }
        },
        Series(
            name: "observers: 1,000 writes, observers of this table", unit: "observers",
            amounts: observerCounts
        ) { count in
            let dbQueue = try makeQueue()
            let observers = (0..<count).map { _ in Observer(table: "a") }
            for observer in observers { dbQueue.add(transactionObserver: observer) }
            return {
                try withExtendedLifetime(observers) { try write(dbQueue) }
            }
        },
        Series(
            name: "readers: 10,000 reads from as many threads", unit: "readers",
            amounts: [1, 2, 4, 8, 16]
        ) { count in
            let dbPool = try makePool(readerCount: count)
            return {
                DispatchQueue.concurrentPerform(iterations: count) { _ in
                    for _ in 0..<(10_000 / count) {
                        _ = try? dbPool.read { try Int.fetchOne($0, sql: "SELECT id FROM a") }
                    }
                }
                return 10_000 / count * count
            }
        },
        Series(
            name: "readers: reads that wait for one of two readers", unit: "reads",
            amounts: [1_000, 10_000, 100_000]
        ) { count in
            let dbPool = try makePool(readerCount: 2)
            return {
                let group = DispatchGroup()
                for _ in 0..<count {
                    group.enter()
                    dbPool.asyncRead { result in
                        _ = try? Int.fetchOne(result.get(), sql: "SELECT id FROM a")
                        group.leave()
                    }
                }
                group.wait()
                return count
            }
        },
    ]
}
