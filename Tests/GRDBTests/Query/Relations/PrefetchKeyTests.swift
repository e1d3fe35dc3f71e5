import GRDB
import GRDBTestSupport
import Testing

/// Which prefetched rows belong to a row: the ones that SQLite would join to it.
@Suite(.databases) struct PrefetchKeyTests {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
    }

    private let owner = Table("owner")
    private let item = Table("item")

    /// Creates a table of owners and a table of items with the given columns and rows, and expects
    /// that prefetching finds what a join finds.
    ///
    /// - returns: the ids of the items of each owner.
    private func items(
        _ ownerColumns: String, _ ownerRows: String, _ itemColumns: String, _ itemRows: String,
        line: Int = #line
    ) throws -> [[Int]] {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE owner (id INTEGER PRIMARY KEY, \(ownerColumns));
                    INSERT INTO owner VALUES \(ownerRows);
                    CREATE TABLE item (id INTEGER PRIMARY KEY, \(itemColumns));
                    INSERT INTO item VALUES \(itemRows);
                    """)
            let items = owner.hasMany(item, using: ForeignKey(["k"], to: ["k"]))
                .order(Column("id"))
            let prefetched = try owner.order(Column("id")).including(all: items).fetchAll(db)
                .map { row in row.prefetchedRows["items"]!.map { $0["id"] as Int } }
            let joined = try owner.order(Column("id")).annotated(
                withOptional: items.select(Column("id").forKey("itemId"))
            ).fetchAll(db)
            let ids = try Int.fetchAll(db, sql: "SELECT id FROM owner ORDER BY id")
            expectTrue(
                prefetched
                    == ids.map { id in
                        joined.filter { $0["id"] == id }.compactMap { $0["itemId"] as Int? }
                    }, line: line)
            return prefetched
        }
    }

    // MARK: - Values

    @Test func nullBelongsToNothing() throws {
        let items = try items("k", "(1, 'a'), (2, NULL)", "k", "(1, NULL), (2, 'a'), (3, NULL)")
        expectEqual(items, [[2], []])
    }

    @Test func ownersWithTheSameKeyShareTheirItems() throws {
        let items = try items(
            "k TEXT", "(1, 'b'), (2, 'a'), (3, 'b'), (4, 'A')", "k TEXT",
            "(1, 'a'), (2, 'b'), (3, 'A'), (4, 'z'), (5, 'b')")
        expectEqual(items, [[2, 5], [1], [2, 5], [3]])
    }

    @Test func collationOfTheItems() throws {
        let items = try items(
            "k TEXT COLLATE NOCASE", "(1, 'ab'), (2, 'AB'), (3, 'É')",
            "k TEXT COLLATE NOCASE", "(1, 'Ab'), (2, 'é'), (3, 'É'), (4, 'AB')")
        expectEqual(items, [[1, 4], [1, 4], [3]])
    }

    @Test func trailingBlanks() throws {
        let items = try items(
            "k TEXT COLLATE RTRIM", "(1, 'a'), (2, 'a  '), (3, ' a')",
            "k TEXT COLLATE RTRIM", "(1, 'a '), (2, 'a'), (3, 'a' || char(9))")
        expectEqual(items, [[1, 2], [1, 2], []])
    }

    @Test func numbers() throws {
        let items = try items(
            "k", "(1, 1), (2, 1.0), (3, 1.5), (4, -0.0), (5, 9007199254740993)", "k",
            "(1, 1.0), (2, 1), (3, 1.5), (4, 0), (5, 9007199254740993), (6, 9007199254740992.0)")
        expectEqual(items, [[1, 2], [1, 2], [3], [4], [5]])
    }

    @Test func textAndBlobsDiffer() throws {
        let items = try items(
            "k", "(1, 'a'), (2, X'61'), (3, ''), (4, X'')", "k",
            "(1, 'a'), (2, X'61'), (3, ''), (4, X'')")
        expectEqual(items, [[1], [2], [3], [4]])
    }

    @Test func textAndNumbersDiffer() throws {
        let items = try items("k", "(1, '1'), (2, 1)", "k", "(1, 1), (2, '1')")
        expectEqual(items, [[2], [1]])
    }

    // MARK: - Names

    @Test func namesInAnyCase() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE Author (ID INTEGER PRIMARY KEY, Name TEXT);
                    INSERT INTO Author VALUES (1, 'Ann'), (2, 'Bob');
                    CREATE TABLE Book (ID INTEGER PRIMARY KEY, AuthorID INTEGER REFERENCES AUTHOR(Id));
                    INSERT INTO Book VALUES (1, 2), (2, 2);
                    """)
            let (author, book) = (Table("author"), Table("BOOK"))
            for foreignKey in [nil, ForeignKey(["authorid"]), ForeignKey(["AUTHORID"], to: ["id"])]
            {
                let books = author.hasMany(book, key: "books", using: foreignKey)
                let rows = try author.including(all: books).fetchAll(db)
                expectEqual(rows.map { $0.prefetchedRows["books"]!.count }, [0, 2])
                let joined = try author.including(required: books).fetchAll(db)
                expectEqual(joined.map { $0["ID"] as Int }, [2, 2])
                expectEqual(joined.map { $0.scopes["book"]!["ID"] as Int }, [1, 2])
                let counts = try author.annotated(with: books.count).fetchAll(db)
                expectEqual(counts.map { $0["bookCount"] as Int }, [0, 2])
            }
            // The selection may spell the column in another way.
            let rows = try author.select(Column("iD")).including(
                all: author.hasMany(book, key: "books")
            ).fetchAll(db)
            expectEqual(rows.map { $0.prefetchedRows["books"]!.count }, [0, 2])
        }
    }

    // MARK: - Many keys

    @Test func manyKeys() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE owner (id INTEGER PRIMARY KEY);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
                    INSERT INTO owner SELECT i FROM n;
                    CREATE TABLE item (id INTEGER PRIMARY KEY, ownerId INTEGER REFERENCES owner);
                    INSERT INTO item SELECT id, id FROM owner WHERE id % 2;
                    INSERT INTO item SELECT 100000 + id, id FROM owner WHERE id % 4 = 1;
                    """)
            var rows: [Row] = []
            let sql = try db.statements {
                rows = try owner.order(Column("id")).including(all: owner.hasMany(item)).fetchAll(
                    db)
            }
            expectEqual(sql.count, 2)
            expectEqual(rows.count, 40_000)
            for row in rows {
                let id: Int = row["id"]
                let ids = row.prefetchedRows["items"]!.map { $0["id"] as Int }
                let expected = id % 2 == 0 ? [] : id % 4 == 1 ? [id, 100_000 + id] : [id]
                guard ids.sorted() == expected else {
                    Issue.record("owner \(id) has the items \(ids)")
                    return
                }
            }
        }
    }

    @Test func manyCompositeKeys() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE owner (a INTEGER, b TEXT, PRIMARY KEY (a, b));
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1201)
                    INSERT INTO owner SELECT i % 40, 'b' || i FROM n;
                    CREATE TABLE item (
                        id INTEGER PRIMARY KEY, x INTEGER, y TEXT,
                        FOREIGN KEY (y, x) REFERENCES owner(b, a));
                    INSERT INTO item SELECT NULL, a, b FROM owner;
                    INSERT INTO item SELECT NULL, a, b FROM owner WHERE a = 7;
                    """)
            var rows: [Row] = []
            let sql = try db.statements {
                rows = try owner.including(all: owner.hasMany(item)).fetchAll(db)
            }
            expectEqual(sql.count, 2)
            expectEqual(rows.count, 1201)
            for row in rows {
                let items = row.prefetchedRows["items"]!
                expectEqual(items.count, (row["a"] == 7 ? 2 : 1))
                expectTrue(
                    items.allSatisfy { $0["x"] == row["a"] as Int && $0["y"] == row["b"] as String }
                )
            }
        }
    }

    // MARK: - Errors

    @Test func missingColumns() throws {
        try dbQueue.write { db in
            try LibraryTables.create(db)
            let authors = LibraryTables.Author.select { $0.name }
                .including(all: LibraryTables.Author.books)
            expectError(
                """
                SQLite error 21: Can't prefetch the association "books": the request does not \
                select id
                """
            ) {
                try Row.fetchAll(db, authors)
            }
            // Without rows, nothing is missing.
            try expectTrue(Row.fetchAll(db, authors.none()).isEmpty)
            let shelves = LibraryTables.Shelf.select(Column("number"))
                .including(all: LibraryTables.Shelf.copies)
            expectError(
                """
                SQLite error 21: Can't prefetch the association "copies": the request does not \
                select room, number
                """
            ) {
                try Row.fetchOne(db, shelves)
            }
        }
    }

    @Test func columnsOfAnnotationsAreNoKeys() throws {
        try dbQueue.write { db in
            try LibraryTables.create(db)
            // The id is that of the author.
            let books = LibraryTables.Book.select { $0.title }.annotated(
                withRequired: LibraryTables.Book.author.select { $0.id }
            ).including(all: LibraryTables.Book.prizes)
            let message = """
                SQLite error 21: Can't prefetch the association "prizes": the request does not \
                select id
                """
            expectError(message) { try Row.fetchAll(db, books) }
            let prizes = LibraryTables.Prize.including(
                required: LibraryTables.Prize.book.select { $0.title }.annotated(
                    withRequired: LibraryTables.Book.author.select { $0.id }
                ).including(all: LibraryTables.Book.prizes))
            // These start from the prize, whose book is known.
            let rows = try Row.fetchAll(db, prizes.order { $0.id })
            expectEqual(
                rows.map { $0.prefetchedRows["prizes"]!.map { $0["name"] as String } },
                [["gold", "iron"], ["gold", "iron"], ["lead"]])
            let annotated = LibraryTables.Book.annotated(
                withRequired: LibraryTables.Book.author
            ).including(all: LibraryTables.Book.prizes)
            try expectEqual(
                Row.fetchAll(db, annotated.order { $0.id }).map {
                    $0.prefetchedRows["prizes"]!.count
                },
                [2, 0, 1])
        }
    }

    @Test func cursorsDoNotPrefetch() throws {
        try dbQueue.write { db in
            try LibraryTables.create(db)
            let message = """
                SQLite error 21: A cursor can't prefetch associations. Use fetchAll, fetchSet or \
                fetchOne with including(all:).
                """
            let authors = LibraryTables.Author.including(all: LibraryTables.Author.books)
            expectError(message) { try authors.fetchCursor(db) }
            expectError(message) { try Row.fetchCursor(db, authors) }
            let books = LibraryTables.Book.including(
                required: LibraryTables.Book.author.including(all: LibraryTables.Author.books))
            expectError(message) { try books.fetchCursor(db) }
        }
    }

    @Test func associationsWithoutForeignKeyAreJoinedOnly() throws {
        try dbQueue.write { db in
            try LibraryTables.create(db)
            let years = CommonTableExpression(named: "years", sql: "SELECT 2001 AS year")
            let association = LibraryTables.Book.association(to: years) { book, year in
                book[Column("year")] == year[Column("year")]
            }
            let books = LibraryTables.Author.hasMany(
                Row.self, through: LibraryTables.Author.books, using: association, key: "years")
            // The years lead back to the books, whose foreign key is known.
            let rows = try LibraryTables.Author.order(Column("id"))
                .including(all: books.with(years)).asRequest(of: Row.self).fetchAll(db)
            expectEqual(rows.map { $0.prefetchedRows["years"]!.count }, [1, 0, 0])
        }
    }
}
