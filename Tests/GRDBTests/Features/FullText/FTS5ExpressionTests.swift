import GRDB
import GRDBTestSupport
import Testing

private struct Book: Codable, FetchableRecord, PersistableRecord, TableRecord {
    var title: String
    var body: String

    enum Columns {
        static let title = Column(CodingKeys.title)
        static let body = Column(CodingKeys.body)
    }
}

@Suite(.databases)
struct FTS5ExpressionTests {
    private func withDatabase(_ kind: DatabaseKind, _ body: (Database) throws -> Void) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE book USING fts5(title, body, extra UNINDEXED);
                    INSERT INTO book(rowid, title, body, extra) VALUES
                        (1, 'A whale', 'nothing but the sea', 'x'),
                        (2, 'The sea', 'a whale, a whale, and the white whale of all whales', 'y');
                    CREATE TABLE author(id INTEGER PRIMARY KEY, bookId INTEGER, name TEXT);
                    INSERT INTO author VALUES (1, 1, 'Arthur'), (2, 2, 'Barbara');
                    """)
            try body(db)
        }
    }

    private func expectSQL(
        _ db: Database, _ request: some FetchRequest, _ sql: String,
        file: String = #filePath, line: Int = #line
    ) throws {
        // The last statement: those before look at the schema, comments are of FTS5.
        let log = try TestDatabases.sql { _ = try Row.fetchAll(db, request) }
        expectTrue(log.last { !$0.hasPrefix("--") } == sql, file: file, line: line)
    }

    private let pattern = FTS5Pattern(matchingAnyTokenIn: "whale")

    @Test(arguments: DatabaseKind.allCases)
    func bm25(kind: DatabaseKind) throws {
        try withDatabase(kind) { (db: Database) throws in
            func expect(
                _ expression: SQLExpression, _ sql: String, _ rowIDs: [Int64],
                file: String = #filePath, line: Int = #line
            ) throws {
                try expectSQL(
                    db, Book.matching(pattern).select(Column.rowID).order(expression),
                    """
                    SELECT "rowid" FROM "book" WHERE "book" MATCH 'whale' ORDER BY \(sql)
                    """, file: file, line: line)
                try expectEqual(
                    Int64.fetchAll(
                        db, Book.matching(pattern).select(Column.rowID).order(expression)), rowIDs,
                    file: file, line: line)
            }
            try expect(FTS5.bm25(), #"bm25("book")"#, [2, 1])
            try expect(FTS5.bm25(weights: [100, 0.1]), #"bm25("book", 100.0, 0.1)"#, [1, 2])
            try expect(
                FTS5.bm25(weights: ["BODY": 0.01]), #"bm25("book", 1.0, 0.01, 1.0)"#, [1, 2])
            try expect(
                FTS5.bm25(weights: ["body": 100]), #"bm25("book", 1.0, 100.0, 1.0)"#, [2, 1])
            let error = expectError(DatabaseError.self) {
                try Book.matching(pattern).order(FTS5.bm25(weights: ["nope": 1])).fetchAll(db)
            }
            expectEqual(error?.message, "table book has no column named nope")
            // As an annotation, in descending order, in a computation
            let request = Book.matching(pattern)
                .annotated(with: (FTS5.bm25() * -1).forKey("score")).order(FTS5.bm25().desc)
            let rows = try Row.fetchAll(db, request)
            expectEqual(rows.map { $0["title"] as String }, ["A whale", "The sea"])
            expectTrue(rows.allSatisfy { $0["score"] as Double > 0 })
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func highlight(kind: DatabaseKind) throws {
        try withDatabase(kind) { (db: Database) throws in
            let request = Book.matching(pattern).select {
                _ in FTS5.highlight(Book.Columns.body, before: "<b>", after: "</b>")
            }.asRequest(of: String.self)
            try expectSQL(
                db, request,
                """
                SELECT highlight("book", 1, '<b>', '</b>') FROM "book" \
                WHERE "book" MATCH 'whale'
                """)
            try expectEqual(
                request.fetchAll(db),
                [
                    "nothing but the sea",
                    "a <b>whale</b>, a <b>whale</b>, and the white <b>whale</b> of all whales",
                ])
            try expectEqual(
                Book.matching(pattern)
                    .select(
                        FTS5.highlight(Column("title"), before: "'", after: "\""), as: String.self
                    ).fetchAll(db),
                ["A 'whale\"", "The sea"])
            // UNINDEXED columns count.
            try expectEqual(
                Book.matching(pattern)
                    .select(FTS5.highlight(Column("extra"), before: "", after: ""), as: String.self)
                    .fetchAll(db),
                ["x", "y"])
            expectError(DatabaseError.self) {
                _ = try Row.fetchAll(
                    db,
                    Book.matching(pattern)
                        .select(FTS5.highlight(Column("rank"), before: "", after: "")))
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func snippet(kind: DatabaseKind) throws {
        try withDatabase(kind) { (db: Database) throws in
            let request = Book.matching(pattern).select(
                FTS5.snippet(Column("body"), before: "[", after: "]", tokenCount: 4),
                as: String.self)
            try expectSQL(
                db, request,
                """
                SELECT snippet("book", 1, '[', ']', '…', 4) FROM "book" WHERE "book" MATCH 'whale'
                """)
            try expectEqual(request.fetchAll(db), ["nothing but the sea", "a [whale], a [whale]…"])
            let best = Book.matching(pattern).select(
                FTS5.snippet(before: "[", after: "]", ellipsis: "..."), as: String.self)
            try expectSQL(
                db, best,
                """
                SELECT snippet("book", -1, '[', ']', '...', 16) FROM "book" \
                WHERE "book" MATCH 'whale'
                """)
            try expectEqual(
                best.fetchAll(db),
                ["A [whale]", "a [whale], a [whale], and the white [whale] of all whales"])
        }
    }

    /// In requests on several tables, the expressions belong to the table that they are given to.
    @Test(arguments: DatabaseKind.allCases)
    func joinedTables(kind: DatabaseKind) throws {
        struct Author: TableRecord, FetchableRecord, Decodable {
            static let book = belongsTo(
                Book.self, using: ForeignKey(["bookId"], to: ["rowid"]))
            var name: String
        }
        try withDatabase(kind) { (db: Database) throws in
            let title = FTS5.highlight(Column("title"), before: "[", after: "]").forKey("marked")
            let request = Author.joining(
                required: Author.book.filter(Column("book").match(pattern!))
                    .order(FTS5.bm25(weights: [10]))
            )
            let alias = TableAlias<Book>()
            let annotated = Author.annotated(
                withRequired: Author.book.filter(Column("book").match(pattern!)).select(title)
            )
            try expectSQL(
                db, request,
                """
                SELECT "author".* FROM "author" \
                JOIN "book" ON ("book"."rowid" = "author"."bookId") \
                AND ("book"."book" MATCH 'whale') ORDER BY bm25("book"."book", 10.0)
                """)
            try expectEqual(request.fetchAll(db).map(\.name), ["Arthur", "Barbara"])
            try expectEqual(
                Row.fetchAll(db, annotated.order(Column("id"))).map { $0["marked"] as String },
                ["A [whale]", "The sea"])
            // Qualified by an alias
            let qualified =
                Author
                .joining(
                    required: Author.book.aliased(alias).filter(
                        Column("book").match(pattern!))
                )
                .order(alias[FTS5.bm25()])
            try expectEqual(qualified.fetchAll(db).map(\.name), ["Barbara", "Arthur"])
        }
    }

    /// An alias gives the table another name, its hidden column keeps it.
    @Test(arguments: DatabaseKind.allCases)
    func aliasedTables(kind: DatabaseKind) throws {
        try withDatabase(kind) { (db: Database) throws in
            let request = Book.aliased(TableAlias<Book>(name: "b")).matching(pattern)
                .select(Column("title"), as: String.self).order(FTS5.bm25())
            try expectEqual(request.fetchAll(db), ["The sea", "A whale"])
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func otherTables(kind: DatabaseKind) throws {
        try withDatabase(kind) { (db: Database) throws in
            expectError(DatabaseError.self) {
                try Row.fetchAll(db, Table("author").select(FTS5.bm25()))
            }
            // Without a pattern
            expectError(DatabaseError.self) {
                try Row.fetchAll(db, Table("author").order(FTS5.bm25()))
            }
        }
    }

    /// SQLite says only that the context is wrong.
    @Test(arguments: DatabaseKind.allCases)
    func functionsOutsideOfAMatch(kind: DatabaseKind) throws {
        try withDatabase(kind) { (db: Database) throws in
            let explanation = """
                 in the requested context: a full-text function needs its table as first argument, \
                in a SELECT with a MATCH of this table, and neither GROUP BY nor aggregate or window \
                functions
                """
            for (function, sql) in [
                ("bm25", "SELECT bm25(name) FROM author"),
                ("bm25", "SELECT bm25(1)"),
                ("bm25", "SELECT bm25(book) FROM book WHERE book MATCH 'whale' GROUP BY title"),
                ("bm25", "SELECT bm25(book), COUNT(*) FROM book WHERE book MATCH 'whale'"),
                ("highlight", "SELECT highlight(name, 0, '', '') FROM author"),
                ("snippet", "SELECT snippet(name, 0, '', '', '', 1) FROM author"),
            ] {
                expectError(
                    """
                    SQLite error 1: unable to use function \(function)\(explanation) - while \
                    executing `\(sql)`
                    """
                ) {
                    try Row.fetchAll(db, sql: sql)
                }
            }
            let sql = "SELECT bm25(title) FROM book WHERE book MATCH 'whale'"
            let error = expectError(DatabaseError.self) { try Row.fetchAll(db, sql: sql) }
            expectEqual(error?.message?.hasPrefix("no such cursor: "), true)
            expectEqual(
                error?.message?.hasSuffix(
                    ": the first argument of a full-text function is the table, not a column"), true
            )
        }
    }

    /// The rank of a table
    @Test(arguments: DatabaseKind.allCases)
    func defaultRank(kind: DatabaseKind) throws {
        try withDatabase(kind) { (db: Database) throws in
            let request = Book.matching(pattern).order(Column("rank"))
            try expectEqual(request.fetchAll(db).map(\.title), ["The sea", "A whale"])
            try db.execute(sql: "INSERT INTO book(book, rank) VALUES ('rank', 'bm25(100.0, 0.1)')")
            try expectEqual(request.fetchAll(db).map(\.title), ["A whale", "The sea"])
        }
    }
}
