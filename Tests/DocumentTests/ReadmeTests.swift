import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of README.md, to the letter, and what they should do. `snippetsAreThoseOfTheReadme`
/// compares them with the file.
@Suite(.databases) struct ReadmeTests {
    /// A queue with the table of the tour, and two players.
    private func makeQueue() throws -> DatabaseQueue {
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
        #expect(count == 1)
    }

    @Test func async() async throws {
        let dbQueue = try makeQueue()
        // snippet: async
        let names = try await dbQueue.read { db in
            try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name")
        }
        // end
        #expect(names == ["Arthur", "Barbara"])
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
        #expect(countThen == 2)
        #expect(countNow == 0)
        try dbPool.close()
    }

    // swift-format-ignore
    @Test func persistence() throws {
        try makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            // snippet: persistence
            struct Team: Codable, FetchableRecord, MutablePersistableRecord {
                var id: Int64?
                var name: String

                mutating func didInsert(_ inserted: InsertionSuccess) {
                    id = inserted.rowID
                }
            }

            var team = Team(id: nil, name: "Reds")
            try team.insert(db)
            try team.updateChanges(db) { $0.name = "Blues" }
            let blues = try Team.find(db, key: team.id)
            // end
            #expect(blues.name == "Blues")
        }
    }

    // swift-format-ignore
    @Test func requests() throws {
        try makeQueue().write { db in
            // snippet: requests
            struct Player: Codable, FetchableRecord, PersistableRecord {
                var id: Int64
                var name: String
                var score: Int

                enum Columns {
                    static let name = Column(CodingKeys.name)
                    static let score = Column(CodingKeys.score)
                }
            }

            // SELECT * FROM "player" WHERE "score" > 100 ORDER BY "name" LIMIT 10
            let players = try Player
                .filter { $0.score > 100 }
                .order(\.name)
                .limit(10)
                .fetchAll(db)

            // UPDATE "player" SET "score" = "score" + 1 WHERE "name" LIKE 'B%'
            try Player
                .filter { $0.name.like("B%") }
                .updateAll(db) { [$0.score += 1] }
            // end
            #expect(players.map(\.name) == ["Arthur"])
            let score = Player.select(\.score).filter(key: 2).asRequest(of: Int.self)
            try #expect(score.fetchOne(db) == 51)
        }
    }

    // swift-format-ignore
    @Test func associations() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    CREATE TABLE book (
                        id INTEGER PRIMARY KEY,
                        authorId INTEGER NOT NULL REFERENCES author(id),
                        title TEXT NOT NULL);
                    INSERT INTO author VALUES (1, 'Melville'), (2, 'Salinger');
                    INSERT INTO book VALUES (1, 1, 'Moby-Dick'), (2, 1, 'Bartleby');
                    """)
            // snippet: associations
            struct Author: Codable, FetchableRecord, PersistableRecord {
                static let books = hasMany(Book.self)

                var id: Int64
                var name: String
            }

            struct Book: Codable, FetchableRecord, PersistableRecord {
                static let author = belongsTo(Author.self)

                var id: Int64
                var authorId: Int64
                var title: String
            }

            struct AuthorInfo: Decodable, FetchableRecord {
                var author: Author
                var books: [Book]
            }

            let authorInfos = try Author
                .including(all: Author.books)
                .asRequest(of: AuthorInfo.self)
                .fetchAll(db)
            // end
            #expect(authorInfos.map(\.author.name) == ["Melville", "Salinger"])
            #expect(authorInfos.map { $0.books.map(\.title) } == [["Moby-Dick", "Bartleby"], []])
        }
    }

    @Test func interpolation() throws {
        try makeQueue().write { db in
            // snippet: interpolation
            let name = "O'Brien"
            let scores = [500, 1000]
            try db.execute(literal: "INSERT INTO player (name, score) VALUES (\(name), \(500))")

            let request: SQLRequest<String> = "SELECT name FROM player WHERE score IN \(scores)"
            let names = try request.fetchAll(db)
            // end
            #expect(names == ["Arthur", "O'Brien"])
        }
    }

    @Test func rows() throws {
        func print(_ items: Any...) { printed.append("\(items)") }
        var printed: [String] = []
        try makeQueue().read { db in
            // snippet: rows
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
            while let row = try rows.next() {
                let id: Int64 = row["id"]
                let name: String = row["name"]
                let team: String? = row["team"]  // nil: there is no such column
                print(id, name, team ?? "no team")
            }
            // end
        }
        #expect(printed == [#"[1, "Arthur", "no team"]"#, #"[2, "Barbara", "no team"]"#])
    }

    @Test func decoding() throws {
        var printed: [String] = []
        func print(_ item: Any) { printed.append("\(item)") }
        try makeQueue().read { db in
            // snippet: decoding
            do {
                _ = try Int.fetchAll(db, sql: "SELECT name FROM player")
            } catch let error as RowDecodingError {
                // could not decode Int from database value "Arthur" - column: "name", ...
                print(error)
            }
            // end
        }
        #expect(
            printed == [
                """
                could not decode Int from database value "Arthur" - column: "name", \
                column index: 0, row: [name:"Arthur"], sql: `SELECT name FROM player`
                """
            ])
    }

    // swift-format-ignore
    @Test func records() throws {
        try makeQueue().read { db in
            // snippet: records
            struct Player: FetchableRecord {
                var id: Int64
                var name: String
                var score: Int

                init(row: Row) throws {
                    id = row["id"]
                    name = row["name"]
                    score = row["score"]
                }
            }

            let players = try Player.fetchAll(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [100])
            // end
            #expect(players.map(\.name) == ["Arthur"])
        }
    }

    // swift-format-ignore
    @Test func values() throws {
        try makeQueue().read { db in
            // snippet: values
            enum Team: String, DatabaseValueConvertible {
                case reds, blues
            }

            struct Badge: Codable, DatabaseValueConvertible {
                var title: String
                var level: Int
            }

            let row = try Row.fetchOne(
                db, sql: "SELECT ? AS team, ? AS badge, ? AS date",
                arguments: [Team.reds, Badge(title: "Fast", level: 2), Date(timeIntervalSince1970: 0)])!

            let team: Team = row["team"]      // stored as 'reds'
            let badge: Badge = row["badge"]   // stored as {"level":2,"title":"Fast"}
            let date: Date = row["date"]      // stored as 1970-01-01 00:00:00.000
            // end
            #expect(team == .reds)
            #expect(badge.level == 2)
            #expect(date == Date(timeIntervalSince1970: 0))
            #expect(
                Array(row.databaseValues) == [
                    "reds".databaseValue, #"{"level":2,"title":"Fast"}"#.databaseValue,
                    "1970-01-01 00:00:00.000".databaseValue,
                ])
        }
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
        #expect(scores == [1001, 51])
    }

    @Test func functions() throws {
        func check(_ db: Database) throws -> String? {
            // snippet: functions
            let initials = DatabaseFunction("initials", pure: true) { (text: String) in
                String(text.split(separator: " ").compactMap(\.first))
            }
            db.add(function: initials)
            return
                try String.fetchOne(db, sql: "SELECT initials('Arthur Dent')")  // "AD"
            // end
        }
        #expect(try makeQueue().read(check) == "AD")
    }

    @Test func observer() throws {
        let printed = Log<[String]>()
        @Sendable func print(_ lines: [String]) { printed.append(lines) }
        let dbQueue = try makeQueue()
        // snippet: observer
        final class ScoreObserver: TransactionObserver {
            private var lines: [String] = []
            private let report: @Sendable ([String]) -> Void

            init(report: @escaping @Sendable ([String]) -> Void) { self.report = report }

            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
                eventKind.tableName == "player"
            }

            func databaseWillChange(with event: DatabasePreUpdateEvent) {
                if let old = event.initialDatabaseValue(forColumn: "score"),
                    let new = event.finalDatabaseValue(forColumn: "score")
                {
                    lines.append("score: \(old) → \(new)")
                }
            }

            func databaseDidChange(with event: DatabaseEvent) {}

            func databaseDidCommit(_ db: Database) {
                report(lines)
                lines = []
            }

            func databaseDidRollback(_ db: Database) { lines = [] }
        }

        dbQueue.add(
            transactionObserver: ScoreObserver { print($0) }, extent: .databaseLifetime)
        // end
        try dbQueue.write { try $0.execute(sql: "UPDATE player SET score = 2 * score") }
        #expect(printed.elements == [["score: 1000 → 2000", "score: 50 → 100"]])
    }

    @Test func changeFeed() async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        @Sendable func print(_ change: DatabaseRowChange) { continuation.yield("\(change)") }
        let dbQueue = try makeQueue()
        // snippet: changeFeed
        let feed = DatabaseChangeFeed(tracking: .table("player", columns: ["id", "score"]))
        let task = Task {
            for try await transaction in feed.transactions(in: dbQueue) {
                for change in transaction.changes {
                    print(change)  // update main.player [id:1 score:1000 → 2000]
                }
            }
        }
        // end
        var iterator = lines.makeAsyncIterator()
        // The task may start later than the first write.
        let writing = Task {
            while !Task.isCancelled {
                try await dbQueue.write { db in
                    try db.execute(sql: "UPDATE player SET score = 1000 WHERE id = 1")
                    try db.execute(sql: "UPDATE player SET score = 2000 WHERE id = 1")
                }
            }
        }
        var line = await iterator.next()
        if line?.contains("→ 1000") == true { line = await iterator.next() }
        #expect(line == "update main.player [id:1 score:1000 → 2000]")
        writing.cancel()
        task.cancel()
    }

    @Test func externalChanges() async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        @Sendable func print(_ line: String) { continuation.yield(line) }
        let dbQueue = try TestDatabases.makeQueue(.file)
        // snippet: externalChanges
        let monitor = try ExternalChangeMonitor(dbQueue)
        monitor.start { db in
            print("another process has written")
        }
        // end
        let other = try TestDatabases.openQueue(dbQueue.path)
        try await other.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        var iterator = lines.makeAsyncIterator()
        let line = await iterator.next()
        #expect(line == "another process has written")
        monitor.stop()
    }

    // swift-format-ignore
    @Test func fullText() throws {
        // snippet: full-text
        struct Book: Codable, FetchableRecord, PersistableRecord {
            static let text = belongsTo(BookText.self, using: ForeignKey(["id"], to: ["rowid"]))

            var id: Int64
            var title: String
        }

        struct BookText: TableRecord {
            static let databaseTableName = "book_ft"
        }

        func search(_ db: Database) throws -> [Book] {
            try db.create(virtualTable: "book_ft", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.tokenizer = .porter()
                t.column("title")
            }

            // Books on whales and seas, the most relevant ones first
            let pattern = FTS5Pattern(matchingAllTokensIn: "whale, sea")
            let books = try Book
                .joining(required: Book.text.matching(pattern).order(Column.rank))
                .fetchAll(db)
            // end
            return books
        }
        let titles = try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);
                    INSERT INTO book VALUES
                        (1, 'Whales, and other large animals of all seas'), (2, 'Emma'),
                        (3, 'The Whales’ Sea');
                    """)
            return try search(db).map(\.title)
        }
        #expect(titles == ["The Whales’ Sea", "Whales, and other large animals of all seas"])
    }

    @Test func tokenizer() throws {
        // snippet: tokenizer
        /// Finds "HTTP" for "protocol", too.
        final class AliasTokenizer: FTS5WrapperTokenizer {
            static let name = "alias"
            let wrappedTokenizer: any FTS5Tokenizer

            init(db: Database, arguments: [String]) throws {
                wrappedTokenizer = try db.makeTokenizer(.unicode61())
            }

            func accept(
                token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
                tokenCallback: FTS5WrapperTokenCallback
            ) throws {
                try tokenCallback(token, flags)
                if token == "http", tokenization.contains(.document) {
                    try tokenCallback("protocol", flags.union(.colocated))
                }
            }
        }

        func search(_ db: Database) throws -> [String] {
            db.add(tokenizer: AliasTokenizer.self)
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = AliasTokenizer.tokenizerDescriptor()
                t.column("body")
            }
            try db.execute(literal: "INSERT INTO document VALUES (\("How HTTP works"))")
            return
                try String.fetchAll(
                    db, sql: "SELECT body FROM document WHERE document MATCH 'protocol'")
            // end
        }
        #expect(try makeQueue().write(search) == ["How HTTP works"])
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
        #expect(names == ["Arthur", "Barbara"])
        #expect(printed.count == 1)
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
        #expect(text == "cba")
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
            #expect(try db.columns(in: "book").map(\.name) == ["id", "authorId", "title", "year"])
        }
        // snippet: testing
        let testQueue = try DatabaseQueue()
        try migrator.migrate(testQueue)
        try testQueue.write { db in
            try db.execute(sql: "INSERT INTO author (name) VALUES ('Melville')")
        }
        // end
        #expect(try testQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM author") } == 1)
        #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM author") } == 0)
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
        #expect(names == ["Genova", "Turin"])
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
        #expect(
            printed == [
                """
                SQLite error 19: NOT NULL constraint failed: player.name \
                - while executing `INSERT INTO player (id, name, score) VALUES (1, ?, 0)`
                """
            ])
    }

    @Test func observation() async throws {
        @Sendable func print(_ text: String) {}
        let dbQueue = try makeQueue()
        try await dbQueue.write { try $0.execute(sql: "UPDATE player SET score = score + 1") }
        // snippet: observation
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player") ?? 0
        }
        let cancellable = observation.start(
            in: dbQueue, scheduling: .async(onQueue: .main),
            onError: { error in print("the observation has failed: \(error)") },
            onChange: { score in print("best score: \(score)") })

        // The same, as an asynchronous sequence
        for try await score in observation.values(in: dbQueue) {
            print("best score: \(score)")
            if score > 1_000 { break }
        }
        // end
        cancellable.cancel()
    }

    // MARK: - The README itself

    /// Every marked snippet of the README stands above. Indentation apart, and the few lines that a
    /// test needs to be a function: `func …`, `return`, `}`.
    @Test func snippetsAreThoseOfTheReadme() throws {
        let file = URL(fileURLWithPath: #filePath)
        let root = file.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(
            contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let source = try String(contentsOf: file, encoding: .utf8)

        var inReadme: [String: [String]] = [:]
        var name: String?
        for line in readme.components(separatedBy: "\n") {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("<!-- test: ") {
                name = String(text.dropFirst("<!-- test: ".count).dropLast(" -->".count))
                inReadme[name!] = []
            } else if text == "```" {
                name = nil
            } else if let name, text != "```swift", !text.isEmpty {
                inReadme[name]!.append(text)
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
        #expect(inReadme.count == 25)
        #expect(inReadme == inTests)
    }
}
