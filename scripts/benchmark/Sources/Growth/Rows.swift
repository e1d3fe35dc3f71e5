// Rows and columns.

import GRDB

private struct Player: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"
    var id: Int
    var name: String
    var score: Double?
}

private func makePlayers(_ count: Int) throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
        try db.execute(
            sql: """
                CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score DOUBLE);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO player SELECT i, 'player ' || i, i * 0.5 FROM n;
                """)
    }
    return dbQueue
}

private let rowCounts = [1, 1_000, 10_000, 100_000, 1_000_000]
private let columnCounts = [1, 10, 100, 1_000]

func rowSeries() throws -> [Series] {
    [
        Series(name: "rows: Row.fetchAll", unit: "rows", amounts: rowCounts) { count in
            let dbQueue = try makePlayers(count)
            return {
                try dbQueue.read { try Row.fetchAll($0, sql: "SELECT * FROM player").count }
            }
        },
        Series(name: "rows: Codable records", unit: "rows", amounts: rowCounts) { count in
            let dbQueue = try makePlayers(count)
            return { try dbQueue.read { try Player.fetchAll($0).count } }
        },
        Series(name: "rows: a cursor", unit: "rows", amounts: rowCounts) { count in
            let dbQueue = try makePlayers(count)
            let before = peakMemory()
            return {
                let count = try dbQueue.read { db in
                    try Player.fetchCursor(db).reduce(into: 0) { sum, _ in sum += 1 }
                }
                let grown = peakMemory() - before
                if grown > 0 { print("  (\(grown) MB more at the peak)") }
                return count
            }
        },
        Series(name: "rows: insertMany", unit: "rows", amounts: rowCounts.dropLast()) { count in
            let dbQueue = try makePlayers(0)
            let players = (0..<count).map { Player(id: $0 + 10, name: "new", score: nil) }
            return {
                try dbQueue.writeWithoutTransaction { db in
                    try db.inTransaction {
                        try Player.insertMany(db, players)
                        return .rollback
                    }
                }
                return count
            }
        },
        Series(name: "columns: values by name", unit: "columns", amounts: columnCounts) { count in
            let dbQueue = try DatabaseQueue()
            let names = (0..<count).map { "column\($0)" }
            try dbQueue.write { db in
                try db.create(table: "wide") { t in
                    for name in names { t.column(name, .integer) }
                }
                try db.execute(
                    sql: "INSERT INTO wide (column0) VALUES (1), (2), (3), (4), (5), (6), (7), (8)")
            }
            return {
                try dbQueue.read { db in
                    var sum = 0
                    let rows = try Row.fetchCursor(db, sql: "SELECT * FROM wide")
                    while let row = try rows.next() {
                        for name in names { sum += row[name] ?? 0 }
                    }
                    return sum
                }
            }
        },
        Series(name: "columns: dictionaries of a record", unit: "columns", amounts: columnCounts) {
            count in
            let row = Row(
                Dictionary(
                    uniqueKeysWithValues: (0..<count).map {
                        ("column\($0)", $0 as (any DatabaseValueConvertible)?)
                    }))
            return { row.reduce(0) { $0 + $1.0.utf8.count } }
        },
    ]
}
