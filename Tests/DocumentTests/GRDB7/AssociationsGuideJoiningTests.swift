import GRDB
import GRDBTestSupport
import Testing

/// The chapters of the Associations guide on joining and prefetching associated records.
@Suite(.databases) struct AssociationsGuideJoiningTests: AssociationsGuideSuite {
    typealias Country = AssociationsGuide.Country

    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try AssociationsGuide.makeQueue()
    }

    private let join = "FROM book JOIN author ON author.id = book.authorId"
    private let leftJoin = "FROM book LEFT JOIN author ON author.id = book.authorId"

    // MARK: - Associations Benefits

    @Test func benefits() throws {
        struct BookInfo: Decodable, FetchableRecord {
            let book: Book
            let author: Author?
        }
        try dbQueue.read { db in
            let author = try Author.find(db, key: 1)
            let books = try author.books.fetchAll(db)
            expectEqual(books.map(\.id), [1, 2, 5])
            try expectEqual(books[0].author.fetchOne(db), author)

            let request = Book.including(optional: Book.author)
            let bookInfos = try BookInfo.fetchAll(db, request)
            expectEqual(bookInfos.map(\.author?.id), [1, 1, 2, nil, 1])
        }
    }

    @Test func requiredProtocols() throws {
        // Who's prolific?
        let authors = try dbQueue.read { db in
            try Author
                .having(Author.books.count >= 2)
                .fetchAll(db)  // [Author]
        }
        expectEqual(authors.map(\.name), ["Hugo"])
    }

    @Test func requestingAssociatedRecords() throws {
        try dbQueue.read { db in
            let author = try Author.find(db, key: 1)
            let novels =
                try author
                .books
                .filter { $0.kind == "novel" }
                .order(\.year.desc)
                .fetchAll(db)  // [Book]
            expectEqual(novels.map(\.title), ["Les Misérables", "Notre-Dame"])
        }
    }

    // MARK: - Joining And Prefetching Associated Records

    @Test func includingRequired() throws {
        struct BookInfo: Decodable, FetchableRecord {
            var book: Book
            var author: Author
        }
        struct PartialInfo: Decodable, FetchableRecord {
            struct PartialAuthor: Decodable {
                var name: String
                var country: String
            }
            var book: Book
            var author: PartialAuthor
        }
        try expect(Book.including(required: Book.author), "SELECT book.*, author.* \(join)")
        try dbQueue.read { db in
            let bookInfos =
                try Book
                .including(required: Book.author)
                .asRequest(of: BookInfo.self)
                .fetchAll(db)
            expectEqual(bookInfos.map(\.author.name), ["Hugo", "Hugo", "Melville", "Hugo"])
            let partialInfos =
                try Book
                .including(required: Book.author.select { [$0.name, $0.country] })
                .asRequest(of: PartialInfo.self)
                .fetchAll(db)
            expectEqual(partialInfos.map(\.author.country), ["France", "France", "USA", "France"])
        }
    }

    @Test func includingOptional() throws {
        struct BookInfo: Decodable, FetchableRecord {
            struct PartialAuthor: Decodable {
                var name: String
                var country: String
            }
            var book: Book
            var author: PartialAuthor?
        }
        try expect(Book.including(optional: Book.author), "SELECT book.*, author.* \(leftJoin)")
        try dbQueue.read { db in
            let bookInfos =
                try Book
                .including(optional: Book.author.select { [$0.name, $0.country] })
                .asRequest(of: BookInfo.self)
                .fetchAll(db)
            expectEqual(bookInfos.map(\.author?.name), ["Hugo", "Hugo", "Melville", nil, "Hugo"])
        }
    }

    @Test func includingAll() throws {
        struct AuthorInfo: Decodable, FetchableRecord {
            struct PartialBook: Decodable, Equatable {
                var title: String
                var year: Int
            }
            var author: Author
            var books: [PartialBook]
            var bookTitles: [String]?
        }
        try expect(
            Author.including(all: Author.books),
            """
            SELECT * FROM author
            SELECT *, authorId AS grdb_authorId FROM book WHERE authorId IN (1, 2, 3)
            """)
        try dbQueue.read { db in
            let authorInfos =
                try Author
                .including(all: Author.books.select { [$0.title, $0.year] })
                .including(
                    all: Author.books
                        .select(\.title)
                        .forKey("bookTitles")
                )
                .asRequest(of: AuthorInfo.self)
                .fetchAll(db)
            expectEqual(authorInfos.map(\.books.count), [3, 1, 0])
            expectEqual(
                authorInfos.map(\.bookTitles),
                [
                    ["Hernani", "Notre-Dame", "Les Misérables"], ["Moby-Dick"], [],
                ])
        }
    }

    @Test func annotated() throws {
        struct BookInfo: Decodable, FetchableRecord {
            var book: Book
            var authorName: String?
            var country: String?
        }
        try expect(
            Book.annotated(withRequired: Book.author.select { [$0.name, $0.country] }),
            "SELECT book.*, author.name, author.country \(join)")
        try expect(
            Book.annotated(withOptional: Book.author.select { [$0.name, $0.country] }),
            "SELECT book.*, author.name, author.country \(leftJoin)")
        try dbQueue.read { db in
            let author = Book.author.select { [$0.name.forKey("authorName"), $0.country] }
            let required =
                try Book
                .annotated(withRequired: author)
                .asRequest(of: BookInfo.self)
                .fetchAll(db)
            expectEqual(required.map(\.authorName), ["Hugo", "Hugo", "Melville", "Hugo"])
            let optional =
                try Book
                .annotated(withOptional: author)
                .asRequest(of: BookInfo.self)
                .fetchAll(db)
            expectEqual(optional.map(\.country), ["France", "France", "USA", nil, "France"])
            let countries =
                try Book
                .annotated(withOptional: Book.author.select(\.country))
                .asRequest(of: BookInfo.self)
                .fetchAll(db)
            expectEqual(countries.map(\.country), optional.map(\.country))
        }
    }

    @Test func joining() throws {
        let request = Book.joining(required: Book.author.filter { $0.country == "France" })
        try expect(
            request,
            """
            SELECT book.* FROM book JOIN author ON (author.id = book.authorId) \
            AND (author.country = 'France')
            """)
        try dbQueue.read { db in
            try expectEqual(request.fetchAll(db).map(\.id), [1, 2, 5])
        }
        try expect(Book.joining(optional: Book.author), "SELECT book.* \(leftJoin)")
    }

    // MARK: - The Structure of a Joined Request

    private var request: QueryInterfaceRequest<Book> {
        Book
            .including(
                required: Book.author
                    .including(optional: Author.country)
            )
            .including(optional: Book.coverImage)
    }

    @Test func decodableRecords() throws {
        struct BookInfo: FetchableRecord, Decodable {
            var book: Book
            var author: Author
            var country: Country?
            var coverImage: CoverImage?
        }
        try dbQueue.read { db in
            let bookInfos: [BookInfo] = try BookInfo.fetchAll(db, request)
            expectEqual(bookInfos.map(\.author.name), ["Hugo", "Hugo", "Melville", "Hugo"])
            expectEqual(bookInfos.map(\.country?.code), ["FR", "FR", "US", "FR"])
            expectEqual(bookInfos.map(\.coverImage?.path), [nil, nil, nil, "cosette.png"])
        }
    }

    @Test func handWrittenInitializers() throws {
        struct BookInfo: FetchableRecord {
            var book: Book
            var author: Author
            var country: Country?
            var coverImage: CoverImage?

            init(row: Row) throws {
                book = try Book(row: row)
                author = try row.decode(forKey: "author")
                country = try row.decodeIfPresent(forKey: "country")
                coverImage = try row.decodeIfPresent(forKey: "coverImage")
            }
        }
        struct AuthorInfo: FetchableRecord {
            var author: Author
            var books: [Book]

            init(row: Row) throws {
                author = try Author(row: row)
                books = try row.decode(forKey: "books")
            }
        }
        try dbQueue.read { db in
            let bookInfos: [BookInfo] = try BookInfo.fetchAll(db, request)
            expectEqual(bookInfos.map(\.country?.code), ["FR", "FR", "US", "FR"])
            expectEqual(bookInfos.map(\.coverImage?.id), [nil, nil, nil, 1])
            let authorInfos = try AuthorInfo.fetchAll(db, Author.including(all: Author.books))
            expectEqual(authorInfos.map(\.books.count), [3, 1, 0])
        }
    }

    @Test func debuggingRequestDecoding() throws {
        try dbQueue.read { db in
            let rows = try Row.fetchAll(
                db, request.filter(key: 3).select { [$0.id, $0.title] }.including(all: Book.awards))
            expectEqual(
                rows[0].debugDescription,
                """
                ▿ [id:3 title:"Moby-Dick"]
                  unadapted: [id:3 title:"Moby-Dick" id:2 name:"Melville" country:"USA" \
                homeCode:"US" code:"US" name:"United States" id:NULL bookId:NULL path:NULL]
                  - author: [id:2 name:"Melville" country:"USA" homeCode:"US"]
                    - country: [code:"US" name:"United States"]
                  - coverImage: [id:NULL bookId:NULL path:NULL]
                  + awards: 1 row
                """)
            let writers = try Row.fetchAll(
                db, Book.including(optional: Book.author.forKey("writer")))
            expectEqual(Array(writers[0].scopes.names), ["writer"])
        }
    }
}
