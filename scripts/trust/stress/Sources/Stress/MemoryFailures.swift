import FailingMemory
import Foundation
import GRDB

// Every allocation of SQLite fails once, alone, and then with all that follow it, in the course of
// everyday work. None may end the process; none may give a wrong result; and when memory is back, the
// connection must work.

/// Work that is done while memory fails. `prepare` and `check` are done with all memory there is.
private struct MemoryScenario {
    let name: String
    /// Makes what the work needs.
    let prepare: () throws -> any DatabaseWriter
    /// Throws when memory fails, or gives the right result.
    let work: (any DatabaseWriter) throws -> Void
}

private struct WrongResult: Error, CustomStringConvertible {
    var description: String
}

private func check(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw WrongResult(description: description()) }
}

private struct Item: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
    static let databaseTableName = "item"
    var id: Int64?
    var name: String
    var score: Double
    var tags: [String]

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

/// Words, in lower case.
private final class LetterTokenizer: FTS5WrapperTokenizer {
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

private final class CountingObserver: TransactionObserver {
    var count = 0
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) { count += 1 }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}

private let configuration: Configuration = {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
        db.add(
            function: DatabaseFunction("double", argumentCount: 1, pure: true) { values in
                Int.fromDatabaseValue(values[0]).map { 2 * $0 }
            })
        db.add(
            function: DatabaseFunction("total2", argumentCount: 1, initialValue: 0) { sum, values in
                sum += Int.fromDatabaseValue(values[0]) ?? 0
            })
        db.add(collation: DatabaseCollation("reversed") { $1.compare($0) })
        db.add(tokenizer: LetterTokenizer.self)
    }
    return configuration
}()

private let directory = NSTemporaryDirectory() + "grdb-memory-\(getpid())"

private func makePath() -> String { "\(directory)/\(UUID().uuidString).sqlite" }

private func createItems(_ db: Database) throws {
    try db.create(table: "item") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().indexed()
        t.column("score", .double).notNull()
        t.column("tags", .jsonText).notNull()
    }
    for index in 1...20 {
        var item = Item(
            name: "item \(index)", score: Double(index),
            tags: ["a", String(repeating: "b", count: 500)])
        try item.insert(db)
    }
}

private func makeQueue(_ setUp: (Database) throws -> Void = createItems) throws
    -> any DatabaseWriter
{
    let queue = try DatabaseQueue(configuration: configuration)
    try queue.write(setUp)
    return queue
}

private func makePool() throws -> any DatabaseWriter {
    let pool = try DatabasePool(path: makePath(), configuration: configuration)
    try pool.write(createItems)
    return pool
}

private func readItems(_ db: Database) throws {
    let items = try Item.filter(Column("score") > 5).order(Column("name")).fetchAll(db)
    try check(items.count == 15, "\(items.count) items")
    try check(items.allSatisfy { $0.tags.count == 2 && $0.tags[1].count == 500 }, "tags")
    let rows = try Row.fetchAll(
        db,
        sql: """
            SELECT double(id) AS d, name FROM item ORDER BY name COLLATE reversed
            """)
    try check(rows.count == 20 && rows[0]["d"] == 18 && rows[0]["name"] == "item 9", "rows")
    let total = try Int.fetchOne(db, sql: "SELECT total2(id) FROM item")
    try check(total == 210, "total")
    let names = try String.fetchSet(db, sql: "SELECT name FROM item")
    try check(names.count == 20, "names")
    try check(db.primaryKey("item").columns == ["id"], "primary key")

    // From the first row only, as values that may be missing: no further step tells of the failure.
    let sql = "SELECT name, tags FROM item WHERE id = 1"
    try check(String.fetchOne(db, sql: sql) == "item 1", "first name")
    let row = try Row.fetchOne(db, sql: sql)
    try check(row?["name"] as String? == "item 1", "name of a row")
    try check(OptionalItem.fetchOne(db, sql: sql)?.name == "item 1", "name of a record")
    try check(Item.fetchOne(db, key: 1)?.name == "item 1", "name of a key")
}

private struct OptionalItem: FetchableRecord {
    var name: String?

