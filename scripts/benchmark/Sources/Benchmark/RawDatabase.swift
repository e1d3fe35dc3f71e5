import Foundation
import GRDB
import GRDBSQLite

/// The file that both read.
let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("benchmark-\(UUID().uuidString).sqlite").path

let raw = RawDatabase(path: path)

let dbQueue = try! DatabaseQueue(path: path)

/// The same content in WAL mode, for pools and their twin.
let poolPath = path + "-pool"

let dbPool: DatabasePool = {
    try! dbQueue.backup(to: DatabaseQueue(path: poolPath))
    return try! DatabasePool(path: poolPath)
}()

/// - precondition: the pool is open.
let rawBesidePool: RawDatabase = {
    _ = dbPool
    return RawDatabase(path: poolPath)
}()

/// Direct calls of the C API, for the twins.
///
/// `@unchecked Sendable`: the benchmark has one thread.
final class RawDatabase: @unchecked Sendable {
    let handle: OpaquePointer

    init(path: String) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        precondition(sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK)
        self.handle = handle!
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    func execute(_ sql: String) {
        precondition(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, sql)
    }

    func prepare(_ sql: String) -> OpaquePointer {
        var statement: OpaquePointer?
        let flags = CUnsignedInt(SQLITE_PREPARE_PERSISTENT)
        precondition(
            sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil) == SQLITE_OK, sql)
        return statement!
    }
}

@inline(__always)
func rawText(_ statement: OpaquePointer, _ index: CInt) -> String {
    let start = sqlite3_column_text(statement, index)
    let count = Int(sqlite3_column_bytes(statement, index))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
}

@inline(__always)
func rawBind(_ statement: OpaquePointer, _ index: CInt, _ value: String) {
    var value = value
    value.withUTF8 { utf8 in
        _ = utf8.withMemoryRebound(to: CChar.self) {
            sqlite3_bind_text64(
                statement, index, $0.baseAddress, UInt64($0.count), transient,
                UInt8(SQLITE_UTF8))
        }
    }
}

let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
