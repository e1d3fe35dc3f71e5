import Dispatch
import Foundation
import GRDB

/// 8 writers and 32 readers on one file, with checkpoints: writers move amounts between accounts, so
/// that readers always find the same sum.
func mixedWork(seconds: Int) throws {
    try withFolder { folder in
        var configuration = Configuration()
        configuration.maximumReaderCount = 8
        let dbPool = try DatabasePool(path: folder + "/db.sqlite", configuration: configuration)
        try dbPool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE account(id INTEGER PRIMARY KEY, amount INTEGER NOT NULL);
                    CREATE TABLE transfer(id INTEGER PRIMARY KEY, amount INTEGER NOT NULL);
                    """)
            for id in 1...100 {
                try db.execute(sql: "INSERT INTO account VALUES (?, 1000)", arguments: [id])
            }
        }
        let writes = Counter()
        let reads = Counter()
        let checkpoints = Counter()
        let concurrentReads = Counter()

        @Sendable func transfer(_ db: Database) throws {
            let (from, to) = (Int.random(in: 1...100), Int.random(in: 1...100))
            let amount = Int.random(in: 1...100)
            try db.execute(
                sql: "UPDATE account SET amount = amount - ? WHERE id = ?",
                arguments: [amount, from])
            try db.execute(
                sql: "UPDATE account SET amount = amount + ? WHERE id = ?",
                arguments: [amount, to])
            try db.execute(sql: "INSERT INTO transfer(amount) VALUES (?)", arguments: [amount])
        }

        @Sendable func check(_ db: Database) throws {
            let sum = try Int.fetchOne(db, sql: "SELECT SUM(amount) FROM account")
            expect(sum == 100_000, "sum \(sum ?? -1)")
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM transfer")
            let maximum = try Int.fetchOne(db, sql: "SELECT MAX(id) FROM transfer")
            expect(count == maximum ?? 0, "count \(count ?? -1), maximum \(maximum ?? 0)")
            let again = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM transfer")
            expect(count == again, "count \(count ?? -1), then \(again ?? -1)")
        }

        let writer: @Sendable (() -> Bool) -> Void = { isOver in
            while !isOver() {
                do {
                    switch Int.random(in: 0..<20) {
                    case 0:
                        try dbPool.barrierWriteWithoutTransaction { db in
                            try db.inTransaction {
                                try transfer(db)
                                return .commit
                            }
                        }
                    case 1:
                        try dbPool.writeInTransaction { db in
                            try transfer(db)
                            return .rollback
                        }
                    case 2:
                        try dbPool.writeWithoutTransaction { db in
                            try db.inTransaction {
                                try transfer(db)
                                return .commit
                            }
                            dbPool.asyncConcurrentRead { result in
                                do { try check(result.get()) } catch { failures.append("\(error)") }
                                concurrentReads.add()
                            }
                        }
                    case 3:
                        try dbPool.write { db in
                            try transfer(db)
                            try dbPool.read { try check($0) }
                        }
                    default:
                        try dbPool.write { try transfer($0) }
                    }
                    writes.add()
                } catch {
                    failures.append("write: \(error)")
                }
            }
        }

        let reader: @Sendable (() -> Bool) -> Void = { isOver in
            while !isOver() {
                do {
                    switch Int.random(in: 0..<50) {
                    case 0:
                        let snapshot = try dbPool.makeSnapshot()
                        for _ in 0..<3 { try snapshot.read { try check($0) } }
                    case 1:
                        let snapshot = try dbPool.makeSnapshotPool()
                        for _ in 0..<3 { try snapshot.read { try check($0) } }
                    case 2:
                        let end = DispatchSemaphore(value: 0)
                        dbPool.asyncRead { result in
                            do { try check(result.get()) } catch { failures.append("\(error)") }
                            end.signal()
                        }
                        end.wait()
                    case 3:
                        dbPool.invalidateReadOnlyConnections()
                    case 4:
                        dbPool.releaseMemoryEventually()
                    default:
                        try dbPool.read { try check($0) }
                    }
                    reads.add()
                } catch {
                    failures.append("read: \(error)")
                }
            }
        }

        let checkpointer: @Sendable (() -> Bool) -> Void = { isOver in
            while !isOver() {
                do {
                    let mode = [Database.CheckpointMode.passive, .full, .restart, .truncate]
                        .randomElement()!
                    try dbPool.writeWithoutTransaction { _ = try $0.checkpoint(mode) }
                    checkpoints.add()
                } catch {
                    failures.append("checkpoint: \(error)")
                }
                usleep(5000)
            }
        }

        runThreads(
            seconds: Double(seconds),
            Array(repeating: writer, count: 8) + Array(repeating: reader, count: 32)
                + [checkpointer])
        try dbPool.barrierWriteWithoutTransaction { _ in }
        try dbPool.read { try check($0) }
        try checkIntegrity(dbPool)
        try dbPool.close()
        print(
            """
            mixed, \(seconds) s: \(writes.value) writes, \(reads.value) reads, \
            \(concurrentReads.value) concurrent reads, \(checkpoints.value) checkpoints, \
            \(failures.count) failures
            """)
    }
}
