import Foundation
@testable import GRDB
import GRDBSQLite
import Testing

/// What happens when SQLite has no memory for a text of a UTF-16 database, or for another value that is
/// converted when it is read. Limits of memory hold for a whole process: each test has its own.
struct ShortMemoryTests {
    @Test func readingTexts() async {
        await #expect(processExitsWith: .success) {
            try ShortMemory.start()
            for kind in [ShortMemory.Kind.queue, .pool] {
                let writer = try ShortMemory.makeWriter(kind)
                for (name, read) in ShortMemory.reads {
                    for isOld in [false, true] {
                        // As a fresh statement, and as one of the cache.
                        ShortMemory.expectNoMemory("\(name), \(kind), \(isOld)") {
                            try writer.read(read)
                        }
                    }
                    ShortMemory.expectNoMemory("\(name), write, \(kind)") {
                        try writer.write { db in
                            try db.execute(sql: "INSERT INTO t VALUES ('b', 2)")
                            try read(db)
                        }
                    }
                }
                try ShortMemory.expectUsable(writer)
            }
        }
    }

    @Test func readingTextsInTasks() async {
        await #expect(processExitsWith: .success) {
            try ShortMemory.start()
            for kind in [ShortMemory.Kind.queue, .pool] {
                let writer = try ShortMemory.makeWriter(kind)
                for (name, read) in ShortMemory.reads {
                    await ShortMemory.expectNoMemory("\(name), \(kind)") {
                        try await writer.read(read)
                    }
                    await ShortMemory.expectNoMemory("\(name), write, \(kind)") {
                        try await writer.write { db in
                            try db.execute(sql: "INSERT INTO t VALUES ('b', 2)")
                            try read(db)
                        }
                    }
                }
                try ShortMemory.expectUsable(writer)
            }
        }
    }

    /// What can't throw reads the right value: the access throws.
    @Test func valuesAreNeverWrong() async {
        await #expect(processExitsWith: .success) {
            try ShortMemory.start()
            let writer = try ShortMemory.makeWriter(.queue)
            ShortMemory.expectNoMemory("access") {
                try writer.read { db in
                    let rows = try Row.fetchCursor(db, sql: ShortMemory.sql)
                    let row = try rows.next()!
                    ShortMemory.expect(row["name"] as String == ShortMemory.text, "subscript")
                    ShortMemory.expect(row[0] as String? == ShortMemory.text, "index")
                    ShortMemory.expect(
                        row.databaseValues.first == ShortMemory.text.databaseValue, "value")
                    ShortMemory.expect(row.copy()["name"] == ShortMemory.text, "copy")
                    ShortMemory.expect(row["n"] == 1, "number")
                }
            }
            try ShortMemory.expectUsable(writer)
        }
    }

    @Test func functionsAndObservers() async {
        await #expect(processExitsWith: .success) {
            try ShortMemory.start()
            let writer = try ShortMemory.makeWriter(.queue)
            // Evaluated from left to right.
            ShortMemory.expectNoMemory("function") {
                try writer.read { db in
                    let sql = "SELECT isRight(name, exhaust()) FROM t"
                    _ = try Bool.fetchOne(db, sql: sql)
                }
            }
            let observer = ExhaustingObserver()
            writer.add(transactionObserver: observer, extent: .databaseLifetime)
            ShortMemory.expectNoMemory("observer") {
                try writer.write { try $0.execute(sql: "UPDATE t SET n = 3") }
            }
            writer.remove(transactionObserver: observer)
            try ShortMemory.expectUsable(writer)
        }
    }

    @Test func returnedTexts() async {
        await #expect(processExitsWith: .success) {
            try ShortMemory.start()
            let writer = try ShortMemory.makeWriter(.queue)
            ShortMemory.expectNoMemory("RETURNING") {
                try writer.writeWithoutTransaction { db in
                    let sql = "INSERT INTO t SELECT name, 2 FROM t RETURNING name, exhaust()"
                    _ = try String.fetchOne(db, sql: sql)
                }
            }
            try ShortMemory.expectUsable(writer)
        }
    }

    // MARK: - Regions

    @Test func regionsThatCanNotBeComputed() async {
        await #expect(processExitsWith: .success) {
            try ShortMemory.start()
            let writer = try ShortMemory.makeWriter(.queue)
            let request = SQLRequest<Row>(sql: "SELECT * FROM t JOIN u USING (n) ORDER BY name")
            ShortMemory.expectNoMemory("request") {
                try writer.read { db in
                    _ = try request.databaseRegion(db)
                    ShortMemory.exhaust()
                    _ = try request.databaseRegion(db)
                }
            }
            ShortMemory.expectNoMemory("statement") {
                try writer.read { db in
                    let statement = try request.makePreparedRequest(db).statement
                    ShortMemory.exhaust()
                    // Can't throw, but the access does.
                    _ = statement.databaseRegion
                }
            }
            ShortMemory.expectNoMemory("observation") {
                try writer.read { db in
                    let statement = try request.makePreparedRequest(db).statement
                    _ = try db.recordingRegion {
                        ShortMemory.exhaust()
                        _ = try Row.fetchAll(statement)
                    }
                }
            }
            try ShortMemory.expectUsable(writer)
        }
    }

    // MARK: - Functions

    @Test func whatCanNotBeAdded() async {
        await #expect(processExitsWith: .success) {
            try ShortMemory.start()
            let writer = try ShortMemory.makeWriter(.queue)
            let additions: [(String, @Sendable (Database) -> Void)] = [
                ("function", { $0.add(function: DatabaseFunction("f") { _ in nil }) }),
                ("collation", { $0.add(collation: DatabaseCollation("c") { $0.compare($1) }) }),
            ]
            for (name, add) in additions {
                ShortMemory.expectNoMemory(name) {
                    try writer.write { db in
                        try db.execute(sql: "INSERT INTO t VALUES ('b', 2)")
                        ShortMemory.exhaust()
                        add(db)
                        ShortMemory.restore()
                    }
                }
                await ShortMemory.expectNoMemory(name) {
                    try await writer.write { db in
                        ShortMemory.exhaust()
                        add(db)
                        ShortMemory.restore()
                    }
                }
                for isPool in [false, true] {
                    ShortMemory.expectNoMemory("\(name) of a new connection") {
                        var configuration = Configuration()
                        configuration.prepareDatabase { db in
                            ShortMemory.exhaust()
                            add(db)
                            ShortMemory.restore()
                        }
                        if isPool {
                            _ = try DatabasePool(
                                path: ShortMemory.makePath(), configuration: configuration)
                        } else {
                            _ = try DatabaseQueue(configuration: configuration)
                        }
                    }
                }
            }
            try ShortMemory.expectUsable(writer)
        }
    }
}

