import GRDB
import GRDBTestSupport
import Testing

/// Prefetched associations that are filtered, sorted, grouped, or select other columns.
@Suite(.databases) struct PrefetchRefinementTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    /// Expects the second statement of authors and their books.
    private func expectBooks(
        _ books: HasManyAssociation<Author, Book>, _ sql: String, _ rows: String, line: Int = #line
    ) throws {
        try expect(
            Author.including(all: books), #"SELECT * FROM "author""# + "\n" + sql, rows, line: line)
    }

    @Test func filters() throws {
        try expectBooks(
            Author.books.filter { $0.year > 2001 },
            #"SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE ("year" > 2001) AND ("authorId" IN (1, 2, 3))"#,
            "Ann {books: [Bees]} | Bob {books: [Crows]} | Cid {books: []}")
        try expectBooks(
            Author.books.filter(keys: [1, 3]),
            #"SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE ("id" IN (1, 3)) AND ("authorId" IN (1, 2, 3))"#,
            "Ann {books: [Ants]} | Bob {books: [Crows]} | Cid {books: []}")
        try expectBooks(
            Author.books.filter(sql: "year = ? OR year = ?", arguments: [2001, 2003]),
            #"SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE (year = 2001 OR year = 2003) AND ("authorId" IN (1, 2, 3))"#,
            "Ann {books: [Ants]} | Bob {books: [Crows]} | Cid {books: []}")
        try expectBooks(
            Author.books.none(),
            #"SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE 0 AND ("authorId" IN (1, 2, 3))"#,
            "Ann {books: []} | Bob {books: []} | Cid {books: []}")
    }

    @Test func orders() throws {
        let sql =
            #"SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)"#
        let reversed = "Ann {books: [Bees, Ants]} | Bob {books: [Crows]} | Cid {books: []}"
        try expectBooks(
            Author.books.order { $0.year.desc }, sql + #" ORDER BY "year" DESC"#, reversed)
        try expectBooks(
            Author.books.order { $0.year }.reversed(), sql + #" ORDER BY "year" DESC"#, reversed)
        try expectBooks(
            Author.books.orderByPrimaryKey(), sql + #" ORDER BY "id""#,
            "Ann {books: [Ants, Bees]} | Bob {books: [Crows]} | Cid {books: []}")
        try expectBooks(
            Author.books.withStableOrder(), sql + #" ORDER BY "id""#,
            "Ann {books: [Ants, Bees]} | Bob {books: [Crows]} | Cid {books: []}")
        // The order of the request is another one.
        try expect(
            Author.order { $0.name.desc }.including(all: Author.books.order { $0.title.desc }),
            #"""
            SELECT * FROM "author" ORDER BY "name" DESC
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3) ORDER BY "title" DESC
            """#,
            "Cid {books: []} | Bob {books: [Crows]} | Ann {books: [Bees, Ants]}")
        try expect(
            Author.including(all: Author.books.order { $0.title }).reversed().unordered(),
            #"""
            SELECT * FROM "author"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
            """#,
            "Ann {books: [Ants, Bees]} | Bob {books: [Crows]} | Cid {books: []}")
    }

    @Test func selections() throws {
        try expectBooks(
            Author.books.select { [$0.title, $0.year] },
            #"SELECT "title", "year", "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)"#,
            """
            Ann {books: [(title: "Ants", year: 2001), (title: "Bees", year: 2002)]} \
            | Bob {books: [(title: "Crows", year: 2003)]} | Cid {books: []}
            """)
        try expectBooks(
            Author.books.select { $0.authorId },
            #"SELECT "authorId", "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)"#,
            "Ann {books: [(authorId: 1), (authorId: 1)]} | Bob {books: [(authorId: 2)]} | Cid {books: []}"
        )
        try expectBooks(
            Author.books.select(.allColumns(excluding: ["authorId", "year"])),
            #"SELECT "id", "title", "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)"#,
            """
            Ann {books: [(id: 1, title: "Ants"), (id: 2, title: "Bees")]} \
            | Bob {books: [(id: 3, title: "Crows")]} | Cid {books: []}
            """)
        // The column that tells the author is the last one, also if a book has one of that name.
        try expectBooks(
            Author.books.select { ($0.authorId + 1).forKey("grdb_authorId") },
            #"SELECT "authorId" + 1 AS "grdb_authorId", "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)"#,
            "Ann {books: [(), ()]} | Bob {books: [()]} | Cid {books: []}")
        try expectBooks(
            Author.books.select(sql: "title AS t, year AS y"),
            #"SELECT title AS t, year AS y, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)"#,
            """
            Ann {books: [(t: "Ants", y: 2001), (t: "Bees", y: 2002)]} \
            | Bob {books: [(t: "Crows", y: 2003)]} | Cid {books: []}
            """)
    }

    @Test func groups() throws {
        try expectBooks(
            Author.books.annotated(with: Book.prizes.count).select { $0.title },
            #"SELECT "book"."title", "book"."authorId" AS "grdb_authorId" FROM "book" LEFT JOIN "prize" ON "prize"."bookId" = "book"."id" WHERE "book"."authorId" IN (1, 2, 3) GROUP BY "book"."id""#,
            """
            Ann {books: [(title: "Ants"), (title: "Bees")]} | Bob {books: [(title: "Crows")]} \
            | Cid {books: []}
            """)
        try expectBooks(
            Author.books.select { $0.title }.annotated(with: Book.prizes.count),
            #"SELECT "book"."title", COUNT(DISTINCT "prize"."id") AS "prizeCount", "book"."authorId" AS "grdb_authorId" FROM "book" LEFT JOIN "prize" ON "prize"."bookId" = "book"."id" WHERE "book"."authorId" IN (1, 2, 3) GROUP BY "book"."id""#,
            """
            Ann {books: [(title: "Ants", prizeCount: 2), (title: "Bees", prizeCount: 0)]} \
            | Bob {books: [(title: "Crows", prizeCount: 1)]} | Cid {books: []}
            """)
        try expectBooks(
            Author.books.having(Book.prizes.isEmpty),
            #"SELECT "book".*, "book"."authorId" AS "grdb_authorId" FROM "book" LEFT JOIN "prize" ON "prize"."bookId" = "book"."id" WHERE "book"."authorId" IN (1, 2, 3) GROUP BY "book"."id" HAVING COUNT(DISTINCT "prize"."id") = 0"#,
            "Ann {books: [Bees]} | Bob {books: []} | Cid {books: []}")
        try expectBooks(
            Author.books.select { [$0.year > 2001, count($0.id).forKey("n")] }
                .group { [$0.authorId, $0.year > 2001] },
            #"SELECT "year" > 2001, COUNT("id") AS "n", "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3) GROUP BY "authorId", "year" > 2001"#,
            """
            Ann {books: [("year" > ?: 0, n: 1), ("year" > ?: 1, n: 1)]} \
            | Bob {books: [("year" > ?: 1, n: 1)]} | Cid {books: []}
            """)
        try expectBooks(
            Author.books.select { $0.authorId.forKey("author") }.distinct(),
            #"SELECT DISTINCT "authorId" AS "author", "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)"#,
            "Ann {books: [(author: 1)]} | Bob {books: [(author: 2)]} | Cid {books: []}")
        // Without groups, an aggregate makes one row of all books. Whose, SQLite tells.
        try expectBooks(
            Author.books.select { max($0.year).forKey("last") },
            #"SELECT MAX("year") AS "last", "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)"#,
            "Ann {books: []} | Bob {books: [(last: 2003)]} | Cid {books: []}")
    }

    @Test func aggregatesBesidePrefetches() throws {
        try expect(
            Author.annotated(with: Author.books.count).including(all: Author.books),
            #"""
            SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount" FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
            """#,
            """
            (id: 1, name: "Ann", nationCode: "FR", bookCount: 2) {books: [Ants, Bees]} \
            | (id: 2, name: "Bob", nationCode: "US", bookCount: 1) {books: [Crows]} \
            | (id: 3, name: "Cid", nationCode: NULL, bookCount: 0) {books: []}
            """)
        try expect(
            Author.having(Author.books.count == 1).including(all: Author.books),
            #"""
            SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id" HAVING COUNT(DISTINCT "book"."id") = 1
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" = 2
            """#,
            "Bob {books: [Crows]}")
    }

    @Test func manyAssociations() throws {
        try expect(
            Book.including(all: Book.genres).including(all: Book.prizes).including(
                optional: Book.author.including(
                    all: Author.books.including(all: Book.prizes))),
            #"""
            SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId"
            SELECT "genre".*, "bookGenre"."bookId" AS "grdb_bookId" FROM "genre" JOIN "bookGenre" ON ("bookGenre"."genreId" = "genre"."id") AND ("bookGenre"."bookId" IN (1, 2, 3, 4))
            SELECT *, "bookId" AS "grdb_bookId" FROM "prize" WHERE "bookId" IN (1, 2, 3, 4)
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2)
            SELECT *, "bookId" AS "grdb_bookId" FROM "prize" WHERE "bookId" IN (1, 2, 3)
            """#,
            """
            Ants {author: Ann {books: [Ants {prizes: [gold, iron]}, Bees {prizes: []}]}, \
            genres: [crime, nature], prizes: [gold, iron]} \
            | Bees {author: Ann {books: [Ants {prizes: [gold, iron]}, Bees {prizes: []}]}, \
            genres: [], prizes: []} \
            | Crows {author: Bob {books: [Crows {prizes: [lead]}]}, genres: [crime], prizes: [lead]} \
            | Doves {author: NULL {books: []}, genres: [], prizes: []}
            """)
        try expect(
            Author.filter(key: 1).including(all: Author.books).including(all: Author.prizes)
                .including(all: Author.books.filter { $0.year > 2001 }.forKey("recentBooks")),
            #"""
            SELECT * FROM "author" WHERE "id" = 1
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" = 1
            SELECT "prize".*, "book"."authorId" AS "grdb_authorId" FROM "prize" JOIN "book" ON ("book"."id" = "prize"."bookId") AND ("book"."authorId" = 1)
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE ("year" > 2001) AND ("authorId" = 1)
            """#,
            "Ann {books: [Ants, Bees], prizes: [gold, iron], recentBooks: [Bees]}")
    }

    // MARK: - Orders of the whole request

    @Test func stableOrderReachesAllLevels() throws {
        try expect(
            Author.including(all: Author.books).withStableOrder(),
            #"""
            SELECT * FROM "author" ORDER BY "id"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3) ORDER BY "id"
            """#,
            "Ann {books: [Ants, Bees]} | Bob {books: [Crows]} | Cid {books: []}")
        try expect(
            Author.including(all: Author.books.order { $0.year.desc }.including(all: Book.prizes))
                .withStableOrder(),
            #"""
            SELECT * FROM "author" ORDER BY "id"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3) ORDER BY "year" DESC, "id"
            SELECT *, "bookId" AS "grdb_bookId" FROM "prize" WHERE "bookId" IN (1, 2, 3) ORDER BY "id"
            """#)
        // Tables on the way are sorted, too.
        try expect(
            Author.including(all: Author.prizes).withStableOrder(),
            #"""
            SELECT * FROM "author" ORDER BY "id"
            SELECT "prize".*, "book"."authorId" AS "grdb_authorId" FROM "prize" JOIN "book" ON ("book"."id" = "prize"."bookId") AND ("book"."authorId" IN (1, 2, 3)) ORDER BY "prize"."id", "book"."id"
            """#)
        // What is prefetched for joined rows, and joined to prefetched ones
        try expect(
            Book.including(required: Book.author.including(all: Author.books)).withStableOrder(),
            #"""
            SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."id", "author"."id"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2) ORDER BY "id"
            """#)
        try expect(
            Author.including(all: Author.books.joining(optional: Book.prizes)).withStableOrder(),
            #"""
            SELECT * FROM "author" ORDER BY "id"
            SELECT "book".*, "book"."authorId" AS "grdb_authorId" FROM "book" LEFT JOIN "prize" ON "prize"."bookId" = "book"."id" WHERE "book"."authorId" IN (1, 2, 3) ORDER BY "book"."id", "prize"."id"
            """#)
        // Associations that come later keep their order.
        try expect(
            Author.all().withStableOrder().including(all: Author.books),
            #"""
            SELECT * FROM "author" ORDER BY "id"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
            """#)
        // An association with a stable order has its own levels.
        try expect(
            Author.including(all: Author.books.including(all: Book.prizes).withStableOrder()),
            #"""
            SELECT * FROM "author"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3) ORDER BY "id"
            SELECT *, "bookId" AS "grdb_bookId" FROM "prize" WHERE "bookId" IN (1, 2, 3) ORDER BY "id"
            """#)
    }

    @Test func reversedOrderIsThatOfTheRequest() throws {
        try expect(
            Author.including(all: Author.books).withStableOrder().reversed(),
            #"""
            SELECT * FROM "author" ORDER BY "id" DESC
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3) ORDER BY "id"
            """#)
    }

    @Test func unorderedReachesAllLevels() throws {
        let books = Author.books.order { $0.title }.including(all: Book.prizes.order { $0.name })
        try expect(
            Author.including(all: books).withStableOrder().unordered(),
            #"""
            SELECT * FROM "author"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
            SELECT *, "bookId" AS "grdb_bookId" FROM "prize" WHERE "bookId" IN (1, 2, 3)
            """#)
    }

    @Test func stableOrderIsFetchedOnPools() throws {
        let pool = try TestDatabases.makePool()
        try pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE a (id INTEGER PRIMARY KEY);
                    CREATE TABLE b (id INTEGER PRIMARY KEY, aId REFERENCES a, n);
                    CREATE INDEX i ON b(aId, n);
                    INSERT INTO a VALUES (1);
                    INSERT INTO b VALUES (1, 1, 9), (2, 1, 5), (3, 1, 7);
                    """)
        }
        let request = Table("a").all()
            .including(all: Table("a").hasMany(Table("b"), key: "bs")).withStableOrder()
        let row = try pool.read { try Row.fetchOne($0, request) }
        expectEqual(row?.prefetchedRows["bs"]?.map { $0["id"] as Int }, [1, 2, 3])
    }

    /// Filters on one pivot are those of their association.
    @Test func associationsThroughOnePivotKeepTheirFilters() throws {
        let old = Author.books.filter { $0.year < 2002 }
        let new = Author.books.filter { $0.year >= 2002 }
        let oldPrizes = Author.hasMany(Prize.self, through: old, using: Book.prizes)
        let newGenres = Author.hasMany(Genre.self, through: new, using: Book.genres)
        for request in [
            Author.including(all: oldPrizes).including(all: newGenres),
            Author.including(all: newGenres).including(all: oldPrizes),
        ] {
            let rows = try dbQueue.read { try Row.fetchAll($0, request) }
            let both = try dbQueue.read { db in
                try [
                    Row.fetchAll(db, Author.including(all: oldPrizes)),
                    Row.fetchAll(db, Author.including(all: newGenres)),
                ]
            }
            for (index, row) in rows.enumerated() {
                expectEqual(row.prefetchedRows["prizes"], both[0][index].prefetchedRows["prizes"])
                expectEqual(row.prefetchedRows["genres"], both[1][index].prefetchedRows["genres"])
            }
            expectEqual(rows[0].prefetchedRows["prizes"]?.isEmpty, false)
            expectEqual(rows[1].prefetchedRows["genres"]?.isEmpty, false)
        }
    }
}
