import GRDB
import GRDBTestSupport
import Testing

/// The chapter of the Associations guide on association aggregates.
@Suite(.databases) struct AssociationsGuideAggregatesTests: AssociationsGuideSuite {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try AssociationsGuide.makeQueue()
    }

    private let join = "LEFT JOIN book ON book.authorId = author.id"
    private let joinPaintings =
        "LEFT JOIN book ON book.authorId = author.id LEFT JOIN painting ON painting.authorId = author.id"

    @Test func aggregatesOfASingleRecord() throws {
        try dbQueue.read { db in
            let author = try Author.find(db, key: 1)

            // The number of books by this author
            let bookCount = try author.books.fetchCount(db)  // Int
            expectEqual(bookCount, 3)

            // The year of the most recent book by this author
            let request = author.books.select { max($0.year) }
            let maxBookYear = try Int.fetchOne(db, request)  // Int?
            expectEqual(maxBookYear, 1862)
        }
    }

    @Test func lazyAndProductiveAuthors() throws {
        try dbQueue.read { db in
            let lazyAuthors =
                try Author
                .having(Author.books.isEmpty)
                .fetchAll(db)  // [Author]
            expectEqual(lazyAuthors.map(\.name), ["Quiet"])

            let productiveAuthors: [Author] =
                try Author
                .having(Author.books.isEmpty == false)
                .fetchAll(db)  // [Author]
            expectEqual(productiveAuthors.map(\.name), ["Hugo", "Melville"])
        }
    }

    @Test func annotatingARequest() throws {
        struct AuthorInfo: Decodable, FetchableRecord {
            var author: Author
            var bookCount: Int
            var maxBookYear: Int?
        }
        let request = Author.annotated(
            with:
                Author.books.count,
            Author.books.max(\.year))
        try expect(
            request,
            """
            SELECT author.*, COUNT(DISTINCT book.id) AS bookCount, MAX(book.year) AS maxBookYear \
            FROM author \(join) GROUP BY author.id
            """)
        try dbQueue.read { db in
            let authorInfos: [AuthorInfo] = try AuthorInfo.fetchAll(db, request)
            expectEqual(authorInfos.map(\.bookCount), [3, 1, 0])
            expectEqual(authorInfos.map(\.maxBookYear), [1862, 1851, nil])
        }
    }

    @Test func defaultNames() throws {
        try dbQueue.read { db in
            let books = Author.books
            let row = try unwrap(
                Row.fetchOne(
                    db,
                    Author.select(\.id).annotated(
                        with: books.isEmpty, books.count, books.min(\.year), books.max(\.year),
                        books.average(\.year), books.sum(\.year), books.total(\.year))))
            expectEqual(
                Array(row.columnNames),
                [
                    "id", "hasNoBook", "bookCount", "minBookYear", "maxBookYear",
                    "averageBookYear", "bookYearSum", "bookYearSum",
                ])
        }
    }

    @Test func givenNames() throws {
        struct AuthorInfo: Decodable, FetchableRecord {
            enum CodingKeys: CodingKey {
                case author, numberOfBooks, hasBooks, workCount
            }
            var author: Author
            var numberOfBooks: Int
            var hasBooks: Bool
            var workCount: Int

            static func all() -> QueryInterfaceRequest<AuthorInfo> {
                let numberOfBooks = Author.books.count.forKey(CodingKeys.numberOfBooks)
                let hasBooks = (Author.books.isEmpty == false).forKey("hasBooks")
                let workCount = (Author.books.count + Author.paintings.count).forKey("workCount")
                return
                    Author
                    .annotated(with: numberOfBooks, hasBooks, workCount)
                    .asRequest(of: AuthorInfo.self)
            }
        }
        try dbQueue.read { db in
            let authorInfos: [AuthorInfo] = try AuthorInfo.all().fetchAll(db)
            expectEqual(authorInfos.map(\.numberOfBooks), [3, 1, 0])
            expectEqual(authorInfos.map(\.hasBooks), [true, true, false])
            expectEqual(authorInfos.map(\.workCount), [4, 1, 1])
        }
    }

    @Test func filteringARequest() throws {
        func expectHaving(
            _ predicate: AssociationAggregate<Author>, _ condition: String, _ names: [String],
            joining join: String? = nil, line: Int = #line
        ) throws {
            let request = Author.having(predicate)
            try expect(
                request,
                "SELECT author.* FROM author \(join ?? self.join) GROUP BY author.id HAVING \(condition)",
                line: line)
            try dbQueue.read { db in
                try expectEqual(request.order(\.id).fetchAll(db).map(\.name), names, line: line)
            }
        }
        try expectHaving(Author.books.isEmpty, "COUNT(DISTINCT book.id) = 0", ["Quiet"])
        try expectHaving(
            Author.books.isEmpty == false, "COUNT(DISTINCT book.id) > 0", ["Hugo", "Melville"])
        try expectHaving(Author.books.count >= 2, "COUNT(DISTINCT book.id) >= 2", ["Hugo"])
        try expectHaving(Author.books.max(\.year) >= 1860, "MAX(book.year) >= 1860", ["Hugo"])
        let novels = Author.books.filter { $0.kind == "theatrePlay" }
        try expectHaving(
            novels.isEmpty == false, "COUNT(DISTINCT book.id) > 0", ["Hugo"],
            joining:
                "LEFT JOIN book ON (book.authorId = author.id) AND (book.kind = 'theatrePlay')")
        try expectHaving(
            Author.books.count > Author.paintings.count,
            "COUNT(DISTINCT book.id) > COUNT(DISTINCT painting.id)", ["Hugo", "Melville"],
            joining: joinPaintings)
        try expectHaving(
            Author.books.isEmpty && !Author.paintings.isEmpty,
            "(COUNT(DISTINCT book.id) = 0) AND (COUNT(DISTINCT painting.id) > 0)", ["Quiet"],
            joining: joinPaintings)
    }

    @Test func aggregateOperations() throws {
        let workCount = Author.books.count + Author.paintings.count
        try expect(
            Author.annotated(with: workCount.forKey("workCount")),
            """
            SELECT author.*, COUNT(DISTINCT book.id) + COUNT(DISTINCT painting.id) AS workCount \
            FROM author \(joinPaintings) GROUP BY author.id
            """)
        try expect(
            Author.annotated(with: Author.books.min(\.year) ?? 0),
            "SELECT author.*, IFNULL(MIN(book.year), 0) AS minBookYear FROM author \(join) GROUP BY author.id"
        )
        try expect(
            Author.annotated(with: abs(Author.books.max(\.year))),
            "SELECT author.*, ABS(MAX(book.year)) FROM author \(join) GROUP BY author.id")
    }

    @Test func isolationOfMultipleAggregates() throws {
        struct AuthorInfo: Decodable, FetchableRecord {
            var author: Author
            var novelCount: Int
            var theatrePlayCount: Int
        }
        let novelCount = Author.books
            .filter { $0.kind == "novel" }
            .forKey("novels")  // association key "novels"
            .count
        let theatrePlayCount = Author.books
            .filter { $0.kind == "theatrePlay" }
            .forKey("theatrePlays")  // association key "theatrePlays"
            .count
        let request = Author.annotated(with: novelCount, theatrePlayCount)
        try expect(
            request,
            """
            SELECT author.*, COUNT(DISTINCT book1.id) AS novelCount, \
            COUNT(DISTINCT book2.id) AS theatrePlayCount FROM author \
            LEFT JOIN book book1 ON (book1.authorId = author.id) AND (book1.kind = 'novel') \
            LEFT JOIN book book2 ON (book2.authorId = author.id) AND (book2.kind = 'theatrePlay') \
            GROUP BY author.id
            """)
        try dbQueue.read { db in
            let authorInfos: [AuthorInfo] = try AuthorInfo.fetchAll(db, request)
            expectEqual(authorInfos.map(\.novelCount), [2, 1, 0])
            expectEqual(authorInfos.map(\.theatrePlayCount), [1, 0, 0])

            // WRONG: not counting distinct sets of associated books
            let wrongRequest = Author.annotated(
                with: Author.books.filter { $0.kind == "novel" }.count.forKey("novelCount"),
                Author.books.filter { $0.kind == "theatrePlay" }.count.forKey("theatrePlayCount"))
            let wrongInfos: [AuthorInfo] = try AuthorInfo.fetchAll(db, wrongRequest)
            expectEqual(wrongInfos.map(\.novelCount), [0, 0, 0])
            expectEqual(wrongInfos.map(\.theatrePlayCount), [0, 0, 0])
        }
    }
}
