import Foundation
import GRDB

/// A place with a vector.
private struct Place: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "place"
    var id: Int64
    var vector: FloatVector
}

func makeFurtherWorkloads() -> [Workload] {
    [
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
            name: "outbox",
            work: { writer, _ in
                let outbox = try writer.outbox(named: "changes", tables: ["item", "part"])
                try writer.write {
                    try $0.execute(sql: "UPDATE item SET score = score + 1 WHERE id < 10")
                }
                try writer.write { try $0.execute(sql: "DELETE FROM item WHERE id > 35") }
                let entries = try writer.read { try outbox.pendingEntries($0) }
                try check(entries.count == 19, "\(entries.count) entries")
                try writer.write { try outbox.acknowledge($0, through: entries[8].position) }
                do {
                    try writer.write { db in
                        try db.execute(sql: "DELETE FROM item")
                        throw CancellationError()
                    }
                } catch is CancellationError {}
                try writer.write {
                    try $0.execute(sql: "INSERT INTO item VALUES (100, 'a', 1, '[\"a\",\"b\"]')")
                }
                let count = try writer.read { try outbox.pendingCount($0) }
                try check(count == 11, "\(count) entries")
                try outbox.stop()
            },
            check: checkParts),
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
            name: "full-text-triggers",
            create: { db in
                try createItems(db)
                try db.create(virtualTable: "itemText", using: FTS5()) { t in
                    t.synchronize(withTable: "item")
                    t.tokenizer = .init(components: ["letters"])
                    t.column("name")
                }
            },
            work: { writer, _ in
                try writer.write { db in
                    try db.execute(sql: "UPDATE item SET name = 'the white whale' WHERE id % 4 = 0")
                    try db.execute(sql: "DELETE FROM item WHERE id % 5 = 0")
                }
                try writer.write { db in
                    var item = Item(name: "White shark, white whale", score: 3, tags: ["a", "b"])
                    try item.insert(db)
                    item.name = "Shark. White whale"
                    try item.update(db)
                }
                try writer.read { db in
                    let names = try String.fetchAll(
                        db,
                        sql: """
                            SELECT name FROM itemText WHERE itemText MATCH 'white AND shark'
                            ORDER BY density(itemText), rank
                            """)
                    try check(names == ["Shark. White whale"], "\(names)")
                }
                try writer.write {
                    try $0.execute(sql: "INSERT INTO itemText(itemText) VALUES ('rebuild')")
                }
            },
            check: { writer in
                try writer.write {
                    try $0.execute(
                        sql: "INSERT INTO itemText(itemText, rank) VALUES ('integrity-check', 1)")
                }
            }),
        Workload(
            name: "r-tree",
            create: { db in
                try createItems(db)
                try db.create(virtualTable: "box", using: RTree()) { t in
                    t.dimension("minX", "maxX")
                    t.dimension("minY", "maxY")
                }
            },
            work: { writer, _ in
                try writer.write { db in
                    for id in 1...120 {
                        let x = Double(id * 37 % 100)
                        try db.execute(
                            sql: "INSERT INTO box VALUES (?, ?, ?, ?, ?)",
                            arguments: [id, x, x + 1, x, x + 2])
                    }
                }
                try writer.write { try $0.execute(sql: "DELETE FROM box WHERE id % 2 = 0") }
                try writer.read { db in
                    let region: RTreeRegion = [10.0...20.0, 10.0...20.0]
                    let ids = try Int.fetchAll(
                        db, Table("box").all().overlapping(region).select(Column("id")))
                    try check(ids.allSatisfy { $0 % 2 == 1 } && ids.count > 3, "\(ids)")
                }
            },
            check: { writer in try writer.read { try $0.checkRTree("box") } }),
        Workload(
            name: "vectors",
            create: { db in
                try createItems(db)
                try db.execute(
                    sql: "CREATE TABLE place(id INTEGER PRIMARY KEY, vector BLOB NOT NULL)")
            },
            work: { writer, _ in
                try writer.write { db in
                    for id in 1...60 {
                        let elements = (0..<16).map { Float((Int(id) * 31 + $0 * 17) % 23) }
                        try Place(id: Int64(id), vector: FloatVector(elements)).insert(db)
                    }
                }
                try writer.read { db in
                    let query = FloatVector([Float](repeating: 3, count: 16))
                    let places = try Place.all()
                        .nearest(to: query, in: Column("vector"), count: 5, by: .cosine).fetchAll(
                            db)
                    let distances = try places.map {
                        try $0.vector.distance(to: query, by: .cosine)
                    }
                    try check(
                        distances.count == 5 && distances == distances.sorted(), "\(distances)")
                }
                try writer.write { try $0.execute(sql: "DELETE FROM place WHERE id > 30") }
            }),
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
            name: "blob-writer",
            create: { db in
                try createItems(db)
                try db.execute(
                    sql: """
                        CREATE TABLE video(id INTEGER PRIMARY KEY, content BLOB);
                        INSERT INTO video VALUES (1, zeroblob(30000));
                        """)
            },
            work: { writer, _ in
                try waitForTask {
                    var blobWriter = writer.blobWriter(table: "video", column: "content", rowID: 1)
                    for byte in 1...3 {
                        try await blobWriter.write(Data(repeating: UInt8(byte), count: 10_000))
                    }
                    var size = 0
                    for try await chunk in writer.blobChunks(
                        table: "video", column: "content", rowID: 1)
                    {
                        size += chunk.reduce(0) { $0 + Int($1) }
                    }
                    try check(size == 60_000, "\(size)")
                }
            }),
        Workload(
            name: "change-feed", isPool: true, open: openPool,
            work: { writer, _ in
                let feed = DatabaseChangeFeed(tracking: .table("item"), .table("part"))
                let failure = Shared<(any Error)?>(nil)
                let changes = Shared(0)
                let cancellable = feed.start(
                    in: writer, onError: { error in failure.update { $0 = error } }
                ) {
                    transaction in changes.update { $0 += transaction.changes.count }
                }
                defer { cancellable.cancel() }
                try writer.write {
                    try $0.execute(sql: "UPDATE item SET score = score + 1 WHERE id < 10")
                }
                // The parts are deleted, too.
                try writer.write { try $0.execute(sql: "DELETE FROM item WHERE id > 35") }
                try writer.write { db in
                    try db.inSavepoint {
                        try db.execute(sql: "DELETE FROM part")
                        return .rollback
                    }
                    try db.execute(sql: "UPDATE part SET title = 'a' WHERE id = 1")
                }
                if let error = failure.value { throw error }
                try check(changes.value == 20, "\(changes.value) changes")
            },
            check: checkParts),
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
