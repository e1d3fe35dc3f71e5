import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct FetchRequestTests {
    private static let sql = "SELECT 0 AS a, 1 AS b, 2 AS c, 3 AS d"

    private func fetch(_ request: some FetchRequest) throws -> Row {
        try TestDatabases.makeQueue().write { db in try unwrap(Row.fetchOne(db, request)) }
    }

    // MARK: - Adapted requests

    @Test func adaptedRequest() throws {
        let request = SQLRequest<Row>(sql: Self.sql).adapted { _ in SuffixRowAdapter(fromIndex: 2) }
        try expectEqual(
            fetch(request).debugDescription,
            """
            ▿ [c:2 d:3]
              unadapted: [a:0 b:1 c:2 d:3]
            """)
        try TestDatabases.makeQueue().write { db in
            try expectEqual(request.fetchAll(db), [["c": 2, "d": 3]])
            try expectEqual(request.fetchCount(db), 1)
            try expectEqual(Int.fetchOne(db, request), 2)
            let ints = SQLRequest<Int>(sql: Self.sql).adapted { _ in SuffixRowAdapter(fromIndex: 3)
            }
            try expectEqual(ints.fetchAll(db), [3])
            try expectEqual(ints.fetchSet(db), [3])
            try expectEqual(ints.fetchOne(db), 3)
            try expectEqual(ints.fetchCursor(db).next(), 3)
        }
    }

    @Test func adaptersChain() throws {
        let request = SQLRequest<Row>(sql: Self.sql, adapter: SuffixRowAdapter(fromIndex: 1))
        try expectEqual(
            fetch(request.adapted { _ in SuffixRowAdapter(fromIndex: 2) }).debugDescription,
            """
            ▿ [d:3]
              unadapted: [a:0 b:1 c:2 d:3]
            """)
        try expectEqual(
            fetch(request.adapted { _ in ScopeAdapter(["x": RangeRowAdapter(0..<1)]) })
                .debugDescription,
            """
            ▿ [b:1 c:2 d:3]
              unadapted: [a:0 b:1 c:2 d:3]
              - x: [b:1]
            """)
        let mapped = request.adapted { _ in ColumnMapping(["y": "c"]) }
            .adapted { _ in RenameColumnAdapter { $0 + $0 } }
        try expectEqual(fetch(mapped), ["yy": 2])
    }

    @Test func adaptersMayUseTheDatabaseAndThrow() throws {
        let request = SQLRequest<Row>(sql: Self.sql).adapted { db in
            SuffixRowAdapter(fromIndex: try Int.fetchOne(db, sql: "SELECT 3")!)
        }
        try expectEqual(fetch(request), ["d": 3])
        let failing = SQLRequest<Row>(sql: Self.sql).adapted { _ in throw TestError() }
        expectError(TestError()) { try fetch(failing) }
        let missing = SQLRequest<Row>(sql: Self.sql).adapted { _ in ColumnMapping(["x": "y"]) }
        expectError(DatabaseError.self) { try fetch(missing) }
    }

    // MARK: - AnyFetchRequest

    @Test func anyFetchRequest() throws {
        let request = AnyFetchRequest(
            SQLRequest<Int>(sql: "SELECT ? UNION ALL SELECT 2", arguments: [1]))
        try TestDatabases.makeQueue().write { db in
            try expectEqual(request.fetchAll(db), [1, 2])
            try expectEqual(request.fetchSet(db), [1, 2])
            try expectEqual(request.fetchOne(db), 1)
            try expectEqual(request.fetchCursor(db).next(), 1)
            try expectEqual(request.fetchCount(db), 2)
            try expectEqual(request.makePreparedRequest(db).statement.arguments, [1])
            try expectEqual(request.asRequest(of: String?.self).fetchAll(db).count, 2)
        }
        let adapted = AnyFetchRequest(
            SQLRequest<Row>(sql: Self.sql).adapted { _ in RangeRowAdapter(1..<2) })
        try expectEqual(fetch(adapted), ["b": 1])
        try expectEqual(fetch(adapted.adapted { _ in RenameColumnAdapter { $0 + "x" } }), ["bx": 1])
    }

    @Test func existentialRequests() throws {
        let requests: [any FetchRequest<Int>] = [
            SQLRequest<Int>("SELECT 1"), AnyFetchRequest(SQLRequest<Int>("SELECT 2")),
            SQLRequest<Int>("SELECT 1, 3").adapted { _ in SuffixRowAdapter(fromIndex: 1) },
        ]
        try TestDatabases.makeQueue().write { db in
            try expectEqual(requests.map { try $0.fetchOne(db) }, [1, 2, 3])
        }
    }

    // MARK: - Custom requests

    private struct CustomRequest: FetchRequest {
        typealias RowDecoder = Int
        var number: Int

        func makePreparedRequest(
            _ db: Database, forSingleResult singleResult: Bool
        ) throws -> PreparedRequest {
            let sql: SQL =
                singleResult ? "SELECT \(number)" : "SELECT \(number) UNION ALL SELECT -1"
            return try SQLRequest<Int>(literal: sql)
                .makePreparedRequest(db, forSingleResult: singleResult)
        }

        func fetchCount(_ db: Database) throws -> Int { 2 }

        var sqlSubquery: SQLSubquery { SQLRequest<Int>("SELECT \(number)").sqlSubquery }
    }

    @Test func customRequestsLearnWhetherOneResultIsWanted() throws {
        try TestDatabases.makeQueue().write { db in
            let request = CustomRequest(number: 7)
            try expectEqual(request.fetchAll(db), [7, -1])
            try expectEqual(request.fetchSet(db), [7, -1])
            try expectEqual(Array(request.fetchCursor(db)), [7, -1])
            try expectEqual(request.fetchOne(db), 7)
            let cursor = try Int.fetchCursor(db, request)
            expectEqual(cursor.sql, "SELECT ? UNION ALL SELECT -1")
            try expectEqual(Row.fetchAll(db, request).count, 2)
            try expectEqual(AnyFetchRequest(request).fetchAll(db), [7, -1])
            try expectEqual(AnyFetchRequest(request).fetchOne(db), 7)
            let subquery: SQLRequest<Bool> = "SELECT 7 IN (\(request))"
            try expectEqual(subquery.fetchOne(db), true)
        }
    }

    @Test func regions() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a, b)")
            let request: SQLRequest<Row> = "SELECT a FROM t WHERE b = \(1)"
            try expectEqual(request.databaseRegion(db).description, "t(a,b)")
            try expectEqual(AnyFetchRequest(request).databaseRegion(db).description, "t(a,b)")
        }
    }
}
