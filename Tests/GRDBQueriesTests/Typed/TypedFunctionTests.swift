@testable import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The functions of typed expressions: their SQL, the type of their results, and their values.
@Suite(.databases) struct TypedFunctionTests {
    private struct Player: TableRecord {
        enum Columns {
            static let id = TypedColumn<Int64>("id")
            static let name = TypedColumn<String>("name")
            static let email = TypedColumn<String?>("email")
            static let rating = TypedColumn<Double>("rating")
            static let score = TypedColumn<Int?>("score")
            static let birthday = TypedColumn<Date>("birthday")
            static let isActive = TypedColumn<Bool>("isActive")
        }
    }

    private typealias C = Player.Columns

    /// Expects the SQL of an expression, and its values for the two players.
    private func expect<Value: DatabaseValueConvertible & Equatable>(
        _ expression: TypedExpression<Value>, _ sql: String, _ values: [Value],
        window: SQLWindow? = nil, line: Int = #line
    ) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (
                      id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, rating REAL NOT NULL,
                      score INTEGER, birthday TEXT NOT NULL, isActive BOOLEAN NOT NULL);
                    INSERT INTO player VALUES
                      (1, ' Arthur ', 'a@b.c', 2.555, 10, '2000-02-29 12:30:00', 1),
                      (2, 'Zoé', NULL, -1.5, NULL, '1999-12-31 00:00:00', 0)
                    """)
            var request = Player.select(expression).order(C.id)
            if let window { request = request.window(named: "w", window) }
            let statement = try request.makePreparedRequest(db).statement
            let clause = window == nil ? "" : #" WINDOW "w" AS (ORDER BY "id")"#
            let expected = #"SELECT \#(sql) FROM "player"\#(clause) ORDER BY "id""#
            expectEqual(statement.sql, expected, line: line)
            let found = try request.fetchAll(db)
            expectEqual(found, values, line: line)
        }
    }

    @Test func texts() throws {
        try expect(lower(C.name), #"LOWER("name")"#, [" arthur ", "zoé"])
        try expect(upper(C.email), #"UPPER("email")"#, ["A@B.C", nil])
        try expect(trim(C.name), #"TRIM("name")"#, ["Arthur", "Zoé"])
        try expect(trim(C.email, characters: "ac"), #"TRIM("email", ?)"#, ["@b.", nil])
        try expect(ltrim(C.name), #"LTRIM("name")"#, ["Arthur ", "Zoé"])
        try expect(rtrim(C.name), #"RTRIM("name")"#, [" Arthur", "Zoé"])
        try expect(
            replace(C.email, "@", with: " at "), #"REPLACE("email", ?, ?)"#, ["a at b.c", nil])
        try expect(substr(C.name, from: -3), #"SUBSTR("name", ?)"#, ["ur ", "Zoé"])
        try expect(substr(C.email, from: 1, length: 1), #"SUBSTR("email", ?, ?)"#, ["a", nil])
        try expect(instr(C.name, "o"), #"INSTR("name", ?)"#, [0, 2])
        try expect(instr(C.email, "@"), #"INSTR("email", ?)"#, [2, nil])
        try expect(hex(C.email), #"HEX("email")"#, ["6140622E63", ""])
        try expect(quote(C.score), #"QUOTE("score")"#, ["10", "NULL"])
        try expect(typeOf(C.score), #"TYPEOF("score")"#, ["integer", "null"])
        try expect(lower(trim(C.name)) + "!", #"LOWER(TRIM("name")) || ?"#, ["arthur!", "zoé!"])
        try expect(
            TypedExpression<Bool?>(C.email.glob("*@*")), #""email" GLOB ?"#, [true, nil])
    }

    @Test func patterns() throws {
        try TestDatabases.makeQueue().write { db in
            db.add(
                function: DatabaseFunction("regexp", argumentCount: 2) { values in
                    String.fromDatabaseValue(values[1])?.contains(
                        String.fromDatabaseValue(values[0]) ?? "")
                })
            let literal = TypedExpression<String>(SQL("'abc'"))
            try expectEqual(SQLRequest<Bool>("SELECT \(literal.regexp("bc"))").fetchOne(db), true)
            try expectEqual(SQLRequest<Bool>("SELECT \(literal.glob("bc*"))").fetchOne(db), false)
        }
    }

    @Test func numbers() throws {
        try expect(round(C.rating), #"ROUND("rating")"#, [3, -2])
        try expect(round(C.rating, digits: 1), #"ROUND("rating", ?)"#, [2.6, -1.5])
        try expect(round(average(C.score)), #"ROUND(AVG("score"))"#, [10])
        try expect(max(C.rating, 2.0), #"MAX("rating", ?)"#, [2.555, 2])
        try expect(max(C.score, 20, 5), #"MAX("score", ?, ?)"#, [20, nil])
        try expect(min(C.rating, C.rating), #"MIN("rating", "rating")"#, [2.555, -1.5])
        try expect(min(C.name, "B"), #"MIN("name", ?)"#, [" Arthur ", "B"])
        try expect(
            TypedExpression<Int>(cast(C.rating, as: .integer)), #"CAST("rating" AS INTEGER)"#,
            [2, -1])
    }

    @Test func filteredAggregates() throws {
        // Filters, and distinct values, keep the type.
        let isActive = C.isActive
        let one = C.id == 1
        try expect(
            count(C.email, filter: isActive), #"COUNT("email") FILTER (WHERE "isActive")"#, [1])
        try expect(count(distinct: C.score), #"COUNT(DISTINCT "score")"#, [1])
        try expect(
            count(distinct: C.id, filter: one), #"COUNT(DISTINCT "id") FILTER (WHERE "id" = ?)"#,
            [1])
        try expect(average(C.id, filter: one), #"AVG("id") FILTER (WHERE "id" = ?)"#, [1])
        try expect(average(distinct: C.id), #"AVG(DISTINCT "id")"#, [1.5])
        try expect(
            average(distinct: C.id, filter: one),
            #"AVG(DISTINCT "id") FILTER (WHERE "id" = ?)"#, [1])
        try expect(total(C.id, filter: one), #"TOTAL("id") FILTER (WHERE "id" = ?)"#, [1])
        try expect(total(distinct: C.score), #"TOTAL(DISTINCT "score")"#, [10])
        try expect(
            total(distinct: C.score, filter: C.id == 2),
            #"TOTAL(DISTINCT "score") FILTER (WHERE "id" = ?)"#, [0])
        try expect(sum(C.id, filter: one), #"SUM("id") FILTER (WHERE "id" = ?)"#, [1])
        try expect(
            sum(C.score, filter: C.id == 2), #"SUM("score") FILTER (WHERE "id" = ?)"#, [nil])
        try expect(sum(distinct: C.id), #"SUM(DISTINCT "id")"#, [3])
        try expect(sum(distinct: C.score), #"SUM(DISTINCT "score")"#, [10])
        try expect(
            sum(distinct: C.score, filter: one),
            #"SUM(DISTINCT "score") FILTER (WHERE "id" = ?)"#, [10])
        try expect(max(C.id, filter: one), #"MAX("id") FILTER (WHERE "id" = ?)"#, [1])
        try expect(min(C.score, filter: one), #"MIN("score") FILTER (WHERE "id" = ?)"#, [10])
        try expect(
            groupConcat(C.email, separator: "; ", filter: one),
            #"GROUP_CONCAT("email", ?) FILTER (WHERE "id" = ?)"#, ["a@b.c"])
        try expect(
            groupConcat(distinct: C.email), #"GROUP_CONCAT(DISTINCT "email")"#, ["a@b.c"])
    }

    @Test func choices() throws {
        try expect(
            iif(C.score > 5, C.name, else: "-"), #"IIF("score" > ?, "name", ?)"#, [" Arthur ", "-"])
        try expect(
            iif(C.score > 5, "+", else: C.name), #"IIF("score" > ?, ?, "name")"#, ["+", "Zoé"])
        try expect(iif(C.id == 1, C.score, else: nil), #"IIF("id" = ?, "score", NULL)"#, [10, nil])
        try expect(
            TypedExpression<Int>(iif(C.isActive, 1, else: 2)), #"IIF("isActive", ?, ?)"#, [1, 2])
        try expect(
            TypedExpression<Bool>(C.rating.isBetween(2, and: 3)), #""rating" BETWEEN ? AND ?"#,
            [true, false])
        try expect(
            TypedExpression<Bool>(C.name.isBetween(C.name, and: C.name)),
            #""name" BETWEEN "name" AND "name""#, [true, true])
        try expect(
            TypedExpression<Bool>(C.score.isDistinct(from: nil)), #""score" IS DISTINCT FROM NULL"#,
            [true, false])
        try expect(
            TypedExpression<Bool>(C.score.isDistinct(from: 10)), #""score" IS DISTINCT FROM ?"#,
            [false, true])
        try expect(
            TypedExpression<Bool>(C.email.isDistinct(from: C.email)),
            #""email" IS DISTINCT FROM "email""#, [false, false])
    }

    @Test func dates() throws {
        try expect(date(C.birthday), #"DATE("birthday")"#, ["2000-02-29", "1999-12-31"])
        try expect(
            dateTime(C.birthday, .startOfDay), #"DATETIME("birthday", ?)"#,
            ["2000-02-29 00:00:00", "1999-12-31 00:00:00"])
        try expect(time(C.birthday), #"TIME("birthday")"#, ["12:30:00", "00:00:00"])
        try expect(strftime("%Y", C.birthday), #"STRFTIME(?, "birthday")"#, ["2000", "1999"])
        try expect(
            julianDay(C.birthday), #"JULIANDAY("birthday")"#, [2451604.0208333335, 2451543.5])
        try expect(unixEpoch(C.birthday), #"UNIXEPOCH("birthday")"#, [951_827_400, 946_598_400])
        try expect(
            timeDifference(C.birthday, C.birthday), #"TIMEDIFF("birthday", "birthday")"#,
            ["+0000-00-00 00:00:00.000", "+0000-00-00 00:00:00.000"])
    }

    @Test func aggregates() throws {
        try expect(
            groupConcat(C.email), #"GROUP_CONCAT("email")"#, ["a@b.c"])
        try expect(
            groupConcat(C.id, separator: "-", orderBy: C.id.desc),
            #"GROUP_CONCAT("id", ? ORDER BY "id" DESC)"#, ["2-1"])
        try expect(
            groupConcat(distinct: C.score, filter: C.id > 5),
            #"GROUP_CONCAT(DISTINCT "score") FILTER (WHERE "id" > ?)"#, [nil])
    }

    @Test func windows() throws {
        try expect(
            sum(C.score).over(partitionBy: C.isActive),
            #"SUM("score") OVER (PARTITION BY "isActive")"#, [10, nil])
        try expect(count(C.rating).over(), #"COUNT("rating") OVER ()"#, [2, 2])
        try expect(
            max(C.name).over(.named("w")), #"MAX("name") OVER "w""#, [" Arthur ", "Zoé"],
            window: SQLWindow(orderBy: [C.id]))
        try expect(
            lag(C.name).over(orderBy: C.id), #"LAG("name") OVER (ORDER BY "id")"#,
            [nil, " Arthur "])
        try expect(
            lag(C.score, 1, default: 0).over(orderBy: C.id),
            #"LAG("score", ?, ?) OVER (ORDER BY "id")"#, [0, 10])
        try expect(
            lead(C.score).over(orderBy: C.id.desc), #"LEAD("score") OVER (ORDER BY "id" DESC)"#,
            [nil, 10])
        try expect(
            firstValue(C.id).over(orderBy: C.id.desc),
            #"FIRST_VALUE("id") OVER (ORDER BY "id" DESC)"#, [2, 2])
        try expect(
            lastValue(C.email).over(orderBy: C.id), #"LAST_VALUE("email") OVER (ORDER BY "id")"#,
            ["a@b.c", nil])
        try expect(
            nthValue(C.rating, 2).over(orderBy: C.id),
            #"NTH_VALUE("rating", ?) OVER (ORDER BY "id")"#, [nil, -1.5])
    }
}
