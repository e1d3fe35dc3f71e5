import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Associations of tables with generated columns, virtual tables, and of views.
@Suite(.databases) struct OddTableAssociationTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    private let book = Table("book")

    @Test func generatedColumns() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE sale (
                      id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book, n INTEGER,
                      twice INTEGER AS (n * 2) VIRTUAL, next INTEGER AS (n + 1) STORED);
                    INSERT INTO sale (id, bookId, n) VALUES (1, 1, 5), (2, 3, 6);
                    """)
        }
        let sales = book.hasMany(Table("sale"))
        let sale1 = "(id: 1, bookId: 1, n: 5, twice: 10, next: 6)"
        let sale2 = "(id: 2, bookId: 3, n: 6, twice: 12, next: 7)"
        try expect(
            book.including(required: sales),
            #"SELECT "book".*, "sale".* FROM "book" JOIN "sale" ON "sale"."bookId" = "book"."id""#,
            "Ants {sale: \(sale1)} | Crows {sale: \(sale2)}")
        try expect(
            book.filter(keys: [1, 2]).including(all: sales),
            #"""
            SELECT * FROM "book" WHERE "id" IN (1, 2)
            SELECT *, "bookId" AS "grdb_bookId" FROM "sale" WHERE "bookId" IN (1, 2)
            """#,
            "Ants {sales: [\(sale1)]} | Bees {sales: []}")
        // In parentheses, columns are named one by one.
        let books = Author.hasMany(book).select(Column("title")).including(required: sales)
        try expect(
            Author.select { $0.name }.including(optional: books),
            #"SELECT "author"."name", "book"."title" AS "title", "sale"."id" AS "id", "sale"."bookId" AS "bookId", "sale"."n" AS "n", "sale"."twice" AS "twice", "sale"."next" AS "next" FROM "author" LEFT JOIN ("book" JOIN "sale" ON "sale"."bookId" = "book"."id") ON "book"."authorId" = "author"."id""#,
            """
            (name: "Ann") {book: (title: "Ants") {sale: \(sale1)}} \
            | (name: "Bob") {book: (title: "Crows") {sale: \(sale2)}} \
            | (name: "Cid") {book: NULL {sale: NULL}}
            """)
    }

    @Test func virtualTables() throws {
        let fullText = book.hasOne(
            Table("fullText"), using: ForeignKey([Column.rowID], to: [Column("id")]))
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE fullText USING fts5(body);
                    INSERT INTO fullText (rowid, body) VALUES (1, 'ants are small'), (4, 'doves fly');
                    """)
            let rows = try book.including(required: fullText).order(Column("id")).fetchAll(db)
            expectEqual(rows.map { $0["title"] as String }, ["Ants", "Doves"])
            expectEqual(
                rows.map { $0.scopes["fullText"]!.description },
                [
                    #"[body:"ants are small"]"#, #"[body:"doves fly"]"#,
                ])
            let texts = book.hasMany(
                Table("fullText"), using: ForeignKey([Column.rowID], to: [Column("id")]))
            let prefetched = try book.including(all: texts).order(Column("id")).fetchAll(db)
            expectEqual(prefetched.map { $0.prefetchedRows["fullTexts"]!.count }, [1, 0, 0, 1])
            let counts = try book.annotated(with: texts.count).order(Column("id")).fetchAll(db)
            expectEqual(counts.map { $0["fullTextCount"] as Int }, [1, 0, 0, 1])
        }
    }

    @Test func views() throws {
        try dbQueue.write { db in
            try db.execute(sql: "CREATE VIEW title AS SELECT title, authorId FROM book")
        }
        let titles = Author.hasMany(
            Table("title"), using: ForeignKey(["authorId"], to: ["id"]))
        try expect(
            Author.including(all: titles.order(Column("title").desc).select(Column("title"))),
            #"""
            SELECT * FROM "author"
            SELECT "title", "authorId" AS "grdb_authorId" FROM "title" WHERE "authorId" IN (1, 2, 3) ORDER BY "title" DESC
            """#,
            #"Ann {titles: [(title: "Bees"), (title: "Ants")]} | Bob {titles: [(title: "Crows")]} | Cid {titles: []}"#
        )
        // Without a key, all columns sort.
        try expect(
            Author.including(required: titles).withStableOrder(),
            #"SELECT "author".*, "title".* FROM "author" JOIN "title" ON "title"."authorId" = "author"."id" ORDER BY "author"."id", 4, 5"#,
            """
            Ann {title: (title: "Ants", authorId: 1)} | Ann {title: (title: "Bees", authorId: 1)} \
            | Bob {title: (title: "Crows", authorId: 2)}
            """)
        try expectFailure(
            Author.annotated(with: titles.count),
            "SQLite error 1: database view title has no primary key")
        try expect(
            Author.select { $0.id }.annotated(with: titles.max(Column("title"))),
            #"SELECT "author"."id", MAX("title"."title") AS "maxTitleTitle" FROM "author" LEFT JOIN "title" ON "title"."authorId" = "author"."id" GROUP BY "author"."id""#,
            #"(id: 1, maxTitleTitle: "Bees") | (id: 2, maxTitleTitle: "Crows") | (id: 3, maxTitleTitle: NULL)"#
        )
    }

    @Test func compositeKeysWithCollations() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE place (
                      a TEXT COLLATE NOCASE, b TEXT COLLATE RTRIM, PRIMARY KEY (a, b));
                    CREATE TABLE visit (
                      id INTEGER PRIMARY KEY, x TEXT COLLATE NOCASE, y TEXT COLLATE RTRIM,
                      FOREIGN KEY (x, y) REFERENCES place(a, b));
                    INSERT INTO place VALUES ('k', 'v'), ('L', 'w ');
                    INSERT INTO visit VALUES (1, 'K', 'v  '), (2, 'l', 'w'), (3, 'l', NULL);
                    """)
        }
        try expect(
            Table("place").including(
                all: Table("place").hasMany(Table("visit")).select(Column("id"))),
            #"""
            SELECT * FROM "place"
            SELECT "id", "x" AS "grdb_x", "y" AS "grdb_y" FROM "visit" WHERE ("x", "y") IN (VALUES ('k', 'v'), ('L', 'w '))
            """#,
            #"(a: "k", b: "v") {visits: [(id: 1)]} | (a: "L", b: "w ") {visits: [(id: 2)]}"#)
    }

    @Test func manyKeysOfSeveralTypes() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE owner (id INTEGER PRIMARY KEY, k);
                    CREATE TABLE item (id INTEGER PRIMARY KEY, k);
                    """)
            for id in 0..<2000 {
                let key: any DatabaseValueConvertible =
                    switch id % 4 {
                    case 0: id
                    case 1: "\(id)"
                    case 2: Data("\(id)".utf8)
                    default: Double(id) + 0.5
                    }
                for table in ["owner", "item"] {
                    try db.execute(sql: "INSERT INTO \(table) VALUES (?, ?)", arguments: [id, key])
                }
            }
            let items = Table("owner").hasMany(Table("item"), using: ForeignKey(["k"], to: ["k"]))
            for type in ["%", "blob", "text", "real", "integer"] {
                let rows = try Table("owner").filter(sql: "typeof(k) LIKE ?", arguments: [type])
                    .including(all: items).fetchAll(db)
                expectEqual(rows.count, (type == "%" ? 2000 : 500))
                let wrong = rows.filter { row in
                    row.prefetchedRows["items"]!.map { $0["id"] as Int } != [row["id"]]
                }
                expectTrue(wrong.isEmpty)
            }
        }
    }
}
