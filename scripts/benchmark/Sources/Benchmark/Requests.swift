import Foundation
import GRDB
import GRDBSQLite

// 100,000 times from a request with three filters, an order and a limit, to a statement that is ready
// to step. The twin concatenates the same SQL, with literals, and prepares it.

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
        }
    ]
}
