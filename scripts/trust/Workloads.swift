import Foundation
import GRDB

/// Everyday work, which is done while operations of the file system or allocations fail.
struct Workload: Sendable {
    var name: String
    /// Whether failures begin before the connection is opened.
    var opensUnderFaults = false
    /// The value that an observer follows.
    var watchedSQL = "SELECT IFNULL(COUNT(*) * 1000 + SUM(score), 0) FROM item"
    /// Whether the file exists before the work.
    var beginsWithContent = true
    /// Creates the content of the file.
    var create: @Sendable (Database) throws -> Void = createItems
    /// Whether the file is opened as a pool.
    var isPool = false
    /// Opens the file.
    var open: @Sendable (_ path: String) throws -> any DatabaseWriter = openQueue
    /// Work before anything fails.
    var prepare: @Sendable (any DatabaseWriter) throws -> Void = { _ in }
    /// Work that throws, or succeeds. It commits the same transactions each time.
    var work: @Sendable (any DatabaseWriter, _ folder: String) throws -> Void
    /// Throws if the content is not whole.
    var check: @Sendable (any DatabaseWriter) throws -> Void = { _ in }
    /// Throws if the work, which did not throw, has not been done.
    var checkResult: @Sendable (any DatabaseWriter) throws -> Void = { _ in }
}

struct Item: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
    static let databaseTableName = "item"
    static let parts = hasMany(Part.self)
    var id: Int64?
    var name: String
    var score: Int
    var tags: [String]

    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let score = Column("score")
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

struct Part: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
    static let databaseTableName = "part"
    static let item = belongsTo(Item.self)
    var id: Int64?
    var itemID: Int64
    var title: String

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// Words, in lower case.
final class LetterTokenizer: FTS5WrapperTokenizer {
    static let name = "letters"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        try tokenCallback(token.lowercased(), flags)
    }
}

/// Called when a file other than that of the workload has a new state.
let fileDidChange = Shared<(@Sendable () -> Void)?>(nil)

/// Statements for each new connection.
let extraPragmas = Shared<[String]>([])

func makeConfiguration() -> Configuration {
    var configuration = Configuration()
    // The same content each time.
    configuration.transactionClock = .custom { _ in Date(timeIntervalSince1970: 1_000_000_000) }
    configuration.prepareDatabase { db in
        for pragma in extraPragmas.value { try db.execute(sql: pragma) }
        // Few pages are kept: the work reads, and spills what it writes.
        try db.execute(sql: "PRAGMA cache_size = 8")
        db.add(
            function: DatabaseFunction("double", argumentCount: 1, pure: true) { values in
                Int.fromDatabaseValue(values[0]).map { 2 * $0 }
            })
        db.add(collation: DatabaseCollation("reversed") { $1.compare($0) })
        db.add(tokenizer: LetterTokenizer.self)
        try db.add(
            auxiliaryFunction: FTS5AuxiliaryFunction(
                "density",
                ranking: { match in
                    let words = try match.tokenCount()
                    return words == 0 ? 0 : -Double(try match.instanceCount()) / Double(words)
                }))
        try db.tryAdd(
            module: .table("number", of: Array(1...50)) { t in
                t.column("value", \.self, .integer).primaryKey()
            })
    }
    return configuration
}

func openQueue(_ path: String) throws -> any DatabaseWriter {
    try DatabaseQueue(path: path, configuration: makeConfiguration())
}

func openPool(_ path: String) throws -> any DatabaseWriter {
    var configuration = makeConfiguration()
    configuration.maximumReaderCount = 3
    return try DatabasePool(path: path, configuration: configuration)
}

func createItems(_ db: Database) throws {
    try db.create(table: "item") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().indexed()
        t.column("score", .integer).notNull()
        t.column("tags", .jsonText).notNull()
    }
    try db.create(table: "part") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("itemID", .integer).notNull().indexed()
            .references("item", onDelete: .cascade)
        t.column("title", .text).notNull()
    }
    for index in 1...40 {
        var item = Item(
            name: "item \(index)", score: index,
            tags: ["a", String(repeating: "b", count: 700)])
        try item.insert(db)
        var part = Part(itemID: item.id!, title: "part \(index)")
        try part.insert(db)
    }
}

func readItems(_ db: Database) throws {
    let items = try Item.filter(Column("score") > 5).order(Column("name")).fetchAll(db)
    try check(items.allSatisfy { $0.tags.count == 2 && $0.tags[0] == "a" }, "tags")
    let names = try String.fetchAll(db, sql: "SELECT name FROM item ORDER BY name COLLATE reversed")
    try check(names == names.sorted().reversed(), "names")
    let doubles = try Row.fetchAll(db, sql: "SELECT double(score), score FROM item")
    try check(doubles.allSatisfy { $0[0] == ($0[1] as Int?).map { 2 * $0 } }, "doubles")
}

/// Several transactions: with a savepoint, a rollback, and more pages than the cache has.
func writeItems(_ writer: any DatabaseWriter) throws {
    try writer.write { db in
        var item = Item(name: "new", score: 0, tags: ["a", "c"])
        try item.insert(db)
        item.name = String(repeating: "long", count: 1000)
        try item.update(db)
    }
    try writer.write { db in
        try db.inSavepoint {
            try Item.filter(Column("score") > 10).updateAll(db, Column("score").set(to: 100))
            return .rollback
        }
        try db.inSavepoint {
            _ = try Item.deleteOne(db, key: 1)
            return .commit
        }
        try db.execute(sql: "UPDATE item SET tags = json_array('a', hex(zeroblob(score * 20)))")
    }
    do {
        try writer.write { db in
            try db.execute(sql: "UPDATE item SET score = score + 1000")
            throw CancellationError()
        }
    } catch is CancellationError {}
    try writer.write { db in
        try db.execute(sql: "DELETE FROM item WHERE score % 3 = 0")
        try db.execute(sql: "UPDATE item SET score = score + 1")
    }
}

func makeMigrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { try createItems($0) }
    migrator.registerMigration("v2") { db in
        try db.alter(table: "item") { $0.add(column: "extra", .text) }
        try db.execute(sql: "UPDATE item SET extra = name")
    }
    migrator.registerMigration("v3", foreignKeyChecks: .immediate) { db in
        try db.execute(sql: "DELETE FROM item WHERE id % 2 = 0")
        try db.create(indexOn: "item", columns: ["extra"])
    }
    return migrator
}

func checkParts(_ writer: any DatabaseWriter) throws {
    try writer.read { try $0.checkForeignKeys() }
}

func makeWorkloads() -> [Workload] { makeFirstWorkloads() + makeFurtherWorkloads() }

func findWorkload(_ name: String) throws -> Workload {
    guard let workload = makeWorkloads().first(where: { $0.name == name }) else {
        throw Failed("no workload \(name)")
    }
    return workload
}

/// Runs the operations of a task, and waits for them.
func waitForTask(_ operation: @escaping @Sendable () async throws -> Void) throws {
    let result = Shared<Result<Void, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task {
        do {
            try await operation()
            result.update { $0 = .success(()) }
        } catch {
            result.update { $0 = .failure(error) }
        }
        done.signal()
    }
    done.wait()
    try result.value!.get()
}

private func makeFirstWorkloads() -> [Workload] {
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
                try DatabaseQueue(path: copy).read { db in
                    try check(Item.fetchCount(db) == 20, "a copy")
                }
            }),
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
    ]
}
