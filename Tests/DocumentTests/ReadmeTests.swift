import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the guide Tour.md, to the letter, and what they should do: here, those on connections and
/// on what happens to a whole database. `snippetsAreThoseOfTheTour` compares all with the file.
@Suite(.databases) struct ReadmeTests {
    /// A queue with the table of the tour, and two players.
    func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
                    INSERT INTO player (name, score) VALUES ('Arthur', 1000), ('Barbara', 50);
                    """)
        }
        return dbQueue
    }

    // swift-format-ignore
    @Test func connections() throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("readme-\(UUID().uuidString).sqlite").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        // snippet: connections
        let dbQueue = try DatabaseQueue(path: path)

        try dbQueue.write { db in
            try db.execute(sql: """
                CREATE TABLE player (
                    id INTEGER PRIMARY KEY,
                    name TEXT NOT NULL,
                    score INTEGER NOT NULL)
                """)
            try db.execute(
                sql: "INSERT INTO player (name, score) VALUES (?, ?)",
                arguments: ["Arthur", 1000])
        }

        let count = try dbQueue.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
        }
        // end
        expectEqual(count, 1)
    }

    @Test func async() async throws {
        let dbQueue = try makeQueue()
        // snippet: async
        let names = try await dbQueue.read { db in
            try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name")
        }
        // end
        expectEqual(names, ["Arthur", "Barbara"])
    }

    // swift-format-ignore
    @Test func pool() async throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("readme-\(UUID().uuidString).sqlite").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try makeQueue().backup(to: DatabaseQueue(path: path))
        // snippet: pool
        let dbPool = try DatabasePool(path: path)
        let snapshot = try dbPool.makeSnapshot()

        try await dbPool.write { db in
            try db.execute(sql: "DELETE FROM player")
        }

        let countThen = try await snapshot.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
        }
        let countNow = try await dbPool.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
        }
        // end
        expectEqual(countThen, 2)
        expectEqual(countNow, 0)
        try dbPool.close()
    }

    @Test func savepoints() throws {
        let dbQueue = try makeQueue()
        // snippet: savepoints
        try dbQueue.write { db in
            try db.execute(sql: "UPDATE player SET score = score + 1")

            try db.inSavepoint {
                try db.execute(sql: "DELETE FROM player")
                return .rollback  // players are still there
            }
        }
        // end
        let scores = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT score FROM player") }
        expectEqual(scores, [1001, 51])
    }

    @Test func backup() throws {
        var printed: [String] = []
        func print(_ item: Any) { printed.append("\(item)") }
        let dbQueue = try makeQueue()
        // snippet: backup
        let copy = try DatabaseQueue()
        try dbQueue.backup(to: copy, pagesPerStep: 100) { progress in
            print("\(progress.completedPageCount) of \(progress.totalPageCount) pages")
        }
        // end
        let names = try copy.read { try String.fetchAll($0, sql: "SELECT name FROM player") }
        expectEqual(names, ["Arthur", "Barbara"])
        expectEqual(printed.count, 1)
    }

    // swift-format-ignore
    @Test func configuration() throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("readme-\(UUID().uuidString).sqlite").path
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        // snippet: configuration
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)  // seconds to wait for other processes
        configuration.prepareDatabase { db in
            db.add(function: DatabaseFunction("reversed", argumentCount: 1, pure: true) { values in
                String.fromDatabaseValue(values[0]).map { String($0.reversed()) }
            })
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        let text = try pool.read { db in try String.fetchOne(db, sql: "SELECT reversed('abc')") }
        // end
        expectEqual(text, "cba")
        try pool.close()
    }

    // swift-format-ignore
    @Test func migrationsAndTesting() throws {
        let dbQueue = try DatabaseQueue()
        // snippet: migrations
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.create(table: "author") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
            }
            try db.create(table: "book") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("author", onDelete: .cascade).notNull()
                t.column("title", .text).notNull()
            }
        }
        migrator.registerMigration("v2: books have years") { db in
            try db.alter(table: "book") { t in
                t.add(column: "year", .integer)
            }
        }
        try migrator.migrate(dbQueue)
        // end
        try dbQueue.read { db throws in
            try expectEqual(db.columns(in: "book").map(\.name), ["id", "authorId", "title", "year"])
        }
        // snippet: testing
        let testQueue = try DatabaseQueue()
        try migrator.migrate(testQueue)
        try testQueue.write { db in
            try db.execute(sql: "INSERT INTO author (name) VALUES ('Melville')")
        }
        // end
        try expectEqual(testQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM author") }, 1)
        try expectEqual(dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM author") }, 0)
    }

    @Test func many() throws {
        let names = try makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT)")
            // snippet: many
            struct City: Codable, FetchableRecord, PersistableRecord {
                var id: Int64
                var name: String
            }

            try City.insertMany(db, [City(id: 1, name: "Genova"), City(id: 2, name: "Torino")])
            try City(id: 2, name: "Turin").upsert(db)
            // end
            return try String.fetchAll(db, sql: "SELECT name FROM city ORDER BY id")
        }
        expectEqual(names, ["Genova", "Turin"])
    }

    // swift-format-ignore
    @Test func errors() throws {
        var printed: [String] = []
        func print(_ item: Any) { printed.append("\(item)") }
        try makeQueue().write { db in
            // snippet: errors
            do {
                try db.execute(sql: "INSERT INTO player (id, name, score) VALUES (1, ?, 0)", arguments: [nil])
            } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_NOTNULL {
                print(error)
                // SQLite error 19: NOT NULL constraint failed: player.name
                // - while executing `INSERT INTO player (id, name, score) VALUES (1, ?, 0)`
            }
            // end
        }
        expectEqual(
            printed,
            [
                """
                SQLite error 19: NOT NULL constraint failed: player.name \
                - while executing `INSERT INTO player (id, name, score) VALUES (1, ?, 0)`
                """
            ])
    }

    // MARK: - The tour itself

    /// Every marked snippet of the tour stands in these files. Indentation apart, and the few lines that
    /// a test needs to be a function: `func …`, `return`, `}`.
    @Test func snippetsAreThoseOfTheTour() throws {
        let file = URL(fileURLWithPath: #filePath)
        let root = file.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let tour = try String(
            contentsOf: root.appendingPathComponent("Sources/GRDB/GRDB.docc/Tour.md"),
            encoding: .utf8)
        let source = try ["", "+Records", "+Functions", "+Changes"].map { topic in
            try String(
                contentsOf: file.deletingLastPathComponent()
                    .appendingPathComponent("ReadmeTests\(topic).swift"),
                encoding: .utf8)
        }.joined(separator: "\n")

        var inTour: [String: [String]] = [:]
        var name: String?
        for line in tour.components(separatedBy: "\n") {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("<!-- test: ") {
                name = String(text.dropFirst("<!-- test: ".count).dropLast(" -->".count))
                inTour[name!] = []
            } else if text == "```" {
                name = nil
            } else if let name, text != "```swift", !text.isEmpty {
                inTour[name]!.append(text)
            }
        }

        var inTests: [String: [String]] = [:]
        for line in source.components(separatedBy: "\n") {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("// snippet: ") {
                name = String(text.dropFirst("// snippet: ".count))
                inTests[name!] = []
            } else if text == "// end" {
                name = nil
            } else if let name, !text.isEmpty, text != "return", !text.hasPrefix("func search(") {
                inTests[name]!.append(text)
            }
        }
        expectEqual(inTour.count, 25)
        expectEqual(inTour, inTests)
    }
}
