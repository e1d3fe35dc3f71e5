import GRDBQueries
import GRDB
import GRDBTestSupport
import Testing

/// The comparisons of aggregates with each other, and with values on the left.
@Suite(.databases) struct AggregateOperandTests: LibraryQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try LibraryTables.makeQueue()
    }

    private func expectAuthors(
        _ predicate: AssociationAggregate<Author>, _ condition: String, _ authors: String,
        line: Int = #line
    ) throws {
        try expect(
            Author.having(predicate),
            #"""
            SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" \#
            GROUP BY "author"."id" HAVING \#(condition)
            """#, authors, line: line)
    }

    private var first: AssociationAggregate<Author> { Author.books.min { $0.year } }
    private var last: AssociationAggregate<Author> { Author.books.max { $0.year } }
    private let firstSQL = #"MIN("book"."year")"#
    private let lastSQL = #"MAX("book"."year")"#

    @Test func aggregatesAreCompared() throws {
        try expectAuthors(first == last, "\(firstSQL) = \(lastSQL)", "Bob")
        try expectAuthors(first != last, "\(firstSQL) <> \(lastSQL)", "Ann")
        try expectAuthors(first === last, "\(firstSQL) IS \(lastSQL)", "Bob | Cid")
        try expectAuthors(first !== last, "\(firstSQL) IS NOT \(lastSQL)", "Ann")
        try expectAuthors(first < last, "\(firstSQL) < \(lastSQL)", "Ann")
        try expectAuthors(first <= last, "\(firstSQL) <= \(lastSQL)", "Ann | Bob")
        try expectAuthors(first > last, "\(firstSQL) > \(lastSQL)", "")
        try expectAuthors(first >= last, "\(firstSQL) >= \(lastSQL)", "Bob")
    }

    @Test func valuesOnTheLeft() throws {
        try expectAuthors(2003 === last, "2003 IS \(lastSQL)", "Bob")
        try expectAuthors(2003 !== last, "2003 IS NOT \(lastSQL)", "Ann | Cid")
        let isEmpty = Author.books.isEmpty
        let count = #"COUNT(DISTINCT "book"."id")"#
        try expectAuthors(true == isEmpty, "\(count) = 0", "Cid")
        try expectAuthors(false == isEmpty, "\(count) > 0", "Ann | Bob")
        try expectAuthors(true != isEmpty, "\(count) > 0", "Ann | Bob")
        try expectAuthors(false != isEmpty, "\(count) = 0", "Cid")
        try expectAuthors(
            Column("name") == "Ann" || isEmpty,
            #"("author"."name" = 'Ann') OR (\#(count) = 0)"#, "Ann | Cid")
    }

    @Test func sumsOfTypedColumnsThatAreNeverNull() throws {
        let year = TypedColumn<Int>("year")
        for sum in [Author.books.sum(year), Author.books.sum { _ in year }] {
            try expectAuthors(sum > 2003, #"SUM("book"."year") > 2003"#, "Ann")
        }
    }

    @Test func theOrderOfAnAssociationIsRemoved() throws {
        let sorted = Author.books.order { $0.title.desc }
        try expect(
            Author.including(required: sorted.unordered()).filter { $0.id == 1 },
            #"""
            SELECT "author".*, "book".* FROM "author" \#
            JOIN "book" ON "book"."authorId" = "author"."id" WHERE "author"."id" = 1
            """#)
    }

    @Test func foreignKeysHaveColumns() throws {
        let untyped = ForeignKey([Column("authorId")], to: [Column("id")])
        let typed = ForeignKey([TypedColumn<Int64?>("authorId")], to: [TypedColumn<Int64>("id")])
        for key in [untyped, typed] {
            try expect(
                Book.including(required: Book.belongsTo(Author.self, using: key))
                    .filter { $0.id == 1 },
                #"""
                SELECT "book".*, "author".* FROM "book" \#
                JOIN "author" ON "author"."id" = "book"."authorId" WHERE "book"."id" = 1
                """#, "Ants {author: Ann}")
        }
    }
}
