import GRDB
import GRDBTestSupport
import Testing

/// `reversed()` turns the order of a request around, and those of joined associations.
@Suite(.databases) struct ReversedOrderTests {
    private struct Book: TableRecord { static let author = belongsTo(Author.self) }
    private struct Author: TableRecord {}

    @Test func joinedBeforeOrAfter() throws {
        let (id, name) = (Column("id"), Column("name"))
        let books = Book.order(id)
        let author = Book.author.order(name)
        let cases: [(QueryInterfaceRequest<Book>, String)] = [
            (
                books.joining(required: author).reversed(),
                #""book"."id" DESC, "author"."name" DESC"#
            ),
            (
                books.reversed().joining(required: author),
                #""book"."id" DESC, "author"."name" DESC"#
            ),
            (
                books.reversed().joining(required: author.reversed()),
                #""book"."id" DESC, "author"."name""#
            ),
            (
                books.joining(required: author.reversed()).reversed().reversed(),
                #""book"."id", "author"."name" DESC"#
            ),
            (
                books.joining(required: author).reversed().order(Column("title")),
                #""book"."title", "author"."name""#
            ),
            (Book.joining(required: author).reversed(), #""author"."name" DESC"#),
            (books.reversed().unordered().joining(required: author), #""author"."name""#),
        ]
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE book (
                        id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT);
                    """)
            for (request, order) in cases {
                try expectEqual(
                    request.makePreparedRequest(db).statement.sql,
                    """
                    SELECT "book".* FROM "book" \
                    JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY \(order)
                    """)
            }
            try expectEqual(
                books.reversed().joining(required: author).unordered().makePreparedRequest(db)
                    .statement.sql,
                """
                SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
                """)
            try expectEqual(
                Book.all().reversed().order(id).makePreparedRequest(db).statement.sql,
                #"SELECT * FROM "book" ORDER BY "id""#)
        }
    }
}
