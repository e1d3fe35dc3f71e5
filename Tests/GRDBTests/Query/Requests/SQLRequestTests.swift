import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct SQLRequestTests {
    private func description(_ request: SQLRequest<some Any>) throws -> String {
        try TestDatabases.makeQueue().write { db in
            let prepared = try request.makePreparedRequest(db, forSingleResult: false)
            return "\(prepared.statement.sql) \(prepared.statement.arguments)"
        }
    }

    @Test func initializers() throws {
        try expectEqual(description("SELECT 1" as SQLRequest<Int>), "SELECT 1 []")
        try expectEqual(description("SELECT \("x")" as SQLRequest<String>), #"SELECT ? ["x"]"#)
        try expectEqual(
            description(SQLRequest<String>(sql: "SELECT ?", arguments: ["x"])),
            #"SELECT ? ["x"]"#)
        try expectEqual(
            description(SQLRequest<Int>(sql: "SELECT :a", arguments: ["a": 1])),
            #"SELECT :a ["a": 1]"#)
        try expectEqual(description(SQLRequest<Int>(literal: "SELECT \(1)")), "SELECT ? [1]")
        try expectEqual(description(SQLRequest<Int>(stringLiteral: "SELECT 1")), "SELECT 1 []")
        let rows = SQLRequest(sql: "SELECT 1 AS a")
        let literalRows = SQLRequest(literal: "SELECT \(1) AS a")
        try TestDatabases.makeQueue().write { db in
            let all: [Row] = try rows.fetchAll(db)
            expectEqual(all, [["a": 1]])
            try expectEqual(literalRows.fetchAll(db), [["a": 1]] as [Row])
        }
    }

    @Test func fetchingRows() throws {
        try TestDatabases.makeQueue().write { db in
            let request: SQLRequest<Row> = "SELECT 1 AS a UNION ALL SELECT 1"
            try expectEqual(request.fetchAll(db), [["a": 1], ["a": 1]])
            try expectEqual(request.fetchSet(db), [["a": 1]])
            try expectEqual(request.fetchOne(db), ["a": 1])
            let rows = try request.fetchCursor(db)
            try expectEqual(rows.next(), ["a": 1])
            let none: SQLRequest<Row> = "SELECT 1 WHERE 0"
            try expectEqual(none.fetchOne(db), nil)
            try expectTrue(none.fetchAll(db).isEmpty)
        }
    }

    private enum Color: Int, DatabaseValueConvertible {
        case red = 1
    }

    @Test func fetchingValues() throws {
        try TestDatabases.makeQueue().write { db in
            let ints: SQLRequest<Int> = "SELECT 1 UNION ALL SELECT 1"
            try expectEqual(ints.fetchAll(db), [1, 1])
            try expectEqual(ints.fetchSet(db), [1])
            try expectEqual(ints.fetchOne(db), 1)
            let fast: FastDatabaseValueCursor<Int> = try ints.fetchCursor(db)
            try expectEqual(fast.next(), 1)
            let colors: SQLRequest<Color> = "SELECT 1 UNION ALL SELECT 1"
            try expectEqual(colors.fetchAll(db), [.red, .red])
            try expectEqual(colors.fetchSet(db), [.red])
            try expectEqual(colors.fetchOne(db), .red)
            let slow: DatabaseValueCursor<Color> = try colors.fetchCursor(db)
            try expectEqual(slow.next(), .red)
            let optionals: SQLRequest<Int?> = "SELECT 1 UNION ALL SELECT NULL"
            try expectEqual(optionals.fetchAll(db), [1, nil])
            try expectEqual(optionals.fetchSet(db), [1, nil])
            let null: SQLRequest<Int> = "SELECT NULL"
            try expectEqual(null.fetchOne(db), nil)
            expectError(RowDecodingError.self) { try null.fetchAll(db) }
        }
    }

    @Test func adapters() throws {
        try TestDatabases.makeQueue().write { db in
            var request = SQLRequest<Row>(
                sql: "SELECT 0 AS a, 1 AS b", adapter: SuffixRowAdapter(fromIndex: 1))
            try expectEqual(request.fetchOne(db), ["b": 1])
            try expectEqual(Int.fetchOne(db, request), 1)
            request.adapter = nil
            try expectEqual(request.fetchOne(db), ["a": 0, "b": 1])
            let literal = SQLRequest<Int>(
                literal: "SELECT 0, \(5)", adapter: SuffixRowAdapter(fromIndex: 1))
            try expectEqual(literal.fetchAll(db), [5])
        }
    }

    @Test func statementsAreCached() throws {
        try TestDatabases.makeQueue().write { db in
            for cached in [true, false] {
                let request = SQLRequest<Int>(sql: "SELECT ?", arguments: [1], cached: cached)
                let first = try request.makePreparedRequest(db).statement.sqliteStatement
                let second = try request.makePreparedRequest(db).statement.sqliteStatement
                if cached { expectEqual(first, second) }
                try expectEqual(request.fetchOne(db), 1)
            }
        }
    }

    @Test func onlyOneStatement() throws {
        try TestDatabases.makeQueue().write { db in
            let request: SQLRequest<Int> = "SELECT 1; SELECT 2"
            let error = expectError(DatabaseError.self) { try request.fetchOne(db) }
            expectEqual(error?.resultCode, .SQLITE_MISUSE)
            expectEqual(error?.sql, "SELECT 1; SELECT 2")
            expectError(DatabaseError.self) { try SQLRequest<Int>("").fetchAll(db) }
        }
    }

    // MARK: - Counting

    @Test func fetchCount() throws {

        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.read { db in
            let request: SQLRequest<Row> = "SELECT 1 AS a UNION SELECT \(2)"
            try expectSQL("SELECT COUNT(*) FROM (SELECT 1 AS a UNION SELECT 2 )") {
                try expectEqual(request.fetchCount(db), 2)
            }
            try expectEqual(SQLRequest<Int>("SELECT 1 WHERE 0").fetchCount(db), 0)
            try expectEqual(SQLRequest<Int>("SELECT 3 AS a, NULL").fetchCount(db), 1)
            try expectEqual(SQLRequest<Int>("SELECT 1 -- one").fetchCount(db), 1)
            let counts: SQLRequest<Int> = "SELECT \(request.sqlSubquery.sqlExpression)"
            try expectEqual(counts.fetchCount(db), 1)
        }
    }

    // MARK: - Method references

    @Test func methodReferences() async throws {
        let dbQueue = try TestDatabases.makeQueue()
        let request: SQLRequest<Int> = "SELECT 1 UNION ALL SELECT 2"
        func sync() throws {
            try expectEqual(dbQueue.read(request.fetchAll), [1, 2])
            try expectEqual(dbQueue.read(request.fetchSet), [1, 2])
            try expectEqual(dbQueue.read(request.fetchOne), 1)
            try expectEqual(dbQueue.read(request.fetchCount), 2)
            try expectEqual(dbQueue.write(request.fetchAll), [1, 2])
            let rows: SQLRequest<Row> = "SELECT 1 AS a"
            try expectEqual(dbQueue.read(rows.fetchOne), ["a": 1])
        }
        try sync()
        try await expectEqual(dbQueue.read(request.fetchAll), [1, 2])
        try await expectEqual(dbQueue.read(request.fetchCount), 2)
        try await expectEqual(dbQueue.write(request.fetchOne), 1)
    }
}
