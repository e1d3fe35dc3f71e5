import GRDBServer
import Foundation
import GRDB

/// Work of connections: opening, transactions, journals, copies.
func makeConnectionWorkloads() -> [Workload] {
    [
        Workload(
            name: "open-queue", opensUnderFaults: true,
            work: { writer, _ in
                try writer.read(readItems)
                try writer.write { try $0.execute(sql: "UPDATE item SET score = score + 1") }
            }),
        Workload(
            name: "open-pool", opensUnderFaults: true, isPool: true, open: openPool,
            work: { writer, _ in
                try writer.read(readItems)
                try writer.write { try $0.execute(sql: "UPDATE item SET score = score + 1") }
            }),
        Workload(
            name: "queue",
            work: { writer, _ in
                try writeItems(writer)
                try writer.read(readItems)
            },
            check: checkParts),
        Workload(
            name: "pool", isPool: true, open: openPool,
            work: { writer, _ in
                try writeItems(writer)
                try writer.read(readItems)
                let pool = writer as! DatabasePool
                try pool.barrierWriteWithoutTransaction { _ = try $0.checkpoint(.truncate) }
                try pool.writeWithoutTransaction { db in
                    try db.inTransaction {
                        try db.execute(sql: "UPDATE item SET score = score + 1")
                        return .commit
                    }
                    let count = Shared<Result<Int?, any Error>?>(nil)
                    let done = DispatchSemaphore(value: 0)
                    pool.asyncConcurrentRead { result in
                        count.update {
                            $0 = Result {
                                try Int.fetchOne(
                                    result.get(), sql: "SELECT COUNT(*) FROM item")
                            }
                        }
                        done.signal()
                    }
                    done.wait()
                    try check(count.value!.get() ?? 0 > 20, "a concurrent read")
                }
            },
            check: checkParts),
        Workload(
            name: "journal-modes",
            work: { writer, _ in
                for mode in ["PERSIST", "TRUNCATE", "DELETE"] {
                    try writer.writeWithoutTransaction { db in
                        try db.execute(sql: "PRAGMA journal_mode = \(mode)")
                        try db.inTransaction {
                            try db.execute(sql: "UPDATE item SET score = score + 1")
                            return .commit
                        }
                    }
                }
            }),
        Workload(
            name: "mapped", isPool: true,
            open: { path in
                var configuration = makeConfiguration()
                configuration.prepareDatabase { db in
                    try db.execute(sql: "PRAGMA mmap_size = 10000000")
                }
                return try DatabasePool(path: path, configuration: configuration)
            },
            work: { writer, _ in
                try writeItems(writer)
                try writer.read(readItems)
                try (writer as! DatabasePool).vacuum()
            }),
        Workload(
            name: "vacuum",
            work: { writer, folder in
                try writer.write { try $0.execute(sql: "DELETE FROM item WHERE id % 2 = 1") }
                try writer.vacuum()
                let copy = folder + "/vacuum.sqlite"
                removeDatabase(copy)
                try writer.vacuum(into: copy)
                fileDidChange.value?()
                try DatabaseQueue(path: copy, configuration: makeConfiguration()).read { db in
                    try check(Item.fetchCount(db) == 20, "a copy")
                }
            }),
        Workload(
            name: "backup",
            work: { writer, folder in
                let path = folder + "/backup.sqlite"
                removeDatabase(path)
                let destination = try DatabaseQueue(path: path, configuration: makeConfiguration())
                defer { try? destination.close() }
                try writer.backup(to: destination, pagesPerStep: 5)
                fileDidChange.value?()
                try destination.read { db in
                    try check(Item.fetchCount(db) == 40, "a backup")
                    try readItems(db)
                }
                // Into a file with content, which stays as it is if the backup fails.
                try destination.write { try $0.execute(sql: "DELETE FROM item") }
                fileDidChange.value?()
                try writer.write { try $0.execute(sql: "UPDATE item SET score = 7") }
                do {
                    try writer.backup(to: destination)
                } catch {
                    let sums = try? destination.read {
                        try Int.fetchAll($0, sql: "SELECT SUM(score) FROM item")
                    }
                    try check(sums == nil || sums == [] || sums == [280], "\(sums!)")
                    throw error
                }
            }),
        Workload(
            name: "snapshot", isPool: true, open: openPool,
            work: { writer, _ in
                let pool = writer as! DatabasePool
                let snapshot = try pool.makeSnapshot()
                let snapshots = try pool.makeSnapshotPool()
                try pool.write { try $0.execute(sql: "UPDATE item SET score = score + 1") }
                let sums = [
                    try snapshot.read { try Int.fetchOne($0, sql: "SELECT SUM(score) FROM item") },
                    try snapshots.read { try Int.fetchOne($0, sql: "SELECT SUM(score) FROM item") },
                    try pool.read { try Int.fetchOne($0, sql: "SELECT SUM(score) FROM item") },
                ]
                try check(sums == [820, 820, 860], "\(sums)")
                try snapshots.read(readItems)
                try snapshots.close()
                try snapshot.close()
                _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            }),
        Workload(
            name: "attached",
            work: { writer, folder in
                let path = folder + "/other.sqlite"
                removeDatabase(path)
                try writer.writeWithoutTransaction { db in
                    try db.execute(sql: "ATTACH '\(path)' AS other")
                    try db.execute(sql: "CREATE TABLE other.copied AS SELECT * FROM item")
                    try db.inTransaction {
                        try db.execute(sql: "UPDATE item SET score = score + 1")
                        try db.execute(sql: "UPDATE other.copied SET score = score + 1")
                        return .commit
                    }
                    let isEqual = try Bool.fetchOne(
                        db,
                        sql: """
                            SELECT (SELECT SUM(score) FROM item) = (SELECT SUM(score) FROM copied)
                            """)
                    try check(isEqual == true, "the attached file")
                    try db.execute(sql: "DETACH other")
                }
            },
            check: { writer in
                // Both files have the transaction, or none has.
                try writer.writeWithoutTransaction { db in
                    let attached = try String.fetchAll(
                        db, sql: "SELECT name FROM pragma_database_list WHERE name = 'other'")
                    guard attached == ["other"], try db.tableExists("copied", in: "other") else {
                        return
                    }
                    let isEqual = try Bool.fetchOne(
                        db,
                        sql: """
                            SELECT (SELECT SUM(score) FROM item) = (SELECT SUM(score) FROM other.copied)
                            """)
                    try check(isEqual == true, "half of a transaction is left")
                }
            }),
        Workload(
            name: "tasks", isPool: true, open: openPool,
            work: { writer, _ in
                try waitForTask {
                    try await writer.write { db in
                        try db.execute(sql: "UPDATE item SET score = score + 1")
                    }
                    async let first = writer.read { try Item.fetchCount($0) }
                    async let second = writer.read { try Item.fetchAll($0).count }
                    let counts = try await [first, second]
                    try check(counts == [40, 40], "\(counts)")
                    var size = 0
                    for try await chunk in writer.blobChunks(
                        table: "item", column: "tags", rowID: 1)
                    {
                        size += chunk.count
                    }
                    try check(size > 700, "\(size) bytes")
                    try await writer.write { try $0.execute(sql: "DELETE FROM part") }
                }
            }),
        Workload(
            name: "batched-writes", isPool: true, open: openPool,
            work: { writer, _ in
                try waitForTask {
                    for _ in 1...2 {
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            for id in 1...8 {
                                group.addTask {
                                    try await writer.batchedWrite { db in
                                        try db.execute(
                                            sql:
                                                "UPDATE item SET score = score + 1, name = name || 'x' WHERE id = ?",
                                            arguments: [id])
                                    }
                                }
                            }
                            try await group.waitForAll()
                        }
                    }
                    // One fails, and undoes nothing of the others.
                    async let first: Void = writer.batchedWrite {
                        try $0.execute(sql: "DELETE FROM part")
                    }
                    async let second: Void = writer.batchedWrite { db in
                        try db.execute(sql: "DELETE FROM item")
                        throw CancellationError()
                    }
                    try await first
                    do { try await second } catch is CancellationError {}
                }
            },
            check: checkParts,
            checkResult: { writer in
                let counts = try writer.read { try [Item.fetchCount($0), Part.fetchCount($0)] }
                try check(counts == [40, 0], "\(counts)")
            }),
        Workload(
            name: "checkpoints", isPool: true, open: openPool,
            work: { writer, _ in
                let pool = writer as! DatabasePool
                try writeItems(pool)
                let snapshot = try pool.makeSnapshot()
                try pool.write { try $0.execute(sql: "UPDATE item SET tags = '[\"a\",\"c\"]'") }
                // Some pages stay in the log, because of the snapshot.
                _ = try pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
                try pool.write { try $0.execute(sql: "UPDATE item SET score = score + 7") }
                try snapshot.read(readItems)
                try snapshot.close()
                _ = try pool.writeWithoutTransaction { try $0.checkpoint(.restart) }
                // The log is written from its beginning.
                try pool.write {
                    try $0.execute(sql: "UPDATE item SET score = score + 7 WHERE id < 5")
                }
                try pool.write { try $0.execute(sql: "DELETE FROM part WHERE id > 20") }
                try pool.read(readItems)
                _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
                try pool.write {
                    try $0.execute(sql: "UPDATE item SET score = score + 9 WHERE id < 9")
                }
            },
            check: checkParts),
        Workload(
            name: "serialize",
            work: { writer, _ in
                try writer.write { try $0.execute(sql: "UPDATE item SET score = score + 1") }
                let data = try writer.read { try $0.serialized() }
                let queue = try DatabaseQueue(serialized: data, configuration: makeConfiguration())
                try queue.read(readItems)
                try queue.write { try $0.execute(sql: "DELETE FROM item WHERE id > 10") }
                let count = try queue.read { try $0.withSerializedBytes { $0.count } }
                try check(count > 4096, "\(count) bytes")
                // Back into the file.
                try queue.backup(to: writer)
                try queue.close()
                try check(writer.read { try Item.fetchCount($0) } == 10, "the copy")
            },
            check: checkParts),
        Workload(
            name: "incremental-vacuum",
            create: { db in
                try createItems(db)
                try db.execute(
                    sql: "CREATE TABLE filler(a); INSERT INTO filler VALUES (zeroblob(100000))")
            },
            work: { writer, _ in
                try writer.writeWithoutTransaction {
                    try $0.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
                }
                try writer.vacuum()
                try writer.write { try $0.execute(sql: "DELETE FROM filler") }
                try waitForTask {
                    let count = try await writer.incrementalVacuum(pagesPerSlice: 7)
                    try check(count > 20, "\(count) pages")
                }
            }),
        Workload(
            name: "new-file", watchedSQL: "SELECT COUNT(*) FROM sqlite_master",
            beginsWithContent: false,
            create: { _ in },
            work: { writer, _ in
                try makeMigrator().migrate(writer)
                try writer.write { try $0.execute(sql: "UPDATE item SET score = score + 1") }
            },
            check: checkParts),
        Workload(
            name: "new-pool", watchedSQL: "SELECT COUNT(*) FROM sqlite_master",
            beginsWithContent: false,
            create: { _ in }, isPool: true, open: openPool,
            work: { writer, _ in
                try makeMigrator().migrate(writer)
                try writer.write { try $0.execute(sql: "UPDATE item SET score = score + 1") }
            },
            check: checkParts),
    ]
}
