import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapter "Full-Text Search" of the 0.107 guide.
@Suite(.databases) struct Guide107FullTextTests {
    struct Book: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "books"
        var author: String
        var title: String
        var body: String
    }

    struct Document: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "documents"
        var content: String
    }

    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().inDatabase(body)
    }

    private func sql(_ db: Database, _ table: String) throws -> String? {
        try String.fetchOne(
            db, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [table])
    }

    @Test func introduction() throws {
        try inDatabase { db in
            // Create full-text tables
            try db.create(virtualTable: "books", using: FTS4()) { t in  // or FTS3(), or FTS5()
                t.column("author")
                t.column("title")
                t.column("body")
            }

            // Populate full-text table with records or SQL
            let mobyDick = Book(author: "Melville", title: "Moby-Dick", body: "Call me Ishmael.")
            try mobyDick.insert(db)
            try db.execute(
                sql: "INSERT INTO books (author, title, body) VALUES (?, ?, ?)",
                arguments: ["Austen", "Emma", "Emma Woodhouse, handsome, clever, and rich"])

            // Build search patterns
            let pattern = FTS3Pattern(matchingPhrase: "Moby-Dick")

            // Search with the query interface or SQL
            try expectEqual(Book.matching(pattern).fetchAll(db), [mobyDick])
            let books = try Book.fetchAll(
                db, sql: "SELECT * FROM books WHERE books MATCH ?", arguments: [pattern])
            expectEqual(books, [mobyDick])
        }
    }

    // MARK: - Create FTS3 and FTS4 Virtual Tables

    @Test func createFTS3AndFTS4Tables() throws {
        try inDatabase { db in
            // CREATE VIRTUAL TABLE documents USING fts3(content)
            try db.create(virtualTable: "documents", using: FTS3()) { t in
                t.column("content")
            }
            try expectEqual(
                sql(db, "documents"),
                "CREATE VIRTUAL TABLE \"documents\" USING fts3(content)")
            try db.drop(table: "documents")

            // CREATE VIRTUAL TABLE documents USING fts4(content)
            try db.create(virtualTable: "documents", using: FTS4()) { t in
                t.column("content")
            }
            try expectEqual(
                sql(db, "documents"),
                "CREATE VIRTUAL TABLE \"documents\" USING fts4(content)")

            // You can specify a tokenizer:
            try db.create(virtualTable: "books", using: FTS4()) { t in
                t.tokenizer = .porter
                t.column("author")
                t.column("title")
                t.column("body")
            }
            try expectEqual(
                sql(db, "books"),
                "CREATE VIRTUAL TABLE \"books\" USING fts4(author, title, body, tokenize=porter)")
        }
    }

    @Test func fts4Options() throws {
        try inDatabase { db in
            try db.create(virtualTable: "documents", using: FTS4()) { t in
                t.content = ""
                t.compress = "zip"
                t.uncompress = "unzip"
                t.prefixes = [2, 4]
                t.column("content")
                t.column("uuid").notIndexed()
                t.column("lid").asLanguageId()
            }
            try expectEqual(
                sql(db, "documents"),
                """
                CREATE VIRTUAL TABLE "documents" USING fts4(content, uuid, notindexed=uuid, \
                languageid="lid", content="", compress="zip", uncompress="unzip", prefix="2,4")
                """)
        }
    }

    // MARK: - Tokenizers

    /// "See below some examples of matches": content, query, and whether they match with `simple`,
    /// `porter` and `unicode61`.
    @Test(arguments: [
        ("Foo", "Foo", [true, true, true]), ("Foo", "FOO", [true, true, true]),
        ("Jérôme", "Jérôme", [true, true, true]), ("Jérôme", "JÉRÔME", [false, false, true]),
        ("Jérôme", "Jerome", [false, false, true]),
        ("Database", "Databases", [false, true, false]),
        ("Frustration", "Frustrated", [false, true, false]),
    ])
    func fts4Tokenizers(_ content: String, _ query: String, _ expected: [Bool]) throws {
        try inDatabase { db in
            let tokenizers: [FTS3TokenizerDescriptor] = [.simple, .porter, .unicode61()]
            for engine in ["fts3", "fts4"] {
                let matches = try tokenizers.map { tokenizer in
                    if engine == "fts3" {
                        try db.create(virtualTable: "documents", using: FTS3()) { t in
                            t.tokenizer = tokenizer
                            t.column("content")
                        }
                    } else {
                        try db.create(virtualTable: "documents", using: FTS4()) { t in
                            t.tokenizer = tokenizer
                            t.column("content")
                        }
                    }
                    try Document(content: content).insert(db)
                    let pattern = FTS3Pattern(matchingAllTokensIn: query)
                    defer { try? db.drop(table: "documents") }
                    return try !Document.matching(pattern).isEmpty(db)
                }
                expectEqual(matches, expected, "\(engine)")
            }
        }
    }

    /// The same with FTS5: `ascii`, `unicode61`, `porter` on `ascii`, `porter` on `unicode61`.
    @Test(arguments: [
        ("Foo", "Foo", [true, true, true, true]), ("Foo", "FOO", [true, true, true, true]),
        ("Jérôme", "Jérôme", [true, true, true, true]),
        ("Jérôme", "JÉRÔME", [false, true, false, true]),
        ("Jérôme", "Jerome", [false, true, false, true]),
        ("Database", "Databases", [false, false, true, true]),
        ("Frustration", "Frustrated", [false, false, true, true]),
    ])
    func fts5Tokenizers(_ content: String, _ query: String, _ expected: [Bool]) throws {
        try inDatabase { db in
            let tokenizers: [FTS5TokenizerDescriptor] = [
                .ascii(), .unicode61(), .porter(wrapping: .ascii()),
                .porter(wrapping: .unicode61()),
            ]
            let matches = try tokenizers.map { tokenizer in
                try db.create(virtualTable: "documents", using: FTS5()) { t in
                    t.tokenizer = tokenizer
                    t.column("content")
                }
                try Document(content: content).insert(db)
                let pattern = FTS5Pattern(matchingAllTokensIn: query)
                defer { try? db.drop(table: "documents") }
                return try !Document.matching(pattern).isEmpty(db)
            }
            expectEqual(matches, expected)
        }
    }

    /// "`unicode61(removeDiacritics: false)`", as it is written now.
    @Test func diacriticsCanBeKept() throws {
        try inDatabase { db in
            try db.create(virtualTable: "books", using: FTS4()) { t in
                t.tokenizer = .unicode61()
                t.tokenizer = .unicode61(diacritics: .keep)
                t.column("title")
            }
            try db.execute(sql: "INSERT INTO books VALUES ('Jérôme')")
            func count(_ text: String) throws -> Int {
                try Table("books").matching(FTS3Pattern(matchingPhrase: text)).fetchCount(db)
            }
            try expectEqual(count("JÉRÔME"), 1)
            try expectEqual(count("jerome"), 0)

            try db.create(virtualTable: "books5", using: FTS5()) { t in
                // porter wrapping unicode61 without diacritics stripping
                t.tokenizer = .porter(wrapping: .unicode61(diacritics: .keep))
                t.column("title")
            }
            try db.execute(sql: "INSERT INTO books5 VALUES ('Jérôme’s databases')")
            func count5(_ text: String) throws -> Int {
                try Table("books5").matching(FTS5Pattern(matchingAllTokensIn: text)).fetchCount(db)
            }
            try expectEqual(count5("JÉRÔME database"), 1)
            try expectEqual(count5("jerome"), 0)
        }
    }

    // MARK: - FTS3Pattern

    @Test func searchPatterns() throws {
        try inDatabase { db in
            try db.create(virtualTable: "documents", using: FTS4()) { $0.column("content") }
            for content in ["a database", "The SQLite database", "SQLite data"] {
                try Document(content: content).insert(db)
            }
            for (rawPattern, rowIDs) in [
                ("database", [1, 2]), ("data*", [1, 2, 3]), ("SQLite database", [2]),
                ("SQLite OR database", [1, 2, 3]), ("\"SQLite database\"", [2]),
            ] {
                let pattern = try FTS3Pattern(rawPattern: rawPattern)
                let request = Document.matching(pattern).select(Column.rowID, as: Int.self)
                try expectEqual(request.fetchAll(db), rowIDs)
            }
        }
    }

    @Test func fts3Patterns() throws {
        // OK: FTS3Pattern
        let pattern = try FTS3Pattern(rawPattern: "sqlite AND database")
        expectEqual(pattern.rawPattern, "sqlite AND database")
        // DatabaseError: malformed MATCH expression: [AND]
        expectError("SQLite error 1: malformed MATCH expression: [AND]") {
            try FTS3Pattern(rawPattern: "AND")
        }

        let query = "SQLite database"
        // Matches documents that contain "SQLite" or "database"
        expectEqual(FTS3Pattern(matchingAnyTokenIn: query)?.rawPattern, "sqlite OR database")
        // Matches documents that contain both "SQLite" and "database"
        expectEqual(FTS3Pattern(matchingAllTokensIn: query)?.rawPattern, "sqlite database")
        // Matches documents that contain "SQLite database"
        expectEqual(FTS3Pattern(matchingPhrase: query)?.rawPattern, "\"sqlite database\"")

        expectEqual(FTS3Pattern(matchingAnyTokenIn: ""), nil)
        expectEqual(FTS3Pattern(matchingAnyTokenIn: "*"), nil)
    }

    @Test func fts3PatternsAreValues() throws {
        try inDatabase { db in
            try db.create(virtualTable: "documents", using: FTS4()) { $0.column("content") }
            try Document(content: "SQLite database").insert(db)
            let pattern = FTS3Pattern(matchingAllTokensIn: "SQLite database")

            let documents = try Document.fetchAll(
                db, sql: "SELECT * FROM documents WHERE content MATCH ?", arguments: [pattern])
            expectEqual(documents, [Document(content: "SQLite database")])

            // Search in all columns
            // SELECT * FROM documents WHERE documents MATCH 'sqlite database'
            try expectRequest(
                db, Document.matching(pattern),
                #"SELECT * FROM "documents" WHERE "documents" MATCH 'sqlite database'"#,
                ["SQLite database"])
            // Search in a specific column:
            // SELECT * FROM documents WHERE content MATCH 'sqlite database'
            try expectRequest(
                db, Document.filter(Column("content").match(pattern)),
                #"SELECT * FROM "documents" WHERE "content" MATCH 'sqlite database'"#,
                ["SQLite database"])
            // When the pattern is nil, no row will match.
            try expectEqual(Document.matching(FTS3Pattern(matchingPhrase: "*")).fetchAll(db), [])
        }
    }

    // MARK: - Create FTS5 Virtual Tables

    @Test func createFTS5Tables() throws {
        try inDatabase { db in
            // CREATE VIRTUAL TABLE documents USING fts5(content)
            try db.create(virtualTable: "documents", using: FTS5()) { t in
                t.column("content")
            }
            try expectEqual(
                sql(db, "documents"),
                "CREATE VIRTUAL TABLE \"documents\" USING fts5(content)")

            try db.create(virtualTable: "books", using: FTS5()) { t in
                t.tokenizer = .porter()
                t.column("author")
                t.column("title")
                t.column("body")
            }
            try expectEqual(
                sql(db, "books"),
                """
                CREATE VIRTUAL TABLE "books" USING \
                fts5(author, title, body, tokenize='''porter''')
                """)
        }
    }

    @Test func fts5Options() throws {
        try inDatabase { db in
            try db.create(table: "table") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("content", .text)
                t.column("uuid", .text)
            }
            try db.create(virtualTable: "documents", using: FTS5()) { t in
                t.column("content")
                t.column("uuid").notIndexed()
                t.content = "table"
                t.contentRowID = "id"
                t.prefixes = [2, 4]
                t.columnSize = 0
                t.detail = "column"
            }
            try expectEqual(
                sql(db, "documents"),
                """
                CREATE VIRTUAL TABLE "documents" USING fts5(content, uuid UNINDEXED, \
                content='table', content_rowid='id', prefix='2 4', columnSize=0, detail=column)
                """)
        }
    }

    // MARK: - FTS5Pattern

    @Test func fts5Patterns() throws {
        try inDatabase { db in
            try db.create(virtualTable: "books", using: FTS5()) { t in
                t.column("author")
                t.column("title")
            }
            // OK: FTS5Pattern
            _ = try db.makeFTS5Pattern(rawPattern: "sqlite", forTable: "books")
            // DatabaseError: syntax error near \"AND\"
            expectError("SQLite error 1: fts5: syntax error near \"AND\"") {
                try db.makeFTS5Pattern(rawPattern: "AND", forTable: "books")
            }
            // DatabaseError: no such column: missing
            expectError("SQLite error 1: no such column: missing") {
                try db.makeFTS5Pattern(rawPattern: "missing: sqlite", forTable: "books")
            }
        }
        let query = "SQLite database"
        expectEqual(FTS5Pattern(matchingAnyTokenIn: query)?.rawPattern, "sqlite OR database")
        expectEqual(FTS5Pattern(matchingAllTokensIn: query)?.rawPattern, "sqlite database")
        expectEqual(FTS5Pattern(matchingPhrase: query)?.rawPattern, "\"sqlite database\"")
        expectEqual(FTS5Pattern(matchingAnyTokenIn: ""), nil)
        expectEqual(FTS5Pattern(matchingAnyTokenIn: "*"), nil)
    }

    @Test func sortingByRelevance() throws {
        try inDatabase { db in
            try db.create(virtualTable: "documents", using: FTS5()) { $0.column("content") }
            for content in ["sqlite", "a long text about sqlite", "sqlite sqlite"] {
                try Document(content: content).insert(db)
            }
            let pattern = FTS5Pattern(matchingPhrase: "SQLite")
            let expected = ["sqlite sqlite", "sqlite", "a long text about sqlite"]
            // SQL
            let documents = try Document.fetchAll(
                db, sql: "SELECT * FROM documents WHERE documents MATCH ? ORDER BY rank",
                arguments: [pattern])
            expectEqual(documents.map(\.content), expected)
            // Query Interface
            try expectEqual(
                Document.matching(pattern).order(Column.rank).fetchAll(db).map(\.content),
                expected)
        }
    }

    // MARK: - External Content Full-Text Tables

    @Test(arguments: ["fts4", "fts5"])
    func externalContent(_ engine: String) throws {
        struct Book: Codable, FetchableRecord, PersistableRecord, Equatable {
            static let databaseTableName = "books"
            var author: String
            var title: String
            var content: String
            var price: Double
        }
        try inDatabase { db in
            // A regular table
            try db.create(table: "books") { t in
                t.column("author", .text)
                t.column("title", .text)
                t.column("content", .text)
                t.column("price", .double)
            }
            var book = Book(author: "Melville", title: "Moby-Dick", content: "Whales", price: 12.5)
            try book.insert(db)

            // A full-text table synchronized with the regular table
            if engine == "fts4" {
                try db.create(virtualTable: "books_ft", using: FTS4()) { t in
                    t.synchronize(withTable: "books")
                    t.column("author")
                    t.column("title")
                    t.column("content")
                }
            } else {
                try db.create(virtualTable: "books_ft", using: FTS5()) { t in
                    t.synchronize(withTable: "books")
                    t.column("author")
                    t.column("title")
                    t.column("content")
                }
            }
            try Book(author: "Austen", title: "Emma", content: "Emma", price: 9.5).insert(db)

            let pattern = FTS3Pattern(matchingPhrase: "Moby-Dick")
            let fts5Pattern = FTS5Pattern(matchingPhrase: "Moby-Dick")

            // SQLite error 1: unable to use function MATCH in the requested context
            // SELECT * FROM books WHERE books MATCH '...'
            let error = expectError(DatabaseError.self) {
                try Book.matching(pattern).fetchAll(db)
            }
            expectEqual(error?.resultCode, .SQLITE_ERROR)

            // The solution is to perform a joined request, using raw SQL:
            let sql =
                "SELECT books.* " + "FROM books " + "JOIN books_ft ON "
                + "books_ft.rowid = books.rowid AND " + "books_ft MATCH ?"
            try expectEqual(Book.fetchAll(db, sql: sql, arguments: [pattern]), [book])
            try expectEqual(Book.fetchAll(db, sql: sql, arguments: [fts5Pattern]), [book])

            // Every update is applied to the index.
            book.title = "The Whale"
            try db.execute(sql: "UPDATE books SET title = 'The Whale' WHERE title = 'Moby-Dick'")
            try expectEqual(Book.fetchAll(db, sql: sql, arguments: [pattern]), [])
            let whale = FTS3Pattern(matchingPhrase: "the whale")
            try expectEqual(Book.fetchAll(db, sql: sql, arguments: [whale]), [book])
        }
    }

    // MARK: - Full-Text Records

    /// The hidden column `rowid` must be exposed.
    @Test func fullTextRecords() throws {
        struct Page: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
            static let databaseTableName = "books"
            static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }
            var rowid: Int64?
            var title: String

            mutating func didInsert(_ inserted: InsertionSuccess) {
                rowid = inserted.rowID
            }
        }
        try inDatabase { db in
            try db.create(virtualTable: "books", using: FTS4()) { $0.column("title") }
            var page = Page(title: "Moby-Dick")
            try page.insert(db)
            try expectEqual(Page.fetchOne(db, key: 1), Page(rowid: 1, title: "Moby-Dick"))
            page.title = "Emma"
            try page.update(db)
            try expectEqual(Page.fetchAll(db), [Page(rowid: 1, title: "Emma")])
            try expectTrue(page.delete(db))
        }
    }

    // MARK: - Unicode Full-Text Gotchas

    @Test func normalization() throws {
        try inDatabase { db in
            try db.create(virtualTable: "documents", using: FTS4()) { t in
                t.tokenizer = .unicode61(diacritics: .keep)
                t.column("content")
            }
            func matches(_ content: String, _ query: String) throws -> Bool {
                try Document(content: content).insert(db)
                defer { _ = try? Document.deleteAll(db) }
                return try !Document.matching(FTS3Pattern(matchingPhrase: query)).isEmpty(db)
            }
            // the NFC "aim\u{00E9}" form may not match its NFD "aime\u{0301}" equivalent.
            try expectTrue(!matches("aim\u{00E9}", "aime\u{0301}"))
            // Use String.precomposedStringWithCanonicalMapping to turn a string into NFC.
            try expectTrue(
                matches("aim\u{00E9}", "aime\u{0301}".precomposedStringWithCanonicalMapping))
            // if you want "fi" to match the ligature (U+FB01), then you need to normalize your
            // indexed contents and inputs to NFKC or NFKD.
            try expectTrue(!matches("\u{FB01}n", "fin"))
            try expectTrue(matches("\u{FB01}n".precomposedStringWithCompatibilityMapping, "fin"))
            // it won't help "Encyclopaedia" match "Encyclopædia"
            try expectTrue(
                !matches(
                    "Encyclopædia".precomposedStringWithCompatibilityMapping, "Encyclopaedia"))
        }
    }
}
