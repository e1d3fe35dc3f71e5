import Foundation
@testable import GRDB
import GRDBQueries
import GRDBTestSupport
import Testing

/// Observations whose fetch is the first use of a table by its connection: that of each reader of a
/// pool, and that of a queue that has opened a file.
@Suite(.databases) struct FirstUseObservationTests {
    private struct Author: TableRecord, FetchableRecord, Decodable {
        static let books = hasMany(Book.self)
        var id: Int64
    }

    private struct Book: TableRecord, FetchableRecord, Decodable {
        static let author = belongsTo(Author.self)
        static let text = hasOne(Table("ft4"), using: ForeignKey(["rowid"], to: ["id"]))
        var id: Int64
    }

    /// A request, and a change of one of its tables.
    struct Observed: Sendable, CustomTestStringConvertible {
        var name: String
        var change: String
        var fetch: @Sendable (Database) throws -> String

        var testDescription: String { name }

        init(_ sql: String, _ change: String) {
            self.init(sql, change) { try Row.fetchAll($0, sql: sql).description }
        }

        init(
            _ name: String, _ change: String,
            _ fetch: @escaping @Sendable (Database) throws -> String
        ) {
            self.name = name
            self.change = change
            self.fetch = fetch
        }
    }

    private static let changeOfBook = "UPDATE book SET title = 'new' WHERE id = 1"
    private static let changeOfAuthor = "UPDATE author SET name = 'new' WHERE id = 1"

    static let observed: [Observed] =
        ["ft3", "ft4", "ft4e", "ft5", "ft5e"].flatMap { table in
            [
                Observed(
                    """
                    SELECT book.* FROM book JOIN \(table) ON \(table).rowid = book.id
                    WHERE \(table) MATCH 'one'
                    """, changeOfBook),
                Observed(
                    "SELECT * FROM book WHERE id IN (SELECT rowid FROM \(table))", changeOfBook),
                Observed(
                    "WITH c AS (SELECT rowid FROM \(table)) SELECT * FROM c, book", changeOfBook),
                Observed(
                    "SELECT COUNT(*) FROM \(table) WHERE \(table) MATCH 'one'",
                    "INSERT INTO \(table)(rowid, title) VALUES (100, 'one')"),
            ]
        } + [
            Observed("SELECT * FROM box, book", changeOfBook),
            Observed("SELECT COUNT(*) FROM box", "INSERT INTO box VALUES (2, 3, 4)"),
            Observed("SELECT book.title, v.term FROM book, v", changeOfBook),
            Observed("SELECT book.title, aux.term FROM book, aux", changeOfBook),
            Observed("SELECT * FROM found", changeOfBook),
            Observed(
                "SELECT title, c.name FROM book, pragma_table_info('ft4') AS c", changeOfBook),
            Observed("SELECT title, e.value FROM book, json_each('[1]') AS e", changeOfBook),
            Observed("all", changeOfBook) { try Row.fetchAll($0, Table("book").all()).description },
            Observed("matching FTS4", changeOfBook) { db in
                try Row.fetchAll(
                    db,
                    Table("book").filter(
                        Table("ft4").select(Column.rowID).matching(
                            FTS3Pattern(matchingAnyTokenIn: "one")
                        )
                        .contains(Column("id")))
                ).description
            },
            Observed("including required", changeOfAuthor) { db in
                try Row.fetchAll(db, Book.including(required: Book.author)).map(\.debugDescription)
                    .description
            },
            Observed("including all", "DELETE FROM book WHERE id = 1") { db in
                try Row.fetchAll(db, Author.including(all: Author.books)).map(\.debugDescription)
                    .description
            },
            Observed("joined full-text", changeOfBook) { db in
                try Row.fetchAll(db, Book.joining(required: Book.text)).description
            },
            Observed("aggregate", "DELETE FROM book WHERE id = 1") { db in
                try Row.fetchAll(db, Author.annotated(with: Author.books.count)).description
            },
            Observed("count", "DELETE FROM book WHERE id = 1") { db in
                try "\(Book.joining(required: Book.text).fetchCount(db))"
            },
            Observed("is empty", "DELETE FROM book") { db in
                try "\(Book.joining(required: Book.text).isEmpty(db))"
            },
            Observed("by keys", changeOfBook) { db in
                try Row.fetchAll(db, Table("book").filter(keys: [1, 2])).description
            },
            Observed("union", changeOfBook) { db in
                try Row.fetchAll(
                    db,
                    Table("ft4").select(Column("title")).union(
                        Table("book").select(Column("title")))
                ).description
            },
            Observed("cursor", changeOfBook) { db in
                let cursor = try Row.fetchCursor(
                    db, sql: "SELECT book.* FROM book, ft4 WHERE ft4.rowid = book.id")
                return try cursor.map(\.description).reduce("", +)
            },
            Observed("literal", changeOfBook) { db in
                try Row.fetchAll(
                    db, SQLRequest<Row>("SELECT * FROM book, ft4 WHERE ft4.rowid = \(1)")
                ).description
            },
        ]

