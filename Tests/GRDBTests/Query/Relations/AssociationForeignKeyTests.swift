import GRDB
import GRDBTestSupport
import Testing

/// The foreign keys of associations: inferred from the schema, or given.
@Suite(.databases) struct AssociationForeignKeyTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    private struct AuthorView: TableRecord {}
    private struct Missing: TableRecord {}

    private func unknown(_ origin: String, _ destination: String, _ details: String = "") -> String
    {
        """
        SQLite error 21: Could not infer foreign key from '\(origin)' to '\(destination)'. To fix \
        this error, provide an explicit `ForeignKey` in the association definition\(details).
        """
    }

    @Test func foreignKeysThatAreNotDeclared() throws {
        try expectFailure(
            Note.including(required: Note.belongsTo(Author.self)), unknown("note", "author"))
        try expectFailure(
            Author.including(required: Author.hasOne(Note.self)), unknown("note", "author"))
        try expectFailure(
            Author.including(all: Author.hasMany(Note.self)), unknown("note", "author"))
        try expectFailure(
            Author.annotated(with: Author.hasMany(Note.self).count), unknown("note", "author"))
        try expectFailure(
            Author.ann.request(for: Author.hasMany(Note.self)), unknown("note", "author"))

        let sql =
            #"SELECT "note".*, "author".* FROM "note" JOIN "author" ON "author"."id" = "note"."authorId""#
        // The columns of the destination are those of its primary key, unless they are told.
        for foreignKey in [
            ForeignKey(["authorId"]), ForeignKey([Column("authorId")]),
            ForeignKey(["authorId"], to: ["id"]),
            ForeignKey([Column("authorId")], to: [Column("id")]),
        ] {
            try expect(
                Note.including(required: Note.belongsTo(Author.self, using: foreignKey)), sql,
                "(id: 1, authorId: 1) {author: Ann} | (id: 2, authorId: 3) {author: Cid}")
            try expect(
                Author.including(all: Author.hasMany(Note.self, using: foreignKey)),
                #"""
                SELECT * FROM "author"
                SELECT *, "authorId" AS "grdb_authorId" FROM "note" WHERE "authorId" IN (1, 2, 3)
                """#,
                """
                Ann {notes: [(id: 1, authorId: 1)]} | Bob {notes: []} \
                | Cid {notes: [(id: 2, authorId: 3)]}
                """)
        }
        // Any columns will do.
        try expect(
            Author.including(
                optional: Author.belongsTo(
                    Topic.self, using: ForeignKey(["name"], to: ["name"]))),
            #"SELECT "author".*, "topic".* FROM "author" LEFT JOIN "topic" ON "topic"."name" = "author"."name""#,
            "Ann {topic: NULL} | Bob {topic: NULL} | Cid {topic: NULL}")
    }

    @Test func severalForeignKeys() throws {
        func ambiguous() -> String {
            """
            SQLite error 21: Ambiguous foreign key from 'debate' to 'club'. To fix this error, \
            provide an explicit `ForeignKey` in the association definition.
            """
        }
        try expectFailure(
            Debate.including(required: Debate.belongsTo(Club.self)), ambiguous())
        try expectFailure(Club.including(all: Club.hasMany(Debate.self)), ambiguous())
        try expectFailure(Club.including(required: Club.hasOne(Debate.self)), ambiguous())
        try expect(
            Debate.including(
                required: Debate.belongsTo(Club.self, using: ForeignKey(["guestId"]))),
            #"SELECT "debate".*, "club".* FROM "debate" JOIN "club" ON "club"."id" = "debate"."guestId""#,
            "debate1 {club: blues} | debate2 {club: reds}")
    }

    @Test func compositeForeignKeys() throws {
        // A declaration tells the columns of the destination, whatever the order here.
        for columns in [["room", "number"], ["number", "room"], ["NUMBER", "Room"]] {
            try expect(
                Copy.including(required: Copy.belongsTo(Shelf.self, using: ForeignKey(columns))),
                #"SELECT "copy".*, "shelf".* FROM "copy" JOIN "shelf" ON ("shelf"."room" = "copy"."room") AND ("shelf"."number" = "copy"."number")"#,
                "copy1 {shelf: A1} | copy2 {shelf: A1} | copy3 {shelf: A2}")
        }
        // Another number of columns than the primary key has.
        try expectFailure(
            Copy.including(required: Copy.belongsTo(Shelf.self, using: ForeignKey(["room"]))),
            unknown("copy", "shelf"))
        try expectFailure(
            Shelf.including(all: Shelf.hasMany(Copy.self, using: ForeignKey(["room"]))),
            unknown("copy", "shelf"))
        for foreignKey in [
            ForeignKey(["room"], to: ["room", "number"]), ForeignKey([String]()),
            ForeignKey([String](), to: [String]()),
        ] {
            try expectFailure(
                Copy.including(required: Copy.belongsTo(Shelf.self, using: foreignKey)),
                unknown("copy", "shelf"))
        }
        // Part of the key leads to several rows.
        try expect(
            Shelf.including(
                all: Shelf.hasMany(Copy.self, using: ForeignKey(["room"], to: ["room"]))),
            #"""
            SELECT * FROM "shelf"
            SELECT *, "room" AS "grdb_room" FROM "copy" WHERE "room" IN ('A', 'B')
            """#,
            """
            A1 {copies: [copy1, copy2, copy3, copy5]} | A2 {copies: [copy1, copy2, copy3, copy5]} \
            | B1 {copies: []}
            """)
    }

    @Test func declarationsWithOtherColumnsThanThePrimaryKey() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE city (id INTEGER PRIMARY KEY, code TEXT UNIQUE);
                    INSERT INTO city VALUES (1, 'PAR'), (2, 'LON');
                    CREATE TABLE street (
                        id INTEGER PRIMARY KEY, cityCode TEXT REFERENCES city(code));
                    INSERT INTO street VALUES (1, 'LON'), (2, 'LON'), (3, NULL);
                    """)
        }
        let (city, street) = (Table("city"), Table("street"))
        for foreignKey in [nil, ForeignKey(["cityCode"])] {
            try expect(
                street.including(required: street.belongsTo(city, using: foreignKey)),
                #"SELECT "street".*, "city".* FROM "street" JOIN "city" ON "city"."code" = "street"."cityCode""#,
                """
                (id: 1, cityCode: "LON") {city: (id: 2, code: "LON")} \
                | (id: 2, cityCode: "LON") {city: (id: 2, code: "LON")}
                """)
            try expect(
                city.including(all: city.hasMany(street, using: foreignKey).select(Column("id"))),
                #"""
                SELECT * FROM "city"
                SELECT "id", "cityCode" AS "grdb_cityCode" FROM "street" WHERE "cityCode" IN ('LON', 'PAR')
                """#,
                #"(id: 1, code: "PAR") {streets: []} | (id: 2, code: "LON") {streets: [(id: 1), (id: 2)]}"#
            )
        }
    }

    @Test func views() throws {
        try dbQueue.write { db in
            try db.execute(sql: "CREATE VIEW authorView AS SELECT id, name FROM author")
        }
        try expectFailure(
            AuthorView.including(all: AuthorView.hasMany(Book.self)),
            unknown("book", "authorView"))
        try expectFailure(
            AuthorView.including(
                all: AuthorView.hasMany(Book.self, using: ForeignKey(["authorId"]))),
            unknown("book", "authorView", ", with both origin and destination columns"))
        try expectFailure(
            AuthorView.including(required: AuthorView.belongsTo(Portrait.self)),
            unknown("authorView", "portrait"))
        let foreignKey = ForeignKey(["authorId"], to: ["id"])
        try expect(
            AuthorView.including(all: AuthorView.hasMany(Book.self, using: foreignKey)),
            #"""
            SELECT * FROM "authorView"
            SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
            """#,
            "Ann {books: [Ants, Bees]} | Bob {books: [Crows]} | Cid {books: []}")
        try expect(
            Book.including(optional: Book.belongsTo(AuthorView.self, using: foreignKey)),
            #"SELECT "book".*, "authorView".* FROM "book" LEFT JOIN "authorView" ON "authorView"."id" = "book"."authorId""#,
            """
            Ants {authorView: Ann} | Bees {authorView: Ann} | Crows {authorView: Bob} \
            | Doves {authorView: NULL}
            """)
        // The origin may be a view: the key of the destination is known.
        try expect(
            AuthorView.including(
                required: AuthorView.belongsTo(Author.self, using: ForeignKey(["id"]))),
            #"SELECT "authorView".*, "author".* FROM "authorView" JOIN "author" ON "author"."id" = "authorView"."id""#,
            "Ann {author: Ann} | Bob {author: Bob} | Cid {author: Cid}")
    }

    @Test func missingTablesAndColumns() throws {
        try expectFailure(
            Author.including(required: Author.belongsTo(Missing.self)),
            unknown("author", "missing"))
        let noSuchTable = "SQLite error 1: no such table: missing"
        try expectFailure(
            Author.including(required: Author.belongsTo(Missing.self, using: ForeignKey(["id"]))),
            noSuchTable)
        try expectFailure(Author.including(required: Author.hasOne(Missing.self)), noSuchTable)
        try expectFailure(Author.including(all: Author.hasMany(Missing.self)), noSuchTable)
        try expectFailure(
            Book.including(
                required: Book.belongsTo(Author.self, using: ForeignKey(["writerId"]))),
            """
            SQLite error 1: no such column: book.writerId - while executing `SELECT "book".*, \
            "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."writerId"`
            """)
        try expectFailure(
            Author.including(all: Author.hasMany(Book.self, using: ForeignKey(["writerId"]))),
            """
            SQLite error 1: no such column: "writerId" - should this be a string literal in \
            single-quotes? - while executing `SELECT *, "writerId" AS "grdb_writerId" FROM "book" \
            WHERE "writerId" IN (?, ?, ?)`
            """)
    }

    @Test func schemaChangesAreNoticed() throws {
        try expectFailure(
            Note.including(required: Note.belongsTo(Author.self)), unknown("note", "author"))
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    DROP TABLE note;
                    CREATE TABLE note (id INTEGER PRIMARY KEY, writerId REFERENCES author);
                    INSERT INTO note VALUES (1, 2);
                    """)
        }
        try expect(
            Note.including(required: Note.belongsTo(Author.self)),
            #"SELECT "note".*, "author".* FROM "note" JOIN "author" ON "author"."id" = "note"."writerId""#,
            "(id: 1, writerId: 2) {author: Bob}")
    }
}
