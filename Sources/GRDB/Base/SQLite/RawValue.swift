import CGRDBSQLite
import _GRDBSystem

/// Reads an `sqlite3_value`: an argument of a function, or a value in the preupdate hook.
///
/// See <https://www.sqlite.org/c3ref/value_blob.html>.
package enum RawValue {
    static func type(_ value: OpaquePointer) -> CInt {
        grdb_sqlite3_value_type(value)
    }

    /// The type after SQLite has converted a text that looks like a number, which changes the value.
    package static func numericType(_ value: OpaquePointer) -> CInt {
        grdb_sqlite3_value_numeric_type(value)
    }

    package static func int64(_ value: OpaquePointer) -> Int64 {
        grdb_sqlite3_value_int64(value)
    }

    static func double(_ value: OpaquePointer) -> Double {
        grdb_sqlite3_value_double(value)
    }

    /// The text. If SQLite has no memory to convert it from UTF-16, the running statement fails.
    static func string(_ value: OpaquePointer) -> String {
        guard let start = grdb_sqlite3_value_text(value) else {
            var count: CInt = 0
            let copy = grdb_copy_bytes(value, &count)
            defer { free(copy) }
            return String(
                decoding: UnsafeBufferPointer(start: copy, count: Int(count)), as: UTF8.self)
        }
        let count = Int(grdb_sqlite3_value_bytes(value))
        return String(
            decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    static func bytes(_ value: OpaquePointer) -> UnsafeRawBufferPointer {
        let start = grdb_sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(grdb_sqlite3_value_bytes(value)))
    }
}
