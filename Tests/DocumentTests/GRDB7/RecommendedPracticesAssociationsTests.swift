import GRDB
import GRDBTestSupport
import Testing

/// The associations of the page "Recommended Practices for Designing Record Types".
extension RecommendedPracticesTests {
    // MARK: - How to Use Associations

    @Test func requestsForAssociatedRecords() throws {
        let dbQueue = try makeFilledLibrary()
        let novels: [Book] = try dbQueue.read { db in
            let author = try unwrap(Author.filter { $0.name == "Albert Camus" }.fetchOne(db))
            return try author.request(for: Author.books)
                .filter(kind: .novel)
                .orderByTitle()
                .fetchAll(db)
        }
        expectEqual(novels.map(\.title), ["La Peste"])
    }

    @Test func requestMethodsThatJoin() throws {
        let dbQueue = try makeFilledLibrary()
        // Fetch all Japanese novels
        try dbQueue.read { db in
            _ = try Book.all().filter(authorCountryCode: "JP").fetchAll(db)
            try expectSQL(
                """
                SELECT "book".* FROM "book" \
                JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."countryCode" = 'JP') \
                WHERE "book"."kind" = 'novel'
                """
            ) {
                let japaneseNovels: [Book] = try Book.all()
                    .filter(kind: .novel)
                    .filter(authorCountryCode: "JP")
                    .fetchAll(db)
                expectEqual(japaneseNovels.map(\.title), ["Kokoro"])
            }
        }
    }

    // MARK: - How to Model Graphs of Objects

    // Fetch all authors along with their number of books
    struct AuthorInfo: Decodable, FetchableRecord {
        var author: Author
        var bookCount: Int
    }

    @Test func authorsWithTheirNumberOfBooks() throws {
        let dbQueue = try makeFilledLibrary()
        let authorInfos: [AuthorInfo] = try dbQueue.read { db in
            try Author
                .annotated(with: Author.books.count)
                .asRequest(of: AuthorInfo.self)
                .fetchAll(db)
        }
        let counts = Dictionary(
            uniqueKeysWithValues: authorInfos.map { ($0.author.name, $0.bookCount) })
        expectEqual(
            counts,
            [
                "émile Zola": 1, "Albert Camus": 2, "rosa Montero": 0,
                "Federico García Lorca": 1, "Natsume Sōseki": 1, "Anonymous": 0,
            ])
    }

    // Fetch the literary careers of authors of a country, sorted by name
    struct LiteraryCareer: Codable, FetchableRecord {
        var author: Author
        var books: [Book]
    }

    @Test func literaryCareers() throws {
        let dbQueue = try makeFilledLibrary()
        let careers: [LiteraryCareer] = try dbQueue.read { db in
            try Author.all()
                .filter(countryCode: "FR")
                .orderByName()
                .including(all: Author.books)
                .asRequest(of: LiteraryCareer.self)
                .fetchAll(db)
        }
        expectEqual(careers.map(\.author.name), ["Albert Camus", "émile Zola"])
        expectEqual(
            careers.map { Set($0.books.map(\.title)) },
            [["Caligula", "La Peste"], ["Germinal"]])
    }

    // Fetch all books of a country and their authors
    struct Authorship: Decodable, FetchableRecord {
        var book: Book
        var author: Author
    }

    @Test func authorships() throws {
        let dbQueue = try makeFilledLibrary()
        try dbQueue.read { db in
            let authorships: [Authorship] = try Book.all()
                .including(required: Book.author.filter(countryCode: "ES"))
                .asRequest(of: Authorship.self)
                .fetchAll(db)
            expectEqual(authorships.map(\.book.title), ["Bodas de sangre"])
            expectEqual(authorships.map(\.author.name), ["Federico García Lorca"])

            // Equivalent alternative
            let alternative = try Book.all()
                .filter(authorCountryCode: "ES")
                .including(required: Book.author)
                .asRequest(of: Authorship.self)
                .fetchAll(db)
            expectEqual(alternative.map(\.book), authorships.map(\.book))
            expectEqual(alternative.map(\.author), authorships.map(\.author))
        }
    }

    @Test func eagerLoading() throws {
        try makeFilledLibrary().read { db in
            let request = Author.all()
                .including(all: Author.books)  // <- Explicit request for books
                .asRequest(of: LiteraryCareer.self)

            // Fetch first author and its books in one stroke
            var titles: [String] = []
            if let career = try request.fetchOne(db) {
                titles.append(career.author.name)
                for book in career.books { titles.append(book.title) }
            }
            expectEqual(titles, ["émile Zola", "Germinal"])
        }
    }
}

extension RecommendedPracticesTests.Book {
    static let author = belongsTo(RecommendedPracticesTests.Author.self)
}

extension RecommendedPracticesTests.Author {
    static let books = hasMany(RecommendedPracticesTests.Book.self)
}

extension DerivableRequest<RecommendedPracticesTests.Book> {
    /// Filters books from a country
    func filter(authorCountryCode countryCode: String) -> Self {
        // Books do not have any country column. But their author has one!
        // Return books that can be joined to an author from this country:
        joining(required: RecommendedPracticesTests.Book.author.filter(countryCode: countryCode))
    }
}