private final class ExhaustingObserver: TransactionObserver {
    var name: String?

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        // Has SQLite read the row.
        _ = event.initialDatabaseValue(atIndex: 1)
        ShortMemory.exhaust()
        name = event.initialDatabaseValue(atIndex: 0).flatMap { String.fromDatabaseValue($0) }
    }

    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}

/// Databases of UTF-16 with a long text, in a process where SQLite may run out of memory.
private enum ShortMemory {
    enum Kind { case queue, pool }

    static let text = String(repeating: "é𝄞", count: 30_000)

    /// Once a row is there, SQLite has no more memory.
    static let sql = "SELECT name, n, exhaust() FROM t"

    struct Item: Codable, FetchableRecord {
        var name: String
        var n: Int
    }

    struct RowItem: FetchableRecord {
        var name: String?

        init(row: Row) { name = row["name"] }
    }

    final class TextCursor: DatabaseCursor {
        typealias Element = String

        let _statement: Statement
        var _isDone = false

        init(_ statement: Statement) { _statement = statement }

        func _element(sqliteStatement: SQLiteStatement) throws -> String {
            String(sqliteStatement: sqliteStatement, index: 0)
        }
    }

    enum Name: String, DatabaseValueConvertible { case short }

    typealias Read = (String, @Sendable (Database) throws -> Void)

