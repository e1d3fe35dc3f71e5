#if !AGAINST_GRDB
import Foundation
import GRDB
import GRDBFunctions
import GRDBServer
import GRDBSQLite

// Blobs in pieces, images of databases, and window functions in Swift.

func blobWorkloads() -> [Workload] {
    let size = 100_000_000
    let chunkSize = 65_536
    let fill = "CREATE TABLE b (content BLOB); INSERT INTO b VALUES (zeroblob(\(size)))"

    let memory = RawDatabase(path: path + "-blob")
    memory.execute(fill)
    let queue = try! DatabaseQueue(path: path + "-blob")

    let windows = RawDatabase(path: ":memory:")
    registerSum(windows.handle)
    let sum = DatabaseFunction("swiftSum", argumentCount: 1, pure: true, window: SwiftSum.self)
    let windowQueue = try! DatabaseQueue()
    let integers = """
        CREATE TABLE n (id INTEGER PRIMARY KEY, a INTEGER);
        INSERT INTO n WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
            SELECT i, i * 7 % 1000 FROM n
        """
    windows.execute(integers)
    try! windowQueue.write { db in
        try db.execute(sql: integers)
        db.add(function: sum)
    }
    func window(_ name: String) -> String {
        "SELECT \(name)(a) OVER (ORDER BY id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) FROM n"
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkSize, alignment: 16)

    return [
        Workload(name: "a blob of 100 MB, in pieces of 64 KB", count: size / chunkSize) {
            var blob: OpaquePointer?
            precondition(
                sqlite3_blob_open(memory.handle, "main", "b", "content", 1, 0, &blob) == SQLITE_OK)
            let count = Int(sqlite3_blob_bytes(blob))
            var offset = 0
            while offset < count {
                let piece = min(chunkSize, count - offset)
                precondition(
                    sqlite3_blob_read(blob, buffer.baseAddress, CInt(piece), CInt(offset))
                        == SQLITE_OK)
                offset += piece
            }
            sqlite3_blob_close(blob)
            return offset
        } library: {
            try queue.read { db in
                let blob = try db.openBlob(table: "b", column: "content", rowID: 1)
                var offset = 0
                try blob.forEachChunk(ofSize: chunkSize) { offset += $0.count }
                return offset
            }
        },
        Workload(name: "a database of 100 MB, serialized", count: size / 4096) {
            var count: Int64 = 0
            let bytes = sqlite3_serialize(memory.handle, "main", &count, 0)
            sqlite3_free(bytes)
            return Int(count)
        } library: {
            try queue.read { try $0.serialized().count }
        },
        Workload(name: "100k rows of a window function in C or Swift", count: 100_000) {
            let statement = windows.prepare(window("c_sum"))
            defer { sqlite3_finalize(statement) }
            var total = 0
            while sqlite3_step(statement) == SQLITE_ROW {
                total &+= Int(sqlite3_column_int64(statement, 0))
            }
            return total
        } library: {
            try windowQueue.read { db in
                var total = 0
                let cursor = try Int.fetchCursor(db, sql: window("swiftSum"))
                while let value = try cursor.next() { total &+= value }
                return total
            }
        },
    ]
}

private struct SwiftSum: DatabaseWindowAggregate {
    private var sum = 0

    mutating func step(_ dbValues: [DatabaseValue]) {
        sum += Int.fromDatabaseValue(dbValues[0]) ?? 0
    }

    mutating func inverse(_ dbValues: [DatabaseValue]) {
        sum -= Int.fromDatabaseValue(dbValues[0]) ?? 0
    }

    func value() -> (any DatabaseValueConvertible)? { sum }
}

/// The same, with nothing but calls of C.
private func registerSum(_ handle: OpaquePointer) {
    let code = sqlite3_create_window_function(
        handle, "c_sum", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
        { context, _, values in
            sqlite3_aggregate_context(context, 8).assumingMemoryBound(to: Int64.self).pointee +=
                sqlite3_value_int64(values![0])
        },
        { context in
            sqlite3_result_int64(
                context,
                sqlite3_aggregate_context(context, 8).assumingMemoryBound(to: Int64.self).pointee)
        },
        { context in
            sqlite3_result_int64(
                context,
                sqlite3_aggregate_context(context, 8).assumingMemoryBound(to: Int64.self).pointee)
        },
        { context, _, values in
            sqlite3_aggregate_context(context, 8).assumingMemoryBound(to: Int64.self).pointee -=
                sqlite3_value_int64(values![0])
        }, nil)
    precondition(code == SQLITE_OK)
}
#endif
