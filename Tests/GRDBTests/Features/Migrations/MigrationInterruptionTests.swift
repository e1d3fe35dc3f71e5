import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Whatever interrupts a migrator, the file is at the last whole migration, and the next run
/// completes.
@Suite(.databases) struct MigrationInterruptionTests {
    // MARK: - The migrator

    /// A migrator that does a bit of everything.
    ///
    /// - parameter step: called between statements.
    private static func migrator(
        step: @escaping @Sendable () throws -> Void = {}
    ) -> DatabaseMigrator {
        @Sendable func run(_ db: Database, _ statements: [String]) throws {
            try step()
            for statement in statements {
                try db.execute(sql: statement)
                try step()
            }
        }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("authors") { db in
            try run(
                db,
                [
                    "CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)",
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
                    INSERT INTO author (name) SELECT 'author ' || i || hex(zeroblob(50)) FROM n
                    """,
                ])
        }
        migrator.registerMigration("books") { db in
            try run(
                db,
                [
                    """
                    CREATE TABLE book (
                        id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author(id))
                    """,
                    "CREATE INDEX book_on_authorId ON book(authorId)",
                    "INSERT INTO book SELECT id, id FROM author",
                ])
        }
        migrator.registerMigration("recreated authors") { db in
            try run(
                db,
                [
                    "CREATE TABLE new_author (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
                    "INSERT INTO new_author SELECT * FROM author",
                    "DROP TABLE author",
                    "ALTER TABLE new_author RENAME TO author",
                ])
        }
        migrator.registerMigration("writers", foreignKeyChecks: .immediate) { db in
            try run(
                db,
                [
                    "ALTER TABLE author RENAME TO writer",
                    "ALTER TABLE book RENAME COLUMN authorId TO writerId",
                    "CREATE VIEW names AS SELECT name FROM writer",
                ])
        }
        migrator.registerMigration("search", merging: ["old search"]) {
            db, applied in
            try run(
                db,
                [
                    "CREATE VIRTUAL TABLE search USING fts5(name)",
                    "INSERT INTO search SELECT name FROM writer",
                    "DELETE FROM book WHERE id % 2",
                ])
        }
        return migrator
    }

    private struct State: Equatable {
        var identifiers: [String]
        var content: String
    }

    private static func state(_ db: Database) throws -> State {
        State(
            identifiers: try migrator().appliedIdentifiers(db).sorted(),
            content: try dumped { try db.dumpContent(to: $0) })
    }

    /// The states before the first migration, and after each.
    private static let wholeStates: [State] = {
        do {
            let queue = try DatabaseQueue()
            var states = [try queue.read(state)]
            for identifier in migrator().migrations {
                try migrator().migrate(queue, upTo: identifier)
                states.append(try queue.read(state))
            }
            return states
        } catch {
            fatalError("\(error)")
        }
    }()

    /// Doesn't wait for the disk.
    private var fastConfiguration: Configuration {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        return configuration
    }

    /// Checks that the file is at a whole migration, and that the next run completes.
    ///
    /// - returns: the number of applied migrations.
    @discardableResult
    private func checkAndComplete(_ queue: DatabaseQueue, _ comment: String) throws -> Int {
        let state = try queue.read(Self.state)
        let index = try #require(Self.wholeStates.firstIndex(of: state), "\(comment)")
        try queue.read { db throws in
            try expectEqual(String.fetchAll(db, sql: "PRAGMA integrity_check"), ["ok"], comment)
            try expectEqual(Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), true, comment)
            try db.checkForeignKeys()
        }
        try Self.migrator().migrate(queue)
        try expectEqual(queue.read(Self.state), Self.wholeStates.last, comment)
        return index
    }

    @Test func statesDiffer() {
        expectEqual(Self.wholeStates.count, 6)
        for index in 1..<Self.wholeStates.count {
            #expect(Self.wholeStates[index] != Self.wholeStates[index - 1])
        }
    }

    // MARK: - Interruptions

    @Test func anErrorBetweenStatements() throws {
        var reached: Set<Int> = []
        for n in 1... {
            let count = SharedValue(0)
            let migrator = Self.migrator {
                let count = count.update { count in
                    count += 1
                    return count
                }
                if count == n { throw MigrationFailure(id: n) }
            }
            let path = TestDatabases.makePath()
            let queue = try TestDatabases.openQueue(path, fastConfiguration)
            do {
                try migrator.migrate(queue)
                expectEqual(n, 21)
                break
            } catch let error as MigrationFailure {
                expectEqual(error.id, n)
            }
            try reached.insert(checkAndComplete(queue, "step \(n)"))
        }
        expectEqual(reached, [0, 1, 2, 3, 4])
    }

    @Test func anErrorOfAFunctionInsideAStatement() throws {
        // A trigger fails at the n-th row.
        for n in [1, 2, 100, 200, 201, 399] {
            let count = SharedValue(0)
            var configuration = TestDatabases.makeConfiguration()
            configuration.prepareDatabase { db in
                db.add(
                    function: DatabaseFunction("step", argumentCount: 0) { _ in
                        let count = count.update { count in
                            count += 1
                            return count
                        }
                        if count == n { throw MigrationFailure(id: n) }
                        return nil
                    })
            }
            var migrator = DatabaseMigrator()
            for identifier in ["v1", "v2"] {
                migrator.registerMigration(identifier) { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE \(identifier) (i);
                            CREATE TEMP TRIGGER stepping AFTER INSERT ON \(identifier) BEGIN
                                SELECT step();
                            END;
                            WITH RECURSIVE n(i) AS (
                                SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
                            INSERT INTO \(identifier) SELECT i FROM n;
                            DROP TRIGGER stepping;
                            """)
                }
            }
            let queue = try TestDatabases.makeQueue(.memory, configuration)
            expectError(MigrationFailure(id: n)) { try migrator.migrate(queue) }
            try expectEqual(queue.identifiers(), (n <= 200 ? [] : ["v1"]))
            try migrator.migrate(queue)
            try expectEqual(queue.identifiers(), ["v1", "v2"])
            try queue.read { db throws in
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM v1"), 200)
            }
        }
    }

    /// Runs the migrator in a task, and cancels it when the n-th statement starts, those of the
    /// migrator itself included. The journal is of no importance for the migrator: with the other one, every fourth
    /// statement will do.
    @Test(arguments: [false, true])
    func aCancellationAtEachStatement(_ isWAL: Bool) async throws {
        var reached: Set<Int> = []
        var hasCompleted = false
        for n in stride(from: 1, to: 1000, by: isWAL ? 4 : 1) where !hasCompleted {
            let task = SharedValue<Task<Void, any Error>?>(nil)
            let count = SharedValue(Int.min)
            var configuration = fastConfiguration
            if isWAL { configuration.journalMode = .wal }
            configuration.prepareDatabase { db in
                db.trace { _ in
                    let count = count.update { count in
                        count += 1
                        return count
                    }
                    if count == n { task.value?.cancel() }
                }
            }
            let path = TestDatabases.makePath()
            let queue = try TestDatabases.openQueue(path, configuration)
            count.value = 0
            let (gate, opening) = AsyncStream<Void>.makeStream()
            task.value = Task {
                for await _ in gate { break }
                try await Self.migrator().asyncMigrate(queue)
            }
            opening.yield()
            do {
                try await task.value!.value
                hasCompleted = count.value < n
            } catch is CancellationError {
            }
            count.value = Int.min
            try reached.insert(checkAndComplete(queue, "statement \(n)"))
        }
        expectTrue(hasCompleted)
        expectEqual(reached, [0, 1, 2, 3, 4, 5])
    }

    /// Copies the files when the n-th statement starts, as if the process were killed then. A copy of a WAL file has
    /// whole transactions only: every third one will do.
    @Test(arguments: [false, true])
    func aCrashAtEachStatement(_ isWAL: Bool) throws {
        let path = TestDatabases.makePath()
        let copyPath = TestDatabases.makePath("copy")
        let count = SharedValue(Int.min)
        var configuration = fastConfiguration
        if isWAL { configuration.journalMode = .wal }
        configuration.prepareDatabase { db in
            // So that pages reach the file before the commit.
            try db.execute(sql: "PRAGMA cache_size = 5")
            db.trace { _ in
                let n = count.update { count in
                    count += 1
                    return count
                }
                guard n > 0 else { return }
                for suffix in ["", "-journal", "-wal"] {
                    try? FileManager.default.copyItem(
                        atPath: path + suffix, toPath: copyPath + "\(n)" + suffix)
                }
            }
        }
        let queue = try TestDatabases.openQueue(path, configuration)
        count.value = 0
        try Self.migrator().migrate(queue)
        let copyCount = count.value
        count.value = Int.min
        try queue.close()
        #expect(copyCount > 30)

        var reached: [Int] = []
        for n in stride(from: 1, through: copyCount, by: isWAL ? 3 : 1) {
            let copy = try TestDatabases.openQueue("\(copyPath)\(n)", fastConfiguration)
            reached.append(try checkAndComplete(copy, "statement \(n)"))
            try copy.close()
        }
        expectEqual(reached, reached.sorted())
        expectEqual(Set(reached), [0, 1, 2, 3, 4])
    }

    /// Lets the file grow to n pages.
    @Test func aFullDisk() throws {
        var reached: Set<Int> = []
        for n in 1... {
            let path = TestDatabases.makePath()
            let queue = try TestDatabases.openQueue(path, fastConfiguration)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA max_page_count = \(n)")
            }
            do {
                try Self.migrator().migrate(queue)
                #expect(n > 5)
                break
            } catch DatabaseError.SQLITE_FULL {
            }
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA max_page_count = 100000")
            }
            try reached.insert(checkAndComplete(queue, "\(n) pages"))
        }
        #expect(reached.count > 2)
    }

    /// Erasing is atomic, too.
    @Test func anErrorWhileErasing() throws {
        for n in 1... {
            let queue = try TestDatabases.makeQueue()
            var former = DatabaseMigrator()
            former.registerMigration("former") { db in
                try db.execute(
                    sql:
                        "CREATE TABLE f (a); INSERT INTO f VALUES (1); CREATE TABLE _litestream_x (a)"
                )
            }
            try former.migrate(queue)
            let count = SharedValue(0)
            var migrator = Self.migrator {
                let count = count.update { count in
                    count += 1
                    return count
                }
                if count == n { throw MigrationFailure(id: n) }
            }
            migrator.eraseDatabaseOnSchemaChange = true
            do {
                try migrator.migrate(queue)
                break
            } catch is MigrationFailure {
            }
            try expectTrue(!queue.objectNames().contains("f"))
            try expectTrue(queue.objectNames().contains("_litestream_x"))
            migrator = Self.migrator()
            migrator.eraseDatabaseOnSchemaChange = true
            try migrator.migrate(queue)
            try expectTrue(queue.read(migrator.hasCompletedMigrations))
            try expectEqual(queue.read(migrator.hasSchemaChanges), false)
        }
    }
}
