import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct RowCollectionTests {
    private let row: Row = ["b": 1, "a": nil, "b": "x"]

    @Test func iteratesColumnsFromLeftToRight() throws {
        #expect(row.map(\.0) == ["b", "a", "b"])
        #expect(row.map(\.1) == [1.databaseValue, .null, "x".databaseValue])
        #expect(Array(row.columnNames) == ["b", "a", "b"])
        #expect(Array(row.databaseValues) == [1.databaseValue, .null, "x".databaseValue])
    }

    @Test func isARandomAccessCollection() throws {
        #expect(row.count == 3)
        #expect(!row.isEmpty && Row().isEmpty)
        #expect(row.first?.0 == "b")
        #expect(row.last?.1 == "x".databaseValue)
        #expect(row[row.startIndex].1 == 1.databaseValue)
        #expect(row[row.index(before: row.endIndex)].0 == "b")
        #expect(row.distance(from: row.startIndex, to: row.endIndex) == 3)
        #expect(row.index(row.startIndex, offsetBy: 2) == row.index(before: row.endIndex))
        #expect(row.startIndex < row.endIndex)
        #expect(row.reversed().map(\.0) == ["b", "a", "b"])
        #expect(row.dropFirst().map(\.1) == [.null, "x".databaseValue])
        #expect(row.columnNames[row.index(after: row.startIndex)] == "a")
        #expect(row.indices.count == 3)
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
            #expect(values == ["b 2", "b 4"])
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
        #expect(Array(row.columnNames) == ["zz", "a", "m", "a"])
        #expect(row["a"] as Int? == nil)
        #expect(row[3] as Int == 2)
        let empty: Row = [:]
        #expect(empty.count == 0)
    }

    @Test func dictionaries() {
        let values: [String: (any DatabaseValueConvertible)?] = ["a": 1, "b": nil, "c": "x"]
        let row = Row(values)
        #expect(row.count == 3)
        #expect(row["a"] as Int == 1)
        #expect(row["b"] as DatabaseValue == .null)
        #expect(row["c"] as String == "x")
        #expect(Row(["b": 1, "a": 2, "c": 3, "d": 4]).count == 4)
        #expect(Row().count == 0)
    }

    @Test func dictionariesOfAnything() throws {
        let row = try #require(Row(["a": 1, "b": "x", "c": NSNull()] as [AnyHashable: Any]))
        #expect(row.count == 3)
        #expect(row["a"] as Int == 1)
        #expect(row["b"] as String == "x")
        #expect(row["c"] as DatabaseValue == .null)

        struct NotConvertible {}
        #expect(Row(["a": NotConvertible()] as [AnyHashable: Any]) == nil)
        #expect(Row(["a": 1, 2: 3] as [AnyHashable: Any]) == nil)
        #expect(Row(["a": UInt64.max] as [AnyHashable: Any]) == nil)
        #expect(Row([:] as [AnyHashable: Any]) == Row())
    }

    // MARK: - Equality

    private func fetch(_ sql: String, adapter: (any RowAdapter)? = nil) throws -> Row {
        try TestDatabases.makeQueue().write { db in
            try #require(try Row.fetchOne(db, sql: sql, adapter: adapter))
        }
    }

    @Test func equalRowsHaveEqualColumnsInTheSameOrder() throws {
        let row = try fetch("SELECT 1 AS a, 2 AS b")
        try #expect(row == fetch("SELECT 1 AS a, 2 AS b"))
        try #expect(row != fetch("SELECT 2 AS b, 1 AS a"))
        try #expect(row != fetch("SELECT 1 AS a"))
        try #expect(row != fetch("SELECT 1 AS A, 2 AS b"))
        try #expect(fetch("SELECT 1 AS a, 2 AS a") != fetch("SELECT 2 AS a, 1 AS a"))
        #expect(row == ["a": 1, "b": 2])
        #expect(Row() == Row())
    }

    @Test func equalValuesMayHaveOtherStorages() throws {
        let row = try fetch("SELECT 1 AS a")
        let real = try fetch("SELECT 1.0 AS a")
        #expect(row == real)
        #expect(row.hashValue == real.hashValue)
        try #expect(row != fetch("SELECT '1' AS a"))
        #expect(Set([row, real]).count == 1)
        try #expect(Set([row, fetch("SELECT 1 AS A")]).count == 2)
    }

    @Test func scopesTakePartInEquality() throws {
        let sql = "SELECT 1 AS a, 2 AS b"
        let plain = try fetch(sql)
        let scoped = try fetch(sql, adapter: ScopeAdapter(["s": RangeRowAdapter(0..<1)]))
        #expect(scoped != plain)
        #expect(scoped.unscoped == plain)
        #expect(scoped.hashValue == plain.hashValue)
        try #expect(scoped == fetch(sql, adapter: ScopeAdapter(["s": RangeRowAdapter(0..<1)])))
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
            let lhs = try #require(try first.next())
            let rhs = try #require(try second.next())
            #expect(lhs != rhs)
            _ = try first.next()
            #expect(lhs == rhs)
            #expect(lhs.hashValue == (["a": 2] as Row).hashValue)
        }
    }

    @Test func containsNonNullValue() throws {
        #expect((["a": nil, "b": 0] as Row).containsNonNullValue)
        #expect(!(["a": nil, "b": nil] as Row).containsNonNullValue)
        #expect(!Row().containsNonNullValue)
        let sql = "SELECT NULL AS a, NULL AS b, 1 AS c"
        let scope: [String: any RowAdapter] = ["n": RangeRowAdapter(2..<3)]
        try #expect(!fetch(sql, adapter: RangeRowAdapter(0..<2)).containsNonNullValue)
        try #expect(
            fetch(sql, adapter: RangeRowAdapter(0..<1).addingScopes(scope))
                .containsNonNullValue)
        try #expect(
            fetch(
                sql,
                adapter: RangeRowAdapter(0..<1)
                    .addingScopes(["m": RangeRowAdapter(1..<2).addingScopes(scope)])
            ).containsNonNullValue)
    }

    @Test func valuesThatCanNotBeStoredThrow() throws {
        let row = try Row(storing: ["a": UInt64(7)])
        #expect(row == ["a": 7])
        #expect(try Row(storing: ["a": nil]) == ["a": nil])
        #expect(try Row(storing: [:]) == Row())
        expectError(
            "SQLite error 20: column \"a\": value can't be stored in a database: "
                + "18446744073709551615"
        ) { try Row(storing: ["a": UInt64.max]) }
    }
}
