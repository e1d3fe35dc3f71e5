import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Records that are decoded from rows with joined and prefetched rows.
@Suite(.databases) struct PrefetchDecodingTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    // MARK: - Codable

    struct Career: Codable, Hashable, FetchableRecord {
        var author: Author
        var books: [Book]
    }

    @Test func arrays() throws {
        let careers = [
            Career(author: .ann, books: [.ants, .bees]), Career(author: .bob, books: [.crows]),
            Career(author: .cid, books: []),
        ]
        let request = Author.including(all: Author.books.order { $0.id }).order { $0.id }
            .asRequest(of: Career.self)
        try dbQueue.read { db in
            try expectEqual(request.fetchAll(db), careers)
            try expectEqual(request.fetchOne(db), careers[0])
            try expectEqual(request.fetchSet(db), Set(careers))
            try expectEqual(Career.fetchAll(db, request), careers)
            try expectEqual(Career.fetchOne(db, request), careers[0])
            try expectEqual(Career.fetchSet(db, request), Set(careers))
            let rows = try Row.fetchSet(db, request)
            expectEqual(Set(rows.map { $0.prefetchedRows["books"]!.count }), [0, 1, 2])
        }
    }

    @Test func fetchOneFetchesTheRowsOfOne() throws {
        try dbQueue.read { db in
            let sql = try db.statements {
                _ = try Author.including(all: Author.books).asRequest(of: Career.self).fetchOne(db)
            }
            expectEqual(
                sql,
                [
                    #"SELECT * FROM "author" LIMIT 1"#,
                    #"SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" = 1"#,
                ])
        }
    }

    @Test func setsAndSingleColumns() throws {
        struct Info: Decodable, FetchableRecord {
            var author: Author
            var books: Set<Book>
            var titles: [String]
            var years: Set<Int>
        }
        let request = Author.order { $0.id }
            .including(all: Author.books)
            .including(
                all: Author.books.select { $0.title }.order { $0.title.desc }.forKey("titles")
            )
            .including(all: Author.books.select { $0.year }.forKey("years"))
        try dbQueue.read { db in
            let infos = try Info.fetchAll(db, request)
            expectEqual(infos.map(\.author), [.ann, .bob, .cid])
            expectEqual(infos.map(\.books), [[.ants, .bees], [.crows], []])
            expectEqual(infos.map(\.titles), [["Bees", "Ants"], ["Crows"], []])
            expectEqual(infos.map(\.years), [[2001, 2002], [2003], []])
        }
    }

    /// The columns that a prefetch adds to its rows aren't NULL.
    @Test func optionalValues() throws {
        struct Info: Decodable, FetchableRecord {
            var years: [Int?]
            var titles: Set<String?>?
        }
        let years = Author.books.select(sql: "NULLIF(year, 2002)").order { $0.id }
        let titles = Author.books.select(sql: "NULLIF(title, 'Crows')")
        let request = Author.order { $0.id }
            .including(all: years.forKey("years"))
            .including(all: titles.forKey("titles"))
        try dbQueue.read { db in
            let infos = try Info.fetchAll(db, request)
            expectEqual(infos.map(\.years), [[2001, nil], [2003], []])
            expectEqual(infos.map(\.titles), [["Ants", "Bees"], [nil], []])
        }
    }

    @Test func nestedRecords() throws {
        struct PrizedBook: Decodable, Equatable {
            var book: Book
            var prizes: [Prize]
        }
        struct BookInfo: Decodable, Equatable {
            var title: String
            var prizes: Set<Prize>
            var author: Author?
        }
        struct Info: Decodable, FetchableRecord {
            var author: Author
            var books: [PrizedBook]
            var bookInfos: [BookInfo]
        }
        let request = Author.filter(key: 2)
            .including(all: Author.books.including(all: Book.prizes))
            .including(
                all: Author.books.including(all: Book.prizes).including(optional: Book.author)
                    .forKey("bookInfos"))
        try dbQueue.read { db in
            let info = try unwrap(Info.fetchOne(db, request))
            let prize = Prize(id: 3, bookId: 3, name: "lead", amount: 70)
            expectEqual(info.books, [PrizedBook(book: .crows, prizes: [prize])])
            expectEqual(info.bookInfos, [BookInfo(title: "Crows", prizes: [prize], author: .bob)])
        }
    }

    @Test func joinedRecords() throws {
        struct Info: Decodable, FetchableRecord {
            var book: Book
            var author: Author?
            var nation: Nation?
            var prizes: [Prize]
        }
        let request = Book.order { $0.id }
            .including(optional: Book.author.including(optional: Author.nation))
            .including(all: Book.prizes)
        try dbQueue.read { db in
            let infos = try Info.fetchAll(db, request)
            expectEqual(infos.map(\.book), [.ants, .bees, .crows, .doves])
            expectEqual(infos.map(\.author), [.ann, .ann, .bob, nil])
            expectEqual(infos.map(\.nation?.code), ["FR", "FR", "US", nil])
            expectEqual(infos.map(\.prizes.count), [2, 0, 1, 0])
        }
    }

    @Test func prefetchesOfJoinedRecords() throws {
        struct AuthorInfo: Decodable, Equatable {
            var author: Author
            var books: [Book]
        }
        struct Info: Decodable, FetchableRecord {
            var book: Book
            var author: AuthorInfo?
        }
        let request = Book.order { $0.id }.including(
            optional: Book.author.including(all: Author.books.order { $0.id }))
        try dbQueue.read { db in
            let infos = try Info.fetchAll(db, request)
            let ann = AuthorInfo(author: .ann, books: [.ants, .bees])
            expectEqual(
                infos.map(\.author),
                [ann, ann, AuthorInfo(author: .bob, books: [.crows]), nil])
        }
    }

    @Test func optionalCollections() throws {
        struct Info: Decodable, FetchableRecord {
            var author: Author
            var books: [Book]?
            var bookCount: Int?
        }
        try dbQueue.read { db in
            let prefetched = try Info.fetchAll(
                db, Author.order { $0.id }.including(all: Author.books.order { $0.id }))
            expectEqual(prefetched.map(\.books), [[.ants, .bees], [.crows], []])
            expectEqual(prefetched.map(\.bookCount), [nil, nil, nil])
            let plain = try Info.fetchAll(
                db, Author.order { $0.id }.annotated(with: Author.books.count))
            expectEqual(plain.map(\.books), [nil, nil, nil])
            expectEqual(plain.map(\.bookCount), [2, 1, 0])
        }
    }

    @Test func columnsInSnakeCase() throws {
        // The strategy is that of columns. Keys are spelled as properties are.
        struct Info: Decodable, FetchableRecord {
            static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
                .convertFromSnakeCase
            }
            var author: Author
            var allBooks: [Book]
            var homeNation: Nation?
            var bookCount: Int
        }
        try dbQueue.read { db in
            let infos = try Info.fetchAll(
                db,
                Author.order { $0.id }
                    .including(all: Author.books.order { $0.id }.forKey("allBooks"))
                    .including(optional: Author.nation.forKey("homeNation"))
                    .annotated(with: Author.books.count.forKey("book_count")))
            expectEqual(infos.map(\.allBooks), [[.ants, .bees], [.crows], []])
            expectEqual(infos.map(\.homeNation?.code), ["FR", "US", nil])
            expectEqual(infos.map(\.bookCount), [2, 1, 0])
        }
    }

    @Test func missingKeys() throws {
        try dbQueue.read { db in
            expectError(DecodingError.self) { try Career.fetchOne(db, Author.all()) }
            struct Authorship: Decodable, FetchableRecord {
                var book: Book
                var author: Author
            }
            // The author of Doves is not known.
            expectError(RowDecodingError.self) {
                try Authorship.fetchAll(db, Book.including(optional: Book.author))
            }
            try expectEqual(
                Authorship.fetchAll(db, Book.including(required: Book.author)).count,
                3)
        }
    }

    // MARK: - init(row:)

    struct RowCareer: FetchableRecord {
        var author: Author
        var titles: [String]
        var books: [Book]
        var bookSet: Set<Book>
        var prizes: [Prize]?
        var nation: Nation?

        init(row: Row) throws {
            author = try Author(row: row)
            titles = row.prefetchedRows["books"]!.map { $0["title"] }
            books = row["books"]
            bookSet = try row.decode(Set<Book>.self, forKey: "books")
            prizes = row.prefetchedRows["prizes"] == nil ? nil : row["prizes"]
            nation = row["nation"]
        }
    }

    @Test func handWrittenInitializers() throws {
        let request = Author.order { $0.id }.including(optional: Author.nation)
            .including(all: Author.books.order { $0.id })
        try dbQueue.read { db in
            let careers = try RowCareer.fetchAll(db, request)
            expectEqual(careers.map(\.author), [.ann, .bob, .cid])
            expectEqual(careers.map(\.titles), [["Ants", "Bees"], ["Crows"], []])
            expectEqual(careers.map(\.books), [[.ants, .bees], [.crows], []])
            expectEqual(careers.map(\.bookSet), [[.ants, .bees], [.crows], []])
            expectEqual(careers.map(\.prizes), [nil, nil, nil])
            expectEqual(careers.map(\.nation?.code), ["FR", "US", nil])
            let prized = try RowCareer.fetchOne(db, request.including(all: Author.prizes))
            expectEqual(prized?.prizes?.map(\.name), ["gold", "iron"])
        }
    }

    /// A record that keeps its row.
    struct Kept: FetchableRecord {
        let row: Row

        init(row: Row) {
            self.row = row
        }
    }

    /// Records see one row after the other in the same object, unless one of them keeps it.
    @Test func keptRowsStayAsTheyAre() throws {
        struct KeptAuthor: FetchableRecord {
            let row: Row
            let books: [Kept]

            init(row: Row) {
                self.row = row
                books = row["books"]
            }
        }
        let request = Author.order { $0.id }
            .including(optional: Author.nation)
            .including(all: Author.books.order { $0.id }.including(all: Book.prizes))
        let authors = try dbQueue.read { try KeptAuthor.fetchAll($0, request) }
        expectEqual(authors.map { $0.row["name"] }, ["Ann", "Bob", "Cid"])
        expectEqual(authors.map { $0.row.scopes["nation"]?["code"] }, ["FR", "US", nil])
        expectEqual(authors.map { $0.row.prefetchedRows["books"]!.count }, [2, 1, 0])
        let books = authors.flatMap(\.books)
        expectEqual(books.map { $0.row["title"] }, ["Ants", "Bees", "Crows"])
        expectEqual(books.map { $0.row.prefetchedRows["prizes"]!.count }, [2, 0, 1])
        expectEqual(Set(books.map { ObjectIdentifier($0.row) }).count, 3)
        try expectEqual(books.map { try Book(row: $0.row) }, [.ants, .bees, .crows])
    }

    /// Scopes and prefetched rows of a row that some records keep, and others don't.
    @Test func someRecordsKeepTheirRow() throws {
        final class Log {
            nonisolated(unsafe) static var scopes: [Row] = []
        }
        struct Info: FetchableRecord {
            var title: String
            var author: String?
            var prizes: [String]

            init(row: Row) throws {
                title = row["title"]
                let scope = row.scopes["author"]!
                if title == "Bees" { Log.scopes.append(scope) }
                author = scope["name"]
                prizes = row.prefetchedRows["prizes"]!.map { $0["name"] }
                expectEqual(row.scopesTree["author"], scope)
            }
        }
        let request = Book.order { $0.id }.including(optional: Book.author)
            .including(all: Book.prizes.order { $0.name })
        let infos = try dbQueue.read { try Info.fetchAll($0, request) }
        expectEqual(infos.map(\.title), ["Ants", "Bees", "Crows", "Doves"])
        expectEqual(infos.map(\.author), ["Ann", "Ann", "Bob", nil])
        expectEqual(infos.map(\.prizes), [["gold", "iron"], [], ["lead"], []])
        expectEqual(Log.scopes.map { $0["name"] }, ["Ann"])
        Log.scopes = []
    }

    /// A decoder of a copied row is told what a live row would tell.
    @Test func valuesThatDoNotFit() throws {
        struct Item: Codable, FetchableRecord {
            var id: Int8
            var note: String?
        }
        struct List: Codable, FetchableRecord {
            var id: Int
            var items: [Item]
        }
        let request = Table("list").hasMany(
            Table("item"), key: "items", using: ForeignKey(["listId"], to: ["id"]))
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE list (id INTEGER PRIMARY KEY);
                    CREATE TABLE item (id INTEGER, listId INTEGER, note);
                    INSERT INTO list VALUES (1), (2);
                    INSERT INTO item VALUES (1, 1, 'a'), (2, 1, NULL), (3, 2, X'FF'), (4, 1, 'd');
                    """)
            let lists = Table("list").filter(Column("id") == 1).including(all: request)
                .asRequest(of: List.self)
            let items = try lists.fetchAll(db)[0].items
            expectEqual(items.map(\.id), [1, 2, 4])
            expectEqual(items.map(\.note), ["a", nil, "d"])
            let all = Table("list").including(all: request).asRequest(of: List.self)
            let error = expectError(RowDecodingError.self) { try all.fetchAll(db) }
            expectTrue(error?.description.contains("note") ?? false)
            try db.execute(
                sql: "DELETE FROM item; INSERT INTO item VALUES (1, 1, 'a'), (300, 1, 1)")
            expectError(RowDecodingError.self) { try all.fetchAll(db) }
        }
    }

    @Test func prefetchedRows() throws {
        try dbQueue.read { db in
            let row = try unwrap(
                Row.fetchOne(
                    db,
                    Author.including(all: Author.books.order { $0.id }.including(all: Book.prizes)))
            )
            expectEqual(row.prefetchedRows.keys, ["books"])
            expectEqual(row.prefetchedRows["prizes"], nil)
            expectTrue(!row.prefetchedRows.isEmpty)
            let books = try unwrap(row.prefetchedRows["books"])
            expectEqual(
                books[0].debugDescription,
                """
                ▿ [id:1 authorId:1 title:"Ants" year:2001 grdb_authorId:1]
                  + prizes: 2 rows
                """)
            expectEqual(
                row.debugDescription,
                """
                ▿ [id:1 name:"Ann" nationCode:"FR"]
                  + books: 2 rows
                """)
            // Copies keep them, rows without scopes don't.
            expectEqual(row.copy().prefetchedRows["books"]?.count, 2)
            expectTrue(row.unscoped.prefetchedRows.isEmpty)

            let joined = try unwrap(
                Row.fetchOne(
                    db, Book.including(required: Book.author.including(all: Author.books))))
            // They are found from above.
            expectEqual(joined.prefetchedRows.keys, ["books"])
            expectEqual(joined.prefetchedRows["books"]?.count, 2)
            expectEqual(joined.scopes["author"]?.prefetchedRows["books"]?.count, 2)
            try expectEqual(Author.fetchOne(db)!.id, 1)
            try expectTrue(Row.fetchOne(db, Author.all())!.prefetchedRows.isEmpty)
        }
    }

    @Test func recordsAndValuesWithoutThem() throws {
        try dbQueue.read { db in
            let request = Author.order { $0.id }.including(all: Author.books)
            try expectEqual(request.fetchAll(db), [.ann, .bob, .cid])
            // Values have no rows to prefetch for.
            try expectEqual(Int.fetchAll(db, request.select { $0.id }), [1, 2, 3])
        }
    }
}
