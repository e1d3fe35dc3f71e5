import GRDB
import GRDBTestSupport
import Testing

/// Associated rows that are fetched after those of the request: `including(all:)`.
@Suite(.databases) struct PrefetchTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    @Test func hasMany() throws {
        try expect(
            Author.including(all: Author.books),
            #"""
            SELECT * FROM "author"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
            """#,
            "Ann {books: [Ants, Bees]} | Bob {books: [Crows]} | Cid {books: []}")
        try expect(
            Club.including(all: Club.hostings).including(all: Club.visits),
            #"""
            SELECT * FROM "club"
            SELECT *, "hostId" AS "grdb_hostId" FROM "debate" WHERE "hostId" IN (1, 2)
            SELECT *, "guestId" AS "grdb_guestId" FROM "debate" WHERE "guestId" IN (1, 2)
            """#,
            """
            reds {hostings: [debate1, debate3], visits: [debate2]} \
            | blues {hostings: [debate2], visits: [debate1]}
            """)
        try expect(
            Topic.including(all: Topic.children),
            #"""
            SELECT * FROM "topic"
            SELECT *, "parentId" AS "grdb_parentId" FROM "topic" WHERE "parentId" IN (1, 2, 3, 4)
            """#,
            """
            root {children: [stem, twig]} | stem {children: [leaf]} | leaf {children: []} \
            | twig {children: []}
            """)
        try expect(
            Book.including(all: Book.genres),
            #"""
            SELECT * FROM "book"
            SELECT "genre".*, "bookGenre"."bookId" AS "grdb_bookId" FROM "genre" JOIN "bookGenre" ON ("bookGenre"."genreId" = "genre"."id") AND ("bookGenre"."bookId" IN (1, 2, 3, 4))
            """#,
            """
            Ants {genres: [crime, nature]} | Bees {genres: []} | Crows {genres: [crime]} \
            | Doves {genres: []}
            """)
        try expect(
            Genre.including(all: Genre.books),
            #"""
            SELECT * FROM "genre"
            SELECT "book".*, "bookGenre"."genreId" AS "grdb_genreId" FROM "book" JOIN "bookGenre" ON ("bookGenre"."bookId" = "book"."id") AND ("bookGenre"."genreId" IN (1, 2))
            """#,
            "crime {books: [Ants, Crows]} | nature {books: [Ants]}")
    }

    @Test func compositeKeys() throws {
        try expect(
            Shelf.including(all: Shelf.copies),
            #"""
            SELECT * FROM "shelf"
            SELECT *, "room" AS "grdb_room", "number" AS "grdb_number" FROM "copy" WHERE ("room", "number") IN (VALUES ('A', 1), ('A', 2), ('B', 1))
            """#,
            "A1 {copies: [copy1, copy2]} | A2 {copies: [copy3]} | B1 {copies: []}")
        try expect(
            Shelf.filter(key: ["room": "A", "number": 1]).including(
                all: Shelf.copies.filter(Column("id") > 1)),
            #"""
            SELECT * FROM "shelf" WHERE ("room" = 'A') AND ("number" = 1)
            SELECT *, "room" AS "grdb_room", "number" AS "grdb_number" FROM "copy" WHERE ("id" > 1) AND ("room" = 'A') AND ("number" = 1)
            """#,
            "A1 {copies: [copy2]}")
    }

    @Test func rowsOfTheRequest() throws {
        // One key
        try expect(
            Author.filter(key: 1).including(all: Author.books),
            #"""
            SELECT * FROM "author" WHERE "id" = 1
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" = 1
            """#,
            "Ann {books: [Ants, Bees]}")
        // No row, no key
        try expect(
            Author.none().including(all: Author.books), #"SELECT * FROM "author" WHERE 0"#, "")
        try expect(
            Author.order { $0.id.desc }.limit(2).including(all: Author.books),
            #"""
            SELECT * FROM "author" ORDER BY "id" DESC LIMIT 2
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (2, 3)
            """#,
            "Cid {books: []} | Bob {books: [Crows]}")
        try expect(
            Author.order { $0.id }.limit(1, offset: 1).including(all: Author.books),
            #"""
            SELECT * FROM "author" ORDER BY "id" LIMIT 1 OFFSET 1
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" = 2
            """#,
            "Bob {books: [Crows]}")
        // Several rows with one key
        try expect(
            Author.joining(required: Author.books).including(all: Author.books),
            #"""
            SELECT "author".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2)
            """#,
            "Ann {books: [Ants, Bees]} | Ann {books: [Ants, Bees]} | Bob {books: [Crows]}")
        try expect(
            Author.select { $0.id }.distinct().including(all: Author.books.select { $0.title }),
            #"""
            SELECT DISTINCT "id" FROM "author"
            SELECT "title", "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
            """#,
            """
            (id: 1) {books: [(title: "Ants"), (title: "Bees")]} \
            | (id: 2) {books: [(title: "Crows")]} | (id: 3) {books: []}
            """)
    }

    @Test func nested() throws {
        try expect(
            Author.including(all: Author.books.including(all: Book.prizes)),
            #"""
            SELECT * FROM "author"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
            SELECT *, "bookId" AS "grdb_bookId" FROM "prize" WHERE "bookId" IN (1, 2, 3)
            """#,
            """
            Ann {books: [Ants {prizes: [gold, iron]}, Bees {prizes: []}]} \
            | Bob {books: [Crows {prizes: [lead]}]} | Cid {books: []}
            """)
        try expect(
            Nation.including(all: Nation.authors.including(all: Author.prizes)),
            #"""
            SELECT * FROM "nation"
            SELECT *, "nationCode" AS "grdb_nationCode" FROM "author" WHERE "nationCode" IN ('FR', 'US')
            SELECT "prize".*, "book"."authorId" AS "grdb_authorId" FROM "prize" JOIN "book" ON ("book"."id" = "prize"."bookId") AND ("book"."authorId" IN (1, 2))
            """#,
            "FR {authors: [Ann {prizes: [gold, iron]}]} | US {authors: [Bob {prizes: [lead]}]}")
        try expect(
            Nation.filter(key: "FR").including(all: Nation.books.including(all: Book.genres)),
            #"""
            SELECT * FROM "nation" WHERE "code" = 'FR'
            SELECT "book".*, "author"."nationCode" AS "grdb_nationCode" FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."nationCode" = 'FR')
            SELECT "genre".*, "bookGenre"."bookId" AS "grdb_bookId" FROM "genre" JOIN "bookGenre" ON ("bookGenre"."genreId" = "genre"."id") AND ("bookGenre"."bookId" IN (1, 2))
            """#,
            "FR {books: [Ants {genres: [crime, nature]}, Bees {genres: []}]}")
        // A row may belong to itself, further down.
        try expect(
            Topic.filter(key: 1).including(
                all: Topic.children.including(
                    all: Topic.children.including(required: Topic.parent))),
            #"""
            SELECT * FROM "topic" WHERE "id" = 1
            SELECT *, "parentId" AS "grdb_parentId" FROM "topic" WHERE "parentId" = 1
            SELECT "topic1".*, "topic1"."parentId" AS "grdb_parentId", "topic2".* FROM "topic" "topic1" JOIN "topic" "topic2" ON "topic2"."id" = "topic1"."parentId" WHERE "topic1"."parentId" IN (2, 4)
            """#,
            "root {children: [stem {children: [leaf {parent: stem}]}, twig {children: []}]}")
    }

    // MARK: - Joins

    @Test func joinsOfPrefetchedRows() throws {
        try expect(
            Author.including(all: Author.books.including(required: Book.author)),
            #"""
            SELECT * FROM "author"
            SELECT "book".*, "book"."authorId" AS "grdb_authorId", "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" WHERE "book"."authorId" IN (1, 2, 3)
            """#,
            """
            Ann {books: [Ants {author: Ann}, Bees {author: Ann}]} | Bob {books: [Crows {author: Bob}]} \
            | Cid {books: []}
            """)
        try expect(
            Book.including(all: Book.bookGenres.including(required: BookGenre.genre)),
            #"""
            SELECT * FROM "book"
            SELECT "bookGenre".*, "bookGenre"."bookId" AS "grdb_bookId", "genre".* FROM "bookGenre" JOIN "genre" ON "genre"."id" = "bookGenre"."genreId" WHERE "bookGenre"."bookId" IN (1, 2, 3, 4)
            """#,
            """
            Ants {bookGenres: [11 {genre: crime}, 12 {genre: nature}]} | Bees {bookGenres: []} \
            | Crows {bookGenres: [31 {genre: crime}]} | Doves {bookGenres: []}
            """)
        try expect(
            Author.including(all: Author.books.joining(required: Book.prizes).distinct()),
            #"""
            SELECT * FROM "author"
            SELECT DISTINCT "book".*, "book"."authorId" AS "grdb_authorId" FROM "book" JOIN "prize" ON "prize"."bookId" = "book"."id" WHERE "book"."authorId" IN (1, 2, 3)
            """#,
            "Ann {books: [Ants]} | Bob {books: [Crows]} | Cid {books: []}")
        try expect(
            Author.including(
                all: Author.books.select { $0.title }.annotated(
                    withRequired: Book.author.select { $0.name.forKey("by") })),
            #"""
            SELECT * FROM "author"
            SELECT "book"."title", "author"."name" AS "by", "book"."authorId" AS "grdb_authorId" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" WHERE "book"."authorId" IN (1, 2, 3)
            """#,
            """
            Ann {books: [(title: "Ants", by: "Ann"), (title: "Bees", by: "Ann")]} \
            | Bob {books: [(title: "Crows", by: "Bob")]} | Cid {books: []}
            """)
    }

    @Test func prefetchesFromJoinedRows() throws {
        // Each row gets the books of the author that is joined to it.
        try expect(
            Book.including(required: Book.author.including(all: Author.books)),
            #"""
            SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2)
            """#,
            """
            Ants {author: Ann {books: [Ants, Bees]}} | Bees {author: Ann {books: [Ants, Bees]}} \
            | Crows {author: Bob {books: [Crows]}}
            """)
        try expect(
            Book.including(optional: Book.author.including(all: Author.books)),
            #"""
            SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2)
            """#,
            """
            Ants {author: Ann {books: [Ants, Bees]}} | Bees {author: Ann {books: [Ants, Bees]}} \
            | Crows {author: Bob {books: [Crows]}} | Doves {author: NULL {books: []}}
            """)
        // The scope of a pivot has no columns. What is below has.
        try expect(
            Prize.including(optional: Prize.author.including(all: Author.books)),
            #"""
            SELECT "prize".*, "author".* FROM "prize" LEFT JOIN "book" ON "book"."id" = "prize"."bookId" LEFT JOIN "author" ON "author"."id" = "book"."authorId"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2)
            """#,
            """
            gold {book: () {author: Ann {books: [Ants, Bees]}}} \
            | iron {book: () {author: Ann {books: [Ants, Bees]}}} \
            | lead {book: () {author: Bob {books: [Crows]}}}
            """)
        try expect(
            Topic.including(optional: Topic.parent.including(all: Topic.children)),
            #"""
            SELECT "topic1".*, "topic2".* FROM "topic" "topic1" LEFT JOIN "topic" "topic2" ON "topic2"."id" = "topic1"."parentId"
            SELECT *, "parentId" AS "grdb_parentId" FROM "topic" WHERE "parentId" IN (1, 2)
            """#,
            """
            root {parent: NULL {children: []}} | stem {parent: root {children: [stem, twig]}} \
            | leaf {parent: stem {children: [leaf]}} | twig {parent: root {children: [stem, twig]}}
            """)
        // On both levels, with the same key.
        try expect(
            Topic.including(required: Topic.parent.including(all: Topic.children))
                .including(all: Topic.children),
            #"""
            SELECT "topic1".*, "topic2".* FROM "topic" "topic1" JOIN "topic" "topic2" ON "topic2"."id" = "topic1"."parentId"
            SELECT *, "parentId" AS "grdb_parentId" FROM "topic" WHERE "parentId" IN (2, 3, 4)
            SELECT *, "parentId" AS "grdb_parentId" FROM "topic" WHERE "parentId" IN (1, 2)
            """#,
            """
            stem {parent: root {children: [stem, twig]}, children: [leaf]} \
            | leaf {parent: stem {children: [leaf]}, children: []} \
            | twig {parent: root {children: [stem, twig]}, children: []}
            """)
    }

    @Test func prefetchesFromJoinedTablesThatAreNotFetched() throws {
        // The books start from the row itself.
        try expect(
            Book.joining(required: Book.author.including(all: Author.books)),
            #"""
            SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
            SELECT "book".*, "author"."id" AS "grdb_id" FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."id" IN (1, 2))
            """#,
            "Ants {books: [Ants, Bees]} | Bees {books: [Ants, Bees]} | Crows {books: [Crows]}")
        try expect(
            Book.including(
                required: Book.author.select { $0.name }.including(all: Author.books)),
            #"""
            SELECT "book".*, "author"."name" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
            SELECT "book".*, "author"."id" AS "grdb_id" FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."id" IN (1, 2))
            """#,
            """
            Ants {author: (name: "Ann") {books: [Ants, Bees]}} \
            | Bees {author: (name: "Ann") {books: [Ants, Bees]}} \
            | Crows {author: (name: "Bob") {books: [Crows]}}
            """)
        // Each prize is there once, whatever the number of books.
        try expect(
            Nation.joining(
                required: Nation.authors.joining(
                    required: Author.books.including(all: Book.prizes))
            ).distinct(),
            #"""
            SELECT DISTINCT "nation".* FROM "nation" JOIN "author" ON "author"."nationCode" = "nation"."code" JOIN "book" ON "book"."authorId" = "author"."id"
            SELECT "prize".*, "author"."nationCode" AS "grdb_nationCode" FROM "prize" JOIN "book" ON "book"."id" = "prize"."bookId" JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."nationCode" IN ('FR', 'US'))
            """#,
            "FR {prizes: [gold, iron]} | US {prizes: [lead]}")
    }
}
