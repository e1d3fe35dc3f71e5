import GRDB
import GRDBTestSupport
import Testing

/// Requests for the rows associated to a record, and what requests with associations can do but
/// fetch.
@Suite(.databases) struct AssociatedRequestTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    // MARK: - request(for:)

    @Test func requestsForAssociatedRows() throws {
        let ann = Author.ann
        try expect(
            ann.request(for: Author.books), #"SELECT * FROM "book" WHERE "authorId" = 1"#,
            "Ants | Bees")
        try expect(
            ann.request(for: Author.nation), #"SELECT * FROM "nation" WHERE "code" = 'FR'"#, "FR")
        try expect(
            ann.request(for: Author.portrait),
            #"SELECT * FROM "portrait" WHERE "authorId" = 1"#, "smiling")
        try expect(
            ann.request(for: Author.prizes),
            #"SELECT "prize".* FROM "prize" JOIN "book" ON ("book"."id" = "prize"."bookId") AND ("book"."authorId" = 1)"#,
            "gold | iron")
        try expect(
            ann.request(for: Author.genres).order { $0.name },
            #"SELECT "genre".* FROM "genre" JOIN "bookGenre" ON "bookGenre"."genreId" = "genre"."id" JOIN "book" ON ("book"."id" = "bookGenre"."bookId") AND ("book"."authorId" = 1) ORDER BY "genre"."name""#,
            "crime | nature")
        try expect(
            Book.crows.request(for: Book.author), #"SELECT * FROM "author" WHERE "id" = 2"#, "Bob")
        try expect(
            Book.crows.request(for: Book.nation),
            #"SELECT "nation".* FROM "nation" JOIN "author" ON ("author"."nationCode" = "nation"."code") AND ("author"."id" = 2)"#,
            "US")
        try expect(
            Topic.root.request(for: Topic.children),
            #"SELECT * FROM "topic" WHERE "parentId" = 1"#, "stem | twig")
        try expect(
            Topic.stem.request(for: Topic.parent), #"SELECT * FROM "topic" WHERE "id" = 1"#, "root")
        try expect(
            Shelf(room: "A", number: 1).request(for: Shelf.copies),
            #"SELECT * FROM "copy" WHERE ("room" = 'A') AND ("number" = 1)"#, "copy1 | copy2")
    }

    @Test func nullLeadsNowhere() throws {
        try expect(Book.doves.request(for: Book.author), #"SELECT * FROM "author" WHERE 0"#, "")
        try expect(
            Book.doves.request(for: Book.nation),
            #"SELECT "nation".* FROM "nation" JOIN "author" ON ("author"."nationCode" = "nation"."code") AND 0"#,
            "")
        try expect(
            Copy(id: 5, room: "A", number: nil).request(for: Copy.shelf),
            #"SELECT * FROM "shelf" WHERE 0"#, "")
        try expect(Topic.root.request(for: Topic.parent), #"SELECT * FROM "topic" WHERE 0"#, "")
    }

    @Test func refinedRequests() throws {
        try expect(
            Author.ann.request(for: Author.books.filter { $0.year > 2001 }.order { $0.year }),
            #"SELECT * FROM "book" WHERE ("year" > 2001) AND ("authorId" = 1) ORDER BY "year""#,
            "Bees")
        try expect(
            Author.ann.request(for: Author.books).filter { $0.year > 2001 },
            #"SELECT * FROM "book" WHERE ("authorId" = 1) AND ("year" > 2001)"#, "Bees")
        try expect(
            Book.ants.request(for: Book.author.select { $0.name }),
            #"SELECT "name" FROM "author" WHERE "id" = 1"#, #"(name: "Ann")"#)
        let author = TableAlias<Author>(name: "a")
        try expect(
            Book.ants.request(for: Book.author.aliased(author)).filter(author.name == "Ann"),
            #"SELECT "a".* FROM "author" "a" WHERE ("a"."id" = 1) AND ("a"."name" = 'Ann')"#, "Ann")
        for request in [
            Book.ants.request(for: Book.author.including(all: Author.books)),
            Book.ants.request(for: Book.author).including(all: Author.books),
        ] {
            try expect(
                request,
                #"""
                SELECT * FROM "author" WHERE "id" = 1
                SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" = 1
                """#,
                "Ann {books: [Ants, Bees]}")
        }
        try expect(
            Author.ann.request(for: Author.books.including(required: Book.author)),
            #"SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" WHERE "book"."authorId" = 1"#,
            "Ants {author: Ann} | Bees {author: Ann}")
        try dbQueue.read { db in
            try expectEqual(Book.ants.request(for: Book.author).fetchOne(db), .ann)
            try expectEqual(Author.ann.request(for: Author.books).fetchSet(db), [.ants, .bees])
        }
    }

    @Test func recordsThatLackTheColumn() throws {
        struct Nameless: TableRecord, Encodable, EncodableRecord {
            static let databaseTableName = "author"
            var name = "Ann"
        }
        try expectFailure(
            Nameless().request(for: Nameless.hasMany(Book.self)),
            """
            SQLite error 21: Can't request the rows associated to a record of the table author: it \
            encodes no column id
            """)
    }

    // MARK: - Writes

    @Test func deletingAssociatedRows() throws {
        try dbQueue.write { db in
            try db.execute(sql: "DELETE FROM bookGenre; UPDATE prize SET bookId = 4 WHERE id = 3")
            let sql = try db.statements {
                try expectEqual(Author.ann.request(for: Author.prizes).deleteAll(db), 2)
                try expectEqual(Author.bob.request(for: Author.books).deleteAll(db), 1)
                try expectEqual(Book.joining(required: Book.author).deleteAll(db), 2)
            }
            expectEqual(
                sql,
                [
                    #"DELETE FROM "prize" WHERE "id" IN (SELECT "prize"."id" FROM "prize" JOIN "book" ON ("book"."id" = "prize"."bookId") AND ("book"."authorId" = 1))"#,
                    #"DELETE FROM "book" WHERE "authorId" = 2"#,
                    #"DELETE FROM "book" WHERE "id" IN (SELECT "book"."id" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId")"#,
                ])
            try expectEqual(Prize.fetchAll(db).map(\.name), ["lead"])
            try expectEqual(Book.fetchAll(db), [.doves])
        }
    }

    @Test func updatingAssociatedRows() throws {
        try dbQueue.write { db in
            let sql = try db.statements {
                try expectEqual(
                    Author.ann.request(for: Author.prizes).updateAll(
                        db, Column("name").set(to: "tin")),
                    2)
                try expectEqual(
                    Author.ann.request(for: Author.books).updateAll(db, Column("year") += 1),
                    2)
                try expectEqual(
                    Book.joining(required: Book.nation.filter(key: "US")).updateAll(
                        db, Column("year").set(to: 0)),
                    1)
            }
            expectEqual(
                sql,
                [
                    #"UPDATE "prize" SET "name" = 'tin' WHERE "id" IN (SELECT "prize"."id" FROM "prize" JOIN "book" ON ("book"."id" = "prize"."bookId") AND ("book"."authorId" = 1))"#,
                    #"UPDATE "book" SET "year" = "year" + 1 WHERE "authorId" = 1"#,
                    #"UPDATE "book" SET "year" = 0 WHERE "id" IN (SELECT "book"."id" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" JOIN "nation" ON ("nation"."code" = "author"."nationCode") AND ("nation"."code" = 'US'))"#,
                ])
            try expectEqual(Prize.order { $0.id }.fetchAll(db).map(\.name), ["tin", "tin", "lead"])
            try expectEqual(Book.order { $0.id }.fetchAll(db).map(\.year), [2002, 2003, 0, 2004])
        }
    }

    // MARK: - Counts

    @Test func counts() throws {
        func expectCount(
            _ request: QueryInterfaceRequest<some Any>, _ count: Int, _ sql: String,
            line: Int = #line
        ) throws {
            try dbQueue.read { db in
                let statements = try db.statements {
                    try expectEqual(request.fetchCount(db), count, line: line)
                }
                expectEqual(statements, [sql], line: line)
                try expectEqual(request.isEmpty(db), (count == 0), line: line)
            }
        }
        try expectCount(
            Author.ann.request(for: Author.books), 2,
            #"SELECT COUNT(*) FROM "book" WHERE "authorId" = 1"#)
        try expectCount(
            Author.including(all: Author.books), 3, #"SELECT COUNT(*) FROM "author""#)
        try expectCount(
            Book.including(optional: Book.author), 4,
            #"SELECT COUNT(*) FROM (SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId")"#
        )
        try expectCount(
            Author.joining(required: Author.books), 3,
            #"SELECT COUNT(*) FROM (SELECT "author".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id")"#
        )
        try expectCount(
            Author.joining(required: Author.books).distinct(), 2,
            #"SELECT COUNT(*) FROM (SELECT DISTINCT "author".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id")"#
        )
        try expectCount(
            Author.having(Author.books.count > 1), 1,
            #"SELECT COUNT(*) FROM (SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id" HAVING COUNT(DISTINCT "book"."id") > 1)"#
        )
        try expectCount(
            Book.including(required: Book.author).limit(2), 2,
            #"SELECT COUNT(*) FROM (SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" LIMIT 2)"#
        )
        try expectCount(
            Book.joining(required: Book.author.none()), 0,
            #"SELECT COUNT(*) FROM (SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND 0)"#
        )
    }

    // MARK: - Regions

    @Test func regions() throws {
        try dbQueue.read { db in
            func region(_ request: QueryInterfaceRequest<some Any>) throws -> String {
                try request.databaseRegion(db).description
            }
            let (author, book) = ("author(id,name,nationCode)", "book(authorId,id,title,year)")
            try expectEqual(region(Book.including(required: Book.author)), "\(author),\(book)")
            try expectEqual(region(Author.including(all: Author.books)), "\(author),\(book)")
            try expectEqual(
                region(Author.filter(key: 1).including(all: Author.books)),
                "\(author)[1],\(book)")
            try expectEqual(
                region(Author.including(all: Author.prizes)),
                "\(author),book(authorId,id),prize(amount,bookId,id,name)")
            try expectEqual(
                region(Author.including(all: Author.books.including(all: Book.prizes))),
                "\(author),\(book),prize(amount,bookId,id,name)")
            try expectEqual(
                region(Author.including(all: Author.books.select { $0.title })),
                "\(author),book(authorId,title)")
            try expectEqual(
                region(Author.annotated(with: Author.books.count)),
                "\(author),book(authorId,id)")
            // From a joined table. That the books are there at all matters to what is prefetched.
            let genres = try region(
                Prize.including(required: Prize.book.including(all: Book.genres)))
            expectEqual(
                genres,
                "book(authorId,id,title,year),bookGenre(bookId,genreId),genre(id,name),prize(amount,bookId,id,name)"
            )
        }
    }

    @Test func regionsOfCommonTableExpressions() throws {
        let recent = CommonTableExpression<Book>(
            named: "recent", request: Book.filter { $0.year > 2001 })
        let recentBook = Author.association(to: recent) { author, book in
            book.authorId == author.id
        }.including(all: Book.prizes)
        try dbQueue.read { db in
            for request in [
                Author.with(recent).including(optional: recentBook).asRequest(of: Row.self),
                Nation.with(recent).including(
                    required: Nation.authors.including(optional: recentBook)
                ).asRequest(of: Row.self),
            ] {
                let rows = try request.fetchAll(db)
                expectEqual(rows.map { $0.prefetchedRows["prizes"]!.count }.prefix(2), [0, 1])
                let region = try request.databaseRegion(db)
                for table in ["author", "book", "prize"] {
                    expectTrue(
                        region.isModified(
                            byEventsOfKind: .insert(tableName: table)))
                }
                expectTrue(!region.isModified(byEventsOfKind: .insert(tableName: "genre")))
            }
        }
    }
}
