import GRDB
import GRDBTestSupport
import Testing

/// The records of the chapters "Custom Requests" and "Performance" of the 0.107 guide.
@Suite(.databases) struct Guide107CustomRequestsTests {
    private struct Author: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "authors"
        var id: Int64
        var name: String
    }

    private struct Book: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "books"
        var id: Int64
        var title: String
        var authorID: Int64

        static func customRequest(minLength: Int) -> AnyFetchRequest<Book> {
            let request: SQLRequest<Book> = """
                SELECT * FROM books WHERE length(title) >= \(minLength)
                """
            return AnyFetchRequest(request)
        }
    }

    private struct BookAuthorPair: FetchableRecord {
        let book: Book
        let author: Author

        init(row: Row) throws {
            book = try Book(row: row.scopes["books"]!)
            author = try Author(row: row.scopes["authors"]!)
        }

        static func all() -> AdaptedFetchRequest<SQLRequest<BookAuthorPair>> {
            SQLRequest<BookAuthorPair>(
                sql: """
                    SELECT books.*, authors.* \
                    FROM books \
                    JOIN authors ON authors.id = books.authorID \
                    ORDER BY books.id
                    """
            )
            .adapted { db in
                // The scopes are used in init(row:)
                try ScopeAdapter([
                    "books": SuffixRowAdapter(fromIndex: 0),
                    "authors": SuffixRowAdapter(fromIndex: db.columns(in: "books").count),
                ])
            }
        }

        static func fetchAll(_ db: Database) throws -> [BookAuthorPair] {
            try all().fetchAll(db)
        }
    }

    /// The author of the chapter on performance.
    private struct AuthorInfo: Decodable, FetchableRecord {
        var name: String
        var bookCount: Int
    }

    /// Runs the closure when the schema is known already: the SQL that reads it is not logged.
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    CREATE TABLE books (
                        id INTEGER PRIMARY KEY, title TEXT NOT NULL,
                        authorID INTEGER NOT NULL REFERENCES authors(id));
                    INSERT INTO authors VALUES (1, 'J. M. Coetzee'), (2, 'Herman Melville');
                    INSERT INTO books VALUES (1, 'Foe', 1), (2, 'Disgrace', 1), (3, 'Moby-Dick', 2);
                    """)
            for table in ["authors", "books"] {
                _ = try db.columns(in: table)
            }
            try body(db)
        }
    }

    @Test func customRequests() throws {
        try inDatabase { db in
            try expectSQL(
                """
                SELECT * FROM books WHERE length(title) >= 4
                SELECT COUNT(*) FROM (SELECT * FROM books WHERE length(title) >= 4 )
                SELECT MAX("id") FROM "books"
                """
            ) {
                let books = try Book.customRequest(minLength: 4).fetchAll(db)  // [Book]
                expectEqual(books.map(\.title), ["Disgrace", "Moby-Dick"])
                let count = try Book.customRequest(minLength: 4).fetchCount(db)  // Int
                expectEqual(count, 2)
                // Rebind the fetched type of requests:
                let maxID = try Book.select(max(Column("id")))
                    .asRequest(of: Int.self)
                    .fetchOne(db)
                expectEqual(maxID, 3)
            }
        }
    }

    @Test func adaptedRequests() throws {
        try inDatabase { db in
            let pairs = try BookAuthorPair.fetchAll(db).map { pair in
                "\(pair.book.title) by \(pair.author.name)"
            }
            expectEqual(
                pairs,
                [
                    "Foe by J. M. Coetzee", "Disgrace by J. M. Coetzee",
                    "Moby-Dick by Herman Melville",
                ])
            try expectEqual(BookAuthorPair.all().fetchCount(db), 3)
            try expectEqual(BookAuthorPair.all().fetchOne(db)?.author.id, 1)
        }
    }

    /// An example of the N+1 problem, and the single query to perform instead.
    @Test func bookCounts() throws {
        try inDatabase { db in
            var counts: [String: Int] = [:]
            try expectSQL(
                """
                SELECT * FROM "authors"
                SELECT COUNT(*) FROM "books" WHERE "authorID" = 1
                SELECT COUNT(*) FROM "books" WHERE "authorID" = 2
                """
            ) {
                let authors = try Author.fetchAll(db)
                for author in authors {
                    counts[author.name] = try Book.filter(Column("authorID") == author.id)
                        .fetchCount(db)
                }
            }
            let sql = """
                SELECT authors.*, COUNT(books.id) AS bookCount \
                FROM authors \
                LEFT JOIN books ON books.authorID = authors.id \
                GROUP BY authors.id
                """
            let authors = try AuthorInfo.fetchAll(db, sql: sql)
            expectEqual(authors.map(\.name), ["J. M. Coetzee", "Herman Melville"])
            expectEqual(authors.map(\.bookCount), [2, 1])
            expectEqual(counts, ["J. M. Coetzee": 2, "Herman Melville": 1])
        }
    }
}