    /// The content of the file, which takes longer to make than what the tests do with it.
    private static let file = Result<Data, any Error> {
        let path = TestDatabases.makePath()
        let dbQueue = try TestDatabases.openQueue(path)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE author(id INTEGER PRIMARY KEY, name);
                    INSERT INTO author VALUES (1, 'a');
                    CREATE TABLE book(
                        id INTEGER PRIMARY KEY, title, authorId INTEGER REFERENCES author(id));
                    INSERT INTO book VALUES (1, 'one', 1), (2, 'two', 1);
                    CREATE VIRTUAL TABLE ft3 USING fts3(title);
                    INSERT INTO ft3(rowid, title) SELECT id, title FROM book;
                    CREATE VIRTUAL TABLE ft4 USING fts4(title);
                    INSERT INTO ft4(rowid, title) SELECT id, title FROM book;
                    CREATE VIRTUAL TABLE ft4e USING fts4(content="book", title);
                    INSERT INTO ft4e(ft4e) VALUES ('rebuild');
                    CREATE VIRTUAL TABLE ft5 USING fts5(title);
                    INSERT INTO ft5(rowid, title) SELECT id, title FROM book;
                    CREATE VIRTUAL TABLE ft5e USING fts5(
                        title, content="book", content_rowid="id");
                    INSERT INTO ft5e(ft5e) VALUES ('rebuild');
                    CREATE VIRTUAL TABLE v USING fts5vocab(ft5, row);
                    CREATE VIRTUAL TABLE aux USING fts4aux(ft4);
                    CREATE VIRTUAL TABLE box USING rtree(id, x1, x2);
                    INSERT INTO box VALUES (1, 2, 3);
                    CREATE VIEW found AS
                        SELECT book.title FROM book JOIN ft4 ON ft4.rowid = book.id;
                    """)
        }
        try dbQueue.close()
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    private static func openFile(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let path = TestDatabases.makePath()
        try file.get().write(to: URL(fileURLWithPath: path))
        return switch kind {
        case .queue: try TestDatabases.openQueue(path)
        case .pool: try TestDatabases.openPool(path)
        }
    }

    @Test(arguments: DatabaseKind.allCases, observed)
    func changesAreObserved(kind: DatabaseKind, observed: Observed) throws {
        for isConstant in [false, true] {
            let writer = try Self.openFile(kind)
            let transcript = Transcript()
            let fetch = observed.fetch
            let cancellable =
                isConstant
                ? ValueObservation.trackingConstantRegion(fetch).removeDuplicates()
                    .start(in: writer, transcript)
                : ValueObservation.tracking(fetch).removeDuplicates().start(in: writer, transcript)
            transcript.wait(count: 1)
            waitForWriter(writer)
            try writer.execute(observed.change)
            let expected = try writer.read { try fetch($0) }
            transcript.wait(last: expected)
            expectEqual(transcript.all.count, 2, "\(transcript.all)")
            cancellable.cancel()
        }
    }

    @Test(arguments: DatabaseKind.allCases, observed)
    func regionIsTheSameInNewConnections(kind: DatabaseKind, observed: Observed) throws {
        let writer = try Self.openFile(kind)
        let (first, second) = try writer.read { db in
            try (
                db.recordingRegion { try observed.fetch(db) }.1,
                db.recordingRegion { try observed.fetch(db) }.1
            )
        }
        expectEqual(first, second)
        expectTrue(!second.isEmpty)
    }

    /// A fetch that asks whether a table exists is repeated when the schema changes, although the
    /// answer may come from a cache.
    @Test(arguments: DatabaseKind.allCases, [false, true])
    func existenceIsObserved(kind: DatabaseKind, isCached: Bool) throws {
        let writer = try Self.openFile(kind)
        if isCached { _ = try writer.read { try $0.tableExists("book") } }
        let transcript = Transcript()
        let cancellable = ValueObservation.tracking { db in
            try "\(db.tableExists("other")) \(db.viewExists("o")) \(db.triggerExists("t"))"
        }.removeDuplicates().start(in: writer, transcript)
        transcript.wait(count: 1)
        waitForWriter(writer)
        try writer.execute("CREATE TABLE other (a)")
        transcript.wait(last: "true false false")
        try writer.execute("CREATE VIEW o AS SELECT * FROM other")
        transcript.wait(last: "true true false")
        try writer.execute("CREATE TRIGGER t AFTER INSERT ON other BEGIN SELECT 1; END")
        transcript.wait(last: "true true true")
        expectEqual(transcript.all.count, 4, "\(transcript.all)")
        cancellable.cancel()
    }

    /// Indexes and triggers are rows of the schema table, and no table of their own.
    @Test(arguments: DatabaseKind.allCases)
    func rowsOfTheSchemaTableAreObserved(kind: DatabaseKind) throws {
        let writer = try Self.openFile(kind)
        let transcript = Transcript()
        let cancellable = ValueObservation.tracking { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_master
                    WHERE type <> 'table' AND tbl_name = 'book'
                    """
            ).joined(separator: " ")
        }.removeDuplicates().start(in: writer, transcript)
        transcript.wait(count: 1)
        waitForWriter(writer)
        try writer.execute("CREATE INDEX i ON book(title)")
        transcript.wait(last: "i")
        try writer.execute("CREATE TRIGGER t AFTER INSERT ON book BEGIN SELECT 1; END")
        transcript.wait(last: "i t")
        try writer.execute("DROP INDEX i")
        transcript.wait(last: "t")
        expectEqual(transcript.all.count, 4, "\(transcript.all)")
        cancellable.cancel()
    }
}
