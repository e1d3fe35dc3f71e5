import GRDBQueries
import GRDB
import GRDBTestSupport
import Testing

/// Aggregates in conditions, and the operators of aggregates.
@Suite(.databases) struct AggregateConditionTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    private let count = #"COUNT(DISTINCT "book"."id")"#
    private let joinBooks = #"LEFT JOIN "book" ON "book"."authorId" = "author"."id""#
    private let joinPrizes =
        #"LEFT JOIN "book" ON "book"."authorId" = "author"."id" LEFT JOIN "prize" ON "prize"."bookId" = "book"."id""#

    /// Expects the condition on groups, and the authors who meet it.
    private func expectAuthors(
        _ predicate: AssociationAggregate<Author>, _ condition: String, _ authors: String,
        joining join: String? = nil, line: Int = #line
    ) throws {
        try expect(
            Author.having(predicate),
            #"SELECT "author".* FROM "author" \#(join ?? joinBooks) GROUP BY "author"."id" HAVING \#(condition)"#,
            authors, line: line)
    }

    // MARK: - Conditions

    @Test func emptiness() throws {
        let isEmpty = Author.books.isEmpty
        try expectAuthors(isEmpty, "\(count) = 0", "Cid")
        try expectAuthors(!isEmpty, "\(count) > 0", "Ann | Bob")
        try expectAuthors(!(!isEmpty), "\(count) = 0", "Cid")
        try expectAuthors(isEmpty == true, "\(count) = 0", "Cid")
        try expectAuthors(isEmpty == false, "\(count) > 0", "Ann | Bob")
        try expectAuthors(isEmpty != true, "\(count) > 0", "Ann | Bob")
        try expectAuthors(isEmpty != false, "\(count) = 0", "Cid")
        try expectAuthors(
            Author.books.filter { $0.year < 2002 }.isEmpty, "\(count) = 0", "Bob | Cid",
            joining:
                #"LEFT JOIN "book" ON ("book"."authorId" = "author"."id") AND ("book"."year" < 2002)"#
        )
        try expectAuthors(
            Author.prizes.isEmpty, #"COUNT(DISTINCT "prize"."id") = 0"#, "Cid", joining: joinPrizes)
    }

    @Test func comparisons() throws {
        let books = Author.books.count
        try expectAuthors(books == 2, "\(count) = 2", "Ann")
        try expectAuthors(books != 2, "\(count) <> 2", "Bob | Cid")
        try expectAuthors(books > 1, "\(count) > 1", "Ann")
        try expectAuthors(books >= 1, "\(count) >= 1", "Ann | Bob")
        try expectAuthors(books < 1, "\(count) < 1", "Cid")
        try expectAuthors(books <= 1, "\(count) <= 1", "Bob | Cid")
        try expectAuthors(2 == books, "2 = \(count)", "Ann")
        try expectAuthors(2 != books, "2 <> \(count)", "Bob | Cid")
        try expectAuthors(1 < books, "1 < \(count)", "Ann")
        try expectAuthors(1 <= books, "1 <= \(count)", "Ann | Bob")
        try expectAuthors(1 > books, "1 > \(count)", "Cid")
        try expectAuthors(1 >= books, "1 >= \(count)", "Bob | Cid")
        try expectAuthors(books === 1, "\(count) IS 1", "Bob")
        try expectAuthors(books !== 1, "\(count) IS NOT 1", "Ann | Cid")
        let last = Author.books.max { $0.year }
        try expectAuthors(last == nil, #"MAX("book"."year") IS NULL"#, "Cid")
        try expectAuthors(last != nil, #"MAX("book"."year") IS NOT NULL"#, "Ann | Bob")
        try expectAuthors(
            last > Author.books.min { $0.year }, #"MAX("book"."year") > MIN("book"."year")"#, "Ann")
        try expectAuthors(
            books == Author.prizes.count, #"\#(count) = COUNT(DISTINCT "prize"."id")"#,
            "Ann | Bob | Cid", joining: joinPrizes)
        try expectAuthors(!(books == 1), "\(count) <> 1", "Ann | Cid")
        try expectAuthors(!(books > 1), "NOT (\(count) > 1)", "Bob | Cid")
    }

    @Test func logic() throws {
        let books = Author.books.count
        let isEmpty = Author.books.isEmpty
        try expectAuthors(
            books > 1 && Author.books.max { $0.year } > 2000,
            #"(\#(count) > 1) AND (MAX("book"."year") > 2000)"#, "Ann")
        try expectAuthors(books > 1 || isEmpty, "(\(count) > 1) OR (\(count) = 0)", "Ann | Cid")
        try expectAuthors(
            isEmpty && Author.prizes.isEmpty,
            #"(\#(count) = 0) AND (COUNT(DISTINCT "prize"."id") = 0)"#, "Cid", joining: joinPrizes)
        // With other expressions
        try expectAuthors(
            books > 0 && Column("name") == "Ann", #"(\#(count) > 0) AND ("author"."name" = 'Ann')"#,
            "Ann")
        try expectAuthors(
            Column("name") == "Bob" && books > 0, #"("author"."name" = 'Bob') AND (\#(count) > 0)"#,
            "Bob")
        try expectAuthors(
            books > 1 || Column("name") == "Cid", #"(\#(count) > 1) OR ("author"."name" = 'Cid')"#,
            "Ann | Cid")
        try expect(
            Author.having(books > 0).having(books < 2),
            #"SELECT "author".* FROM "author" \#(joinBooks) GROUP BY "author"."id" HAVING (\#(count) > 0) AND (\#(count) < 2)"#,
            "Bob")
    }

    // MARK: - Computed aggregates

    private func expectColumn(
        _ aggregate: AssociationAggregate<Author>, _ column: String, _ values: String,
        joining join: String? = nil, line: Int = #line
    ) throws {
        let request = Author.select { $0.id }.annotated(with: aggregate)
        try expect(
            request,
            #"SELECT "author"."id", \#(column) FROM "author" \#(join ?? joinBooks) GROUP BY "author"."id""#,
            line: line)
        try dbQueue.read { db in
            let rows = try Row.fetchAll(db, request.order { $0.id })
            let found = rows.map { "\($0[1] as DatabaseValue)" }.joined(separator: ", ")
            expectEqual(found, values, line: line)
        }
    }

    @Test func arithmetic() throws {
        let books = Author.books.count
        let (first, last) = (Author.books.min { $0.year }, Author.books.max { $0.year })
        try expectColumn(books + 1, "\(count) + 1", "3, 2, 1")
        try expectColumn(1 + books, "1 + \(count)", "3, 2, 1")
        try expectColumn(books - 1, "\(count) - 1", "1, 0, -1")
        try expectColumn(1 - books, "1 - \(count)", "-1, 0, 1")
        try expectColumn(books * 2, "\(count) * 2", "4, 2, 0")
        try expectColumn(2 * books, "2 * \(count)", "4, 2, 0")
        try expectColumn(books / 2, "\(count) / 2", "1, 0, 0")
        try expectColumn(4 / books, "4 / \(count)", "2, 4, NULL")
        try expectColumn(-books, "-\(count)", "-2, -1, 0")
        try expectColumn(last - first, #"MAX("book"."year") - MIN("book"."year")"#, "1, 0, NULL")
        try expectColumn(
            last + first, #"MAX("book"."year") + MIN("book"."year")"#, "4003, 4006, NULL")
        try expectColumn(last / first, #"MAX("book"."year") / MIN("book"."year")"#, "1, 1, NULL")
        try expectColumn(
            last * first, #"MAX("book"."year") * MIN("book"."year")"#, "4006002, 4012009, NULL")
        try expectColumn(
            books + Author.prizes.count, #"\#(count) + COUNT(DISTINCT "prize"."id")"#, "4, 2, 0",
            joining: joinPrizes)
        try expectAuthors(
            books * 2 - 1 > Author.books.count, "((\(count) * 2) - 1) > \(count)", "Ann")
    }

    @Test func defaultValues() throws {
        // The name stays.
        try expectColumn(
            Author.books.max { $0.year } ?? 0,
            #"IFNULL(MAX("book"."year"), 0) AS "maxBookYear""#, "2002, 2003, 0")
        try expectColumn(
            (Author.books.max { $0.year } ?? 0).forKey("last"),
            #"IFNULL(MAX("book"."year"), 0) AS "last""#, "2002, 2003, 0")
        try expectColumn(
            Author.books.max { $0.year } ?? Column("id"),
            #"IFNULL(MAX("book"."year"), "author"."id") AS "maxBookYear""#, "2002, 2003, 3")
        try expectAuthors(
            Author.books.average { $0.year } ?? 3000 > 2002,
            #"IFNULL(AVG("book"."year"), 3000) > 2002"#, "Bob | Cid")
    }

    @Test func functions() throws {
        try expectColumn(
            abs(Author.books.sum { $0.year }), #"ABS(SUM("book"."year"))"#, "4003, 2003, NULL")
        try expectColumn(
            length(Author.books.max { $0.title }), #"LENGTH(MAX("book"."title"))"#, "4, 5, NULL")
        try expectColumn(
            cast(Author.books.count, as: .text), #"CAST(\#(count) AS TEXT) AS "bookCount""#,
            #""2", "1", "0""#)
    }

    @Test func computedAggregatesHaveNoName() throws {
        try expectColumn(!Author.books.isEmpty, "\(count) > 0", "1, 1, 0")
        try expectColumn(Author.books.count > 1, "\(count) > 1", "1, 0, 0")
        try expectColumn(Author.books.count.forKey("n") > 1, "\(count) > 1", "1, 0, 0")
        try expectColumn(
            (Author.books.count + 1).forKey("n"), #"\#(count) + 1 AS "n""#, "3, 2, 1")
    }

    // MARK: - With other clauses

    @Test func otherClauses() throws {
        let sql = #"SELECT "author"."name", \#(count) AS "bookCount" FROM "author" \#(joinBooks)"#
        let authors = Author.select { $0.name }.annotated(with: Author.books.count)
        try expect(
            authors.filter { $0.name > "Ann" },
            sql + #" WHERE "author"."name" > 'Ann' GROUP BY "author"."id""#,
            #"(name: "Bob", bookCount: 1) | (name: "Cid", bookCount: 0)"#)
        try expect(
            authors.filter(key: 1), sql + #" WHERE "author"."id" = 1 GROUP BY "author"."id""#,
            #"(name: "Ann", bookCount: 2)"#)
        try expect(
            authors.order(Column("bookCount").detached),
            sql + #" GROUP BY "author"."id" ORDER BY "bookCount""#,
            #"(name: "Cid", bookCount: 0) | (name: "Bob", bookCount: 1) | (name: "Ann", bookCount: 2)"#
        )
        try expect(
            authors.order(Column("bookCount").detached.desc).limit(1),
            sql + #" GROUP BY "author"."id" ORDER BY "bookCount" DESC LIMIT 1"#,
            #"(name: "Ann", bookCount: 2)"#)
        try expect(
            authors.having(Column("bookCount").detached > 1),
            sql + #" GROUP BY "author"."id" HAVING "bookCount" > 1"#,
            #"(name: "Ann", bookCount: 2)"#)
        // The last group wins.
        try expect(
            authors.group { $0.nationCode == nil },
            sql + #" GROUP BY "author"."nationCode" IS NULL"#)
        try expect(
            Author.select { $0.name }.group { $0.nationCode }.annotated(with: Author.books.count),
            sql + #" GROUP BY "author"."id""#)
        try expect(
            Author.annotated(with: Author.books.count).including(optional: Author.nation)
                .select { $0.name },
            #"SELECT "author"."name", "nation".* FROM "author" \#(joinBooks) LEFT JOIN "nation" ON "nation"."code" = "author"."nationCode" GROUP BY "author"."id""#,
            #"(name: "Ann") {nation: FR} | (name: "Bob") {nation: US} | (name: "Cid") {nation: NULL}"#
        )
    }
}
