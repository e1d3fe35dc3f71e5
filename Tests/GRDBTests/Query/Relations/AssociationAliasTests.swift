import GRDB
import GRDBTestSupport
import Testing

/// Aliases of joined tables, and common table expressions in associations.
@Suite(.databases) struct AssociationAliasTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    @Test func aliasesReferToJoinedTables() throws {
        let author = TableAlias<Author>()
        let join = #"FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId""#
        let books = Book.joining(optional: Book.author.aliased(author))
        try expect(
            books.filter { author.name == "Ann" || $0.year > 2003 },
            #"SELECT "book".* \#(join) WHERE ("author"."name" = 'Ann') OR ("book"."year" > 2003)"#,
            "Ants | Bees | Doves")
        try expect(
            books.filter(author.exists),
            #"SELECT "book".* \#(join) WHERE "author"."id" IS NOT NULL"#, "Ants | Bees | Crows")
        try expect(
            books.filter(!author.exists), #"SELECT "book".* \#(join) WHERE "author"."id" IS NULL"#,
            "Doves")
        try expect(
            books.order { [author.name.desc, $0.title.desc] },
            #"SELECT "book".* \#(join) ORDER BY "author"."name" DESC, "book"."title" DESC"#,
            "Crows | Bees | Ants | Doves")
        try expect(
            books.select { [$0.title, author.name] },
            #"SELECT "book"."title", "author"."name" \#(join)"#)
        try expect(
            books.group(author.id).having { count($0.id) > 1 },
            #"SELECT "book".* \#(join) GROUP BY "author"."id" HAVING COUNT("book"."id") > 1"#,
            "Ants")
    }

    @Test func namesOfAliases() throws {
        let (book, author) = (TableAlias<Book>(name: "b"), TableAlias<Author>(name: "a"))
        try expect(
            Book.aliased(book).including(optional: Book.author.aliased(author))
                .filter(sql: "b.year > 2001 AND a.name = 'Ann'"),
            #"SELECT "b".*, "a".* FROM "book" "b" LEFT JOIN "author" "a" ON "a"."id" = "b"."authorId" WHERE b.year > 2001 AND a.name = 'Ann'"#,
            "Bees {author: Ann}")
        // The alias of the request can be used in the condition of the join.
        try expect(
            Book.aliased(book).including(optional: Book.author.filter { $0.id == book.id }),
            #"SELECT "b".*, "author".* FROM "book" "b" LEFT JOIN "author" ON ("author"."id" = "b"."authorId") AND ("author"."id" = "b"."id")"#,
            "Ants {author: Ann} | Bees {author: NULL} | Crows {author: NULL} | Doves {author: NULL}"
        )
        // Numbered names make room for given ones.
        try expect(
            Topic.joining(required: Topic.parent.aliased(TableAlias(name: "topic1")))
                .joining(optional: Topic.children),
            #"SELECT "topic2".* FROM "topic" "topic2" JOIN "topic" "topic1" ON "topic1"."id" = "topic2"."parentId" LEFT JOIN "topic" "topic3" ON "topic3"."parentId" = "topic2"."id""#,
            "stem | leaf | twig")
        try expect(
            Author.joining(required: Author.books.aliased(TableAlias(name: "AUTHOR"))),
            #"SELECT "author1".* FROM "author" "author1" JOIN "book" "AUTHOR" ON "AUTHOR"."authorId" = "author1"."id""#,
            "Ann | Ann | Bob")
        // Two names for one table.
        try expectFailure(
            Book.joining(required: Book.author.aliased(TableAlias(name: "a"))).joining(
                required: Book.author.aliased(TableAlias(name: "b"))),
            "SQLite error 21: the table author has two aliases: a and b")
    }

    @Test func aliasesOfSelfJoins() throws {
        let (child, parent) = (TableAlias<Topic>(), TableAlias<Topic>())
        try expect(
            Topic.aliased(child).joining(required: Topic.parent.aliased(parent))
                .filter(parent.name == "root" && child.name > "stem"),
            #"SELECT "topic1".* FROM "topic" "topic1" JOIN "topic" "topic2" ON "topic2"."id" = "topic1"."parentId" WHERE ("topic2"."name" = 'root') AND ("topic1"."name" > 'stem')"#,
            "twig")
    }

    @Test func aliasesOfMergedAssociations() throws {
        let author = TableAlias<Author>()
        try expect(
            Book.joining(required: Book.nation.filter { $0.code == "FR" })
                .joining(required: Book.author.aliased(author))
                .filter(author.name == "Ann"),
            #"SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" JOIN "nation" ON ("nation"."code" = "author"."nationCode") AND ("nation"."code" = 'FR') WHERE "author"."name" = 'Ann'"#,
            "Ants | Bees")
    }

    @Test func aliasesOfPrefetchedTables() throws {
        let book = TableAlias<Book>(name: "b")
        try expect(
            Author.filter(key: 1).including(
                all: Author.books.aliased(book).filter(book.year > 2001)),
            #"""
            SELECT * FROM "author" WHERE "id" = 1
            SELECT "b".*, "b"."authorId" AS "grdb_authorId" FROM "book" "b" WHERE ("b"."year" > 2001) AND ("b"."authorId" = 1)
            """#,
            "Ann {books: [Bees]}")
        // The other request is not there when the books are fetched.
        let author = TableAlias<Author>()
        try dbQueue.read { db in
            _ = expectError(DatabaseError.self) {
                try Row.fetchAll(
                    db,
                    Author.aliased(author).including(
                        all: Author.books.filter { $0.title > author.name }))
            }
        }
    }

    @Test func aliasesInSubqueries() throws {
        let author = TableAlias<Author>()
        try expect(
            Author.aliased(author).filter(
                Book.joining(required: Book.author.filter { $0.id == author.id }).exists()),
            #"SELECT "author_".* FROM "author" "author_" WHERE EXISTS (SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."id" = "author_"."id"))"#,
            "Ann | Bob")
        let book = TableAlias<Book>()
        try expect(
            Author.joining(required: Author.books.aliased(book))
                .filter(!Book.filter { $0.year > book.year }.exists()),
            #"SELECT "author".* FROM "author" JOIN "book" "book_" ON "book_"."authorId" = "author"."id" WHERE NOT EXISTS (SELECT * FROM "book" WHERE "year" > "book_"."year")"#,
            // Nobody wrote Doves, which is the last one.
            "")
    }

    @Test func commonTableExpressions() throws {
        let names = CommonTableExpression(named: "names", sql: "SELECT 'Ann' AS name")
        let author = Book.author.with(names).filter { names.contains($0.name) }
        try expect(
            Book.including(required: author),
            #"WITH "names" AS (SELECT 'Ann' AS name) SELECT "book".*, "author".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."name" IN "names")"#,
            "Ants {author: Ann} | Bees {author: Ann}")
        let years = CommonTableExpression(named: "years", sql: "SELECT 2002 AS year")
        try expect(
            Author.including(all: Author.books.with(years).filter { years.contains($0.year) }),
            #"""
            SELECT * FROM "author"
            WITH "years" AS (SELECT 2002 AS year) SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE ("year" IN "years") AND ("authorId" IN (1, 2, 3))
            """#,
            "Ann {books: [Bees]} | Bob {books: []} | Cid {books: []}")
        // Those of the request are not those of what is prefetched.
        try expect(
            Author.with(names).filter { names.contains($0.name) }.including(all: Author.books),
            #"""
            WITH "names" AS (SELECT 'Ann' AS name) SELECT * FROM "author" WHERE "name" IN "names"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" = 1
            """#,
            "Ann {books: [Ants, Bees]}")
    }

    @Test func commonTableExpressionsInThePlaceOfTables() throws {
        let recent = CommonTableExpression(
            named: "book", sql: "SELECT * FROM main.book WHERE year > 2001")
        // Also what is prefetched comes from it, if it has the expression.
        try expect(
            Author.including(all: Author.books.with(recent)),
            #"""
            SELECT * FROM "author"
            WITH "book" AS (SELECT * FROM main.book WHERE year > 2001) SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
            """#,
            "Ann {books: [Bees]} | Bob {books: [Crows]} | Cid {books: []}")
        try expect(
            Author.with(recent).including(required: Author.books),
            #"WITH "book" AS (SELECT * FROM main.book WHERE year > 2001) SELECT "author".*, "book".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id""#,
            "Ann {book: Bees} | Bob {book: Crows}")
        // The columns are those of the expression, also in parentheses.
        let authors = CommonTableExpression(
            named: "author", sql: "SELECT 1 AS id, 'pen' AS penName")
        try expect(
            Book.including(optional: Book.author.with(authors).joining(required: Author.portrait)),
            #"WITH "author" AS (SELECT 1 AS id, 'pen' AS penName) SELECT "book".*, "author".* FROM "book" LEFT JOIN ("author" JOIN "portrait" ON "portrait"."authorId" = "author"."id") ON "author"."id" = "book"."authorId""#,
            """
            Ants {author: (id: 1, penName: "pen")} | Bees {author: (id: 1, penName: "pen")} \
            | Crows {author: NULL} | Doves {author: NULL}
            """)
    }
}
