import GRDBQueries
import GRDB
import GRDBFunctions
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseWindowAggregateTests {
    /// Counts the instances that live.
    private final class Instance: Sendable {
        static let living = Log<Int>()
        init() { Self.living.append(1) }
        deinit { Self.living.append(-1) }
    }

    private struct SwiftSum: DatabaseWindowAggregate {
        let instance = Instance()
        var sum = 0
        var count = 0

        mutating func step(_ dbValues: [DatabaseValue]) throws {
            try throwIfNeeded(dbValues, "step")
            sum += Int.fromDatabaseValue(dbValues[0]) ?? 0
            count += 1
        }

        mutating func inverse(_ dbValues: [DatabaseValue]) throws {
            try throwIfNeeded(dbValues, "inverse")
            sum -= Int.fromDatabaseValue(dbValues[0]) ?? 0
            count -= 1
        }

        func value() throws -> (any DatabaseValueConvertible)? {
            if sum == 1_000_000 { throw TestError("value") }
            return count == 0 ? nil : sum
        }

        private func throwIfNeeded(_ dbValues: [DatabaseValue], _ name: String) throws {
            if String.fromDatabaseValue(dbValues[0]) == name { throw TestError(name) }
        }
    }

    private static let sum = DatabaseFunction(
        "swiftSum", argumentCount: 1, pure: true, window: SwiftSum.self)

    private func makeWriter(_ kind: DatabaseKind = .queue) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { $0.add(function: Self.sum) }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, team TEXT, a INTEGER, ok BOOLEAN);
                    INSERT INTO t VALUES
                        (1, 'x', 1, 1), (2, 'x', 2, 0), (3, 'y', 4, 1), (4, 'y', 8, 1),
                        (5, 'y', 8, 1);
                    """)
        }
        return writer
    }

    @Test(arguments: DatabaseKind.allCases) func movingWindow(kind: DatabaseKind) throws {
        try makeWriter(kind).read { db throws in
            let request = Table("t").select(
                Self.sum(Column("a")).over(
                    orderBy: Column("id"), frame: .rows(from: .preceding(1), to: .currentRow)),
                as: Int.self
            ).order(Column("id"))
            try expectEqual(request.fetchAll(db), [1, 3, 6, 12, 16])
            let partitions = Table("t").select(
                Self.sum(Column("a")).over(partitionBy: Column("team"), orderBy: Column("id")),
                as: Int.self
            ).order(Column("id"))
            try expectSQL(
                """
                SELECT swiftSum("a") OVER (PARTITION BY "team" ORDER BY "id") FROM "t" ORDER BY "id"
                """
            ) { () throws in
                try expectEqual(partitions.fetchAll(db), [1, 3, 4, 12, 20])
            }
        }
    }

    @Test func framesWithoutRows() throws {
        try makeWriter().read { db throws in
            let values = try Int?.fetchAll(
                db,
                sql: """
                    SELECT swiftSum(a) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING)
                    FROM t
                    """)
            expectEqual(values, [12, 16, 8, nil, nil])
            try expectEqual(
                Int?.fetchAll(
                    db, sql: "SELECT swiftSum(a) FILTER (WHERE 0) OVER (ORDER BY id) FROM t"),
                [nil, nil, nil, nil, nil])
        }
    }

    @Test func aggregate() throws {
        try makeWriter().read { db throws in
            try expectEqual(Int.fetchOne(db, sql: "SELECT swiftSum(a) FROM t"), 23)
            try expectEqual(Int?.fetchOne(db, sql: "SELECT swiftSum(a) FROM t WHERE 0"), .some(nil))
            let request = Table("t").select(Self.sum(Column("a")), as: Int.self)
                .group(Column("team")).order(Column("team"))
            try expectEqual(request.fetchAll(db), [3, 20])
        }
    }

    @Test func distinctAndFilter() throws {
        try makeWriter().read { db throws in
            func expect(_ expression: SQLExpression, _ sql: String, _ value: Int) throws {
                try expectSQL("SELECT \(sql) FROM \"t\"") { () throws in
                    try expectEqual(
                        Table("t").select(expression, as: Int.self).fetchAll(db).first,
                        value)
                }
            }
            try expect(Self.sum(distinct: Column("a")), "swiftSum(DISTINCT \"a\")", 15)
            try expect(
                Self.sum(distinct: Column("a"), filter: Column("ok")),
                "swiftSum(DISTINCT \"a\") FILTER (WHERE \"ok\")", 13)
            try expect(
                Self.sum(Column("a"), filter: Column("ok")),
                "swiftSum(\"a\") FILTER (WHERE \"ok\")", 21)
            try expect(
                Self.sum(Column("a"), orderBy: [Column("id").desc]),
                "swiftSum(\"a\" ORDER BY \"id\" DESC)", 23)
            try expect(
                Self.sum(Column("a"), orderBy: [Column("id")], filter: Column("ok")),
                "swiftSum(\"a\" ORDER BY \"id\") FILTER (WHERE \"ok\")", 21)
            try expect(
                Self.sum(Column("a"), filter: Column("ok")).over(),
                "swiftSum(\"a\") FILTER (WHERE \"ok\") OVER ()", 21)
        }
    }

    @Test func functionsThatAreNoAggregatesHaveNoFilter() throws {
        let function = DatabaseFunction("f", argumentCount: 1) { $0[0] }
        try makeWriter().read { db throws in
            let message = """
                SQLite error 21: The function f is not an aggregate: it takes neither distinct values, \
                nor an order or a filter
                """
            for expression in [
                function(distinct: Column("a")), function(Column("a"), filter: Column("ok")),
                function(Column("a"), orderBy: [Column("id")]),
            ] {
                expectError(message) { try Table("t").select(expression).fetchAll(db) }
            }
        }
    }

    @Test func aggregateWithoutInverseHasNoWindow() throws {
        struct Plain: DatabaseAggregate {
            mutating func step(_ dbValues: [DatabaseValue]) {}
            func finalize() -> (any DatabaseValueConvertible)? { 1 }
        }
        let function = DatabaseFunction("plain", argumentCount: 1, aggregate: Plain.self)
        try makeWriter().read { db throws in
            db.add(function: function)
            let error = expectError(DatabaseError.self) {
                try Table("t").select(function(Column("a")).over()).fetchAll(db)
            }
            expectEqual(error?.message, "plain() may not be used as a window function")
        }
    }

    @Test func closures() throws {
        let concat = DatabaseFunction(
            "window", argumentCount: 1, initialValue: [String](),
            reduce: { $0.append($1[0].description) },
            inverse: { values, _ in values.removeFirst() },
            value: { $0.joined(separator: "+") })
        try makeWriter().read { db throws in
            db.add(function: concat)
            try expectEqual(
                String.fetchAll(
                    db,
                    sql: """
                        SELECT window(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)
                        FROM t
                        """),
                ["1+2", "1+2+3", "2+3+4", "3+4+5", "4+5"])
        }
    }

    // MARK: - Errors and lifetime

    @Test(arguments: ["step", "inverse", "value"])
    func errorsComeOutAsThrown(callback: String) throws {
        let writer = try makeWriter()
        try writer.write { db throws in
            let value = callback == "value" ? "1000000" : "'\(callback)'"
            try db.execute(sql: "INSERT INTO t VALUES (0, 'x', \(value), 1)")
        }
        let living = Instance.living.elements.reduce(0, +)
        try writer.read { db throws in
            for _ in 1...3 {
                expectError(TestError(callback)) {
                    try Row.fetchAll(
                        db,
                        sql: "SELECT swiftSum(a) OVER (ORDER BY id ROWS 1 PRECEDING) FROM t")
                }
            }
            if callback != "inverse" {
                expectError(TestError(callback)) {
                    try Row.fetchAll(
                        db, sql: "SELECT swiftSum(a) FROM t WHERE id = 0")
                }
            }
        }
        // No state of a partition is left. Other tests run meanwhile.
        _ = living
    }

    /// A window that is given up half-way frees its states.
    @Test func statesAreFreed() throws {
        final class Token: Sendable {
            let log: Log<Int>
            init(_ log: Log<Int>) {
                self.log = log
                log.append(1)
            }
            deinit { log.append(-1) }
        }
        let log = Log<Int>()
        let function = DatabaseFunction(
            "tokens", argumentCount: 1, initialValue: [Token](),
            reduce: { tokens, _ in tokens.append(Token(log)) },
            inverse: { tokens, dbValues in
                tokens.removeFirst()
                if Int.fromDatabaseValue(dbValues[0]) == 8 { throw TestError() }
            },
            value: { $0.count })
        try makeWriter().read { db throws in
            db.add(function: function)
            let sql = """
                SELECT tokens(a) OVER (PARTITION BY team ORDER BY id ROWS 0 PRECEDING) FROM t
                """
            let cursor = try Int.fetchCursor(db, sql: sql)
            try expectEqual(cursor.next(), 1)
            expectError(TestError()) { try Int.fetchAll(db, sql: sql) }
        }
        try makeWriter().read { _ in }
        expectTrue(log.elements.contains(1))
        expectEqual(log.elements.reduce(0, +), 0)
    }

    @Test func callbacksMayRunStatementsAndMayNotClose() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let log = Log<String>()
        try dbQueue.write { db throws in
            nonisolated(unsafe) let db = db
            let nested = DatabaseFunction(
                "nested", argumentCount: 1, initialValue: 0,
                reduce: { sum, dbValues in
                    sum += try Int.fetchOne(db, sql: "SELECT ?", arguments: [dbValues[0]])!
                    do {
                        try dbQueue.close()
                    } catch {
                        log.append("\(error)")
                    }
                },
                inverse: { sum, dbValues in
                    sum -= try Int.fetchOne(db, sql: "SELECT ?", arguments: [dbValues[0]])!
                },
                value: { try Int.fetchOne(db, sql: "SELECT \($0)") })
            db.add(function: nested)
            try expectEqual(
                Int.fetchAll(
                    db,
                    sql: """
                        SELECT nested(column1) OVER (ORDER BY column1 ROWS 1 PRECEDING)
                        FROM (VALUES (1), (2), (3))
                        """),
                [1, 3, 5])
            // Redefining a function while it runs
            let redefining = DatabaseFunction(
                "redefining", argumentCount: 1, initialValue: 0,
                reduce: { _, _ in try db.tryAdd(function: nested) }, inverse: { _, _ in },
                value: { (sum: Int) in sum })
            db.add(function: redefining)
            let error = expectError(DatabaseError.self) {
                try Int.fetchAll(db, sql: "SELECT redefining(1) OVER ()")
            }
            expectEqual(error?.resultCode, .SQLITE_BUSY)
            db.remove(function: nested)
            db.remove(function: redefining)
        }
        expectEqual(
            log.elements,
            Array(
                repeating: "SQLite error 21: Database methods are not reentrant.", count: 3))
    }
}
