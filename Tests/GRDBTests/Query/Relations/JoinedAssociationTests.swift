import GRDB
import GRDBTestSupport
import Testing

/// Associations that are joined: `including`, `joining` and `annotated`, required and optional.
@Suite(.databases) struct JoinedAssociationTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    // MARK: - belongsTo, hasOne, hasMany

    @Test func belongsTo() throws {
        try expect(
            Book.including(required: Book.author),
            #"SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#,
            "Ants {author: Ann} | Bees {author: Ann} | Crows {author: Bob}")
        try expect(
            Book.including(optional: Book.author),
            #"SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId""#,
            "Ants {author: Ann} | Bees {author: Ann} | Crows {author: Bob} | Doves {author: NULL}")
        try expect(
            Book.joining(required: Book.author),
            #"SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#,
            "Ants | Bees | Crows")
        try expect(
            Book.joining(optional: Book.author),
            #"SELECT "book".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId""#,
            "Ants | Bees | Crows | Doves")
        try expect(
            Book.select { $0.title }.annotated(
                withRequired: Book.author.select { $0.name.forKey("authorName") }),
            #"SELECT "book"."title", "author"."name" AS "authorName" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#,
            """
            (title: "Ants", authorName: "Ann") | (title: "Bees", authorName: "Ann") \
            | (title: "Crows", authorName: "Bob")
            """)
        try expect(
            Book.select { $0.title }.annotated(withOptional: Book.author.select { $0.name }),
            #"SELECT "book"."title", "author"."name" FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId""#,
            """
            (title: "Ants", name: "Ann") | (title: "Bees", name: "Ann") \
            | (title: "Crows", name: "Bob") | (title: "Doves", name: NULL)
            """)
    }

    @Test func scopesHoldTheJoinedColumns() throws {
        try dbQueue.read { db in
            let row = try Row.fetchOne(db, Book.including(required: Book.author))!
            expectEqual(row.unscoped, ["id": 1, "authorId": 1, "title": "Ants", "year": 2001])
            expectEqual(row.scopes["author"], ["id": 1, "name": "Ann", "nationCode": "FR"])
            expectEqual(
                row.unadapted.description,
                #"[id:1 authorId:1 title:"Ants" year:2001 id:1 name:"Ann" nationCode:"FR"]"#)

            let annotated = try Row.fetchOne(db, Book.annotated(withRequired: Book.author))!
            expectEqual(
                annotated.description,
                #"[id:1 authorId:1 title:"Ants" year:2001 id:1 name:"Ann" nationCode:"FR"]"#)
            expectTrue(annotated.scopes.isEmpty)
        }
    }

    @Test func hasOne() throws {
        try expect(
            Author.including(required: Author.portrait),
            #"SELECT "author".*, "portrait".* FROM "author" JOIN "portrait" ON "portrait"."authorId" = "author"."id""#,
            "Ann {portrait: smiling} | Cid {portrait: serious}")
        try expect(
            Author.including(optional: Author.portrait),
            #"SELECT "author".*, "portrait".* FROM "author" LEFT JOIN "portrait" ON "portrait"."authorId" = "author"."id""#,
            "Ann {portrait: smiling} | Bob {portrait: NULL} | Cid {portrait: serious}")
        try expect(
            Author.joining(required: Author.portrait),
            #"SELECT "author".* FROM "author" JOIN "portrait" ON "portrait"."authorId" = "author"."id""#,
            "Ann | Cid")
        try expect(
            Author.select { $0.id }.annotated(
                withOptional: Author.portrait.select(Column("caption"))),
            #"SELECT "author"."id", "portrait"."caption" FROM "author" LEFT JOIN "portrait" ON "portrait"."authorId" = "author"."id""#,
            #"(id: 1, caption: "smiling") | (id: 2, caption: NULL) | (id: 3, caption: "serious")"#)
    }

    @Test func hasMany() throws {
        // One row a book, below a singular key.
        try expect(
            Author.including(required: Author.books),
            #"SELECT "author".*, "book".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id""#,
            "Ann {book: Ants} | Ann {book: Bees} | Bob {book: Crows}")
        try expect(
            Author.including(optional: Author.books),
            #"SELECT "author".*, "book".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id""#,
            "Ann {book: Ants} | Ann {book: Bees} | Bob {book: Crows} | Cid {book: NULL}")
        try expect(
            Author.joining(required: Author.books),
            #"SELECT "author".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id""#,
            "Ann | Ann | Bob")
        try expect(
            Author.joining(optional: Author.books),
            #"SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id""#,
            "Ann | Ann | Bob | Cid")
        try expect(
            Author.select { $0.name }.annotated(withRequired: Author.books.select { $0.title }),
            #"SELECT "author"."name", "book"."title" FROM "author" JOIN "book" ON "book"."authorId" = "author"."id""#,
            """
            (name: "Ann", title: "Ants") | (name: "Ann", title: "Bees") \
            | (name: "Bob", title: "Crows")
            """)
        try expect(
            Author.filter(key: 1).joining(required: Author.books),
            #"SELECT "author".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id" WHERE "author"."id" = 1"#,
            "Ann | Ann")
    }

    @Test func singleResultsAreLimited() throws {
        try dbQueue.read { db in
            let sql = try db.statements {
                try expectEqual(Book.including(required: Book.author).fetchOne(db)?.id, 1)
                // A key tells one author, but several books may be joined to it.
                try expectEqual(
                    Author.filter(key: 1).joining(required: Author.books).fetchOne(db)?.id,
                    1)
            }
            expectEqual(
                sql,
                [
                    #"SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" LIMIT 1"#,
                    #"SELECT "author".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id" WHERE "author"."id" = 1 LIMIT 1"#,
                ])
        }
    }

    @Test func compositeKeys() throws {
        try expect(
            Copy.including(required: Copy.shelf),
            #"SELECT "copy".*, "shelf".* FROM "copy" JOIN "shelf" ON ("shelf"."room" = "copy"."room") AND ("shelf"."number" = "copy"."number")"#,
            "copy1 {shelf: A1} | copy2 {shelf: A1} | copy3 {shelf: A2}")
        // A key that is NULL in part refers to nothing.
        try expect(
            Copy.including(optional: Copy.shelf),
            #"SELECT "copy".*, "shelf".* FROM "copy" LEFT JOIN "shelf" ON ("shelf"."room" = "copy"."room") AND ("shelf"."number" = "copy"."number")"#,
            """
            copy1 {shelf: A1} | copy2 {shelf: A1} | copy3 {shelf: A2} | copy4 {shelf: NULL} \
            | copy5 {shelf: NULL}
            """)
        try expect(
            Shelf.joining(required: Shelf.copies),
            #"SELECT "shelf".* FROM "shelf" JOIN "copy" ON ("copy"."room" = "shelf"."room") AND ("copy"."number" = "shelf"."number")"#,
            "A1 | A1 | A2")
    }

    // MARK: - Several tables

    @Test func nested() throws {
        try expect(
            Book.including(required: Book.author.including(optional: Author.nation)),
            #"SELECT "book".*, "author".*, "nation".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" LEFT JOIN "nation" ON "nation"."code" = "author"."nationCode""#,
            """
            Ants {author: Ann {nation: FR}} | Bees {author: Ann {nation: FR}} \
            | Crows {author: Bob {nation: US}}
            """)
        try expect(
            Prize.including(
                required: Prize.book.including(
                    required: Book.author.including(required: Author.nation))),
            #"SELECT "prize".*, "book".*, "author".*, "nation".* FROM "prize" JOIN "book" ON "book"."id" = "prize"."bookId" JOIN "author" ON "author"."id" = "book"."authorId" JOIN "nation" ON "nation"."code" = "author"."nationCode""#,
            """
            gold {book: Ants {author: Ann {nation: FR}}} \
            | iron {book: Ants {author: Ann {nation: FR}}} \
            | lead {book: Crows {author: Bob {nation: US}}}
            """)
        try expect(
            Author.including(optional: Author.nation).including(optional: Author.portrait),
            #"SELECT "author".*, "nation".*, "portrait".* FROM "author" LEFT JOIN "nation" ON "nation"."code" = "author"."nationCode" LEFT JOIN "portrait" ON "portrait"."authorId" = "author"."id""#,
            """
            Ann {nation: FR, portrait: smiling} | Bob {nation: US, portrait: NULL} \
            | Cid {nation: NULL, portrait: serious}
            """)
    }

    @Test func tablesBetweenMayBeLeftOut() throws {
        try expect(
            Book.joining(optional: Book.author.including(optional: Author.nation)),
            #"SELECT "book".*, "nation".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" LEFT JOIN "nation" ON "nation"."code" = "author"."nationCode""#,
            """
            Ants {author: () {nation: FR}} | Bees {author: () {nation: FR}} \
            | Crows {author: () {nation: US}} | Doves {author: () {nation: NULL}}
            """)
        try expect(
            Book.filter(key: 1).including(
                optional: Book.author.annotated(
                    withOptional: Author.nation.select { $0.name.forKey("nationName") })),
            #"SELECT "book".*, "author".*, "nation"."name" AS "nationName" FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" LEFT JOIN "nation" ON "nation"."code" = "author"."nationCode" WHERE "book"."id" = 1"#,
            #"Ants {author: (id: 1, name: "Ann", nationCode: "FR", nationName: "France")}"#)
        try expect(
            Book.filter(key: 1).annotated(
                withOptional: Book.author.select { $0.name }.including(optional: Author.nation)),
            #"SELECT "book".*, "author"."name", "nation".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" LEFT JOIN "nation" ON "nation"."code" = "author"."nationCode" WHERE "book"."id" = 1"#,
            #"(id: 1, authorId: 1, title: "Ants", year: 2001, name: "Ann") {author: () {nation: FR}}"#
        )
    }

    // MARK: - Required behind optional

    @Test func requiredBehindOptional() throws {
        // Cid has no nation. A book keeps its row, and gets an author with a nation or none.
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO book VALUES (5, 3, 'Eels', 2005)")
        }
        try expect(
            Book.including(optional: Book.author.including(required: Author.nation)),
            #"SELECT "book".*, "author"."id" AS "id", "author"."name" AS "name", "author"."nationCode" AS "nationCode", "nation"."code" AS "code", "nation"."name" AS "name" FROM "book" LEFT JOIN ("author" JOIN "nation" ON "nation"."code" = "author"."nationCode") ON "author"."id" = "book"."authorId""#,
            """
            Ants {author: Ann {nation: FR}} | Bees {author: Ann {nation: FR}} \
            | Crows {author: Bob {nation: US}} | Doves {author: NULL {nation: NULL}} \
            | Eels {author: NULL {nation: NULL}}
            """)
        try expect(
            Book.including(optional: Book.author.joining(required: Author.nation)),
            #"SELECT "book".*, "author"."id" AS "id", "author"."name" AS "name", "author"."nationCode" AS "nationCode" FROM "book" LEFT JOIN ("author" JOIN "nation" ON "nation"."code" = "author"."nationCode") ON "author"."id" = "book"."authorId""#,
            """
            Ants {author: Ann} | Bees {author: Ann} | Crows {author: Bob} | Doves {author: NULL} \
            | Eels {author: NULL}
            """)
        // Another optional table inside of the parentheses.
        try expect(
            Book.select { $0.title }.including(
                optional: Book.author.select { $0.name }
                    .joining(required: Author.nation)
                    .including(optional: Author.portrait.select(Column("caption")))),
            #"SELECT "book"."title", "author"."name" AS "name", "portrait"."caption" AS "caption" FROM "book" LEFT JOIN ("author" JOIN "nation" ON "nation"."code" = "author"."nationCode" LEFT JOIN "portrait" ON "portrait"."authorId" = "author"."id") ON "author"."id" = "book"."authorId""#,
            """
            (title: "Ants") {author: (name: "Ann") {portrait: (caption: "smiling")}} \
            | (title: "Bees") {author: (name: "Ann") {portrait: (caption: "smiling")}} \
            | (title: "Crows") {author: (name: "Bob") {portrait: NULL}} \
            | (title: "Doves") {author: NULL {portrait: NULL}} \
            | (title: "Eels") {author: NULL {portrait: NULL}}
            """)
        // Parentheses inside of parentheses.
        try expect(
            Prize.select { $0.name }.joining(
                optional: Prize.book.filter { $0.year < 2003 }.joining(
                    required: Book.author.joining(
                        optional: Author.portrait.joining(required: Portrait.author)))),
            #"SELECT "prize"."name" FROM "prize" LEFT JOIN ("book" JOIN "author" "author1" ON "author1"."id" = "book"."authorId" LEFT JOIN ("portrait" JOIN "author" "author2" ON "author2"."id" = "portrait"."authorId") ON "portrait"."authorId" = "author1"."id") ON ("book"."id" = "prize"."bookId") AND ("book"."year" < 2003)"#,
            #"(name: "gold") | (name: "iron") | (name: "lead")"#)
    }

    // MARK: - Self joins

    @Test func selfJoins() throws {
        try expect(
            Topic.including(optional: Topic.parent),
            #"SELECT "topic1".*, "topic2".* FROM "topic" "topic1" LEFT JOIN "topic" "topic2" ON "topic2"."id" = "topic1"."parentId""#,
            "root {parent: NULL} | stem {parent: root} | leaf {parent: stem} | twig {parent: root}")
        try expect(
            Topic.including(required: Topic.parent.including(required: Topic.parent)),
            #"SELECT "topic1".*, "topic2".*, "topic3".* FROM "topic" "topic1" JOIN "topic" "topic2" ON "topic2"."id" = "topic1"."parentId" JOIN "topic" "topic3" ON "topic3"."id" = "topic2"."parentId""#,
            "leaf {parent: stem {parent: root}}")
        try expect(
            Topic.joining(required: Topic.children).distinct(),
            #"SELECT DISTINCT "topic1".* FROM "topic" "topic1" JOIN "topic" "topic2" ON "topic2"."parentId" = "topic1"."id""#,
            "root | stem")
        try expect(
            Debate.including(required: Debate.host).including(optional: Debate.guest),
            #"SELECT "debate".*, "club1".*, "club2".* FROM "debate" JOIN "club" "club1" ON "club1"."id" = "debate"."hostId" LEFT JOIN "club" "club2" ON "club2"."id" = "debate"."guestId""#,
            """
            debate1 {guest: blues, host: reds} | debate2 {guest: reds, host: blues} \
            | debate3 {guest: NULL, host: reds}
            """)
        try expect(
            Book.including(required: Book.author.including(required: Author.books)),
            #"SELECT "book1".*, "author".*, "book2".* FROM "book" "book1" JOIN "author" ON "author"."id" = "book1"."authorId" JOIN "book" "book2" ON "book2"."authorId" = "author"."id""#
        )
    }
}
