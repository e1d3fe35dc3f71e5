// Rows of tables over collections, by an indexed column.

import GRDB
import GRDBTables

private struct Element: Sendable {
    var id: Int
    var name: String
}

/// The same number for each table: the exponent is 0 if a lookup costs the same in all of them.
private let lookupCount = 20_000

private func series(
    _ name: String, _ lookup: @escaping (Database, Int) throws -> Int
) -> Series {
    Series(name: name, unit: "rows of the table", amounts: [1_000, 10_000, 1_000_000]) { count in
        var configuration = Configuration()
        let elements = (0..<count).map { Element(id: $0, name: "element \($0)") }
        configuration.add(table: "element", of: elements) { t in
            t.column("id", \.id).indexed()
            t.column("name", \.name).indexed()
        }
        let dbQueue = try DatabaseQueue(configuration: configuration)
        // The first lookup builds the index.
        _ = try dbQueue.read { try lookup($0, 0) }
        return {
            try dbQueue.read { db in
                var result = 0
                for i in 0..<lookupCount { result += try lookup(db, i * 7919 % count) }
                precondition(result == lookupCount)
                return result
            }
        }
    }
}

func tableSeries() throws -> [Series] {
    [
        series("tables: 20,000 lookups by a number") { db, i in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM element WHERE id = ?", arguments: [i])!
        },
        series("tables: 20,000 lookups by a text") { db, i in
            let sql = "SELECT count(*) FROM element WHERE name = ?"
            return try Int.fetchOne(db, sql: sql, arguments: ["element \(i)"])!
        },
    ]
}
