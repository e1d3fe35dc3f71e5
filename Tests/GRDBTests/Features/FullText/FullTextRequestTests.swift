import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct FullTextRequestTests {
    struct Document: Codable, FetchableRecord, TableRecord, Equatable {
        var body: String
    }

    /// SQL that the closure runs, without that of full-text tables, which SQLite comments out.
    private func statements(_ db: Database, _ body: () throws -> Void) rethrows -> [String] {
        try db.statements(of: body).filter { !$0.hasPrefix("--") }
    }

    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.create(virtualTable: "document", using: FTS5()) { $0.column("body") }
            try db.execute(sql: "INSERT INTO document VALUES ('hello world'), ('hello moon')")
        }
        return dbQueue
    }

    // MARK: - One table

    @Test func matchingRows() throws {
        try makeQueue().read { db in
            let pattern = FTS5Pattern(matchingAnyTokenIn: "moon sun")
            let requests = [
                Document.matching(pattern), Document.all().matching(pattern),
                Table<Document>("document").matching(pattern),
                Document.filter(Column("document").match(pattern!)),
                Document.filter(Column("document").match(pattern)),
            ]
            for request in requests {
                let statement = try request.makePreparedRequest(db).statement
                expectEqual(statement.sql, #"SELECT * FROM "document" WHERE "document" MATCH ?"#)
                expectEqual(statement.arguments, ["moon OR sun"])
                try expectEqual(request.fetchAll(db), [Document(body: "hello moon")])
                try expectEqual(request.fetchCount(db), 1)
                try expectEqual(request.isEmpty(db), false)
            }
        }
    }

    @Test func matchingRowsOfFTS4() throws {
        for module in ["fts3", "fts4"] {
            try TestDatabases.makeQueue().write { db in
                try db.execute(
                    sql: """
                        CREATE VIRTUAL TABLE document USING \(module)(body);
                        INSERT INTO document VALUES ('hello world'), ('hello moon');
                        """)
                let pattern = FTS3Pattern(matchingAnyTokenIn: "moon sun")
                let requests = [
                    Document.matching(pattern), Document.all().matching(pattern),
                    Table<Document>("document").matching(pattern),
                    Document.filter(Column("document").match(pattern)),
                ]
                for request in requests {
                    let statement = try request.makePreparedRequest(db).statement
                    expectEqual(
                        statement.sql, #"SELECT * FROM "document" WHERE "document" MATCH ?"#)
                    expectEqual(statement.arguments, ["moon OR sun"])
                    try expectEqual(request.fetchAll(db), [Document(body: "hello moon")])
                    try expectEqual(request.fetchCount(db), 1)
                }
                let request = Document.filter(Column("body").match(pattern))
                let sql = try statements(db) { () throws in
                    try expectEqual(request.fetchAll(db), [Document(body: "hello moon")])
                }
                expectEqual(sql, [#"SELECT * FROM "document" WHERE "body" MATCH 'moon OR sun'"#])
            }
        }
    }

    /// Nothing matches nil.
    @Test func matchingNothing() throws {
        try makeQueue().write { db in
            try expectEqual(Document.matching(nil as FTS5Pattern?).fetchCount(db), 0)
            try expectEqual(Document.all().matching(nil as FTS5Pattern?).fetchAll(db), [])
            try expectEqual(
                Document.filter(Column("body").match(nil as FTS5Pattern?)).fetchAll(db),
                [])
            try db.execute(
                sql: "DROP TABLE document; CREATE VIRTUAL TABLE document USING fts4(body)")
            try db.execute(sql: "INSERT INTO document VALUES ('hello world')")
            try expectEqual(Document.matching(nil as FTS3Pattern?).fetchCount(db), 0)
            try expectEqual(Document.all().matching(nil as FTS3Pattern?).fetchAll(db), [])
            try expectEqual(Document.filter(Column("body").match(nil)).fetchAll(db), [])
            try expectEqual(Document.matching(nil as FTS3Pattern?).deleteAll(db), 0)
        }
    }

    @Test func matchingColumns() throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.column("title")
                t.column("body")
            }
            try db.execute(sql: "INSERT INTO document VALUES ('a', 'b'), ('b', 'a')")
            let pattern = try unwrap(FTS5Pattern(matchingPhrase: "a"))
            try expectEqual(
                Row.fetchAll(
                    db, Table("document").filter(Column("title").match(pattern))),
                [["title": "a", "body": "b"]])
        }
    }

    @Test func matchingRowsOfAliasedTables() throws {
        try makeQueue().read { db in
            let alias = TableAlias<Document>(name: "d")
            let request = Document.aliased(alias)
                .matching(FTS5Pattern(matchingAllTokensIn: "hello"))
                .order(Column.rank, alias[Column("rowid")])
            let statement = try request.makePreparedRequest(db).statement
            expectEqual(
                statement.sql,
                """
                SELECT "d".* FROM "document" "d" WHERE "d"."document" MATCH ? \
                ORDER BY "d"."rank", "d"."rowid"
                """)
            try expectEqual(request.fetchAll(db).map(\.body), ["hello world", "hello moon"])
        }
    }

    @Test func batches() throws {
        try makeQueue().write { db in
            let pattern = FTS5Pattern(matchingAllTokensIn: "moon")
            let sql = try statements(db) { () throws in
                try expectEqual(
                    Document.matching(pattern)
                        .updateAll(db, Column("body").set(to: "hello sun")),
                    1)
                try expectEqual(
                    Document.matching(FTS5Pattern(matchingPhrase: "hello sun")).deleteAll(db),
                    1)
            }
            expectEqual(
                sql,
                [
                    #"UPDATE "document" SET "body" = 'hello sun' WHERE "document" MATCH 'moon'"#,
                    #"DELETE FROM "document" WHERE "document" MATCH '"hello sun"'"#,
                ])
            try expectEqual(Document.fetchAll(db), [Document(body: "hello world")])
        }
    }

    // MARK: - Records with a rowid

    struct Page: Codable, FetchableRecord, MutablePersistableRecord, Identifiable, Equatable {
        static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }
        static let databaseTableName = "page"

        var id: Int64?
        var title: String
        var body: String

        enum CodingKeys: String, CodingKey {
            case id = "rowid"
            case title
            case body
        }

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    @Test(arguments: ["fts3", "fts4", "fts5"])
    func records(_ module: String) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE page USING \(module)(title, body)")
            var page = Page(id: nil, title: "Whales", body: "Call me Ishmael")
            try page.insert(db)
            expectEqual(page.id, 1)
            var other = Page(id: 12, title: "Sea", body: "Water")
            try other.insert(db)
            try expectEqual(Page.fetchCount(db), 2)

            try expectEqual(Page.fetchOne(db, id: 12), other)
            try expectEqual(Page.find(db, key: 1), page)
            try expectEqual(Page.filter(ids: [1, 12]).fetchAll(db), [page, other])
            try expectTrue(page.exists(db))

            page.title = "Moby-Dick"
            try page.update(db)
            try page.updateChanges(db) { $0.body = "Some years ago" }
            let matching =
                try module == "fts5"
                ? Page.matching(FTS5Pattern(matchingPhrase: "moby dick")).fetchAll(db)
                : Page.matching(FTS3Pattern(matchingPhrase: "moby dick")).fetchAll(db)
            expectEqual(matching, [Page(id: 1, title: "Moby-Dick", body: "Some years ago")])
            try other.save(db)
            try expectTrue(page.delete(db))
            try expectTrue(Page.deleteOne(db, id: 12))
            try expectEqual(Page.fetchCount(db), 0)
            expectError(RecordError.self) { try page.update(db) }
        }
    }

    // MARK: - Joins with the content table

    struct Book: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
        static let text = belongsTo(BookText.self, using: ForeignKey(["id"], to: ["rowid"]))
        static let texts = hasMany(BookText.self, using: ForeignKey(["rowid"], to: ["id"]))
        static let author = belongsTo(Author.self)

        var id: Int64?
        var authorId: Int64
        var title: String
        var price: Double
    }

    struct BookText: TableRecord {
        static let databaseTableName = "book_ft"
        static let book = belongsTo(Book.self, using: ForeignKey(["rowid"], to: ["id"]))
    }

    struct Author: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let books = hasMany(Book.self)
        var id: Int64
        var name: String
    }

    private func withLibrary(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(table: "author") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text)
            }
            try db.create(table: "book") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("author")
                t.column("title", .text)
                t.column("price", .double)
            }
            try db.create(virtualTable: "book_ft", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.column("title")
            }
            try db.execute(
                sql: """
                    INSERT INTO author VALUES (1, 'Melville'), (2, 'Austen');
                    INSERT INTO book VALUES
                        (10, 1, 'Moby-Dick', 12.5), (20, 2, 'Emma', 9),
                        (30, 1, 'The Whale, or: Moby-Dick', 15);
                    """)
            for table in ["author", "book", "book_ft"] {
                _ = try db.columns(in: table)
                _ = try db.primaryKey(table)
            }
            _ = try db.foreignKeys(on: "book")
            try body(db)
        }
    }

    private func expect(
        _ db: Database, _ request: some FetchRequest, _ sql: String..., ids: [Int64],
        line: Int = #line
    ) throws {
        var fetched: [Int64] = []
        let actual = try statements(db) {
            fetched = try Row.fetchAll(db, request).map { $0["id"] }
        }
        expectEqual(actual, sql, line: line)
        expectEqual(fetched, ids, line: line)
    }

    @Test func joiningTheFullTextTable() throws {
        let pattern = FTS5Pattern(matchingPhrase: "moby dick")
        try withLibrary { db throws in
            try expect(
                db, Book.joining(required: Book.text.matching(pattern)),
                """
                SELECT "book".* FROM "book" \
                JOIN "book_ft" ON ("book_ft"."rowid" = "book"."id") \
                AND ("book_ft" MATCH '"moby dick"')
                """, ids: [10, 30])
            try expect(
                db, Book.joining(required: Book.text.matching(pattern).order(Column.rank)),
                """
                SELECT "book".* FROM "book" \
                JOIN "book_ft" ON ("book_ft"."rowid" = "book"."id") \
                AND ("book_ft" MATCH '"moby dick"') ORDER BY "book_ft"."rank"
                """, ids: [10, 30])
            let alias = TableAlias<BookText>(name: "ft")
            try expect(
                db,
                Book.joining(required: Book.text.aliased(alias).matching(pattern))
                    .filter(Column("price") > 13).order(alias[Column.rank]),
                """
                SELECT "book".* FROM "book" \
                JOIN "book_ft" "ft" ON ("ft"."rowid" = "book"."id") \
                AND ("ft"."book_ft" MATCH '"moby dick"') \
                WHERE "book"."price" > 13 ORDER BY "ft"."rank"
                """, ids: [30])
            try expectEqual(Book.joining(required: Book.text.matching(pattern)).fetchCount(db), 2)
            try expectEqual(
                Book.joining(required: Book.text.matching(nil as FTS5Pattern?)).fetchCount(db),
                0)
        }
    }

    @Test func joiningTheContentTable() throws {
        let pattern = FTS5Pattern(matchingPhrase: "moby dick")
        try withLibrary { db throws in
            let request = BookText.matching(pattern).including(required: BookText.book)
                .order(Column.rank)
            var books: [Book] = []
            let sql = try statements(db) {
                books = try Row.fetchAll(db, request).map { try Book(row: $0.scopes["book"]!) }
            }
            expectEqual(books.map(\.id), [10, 30])
            expectEqual(
                sql,
                [
                    """
                    SELECT "book_ft".*, "book".* FROM "book_ft" \
                    JOIN "book" ON "book"."id" = "book_ft"."rowid" \
                    WHERE "book_ft" MATCH '"moby dick"' ORDER BY "book_ft"."rank"
                    """
                ])
        }
    }

    @Test func furtherAssociations() throws {
        let pattern = FTS5Pattern(matchingAllTokensIn: "whale")
        try withLibrary { db throws in
            // Authors of books that match, through the books
            let authors = try Author.joining(
                required: Author.books.joining(required: Book.text.matching(pattern))
            ).fetchAll(db)
            expectEqual(authors, [Author(id: 1, name: "Melville")])
            // Books that match, counted for each author
            let counts =
                Author
                .annotated(
                    with: Author.books.joining(required: Book.text.matching(pattern))
                        .count.forKey("n")
                )
                .order(Column("id"))
            try expectEqual(Row.fetchAll(db, counts).map { $0["n"] as Int }, [1, 0])
            // Books without and with a match
            let having = Book.having(Book.texts.matching(pattern).isEmpty)
            try expectEqual(having.fetchAll(db).map(\.id), [10, 20])
            // Books with the rowids that match
            let rowIDs = BookText.matching(pattern).select(Column.rowID, as: Int64.self)
            try expectEqual(Book.filter(rowIDs.contains(Column("id"))).fetchAll(db).map(\.id), [30])
        }
    }

    // MARK: - Regions

    @Test func regions() throws {
        let pattern = FTS5Pattern(matchingAllTokensIn: "whale")
        try withLibrary { db throws in
            // The content of the index is that of the other table.
            let region = try BookText.matching(pattern).databaseRegion(db).description
            expectEqual(region, "book(id,title),book_ft(book_ft,title)")
            try expectEqual(
                Book.joining(required: Book.text.matching(pattern)).databaseRegion(db)
                    .description,
                "book(authorId,id,price,title),book_ft(ROWID,book_ft)")
        }
    }

    /// The changes of the content table modify the region of a search.
    @Test(arguments: ["fts4", "fts5"])
    func contentChangesAreObserved(_ module: String) throws {
        let dbQueue = try TestDatabases.makeQueue()
        let region = try dbQueue.write { db in
            try db.execute(
                sql: "CREATE TABLE c(id INTEGER PRIMARY KEY, a TEXT); CREATE TABLE t_x(a)")
            if module == "fts5" {
                try db.create(virtualTable: "t", using: FTS5()) { t in
                    t.synchronize(withTable: "c")
                    t.column("a")
                }
            } else {
                try db.create(virtualTable: "t", using: FTS4()) { t in
                    t.synchronize(withTable: "c")
                    t.column("a")
                }
            }
            return try SQLRequest<Row>(sql: "SELECT rowid, * FROM t WHERE t MATCH 'x'")
                .databaseRegion(db)
        }
        let observer = RegionObserver(region)
        dbQueue.add(transactionObserver: observer)
        for (sql, isModified) in [
            ("INSERT INTO c(a) VALUES ('x')", true), ("UPDATE c SET a = 'x y'", true),
            ("INSERT INTO t_x VALUES (1)", false), ("DELETE FROM c", true),
            ("INSERT INTO t(t) VALUES ('rebuild')", true),
        ] {
            try dbQueue.write { db in try db.execute(sql: sql) }
            expectEqual(observer.isModified, isModified, "\(sql)")
            observer.isModified = false
        }
        dbQueue.remove(transactionObserver: observer)
    }

    private final class RegionObserver: TransactionObserver {
        let region: DatabaseRegion
        var isModified = false

        init(_ region: DatabaseRegion) {
            self.region = region
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            region.isModified(byEventsOfKind: eventKind)
        }

        func databaseDidChange(with event: DatabaseEvent) {
            if region.isModified(by: event) { isModified = true }
        }

        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }
}
