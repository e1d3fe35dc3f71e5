import GRDB
import GRDBTestSupport
import Testing

/// The keys of associations, and what happens to associations with the same key.
@Suite(.databases) struct AssociationKeyTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    enum CodingKeys: CodingKey {
        case writer
    }

    // MARK: - Names

    @Test(arguments: [
        ("mouse", "mice", "mouse"), ("people", "people", "person"),
        ("lineItem", "lineItems", "lineItem"), ("line_item", "line_items", "line_item"),
        ("player2", "players2", "player2"), ("sheep", "sheep", "sheep"), ("BOX", "BOXes", "BOX"),
    ])
    func tableNamesAreInflected(table: String, plural: String, singular: String) throws {
        try dbQueue.write { db in
            try db.execute(
                sql: "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, authorId REFERENCES author)")
            let many = Author.hasMany(Table(table))
            let prefetched = try Row.fetchOne(db, Author.including(all: many))!
            expectEqual(prefetched.prefetchedRows.keys, [plural])
            let joined = try Row.fetchOne(db, Author.including(optional: many))!
            expectEqual(Array(joined.scopes.names), [singular])
            let one = Author.hasOne(Table(table))
            let hasOne = try Row.fetchOne(db, Author.including(optional: one))!
            expectEqual(Array(hasOne.scopes.names), [singular])
            let owner = Table(table).belongsTo(Table("author"))
            try db.execute(sql: "INSERT INTO \(table) VALUES (1, 1)")
            let row = try Row.fetchOne(db, Table(table).including(required: owner))!
            expectEqual(Array(row.scopes.names), ["author"])
        }
    }

    /// Of the rows of another table, one stands beside each row.
    @Test(arguments: [
        ("latestBooks", "latestBook"), ("children", "child"), ("x_stats", "x_stat"),
        ("data", "datum"), ("stats1", "stat1"), ("status", "status"),
    ])
    func joinedTablesHaveSingularKeys(name: String, key: String) throws {
        let books = CommonTableExpression(named: name, request: Book.all())
        let (author, table) = (Table("author"), Table(name))
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE \(name) AS SELECT * FROM book")
            func expectKey(
                _ expected: String, _ request: some FetchRequest, line: Int = #line
            ) throws {
                let row = try Row.fetchOne(db, request)
                expectTrue(
                    row.map { Array($0.scopes.names) } == [expected], line: line
                )
            }
            try expectKey(
                key, Author.with(books).including(required: Author.association(to: books)))
            try expectKey(key, Author.including(optional: Author.association(to: table)))
            try expectKey(
                key, author.with(books).including(required: author.association(to: books)))
            try expectKey(key, author.including(required: author.association(to: table)))
            let titles = CommonTableExpression(named: "titles", request: Book.all())
            let both = titles.all().with(titles).with(books)
            try expectKey(key, both.including(required: titles.association(to: books)))
            try expectKey(key, both.including(required: titles.association(to: table)))
            // On a condition
            let association = Author.association(
                to: books, on: { $0[Column("id")] == $1[Column("authorId")] })
            try expectKey(key, Author.with(books).including(required: association))
            // A key that was given is left as it is.
            try expectKey(
                "works", Author.with(books).including(required: association.forKey("works")))
        }
    }

    @Test func joinedRecordsHaveSingularKeys() throws {
        struct Stats: TableRecord {}
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE stats AS SELECT * FROM book")
            let row = try Row.fetchOne(
                db, Author.including(required: Author.association(to: Stats.self)))
            expectEqual(row?.scopes.names.contains("stat"), true)
        }
    }

    @Test func givenKeys() throws {
        let prefetch = #"""
            SELECT * FROM "author" WHERE "id" = 1
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" = 1
            """#
        let ann = Author.filter(key: 1)
        try expect(
            ann.including(all: Author.books.forKey("works")), prefetch,
            "Ann {works: [Ants, Bees]}")
        // A key that was given is left as it is.
        try expect(
            ann.including(all: Author.books.forKey("work")), prefetch, "Ann {work: [Ants, Bees]}")
        try expect(
            ann.including(all: Author.hasMany(Book.self, key: "works")), prefetch,
            "Ann {works: [Ants, Bees]}")
        // A joined table has a singular key.
        let join =
            #"SELECT "author".*, "book".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id" WHERE "author"."id" = 1"#
        try expect(
            ann.including(required: Author.books.forKey("works")), join,
            "Ann {work: Ants} | Ann {work: Bees}")
        // But not that of an association to one row.
        try expect(
            ann.including(required: Author.hasOne(Book.self, key: "works")), join,
            "Ann {works: Ants} | Ann {works: Bees}")
        let author =
            #"SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" WHERE "book"."id" = 1"#
        for association in [
            Book.author.forKey("writer"), Book.author.forKey(CodingKeys.writer),
            Book.belongsTo(Author.self, key: "writer"),
        ] {
            try expect(
                Book.filter(key: 1).including(required: association), author, "Ants {writer: Ann}")
        }
        // The last key wins.
        try expect(
            Book.filter(key: 1).including(required: Book.author.forKey("a").forKey("b")), author,
            "Ants {b: Ann}")
    }

    @Test func keysOfThroughAssociations() throws {
        let ann = Author.filter(key: 1)
        func expectPrefetch(
            _ association: HasManyThroughAssociation<Author, Prize>, _ rows: String
        ) throws {
            try expect(
                ann.including(all: association),
                #"""
                SELECT * FROM "author" WHERE "id" = 1
                SELECT "prize".*, "book"."authorId" AS "grdb_authorId" FROM "prize" JOIN "book" ON ("book"."id" = "prize"."bookId") AND ("book"."authorId" = 1)
                """#, rows)
        }
        try expectPrefetch(Author.prizes, "Ann {prizes: [gold, iron]}")
        try expectPrefetch(Author.prizes.forKey("medals"), "Ann {medals: [gold, iron]}")
        // The key is that of the association that leads to the rows.
        try expectPrefetch(
            Author.hasMany(
                Prize.self, through: Author.books.forKey("works"),
                using: Book.prizes.forKey("medals")),
            "Ann {medals: [gold, iron]}")
        try expectPrefetch(
            Author.hasMany(
                Prize.self, through: Author.books, using: Book.hasOne(Prize.self, key: "medal")),
            "Ann {medals: [gold, iron]}")
        try expectPrefetch(
            Author.hasMany(
                Prize.self, through: Author.books, using: Book.prizes, key: "honors"),
            "Ann {honors: [gold, iron]}")

        try expect(
            Book.filter(key: 1).including(
                required: Book.hasOne(
                    Nation.self, through: Book.author.forKey("writer"),
                    using: Author.nation.forKey("country"))),
            #"SELECT "book".*, "nation".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" JOIN "nation" ON "nation"."code" = "author"."nationCode" WHERE "book"."id" = 1"#,
            "Ants {writer: () {country: FR}}")
    }

    // MARK: - The same key

    @Test func includingWinsOverJoining() throws {
        let included =
            #"SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId""#
        try expect(
            Book.including(optional: Book.author).joining(optional: Book.author), included)
        try expect(
            Book.joining(optional: Book.author).including(optional: Book.author), included)
        // Columns of the row, and columns of the scope.
        let both =
            #"SELECT "book".*, "author"."name", "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" WHERE "book"."id" = 1"#
        let row = #"(id: 1, authorId: 1, title: "Ants", year: 2001, name: "Ann") {author: Ann}"#
        try expect(
            Book.filter(key: 1).including(required: Book.author).annotated(
                withRequired: Book.author.select { $0.name }), both, row)
        try expect(
            Book.filter(key: 1).annotated(withRequired: Book.author.select { $0.name })
                .including(required: Book.author), both, row)
    }

    @Test func requiredWinsOverOptional() throws {
        let required =
            #"SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#
        try expect(
            Book.including(required: Book.author).including(optional: Book.author), required)
        try expect(
            Book.including(optional: Book.author).joining(required: Book.author), required)
    }

    @Test func refinementsOfTheSameKey() throws {
        // All filters hold.
        try expect(
            Book.including(required: Book.author.filter { $0.id > 0 }).including(
                optional: Book.author.filter { $0.name == "Bob" }),
            #"SELECT "book".*, "author".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."id" > 0) AND ("author"."name" = 'Bob')"#,
            "Crows {author: Bob}")
        // The last order and the last selection win.
        try expect(
            Book.including(required: Book.author.order { $0.name }.select { $0.id }).including(
                required: Book.author.order { $0.id.desc }.select { $0.name }),
            #"SELECT "book".*, "author"."name" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "author"."id" DESC"#,
            #"Crows {author: (name: "Bob")} | Ants {author: (name: "Ann")} | Bees {author: (name: "Ann")}"#
        )
        // One that asks for no order leaves it.
        try expect(
            Book.joining(required: Book.author.order { $0.name.desc }).joining(
                required: Book.author),
            #"SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "author"."name" DESC"#
        )
        // What is joined to them adds up.
        try expect(
            Book.filter(key: 1)
                .including(required: Book.author.including(optional: Author.portrait))
                .including(required: Book.author.including(optional: Author.nation)),
            #"SELECT "book".*, "author".*, "portrait".*, "nation".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" LEFT JOIN "portrait" ON "portrait"."authorId" = "author"."id" LEFT JOIN "nation" ON "nation"."code" = "author"."nationCode" WHERE "book"."id" = 1"#,
            "Ants {author: Ann {nation: FR, portrait: smiling}}")
        // Other keys are other tables.
        try expect(
            Author.joining(required: Author.books.filter { $0.year < 2002 }.forKey("old"))
                .joining(required: Author.books.filter { $0.year > 2001 }.forKey("recent")),
            #"SELECT "author".* FROM "author" JOIN "book" "book1" ON ("book1"."authorId" = "author"."id") AND ("book1"."year" < 2002) JOIN "book" "book2" ON ("book2"."authorId" = "author"."id") AND ("book2"."year" > 2001)"#,
            "Ann")
    }

    @Test func prefetchesWithTheSameKey() throws {
        try expect(
            Author.including(all: Author.books.filter { $0.year > 2001 })
                .including(all: Author.books.filter { $0.year < 2003 }.order { $0.id.desc }),
            #"""
            SELECT * FROM "author"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE ("year" > 2001) AND ("year" < 2003) AND ("authorId" IN (1, 2, 3)) ORDER BY "id" DESC
            """#,
            "Ann {books: [Bees]} | Bob {books: []} | Cid {books: []}")
        try expect(
            Author.filter(key: 1).including(all: Author.books.including(all: Book.prizes))
                .including(all: Author.books.including(all: Book.genres)),
            #"""
            SELECT * FROM "author" WHERE "id" = 1
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" = 1
            SELECT *, "bookId" AS "grdb_bookId" FROM "prize" WHERE "bookId" IN (1, 2)
            SELECT "genre".*, "bookGenre"."bookId" AS "grdb_bookId" FROM "genre" JOIN "bookGenre" ON ("bookGenre"."genreId" = "genre"."id") AND ("bookGenre"."bookId" IN (1, 2))
            """#)
        // The joined books have another key than the prefetched ones.
        try expect(
            Author.including(all: Author.books).joining(
                required: Author.books.filter { $0.year > 2001 }),
            #"""
            SELECT "author".* FROM "author" JOIN "book" ON ("book"."authorId" = "author"."id") AND ("book"."year" > 2001)
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2)
            """#,
            "Ann {books: [Ants, Bees]} | Bob {books: [Crows]}")
    }

    @Test func ambiguousKeys() throws {
        func message(_ key: String) -> String {
            """
            SQLite error 21: The association key "\(key)" is ambiguous. Use the \
            Association.forKey(_:) method in order to disambiguate.
            """
        }
        // Another table.
        try expectFailure(
            Author.including(optional: Author.nation.forKey("x")).including(
                optional: Author.portrait.forKey("x")), message("x"))
        // Another foreign key.
        try expectFailure(
            Debate.including(required: Debate.host.forKey("club")).including(
                required: Debate.guest.forKey("club")), message("club"))
        // Another direction.
        try expectFailure(
            Topic.including(required: Topic.belongsTo(Topic.self)).including(
                required: Topic.hasOne(Topic.self)), message("topic"))
        // Joined and prefetched.
        try expectFailure(
            Author.including(optional: Author.portrait.forKey("x")).including(
                all: Author.books.forKey("x")), message("x"))
        try expectFailure(
            Author.including(all: Author.books.forKey("x")).including(
                optional: Author.portrait.forKey("x")), message("x"))
        // Below another association.
        try expectFailure(
            Book.including(
                required: Book.author.including(optional: Author.nation.forKey("x"))
                    .including(optional: Author.portrait.forKey("x"))), message("x"))
    }
}
