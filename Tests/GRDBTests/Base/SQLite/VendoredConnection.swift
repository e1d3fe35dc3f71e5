import GRDBSQLite
import GRDBTestSupport
import Testing

/// An in-memory connection of the vendored SQLite, used through C alone, so that tests of the
/// vendored code do not depend on the toolkit.
final class VendoredConnection {
    let handle: OpaquePointer

    init() throws {
        var handle: OpaquePointer?
        try #require(sqlite3_open(":memory:", &handle) == SQLITE_OK)
        self.handle = try unwrap(handle)
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// Runs SQL and returns the extended result code.
    @discardableResult
    func execute(_ sql: String) -> Int32 {
        sqlite3_exec(handle, sql, nil, nil, nil)
        return sqlite3_extended_errcode(handle)
    }

    /// The first column of each row, as text.
    func strings(_ sql: String) throws -> [String] {
        var statement: OpaquePointer?
        try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        var strings: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            strings.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
        }
        try #require(sqlite3_errcode(handle) == SQLITE_DONE || sqlite3_errcode(handle) == SQLITE_OK)
        return strings
    }

    /// The blob in the only row of a query.
    func blob(_ sql: String) throws -> [UInt8] {
        var statement: OpaquePointer?
        try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        try #require(sqlite3_step(statement) == SQLITE_ROW)
        let bytes = sqlite3_column_blob(statement, 0)
        let count = Int(sqlite3_column_bytes(statement, 0))
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
