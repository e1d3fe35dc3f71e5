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
        try #expect(description("SELECT 1" as SQLRequest<Int>) == "SELECT 1 []")
        try #expect(description("SELECT \("x")" as SQLRequest<String>) == #"SELECT ? ["x"]"#)
        try #expect(
            description(SQLRequest<String>(sql: "SELECT ?", arguments: ["x"])) == #"SELECT ? ["x"]"#
        )
        try #expect(
            description(SQLRequest<Int>(sql: "SELECT :a", arguments: ["a": 1]))
                == #"SELECT :a ["a": 1]"#)
        try #expect(description(SQLRequest<Int>(literal: "SELECT \(1)")) == "SELECT ? [1]")
        try #expect(description(SQLRequest<Int>(stringLiteral: "SELECT 1")) == "SELECT 1 []")
        let rows = SQLRequest(sql: "SELECT 1 AS a")
        let literalRows = SQLRequest(literal: "SELECT \(1) AS a")
        try TestDatabases.makeQueue().write { db in
            let all: [Row] = try rows.fetchAll(db)
            #expect(all == [["a": 1]])
            try #expect(literalRows.fetchAll(db) == [["a": 1]] as [Row])
        }
    }

    @Test func fetchingRows() throws {
        try TestDatabases.makeQueue().write { db in
            let request: SQLRequest<Row> = "SELECT 1 AS a UNION ALL SELECT 1"
            try #expect(request.fetchAll(db) == [["a": 1], ["a": 1]])
            try #expect(request.fetchSet(db) == [["a": 1]])
            try #expect(request.fetchOne(db) == ["a": 1])
            let rows = try request.fetchCursor(db)
            try #expect(rows.next() == ["a": 1])
            let none: SQLRequest<Row> = "SELECT 1 WHERE 0"
            try #expect(none.fetchOne(db) == nil)
            try #expect(none.fetchAll(db).isEmpty)
        }
    }

    private enum Color: Int, DatabaseValueConvertible {
        case red = 1
    }

    @Test func fetchingValues() throws {
        try TestDatabases.makeQueue().write { db in
            let ints: SQLRequest<Int> = "SELECT 1 UNION ALL SELECT 1"
            try #expect(ints.fetchAll(db) == [1, 1])
            try #expect(ints.fetchSet(db) == [1])
            try #expect(ints.fetchOne(db) == 1)
            let fast: FastDatabaseValueCursor<Int> = try ints.fetchCursor(db)
            try #expect(fast.next() == 1)
            let colors: SQLRequest<Color> = "SELECT 1 UNION ALL SELECT 1"
            try #expect(colors.fetchAll(db) == [.red, .red])
            try #expect(colors.fetchSet(db) == [.red])
            try #expect(colors.fetchOne(db) == .red)
            let slow: DatabaseValueCursor<Color> = try colors.fetchCursor(db)
            try #expect(slow.next() == .red)
            let optionals: SQLRequest<Int?> = "SELECT 1 UNION ALL SELECT NULL"
            try #expect(optionals.fetchAll(db) == [1, nil])
            try #expect(optionals.fetchSet(db) == [1, nil])
            let null: SQLRequest<Int> = "SELECT NULL"
            try #expect(null.fetchOne(db) == nil)
            #expect(throws: RowDecodingError.self) { try null.fetchAll(db) }
        }
    }

    @Test func adapters() throws {
        try TestDatabases.makeQueue().write { db in
            var request = SQLRequest<Row>(
                sql: "SELECT 0 AS a, 1 AS b", adapter: SuffixRowAdapter(fromIndex: 1))
            try #expect(request.fetchOne(db) == ["b": 1])
            try #expect(Int.fetchOne(db, request) == 1)
            request.adapter = nil
            try #expect(request.fetchOne(db) == ["a": 0, "b": 1])
            let literal = SQLRequest<Int>(
                literal: "SELECT 0, \(5)", adapter: SuffixRowAdapter(fromIndex: 1))
            try #expect(literal.fetchAll(db) == [5])
        }
    }

    @Test func statementsAreCached() throws {
        try TestDatabases.makeQueue().write { db in
            for cached in [true, false] {
                let request = SQLRequest<Int>(sql: "SELECT ?", arguments: [1], cached: cached)
                let first = try request.makePreparedRequest(db).statement.sqliteStatement
                let second = try request.makePreparedRequest(db).statement.sqliteStatement
                if cached { #expect(first == second) }
                try #expect(request.fetchOne(db) == 1)
            }
        }
    }

    @Test func onlyOneStatement() throws {
        try TestDatabases.makeQueue().write { db in
            let request: SQLRequest<Int> = "SELECT 1; SELECT 2"
            let error = #expect(throws: DatabaseError.self) { try request.fetchOne(db) }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(error?.sql == "SELECT 1; SELECT 2")
            #expect(throws: DatabaseError.self) { try SQLRequest<Int>("").fetchAll(db) }
        }
    }

    // MARK: - Counting

    @Test func fetchCount() throws {

        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.read { db in
            let request: SQLRequest<Row> = "SELECT 1 AS a UNION SELECT \(2)"
            try expectSQL("SELECT COUNT(*) FROM (SELECT 1 AS a UNION SELECT 2 )") {
                try #expect(request.fetchCount(db) == 2)
            }
            try #expect(SQLRequest<Int>("SELECT 1 WHERE 0").fetchCount(db) == 0)
            try #expect(SQLRequest<Int>("SELECT 3 AS a, NULL").fetchCount(db) == 1)
            try #expect(SQLRequest<Int>("SELECT 1 -- one").fetchCount(db) == 1)
            let counts: SQLRequest<Int> = "SELECT \(request.sqlSubquery.sqlExpression)"
            try #expect(counts.fetchCount(db) == 1)
        }
    }

    // MARK: - Method references

    @Test func methodReferences() async throws {
        let dbQueue = try TestDatabases.makeQueue()
        let request: SQLRequest<Int> = "SELECT 1 UNION ALL SELECT 2"
        func sync() throws {
            try #expect(dbQueue.read(request.fetchAll) == [1, 2])
            try #expect(dbQueue.read(request.fetchSet) == [1, 2])
            try #expect(dbQueue.read(request.fetchOne) == 1)
            try #expect(dbQueue.read(request.fetchCount) == 2)
            try #expect(dbQueue.write(request.fetchAll) == [1, 2])
            let rows: SQLRequest<Row> = "SELECT 1 AS a"
            try #expect(dbQueue.read(rows.fetchOne) == ["a": 1])
        }
        try sync()
        try await #expect(dbQueue.read(request.fetchAll) == [1, 2])
        try await #expect(dbQueue.read(request.fetchCount) == 2)
        try await #expect(dbQueue.write(request.fetchOne) == 1)
    }
}
