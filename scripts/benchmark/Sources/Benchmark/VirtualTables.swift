import CTable
import Foundation
import GRDB
import GRDBTables
import GRDBSQLite

// Tables over collections, whose twin is a module in C.

private struct Element: Sendable {
    var id: Int64
    var score: Double
    var name: String
}

func virtualTableWorkloads() -> [Workload] {
    let count = 1_000_000
    func name(_ i: Int) -> String { "element number \(i)" }
    // Made by the first workload that needs them: most runs are about others.
    lazy var elements = (0..<count).map {
        Element(id: Int64($0), score: Double($0) / 3, name: name($0))
    }
    func makeQueue(_ elements: [Element]) -> DatabaseQueue {
        var configuration = Configuration()
        configuration.add(table: "element", of: elements) { t in
            t.column("id", \.id, .integer).indexed()
            t.column("score", \.score, .real)
            t.column("name", \.name, .text)
        }
        return try! DatabaseQueue(configuration: configuration)
    }
    lazy var queue = makeQueue(elements)
    lazy var smallQueue = makeQueue(Array(elements.prefix(1000)))

    // The names are never freed: they live as long as the process.
    lazy var cElements = {
        let cElements = UnsafeMutablePointer<benchmark_element>.allocate(capacity: count)
        for i in 0..<count {
            let text = strdup(elements[i].name)!
            cElements[i] = benchmark_element(
                id: Int64(i), score: elements[i].score, name: text, length: CInt(strlen(text)))
        }
        return cElements
    }()
    func makeRaw(_ count: Int) -> RawDatabase {
        let memory = RawDatabase(path: ":memory:")
        precondition(
            benchmark_add_table(
                UnsafeMutableRawPointer(memory.handle), cElements, CInt(count)) == SQLITE_OK)
        return memory
    }
    lazy var memory = makeRaw(count)
    lazy var smallMemory = makeRaw(1000)

    let scan = "SELECT sum(id), sum(score), sum(length(name)) FROM element"
    let lookupSQL = "SELECT score FROM element WHERE id = ?"
    let lookups = 100_000

    func lookup(in memory: RawDatabase, of count: Int) -> Int {
        let s = memory.prepare(lookupSQL)
        defer { sqlite3_finalize(s) }
        var sum = 0.0
        for i in 0..<lookups {
            sqlite3_bind_int64(s, 1, Int64(i * 7919 % count))
            precondition(sqlite3_step(s) == SQLITE_ROW)
            sum += sqlite3_column_double(s, 0)
            sqlite3_reset(s)
        }
        return Int(sum)
    }

    func lookup(in queue: DatabaseQueue, of count: Int) throws -> Int {
        try queue.read { db in
            let statement = try db.makeStatement(sql: lookupSQL)
            var sum = 0.0
            for i in 0..<lookups {
                statement.setUncheckedArguments([i * 7919 % count])
                sum += try Double.fetchOne(statement)!
            }
            return Int(sum)
        }
    }

    return [
        Workload(name: "1M x 3 columns of a virtual table, scanned", count: count) {
            let s = memory.prepare(scan)
            defer { sqlite3_finalize(s) }
            precondition(sqlite3_step(s) == SQLITE_ROW)
            return Int(sqlite3_column_int64(s, 2))
        } library: {
            try queue.read { try Row.fetchOne($0, sql: scan)![2] }
        },
        Workload(name: "100k lookups in a virtual table of 1M rows", count: lookups) {
            lookup(in: memory, of: count)
        } library: {
            try lookup(in: queue, of: count)
        },
        Workload(name: "100k lookups in a virtual table of 1k rows", count: lookups) {
            lookup(in: smallMemory, of: 1000)
        } library: {
            try lookup(in: smallQueue, of: 1000)
        },
    ]
}
