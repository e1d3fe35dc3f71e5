import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The guide "Full-Text Search", to which the page `fulltextsearch` refers. What it shares with the
/// 0.107 guide is in `Guide107FullTextTests`.
@Suite(.databases) struct FullTextSearchDocumentTests {
    struct Book: Codable, FetchableRecord, PersistableRecord, Equatable {
        var author: String
        var title: String
        var content: String
    }

    struct Document: Codable, FetchableRecord, PersistableRecord, Equatable {
        var content: String

        enum Columns {
            static let content = Column(CodingKeys.content)
        }
    }

    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().inDatabase(body)
    }

    // MARK: - Choosing the full-text engine

    /// "Full-Text Needs", as far as they can be met without extra setup.
    @Test(arguments: [
        // Queries
        ("a database", "database", [true, true, true]),
        ("a database", "data*", [true, true, true]),
        ("the SQLite database", "\"SQLite database\"", [true, true, true]),
        ("the database", "SQLite OR database", [true, true, true]),
        // Ascii case insensitivity
        ("database", "DATABASE", [true, true, true]),
    ])
    func fullTextNeeds(_ content: String, _ query: String, _ expected: [Bool]) throws {
        try inDatabase { db in
            var matches: [Bool] = []
            for engine in ["fts3", "fts4", "fts5"] {
                try db.create(virtualTable: "document", using: "\(engine)(content)")
                try Document(content: content).insert(db)
                matches.append(
                    try Document.filter(Column("document").match(query)).fetchCount(db) == 1)
                try db.drop(table: "document")
            }
            expectEqual(matches, expected)
        }
    }

    /// What depends on the tokenizer, for FTS3/4 and FTS5.
    @Test func tokenizationNeeds() throws {
        func tokens(_ tokenizer: FTS3TokenizerDescriptor, _ text: String) throws -> [String] {
            try FTS3.tokenize(text, withTokenizer: tokenizer)
        }
        // Unicode case insensitivity, Latin diacritics insensitivity, English stemming
        try expectEqual(tokens(.unicode61(), "ÉLÉGANCE"), tokens(.unicode61(), "élégance"))
        try expectEqual(tokens(.unicode61(), "elegance"), tokens(.unicode61(), "élégance"))
        try expectEqual(tokens(.porter, "frustration"), tokens(.porter, "FRUSTRATED"))
        // English stemming and Unicode case insensitivity: FTS5 only
        #expect(try tokens(.porter, "Élégances") != tokens(.porter, "élégance"))
        try inDatabase { db throws in
            let porter = try db.makeTokenizer(.porter())
            func tokens(_ text: String) throws -> [String] {
                try porter.tokenize(document: text).map(\.token)
            }
            try expectEqual(tokens("Élégances"), tokens("élégance"))
            try expectEqual(tokens("elegances"), tokens("ÉLÉGANCE"))
        }
    }

    /// "Proximity search", which FTS5 spells in another way.
    @Test func proximity() throws {
        try inDatabase { db in
            for (engine, query) in [
                ("fts3", "SQLite NEAR/2 database"), ("fts4", "SQLite NEAR/2 database"),
                ("fts5", "NEAR(SQLite database, 2)"),
            ] {
                try db.create(virtualTable: "document", using: "\(engine)(content)")
                try Document(content: "SQLite is a database").insert(db)
                try Document(content: "SQLite is one very fine database").insert(db)
                try expectEqual(
                    Document.filter(Column("document").match(query)).fetchAll(db),
                    [Document(content: "SQLite is a database")])
                try db.drop(table: "document")
            }
        }
    }

    // MARK: - FTS3 and FTS4 Tokenization

    @Test func fts3Tokenization() throws {
        // Default tokenization using the `simple` tokenizer:
        try expectEqual(FTS3.tokenize("SQLite database"), ["sqlite", "database"])
        try expectEqual(FTS3.tokenize("Gustave Doré"), ["gustave", "doré"])

        // Tokenization with an explicit tokenizer:
        try expectEqual(
            FTS3.tokenize("SQLite database", withTokenizer: .porter),
            ["sqlite", "databas"])
        try expectEqual(
            FTS3.tokenize("Gustave Doré", withTokenizer: .unicode61()),
            ["gustave", "dore"])
    }

    // MARK: - FTS5 Tokenization

    @Test func fts5Tokenization() throws {
        try inDatabase { db in
            var printed: [String] = []
            func print(_ token: String) { printed.append(token) }

            let ascii = try db.makeTokenizer(.ascii())

            // Tokenize an FTS5 query
            for (token, _) in try ascii.tokenize(query: "SQLite database") {
                print(token)  // Prints "sqlite" then "database"
            }

            // Tokenize an FTS5 document
            for (token, _) in try ascii.tokenize(document: "SQLite database") {
                print(token)  // Prints "sqlite" then "database"
            }
            expectEqual(printed, ["sqlite", "database", "sqlite", "database"])
        }
    }

    // MARK: - Patterns

    @Test func fts3Patterns() throws {
        try inDatabase { db in
            try db.create(virtualTable: "document", using: FTS4()) { $0.column("content") }
            let contents = [
                "SQLite", "database", "database of SQLite", "SQLite databases",
                "fast SQLite database",
            ]
            for content in contents { try Document(content: content).insert(db) }
            func found(_ pattern: FTS3Pattern?) throws -> [Int] {
                try Document.matching(pattern).select(Column.rowID, as: Int.self).fetchAll(db)
            }

            let query = "SQLite database"
            // Matches documents that contain "SQLite" or "database"
            try expectEqual(found(FTS3Pattern(matchingAnyTokenIn: query)), [1, 2, 3, 4, 5])
            // Matches documents that contain "SQLite" and "database"
            try expectEqual(found(FTS3Pattern(matchingAllTokensIn: query)), [3, 5])
            // Matches documents that contain words that start with "SQLite" and words that start
            // with "database"
            try expectEqual(found(FTS3Pattern(matchingAllPrefixesIn: query)), [3, 4, 5])
            // Matches documents that contain "SQLite database"
            try expectEqual(found(FTS3Pattern(matchingPhrase: query)), [5])

            expectEqual(FTS3Pattern(matchingAnyTokenIn: ""), nil)
            expectEqual(FTS3Pattern(matchingAnyTokenIn: "*"), nil)

            let pattern = try FTS3Pattern(rawPattern: "sqlite AND database")
            try expectEqual(
                Document.fetchAll(
                    db, sql: "SELECT * FROM document WHERE content MATCH ?", arguments: [pattern]
                )
                .count,
                2)
            // Search in all columns
            try expectEqual(Document.matching(pattern).fetchAll(db).count, 2)
            // Search in a specific column:
            try expectEqual(Document.filter { $0.content.match(pattern) }.fetchAll(db).count, 2)
        }
    }

    @Test func fts5Patterns() throws {
        try inDatabase { db in
            try db.create(virtualTable: "document", using: FTS5()) { $0.column("content") }
            let contents = [
                "SQLite", "database", "database of SQLite", "SQLite databases",
                "fast SQLite database",
            ]
            for content in contents { try Document(content: content).insert(db) }
            func found(_ pattern: FTS5Pattern?) throws -> [Int] {
                try Document.matching(pattern).select(Column.rowID, as: Int.self).fetchAll(db)
            }

            let query = "SQLite database"
            try expectEqual(found(FTS5Pattern(matchingAnyTokenIn: query)), [1, 2, 3, 4, 5])
            try expectEqual(found(FTS5Pattern(matchingAllTokensIn: query)), [3, 5])
            try expectEqual(found(FTS5Pattern(matchingAllPrefixesIn: query)), [3, 4, 5])
            try expectEqual(found(FTS5Pattern(matchingPhrase: query)), [5])
            // Matches documents that start with "SQLite database"
            try expectEqual(found(FTS5Pattern(matchingPrefixPhrase: query)), [])
            try expectEqual(found(FTS5Pattern(matchingPrefixPhrase: "fast SQLite")), [5])

            let pattern = try unwrap(FTS5Pattern(matchingAllTokensIn: query))
            try expectEqual(
                Document.fetchAll(
                    db, sql: "SELECT * FROM document WHERE document MATCH ?", arguments: [pattern]
                )
                .count,
                2)
            // Search in all columns
            try expectEqual(Document.matching(pattern).fetchAll(db).count, 2)
            // Search in a specific column:
            try expectEqual(Document.filter { $0.content.match(pattern) }.fetchAll(db).count, 2)
        }
    }

    // MARK: - Deleting Synchronized Full-Text Tables

    @Test func droppingSynchronizedTables() throws {
        try inDatabase { db in
            // Create tables
            try db.create(table: "book") { t in
                t.column("author", .text)
                t.column("title", .text)
                t.column("content", .text)
            }
            try db.create(virtualTable: "book_ft", using: FTS4()) { t in
                t.synchronize(withTable: "book")
                t.column("author")
                t.column("title")
                t.column("content")
            }

            // Drop full-text table
            try db.drop(table: "book_ft")
            // Those triggers remain after the full-text table has been dropped: they prevent
            // insertions.
            let book = Book(author: "Austen", title: "Emma", content: "Handsome, clever, and rich")
            expectError(DatabaseError.self) { try book.insert(db) }
            try db.dropFTS4SynchronizationTriggers(forTable: "book_ft")
            try db.dropFTS4SynchronizationTriggers(forTable: "book")  // Support for GRDB <= 2.3.1
            try book.insert(db)

            try db.create(virtualTable: "book_ft", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.column("title")
            }
            try db.drop(table: "book_ft")
            try db.dropFTS5SynchronizationTriggers(forTable: "book_ft")
            try book.insert(db)
            try expectEqual(Book.fetchCount(db), 2)
        }
    }

    // MARK: - Querying External Content Full-Text Tables

    @Test func queryingExternalContent() throws {
        try inDatabase { db in
            try db.create(table: "book") { t in
                t.column("author", .text)
                t.column("title", .text)
                t.column("content", .text)
            }
            try db.create(virtualTable: "book_ft", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.column("author")
                t.column("title")
                t.column("content")
            }
            let mobyDick = Book(author: "Melville", title: "Moby-Dick", content: "Ishmael")
            try mobyDick.insert(db)
            try Book(author: "Austen", title: "Emma", content: "Emma Woodhouse").insert(db)
            let pattern = FTS5Pattern(matchingPhrase: "moby dick")

            // SQLite error 1: unable to use function MATCH in the requested context
            expectError(DatabaseError.self) { try Book.matching(pattern).fetchAll(db) }

            let sql = """
                SELECT book.*
                FROM book
                JOIN book_ft
                    ON book_ft.rowid = book.rowid
                    AND book_ft MATCH ?
                """
            let books = try Book.fetchAll(db, sql: sql, arguments: [pattern])
            expectEqual(books, [mobyDick])
        }
    }
}
