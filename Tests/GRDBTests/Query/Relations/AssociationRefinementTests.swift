import GRDBQueries
import GRDB
import GRDBTestSupport
import Testing

/// Associations that are filtered, sorted, or select other columns.
@Suite(.databases) struct AssociationRefinementTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    private let select =
        #"SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#

    // MARK: - Filters

    @Test func filters() throws {
        func expectBooks(
            _ author: BelongsToAssociation<Book, Author>, _ condition: String, _ rows: String,
            line: Int = #line
        ) throws {
            try expect(
                Book.joining(required: author),
                #"SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND "#
                    + condition, rows, line: line)
        }
        try expectBooks(
            Book.author.filter { $0.name == "Ann" }, #"("author"."name" = 'Ann')"#, "Ants | Bees")
        try expectBooks(
            Book.author.filter(Column("name") == "Ann" || Column("id") == 2),
            #"(("author"."name" = 'Ann') OR ("author"."id" = 2))"#, "Ants | Bees | Crows")
        try expectBooks(
            Book.author.filter { $0.name == "Ann" }.filter { $0.nationCode == "US" },
            #"("author"."name" = 'Ann') AND ("author"."nationCode" = 'US')"#, "")
        try expectBooks(Book.author.filter(key: 2), #"("author"."id" = 2)"#, "Crows")
        try expectBooks(Book.author.filter(id: 2), #"("author"."id" = 2)"#, "Crows")
        try expectBooks(
            Book.author.filter(keys: [1, 2]), #"("author"."id" IN (1, 2))"#, "Ants | Bees | Crows")
        try expectBooks(
            Book.author.filter(ids: [2, 3]), #"("author"."id" IN (2, 3))"#, "Crows")
        // Literals are left as they are.
        try expectBooks(
            Book.author.filter(sql: "name = ?", arguments: ["Bob"]), "(name = 'Bob')", "Crows")
        try expectBooks(
            Book.author.filter(literal: "author.name = \("Bob")"), "(author.name = 'Bob')", "Crows")
        try expectBooks(
            Book.author.filterWhenConnected { _ in Column("name") == "Bob" },
            #"("author"."name" = 'Bob')"#, "Crows")
        try expectBooks(Book.author.none(), "0", "")
        try expect(
            Book.joining(required: Book.author.all()),
            #"SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#,
            "Ants | Bees | Crows")
    }

    @Test func filtersOfOptionalAssociationsLeaveTheRows() throws {
        try expect(
            Book.including(optional: Book.author.filter { $0.name == "Bob" }),
            #"SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."name" = 'Bob')"#,
            "Ants {author: NULL} | Bees {author: NULL} | Crows {author: Bob} | Doves {author: NULL}"
        )
        try expect(
            Book.including(optional: Book.author.none()),
            #"SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON ("author"."id" = "book"."authorId") AND 0"#,
            "Ants {author: NULL} | Bees {author: NULL} | Crows {author: NULL} | Doves {author: NULL}"
        )
        // Those of the request come after the join.
        try expect(
            Book.filter { $0.year > 2003 }.including(optional: Book.author),
            #"SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" WHERE "book"."year" > 2003"#,
            "Doves {author: NULL}")
    }

    // MARK: - Orders

    @Test func orders() throws {
        let author = Book.author.order { $0.name.desc }
        let rows = "Crows {author: Bob} | Ants {author: Ann} | Bees {author: Ann}"
        try expect(
            Book.including(required: author).order { $0.year },
            select + #" ORDER BY "book"."year", "author"."name" DESC"#,
            "Ants {author: Ann} | Bees {author: Ann} | Crows {author: Bob}")
        try expect(
            Book.including(required: author.order { $0.id }),
            select + #" ORDER BY "author"."id""#)
        try expect(
            Book.including(required: Book.author.orderByPrimaryKey()),
            select + #" ORDER BY "author"."id""#)
        try expect(
            Book.including(required: Book.author).orderByPrimaryKey(),
            select + #" ORDER BY "book"."id""#)
        // reversed() and unordered() reach the joined tables.
        try expect(
            Book.including(required: author).reversed(),
            select + #" ORDER BY "author"."name" ASC"#)
        try expect(
            Book.including(required: Book.author.order { $0.name }).reversed(),
            select + #" ORDER BY "author"."name" DESC"#, rows)
        try expect(
            Book.including(required: Book.author.order { $0.name }.reversed()),
            select + #" ORDER BY "author"."name" DESC"#, rows)
        try expect(
            Book.order { $0.year }.including(required: author.reversed()).reversed(),
            select + #" ORDER BY "book"."year" DESC, "author"."name" DESC"#,
            "Crows {author: Bob} | Bees {author: Ann} | Ants {author: Ann}")
        try expect(Book.including(required: author).unordered(), select)
        try expect(
            Book.including(required: author).unordered().order { $0.id },
            select + #" ORDER BY "book"."id""#)
    }

    @Test func stableOrders() throws {
        try expect(
            Book.including(required: Book.author.order { $0.name }).withStableOrder(),
            select + #" ORDER BY "book"."id", "author"."name", "author"."id""#)
        try expect(
            Book.including(required: Book.author.order { $0.name }.withStableOrder()),
            select + #" ORDER BY "author"."name", "author"."id""#)
        try expect(
            Book.including(required: Book.author).order { $0.title.desc }.withStableOrder(),
            select + #" ORDER BY "book"."title" DESC, "book"."id", "author"."id""#,
            "Crows {author: Bob} | Bees {author: Ann} | Ants {author: Ann}")
        try expect(
            Shelf.joining(required: Shelf.copies).withStableOrder(),
            #"SELECT "shelf".* FROM "shelf" JOIN "copy" ON ("copy"."room" = "shelf"."room") AND ("copy"."number" = "shelf"."number") ORDER BY "shelf"."room", "shelf"."number", "copy"."id""#,
            "A1 | A1 | A2")
    }

    // MARK: - Selections

    @Test func selections() throws {
        func expectAuthor(
            _ author: BelongsToAssociation<Book, Author>, _ columns: String, _ row: String,
            line: Int = #line
        ) throws {
            try expect(
                Book.filter(key: 1).including(required: author),
                #"SELECT "book".*, \#(columns) FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" WHERE "book"."id" = 1"#,
                "Ants {author: \(row)}", line: line)
        }
        try expectAuthor(
            Book.author.select { $0.name }, #""author"."name""#, #"(name: "Ann")"#)
        try expectAuthor(
            Book.author.select { [$0.name, $0.id] }, #""author"."name", "author"."id""#,
            #"(name: "Ann", id: 1)"#)
        try expectAuthor(
            Book.author.select { $0.name.forKey("n") }, #""author"."name" AS "n""#,
            #"(n: "Ann")"#)
        try expectAuthor(
            Book.author.select(.allColumns(excluding: ["nationCode"])),
            #""author"."id", "author"."name""#, "Ann")
        try expectAuthor(
            Book.author.annotated { length($0.name).forKey("size") },
            #""author".*, LENGTH("author"."name") AS "size""#,
            #"(id: 1, name: "Ann", nationCode: "FR", size: 3)"#)
        try expectAuthor(
            Book.author.select(.allColumns, .rowID), #""author".*, "author"."rowid""#,
            #"(id: 1, name: "Ann", nationCode: "FR", id: 1)"#)
        // The selection of the request is another one.
        try expect(
            Book.including(required: Book.author).select { max($0.year).forKey("last") },
            #"SELECT MAX("book"."year") AS "last", "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#,
            "(last: 2003) {author: Bob}")
        // With a literal, the number of columns is what is left.
        try expectAuthor(
            Book.author.select(sql: "author.name, author.id"), "author.name, author.id",
            #"(name: "Ann", id: 1)"#)
        try expectFailure(
            Book.select(sql: "book.id").including(
                required: Book.author.select(sql: "author.name, author.id")),
            """
            SQLite error 21: Selection literals don't know how many columns they contain. To \
            resolve this error, select one or several expressions instead.
            """)
    }

    // MARK: - Groups and distinct rows

    @Test func groupsAndDistinctRowsAreNotJoined() throws {
        let grouped =
            "SQLite error 21: Can't join an association with a GROUP BY or HAVING clause"
        let distinct = "SQLite error 21: Can't join an association that selects DISTINCT rows"
        try expectFailure(Book.including(required: Book.author.distinct()), distinct)
        try expectFailure(Book.joining(optional: Book.author.group { $0.name }), grouped)
        try expectFailure(
            Book.joining(required: Book.author.having(Author.books.isEmpty)), grouped)
        try expectFailure(
            Book.including(required: Book.author.annotated(with: Author.books.count)), grouped)
        try expectFailure(Author.annotated(with: Author.books.distinct().count), distinct)

        // The request itself may be grouped, or distinct.
        try expect(
            Author.joining(required: Author.books).distinct(),
            #"SELECT DISTINCT "author".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id""#,
            "Ann | Bob")
        try expect(
            Author.joining(required: Author.books).groupByPrimaryKey(),
            #"SELECT "author".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id""#,
            "Ann | Bob")
    }
}
