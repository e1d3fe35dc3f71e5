import GRDB
import GRDBTestSupport
import Testing

/// Associations of tables without records, and of tables with odd names and places.
@Suite(.databases) struct TableAssociationTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    private let author = Table("author")
    private let book = Table("book")
    private let prize = Table("prize")

    // MARK: - Tables

    @Test func joins() throws {
        let bookAuthor = book.belongsTo(author)
        try expect(
            book.including(required: bookAuthor),
            #"SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#,
            "Ants {author: Ann} | Bees {author: Ann} | Crows {author: Bob}")
        try expect(
            book.including(optional: bookAuthor),
            #"SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId""#,
            "Ants {author: Ann} | Bees {author: Ann} | Crows {author: Bob} | Doves {author: NULL}")
        try expect(
            book.joining(required: bookAuthor),
            #"SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#,
            "Ants | Bees | Crows")
        try expect(
            book.joining(optional: bookAuthor),
            #"SELECT "book".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId""#,
            "Ants | Bees | Crows | Doves")
        try expect(
            author.annotated(
                withRequired: author.hasOne(Table("portrait")).select(Column("caption"))),
            #"SELECT "author".*, "portrait"."caption" FROM "author" JOIN "portrait" ON "portrait"."authorId" = "author"."id""#,
            """
            (id: 1, name: "Ann", nationCode: "FR", caption: "smiling") \
            | (id: 3, name: "Cid", nationCode: NULL, caption: "serious")
            """)
        try expect(
            author.filter(key: 2).annotated(
                withOptional: author.hasOne(Table("portrait"), key: "face").select(
                    Column("caption"))),
            #"SELECT "author".*, "portrait"."caption" FROM "author" LEFT JOIN "portrait" ON "portrait"."authorId" = "author"."id" WHERE "author"."id" = 2"#,
            #"(id: 2, name: "Bob", nationCode: "US", caption: NULL)"#)
    }

    @Test func prefetchesAndAggregates() throws {
        let books = author.hasMany(book)
        let prizes = author.hasMany(Row.self, through: books, using: book.hasMany(prize))
        try expect(
            author.including(all: books),
            #"""
            SELECT * FROM "author"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
            """#,
            "Ann {books: [Ants, Bees]} | Bob {books: [Crows]} | Cid {books: []}")
        try expect(
            author.including(all: prizes),
            #"""
            SELECT * FROM "author"
            SELECT "prize".*, "book"."authorId" AS "grdb_authorId" FROM "prize" JOIN "book" ON ("book"."id" = "prize"."bookId") AND ("book"."authorId" IN (1, 2, 3))
            """#,
            "Ann {prizes: [gold, iron]} | Bob {prizes: [lead]} | Cid {prizes: []}")
        try expect(
            author.annotated(with: books.count, prizes.count).select(Column("id")),
            #"SELECT "author"."id" FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" LEFT JOIN "prize" ON "prize"."bookId" = "book"."id" GROUP BY "author"."id""#,
            "(id: 1) | (id: 2) | (id: 3)")
        try expect(
            author.annotated(with: [books.count]),
            #"SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount" FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id""#
        )
        try expect(
            author.having(books.isEmpty),
            #"SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id" HAVING COUNT(DISTINCT "book"."id") = 0"#,
            "Cid")
        let country = book.hasOne(
            Row.self, through: book.belongsTo(author), using: author.belongsTo(Table("nation")),
            key: "country")
        try expect(
            book.filter(key: 1).including(optional: country),
            #"SELECT "book".*, "nation".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" LEFT JOIN "nation" ON "nation"."code" = "author"."nationCode" WHERE "book"."id" = 1"#,
            "Ants {author: () {country: FR}}")
    }

    @Test func tablesAndRecords() throws {
        try expect(
            Author.including(optional: Author.hasOne(Table("portrait"))),
            #"SELECT "author".*, "portrait".* FROM "author" LEFT JOIN "portrait" ON "portrait"."authorId" = "author"."id""#,
            "Ann {portrait: smiling} | Bob {portrait: NULL} | Cid {portrait: serious}")
        try expect(
            Author.including(required: Author.belongsTo(Table("nation"), key: "country")),
            #"SELECT "author".*, "nation".* FROM "author" JOIN "nation" ON "nation"."code" = "author"."nationCode""#,
            "Ann {country: FR} | Bob {country: US}")
        let authors = Table<Author>("author")
        try dbQueue.read { db in
            try expectEqual(
                authors.having(authors.hasMany(Book.self).count == 1).fetchAll(db),
                [.bob])
            try expectEqual(
                authors.joining(required: authors.hasOne(Portrait.self)).order(Column("id"))
                    .fetchAll(db),
                [.ann, .cid])
            try expectEqual(
                Table<Book>("book").joining(required: Table<Book>("book").belongsTo(Author.self))
                    .order(Column("id")).fetchAll(db), [.ants, .bees, .crows])
            try expectEqual(
                Author.ann.request(for: Author.hasMany(Table<Book>("book"))).order(Column("id"))
                    .fetchAll(db),
                [.ants, .bees])
        }
    }

    // MARK: - Odd names

    @Test func oddNames() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: #"""
                    CREATE TABLE "a ""b"" table" ("the key" INTEGER PRIMARY KEY, "select" TEXT);
                    INSERT INTO "a ""b"" table" VALUES (1, 'x'), (2, 'y');
                    CREATE TABLE "order" (
                      "group" INTEGER PRIMARY KEY,
                      "a.b""c" INTEGER REFERENCES "a ""b"" table"("the key"));
                    INSERT INTO "order" VALUES (10, 1), (11, 1), (12, NULL);
                    """#)
        }
        let (parent, child) = (Table(#"a "b" table"#), Table("order"))
        try expect(
            child.including(required: child.belongsTo(parent, key: "p")),
            #"SELECT "order".*, "a ""b"" table".* FROM "order" JOIN "a ""b"" table" ON "a ""b"" table"."the key" = "order"."a.b""c""#,
            #"(group: 10, a.b"c: 1) {p: (the key: 1, select: "x")} | (group: 11, a.b"c: 1) {p: (the key: 1, select: "x")}"#
        )
        try expect(
            parent.including(all: parent.hasMany(child)),
            #"""
            SELECT * FROM "a ""b"" table"
            SELECT *, "a.b""c" AS "grdb_a.b""c" FROM "order" WHERE "a.b""c" IN (1, 2)
            """#,
            #"""
            (the key: 1, select: "x") {orders: [(group: 10, a.b"c: 1), (group: 11, a.b"c: 1)]} \#
            | (the key: 2, select: "y") {orders: []}
            """#)
        try expect(
            parent.annotated(with: parent.hasMany(child).count),
            #"SELECT "a ""b"" table".*, COUNT(DISTINCT "order"."group") AS "orderCount" FROM "a ""b"" table" LEFT JOIN "order" ON "order"."a.b""c" = "a ""b"" table"."the key" GROUP BY "a ""b"" table"."the key""#,
            #"(the key: 1, select: "x", orderCount: 2) | (the key: 2, select: "y", orderCount: 0)"#)
    }

    // MARK: - Schemas

    @Test func tablesOfAnotherSchema() throws {
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ':memory:' AS other;
                    CREATE TABLE other.author (id INTEGER PRIMARY KEY, name TEXT);
                    INSERT INTO other.author VALUES (1, 'Zoe');
                    CREATE TABLE other.novel (
                      id INTEGER PRIMARY KEY, title TEXT, authorId INTEGER REFERENCES author(id));
                    INSERT INTO other.novel VALUES (1, 'Zebras', 1);
                    CREATE TEMPORARY TABLE draft (id INTEGER PRIMARY KEY, bookId INTEGER);
                    INSERT INTO draft VALUES (1, 3), (2, 3);
                    """)
        }
        // The first schema that has the table.
        let drafts = Book.hasMany(Table("draft"), using: ForeignKey(["bookId"], to: ["id"]))
        try expect(
            Book.filter(key: 3).including(all: drafts),
            #"""
            SELECT * FROM "book" WHERE "id" = 3
            SELECT *, "bookId" AS "grdb_bookId" FROM "draft" WHERE "bookId" = 3
            """#,
            "Crows {drafts: [(id: 1, bookId: 3), (id: 2, bookId: 3)]}")
        let novel = Table("novel")
        try expect(
            novel.including(all: novel.hasMany(Table("draft"), using: ForeignKey(["bookId"]))),
            #"""
            SELECT * FROM "novel"
            SELECT *, "bookId" AS "grdb_bookId" FROM "draft" WHERE "bookId" = 1
            """#,
            #"(id: 1, title: "Zebras", authorId: 1) {drafts: []}"#)
    }

    // MARK: - Other connections

    private func fetchCareers(_ db: Database) throws -> [String] {
        try Row.fetchAll(db, Author.including(all: Author.books).order { $0.id }).map(describe)
    }

    private let careers = ["Ann {books: [Ants, Bees]}", "Bob {books: [Crows]}", "Cid {books: []}"]

    @Test(arguments: DatabaseKind.allCases)
    func queuesAndPools(kind: DatabaseKind) async throws {
        let writer = try TestDatabases.makeWriter(kind)
        try await writer.write { db in try LibraryTables.create(db) }
        let read = try await writer.read { db in try fetchCareers(db) }
        expectEqual(read, careers)
        let written = try await writer.write { db in
            try Book.crows.request(for: Book.author).updateAll(db, Column("name").set(to: "Ben"))
            return try fetchCareers(db)
        }
        expectEqual(written[1], "Ben {books: [Crows]}")
    }

    @Test func snapshots() throws {
        let pool = try TestDatabases.makePool()
        try pool.write { db in try LibraryTables.create(db) }
        let snapshot = try pool.makeSnapshot()
        let snapshotPool = try pool.makeSnapshotPool()
        try pool.write { db in
            _ = try Prize.deleteAll(db)
            try db.execute(sql: "DELETE FROM bookGenre; DELETE FROM book")
        }
        try expectEqual(snapshot.read { try fetchCareers($0) }, careers)
        try expectEqual(snapshotPool.read { try fetchCareers($0) }, careers)
        try expectEqual(
            pool.read { try fetchCareers($0) },
            ["Ann {books: []}", "Bob {books: []}", "Cid {books: []}"])
    }

    /// From the table of a record type to a table that has none.
    @Test func associationsOfRecordTypes() throws {
        struct Player: TableRecord {}
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name);
                    CREATE TABLE award (winner, title);
                    INSERT INTO player VALUES (1, 'Arthur'), (2, 'Barbara');
                    INSERT INTO award VALUES ('Barbara', 'Best Newcomer')
                    """)
            let award = Player.association(
                to: Table("award"), on: { player, award in award["winner"] == player["name"] })
            let request = Player.including(required: award).asRequest(of: Row.self)
            try expectEqual(
                request.makePreparedRequest(db).statement.sql,
                """
                SELECT "player".*, "award".* FROM "player" \
                JOIN "award" ON "award"."winner" = "player"."name"
                """)
            let rows = try request.fetchAll(db)
            expectEqual(rows.map { $0["id"] as Int }, [2])
            expectEqual(rows.map { $0.scopes["award"]?["title"] as String? }, ["Best Newcomer"])
            let all = Player.joining(required: Player.association(to: Table("award")))
            try expectEqual(all.fetchCount(db), 2)
        }
    }
}
