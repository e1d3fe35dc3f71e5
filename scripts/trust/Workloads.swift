import Foundation
import GRDB
import GRDBTables

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
        #if TRUST_ENCRYPTED
        try db.useKey(.raw(Data(0..<32)))
        #endif
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

func makeWorkloads() -> [Workload] { makeConnectionWorkloads() + makeFeatureWorkloads() }

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
