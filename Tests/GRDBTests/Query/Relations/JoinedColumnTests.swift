import GRDB
import GRDBTestSupport
import Testing

/// Where the columns of joined tables stand, in statements and in rows.
@Suite(.databases) struct JoinedColumnTests {
    struct Library: TableRecord {
        static let address = hasOne(Address.self)
    }

    struct Address: TableRecord {}

    struct Author: TableRecord {
        static let books = hasMany(Book.self)
    }

    struct Publisher: TableRecord {}

    struct Book: TableRecord {
        static let author = belongsTo(Author.self)
        static let library = belongsTo(Library.self)
        static let publisher = belongsTo(Publisher.self)
        static let returnAddress = hasOne(Address.self, through: library, using: Library.address)
    }

    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE library(id INTEGER PRIMARY KEY, name);
                    CREATE TABLE address(id INTEGER PRIMARY KEY, libraryId REFERENCES library, city);
                    CREATE TABLE author(id INTEGER PRIMARY KEY, name, country);
                    CREATE TABLE publisher(id INTEGER PRIMARY KEY, country);
                    CREATE TABLE book(
                        id INTEGER PRIMARY KEY, authorId REFERENCES author,
                        libraryId REFERENCES library, publisherId REFERENCES publisher);
                    INSERT INTO library VALUES (1, 'Main');
                    INSERT INTO address VALUES (1, 1, 'Paris');
                    INSERT INTO author VALUES (1, 'Ann', 'FR'), (2, 'Bob', 'US');
                    INSERT INTO publisher VALUES (1, 'FR'), (2, 'US');
                    INSERT INTO book VALUES (1, 1, 1, 1), (2, 1, 1, 2), (3, 2, 1, 1);
                    """)
        }
        return dbQueue
    }

    private func expect(
        _ request: QueryInterfaceRequest<Book>, _ sql: String, _ row: String, line: Int = #line
    ) throws {
        try makeQueue().read { db in
            let statement = try request.makePreparedRequest(db).statement
            expectSQL(statement.sql, equals: sql, line: line)
            let first = try Row.fetchOne(db, request)
            expectEqual(first?.debugDescription, row, line: line)
        }
    }

    @Test func annotationsAddUp() throws {
        try expect(
            Book.select(Column("id"))
                .annotated(withOptional: Book.author.select(Column("name")))
                .annotated(withOptional: Book.author.select(Column("country"))),
            """
            SELECT "book"."id", "author"."name", "author"."country" FROM "book"
            LEFT JOIN "author" ON "author"."id" = "book"."authorId"
            """,
            #"[id:1 name:"Ann" country:"FR"]"#)
    }

    /// SQLite would call a column of joins in parentheses otherwise.
    @Test func jsonColumnsKeepTheirNames() throws {
        let alias = TableAlias<Library>()
        let library = Book.library.aliased(alias).joining(required: Library.address)
        try expect(
            Book.joining(optional: library).select(Column("id"), alias[JSONColumn("name")]),
            """
            SELECT "book"."id", "library"."name" AS "name" FROM "book"
            LEFT JOIN ("library" JOIN "address" ON "address"."libraryId" = "library"."id")
            ON "library"."id" = "book"."libraryId"
            """,
            #"[id:1 name:"Main"]"#)
    }

    @Test func annotationsLeaveScopesAlone() throws {
        try expect(
            Book.select(Column("id"))
                .including(required: Book.author)
                .annotated(withRequired: Book.author.select(Column("country"))),
            """
            SELECT "book"."id", "author"."country", "author".* FROM "book"
            JOIN "author" ON "author"."id" = "book"."authorId"
            """,
            """
            ▿ [id:1 country:"FR"]
              unadapted: [id:1 country:"FR" id:1 name:"Ann" country:"FR"]
              - author: [id:1 name:"Ann" country:"FR"]
            """)
    }

    @Test func annotationsOfThroughAssociationsBelongToTheRow() throws {
        try expect(
            Book.select(Column("id"))
                .including(required: Book.library)
                .annotated(withRequired: Book.returnAddress.select(Column("city"))),
            """
            SELECT "book"."id", "address"."city", "library".* FROM "book"
            JOIN "library" ON "library"."id" = "book"."libraryId"
            JOIN "address" ON "address"."libraryId" = "library"."id"
            """,
            """
            ▿ [id:1 city:"Paris"]
              unadapted: [id:1 city:"Paris" id:1 name:"Main"]
              - library: [id:1 name:"Main"]
            """)
    }

    @Test func excludedColumnsThatDoNotExistAreIgnored() throws {
        try expect(
            Book.select(.allColumns(excluding: ["cover"])).including(required: Book.author),
            """
            SELECT "book".*, "author".* FROM "book"
            JOIN "author" ON "author"."id" = "book"."authorId"
            """,
            """
            ▿ [id:1 authorId:1 libraryId:1 publisherId:1]
              unadapted: [id:1 authorId:1 libraryId:1 publisherId:1 id:1 name:"Ann" country:"FR"]
              - author: [id:1 name:"Ann" country:"FR"]
            """)
    }

    @Test func columnsOfAliasesAreThoseOfTheirTables() throws {
        let alias = TableAlias<Author>()
        try expect(
            Book.select(Column("id"))
                .annotated(with: alias[AllColumns()])
                .joining(required: Book.author.aliased(alias))
                .including(required: Book.library),
            """
            SELECT "book"."id", "author".*, "library".* FROM "book"
            JOIN "author" ON "author"."id" = "book"."authorId"
            JOIN "library" ON "library"."id" = "book"."libraryId"
            """,
            """
            ▿ [id:1 id:1 name:"Ann" country:"FR"]
              unadapted: [id:1 id:1 name:"Ann" country:"FR" id:1 name:"Main"]
              - library: [id:1 name:"Main"]
            """)
    }

    @Test func filtersInParenthesesReferToOuterTables() throws {
        try makeQueue().read { db in
            let alias = TableAlias<Author>()
            let publisher = Book.publisher.filter(Column("country") == alias[Column("country")])
            let request = Author.aliased(alias)
                .select(Column("id"))
                .annotated(
                    withOptional: Author.books
                        .joining(required: publisher)
                        .select(Column("id").forKey("bookId"))
                )
                .order(Column("id"))
            let statement = try request.makePreparedRequest(db).statement
            expectSQL(
                statement.sql,
                equals: """
                    SELECT "author"."id", "book"."id" AS "bookId" FROM "author"
                    LEFT JOIN ("book" JOIN "publisher" ON "publisher"."id" = "book"."publisherId")
                    ON ("book"."authorId" = "author"."id")
                    AND ("publisher"."country" = "author"."country")
                    ORDER BY "author"."id"
                    """)
            let rows = try Row.fetchAll(db, request)
            expectEqual(rows.map(\.description), ["[id:1 bookId:1]", "[id:2 bookId:NULL]"])
        }
    }

    @Test func anAliasStandsForOneTable() throws {
        try makeQueue().read { db in
            let alias = TableAlias<Author>()
            let request = Book.joining(required: Book.author.aliased(alias))
                .joining(required: Book.author.forKey("writer").aliased(alias))
            expectError(
                "SQLite error 21: A TableAlias must not be used to refer to multiple tables"
            ) { try Row.fetchAll(db, request) }
            let named = Book.aliased(TableAlias(name: "x"))
                .joining(required: Book.author.aliased(TableAlias(name: "X")))
            expectError("SQLite error 21: ambiguous alias: x") { try Row.fetchAll(db, named) }
        }
    }
}