    init(row: Row) {
        name = row["name"]
    }
}

private func writeItems(_ writer: any DatabaseWriter) throws {
    let observer = CountingObserver()
    writer.add(transactionObserver: observer)
    defer { writer.remove(transactionObserver: observer) }
    try writer.write { db in
        var item = Item(name: "new", score: 0, tags: [])
        try item.insert(db)
        try check(item.id == 21, "id")
        item.name = String(repeating: "long", count: 1000)
        try item.update(db)
        try db.inSavepoint {
            try Item.filter(Column("score") > 10).updateAll(db, Column("score").set(to: 100))
            return .rollback
        }
        try db.inSavepoint {
            _ = try Item.deleteOne(db, key: 1)
            return .commit
        }
        try item.upsert(db)
    }
    try check(observer.count >= 3, "\(observer.count) changes")
    let sum = try writer.read { try Int.fetchOne($0, sql: "SELECT SUM(score) FROM item") }
    try check(sum == 209, "sum")
}

private func makeMigrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { try createItems($0) }
    migrator.registerMigration("v2") { db in
        try db.alter(table: "item") { $0.add(column: "extra", .text) }
        try db.create(table: "part") { t in
            t.autoIncrementedPrimaryKey("id")
            t.belongsTo("item", onDelete: .cascade)
        }
        try db.execute(sql: "UPDATE item SET extra = name")
    }
    return migrator
}

private func makeScenarios() -> [MemoryScenario] {
    [
        MemoryScenario(
            name: "open a queue", prepare: { try makeQueue { _ in } },
            work: { _ in
                let queue = try DatabaseQueue(path: makePath(), configuration: configuration)
                try queue.write(createItems)
            }),
        MemoryScenario(
            name: "open a pool", prepare: { try makeQueue { _ in } },
            work: { _ in
                let pool = try DatabasePool(path: makePath(), configuration: configuration)
                try pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
                let count = try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
                try check(count == 0, "count")
            }),
        MemoryScenario(name: "write", prepare: { try makeQueue() }, work: writeItems),
        MemoryScenario(name: "write in a pool", prepare: makePool, work: writeItems),
        MemoryScenario(
            name: "read", prepare: { try makeQueue() }, work: { try $0.read(readItems) }),
        MemoryScenario(name: "read in a pool", prepare: makePool, work: { try $0.read(readItems) }),
        MemoryScenario(
            name: "read UTF-16",
            prepare: {
                let queue = try DatabaseQueue(configuration: configuration)
                try queue.writeWithoutTransaction {
                    try $0.execute(sql: "PRAGMA encoding = 'UTF-16'")
                }
                try queue.write(createItems)
                return queue
            },
            work: { try $0.read(readItems) }),
        MemoryScenario(
            name: "full text",
            prepare: {
                try makeQueue { db in
                    try db.execute(
                        sql: "CREATE VIRTUAL TABLE doc USING fts5(text, tokenize = 'letters')")
                    try db.execute(sql: "INSERT INTO doc VALUES ('Moby Dick')")
                    try createItems(db)
                }
            },
            work: { writer in
                try writer.write { db in
                    try db.execute(
                        sql: "INSERT INTO doc VALUES (?)",
                        arguments: ["Call me Ishmael. Some years ago"])
                    try db.execute(sql: "UPDATE doc SET text = 'The Whale' WHERE rowid = 1")
                    let pattern = try db.makeFTS5Pattern(rawPattern: "ishmael", forTable: "doc")
                    let texts = try String.fetchAll(
                        db, sql: "SELECT text FROM doc WHERE doc MATCH ?", arguments: [pattern])
                    try check(texts == ["Call me Ishmael. Some years ago"], "\(texts)")
                    try db.execute(sql: "DELETE FROM doc WHERE rowid = 2")
                }
            }),
        MemoryScenario(
            name: "migrate", prepare: { try makeQueue { _ in } },
            work: { writer in
                try makeMigrator().migrate(writer)
                let applied = try writer.read { try makeMigrator().appliedIdentifiers($0) }
                try check(applied == ["v1", "v2"], "\(applied)")
            }),
        MemoryScenario(
            name: "back up", prepare: { try makeQueue() },
            work: { source in
                let destination = try DatabaseQueue(configuration: configuration)
                try source.backup(to: destination)
                try destination.read(readItems)
            }),
    ]
}

