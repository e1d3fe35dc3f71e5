import GRDBTestSupport
import Testing

@testable import GRDB

/// Records in the scopes of a row, and in its prefetched rows.
@Suite struct RowRecordsTests {
    private struct Author: FetchableRecord, Hashable {
        var id: Int
        var name: String

        init(row: Row) throws {
            id = try row.decode(forColumn: "id")
            name = try row.decode(forColumn: "name")
        }
    }

    private func makeRow(_ sql: String) throws -> Row {
        try DatabaseQueue().read { db in
            try Row.fetchOne(
                db, sql: sql,
                adapter: ScopeAdapter([
                    "book": ScopeAdapter(
                        base: RangeRowAdapter(0..<1),
                        scopes: ["author": RangeRowAdapter(1..<3)])
                ]))!
        }
    }

    @Test func scopes() throws {
        let row = try makeRow("SELECT 1 AS id, 2 AS id, 'Melville' AS name")
        let author: Author = row["author"]
        expectEqual(author.id, 2)
        expectEqual((row["author"] as Author?)?.name, "Melville")
        try expectEqual(row.decode(Author.self, forKey: "author"), author)
        try expectEqual(row.decodeIfPresent(Author.self, forKey: "missing"), nil)
        let error = expectError(RowDecodingError.self) {
            try row.decode(Author.self, forKey: "missing")
        }
        let text = #"scope not found: "missing" - available scopes: ["author", "book"]"#
        expectEqual(error?.description.hasPrefix(text), true)
    }

    @Test func scopesOfNullOnly() throws {
        let row = try makeRow("SELECT 1 AS id, NULL AS id, NULL AS name")
        try expectEqual(row.decodeIfPresent(Author.self, forKey: "author"), nil)
        expectError(RowDecodingError.self) { try row.decode(Author.self, forKey: "author") }
    }

    @Test func prefetchedRows() throws {
        let row: Row = ["id": 1]
        row.setPrefetches(
            Row.PrefetchedRowsView(entries: [
                .init(
                    path: [], key: "authors",
                    rows: RowGroup(rows: [["id": 2, "name": "a"], ["id": 3, "name": "b"]]))
            ]))
        let authors: [Author] = row["authors"]
        expectEqual(authors.map(\.id), [2, 3])
        expectEqual((row["authors"] as Set<Author>).count, 2)
        let error = expectError(RowDecodingError.self) {
            try row.decode([Author].self, forKey: "missing")
        }
        expectEqual(
            error?.description,
            #"key for prefetched rows not found: "missing" - available keys: ["authors"] - row: [id:1]"#
        )
    }
}
