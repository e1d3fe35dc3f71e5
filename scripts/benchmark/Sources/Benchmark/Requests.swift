import Foundation
import GRDB
import GRDBSQLite

// From a request with three filters, an order and a limit, to a statement that is ready to step: the twin
// concatenates the same SQL, with literals, and prepares it. Then small requests that are fetched: the
// twin prepares one statement for all of them.

private struct MixedRequest: TableRecord, FetchableRecord {
    static let databaseTableName = "mixed"

    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let email = Column("email")
    }

    let id: Int64

    init(row: Row) {
        id = row["id"]
    }
}

func requestWorkloads() -> [Workload] {
    [
        Workload(name: "100k requests to ready statements", count: 100_000) {
            var sum = 0
            for i in 0..<100_000 {
                let name = String(cString: sqlite3_libversion())
                let sql =
                    "SELECT * FROM \"mixed\" WHERE (\"id\" > " + String(i) + ") AND (\"name\" <> '"
                    + name + "') AND (\"email\" IS NOT NULL) ORDER BY \"name\" LIMIT 10"
                let s = raw.prepare(sql)
                sum &+= Int(sqlite3_column_count(s))
                sqlite3_finalize(s)
            }
            return sum
        } library: {
            try dbQueue.read { db in
                var sum = 0
                for i in 0..<100_000 {
                    let name = String(cString: sqlite3_libversion())
                    let statement =
                        try MixedRequest
                        .filter { $0.id > i }
                        .filter { $0.name != name }
                        .filter { $0.email != nil }
                        .order(\.name)
                        .limit(10)
                        .makePreparedRequest(db).statement
                    sum &+= statement.columnCount
                }
                return sum
            }
        },
        Workload(name: "20k single values, by key and selection", count: 20_000) {
            rawSums("SELECT score FROM mixed WHERE id = ?")
        } library: {
            try sums { db, i in
                try MixedRequest.filter(key: i).select(Column("score"), as: Int.self)
                    .fetchOne(db) ?? 0
            }
        },
        Workload(name: "20k single values, by SQL and arguments", count: 20_000) {
            rawSums("SELECT score FROM mixed WHERE id = ?")
        } library: {
            try sums { db, i in
                try Int.fetchOne(
                    db, sql: "SELECT score FROM mixed WHERE id = ?", arguments: [i]) ?? 0
            }
        },
        Workload(name: "20k fetchCount of a filter", count: 20_000) {
            rawSums("SELECT COUNT(*) FROM mixed WHERE (id > ?) AND (id < ? + 10)")
        } library: {
            try sums { db, i in
                try MixedRequest.filter { $0.id > i && $0.id < i + 10 }.fetchCount(db)
            }
        },
        Workload(name: "20k times ten records: filter, order, limit", count: 20_000) {
            rawSums("SELECT * FROM mixed WHERE id > ? ORDER BY id LIMIT 10")
        } library: {
            try sums { db, i in
                try MixedRequest.filter { $0.id > i }.order(\.id).limit(10).fetchAll(db)
                    .reduce(0) { $0 &+ Int($1.id) }
            }
        },
    ]
}

/// The sum of the first column of all rows, for each of the numbers that are bound to all parameters.
private func rawSums(_ sql: String) -> Int {
    raw.execute("BEGIN")
    defer { raw.execute("COMMIT") }
    let s = raw.prepare(sql)
    defer { sqlite3_finalize(s) }
    var sum = 0
    for i in 0..<20_000 {
        for parameter in 1...sqlite3_bind_parameter_count(s) {
            sqlite3_bind_int64(s, parameter, Int64(i))
        }
        while sqlite3_step(s) == SQLITE_ROW { sum &+= Int(sqlite3_column_int64(s, 0)) }
        sqlite3_reset(s)
    }
    return sum
}

private func sums(_ value: (Database, Int) throws -> Int) throws -> Int {
    try dbQueue.read { db in
        var sum = 0
        for i in 0..<20_000 { sum &+= try value(db, i) }
        return sum
    }
}
