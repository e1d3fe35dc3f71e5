import GRDBQueries
import GRDB
import GRDBTestSupport
import Testing

/// Aggregates of associated rows, and the columns they make.
@Suite(.databases) struct AssociationAggregateTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    enum CodingKeys: CodingKey {
        case works
    }

    /// Expects the selected expression, the name of its column, and its values for the three
    /// authors.
    private func expectColumn(
        _ aggregate: AssociationAggregate<Author>, _ expression: String, _ name: String?,
        _ values: String,
        joining join: String = #"LEFT JOIN "book" ON "book"."authorId" = "author"."id""#,
        line: Int = #line
    ) throws {
        let request = Author.select { $0.id }.annotated(with: aggregate)
        let column = name.map { #"\#(expression) AS "\#($0)""# } ?? expression
        try expect(
            request,
            #"SELECT "author"."id", \#(column) FROM "author" \#(join) GROUP BY "author"."id""#,
            line: line)
        try dbQueue.read { db in
            let rows = try Row.fetchAll(db, request.order { $0.id })
            let found = rows.map { "\($0[1] as DatabaseValue)" }.joined(separator: ", ")
            expectEqual(found, values, line: line)
        }
    }

    private let joinPrizes =
        #"LEFT JOIN "book" ON "book"."authorId" = "author"."id" LEFT JOIN "prize" ON "prize"."bookId" = "book"."id""#

    // MARK: - Aggregates and their names

    @Test func aggregates() throws {
        let books = Author.books
        try expectColumn(books.count, #"COUNT(DISTINCT "book"."id")"#, "bookCount", "2, 1, 0")
        try expectColumn(
            books.isEmpty, #"COUNT(DISTINCT "book"."id") = 0"#, "hasNoBook", "0, 0, 1")
        try expectColumn(
            books.max { $0.year }, #"MAX("book"."year")"#, "maxBookYear", "2002, 2003, NULL")
        try expectColumn(
            books.max(Column("year")), #"MAX("book"."year")"#, "maxBookYear", "2002, 2003, NULL")
        try expectColumn(
            books.min { $0.year }, #"MIN("book"."year")"#, "minBookYear", "2001, 2003, NULL")
        try expectColumn(
            books.sum { $0.year }, #"SUM("book"."year")"#, "bookYearSum", "4003, 2003, NULL")
        try expectColumn(
            books.total { $0.year }, #"TOTAL("book"."year")"#, "bookYearSum",
            "4003.0, 2003.0, 0.0")
        try expectColumn(
            books.average { $0.year }, #"AVG("book"."year")"#, "averageBookYear",
            "2001.5, 2003.0, NULL")
        try expectColumn(
            books.max(JSONColumn("year")), #"MAX("book"."year")"#, "maxBookYear",
            "2002, 2003, NULL")
        // Other expressions than columns have no name.
        try expectColumn(
            books.max { length($0.title) }, #"MAX(LENGTH("book"."title"))"#, nil, "4, 5, NULL")
        try expectColumn(
            books.sum { $0.year * $0.id }, #"SUM("book"."year" * "book"."id")"#, nil,
            "6005, 6009, NULL")
    }

    @Test func aggregatesOfTypedColumnsHaveTheSameNames() throws {
        let (year, title) = (TypedColumn<Int?>("year"), TypedColumn<String>("title"))
        let books = Author.books
        try expectColumn(
            books.max(year), #"MAX("book"."year")"#, "maxBookYear", "2002, 2003, NULL")
        try expectColumn(
            books.max { _ in year }, #"MAX("book"."year")"#, "maxBookYear", "2002, 2003, NULL")
        try expectColumn(
            books.min(year), #"MIN("book"."year")"#, "minBookYear", "2001, 2003, NULL")
        try expectColumn(
            books.min { _ in year }, #"MIN("book"."year")"#, "minBookYear", "2001, 2003, NULL")
        try expectColumn(
            books.sum(year), #"SUM("book"."year")"#, "bookYearSum", "4003, 2003, NULL")
        try expectColumn(
            books.sum { _ in year }, #"SUM("book"."year")"#, "bookYearSum", "4003, 2003, NULL")
        try expectColumn(
            books.total(year), #"TOTAL("book"."year")"#, "bookYearSum", "4003.0, 2003.0, 0.0")
        try expectColumn(
            books.total { _ in year }, #"TOTAL("book"."year")"#, "bookYearSum",
            "4003.0, 2003.0, 0.0")
        try expectColumn(
            books.average(year), #"AVG("book"."year")"#, "averageBookYear", "2001.5, 2003.0, NULL")
        try expectColumn(
            books.average { _ in year }, #"AVG("book"."year")"#, "averageBookYear",
            "2001.5, 2003.0, NULL")
        try expectColumn(
            books.max { _ in length(title) }, #"MAX(LENGTH("book"."title"))"#, nil, "4, 5, NULL")
    }

    @Test func throughAssociations() throws {
        try expectColumn(
            Author.prizes.count, #"COUNT(DISTINCT "prize"."id")"#, "prizeCount", "2, 1, 0",
            joining: joinPrizes)
        try expectColumn(
            Author.prizes.isEmpty, #"COUNT(DISTINCT "prize"."id") = 0"#, "hasNoPrize", "0, 0, 1",
            joining: joinPrizes)
        try expectColumn(
            Author.prizes.sum { $0.amount }, #"SUM("prize"."amount")"#, "prizeAmountSum",
            "150, 70, NULL", joining: joinPrizes)
        try expectColumn(
            Author.genres.count, #"COUNT(DISTINCT "genre"."id")"#, "genreCount", "2, 1, 0",
            joining:
                #"LEFT JOIN "book" ON "book"."authorId" = "author"."id" LEFT JOIN "bookGenre" ON "bookGenre"."bookId" = "book"."id" LEFT JOIN "genre" ON "genre"."id" = "bookGenre"."genreId""#
        )
    }

    @Test func names() throws {
        let count = #"COUNT(DISTINCT "book"."id")"#
        try expectColumn(Author.books.forKey("novels").count, count, "novelCount", "2, 1, 0")
        try expectColumn(Author.books.forKey("novel").count, count, "novelCount", "2, 1, 0")
        try expectColumn(
            Author.hasMany(Book.self, key: "works").count, count, "workCount", "2, 1, 0")
        try expectColumn(
            Author.books.forKey("novels").isEmpty, count + " = 0", "hasNoNovel", "0, 0, 1")
        try expectColumn(
            Author.books.forKey("novels").max { $0.year }, #"MAX("book"."year")"#, "maxNovelYear",
            "2002, 2003, NULL")
        try expectColumn(Author.books.count.forKey("n"), count, "n", "2, 1, 0")
        try expectColumn(Author.books.count.forKey(CodingKeys.works), count, "works", "2, 1, 0")
        try expectColumn(
            Author.books.max { length($0.title) }.forKey("longest"),
            #"MAX(LENGTH("book"."title"))"#, "longest", "4, 5, NULL")
        try expectColumn(Author.hasMany(Table("book")).count, count, "bookCount", "2, 1, 0")
    }

    // MARK: - Several aggregates

    @Test func aggregatesOfTheSameKeyShareTheirRows() throws {
        let sql =
            #"SELECT "author"."name", COUNT(DISTINCT "book"."id") AS "bookCount", MAX("book"."year") AS "maxBookYear" FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id""#
        let rows = """
            (name: "Ann", bookCount: 2, maxBookYear: 2002) \
            | (name: "Bob", bookCount: 1, maxBookYear: 2003) \
            | (name: "Cid", bookCount: 0, maxBookYear: NULL)
            """
        let (count, last) = (Author.books.count, Author.books.max { $0.year })
        let authors = Author.select { $0.name }
        try expect(authors.annotated(with: count, last), sql, rows)
        try expect(authors.annotated(with: [count, last]), sql, rows)
        try expect(authors.annotated(with: count).annotated(with: last), sql, rows)
        // Also filters: both count the same books.
        try expect(
            authors.annotated(with: count, Author.books.filter { $0.year > 2001 }.count),
            #"SELECT "author"."name", COUNT(DISTINCT "book"."id") AS "bookCount", COUNT(DISTINCT "book"."id") AS "bookCount" FROM "author" LEFT JOIN "book" ON ("book"."authorId" = "author"."id") AND ("book"."year" > 2001) GROUP BY "author"."id""#,
            """
            (name: "Ann", bookCount: 1, bookCount: 1) | (name: "Bob", bookCount: 1, bookCount: 1) \
            | (name: "Cid", bookCount: 0, bookCount: 0)
            """)
        try expect(
            authors.joining(required: Author.books).annotated(with: count),
            #"SELECT "author"."name", COUNT(DISTINCT "book"."id") AS "bookCount" FROM "author" JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id""#,
            #"(name: "Ann", bookCount: 2) | (name: "Bob", bookCount: 1)"#)
    }

    @Test func aggregatesOfOtherKeysAreIndependent() throws {
        // Distinct rows are counted, though each book is joined to each recent one.
        try expect(
            Author.select { $0.name }.annotated(
                with: Author.books.count,
                Author.books.filter { $0.year > 2001 }.forKey("recentBooks").count),
            #"SELECT "author"."name", COUNT(DISTINCT "book1"."id") AS "bookCount", COUNT(DISTINCT "book2"."id") AS "recentBookCount" FROM "author" LEFT JOIN "book" "book1" ON "book1"."authorId" = "author"."id" LEFT JOIN "book" "book2" ON ("book2"."authorId" = "author"."id") AND ("book2"."year" > 2001) GROUP BY "author"."id""#,
            """
            (name: "Ann", bookCount: 2, recentBookCount: 1) \
            | (name: "Bob", bookCount: 1, recentBookCount: 1) \
            | (name: "Cid", bookCount: 0, recentBookCount: 0)
            """)
        try expect(
            Club.select { $0.name }.annotated(with: Club.hostings.count, Club.visits.count),
            #"SELECT "club"."name", COUNT(DISTINCT "debate1"."id") AS "hostingCount", COUNT(DISTINCT "debate2"."id") AS "visitCount" FROM "club" LEFT JOIN "debate" "debate1" ON "debate1"."hostId" = "club"."id" LEFT JOIN "debate" "debate2" ON "debate2"."guestId" = "club"."id" GROUP BY "club"."id""#,
            """
            (name: "reds", hostingCount: 2, visitCount: 1) \
            | (name: "blues", hostingCount: 1, visitCount: 1)
            """)
        try expect(
            Book.select { $0.title }.annotated(with: Book.genres.count, Book.prizes.count),
            #"SELECT "book"."title", COUNT(DISTINCT "genre"."id") AS "genreCount", COUNT(DISTINCT "prize"."id") AS "prizeCount" FROM "book" LEFT JOIN "bookGenre" ON "bookGenre"."bookId" = "book"."id" LEFT JOIN "genre" ON "genre"."id" = "bookGenre"."genreId" LEFT JOIN "prize" ON "prize"."bookId" = "book"."id" GROUP BY "book"."id""#,
            """
            (title: "Ants", genreCount: 2, prizeCount: 2) \
            | (title: "Bees", genreCount: 0, prizeCount: 0) \
            | (title: "Crows", genreCount: 1, prizeCount: 1) \
            | (title: "Doves", genreCount: 0, prizeCount: 0)
            """)
    }

    // MARK: - Keys

    @Test func selfJoins() throws {
        try expect(
            Topic.select { $0.name }.annotated(with: Topic.children.count),
            #"SELECT "topic1"."name", COUNT(DISTINCT "topic2"."id") AS "childCount" FROM "topic" "topic1" LEFT JOIN "topic" "topic2" ON "topic2"."parentId" = "topic1"."id" GROUP BY "topic1"."id""#,
            """
            (name: "root", childCount: 2) | (name: "stem", childCount: 1) \
            | (name: "leaf", childCount: 0) | (name: "twig", childCount: 0)
            """)
    }

    @Test func rowsAreToldApartByPrimaryKeyOrRowID() throws {
        try expect(
            Shelf.annotated(with: Shelf.copies.count),
            #"SELECT "shelf".*, COUNT(DISTINCT "copy"."id") AS "copyCount" FROM "shelf" LEFT JOIN "copy" ON ("copy"."room" = "shelf"."room") AND ("copy"."number" = "shelf"."number") GROUP BY "shelf"."rowid""#,
            """
            (room: "A", number: 1, copyCount: 2) | (room: "A", number: 2, copyCount: 1) \
            | (room: "B", number: 1, copyCount: 0)
            """)
        try expect(
            Genre.annotated(with: Genre.bookGenres.count),
            #"SELECT "genre".*, COUNT(DISTINCT "bookGenre"."rowid") AS "bookGenreCount" FROM "genre" LEFT JOIN "bookGenre" ON "bookGenre"."genreId" = "genre"."id" GROUP BY "genre"."id""#,
            #"(id: 1, name: "crime", bookGenreCount: 2) | (id: 2, name: "nature", bookGenreCount: 1)"#
        )
        try expect(
            Nation.annotated(with: Nation.authors.count),
            #"SELECT "nation".*, COUNT(DISTINCT "author"."id") AS "authorCount" FROM "nation" LEFT JOIN "author" ON "author"."nationCode" = "nation"."code" GROUP BY "nation"."rowid""#,
            #"(code: "FR", name: "France", authorCount: 1) | (code: "US", name: "USA", authorCount: 1)"#
        )
    }

    @Test func tablesWithoutRowID() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE chapter (
                      bookId INTEGER REFERENCES book(id), number, title TEXT,
                      PRIMARY KEY (bookId, number)) WITHOUT ROWID;
                    -- Keys that are easily confused when they are written one after the other
                    INSERT INTO chapter VALUES
                      (1, '1', 'a'), (1, 1, 'b'), (1, '1,''2', 'c'), (1, X'31', 'd'), (2, 1, 'e');
                    CREATE TABLE code (
                      name TEXT PRIMARY KEY, authorId INTEGER REFERENCES author(id)) WITHOUT ROWID;
                    INSERT INTO code VALUES ('x', 1), ('y', 1), ('z', 2);
                    """)
        }
        let chapters = Book.hasMany(Table("chapter"))
        try expect(
            Book.select { $0.title }.annotated(with: chapters.count, Book.prizes.count),
            #"SELECT "book"."title", COUNT(DISTINCT CASE WHEN "chapter"."bookId" IS NOT NULL THEN QUOTE("chapter"."bookId") || ',' || QUOTE("chapter"."number") END) AS "chapterCount", COUNT(DISTINCT "prize"."id") AS "prizeCount" FROM "book" LEFT JOIN "chapter" ON "chapter"."bookId" = "book"."id" LEFT JOIN "prize" ON "prize"."bookId" = "book"."id" GROUP BY "book"."id""#,
            """
            (title: "Ants", chapterCount: 4, prizeCount: 2) \
            | (title: "Bees", chapterCount: 1, prizeCount: 0) \
            | (title: "Crows", chapterCount: 0, prizeCount: 1) \
            | (title: "Doves", chapterCount: 0, prizeCount: 0)
            """)
        try dbQueue.read { db in
            try expectEqual(
                Book.having(chapters.isEmpty).order { $0.id }.fetchAll(db),
                [.crows, .doves])
        }
        try expectColumn(
            Author.hasMany(Table("code")).count, #"COUNT(DISTINCT "code"."name")"#, "codeCount",
            "2, 1, 0", joining: #"LEFT JOIN "code" ON "code"."authorId" = "author"."id""#)
        // The table of the request may have no rowid, either.
        let owner = Table("chapter").hasMany(
            Table("book"), using: ForeignKey(["id"], to: ["bookId"]))
        try dbQueue.read { db in
            let rows = try Table("chapter").annotated(with: owner.count).fetchAll(db)
            expectEqual(rows.count, 5)
            expectTrue(rows.allSatisfy { $0["bookCount"] == 1 })
        }
    }

    // MARK: - Refined associations

    @Test func refinedAssociations() throws {
        let count = #"COUNT(DISTINCT "book"."id")"#
        try expectColumn(
            Author.books.filter { $0.year > 2001 }.count, count, "bookCount", "1, 1, 0",
            joining:
                #"LEFT JOIN "book" ON ("book"."authorId" = "author"."id") AND ("book"."year" > 2001)"#
        )
        try expectColumn(
            Author.books.select { $0.year }.count, count, "bookCount", "2, 1, 0")
        // Books without prize are not counted.
        try expectColumn(
            Author.books.joining(required: Book.prizes).count, count, "bookCount", "1, 1, 0",
            joining:
                #"LEFT JOIN ("book" JOIN "prize" ON "prize"."bookId" = "book"."id") ON "book"."authorId" = "author"."id""#
        )
        let alias = TableAlias<Book>(name: "b")
        try expectColumn(
            Author.books.aliased(alias).max(alias[Column("year")]), #"MAX("b"."year")"#, nil,
            "2002, 2003, NULL", joining: #"LEFT JOIN "book" "b" ON "b"."authorId" = "author"."id""#)
    }
}