    static let reads: [Read] = [
        ("String.fetchOne", { _ = try String.fetchOne($0, sql: sql) }),
        ("String.fetchAll", { _ = try String.fetchAll($0, sql: sql) }),
        ("String.fetchSet", { _ = try String.fetchSet($0, sql: sql) }),
        ("String.fetchCursor", { _ = try String.fetchCursor($0, sql: sql).next() }),
        ("String?.fetchAll", { _ = try Optional<String>.fetchAll($0, sql: sql) }),
        ("String?.fetchCursor", { _ = try Optional<String>.fetchCursor($0, sql: sql).next() }),
        ("Data.fetchOne", { _ = try Data.fetchOne($0, sql: sql) }),
        ("Date.fetchOne", { _ = try Date.fetchOne($0, sql: sql) }),
        ("Date.fetchAll", { _ = try Date.fetchAll($0, sql: sql) }),
        ("Int.fetchAll", { _ = try Int.fetchAll($0, sql: sql) }),
        ("Name.fetchOne", { _ = try Name.fetchOne($0, sql: sql) }),
        ("DatabaseValue.fetchOne", { _ = try DatabaseValue.fetchOne($0, sql: sql) }),
        ("DatabaseValue.fetchAll", { _ = try DatabaseValue.fetchAll($0, sql: sql) }),
        ("DatabaseValue.fetchCursor", { _ = try DatabaseValue.fetchCursor($0, sql: sql).next() }),
        ("Row.fetchOne", { _ = try Row.fetchOne($0, sql: sql) }),
        ("Row.fetchAll", { _ = try Row.fetchAll($0, sql: sql) }),
        ("Row.fetchSet", { _ = try Row.fetchSet($0, sql: sql) }),
        (
            "row.decode",
            { db in
                let row = try Row.fetchCursor(db, sql: sql).next()!
                _ = try row.decode(String.self, forColumn: "name")
                fail("row.decode did not throw")
            }
        ),
        (
            "row.decode(atIndex:)",
            { db in
                let row = try Row.fetchCursor(db, sql: sql).next()!
                _ = try row.decode(DatabaseValue.self, atIndex: 0)
                fail("row.decode(atIndex:) did not throw")
            }
        ),
        (
            "row[name]",
            { db in
                let rows = try Row.fetchCursor(db, sql: sql)
                let row = try rows.next()!
                _ = row["name"] as String
            }
        ),
        (
            "row[name], step",
            { db in
                let rows = try Row.fetchCursor(db, sql: sql)
                while let row = try rows.next() { _ = row["name"] as String? }
            }
        ),
        ("Item.fetchOne", { _ = try Item.fetchOne($0, sql: sql) }),
        ("Item.fetchAll", { _ = try Item.fetchAll($0, sql: sql) }),
        ("Item.fetchCursor", { _ = try Item.fetchCursor($0, sql: sql).next() }),
        ("RowItem.fetchOne", { _ = try RowItem.fetchOne($0, sql: sql) }),
        ("RowItem.fetchAll", { _ = try RowItem.fetchAll($0, sql: sql) }),
        ("RowItem.fetchCursor", { _ = try RowItem.fetchCursor($0, sql: sql).next() }),
        ("TextCursor", { _ = try TextCursor($0.makeStatement(sql: sql)).next() }),
    ]

    /// Must be called before anything else of SQLite is used.
    static func start() throws {
        expect(RawSQLite.countMemory() == RawStatement.ok, "SQLite has started")
    }

    static func makePath() -> String {
        FileManager.default.temporaryDirectory
            .appendingPathComponent("GRDBTests-\(UUID().uuidString).sqlite").path
    }

    static func makeWriter(_ kind: Kind) throws -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("exhaust", argumentCount: 0) { _ in
                    exhaust()
                    return 1
                })
            db.add(
                function: DatabaseFunction("isRight", argumentCount: 2) { values in
                    String.fromDatabaseValue(values[0]) == text
                })
        }
        let writer: any DatabaseWriter =
            switch kind {
            case .queue: try DatabaseQueue(configuration: configuration)
            case .pool:
                try {
                    let path = makePath()
                    // Before the journal mode is set, which writes the file.
                    try DatabaseQueue(path: path).writeWithoutTransaction {
                        try $0.execute(sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE u(n)")
                    }
                    return try DatabasePool(path: path, configuration: configuration)
                }()
            }
        try writer.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA encoding = 'UTF-16';
                    CREATE TABLE IF NOT EXISTS u(n);
                    CREATE TABLE t(name, n);
                    """)
            expect(try String.fetchOne(db, sql: "PRAGMA encoding")?.hasPrefix("UTF-16") == true, "")
            try db.execute(sql: "INSERT INTO t VALUES (?, 1)", arguments: [text])
        }
        return writer
    }

    /// From now on, SQLite gets no memory, but for what its connections have reserved.
    static func exhaust() { _ = sqlite3_hard_heap_limit64(1) }

    static func restore() { _ = sqlite3_hard_heap_limit64(0) }

    static func expectUsable(_ writer: any DatabaseWriter) throws {
        try writer.write { db in
            expect(try String.fetchAll(db, sql: "SELECT name FROM t") == [text], "content")
            try db.execute(sql: "INSERT INTO u VALUES (1); DELETE FROM u")
        }
    }

    static func expectNoMemory(_ name: String, _ body: () throws -> Void) {
        let result = Result(catching: body)
        restore()
        check(name, result)
    }

    static func expectNoMemory(_ name: String, _ body: () async throws -> Void) async {
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        restore()
        check(name, result)
    }

    private static func check(_ name: String, _ result: Result<Void, any Error>) {
        switch result {
        case .success:
            fail("\(name): no error")
        case .failure(let error as DatabaseError) where error.resultCode == .SQLITE_NOMEM:
            break
        case .failure(let error):
            fail("\(name): \(error)")
        }
    }

    static func expect(_ condition: Bool, _ name: String) {
        if !condition { fail("\(name) is wrong") }
    }

    static func fail(_ message: String) -> Never {
        restore()
        fatalError(message)
    }
}
