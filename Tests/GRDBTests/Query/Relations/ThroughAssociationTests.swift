import GRDB
import GRDBTestSupport
import Testing

/// Associations through others.
@Suite(.databases) struct ThroughAssociationTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    @Test func hasOneThrough() throws {
        try expect(
            Book.including(required: Book.nation),
            #"SELECT "book".*, "nation".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" JOIN "nation" ON "nation"."code" = "author"."nationCode""#,
            """
            Ants {author: () {nation: FR}} | Bees {author: () {nation: FR}} \
            | Crows {author: () {nation: US}}
            """)
        try expect(
            Book.including(optional: Book.nation),
            #"SELECT "book".*, "nation".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" LEFT JOIN "nation" ON "nation"."code" = "author"."nationCode""#,
            """
            Ants {author: () {nation: FR}} | Bees {author: () {nation: FR}} \
            | Crows {author: () {nation: US}} | Doves {author: () {nation: NULL}}
            """)
        try expect(
            Book.joining(required: Book.nation.filter { $0.code == "US" }),
            #"SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" JOIN "nation" ON ("nation"."code" = "author"."nationCode") AND ("nation"."code" = 'US')"#,
            "Crows")
        try expect(
            Book.select { $0.title }.annotated(
                withOptional: Book.nation.select { $0.name.forKey("nationName") }),
            #"SELECT "book"."title", "nation"."name" AS "nationName" FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" LEFT JOIN "nation" ON "nation"."code" = "author"."nationCode""#,
            """
            (title: "Ants", nationName: "France") | (title: "Bees", nationName: "France") \
            | (title: "Crows", nationName: "USA") | (title: "Doves", nationName: NULL)
            """)
        try expect(
            Book.including(optional: Book.authorPortrait),
            #"SELECT "book".*, "portrait".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" LEFT JOIN "portrait" ON "portrait"."authorId" = "author"."id""#,
            """
            Ants {author: () {authorPortrait: smiling}} | Bees {author: () {authorPortrait: smiling}} \
            | Crows {author: () {authorPortrait: NULL}} | Doves {author: () {authorPortrait: NULL}}
            """)
    }

    @Test func hasManyThrough() throws {
        try expect(
            Author.including(required: Author.prizes),
            #"SELECT "author".*, "prize".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id" JOIN "prize" ON "prize"."bookId" = "book"."id""#,
            """
            Ann {book: () {prize: gold}} | Ann {book: () {prize: iron}} \
            | Bob {book: () {prize: lead}}
            """)
        try expect(
            Author.joining(optional: Author.prizes),
            #"SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" LEFT JOIN "prize" ON "prize"."bookId" = "book"."id""#,
            // Bees won no prize.
            "Ann | Ann | Ann | Bob | Cid")
        try expect(
            Book.including(required: Book.genres),
            #"SELECT "book".*, "genre".* FROM "book" JOIN "bookGenre" ON "bookGenre"."bookId" = "book"."id" JOIN "genre" ON "genre"."id" = "bookGenre"."genreId""#
        )
        try expect(
            Author.including(all: Author.prizes),
            #"""
            SELECT * FROM "author"
            SELECT "prize".*, "book"."authorId" AS "grdb_authorId" FROM "prize" JOIN "book" ON ("book"."id" = "prize"."bookId") AND ("book"."authorId" IN (1, 2, 3))
            """#,
            "Ann {prizes: [gold, iron]} | Bob {prizes: [lead]} | Cid {prizes: []}")
    }

    @Test func throughAThroughAssociation() throws {
        try expect(
            Nation.joining(required: Nation.books.filter { $0.year > 2001 }),
            #"SELECT "nation".* FROM "nation" JOIN "author" ON "author"."nationCode" = "nation"."code" JOIN "book" ON ("book"."authorId" = "author"."id") AND ("book"."year" > 2001)"#,
            "FR | US")
        let prizes = Nation.hasMany(Prize.self, through: Nation.books, using: Book.prizes)
        try expect(
            Nation.including(all: prizes),
            #"""
            SELECT * FROM "nation"
            SELECT "prize".*, "author"."nationCode" AS "grdb_nationCode" FROM "prize" JOIN "book" ON "book"."id" = "prize"."bookId" JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."nationCode" IN ('FR', 'US'))
            """#,
            "FR {prizes: [gold, iron]} | US {prizes: [lead]}")
        // Both parts may be associations through others.
        let genres = Nation.hasMany(Genre.self, through: Nation.books, using: Book.genres)
        try expect(
            Nation.including(all: genres.order { $0.name }),
            #"""
            SELECT * FROM "nation"
            SELECT "genre".*, "author"."nationCode" AS "grdb_nationCode" FROM "genre" JOIN "bookGenre" ON "bookGenre"."genreId" = "genre"."id" JOIN "book" ON "book"."id" = "bookGenre"."bookId" JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."nationCode" IN ('FR', 'US')) ORDER BY "genre"."name"
            """#,
            "FR {genres: [crime, nature]} | US {genres: [crime]}")
        let prizeNation = Prize.hasOne(Nation.self, through: Prize.author, using: Author.nation)
        try expect(
            Prize.including(required: prizeNation),
            #"SELECT "prize".*, "nation".* FROM "prize" JOIN "book" ON "book"."id" = "prize"."bookId" JOIN "author" ON "author"."id" = "book"."authorId" JOIN "nation" ON "nation"."code" = "author"."nationCode""#,
            """
            gold {book: () {author: () {nation: FR}}} | iron {book: () {author: () {nation: FR}}} \
            | lead {book: () {author: () {nation: US}}}
            """)
    }

    @Test func toManyThroughToOne() throws {
        // The other books of the same author.
        let siblings = Book.hasMany(
            Book.self, through: Book.author, using: Author.books, key: "siblings")
        try expect(
            Book.including(all: siblings.order { $0.id }),
            #"""
            SELECT * FROM "book"
            SELECT "book".*, "author"."id" AS "grdb_id" FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."id" IN (1, 2)) ORDER BY "book"."id"
            """#,
            """
            Ants {siblings: [Ants, Bees]} | Bees {siblings: [Ants, Bees]} \
            | Crows {siblings: [Crows]} | Doves {siblings: []}
            """)
        let cousins = Topic.hasMany(
            Topic.self, through: Topic.parent, using: Topic.children, key: "siblings")
        try expect(
            Topic.including(all: cousins.order { $0.id }),
            #"""
            SELECT * FROM "topic"
            SELECT "topic1".*, "topic2"."id" AS "grdb_id" FROM "topic" "topic1" JOIN "topic" "topic2" ON ("topic2"."id" = "topic1"."parentId") AND ("topic2"."id" IN (1, 2)) ORDER BY "topic1"."id"
            """#,
            """
            root {siblings: []} | stem {siblings: [stem, twig]} | leaf {siblings: [leaf]} \
            | twig {siblings: [stem, twig]}
            """)
    }

    @Test func refinedPivots() throws {
        func prizes(through books: HasManyAssociation<Author, Book>)
            -> HasManyThroughAssociation<Author, Prize>
        {
            Author.hasMany(Prize.self, through: books, using: Book.prizes)
        }
        try expect(
            Author.including(all: prizes(through: Author.books.filter { $0.year > 2001 })),
            #"""
            SELECT * FROM "author"
            SELECT "prize".*, "book"."authorId" AS "grdb_authorId" FROM "prize" JOIN "book" ON ("book"."id" = "prize"."bookId") AND ("book"."year" > 2001) AND ("book"."authorId" IN (1, 2, 3))
            """#,
            "Ann {prizes: []} | Bob {prizes: [lead]} | Cid {prizes: []}")
        try expect(
            Author.filter(key: 1).including(
                all: prizes(through: Author.books.order { $0.year.desc }).order { $0.name.desc }),
            #"""
            SELECT * FROM "author" WHERE "id" = 1
            SELECT "prize".*, "book"."authorId" AS "grdb_authorId" FROM "prize" JOIN "book" ON ("book"."id" = "prize"."bookId") AND ("book"."authorId" = 1) ORDER BY "prize"."name" DESC, "book"."year" DESC
            """#,
            "Ann {prizes: [iron, gold]}")
        // Selections and scopes of pivots are left out.
        try expect(
            Author.filter(key: 1).including(
                all: prizes(
                    through: Author.books.select { $0.title }.including(optional: Book.author))),
            #"""
            SELECT * FROM "author" WHERE "id" = 1
            SELECT "prize".*, "book"."authorId" AS "grdb_authorId" FROM "prize" JOIN "book" ON ("book"."id" = "prize"."bookId") AND ("book"."authorId" = 1) LEFT JOIN "author" ON "author"."id" = "book"."authorId"
            """#,
            "Ann {prizes: [gold, iron]}")
        try expect(
            Author.joining(required: prizes(through: Author.books.filter { $0.year > 2001 })),
            #"SELECT "author".* FROM "author" JOIN "book" ON ("book"."authorId" = "author"."id") AND ("book"."year" > 2001) JOIN "prize" ON "prize"."bookId" = "book"."id""#,
            "Bob")
        let alias = TableAlias<Book>(name: "b")
        try expect(
            Author.filter(key: 1).including(
                all: prizes(through: Author.books.aliased(alias)).order(alias[Column("title")])),
            #"""
            SELECT * FROM "author" WHERE "id" = 1
            SELECT "prize".*, "b"."authorId" AS "grdb_authorId" FROM "prize" JOIN "book" "b" ON ("b"."id" = "prize"."bookId") AND ("b"."authorId" = 1) ORDER BY "b"."title"
            """#,
            "Ann {prizes: [gold, iron]}")
    }

    @Test func pivotsMergeWithAssociations() throws {
        let sql =
            #"SELECT "book".*, "author".*, "nation".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" JOIN "nation" ON "nation"."code" = "author"."nationCode""#
        let rows = """
            Ants {author: Ann {nation: FR}} | Bees {author: Ann {nation: FR}} \
            | Crows {author: Bob {nation: US}}
            """
        try expect(
            Book.including(required: Book.author).including(required: Book.nation), sql, rows)
        try expect(
            Book.including(required: Book.nation).including(optional: Book.author), sql, rows)
        try expect(
            Prize.including(required: Prize.book).including(required: Prize.author),
            #"SELECT "prize".*, "book".*, "author".* FROM "prize" JOIN "book" ON "book"."id" = "prize"."bookId" JOIN "author" ON "author"."id" = "book"."authorId""#,
            """
            gold {book: Ants {author: Ann}} | iron {book: Ants {author: Ann}} \
            | lead {book: Crows {author: Bob}}
            """)
        // A pivot with another key is another table.
        let penned = Book.hasOne(
            Nation.self, through: Book.author.forKey("writer"), using: Author.nation)
        try expect(
            Book.filter(key: 1).including(required: Book.author).including(required: penned),
            #"SELECT "book".*, "author1".*, "nation".* FROM "book" JOIN "author" "author1" ON "author1"."id" = "book"."authorId" JOIN "author" "author2" ON "author2"."id" = "book"."authorId" JOIN "nation" ON "nation"."code" = "author2"."nationCode" WHERE "book"."id" = 1"#,
            "Ants {author: Ann, writer: () {nation: FR}}")
    }
}
