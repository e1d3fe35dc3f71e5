@testable import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Functions, window functions, subqueries and names of typed expressions: variants for optional
/// types and for two expressions.
@Suite(.databases) struct TypedVariantTests {
    private struct Track: TableRecord {
        enum Columns {
            static let id = TypedColumn<Int>("id")
            static let title = TypedColumn<String>("title")
            static let artist = TypedColumn<String?>("artist")
            static let length = TypedColumn<Double>("length")
            static let rating = TypedColumn<Double?>("rating")
            static let plays = TypedColumn<Int>("plays")
            static let skips = TypedColumn<Int?>("skips")
            static let isLive = TypedColumn<Bool>("isLive")
            static let isLoved = TypedColumn<Bool?>("isLoved")
        }
    }

    private typealias C = Track.Columns

    private func withTracks(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE track (
                        id INTEGER PRIMARY KEY, title TEXT NOT NULL, artist TEXT,
                        length REAL NOT NULL, rating REAL, plays INTEGER NOT NULL,
                        skips INTEGER, isLive BOOLEAN NOT NULL, isLoved BOOLEAN);
                    INSERT INTO track VALUES
                        (1, 'été', 'the ANTS', 2.345, 4.56, 7, 3, 1, NULL),
                        (2, 'hiver', NULL, 61.5, NULL, 2, NULL, 0, 1)
                    """)
            try body(db)
        }
    }

    private func expect<Value: DatabaseValueConvertible & Equatable>(
        _ expression: TypedExpression<Value>, _ sql: String, _ values: [Value], line: Int = #line
    ) throws {
        try withTracks { db in
            let request = Track.select(expression).order(C.id)
            let statement = try request.makePreparedRequest(db).statement
            expectEqual(statement.sql, #"SELECT \#(sql) FROM "track" ORDER BY "id""#, line: line)
            try expectEqual(request.fetchAll(db), values, line: line)
        }
    }

    @Test func functions() throws {
        try expect(max(C.plays, C.id), #"MAX("plays", "id")"#, [7, 2])
        try expect(max(C.skips, C.skips), #"MAX("skips", "skips")"#, [3, nil])
        try expect(round(C.length, digits: 1), #"ROUND("length", ?)"#, [2.3, 61.5])
        try expect(round(C.rating, digits: 1), #"ROUND("rating", ?)"#, [4.6, nil])
        try expect(length(C.artist), #"LENGTH("artist")"#, [8, nil])
        try expect(C.title.capitalized, #"swiftCapitalizedString("title")"#, ["Été", "Hiver"])
        try expect(C.artist.lowercased, #"swiftLowercaseString("artist")"#, ["the ants", nil])
        try expect(C.artist.capitalized, #"swiftCapitalizedString("artist")"#, ["The Ants", nil])
    }

    @Test func conditionalValues() throws {
        try expect(
            iif(C.plays > 5, C.title, else: C.title + "!"),
            #"IIF("plays" > ?, "title", "title" || ?)"#, ["été", "hiver!"])
        let live = TypedExpression<String>(iif(C.isLive, "live", else: "studio"))
        try expect(live, #"IIF("isLive", ?, ?)"#, ["live", "studio"])
        let loved = TypedExpression<String>(iif(C.isLoved, "loved", else: "unknown"))
        try expect(loved, #"IIF("isLoved", ?, ?)"#, ["unknown", "loved"])
    }

    @Test func valuesOfOtherRows() throws {
        let window = SQLWindow(orderBy: [C.id])
        let over = #"OVER (ORDER BY "id")"#
        try expect(
            firstValue(C.title).over(window), #"FIRST_VALUE("title") \#(over)"#, ["été", "été"])
        try expect(
            lastValue(C.title).over(window), #"LAST_VALUE("title") \#(over)"#, ["été", "hiver"])
        try expect(
            nthValue(C.title, 2).over(window), #"NTH_VALUE("title", ?) \#(over)"#, [nil, "hiver"])
        try expect(lead(C.title).over(window), #"LEAD("title") \#(over)"#, ["hiver", nil])
        try expect(
            firstValue(C.artist).over(window), #"FIRST_VALUE("artist") \#(over)"#,
            ["the ANTS", "the ANTS"])
        try expect(
            lastValue(C.artist).over(window), #"LAST_VALUE("artist") \#(over)"#, ["the ANTS", nil])
        try expect(
            nthValue(C.artist, 1).over(window), #"NTH_VALUE("artist", ?) \#(over)"#,
            ["the ANTS", "the ANTS"])
        try expect(lead(C.skips).over(window), #"LEAD("skips") \#(over)"#, [nil, nil])
    }

    private enum Key: String, CodingKey { case other }

    @Test func namesAndOrders() throws {
        try withTracks { db in
            let request = Track.select([
                C.plays.forKey("count"), C.title.forKey(Key.other), C.skips,
            ])
            .order(C.skips.ascNullsLast, C.rating.descNullsFirst)
            let statement = try request.makePreparedRequest(db).statement
            expectEqual(
                statement.sql,
                """
                SELECT "plays" AS "count", "title" AS "other", "skips" FROM "track" \
                ORDER BY "skips" ASC NULLS LAST, "rating" DESC NULLS FIRST
                """)
            let rows = try Row.fetchAll(db, request)
            expectEqual(rows[0], ["count": 7, "other": "été", "skips": 3])
            expectEqual(rows[1], ["count": 2, "other": "hiver", "skips": nil])
            let sorted = Track.select([C.plays.forKey("count")]).order(
                TypedColumn<Int>("count").detached.desc)
            try expectEqual(
                sorted.makePreparedRequest(db).statement.sql,
                #"SELECT "plays" AS "count" FROM "track" ORDER BY "count" DESC"#)
        }
    }

    @Test func booleansFilterTheirTable() throws {
        try withTracks { db in
            let condition: any TypedExpressible<Bool> = C.isLive
            let request = Track.filter(condition).select(C.id)
            try expectEqual(
                request.makePreparedRequest(db).statement.sql,
                #"SELECT "id" FROM "track" WHERE "isLive""#)
            try expectEqual(request.fetchAll(db), [1])
        }
    }

    @Test func optionalColumnsAreInSubqueries() throws {
        try withTracks { db in
            let plays = Track.select(C.plays)
            let skips = Track.select(C.skips)
            func ids(_ condition: SQLExpression) throws -> [Int] {
                try Track.filter(condition).select(C.id).order(C.id).fetchAll(db)
            }
            try db.execute(sql: "UPDATE track SET skips = 2 WHERE id = 1")
            try expectEqual(ids(plays.contains(C.skips)), [1])
            try expectEqual(ids(skips.contains(C.plays)), [2])
        }
    }
}
