import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseAggregateTests {
    private struct Sum: DatabaseAggregate {
        var sum = 0

        mutating func step(_ dbValues: [DatabaseValue]) {
            if let int = Int.fromDatabaseValue(dbValues[0]) { sum += int }
        }

        func finalize() -> (any DatabaseValueConvertible)? { sum }
    }

    /// Throws in the step of 2, and at the end of groups that have seen a 3.
    private struct Failing: DatabaseAggregate {
        var hasSeen3 = false

        mutating func step(_ dbValues: [DatabaseValue]) throws {
            if dbValues[0] == 2.databaseValue { throw TestError("step") }
            if dbValues[0] == 3.databaseValue { hasSeen3 = true }
        }

        func finalize() throws -> (any DatabaseValueConvertible)? {
            if hasSeen3 { throw TestError("finalize") }
            return "ok"
        }
    }

    private func withDatabase(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(g, a);
                    INSERT INTO t VALUES ('x', 1), ('y', 10), ('x', 2), ('y', NULL), ('z', 'a');
                    """)
            db.add(function: DatabaseFunction("mysum", argumentCount: 1, aggregate: Sum.self))
            db.add(function: DatabaseFunction("failing", argumentCount: 1, aggregate: Failing.self))
            try body(db)
        }
    }

    @Test func aggregatesAllRows() throws {
        try withDatabase { db in
            try expectEqual(Int.fetchOne(db, sql: "SELECT mysum(a) FROM t"), 13)
            try expectEqual(Int.fetchOne(db, sql: "SELECT MYSUM(DISTINCT g = 'x') FROM t"), 1)
            try expectEqual(
                Int.fetchOne(db, sql: "SELECT mysum(a) FILTER (WHERE g = 'x') FROM t"),
                3)
        }
    }

    @Test func anEmptyGroupHasAResult() throws {
        try withDatabase { db in
            try expectEqual(Int.fetchOne(db, sql: "SELECT mysum(a) FROM t WHERE 0"), 0)
            try expectTrue(
                Row.fetchAll(db, sql: "SELECT mysum(a) FROM t WHERE 0 GROUP BY g").isEmpty)
        }
    }

    @Test func groupsHaveTheirOwnState() throws {
        try withDatabase { db in
            let sql = "SELECT g, mysum(a) AS s FROM t GROUP BY g"
            try expectEqual(
                Row.fetchAll(db, sql: sql).map(\.description),
                [#"[g:"x" s:3]"#, #"[g:"y" s:10]"#, #"[g:"z" s:0]"#])
            try expectEqual(
                Row.fetchOne(db, sql: "SELECT mysum(a) AS p, mysum(-a) AS n FROM t"),
                ["p": 13, "n": -13])
        }
    }

    @Test func aggregatesMayNest() throws {
        try withDatabase { db in
            let sql = """
                SELECT mysum((SELECT mysum(u.a) FROM t u WHERE u.g = t.g)) FROM t
                """
            try expectEqual(Int.fetchOne(db, sql: sql), 3 + 10 + 3 + 10)
        }
    }

    @Test func aggregatesAreNoWindowFunctions() throws {
        try withDatabase { db in
            expectError(
                "SQLite error 1: mysum() may not be used as a window function - "
                    + "while executing `SELECT mysum(a) OVER () FROM t`"
            ) {
                try Row.fetchAll(db, sql: "SELECT mysum(a) OVER () FROM t")
            }
        }
    }

    // MARK: - Errors

    @Test func errorsInStep() throws {
        try withDatabase { db in
            expectError(TestError("step")) {
                try Row.fetchAll(db, sql: "SELECT failing(a) FROM t")
            }
            let cursor = try String.fetchCursor(
                db, sql: "SELECT failing(a) FROM t GROUP BY g ORDER BY g DESC")
            expectError(TestError("step")) { while try cursor.next() != nil {} }
            try expectEqual(
                String.fetchOne(db, sql: "SELECT failing(a) FROM t WHERE g = 'y'"), "ok")
        }
    }

    @Test func errorsInFinalize() throws {
        try withDatabase { db in
            expectError(TestError("finalize")) {
                try Row.fetchAll(db, sql: "SELECT failing(3)")
            }
            expectError(TestError("finalize")) {
                try Row.fetchAll(
                    db, sql: "SELECT failing(CASE g WHEN 'y' THEN 3 END) FROM t GROUP BY g")
            }
            try expectEqual(String.fetchOne(db, sql: "SELECT failing(1)"), "ok")
        }
    }

    @Test func errorsOfEmptyGroups() throws {
        struct Empty: DatabaseAggregate {
            var count = 0
            mutating func step(_ dbValues: [DatabaseValue]) { count += 1 }
            func finalize() throws -> (any DatabaseValueConvertible)? {
                if count == 0 { throw DatabaseError(message: "no row") }
                return count
            }
        }
        try withDatabase { db in
            db.add(function: DatabaseFunction("nonEmpty", aggregate: Empty.self))
            try expectEqual(Int.fetchOne(db, sql: "SELECT nonEmpty() FROM t"), 5)
            expectError(
                "SQLite error 1: no row - while executing `SELECT nonEmpty() FROM t WHERE 0`"
            ) {
                try Int.fetchOne(db, sql: "SELECT nonEmpty() FROM t WHERE 0")
            }
        }
    }

    // MARK: - Lifetime

    /// Counts its instances.
    private final class Witness: Sendable {
        let log: Log<Int>
        init(_ log: Log<Int>) {
            self.log = log
            log.append(1)
        }
        deinit { log.append(-1) }
    }

    @Test func statesAreFreed() throws {
        try withDatabase { db in
            let log = Log<Int>()
            db.add(
                function: DatabaseFunction(
                    "witness", argumentCount: 1, initialValue: [Witness](),
                    reduce: { witnesses, dbValues in
                        witnesses.append(Witness(log))
                        if dbValues[0] == 2.databaseValue { throw TestError() }
                    },
                    result: { $0.count }))
            let sql = "SELECT witness(a) FROM t"
            try expectEqual(Int.fetchOne(db, sql: sql + " WHERE a <> 2"), 3)
            expectError(TestError()) { try Row.fetchAll(db, sql: sql) }
            expectError(TestError()) { try Row.fetchAll(db, sql: sql + " GROUP BY g") }
            // A cursor that does not go to its end.
            var cursor: RowCursor? = try Row.fetchCursor(
                db, sql: sql + " GROUP BY g ORDER BY g DESC")
            _ = try cursor?.next()
            cursor = nil
            expectNil(cursor)
            expectEqual(log.elements.reduce(0, +), 0)
            #expect(log.elements.count > 6)
        }
    }

    // MARK: - Reducers

    @Test func reducers() throws {
        try withDatabase { db in
            db.add(
                function: DatabaseFunction(
                    "letters", argumentCount: 1, initialValue: Set<Character>(),
                    reduce: { letters, dbValues in
                        if let text = String.fromDatabaseValue(dbValues[0]) {
                            letters.formUnion(text)
                        }
                    },
                    result: { String($0.sorted()) }))
            db.add(
                function: DatabaseFunction("product", argumentCount: 1, initialValue: 1.0) {
                    $0 *= Double.fromDatabaseValue($1[0]) ?? 1
                })
            try expectEqual(String.fetchOne(db, sql: "SELECT letters(g) FROM t"), "xyz")
            try expectEqual(String.fetchOne(db, sql: "SELECT letters(g) FROM t WHERE 0"), "")
            try expectEqual(
                Double.fetchAll(db, sql: "SELECT product(a) FROM t GROUP BY g"),
                [2, 10, 1])
            db.add(
                function: DatabaseFunction(
                    "failResult", initialValue: 0, reduce: { count, _ in count += 1 },
                    result: { count in throw TestError("\(count)") }))
            expectError(TestError("5")) {
                try Row.fetchAll(db, sql: "SELECT failResult() FROM t")
            }
        }
    }

    @Test func removal() throws {
        try withDatabase { db in
            db.remove(function: DatabaseFunction("mysum", argumentCount: 1, aggregate: Sum.self))
            expectError(
                "SQLite error 1: no such function: mysum - "
                    + "while executing `SELECT mysum(a) FROM t`"
            ) {
                try Row.fetchAll(db, sql: "SELECT mysum(a) FROM t")
            }
        }
    }
}
