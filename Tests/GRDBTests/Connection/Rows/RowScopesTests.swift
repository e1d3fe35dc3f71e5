import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct RowScopesTests {
    private func fetch(_ adapter: any RowAdapter) throws -> Row {
        try TestDatabases.makeQueue().write { db in
            try #require(
                try Row.fetchOne(db, sql: "SELECT 0 AS a, 1 AS b, 2 AS c, 3 AS d", adapter: adapter)
            )
        }
    }

    // MARK: - ScopesView

    @Test func scopesByName() throws {
        let row = try fetch(
            ScopeAdapter(["l": RangeRowAdapter(0..<1), "r": SuffixRowAdapter(fromIndex: 2)]))
        expectEqual(row, row.copy())
        expectEqual(row.scopes["l"], ["a": 0])
        expectEqual(row.scopes["r"], ["c": 2, "d": 3])
        expectEqual(row.scopes["L"], nil)
        expectEqual(row.scopes["a"], nil)
        expectEqual(row.scopes.names.sorted(), ["l", "r"])
    }

    @Test func scopesAreACollection() throws {
        let row = try fetch(
            ScopeAdapter(["l": RangeRowAdapter(0..<1), "r": SuffixRowAdapter(fromIndex: 3)]))
        expectEqual(row.scopes.count, 2)
        expectTrue(!row.scopes.isEmpty)
        expectEqual(row.scopes.map { "\($0.name) \($0.row)" }.sorted(), ["l [a:0]", "r [d:3]"])
        let position = row.scopes.startIndex
        expectEqual(row.scopes[row.scopes[position].name], row.scopes[position].row)

        expectTrue((["a": 1] as Row).scopes.isEmpty)
        expectTrue((["a": 1] as Row).scopes.names.isEmpty)
        expectEqual((["a": 1] as Row).scopes["a"], nil)
    }

    @Test func unscopedAndUnadapted() throws {
        let plain: Row = ["a": 1]
        #expect(plain.unscoped === plain)
        #expect(plain.unadapted === plain)

        let row = try fetch(
            RangeRowAdapter(1..<3).addingScopes(["s": RangeRowAdapter(0..<1)]))
        expectEqual(row, row.copy())
        #expect(row.unscoped != row)
        expectEqual(row.unscoped, ["b": 1, "c": 2])
        expectTrue(row.unscoped.scopes.isEmpty)
        expectEqual(row.unscoped.unadapted, ["a": 0, "b": 1, "c": 2, "d": 3])
        expectEqual(row.unadapted, ["a": 0, "b": 1, "c": 2, "d": 3])
        expectTrue(row.unadapted.scopes.isEmpty)
        expectEqual(row.scopes["s"]?.unadapted, ["a": 0, "b": 1, "c": 2, "d": 3])
    }

    // MARK: - ScopesTreeView

    @Test func scopesAtAnyDepth() throws {
        let row = try fetch(
            ScopeAdapter([
                "one": RangeRowAdapter(0..<1),
                "two": ScopeAdapter(["three": ScopeAdapter(["four": RangeRowAdapter(3..<4)])]),
            ]))
        expectEqual(row.scopes["four"], nil)
        expectEqual(row.scopesTree["four"], ["d": 3])
        expectEqual(row.scopesTree["one"], ["a": 0])
        expectEqual(row.scopesTree["three"]?.scopesTree["four"], ["d": 3])
        expectEqual(row.scopesTree["five"], nil)
        expectEqual(row.scopesTree.names, ["one", "two", "three", "four"])
        expectTrue((["a": 1] as Row).scopesTree.names.isEmpty)
        expectEqual((["a": 1] as Row).scopesTree["a"], nil)
    }

    @Test func theShallowestScopeWins() throws {
        let row = try fetch(
            ScopeAdapter([
                "a": ScopeAdapter(["x": RangeRowAdapter(0..<1)]),
                "x": RangeRowAdapter(1..<2),
                "z": ScopeAdapter(["x": RangeRowAdapter(2..<3)]),
            ]))
        expectEqual(row.scopesTree["x"], ["b": 1])
        let ambiguous = try fetch(
            ScopeAdapter([
                "s1": ScopeAdapter(["x": RangeRowAdapter(0..<1)]),
                "s2": ScopeAdapter(["x": RangeRowAdapter(1..<2)]),
            ]))
        expectEqual(ambiguous.scopesTree["x"], ["a": 0])
        expectEqual(ambiguous.scopesTree.names, ["s1", "s2", "x"])
    }

    // MARK: - PrefetchedRowsView

    @Test func rowsWithoutPrefetchedRows() throws {
        let row: Row = ["a": 1]
        expectTrue(row.prefetchedRows.isEmpty)
        expectEqual(row.prefetchedRows["a"], nil)
        expectTrue(row.prefetchedRows.keys.isEmpty)
    }

    private let prefetches = Row.PrefetchedRowsView(entries: [
        .init(path: [], key: "books", rows: RowGroup(rows: [["id": 1], ["id": 2]])),
        .init(path: [], key: "none", rows: RowGroup(rows: [])),
        .init(path: [.scope("s")], key: "awards", rows: RowGroup(rows: [["id": 3]])),
    ])

    @Test func prefetchedRowsAtAnyDepth() throws {
        let row: Row = ["a": 1]
        row.setPrefetches(prefetches)
        expectTrue(!row.prefetchedRows.isEmpty)
        expectEqual(row.prefetchedRows.keys, ["books", "none", "awards"])
        expectEqual(row.prefetchedRows["books"], [["id": 1], ["id": 2]])
        expectEqual(row.prefetchedRows["none"], [])
        expectEqual(row.prefetchedRows["awards"], [["id": 3]])
        expectEqual(row.prefetchedRows["s"], nil)
        #expect(row != ["a": 1])
        expectEqual(row.unscoped, ["a": 1])
        expectTrue(row.unadapted === row || row.unadapted.prefetchedRows.isEmpty)
    }

    @Test func scopesHaveTheirOwnPrefetchedRows() throws {
        let row = try fetch(ScopeAdapter(["s": RangeRowAdapter(0..<1)]))
        // Also the scope that was looked at before.
        expectEqual(row.scopes["s"]?.prefetchedRows.isEmpty, true)
        row.setPrefetches(prefetches)
        expectEqual(row.scopes["s"]?.prefetchedRows.keys, ["awards"])
        expectEqual(row.scopes["s"]?.prefetchedRows["awards"], [["id": 3]])
        expectEqual(row.scopes["s"]?.prefetchedRows["books"], nil)
        expectTrue(row.unscoped.prefetchedRows.isEmpty)
    }

    @Test func prefetchedRowsAreNotNull() {
        let row: Row = ["a": nil]
        expectTrue(!row.containsNonNullValue)
        row.setPrefetches(.init(entries: [.init(path: [], key: "none", rows: RowGroup(rows: []))]))
        expectTrue(!row.containsNonNullValue)
        row.setPrefetches(prefetches)
        expectTrue(row.containsNonNullValue)
    }

    @Test func copiesKeepPrefetchedRows() throws {
        try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS a")
            let row = try unwrap(rows.next())
            row.setPrefetches(prefetches)
            expectEqual(row.copy().prefetchedRows, prefetches)
            expectEqual(row.copy(), row)
        }
    }

    @Test func debugDescriptionCountsPrefetchedRows() {
        let row: Row = ["a": 1]
        row.setPrefetches(
            .init(entries: [
                .init(path: [], key: "books", rows: RowGroup(rows: [["id": 1], ["id": 2]])),
                .init(path: [], key: "award", rows: RowGroup(rows: [["id": 3]])),
                .init(path: [], key: "none", rows: RowGroup(rows: [])),
            ]))
        expectEqual(
            row.debugDescription,
            """
            ▿ [a:1]
              + award: 1 row
              + books: 2 rows
              + none: 0 rows
            """)
    }
}
