import GRDBTestSupport
import Testing

@testable import GRDB

/// Columns by name, against a search that is as plain as can be.
@Suite(.databases) struct RowLayoutTests {
    /// The names that layouts are made of: some differ by ASCII case only, some by other bytes.
    private static let names = [
        "a", "A", "b", "B", "ab", "AB", "Ab", "é", "É", "e\u{301}", "", "column_name",
        "COLUMN_NAME",
        "column name", "aé", "Aé", "[", "{", "@", "`",
    ]

    /// The index that SQLite would choose, nil if there is none.
    private static func index(of name: String, in columns: [String]) -> Int? {
        func folded(_ name: String) -> [UInt8] {
            name.utf8.map { 0x41...0x5a ~= $0 ? $0 + 0x20 : $0 }
        }
        return columns.firstIndex { folded($0) == folded(name) }
    }

    private static func columns(_ random: inout SplitMix64) -> [String] {
        (0..<Int.random(in: 0...30, using: &random)).map { _ in
            Bool.random(using: &random)
                ? names.randomElement(using: &random)!
                : "c\(Int.random(in: 0...50, using: &random))"
        }
    }

    @Test(arguments: 0..<50) func searchesAreThoseOfSQLite(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let columns = Self.columns(&random)
        let layout = RowLayout(names: columns)
        for name in Self.names + columns + columns.map({ $0.uppercased() }) {
            let expected = Self.index(of: name, in: columns)
            expectEqual(layout.index(of: name), expected, "\(name) in \(columns)")
            for hint in [0, columns.count - 1, columns.count, 100] where hint >= 0 {
                expectEqual(layout.index(of: name, hint: hint), expected)
            }
        }
    }

    @Test(arguments: 0..<50) func rowsFindTheSameColumns(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let columns = Self.columns(&random) + ["last"]
        let terms = columns.enumerated().map {
            "n * 100 + \($0.offset) AS \($0.element.quotedDatabaseIdentifier)"
        }
        let sql = """
            WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < 9)
            SELECT \(terms.joined(separator: ", ")) FROM s
            """
        let start = Int.random(in: 0..<columns.count, using: &random)
        let adapter = ScopeAdapter(["suffix": SuffixRowAdapter(fromIndex: start)])
        try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchCursor(db, sql: sql, adapter: adapter)
            for n in 0..<10 {
                let live = try unwrap(rows.next())
                for row in [live, live.copy()] {
                    let suffix = try unwrap(row.scopes["suffix"])
                    for _ in 0..<Int.random(in: 0...60, using: &random) {
                        let name = (Self.names + columns).randomElement(using: &random)!
                        let index = Self.index(of: name, in: columns)
                        expectTrue(row[name] as Int? == index.map { n * 100 + $0 })
                        let suffixIndex = Self.index(of: name, in: Array(columns[start...]))
                        expectTrue(suffix[name] as Int? == suffixIndex.map { n * 100 + start + $0 })
                    }
                }
            }
        }
    }
}
