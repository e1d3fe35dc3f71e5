import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct CursorErrorTests {
    private static let overflow = """
        SELECT 1 UNION ALL SELECT abs(-9223372036854775808) UNION ALL SELECT 3
        """

    @Test func aFailedStepFailsAgain() throws {
        try TestDatabases.makeQueue().read { db in
            let values = try Int.fetchCursor(db, sql: Self.overflow)
            try expectEqual(values.next(), 1)
            let rows = try Row.fetchCursor(db, sql: Self.overflow + " ")
            try expectEqual(rows.next(), ["1": 1])
            for _ in 0..<3 {
                expectError(DatabaseError.self) { try values.next() }
                expectError(DatabaseError.self) { try rows.next() }
            }
        }
    }

    @Test func decodingGoesOnAfterAnError() throws {
        try TestDatabases.makeQueue().read { db in
            let sql = "SELECT 1 AS a UNION ALL SELECT 'x' UNION ALL SELECT 3"
            let values = try Int.fetchCursor(db, sql: sql)
            try expectEqual(values.next(), 1)
            expectError(RowDecodingError.self) { try values.next() }
            try expectEqual(values.next(), 3)
            try expectEqual(values.next(), nil)

            struct Record: FetchableRecord {
                var a: Int
                init(row: Row) throws { a = try row.decode(forColumn: "a") }
            }
            let records = try Record.fetchCursor(db, sql: sql)
            try expectEqual(records.next()?.a, 1)
            expectError(RowDecodingError.self) { try records.next() }
            try expectEqual(records.next()?.a, 3)
            try expectNil(records.next())
        }
    }
}
