import GRDB
import GRDBTestSupport
import Testing

/// The chapter "Row Adapters" of the 0.107 guide.
@Suite(.databases) struct Guide107RowAdaptersTests {
    private static let sql = "SELECT 0 AS a, 1 AS b, 2 AS c, 3 AS d"

    private func fetch(_ sql: String, _ adapter: some RowAdapter) throws -> Row {
        try fetch(sql, any: adapter)
    }

    private func fetch(_ sql: String, any adapter: any RowAdapter) throws -> Row {
        try TestDatabases.makeQueue().read { db in
            try Row.fetchOne(db, sql: sql, adapter: adapter)!
        }
    }

    @Test func consumedAndProduced() throws {
        // Fetch a 'produced' column, and consume a 'consumed' column:
        let adapter = ColumnMapping(["consumed": "produced"])
        let row = try fetch("SELECT 'Hello' AS produced", adapter)
        expectEqual(row["consumed"] as String?, "Hello")
        expectNil(row["produced"] as String?)
    }

    @Test func builtInAdapters() throws {
        try expectEqual(
            fetch("SELECT 'Hello' AS oldName", ColumnMapping(["newName": "oldName"])),
            ["newName": "Hello"])
        try expectEqual(
            fetch("SELECT 0 AS a, 1 AS b, 2 AS c", SuffixRowAdapter(fromIndex: 1)),
            ["b": 1, "c": 2])
        try expectEqual(fetch("SELECT 0 AS a, 1 AS b, 2 AS c", RangeRowAdapter(1..<2)), ["b": 1])
    }

    @Test func scopes() throws {
        let adapter = ScopeAdapter([
            "left": RangeRowAdapter(0..<2),
            "right": RangeRowAdapter(2..<4),
        ])
        let row = try fetch(Self.sql, adapter)
        expectEqual(row.unscoped, ["a": 0, "b": 1, "c": 2, "d": 3])
        expectEqual(row.scopes["left"], ["a": 0, "b": 1])
        expectEqual(row.scopes["right"], ["c": 2, "d": 3])
        expectEqual(row.scopes["missing"], nil)
    }

    @Test func nestedScopes() throws {
        let adapter = ScopeAdapter([
            "left": ScopeAdapter([
                "left": RangeRowAdapter(0..<1),
                "right": RangeRowAdapter(1..<2),
            ]),
            "right": ScopeAdapter([
                "left": RangeRowAdapter(2..<3),
                "right": RangeRowAdapter(3..<4),
            ]),
        ])
        let row = try fetch(Self.sql, adapter)
        let leftRow = row.scopes["left"]!
        expectEqual(leftRow.scopes["left"], ["a": 0])
        expectEqual(leftRow.scopes["right"], ["b": 1])
        let rightRow = row.scopes["right"]!
        expectEqual(rightRow.scopes["left"], ["c": 2])
        expectEqual(rightRow.scopes["right"], ["d": 3])
    }

    @Test func addingScopes() throws {
        let adapter = RangeRowAdapter(0..<2)
            .addingScopes(["remainder": SuffixRowAdapter(fromIndex: 2)])
        let row = try fetch(Self.sql, any: adapter)
        expectEqual(row.unscoped, ["a": 0, "b": 1])
        expectEqual(row.scopes["remainder"], ["c": 2, "d": 3])
    }
}
