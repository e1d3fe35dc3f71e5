import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct RowCollectionTests {
    private let row: Row = ["b": 1, "a": nil, "b": "x"]

    @Test func iteratesColumnsFromLeftToRight() throws {
        expectEqual(row.map(\.0), ["b", "a", "b"])
        expectEqual(row.map(\.1), [1.databaseValue, .null, "x".databaseValue])
        expectEqual(Array(row.columnNames), ["b", "a", "b"])
        expectEqual(Array(row.databaseValues), [1.databaseValue, .null, "x".databaseValue])
    }

    @Test func isARandomAccessCollection() throws {
        expectEqual(row.count, 3)
        expectTrue(!row.isEmpty && Row().isEmpty)
        expectEqual(row.first?.0, "b")
        expectEqual(row.last?.1, "x".databaseValue)
        expectEqual(row[row.startIndex].1, 1.databaseValue)
        expectEqual(row[row.index(before: row.endIndex)].0, "b")
        expectEqual(row.distance(from: row.startIndex, to: row.endIndex), 3)
        expectEqual(row.index(row.startIndex, offsetBy: 2), row.index(before: row.endIndex))
        #expect(row.startIndex < row.endIndex)
        expectEqual(row.reversed().map(\.0), ["b", "a", "b"])
        expectEqual(row.dropFirst().map(\.1), [.null, "x".databaseValue])
        expectEqual(row.columnNames[row.index(after: row.startIndex)], "a")
        expectEqual(row.indices.count, 3)
    }

    @Test func iteratesALiveRow() throws {
        try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchCursor(
                db, sql: "SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, 4",
                adapter: SuffixRowAdapter(fromIndex: 1))
            var values: [String] = []
            while let row = try rows.next() {
                for (name, dbValue) in row { values.append("\(name) \(dbValue)") }
            }
            expectEqual(values, ["b 2", "b 4"])
        }
    }

    @Test func positionOutOfRangeTraps() async {
        await #expect(processExitsWith: .failure) {
            let row: Row = ["a": 1]
            _ = row[row.endIndex]
        }
    }

    // MARK: - Dictionaries

    @Test func dictionaryLiteralsKeepOrderAndDuplicates() {
        let row: Row = ["zz": 1, "a": nil, "m": "x", "a": 2]
        expectEqual(Array(row.columnNames), ["zz", "a", "m", "a"])
        expectNil(row["a"] as Int?)
        expectEqual(row[3] as Int, 2)
        let empty: Row = [:]
        expectEqual(empty.count, 0)
    }

    @Test func dictionaries() {
        let values: [String: (any DatabaseValueConvertible)?] = ["a": 1, "b": nil, "c": "x"]
        let row = Row(values)
        expectEqual(row.count, 3)
        expectEqual(row["a"] as Int, 1)
        expectEqual(row["b"] as DatabaseValue, .null)
        expectEqual(row["c"] as String, "x")
        expectEqual(Row(["b": 1, "a": 2, "c": 3, "d": 4]).count, 4)
        expectEqual(Row().count, 0)
    }

    @Test func dictionariesOfAnything() throws {
        let row = try unwrap(Row(["a": 1, "b": "x", "c": NSNull()] as [AnyHashable: Any]))
        expectEqual(row.count, 3)
        expectEqual(row["a"] as Int, 1)
        expectEqual(row["b"] as String, "x")
        expectEqual(row["c"] as DatabaseValue, .null)

        struct NotConvertible {}
        expectEqual(Row(["a": NotConvertible()] as [AnyHashable: Any]), nil)
        expectEqual(Row(["a": 1, 2: 3] as [AnyHashable: Any]), nil)
        expectEqual(Row(["a": UInt64.max] as [AnyHashable: Any]), nil)
        expectEqual(Row([:] as [AnyHashable: Any]), Row())
    }

    // MARK: - Equality

    private func fetch(_ sql: String, adapter: (any RowAdapter)? = nil) throws -> Row {
        try TestDatabases.makeQueue().write { db in
            try #require(try Row.fetchOne(db, sql: sql, adapter: adapter))
        }
    }

    @Test func equalRowsHaveEqualColumnsInTheSameOrder() throws {
        let row = try fetch("SELECT 1 AS a, 2 AS b")
        try expectEqual(row, fetch("SELECT 1 AS a, 2 AS b"))
        try #expect(row != fetch("SELECT 2 AS b, 1 AS a"))
        try #expect(row != fetch("SELECT 1 AS a"))
        try #expect(row != fetch("SELECT 1 AS A, 2 AS b"))
        try #expect(fetch("SELECT 1 AS a, 2 AS a") != fetch("SELECT 2 AS a, 1 AS a"))
        expectEqual(row, ["a": 1, "b": 2])
        expectEqual(Row(), Row())
    }

    @Test func equalValuesMayHaveOtherStorages() throws {
        let row = try fetch("SELECT 1 AS a")
        let real = try fetch("SELECT 1.0 AS a")
        expectEqual(row, real)
        expectEqual(row.hashValue, real.hashValue)
        try #expect(row != fetch("SELECT '1' AS a"))
        expectEqual(Set([row, real]).count, 1)
        try expectEqual(Set([row, fetch("SELECT 1 AS A")]).count, 2)
    }

    @Test func scopesTakePartInEquality() throws {
        let sql = "SELECT 1 AS a, 2 AS b"
        let plain = try fetch(sql)
        let scoped = try fetch(sql, adapter: ScopeAdapter(["s": RangeRowAdapter(0..<1)]))
        #expect(scoped != plain)
        expectEqual(scoped.unscoped, plain)
        expectEqual(scoped.hashValue, plain.hashValue)
        try expectEqual(scoped, fetch(sql, adapter: ScopeAdapter(["s": RangeRowAdapter(0..<1)])))
        try #expect(scoped != fetch(sql, adapter: ScopeAdapter(["t": RangeRowAdapter(0..<1)])))
        try #expect(scoped != fetch(sql, adapter: ScopeAdapter(["s": RangeRowAdapter(1..<2)])))
        let nested = ScopeAdapter([
            "s": RangeRowAdapter(0..<1).addingScopes(["t": EmptyRowAdapter()])
        ])
        try #expect(scoped != fetch(sql, adapter: nested))
    }

    @Test func liveRowsCompareTheirCurrentValues() throws {
        try TestDatabases.makeQueue().write { db in
            let first = try Row.fetchCursor(db, sql: "SELECT 1 AS a UNION ALL SELECT 2")
            let second = try Row.fetchCursor(db, sql: "SELECT 2 AS a UNION ALL SELECT 2")
            let lhs = try unwrap(first.next())
            let rhs = try unwrap(second.next())
            #expect(lhs != rhs)
            _ = try first.next()
            expectEqual(lhs, rhs)
            expectEqual(lhs.hashValue, (["a": 2] as Row).hashValue)
        }
    }

    @Test func containsNonNullValue() throws {
        expectTrue((["a": nil, "b": 0] as Row).containsNonNullValue)
        expectTrue(!(["a": nil, "b": nil] as Row).containsNonNullValue)
        expectTrue(!Row().containsNonNullValue)
        let sql = "SELECT NULL AS a, NULL AS b, 1 AS c"
        let scope: [String: any RowAdapter] = ["n": RangeRowAdapter(2..<3)]
        try expectTrue(!fetch(sql, adapter: RangeRowAdapter(0..<2)).containsNonNullValue)
        try expectTrue(
            fetch(sql, adapter: RangeRowAdapter(0..<1).addingScopes(scope))
                .containsNonNullValue)
        try expectTrue(
            fetch(
                sql,
                adapter: RangeRowAdapter(0..<1)
                    .addingScopes(["m": RangeRowAdapter(1..<2).addingScopes(scope)])
            ).containsNonNullValue)
    }

    @Test func valuesThatCanNotBeStoredThrow() throws {
        let row = try Row(storing: ["a": UInt64(7)])
        expectEqual(row, ["a": 7])
        try expectEqual(Row(storing: ["a": nil]), ["a": nil])
        try expectEqual(Row(storing: [:]), Row())
        expectError(
            "SQLite error 20: column \"a\": value can't be stored in a database: "
                + "18446744073709551615"
        ) { try Row(storing: ["a": UInt64.max]) }
    }
}
