import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct RowAdapterTests {
    private static let sql = "SELECT 0 AS a, 1 AS b, 2 AS c, 3 AS d"

    private func fetch(_ adapter: any RowAdapter) throws -> Row {
        try TestDatabases.makeQueue().write { db in
            try #require(try Row.fetchOne(db, sql: Self.sql, adapter: adapter))
        }
    }

    private func message(_ adapter: any RowAdapter) -> String? {
        let error = expectError(DatabaseError.self) { try fetch(adapter) }
        expectEqual(error?.resultCode, .SQLITE_MISUSE)
        return error?.message
    }

    // MARK: - Columns

    @Test func suffix() throws {
        try expectEqual(fetch(SuffixRowAdapter(fromIndex: 0)).description, "[a:0 b:1 c:2 d:3]")
        try expectEqual(fetch(SuffixRowAdapter(fromIndex: 2)).description, "[c:2 d:3]")
        try expectEqual(fetch(SuffixRowAdapter(fromIndex: 4)).description, "[]")
        try expectEqual(fetch(SuffixRowAdapter(fromIndex: 9)).description, "[]")
    }

    @Test func range() throws {
        try expectEqual(fetch(RangeRowAdapter(1..<3)).description, "[b:1 c:2]")
        try expectEqual(fetch(RangeRowAdapter(1...2)).description, "[b:1 c:2]")
        try expectEqual(fetch(RangeRowAdapter(0..<4)).description, "[a:0 b:1 c:2 d:3]")
        try expectEqual(fetch(RangeRowAdapter(0..<0)).description, "[]")
        try expectEqual(fetch(RangeRowAdapter(4..<4)).description, "[]")
    }

    @Test func rangeOutOfBoundsThrows() throws {
        expectEqual(
            message(RangeRowAdapter(3..<5)),
            "Column range 3..<5 is out of bounds: the row has 4 columns")
        expectTrue(message(RangeRowAdapter(6..<8)) != nil)
        expectTrue(message(RangeRowAdapter(0...4)) != nil)
    }

    @Test func negativeIndexesTrap() async {
        await #expect(processExitsWith: .failure) { _ = SuffixRowAdapter(fromIndex: -1) }
        await #expect(processExitsWith: .failure) { _ = RangeRowAdapter(-1..<2) }
        await #expect(processExitsWith: .failure) { _ = RangeRowAdapter(-1...2) }
        await #expect(processExitsWith: .failure) { _ = RangeRowAdapter(0...Int.max) }
    }

    @Test func empty() throws {
        try expectEqual(fetch(EmptyRowAdapter()).description, "[]")
        try expectEqual(fetch(EmptyRowAdapter()).unadapted.description, "[a:0 b:1 c:2 d:3]")
    }

    @Test func columnMapping() throws {
        // In the order of the raw row.
        try expectEqual(fetch(ColumnMapping(["x": "c", "y": "A"])).description, "[y:0 x:2]")
        try expectEqual(fetch(ColumnMapping(["z": "a", "y": "a"])).description, "[y:0 z:0]")
        try expectEqual(fetch(ColumnMapping(["z": "a", "y": "d"])).description, "[z:0 y:3]")
        try expectEqual(fetch(ColumnMapping([:])).description, "[]")
        let row = try fetch(ColumnMapping(["x": "c"]))
        expectEqual(row["x"] as Int?, 2)
        expectNil(row["c"] as Int?)
        expectError(RowDecodingError.self) { try row.decode(Int.self, forColumn: "c") }
    }

    @Test func columnMappingOfAMissingColumnThrows() throws {
        let text = "Mapping references missing column nope. Valid column names are: a, b, c, d."
        expectEqual(message(ColumnMapping(["x": "nope"])), text)
        expectEqual(message(ScopeAdapter(["s": ColumnMapping(["x": "nope"])])), text)
        try TestDatabases.makeQueue().write { db in
            // Also when there is no row.
            expectError(DatabaseError.self) {
                try Row.fetchOne(
                    db, sql: "SELECT 1 AS a WHERE 0", adapter: ColumnMapping(["x": "nope"]))
            }
            expectError(DatabaseError.self) {
                try Row.fetchCursor(
                    db, sql: "SELECT 1 AS a", adapter: ColumnMapping(["x": "nope"]))
            }
            expectError(DatabaseError.self) {
                try Int.fetchOne(db, sql: "SELECT 1 AS a", adapter: ColumnMapping(["x": "nope"]))
            }
        }
    }

    @Test func rename() throws {
        let suffixed = RenameColumnAdapter { $0 + "_x" }
        try expectEqual(fetch(suffixed).description, "[a_x:0 b_x:1 c_x:2 d_x:3]")
        let same = try fetch(RenameColumnAdapter { _ in "same" })
        expectEqual(same.description, "[same:0 same:1 same:2 same:3]")
        expectEqual(same["same"] as Int, 0)
    }

    // MARK: - Scopes

    @Test func scopesSeeTheRawRow() throws {
        let row = try fetch(
            RangeRowAdapter(0..<2).addingScopes(["s": SuffixRowAdapter(fromIndex: 2)]))
        expectEqual(row.description, "[a:0 b:1]")
        expectEqual(row.scopes["s"]?.description, "[c:2 d:3]")
        let other = try fetch(
            ScopeAdapter(
                base: SuffixRowAdapter(fromIndex: 1), scopes: ["s": SuffixRowAdapter(fromIndex: 1)])
        )
        expectEqual(other.description, "[b:1 c:2 d:3]")
        expectEqual(other.scopes["s"]?.description, "[b:1 c:2 d:3]")
        let renamed = try fetch(
            RenameColumnAdapter { $0 + "_x" }.addingScopes(["s": SuffixRowAdapter(fromIndex: 1)]))
        expectEqual(renamed.description, "[a_x:0 b_x:1 c_x:2 d_x:3]")
        expectEqual(renamed.scopes["s"]?.description, "[b:1 c:2 d:3]")
    }

    @Test func scopesAddUp() throws {
        let base = ScopeAdapter(["s": SuffixRowAdapter(fromIndex: 2)])
        let both = try fetch(base.addingScopes(["t": RangeRowAdapter(0..<1)]))
        expectEqual(both.scopes["s"]?.description, "[c:2 d:3]")
        expectEqual(both.scopes["t"]?.description, "[a:0]")
        let replaced = try fetch(base.addingScopes(["s": RangeRowAdapter(0..<1)]))
        expectEqual(replaced.scopes.count, 1)
        expectEqual(replaced.scopes["s"]?.description, "[a:0]")
        try expectEqual(fetch(base.addingScopes([:])).scopes.names.sorted(), ["s"])
    }

    @Test func scopesNest() throws {
        let row = try fetch(
            ScopeAdapter([
                "s": RangeRowAdapter(1..<3).addingScopes([
                    "t": RenameColumnAdapter { $0.uppercased() }
                ])
            ]))
        expectEqual(row.description, "[a:0 b:1 c:2 d:3]")
        expectEqual(row.scopes["s"]?.description, "[b:1 c:2]")
        expectEqual(row.scopes["s"]?.scopes["t"]?.description, "[A:0 B:1 C:2 D:3]")
    }

    @Test func splitting() throws {
        let adapters = splittingRowAdapters(columnCounts: [1, 2])
        try expectEqual(
            adapters.map { try fetch($0).description }, ["[a:0]", "[b:1 c:2]", "[d:3]"])
        try expectEqual(
            splittingRowAdapters(columnCounts: []).map { try fetch($0).description },
            ["[a:0 b:1 c:2 d:3]"])
        try expectEqual(
            splittingRowAdapters(columnCounts: [0, 4]).map { try fetch($0).description },
            ["[]", "[a:0 b:1 c:2 d:3]", "[]"])
        expectError(DatabaseError.self) {
            try splittingRowAdapters(columnCounts: [5]).map { try fetch($0) }
        }
    }

    // MARK: - Values and cursors

    @Test func valuesOfAdaptedRows() throws {
        try TestDatabases.makeQueue().write { db in
            try expectEqual(
                Int.fetchOne(db, sql: Self.sql, adapter: SuffixRowAdapter(fromIndex: 2)),
                2)
            try expectEqual(
                Int.fetchAll(db, sql: Self.sql, adapter: ColumnMapping(["x": "d"])), [3])
            try expectEqual(Int.fetchSet(db, sql: Self.sql, adapter: RangeRowAdapter(1..<3)), [1])
            try expectEqual(
                Int.fetchCursor(db, sql: Self.sql, adapter: RenameColumnAdapter(\.self)).next(),
                0)
        }
    }

    @Test func valuesOfRowsWithoutColumn() throws {
        let adapters: [any RowAdapter] = [EmptyRowAdapter(), SuffixRowAdapter(fromIndex: 4)]
        try TestDatabases.makeQueue().write { db in
            for adapter in adapters {
                let error = expectError(DatabaseError.self) {
                    try Int.fetchOne(db, sql: Self.sql, adapter: adapter)
                }
                expectEqual(error?.resultCode, .SQLITE_MISUSE)
                expectEqual(error?.message, "The request selects no column")
            }
        }
    }

    @Test func cursorsOfAdaptedRows() throws {
        try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchCursor(
                db, sql: "SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, 4",
                adapter: RangeRowAdapter(1..<2).addingScopes(["s": RangeRowAdapter(0..<1)]))
            expectEqual(rows.columnNames, ["a", "b"])
            var descriptions: [String] = []
            while let row = try rows.next() {
                descriptions.append("\(row) \(row.scopes["s"]!)")
            }
            expectEqual(descriptions, ["[b:2] [a:1]", "[b:4] [a:3]"])
            let all = try Row.fetchAll(db, sql: Self.sql, adapter: RangeRowAdapter(1..<2))
            expectEqual(all, [["b": 1]])
            let set = try Row.fetchSet(db, sql: Self.sql, adapter: RangeRowAdapter(1..<2))
            expectEqual(set, [["b": 1]])
        }
    }

    // MARK: - Custom adapters

    /// Removes the prefix of column names.
    private struct UnprefixAdapter: RowAdapter {
        var prefix: String

        func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
            _AppliedAdapter(
                columns: source._columns.compactMap { index, name in
                    name.hasPrefix(prefix) ? (index, String(name.dropFirst(prefix.count))) : nil
                })
        }
    }

    private struct FirstColumnAdapter: RowAdapter {
        var name: String

        func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
            guard let position = source._position(ofColumn: name) else {
                throw DatabaseError(message: "no column \(name)")
            }
            return _AppliedAdapter(
                columns: [source._columns[position]],
                scopes: ["rest": try SuffixRowAdapter(fromIndex: 1)._applied(to: source)])
        }
    }

    @Test func customAdapter() throws {
        try TestDatabases.makeQueue().write { db in
            let sql = "SELECT 0 AS id, 1 AS b_id, 2 AS b_name"
            let row = try unwrap(
                Row.fetchOne(db, sql: sql, adapter: UnprefixAdapter(prefix: "b_")))
            expectEqual(row, ["id": 1, "name": 2])
            let scoped = try Row.fetchOne(
                db, sql: sql, adapter: ScopeAdapter(["b": UnprefixAdapter(prefix: "b_")]))
            expectEqual(scoped?.scopes["b"], ["id": 1, "name": 2])
            try expectEqual(
                Int.fetchOne(db, sql: sql, adapter: UnprefixAdapter(prefix: "b_n")),
                2)
        }
    }

    @Test func customAdapterWithScopesAndErrors() throws {
        let row = try fetch(FirstColumnAdapter(name: "C"))
        expectEqual(row.description, "[c:2]")
        expectEqual(row.scopes["rest"]?.description, "[b:1 c:2 d:3]")
        let error = expectError(DatabaseError.self) { try fetch(FirstColumnAdapter(name: "x")) }
        expectEqual(error?.message, "no column x")
    }

    private struct FixedAdapter: RowAdapter {
        var columns: [(Int, String)]

        func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
            _AppliedAdapter(columns: columns)
        }
    }

    @Test func customAdapterWithColumnsThatAreNotThere() throws {
        try expectEqual(fetch(FixedAdapter(columns: [(3, "x"), (0, "y")])), ["x": 3, "y": 0])
        for index in [4, -1] {
            expectTrue(message(FixedAdapter(columns: [(0, "x"), (index, "y")])) != nil)
            expectTrue(message(ScopeAdapter(["s": FixedAdapter(columns: [(index, "y")])])) != nil)
        }
    }
}
