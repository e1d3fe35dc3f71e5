@testable import GRDBQueries
import GRDB
import GRDBTestSupport
import Testing

/// The operators of typed expressions: which operands they accept, the type of their results, their
/// SQL, and the values that SQLite computes.
@Suite(.databases) struct TypedOperatorTests {
    private struct Thing: TableRecord {
        enum Columns {
            static let id = TypedColumn<Int>("id")
            static let a = TypedColumn<Int>("a")
            static let b = TypedColumn<Int>("b")
            static let n = TypedColumn<Int?>("n")
            static let m = TypedColumn<Int?>("m")
            static let s = TypedColumn<String>("s")
            static let t = TypedColumn<String?>("t")
            static let isOn = TypedColumn<Bool>("isOn")
            static let isOld = TypedColumn<Bool>("isOld")
            static let mayBeOn = TypedColumn<Bool?>("mayBeOn")
        }
    }

    private typealias C = Thing.Columns

    private func withThings(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE thing (
                        id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL,
                        n INTEGER, m INTEGER, s TEXT NOT NULL, t TEXT,
                        isOn BOOLEAN NOT NULL, isOld BOOLEAN NOT NULL, mayBeOn BOOLEAN);
                    INSERT INTO thing VALUES
                        (1, 12, 5, 9, 4, 'one', 'uno', 1, 0, 1),
                        (2, 7, 3, NULL, NULL, 'two', NULL, 0, 0, NULL)
                    """)
            try body(db)
        }
    }

    /// Expects the SQL of an expression, and its values in both rows.
    private func expectValues<Value: DatabaseValueConvertible & Equatable>(
        _ expression: TypedExpression<Value>, _ sql: String, _ values: [Value],
        _ line: Int
    ) throws {
        try withThings { db in
            let request = Thing.select(expression).order(C.id)
            let statement = try request.makePreparedRequest(db).statement
            expectEqual(statement.sql, #"SELECT \#(sql) FROM "thing" ORDER BY "id""#, line: line)
            try expectEqual(request.fetchAll(db), values, line: line)
        }
    }

    /// Expects an integer that is never NULL.
    private func expect(
        _ expression: TypedExpression<Int>, _ sql: String, _ values: [Int], line: Int = #line
    ) throws {
        try expectValues(expression, sql, values, line)
    }

    /// Expects an integer that may be NULL.
    private func expectOptional(
        _ expression: TypedExpression<Int?>, _ sql: String, _ values: [Int?], line: Int = #line
    ) throws {
        try expectValues(expression, sql, values, line)
    }

    /// Expects the SQL of a condition, and the rows that satisfy it.
    private func expect(
        _ condition: SQLExpression, _ sql: String, ids: [Int], line: Int = #line
    ) throws {
        try withThings { db in
            let request = Thing.filter(condition).select(C.id).order(C.id)
            let statement = try request.makePreparedRequest(db).statement
            expectEqual(
                statement.sql, #"SELECT "id" FROM "thing" WHERE \#(sql) ORDER BY "id""#, line: line)
            try expectEqual(request.fetchAll(db), ids, line: line)
        }
    }

    /// Expects the SQL of an assignment, and the values of its column afterwards.
    private func expect<Value: DatabaseValueConvertible & Equatable>(
        _ assignment: ColumnAssignment, _ sql: String, _ column: TypedColumn<Value>,
        _ values: [Value], line: Int = #line
    ) throws {
        try withThings { db in
            let statements = try db.statements { try Thing.updateAll(db, assignment) }
            expectEqual(statements, [#"UPDATE "thing" SET \#(sql)"#], line: line)
            let found = try Thing.select(column).order(C.id).fetchAll(db)
            expectEqual(found, values, line: line)
        }
    }

    // MARK: - Numbers

    @Test func sums() throws {
        try expect(C.a + 2, #""a" + ?"#, [14, 9])
        try expect(100 + C.a, #"? + "a""#, [112, 107])
        try expect(C.a + C.b, #""a" + "b""#, [17, 10])
        try expectOptional(C.a + C.n, #""a" + "n""#, [21, nil])
        try expectOptional(C.n + 2, #""n" + ?"#, [11, nil])
        try expectOptional(100 + C.n, #"? + "n""#, [109, nil])
        try expectOptional(C.n + C.a, #""n" + "a""#, [21, nil])
        try expectOptional(C.n + C.m, #""n" + "m""#, [13, nil])
    }

    @Test func differences() throws {
        try expect(C.a - 2, #""a" - ?"#, [10, 5])
        try expect(100 - C.a, #"? - "a""#, [88, 93])
        try expect(C.a - C.b, #""a" - "b""#, [7, 4])
        try expectOptional(C.a - C.n, #""a" - "n""#, [3, nil])
        try expectOptional(C.n - 2, #""n" - ?"#, [7, nil])
        try expectOptional(100 - C.n, #"? - "n""#, [91, nil])
        try expectOptional(C.n - C.a, #""n" - "a""#, [-3, nil])
        try expectOptional(C.n - C.m, #""n" - "m""#, [5, nil])
    }

    @Test func products() throws {
        try expect(C.a * 2, #""a" * ?"#, [24, 14])
        try expect(100 * C.a, #"? * "a""#, [1200, 700])
        try expect(C.a * C.b, #""a" * "b""#, [60, 21])
        try expectOptional(C.a * C.n, #""a" * "n""#, [108, nil])
        try expectOptional(C.n * 2, #""n" * ?"#, [18, nil])
        try expectOptional(100 * C.n, #"? * "n""#, [900, nil])
        try expectOptional(C.n * C.a, #""n" * "a""#, [108, nil])
        try expectOptional(C.n * C.m, #""n" * "m""#, [36, nil])
    }

    @Test func quotients() throws {
        try expect(C.a / 2, #""a" / ?"#, [6, 3])
        try expect(100 / C.a, #"? / "a""#, [8, 14])
        try expect(C.a / C.b, #""a" / "b""#, [2, 2])
        try expectOptional(C.a / C.n, #""a" / "n""#, [1, nil])
        try expectOptional(C.n / 2, #""n" / ?"#, [4, nil])
        try expectOptional(100 / C.n, #"? / "n""#, [11, nil])
        try expectOptional(C.n / C.a, #""n" / "a""#, [0, nil])
        try expectOptional(C.n / C.m, #""n" / "m""#, [2, nil])
    }

    @Test func remainders() throws {
        try expect(C.a % 2, #""a" % ?"#, [0, 1])
        try expect(100 % C.a, #"? % "a""#, [4, 2])
        try expect(C.a % C.b, #""a" % "b""#, [2, 1])
        try expectOptional(C.a % C.n, #""a" % "n""#, [3, nil])
        try expectOptional(C.n % 2, #""n" % ?"#, [1, nil])
        try expectOptional(100 % C.n, #"? % "n""#, [1, nil])
        try expectOptional(C.n % C.a, #""n" % "a""#, [9, nil])
        try expectOptional(C.n % C.m, #""n" % "m""#, [1, nil])
    }

    @Test func commonBits() throws {
        try expect(C.a & 2, #""a" & ?"#, [0, 2])
        try expect(100 & C.a, #"? & "a""#, [4, 4])
        try expect(C.a & C.b, #""a" & "b""#, [4, 3])
        try expectOptional(C.a & C.n, #""a" & "n""#, [8, nil])
        try expectOptional(C.n & 2, #""n" & ?"#, [0, nil])
        try expectOptional(100 & C.n, #"? & "n""#, [0, nil])
        try expectOptional(C.n & C.a, #""n" & "a""#, [8, nil])
        try expectOptional(C.n & C.m, #""n" & "m""#, [0, nil])
    }

    @Test func combinedBits() throws {
        try expect(C.a | 2, #""a" | ?"#, [14, 7])
        try expect(100 | C.a, #"? | "a""#, [108, 103])
        try expect(C.a | C.b, #""a" | "b""#, [13, 7])
        try expectOptional(C.a | C.n, #""a" | "n""#, [13, nil])
        try expectOptional(C.n | 2, #""n" | ?"#, [11, nil])
        try expectOptional(100 | C.n, #"? | "n""#, [109, nil])
        try expectOptional(C.n | C.a, #""n" | "a""#, [13, nil])
        try expectOptional(C.n | C.m, #""n" | "m""#, [13, nil])
    }

    @Test func differingBits() throws {
        try expect(C.a ^ 2, #"("a" | ?) - ("a" & ?)"#, [14, 5])
        try expect(100 ^ C.a, #"(? | "a") - (? & "a")"#, [104, 99])
        try expect(C.a ^ C.b, #"("a" | "b") - ("a" & "b")"#, [9, 4])
        try expectOptional(C.a ^ C.n, #"("a" | "n") - ("a" & "n")"#, [5, nil])
        try expectOptional(C.n ^ 2, #"("n" | ?) - ("n" & ?)"#, [11, nil])
        try expectOptional(100 ^ C.n, #"(? | "n") - (? & "n")"#, [109, nil])
        try expectOptional(C.n ^ C.a, #"("n" | "a") - ("n" & "a")"#, [5, nil])
        try expectOptional(C.n ^ C.m, #"("n" | "m") - ("n" & "m")"#, [13, nil])
    }

    @Test func bitsShiftedLeft() throws {
        try expect(C.a << 2, #""a" << ?"#, [48, 28])
        try expect(100 << C.a, #"? << "a""#, [409600, 12800])
        try expect(C.a << C.b, #""a" << "b""#, [384, 56])
        try expectOptional(C.a << C.n, #""a" << "n""#, [6144, nil])
        try expectOptional(C.n << 2, #""n" << ?"#, [36, nil])
        try expectOptional(100 << C.n, #"? << "n""#, [51200, nil])
        try expectOptional(C.n << C.a, #""n" << "a""#, [36864, nil])
        try expectOptional(C.n << C.m, #""n" << "m""#, [144, nil])
    }

    @Test func bitsShiftedRight() throws {
        try expect(C.a >> 2, #""a" >> ?"#, [3, 1])
        try expect(100 >> C.a, #"? >> "a""#, [0, 0])
        try expect(C.a >> C.b, #""a" >> "b""#, [0, 0])
        try expectOptional(C.a >> C.n, #""a" >> "n""#, [0, nil])
        try expectOptional(C.n >> 2, #""n" >> ?"#, [2, nil])
        try expectOptional(100 >> C.n, #"? >> "n""#, [0, nil])
        try expectOptional(C.n >> C.a, #""n" >> "a""#, [0, nil])
        try expectOptional(C.n >> C.m, #""n" >> "m""#, [0, nil])
    }

    @Test func negations() throws {
        try expect(-C.a, #"-"a""#, [-12, -7])
        try expectOptional(-C.n, #"-"n""#, [-9, nil])
    }

    @Test func nullsAreReplaced() throws {
        try expect(C.n ?? 1, #"IFNULL("n", ?)"#, [9, 1])
        try expect(C.n ?? C.a, #"IFNULL("n", "a")"#, [9, 7])
    }

    // MARK: - Comparisons

    @Test func equality() throws {
        try expect(C.a == 7, #""a" = ?"#, ids: [2])
        try expect(7 == C.a, #"? = "a""#, ids: [2])
        try expect(C.n == 9, #""n" = ?"#, ids: [1])
        try expect(9 == C.n, #"? = "n""#, ids: [1])
        try expect(C.a == C.b, #""a" = "b""#, ids: [])
        try expect(C.a == C.n, #""a" = "n""#, ids: [])
        try expect(C.n == C.a, #""n" = "a""#, ids: [])
        try expect(C.n == C.m, #""n" = "m""#, ids: [])
        let twelve: Int? = 12
        try expect(C.a == twelve, #""a" = ?"#, ids: [1])
        let none: Int? = nil
        try expect(C.a == none, #""a" IS NULL"#, ids: [])
        try expect(C.n == none, #""n" IS NULL"#, ids: [2])
        try expect(C.n == nil, #""n" IS NULL"#, ids: [2])
        try expect(nil == C.n, #""n" IS NULL"#, ids: [2])
        try expect(C.a == nil, #""a" IS NULL"#, ids: [])
        try expect(nil == C.a, #""a" IS NULL"#, ids: [])
    }

    @Test func inequality() throws {
        try expect(C.a != 7, #""a" <> ?"#, ids: [1])
        try expect(7 != C.a, #"? <> "a""#, ids: [1])
        try expect(C.n != 9, #""n" <> ?"#, ids: [])
        try expect(9 != C.n, #"? <> "n""#, ids: [])
        try expect(C.a != C.b, #""a" <> "b""#, ids: [1, 2])
        try expect(C.a != C.n, #""a" <> "n""#, ids: [1])
        try expect(C.n != C.a, #""n" <> "a""#, ids: [1])
        try expect(C.n != C.m, #""n" <> "m""#, ids: [1])
        let twelve: Int? = 12
        try expect(C.a != twelve, #""a" <> ?"#, ids: [2])
        let none: Int? = nil
        try expect(C.a != none, #""a" IS NOT NULL"#, ids: [1, 2])
        try expect(C.n != none, #""n" IS NOT NULL"#, ids: [1])
        try expect(C.n != nil, #""n" IS NOT NULL"#, ids: [1])
        try expect(nil != C.n, #""n" IS NOT NULL"#, ids: [1])
        try expect(C.a != nil, #""a" IS NOT NULL"#, ids: [1, 2])
        try expect(nil != C.a, #""a" IS NOT NULL"#, ids: [1, 2])
    }

    @Test func identity() throws {
        try expect(C.a === 7, #""a" IS ?"#, ids: [2])
        try expect(7 === C.a, #"? IS "a""#, ids: [2])
        try expect(C.n === 9, #""n" IS ?"#, ids: [1])
        try expect(9 === C.n, #"? IS "n""#, ids: [1])
        try expect(C.a === C.b, #""a" IS "b""#, ids: [])
        try expect(C.a === C.n, #""a" IS "n""#, ids: [])
        try expect(C.n === C.a, #""n" IS "a""#, ids: [])
        try expect(C.n === C.m, #""n" IS "m""#, ids: [2])
        let twelve: Int? = 12
        try expect(C.a === twelve, #""a" IS ?"#, ids: [1])
        let none: Int? = nil
        try expect(C.a === none, #""a" IS NULL"#, ids: [])
        try expect(C.n === none, #""n" IS NULL"#, ids: [2])
        try expect(C.n === nil, #""n" IS NULL"#, ids: [2])
        try expect(nil === C.n, #"NULL IS "n""#, ids: [2])
        try expect(C.a === nil, #""a" IS NULL"#, ids: [])
        try expect(nil === C.a, #""a" IS NULL"#, ids: [])
    }

    @Test func nonIdentity() throws {
        try expect(C.a !== 7, #""a" IS NOT ?"#, ids: [1])
        try expect(7 !== C.a, #"? IS NOT "a""#, ids: [1])
        try expect(C.n !== 9, #""n" IS NOT ?"#, ids: [2])
        try expect(9 !== C.n, #"? IS NOT "n""#, ids: [2])
        try expect(C.a !== C.b, #""a" IS NOT "b""#, ids: [1, 2])
        try expect(C.a !== C.n, #""a" IS NOT "n""#, ids: [1, 2])
        try expect(C.n !== C.a, #""n" IS NOT "a""#, ids: [1, 2])
        try expect(C.n !== C.m, #""n" IS NOT "m""#, ids: [1])
        let twelve: Int? = 12
        try expect(C.a !== twelve, #""a" IS NOT ?"#, ids: [2])
        let none: Int? = nil
        try expect(C.a !== none, #""a" IS NOT NULL"#, ids: [1, 2])
        try expect(C.n !== none, #""n" IS NOT NULL"#, ids: [1])
        try expect(C.n !== nil, #""n" IS NOT NULL"#, ids: [1])
        try expect(nil !== C.n, #"NULL IS NOT "n""#, ids: [1])
        try expect(C.a !== nil, #""a" IS NOT NULL"#, ids: [1, 2])
        try expect(nil !== C.a, #""a" IS NOT NULL"#, ids: [1, 2])
    }

    @Test func lessThan() throws {
        try expect(C.a < 7, #""a" < ?"#, ids: [])
        try expect(7 < C.a, #"? < "a""#, ids: [1])
        try expect(C.n < 9, #""n" < ?"#, ids: [])
        try expect(9 < C.n, #"? < "n""#, ids: [])
        try expect(C.a < C.b, #""a" < "b""#, ids: [])
        try expect(C.a < C.n, #""a" < "n""#, ids: [])
        try expect(C.n < C.a, #""n" < "a""#, ids: [1])
        try expect(C.n < C.m, #""n" < "m""#, ids: [])
    }

    @Test func lessThanOrEqual() throws {
        try expect(C.a <= 7, #""a" <= ?"#, ids: [2])
        try expect(7 <= C.a, #"? <= "a""#, ids: [1, 2])
        try expect(C.n <= 9, #""n" <= ?"#, ids: [1])
        try expect(9 <= C.n, #"? <= "n""#, ids: [1])
        try expect(C.a <= C.b, #""a" <= "b""#, ids: [])
        try expect(C.a <= C.n, #""a" <= "n""#, ids: [])
        try expect(C.n <= C.a, #""n" <= "a""#, ids: [1])
        try expect(C.n <= C.m, #""n" <= "m""#, ids: [])
    }

    @Test func greaterThan() throws {
        try expect(C.a > 7, #""a" > ?"#, ids: [1])
        try expect(7 > C.a, #"? > "a""#, ids: [])
        try expect(C.n > 9, #""n" > ?"#, ids: [])
        try expect(9 > C.n, #"? > "n""#, ids: [])
        try expect(C.a > C.b, #""a" > "b""#, ids: [1, 2])
        try expect(C.a > C.n, #""a" > "n""#, ids: [1])
        try expect(C.n > C.a, #""n" > "a""#, ids: [])
        try expect(C.n > C.m, #""n" > "m""#, ids: [1])
    }

    @Test func greaterThanOrEqual() throws {
        try expect(C.a >= 7, #""a" >= ?"#, ids: [1, 2])
        try expect(7 >= C.a, #"? >= "a""#, ids: [2])
        try expect(C.n >= 9, #""n" >= ?"#, ids: [1])
        try expect(9 >= C.n, #"? >= "n""#, ids: [1])
        try expect(C.a >= C.b, #""a" >= "b""#, ids: [1, 2])
        try expect(C.a >= C.n, #""a" >= "n""#, ids: [1])
        try expect(C.n >= C.a, #""n" >= "a""#, ids: [])
        try expect(C.n >= C.m, #""n" >= "m""#, ids: [1])
    }

    @Test func membership() throws {
        try expect([5, 7].contains(C.a), #""a" IN (?, ?)"#, ids: [2])
        try expect([9, 7].contains(C.n), #""n" IN (?, ?)"#, ids: [1])
        try expect((7...11).contains(C.a), #""a" BETWEEN ? AND ?"#, ids: [2])
        try expect((7...11).contains(C.n), #""n" BETWEEN ? AND ?"#, ids: [1])
        try expect((7..<12).contains(C.a), #"("a" >= ?) AND ("a" < ?)"#, ids: [2])
        try expect((7..<10).contains(C.n), #"("n" >= ?) AND ("n" < ?)"#, ids: [1])
        try expect((8...).contains(C.a), #""a" >= ?"#, ids: [1])
        try expect((8...).contains(C.n), #""n" >= ?"#, ids: [1])
        try expect((...7).contains(C.a), #""a" <= ?"#, ids: [2])
        try expect((...9).contains(C.n), #""n" <= ?"#, ids: [1])
        try expect((..<12).contains(C.a), #""a" < ?"#, ids: [2])
        try expect((..<10).contains(C.n), #""n" < ?"#, ids: [1])
    }

    // MARK: - Texts

    /// Expects a text that is never NULL.
    private func expectText(
        _ expression: TypedExpression<String>, _ sql: String, _ values: [String], line: Int = #line
    ) throws {
        try expectValues(expression, sql, values, line)
    }

    /// Expects a text that may be NULL.
    private func expectOptionalText(
        _ expression: TypedExpression<String?>, _ sql: String, _ values: [String?],
        line: Int = #line
    ) throws {
        try expectValues(expression, sql, values, line)
    }

    @Test func concatenations() throws {
        try expectText(C.s + "!", #""s" || ?"#, ["one!", "two!"])
        try expectText("¡" + C.s, #"? || "s""#, ["¡one", "¡two"])
        try expectText(C.s + C.s, #""s" || "s""#, ["oneone", "twotwo"])
        try expectOptionalText(C.s + C.t, #""s" || "t""#, ["oneuno", nil])
        try expectOptionalText(C.t + "!", #""t" || ?"#, ["uno!", nil])
        try expectOptionalText("¡" + C.t, #"? || "t""#, ["¡uno", nil])
        try expectOptionalText(C.t + C.s, #""t" || "s""#, ["unoone", nil])
        try expectOptionalText(C.t + C.t, #""t" || "t""#, ["unouno", nil])
    }

    @Test func patterns() throws {
        try expect(C.s.like("%O"), #""s" LIKE ?"#, ids: [2])
        try expect(C.t.like("u%"), #""t" LIKE ?"#, ids: [1])
        try expect(C.s.like("t|wo", escape: "|"), #""s" LIKE ? ESCAPE ?"#, ids: [2])
        try expect(C.t.like("u|%", escape: "|"), #""t" LIKE ? ESCAPE ?"#, ids: [])
    }

    @Test func collations() throws {
        try expectText(C.s.collating(.nocase), #""s" COLLATE NOCASE"#, ["one", "two"])
        try expectOptionalText(C.t.collating(.rtrim), #""t" COLLATE RTRIM"#, ["uno", nil])
        try expect(C.s.collating(.nocase) == "ONE", #""s" = ? COLLATE NOCASE"#, ids: [1])
        try expect(
            C.s.collating(.unicodeCompare) == "one", #""s" = ? COLLATE swiftCompare"#,
            ids: [1])
    }

    // MARK: - Booleans

    @Test func conjunctions() throws {
        try expect(C.isOn && C.isOld, #""isOn" AND "isOld""#, ids: [])
        try expect(C.isOn && (C.a > 1), #""isOn" AND ("a" > ?)"#, ids: [1])
        try expect((C.a > 1) && C.isOn, #"("a" > ?) AND "isOn""#, ids: [1])
    }

    @Test func disjunctions() throws {
        try expect(C.isOn || C.isOld, #""isOn" OR "isOld""#, ids: [1])
        try expect(C.isOn || (C.a == 7), #""isOn" OR ("a" = ?)"#, ids: [1, 2])
        try expect((C.a == 7) || C.isOn, #"("a" = ?) OR "isOn""#, ids: [1, 2])
    }

    @Test func negatedBooleans() throws {
        let negated: TypedExpression<Bool> = !C.isOn
        try expectValues(negated, #"NOT "isOn""#, [false, true], #line)
        let condition: SQLExpression = !C.isOn
        try expect(condition, #"NOT "isOn""#, ids: [2])
        let optional: TypedExpression<Bool?> = !C.mayBeOn
        try expectValues(optional, #"NOT "mayBeOn""#, [false, nil], #line)
    }

    // MARK: - Assignments

    @Test func assignedValues() throws {
        try expect(C.a.set(to: 1), #""a" = 1"#, C.a, [1, 1])
        try expect(C.n.set(to: 1), #""n" = 1"#, C.n, [1, 1])
        try expect(C.n.set(to: nil), #""n" = NULL"#, C.n, [nil, nil])
        try expect(C.a.set(to: C.b), #""a" = "b""#, C.a, [5, 3])
        try expect(C.n.set(to: C.m), #""n" = "m""#, C.n, [4, nil])
        try expect(C.n.set(to: C.a), #""n" = "a""#, C.n, [12, 7])
        try expect(C.isOn.set(to: C.a < 10), #""isOn" = "a" < 10"#, C.isOn, [false, true])
        try expect(C.mayBeOn.set(to: C.n > 1), #""mayBeOn" = "n" > 1"#, C.mayBeOn, [true, nil])
    }

    @Test func addendsAreAssigned() throws {
        try expect(C.a += 2, #""a" = "a" + 2"#, C.a, [14, 9])
        try expect(C.a += C.b, #""a" = "a" + "b""#, C.a, [17, 10])
        try expect(C.n += 2, #""n" = "n" + 2"#, C.n, [11, nil])
    }

    @Test func subtrahendsAreAssigned() throws {
        try expect(C.a -= 2, #""a" = "a" - 2"#, C.a, [10, 5])
        try expect(C.a -= C.b, #""a" = "a" - "b""#, C.a, [7, 4])
        try expect(C.n -= 2, #""n" = "n" - 2"#, C.n, [7, nil])
    }

    @Test func factorsAreAssigned() throws {
        try expect(C.a *= 2, #""a" = "a" * 2"#, C.a, [24, 14])
        try expect(C.a *= C.b, #""a" = "a" * "b""#, C.a, [60, 21])
        try expect(C.n *= 2, #""n" = "n" * 2"#, C.n, [18, nil])
    }

    @Test func divisorsAreAssigned() throws {
        try expect(C.a /= 2, #""a" = "a" / 2"#, C.a, [6, 3])
        try expect(C.a /= C.b, #""a" = "a" / "b""#, C.a, [2, 2])
        try expect(C.n /= 2, #""n" = "n" / 2"#, C.n, [4, nil])
    }

    @Test func moduliAreAssigned() throws {
        try expect(C.a %= 2, #""a" = "a" % 2"#, C.a, [0, 1])
        try expect(C.a %= C.b, #""a" = "a" % "b""#, C.a, [2, 1])
        try expect(C.n %= 2, #""n" = "n" % 2"#, C.n, [1, nil])
    }

    @Test func masksAreAssigned() throws {
        try expect(C.a &= 2, #""a" = "a" & 2"#, C.a, [0, 2])
        try expect(C.a &= C.b, #""a" = "a" & "b""#, C.a, [4, 3])
        try expect(C.n &= 2, #""n" = "n" & 2"#, C.n, [0, nil])
    }

    @Test func addedBitsAreAssigned() throws {
        try expect(C.a |= 2, #""a" = "a" | 2"#, C.a, [14, 7])
        try expect(C.a |= C.b, #""a" = "a" | "b""#, C.a, [13, 7])
        try expect(C.n |= 2, #""n" = "n" | 2"#, C.n, [11, nil])
    }

    @Test func flippedBitsAreAssigned() throws {
        try expect(C.a ^= 2, #""a" = ("a" | 2) - ("a" & 2)"#, C.a, [14, 5])
        try expect(C.a ^= C.b, #""a" = ("a" | "b") - ("a" & "b")"#, C.a, [9, 4])
        try expect(C.n ^= 2, #""n" = ("n" | 2) - ("n" & 2)"#, C.n, [11, nil])
    }

    @Test func leftShiftsAreAssigned() throws {
        try expect(C.a <<= 2, #""a" = "a" << 2"#, C.a, [48, 28])
        try expect(C.a <<= C.b, #""a" = "a" << "b""#, C.a, [384, 56])
        try expect(C.n <<= 2, #""n" = "n" << 2"#, C.n, [36, nil])
    }

    @Test func rightShiftsAreAssigned() throws {
        try expect(C.a >>= 2, #""a" = "a" >> 2"#, C.a, [3, 1])
        try expect(C.a >>= C.b, #""a" = "a" >> "b""#, C.a, [0, 0])
        try expect(C.n >>= 2, #""n" = "n" >> 2"#, C.n, [2, nil])
    }

    @Test func textsAreAppended() throws {
        try expect(C.s += "!", #""s" = "s" || '!'"#, C.s, ["one!", "two!"])
        try expect(C.t += "!", #""t" = "t" || '!'"#, C.t, ["uno!", nil])
    }
}