/// Does the work of a scenario with a failure of memory.
///
/// - returns: the number of failures: 0 means that the work is done before.
private func runPoint(_ scenario: MemoryScenario, _ number: Int, alsoFollowing: Bool) throws -> Int
{
    let writer = try scenario.prepare()
    failing_memory_start(number, alsoFollowing ? 1 : 0)
    let result = Result { try scenario.work(writer) }
    let failureCount = failing_memory_stop()
    if case .failure(let error as WrongResult) = result {
        throw WrongResult(description: "wrong result: \(error)")
    }
    if failureCount == 0 { try result.get() }

    // Memory is back.
    do {
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS afterwards(a)")
            try db.execute(sql: "INSERT INTO afterwards VALUES (1)")
        }
        let count = try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM afterwards") }
        try check(count == 1, "\(count ?? -1) rows")
        try writer.writeWithoutTransaction { db in
            try check(!db.isInsideTransaction, "a transaction is open")
            let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            try check(integrity == ["ok"], "\(integrity)")
            if try db.tableExists("item") { try checkItems(db) }
        }
        if let pool = writer as? DatabasePool { try pool.close() }
    } catch {
        throw WrongResult(description: "unusable afterwards: \(error); the work: \(result)")
    }
    return Int(failureCount)
}

private func checkItems(_ db: Database) throws {
    let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM item") ?? 0
    try check(count >= 20, "\(count) items")
}

/// The child: says what it is about to try, line by line.
func memoryChild(scenario name: String, alsoFollowing: Bool, from first: Int, step: Int) throws {
    guard failing_memory_install() == 0 else { fatalError("the allocator is not accepted") }
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let scenario = makeScenarios().first { $0.name == name }!
    var number = first
    while true {
        printLine("try \(number)")
        do {
            if try runPoint(scenario, number, alsoFollowing: alsoFollowing) == 0 {
                printLine("end")
                return
            }
        } catch {
            printLine("bad \(number) \(error)")
        }
        number += step
    }
}

/// - parameter step: 1 for all points, more for a sample of them.
func memoryFailures(step: Int) throws {
    let executable = URL(fileURLWithPath: CommandLine.arguments[0])
    var totals = (points: 0, died: 0, bad: 0)
    for alsoFollowing in [false, true] {
        for scenario in makeScenarios() {
            var points = 0
            var died = 0
            var bad = 0
            var next = 1
            var isDone = false
            while !isDone {
                let child = Process()
                let output = Pipe()
                child.executableURL = executable
                child.arguments = [
                    "memory-child", scenario.name, alsoFollowing ? "1" : "0", "\(next)", "\(step)",
                ]
                child.standardOutput = output
                child.standardError = FileHandle.nullDevice
                try child.run()
                let lines = String(
                    decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self
                ).split(separator: "\n")
                child.waitUntilExit()
                var last = next
                for line in lines {
                    let words = line.split(separator: " ", maxSplits: 2)
                    switch words[0] {
                    case "try":
                        last = Int(words[1])!
                        points += 1
                    case "bad":
                        bad += 1
                        if bad <= 5 { print("  \(scenario.name), allocation \(line.dropFirst(4))") }
                    case "end":
                        isDone = true
                        points -= 1
                    default:
                        break
                    }
                }
                if !isDone {
                    died += 1
                    if died <= 5 {
                        print(
                            "  \(scenario.name) died at allocation \(last), status",
                            child.terminationStatus)
                    }
                    next = last + step
                }
            }
            let failing = alsoFollowing ? "it and all that follow" : "it alone"
            print(
                "\(scenario.name), \(failing): \(points) points, \(died) died, \(bad) left bad")
            totals = (totals.points + points, totals.died + died, totals.bad + bad)
        }
    }
    print(
        "memory: \(totals.points) points tried, \(totals.died) died, \(totals.bad) left unusable or "
            + "gave a wrong result")
    if totals.died + totals.bad > 0 { failures.append("memory") }
}
