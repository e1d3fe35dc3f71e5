import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// Expressions and requests that loops and recursive functions build: long, or deep. Nothing about
/// them may crash, also on threads with small stacks, nor take quadratic time.
@Suite(.databases) struct DeepExpressionTests {
    // MARK: - Depth

    /// Runs the closure on a thread with the stack that secondary threads have on Apple systems.
    private static func onSmallThread(_ body: @escaping @Sendable () -> Void) {
        let semaphore = DispatchSemaphore(value: 0)
        let thread = Thread {
            body()
            semaphore.signal()
        }
        thread.stackSize = 512 * 1024
        thread.start()
        semaphore.wait()
    }

    /// Fetches the value of an expression.
    ///
    /// - returns: whether SQLite, or the stack, was good for it. If not, it is an error of code 1.
    private static func isFetched(_ expression: SQLExpression, _ db: Database) -> Bool {
        do {
            _ = try Row.fetchOne(db, SQLRequest<Row>("SELECT \(expression) FROM t"))
            return true
        } catch let error as DatabaseError {
            precondition(error.resultCode == .SQLITE_ERROR, "\(error)")
            precondition(error.message != nil)
            return false
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static func makeDatabase() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        return dbQueue
    }

    /// The ways in which expressions get deep.
    private static let nestings: [@Sendable (SQLExpression) -> SQLExpression] = [
        { $0 + 1 },
        { $0 - 1 },
        { -$0 },
        { !$0 },
        { ~$0 },
        { $0 == 1 },
        { 1 < $0 },
        { SQL("coalesce(\($0), a)").sqlExpression },
        { abs($0) },
        { $0.collating(.nocase) },
        { cast($0, as: .integer) },
        { [1, 2].contains($0) },
        { [$0, Column("a").sqlExpression].contains(Column("a")) },
        { (0...1000).contains($0) },
        { $0.like("x") },
        { SQL("abs(\($0))").sqlExpression },
        { SQL("a IN \([$0])").sqlExpression },
        { SQL("CASE WHEN \($0) THEN 1 END").sqlExpression },
        { SQLRequest<Int>("SELECT \($0)").sqlExpression },
        { Table("t").select($0).sqlExpression },
        { Table("t").filter($0).exists() },
        { Table("t").select(Column("a")).filter($0).contains(Column("a")) },
    ]

    /// Both threads, all nestings, and depths around the limits of SQLite.
    @Test func deepExpressionsAreErrors() async {
        await #expect(processExitsWith: .success) {
            let dbQueue = try DeepExpressionTests.makeDatabase()
            try dbQueue.read { db in
                for nest in DeepExpressionTests.nestings {
                    for depth in [20, 330, 708, 3000] {
                        var expression: SQLExpression = Column("a").sqlExpression
                        for _ in 0..<depth { expression = nest(expression) }
                        let isFetched = DeepExpressionTests.isFetched(expression, db)
                        if depth == 3000 { precondition(!isFetched) }
                    }
                }
            }
        }
        await #expect(processExitsWith: .success) {
            let dbQueue = try DeepExpressionTests.makeDatabase()
            DeepExpressionTests.onSmallThread {
                try! dbQueue.read { db in
                    for nest in DeepExpressionTests.nestings {
                        for depth in [20, 330, 708, 3000] {
                            var expression: SQLExpression = Column("a").sqlExpression
                            for _ in 0..<depth { expression = nest(expression) }
                            let isFetched = DeepExpressionTests.isFetched(expression, db)
                            if depth == 3000 { precondition(!isFetched) }
                        }
                    }
                }
            }
        }
    }

    @Test func depthOfSQLiteIsAccepted() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            var expression: SQLExpression = Column("a").sqlExpression
            for _ in 0..<990 { expression = expression + 1 }
            try expectEqual(Int.fetchOne(db, Table("t").select(expression)), 991)
            try expectEqual(Int.fetchOne(db, Table("t").select(expression.forKey("b"))), 991)
            for _ in 0..<30 { expression = expression + 1 }
            expectError("SQLite error 1: Expression tree is too large (maximum depth 1000)") {
                try Int.fetchOne(db, Table("t").select(expression))
            }
            expression = expression + 1
            expectError("SQLite error 1: Expression tree is too large (maximum depth 1000)") {
                try Int.fetchOne(db, Table("t").select(expression))
            }
        }
    }

    /// SQL that somebody wrote: SQLite alone would overflow the stack.
    @Test func deepTextsAreErrors() async {
        await #expect(processExitsWith: .success) {
            let dbQueue = try DeepExpressionTests.makeDatabase()
            DeepExpressionTests.onSmallThread {
                try! dbQueue.read { db in
                    for (start, end) in [
                        ("(", " + 1)"), ("coalesce(a, ", ")"), ("~", ""),
                        ("CASE WHEN a THEN ", " ELSE 2 END"), ("(SELECT ", " FROM t)"),
                        ("a IN (SELECT a FROM t WHERE ", ")"),
                        ("(SELECT max(a) FROM (SELECT ", " AS a FROM t))"),
                    ] {
                        for depth in [20, 100, 300, 500, 700, 990, 5000] {
                            let sql =
                                "SELECT " + String(repeating: start, count: depth) + "a"
                                + String(repeating: end, count: depth) + " FROM t"
                            do {
                                _ = try Int.fetchOne(db, sql: sql)
                                precondition(depth < 5000)
                            } catch let error as DatabaseError {
                                precondition(error.resultCode == .SQLITE_ERROR)
                                precondition(depth > 20 || start.contains("SELECT"), "\(start)")
                            }
                        }
                    }
                    // The limits are those of SQLite again.
                    precondition(
                        sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_EXPR_DEPTH, -1) == 1000)
                    precondition(
                        sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_PARSER_DEPTH, -1) == 2500)
                }
            }
        }
    }

    // MARK: - Length

    private static let count = 50_000

    @Test(.patience) func longChainsOfOperatorsAreFast() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
            var all: SQLExpression = Column("a") > 1
            var any: SQLExpression = Column("a") == 0
            for index in 1..<Self.count {
                all = all && Column("a") > 1
                any = any || Column("a") == index
                // Copies of shorter ones are still what they were.
                if index == 300 {
                    try expectEqual(Int.fetchAll(db, Table("t").filter(all && any)), [2])
                }
            }
            let (sql, arguments) = try SQL("\(all && any)").build(db)
            expectEqual(sql.components(separatedBy: "\"a\"").count, 2 * Self.count + 1)
            expectEqual(arguments.isEmpty, false)
            var sum: SQLExpression = Column("a").sqlExpression
            for _ in 0..<Self.count { sum = sum + 1 }
            expectError("SQLite error 1: Expression tree is too large (maximum depth 1000)") {
                try Int.fetchAll(db, Table("t").select(sum))
            }
        }
    }

    @Test(.patience) func longChainsOfFiltersAreFast() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
            var request = Table("t").filter(Column("a") > 1)
            for _ in 1..<300 { request = request.filter(Column("a") > 1) }
            try expectEqual(Int.fetchAll(db, request), [2])
            try expectEqual(Int.fetchAll(db, request.filter(Column("a") > 2)), [])
            for _ in 300..<Self.count { request = request.filter(Column("a") > 1) }
            let sql = try SQL("\(request)").build(db).sql
            expectEqual(sql.components(separatedBy: "(\"a\" > ?)").count, Self.count + 1)
        }
    }

    @Test(.patience) func longLiteralsAreFast() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            var sum: SQL = "SELECT 0"
            for _ in 0..<Self.count { sum = sum + ", \(1)" }
            let (sql, arguments) = try sum.build(db)
            expectEqual(sql, "SELECT 0" + String(repeating: ", ?", count: Self.count))
            expectEqual(arguments, StatementArguments(Array(repeating: 1, count: Self.count)))

            var interpolated: SQL = "a"
            for _ in 0..<Self.count { interpolated = "(\(interpolated), b)" }
            try expectEqual(
                interpolated.build(db).sql,
                String(repeating: "(", count: Self.count) + "a"
                    + String(repeating: ", b)", count: Self.count))

            var expression: SQLExpression = Column("a").sqlExpression
            for _ in 0..<Self.count { expression = SQL("(\(expression), b)").sqlExpression }
            try expectEqual(
                SQL(expression).build(db).sql,
                String(repeating: "(", count: Self.count) + "\"a\""
                    + String(repeating: ", b)", count: Self.count))
        }
    }

    /// Requests in requests, of which nothing bounds the depth before they are written.
    @Test func deepRequestsAreDeallocated() async {
        await #expect(processExitsWith: .success) {
            let dbQueue = try DeepExpressionTests.makeDatabase()
            DeepExpressionTests.onSmallThread {
                try! dbQueue.read { db in
                    var request = Table("t").select(Column("a"))
                    for _ in 0..<DeepExpressionTests.count {
                        let inner = request
                        request = Table("t").select(Column("a")).filter(inner.contains(Column("a")))
                    }
                    precondition(
                        !DeepExpressionTests.isFetched(request.sqlExpression, db))
                }
            }
        }
    }
}
