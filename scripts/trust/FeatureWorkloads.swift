import GRDBChanges
import GRDBTables
import GRDBSchema
import Foundation
import GRDB

/// A place with a vector.
private struct Place: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "place"
    var id: Int64
    var vector: FloatVector
}

/// Work of records and of the features of the library.
func makeFeatureWorkloads() -> [Workload] {
    [
        Workload(
            name: "migration", watchedSQL: "SELECT COUNT(*) FROM sqlite_master",
            create: { _ in },
            work: { writer, _ in try makeMigrator().migrate(writer) },
            check: checkParts,
            checkResult: { writer in
                let applied = try writer.read { try makeMigrator().appliedIdentifiers($0) }
                try check(applied == ["v1", "v2", "v3"], "\(applied)")
            }),
        Workload(
            name: "records", isPool: true, open: openPool,
            work: { writer, _ in
                try writer.write { db in
                    var items = (1...10).map {
                        Item(name: "many \($0)", score: $0, tags: ["a", "b"])
                    }
                    try Item.insertMany(db, &items)
                    for var item in items {
                        try item.updateChanges(db) { $0.score += 1 }
                        try item.upsert(db)
                    }
                    try items[0].delete(db)
                }
                try writer.read { db in
                    struct Info: Decodable, FetchableRecord {
                        var item: Item
                        var parts: [Part]
                    }
                    let infos = try Item.including(all: Item.parts)
                        .asRequest(of: Info.self).fetchAll(db)
                    try check(infos.count == 49, "\(infos.count) items")
                    try check(infos.filter { $0.parts.count == 1 }.count == 40, "parts")
                }
                try writer.write { db in
                    try Item.filter(keys: [1, 2, 3]).deleteAll(db)
                    try Part.updateAll(db, Column("title").set(to: "updated"))
                }
            },
            check: checkParts),
        Workload(
            name: "observation", isPool: true, open: openPool,
            work: { writer, _ in
                let observation = ValueObservation.tracking { db in
                    try Item.order(Column("id")).fetchAll(db)
                }
                let values = Shared<[[Item]]>([])
                let failure = Shared<(any Error)?>(nil)
                let feed = DatabaseChangeFeed(tracking: .table("item"))
                let changes = Shared(0)
                let cancellables = [
                    observation.start(
                        in: writer, scheduling: .async(onQueue: DispatchQueue(label: "items")),
                        onError: { error in failure.update { $0 = error } },
                        onChange: { value in values.update { $0.append(value) } }),
                    feed.start(in: writer, onError: { error in failure.update { $0 = error } }) {
                        transaction in changes.update { $0 += transaction.changes.count }
                    },
                ]
                defer { cancellables.forEach { $0.cancel() } }
                for _ in 0..<10000 where values.value.isEmpty && failure.value == nil {
                    usleep(200)
                }
                try writer.write { try $0.execute(sql: "UPDATE item SET score = score + 1") }
                try writer.write { try $0.execute(sql: "DELETE FROM item WHERE id = 7") }
                let items = try writer.read { try Item.order(Column("id")).fetchAll($0) }
                for _ in 0..<10000 where values.value.last != items && failure.value == nil {
                    usleep(200)
                }
                if let error = failure.value { throw error }
                try check(values.value.last == items, "a stale value")
                try check(changes.value == 41, "\(changes.value) changes")
            }),
        Workload(
            name: "full-text",
            create: { db in
                try createItems(db)
                try db.execute(
                    sql: """
                        CREATE VIRTUAL TABLE doc USING fts5(text, tokenize = 'letters');
                        INSERT INTO doc SELECT 'Moby Dick ' || name FROM item;
                        """)
            },
            work: { writer, _ in
                try writer.write { db in
                    try db.execute(
                        sql: "INSERT INTO doc VALUES ('Call me Ishmael. Some years ago')")
                    try db.execute(sql: "UPDATE doc SET text = 'The Whale' WHERE rowid = 1")
                }
                try writer.write { db in
                    try db.execute(sql: "DELETE FROM doc WHERE rowid = 2")
                    try db.execute(sql: "INSERT INTO doc(doc) VALUES ('optimize')")
                }
                try writer.read { db in
                    let pattern = try db.makeFTS5Pattern(rawPattern: "ishmael", forTable: "doc")
                    let texts = try String.fetchAll(
                        db, sql: "SELECT text FROM doc WHERE doc MATCH ? ORDER BY density(doc)",
                        arguments: [pattern])
                    try check(texts == ["Call me Ishmael. Some years ago"], "\(texts)")
                    let count = try Int.fetchOne(
                        db, sql: "SELECT COUNT(*) FROM doc WHERE doc MATCH 'moby'")
                    try check(count == 38, "\(count ?? -1) whales")
                }
            },
            check: { writer in
                try writer.write {
                    try $0.execute(sql: "INSERT INTO doc(doc, rank) VALUES ('integrity-check', 1)")
                }
            }),
        Workload(
            name: "sessions",
            work: { writer, folder in
                let changeset = try writer.write { db in
                    let session = try db.makeSession()
                    try session.attachAllTables()
                    try db.execute(sql: "UPDATE item SET score = score + 1")
                    try db.execute(sql: "DELETE FROM part WHERE id % 2 = 0")
                    return try session.changeset()
                }
                try check(changeset.changeCount == 60, "\(changeset.changeCount) changes")
                try writer.write { _ = try $0.apply(changeset.inverted()) }
                let url = URL(fileURLWithPath: folder + "/changes")
                try writer.write { db in
                    let session = try db.makeSession()
                    try session.attach("item")
                    try db.execute(sql: "UPDATE item SET score = 2")
                    try session.writeChangeset(to: url)
                }
                try writer.write { db in
                    try db.execute(sql: "UPDATE item SET score = 1")
                    try db.apply(contentsOf: url) { _ in .omit }
                }
            },
            check: checkParts),
        Workload(
            name: "blobs",
            create: { db in
                try createItems(db)
                try db.execute(sql: "CREATE TABLE video(id INTEGER PRIMARY KEY, content BLOB)")
            },
            work: { writer, _ in
                let bytes = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0) })
                try writer.write { db in
                    try db.execute(
                        literal: "INSERT INTO video VALUES (1, \(ZeroBlob(count: 50_000)))")
                    let blob = try db.openBlob(
                        table: "video", column: "content", rowID: 1, mode: .readWrite)
                    try blob.write(bytes.prefix(25_000), at: 0)
                    try blob.write(bytes.suffix(25_000), at: 25_000)
                }
                try writer.read { db in
                    let blob = try db.openBlob(table: "video", column: "content", rowID: 1)
                    try check(blob.read(count: 50_000, at: 0) == bytes, "bytes")
                }
                try writer.write { db in
                    try db.execute(literal: "INSERT INTO video VALUES (2, \(bytes))")
                    let blob = try db.openBlob(
                        table: "video", column: "content", rowID: 1, mode: .readWrite)
                    try blob.write(Data([1, 2, 3]), at: 0)
                    try blob.move(to: 2)
                    try blob.write(Data([1, 2, 3]), at: 40_000)
                }
            }),
        Workload(
            name: "virtual-tables",
            work: { writer, folder in
                try writer.write { db in
                    try db.execute(
                        sql: """
                            INSERT INTO item(name, score, tags)
                            SELECT 'number', value, '["a","b"]' FROM number WHERE value > 40
                            """)
                    let count = try Int.fetchOne(
                        db, sql: "SELECT COUNT(*) FROM item JOIN number ON value = score")
                    try check(count == 50, "\(count ?? -1) rows")
                }
                let csv = folder + "/items.csv"
                try Data("id,name\n1,one\n2,two\n".utf8).write(to: URL(fileURLWithPath: csv))
                try writer.write { db in
                    try db.tryAdd(module: .csv)
                    try db.execute(
                        sql: """
                            CREATE VIRTUAL TABLE temp.csvItem USING csv(filename='\(csv)', header=yes);
                            UPDATE item SET name = (SELECT name FROM csvItem WHERE id = item.id)
                            WHERE id IN (SELECT id FROM csvItem);
                            DROP TABLE temp.csvItem;
                            """)
                }
                let names = try writer.read {
                    try String.fetchAll($0, sql: "SELECT name FROM item WHERE id < 3")
                }
                try check(names == ["one", "two"], "\(names)")
            }),
        Workload(
            name: "transformation",
            work: { writer, _ in
                _ = try writer.write { db in
                    try db.transform(table: "item") { t in
                        t.rename(column: "name", to: "title")
                        t.setDefault(ofColumn: "title", to: "none")
                        t.addCheck(named: "positive", sql: "score >= 0")
                        t.reorder(columns: ["id", "score", "title", "tags"])
                    }
                }
                _ = try writer.write { db in
                    try db.transform(table: "part") { t in
                        t.dropForeignKey(["itemID"])
                        t.change(column: "title", type: .blob)
                    }
                }
            },
            check: checkParts),
        Workload(
            name: "undo",
            work: { writer, _ in
                let history = try UndoHistory(
                    writer, tables: ["item", "part"], storage: .table("undoHistory"))
                try history.record("delete") {
                    try $0.execute(sql: "DELETE FROM item WHERE id < 5")
                }
                try history.record("update") { try $0.execute(sql: "UPDATE item SET score = 5") }
                func done(_ outcome: UndoHistory.Outcome) throws {
                    switch outcome {
                    case .done: break
                    case .nothing: throw Failed("nothing to undo")
                    case .givenUp(_, let error): throw error
                    }
                }
                try done(history.undo())
                try done(history.undo())
                try check(!history.state.canUndo && history.state.canRedo, "state")
                let sum = try writer.read {
                    try Int.fetchOne($0, sql: "SELECT SUM(score) FROM item")
                }
                try check(sum == 820, "\(sum ?? -1)")
                try done(history.redo())
            },
            check: checkParts),
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
    ]
}
