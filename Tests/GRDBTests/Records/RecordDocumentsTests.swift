import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The record examples of the documents: recommended practices, timestamps, single-row tables.
@Suite(.databases) struct RecordDocumentsTests {
    // MARK: - Recommended practices

    private struct Author: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
        var id: Int64?
        var name: String
        var countryCode: String?

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    private struct Book: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
        enum Kind: String, Codable, DatabaseValueConvertible {
            case essay, novel, poetry, theater
        }

        var id: Int64?
        var authorId: Int64
        var title: String
        var kind: Kind

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    @Test func authorsAndBooks() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL,
                        countryCode TEXT);
                    CREATE TABLE book (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        authorId INTEGER NOT NULL REFERENCES author(id) ON DELETE CASCADE,
                        title TEXT NOT NULL, kind TEXT NOT NULL);
                    """)
        }
        let (author, book) = try dbQueue.write { db in
            var author = Author(name: "Herman Melville", countryCode: "US")
            try author.insert(db)
            var book = Book(authorId: author.id!, title: "Moby-Dick", kind: .novel)
            try book.insert(db)
            return (author, book)
        }
        try dbQueue.read { db in
            try #expect(Book.fetchAll(db) == [book])
            try #expect(Author.find(db, key: book.authorId) == author)
            try #expect(String.fetchOne(db, sql: "SELECT kind FROM book") == "novel")
        }
        try dbQueue.write { db in
            var book = book
            try #expect(book.updateChanges(db) { $0.kind = .essay })
            try author.delete(db)
            try #expect(Book.fetchCount(db) == 0)
            #expect(throws: RecordError.self) { try book.update(db) }
        }
    }

    // MARK: - Timestamps

    private struct TimestampedPlayer: Codable, TimestampedRecord, FetchableRecord {
        static let databaseTableName = "player"
        var id: Int64?
        var creationDate: Date?
        var modificationDate: Date?
        var name: String
        var score: Int

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    private struct PersistedPlayer: Identifiable, Codable, FetchableRecord, PersistableRecord {
        static var databaseTableName: String { "player" }
        let id: Int64
        let creationDate: Date
        var modificationDate: Date
        var name: String
        var score: Int
    }

    @Test func timestamps() throws {
        let dates = (0..<4).map { Date(timeIntervalSince1970: Double($0) * 3600) }
        let now = Log<Date>()
        now.append(dates[0])
        var configuration = TestDatabases.makeConfiguration()
        configuration.transactionClock = .custom { _ in now.elements.last! }
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, creationDate DATETIME NOT NULL,
                        modificationDate DATETIME NOT NULL, name TEXT NOT NULL,
                        score INTEGER NOT NULL)
                    """)
        }
        var player = TimestampedPlayer(name: "Arthur", score: 1000)
        try dbQueue.write { try player.insert($0) }
        #expect(player.creationDate == dates[0])
        #expect(player.modificationDate == dates[0])

        now.append(dates[1])
        try dbQueue.write { db in
            player.score += 1
            try player.updateWithTimestamp(db)
            #expect(player.modificationDate == dates[1])
        }
        now.append(dates[2])
        try dbQueue.write { db in
            try #expect(!player.updateChangesWithTimestamp(db) { $0.score = 1001 })
            #expect(player.modificationDate == dates[1])
            try #expect(player.updateChangesWithTimestamp(db) { $0.score = 2 })
            #expect(player.modificationDate == dates[2])
        }
        now.append(dates[3])
        try dbQueue.write { try player.touch($0) }
        let persisted = try dbQueue.read { try PersistedPlayer.find($0, id: 1) }
        #expect(persisted.creationDate == dates[0])
        #expect(persisted.modificationDate == dates[3])
        #expect(persisted.score == 2)

        try dbQueue.write { db in
            var player = TimestampedPlayer(name: "Barbara", score: 0)
            let persisted = try player.insertAndFetch(db, as: PersistedPlayer.self)
            #expect(persisted.id == 2)
            #expect(persisted.creationDate == dates[3])
        }
    }

    // MARK: - Single-row tables

    private struct AppConfiguration: Codable, FetchableRecord, PersistableRecord {
        private var id = 1
        private var storedFlag: Bool?

        init(storedFlag: Bool?) { self.storedFlag = storedFlag }

        static let `default` = AppConfiguration(storedFlag: nil)

        var flag: Bool {
            get { storedFlag ?? true }
            set { storedFlag = newValue }
        }

        mutating func resetFlag() { storedFlag = nil }

        func willUpdate(_ db: Database, columns: Set<String>) throws {
            if try !exists(db) {
                try AppConfiguration.default.insert(db)
            }
        }

        static func find(_ db: Database) throws -> AppConfiguration {
            try fetchOne(db) ?? .default
        }
    }

    @Test func singleRowTable() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE appConfiguration (
                        id INTEGER PRIMARY KEY ON CONFLICT REPLACE CHECK (id = 1),
                        storedFlag BOOLEAN)
                    """)
        }
        let persist: [@Sendable (Database, inout AppConfiguration) throws -> Void] = [
            { db, config in try config.updateChanges(db) { $0.flag = false } },
            { db, config in
                config.flag = false
                try config.save(db)
            },
            { db, config in
                config.flag = false
                try config.update(db)
            },
            { db, config in
                config.flag = false
                try config.insert(db)
            },
            { db, config in
                config.flag = false
                try config.upsert(db)
            },
        ]
        for method in persist {
            try dbQueue.write { db in
                try AppConfiguration.deleteAll(db)
                // Once in an empty table, once in a table that has its row.
                for _ in 0..<2 {
                    var config = try AppConfiguration.find(db)
                    config.resetFlag()
                    #expect(config.flag)
                    try method(db, &config)
                    try #expect(!AppConfiguration.find(db).flag)
                    try #expect(AppConfiguration.fetchCount(db) == 1)
                }
            }
        }
    }
}

/// The sample code of the documents.
private protocol TimestampedRecord: MutablePersistableRecord {
    var creationDate: Date? { get set }
    var modificationDate: Date? { get set }
}

extension TimestampedRecord {
    mutating func willInsert(_ db: Database) throws {
        if creationDate == nil { creationDate = try db.transactionDate }
        if modificationDate == nil { modificationDate = try db.transactionDate }
    }

    mutating func updateWithTimestamp(_ db: Database, modificationDate: Date? = nil) throws {
        self.modificationDate = try modificationDate ?? db.transactionDate
        try update(db)
    }

    @discardableResult
    mutating func updateChangesWithTimestamp(
        _ db: Database, modificationDate: Date? = nil, modify: (inout Self) throws -> Void
    ) throws -> Bool {
        let initialChanges = try databaseChanges(modify: modify)
        if initialChanges.isEmpty { return false }
        let dateChanges = try databaseChanges(modify: {
            $0.modificationDate = try modificationDate ?? db.transactionDate
        })
        try update(db, columns: Set(initialChanges.keys).union(dateChanges.keys))
        return true
    }

    mutating func touch(_ db: Database, modificationDate: Date? = nil) throws {
        try updateChanges(db) {
            $0.modificationDate = try modificationDate ?? db.transactionDate
        }
    }
}
