public import CGRDBSQLite

/// Binds values to the parameters of a raw statement. Indexes start at 1.
///
/// Every function returns an SQLite result code. `SQLITE_TOOBIG` is returned for values over the
/// limit of the connection: lengths are 64-bit wide and never truncated.
///
/// See <https://www.sqlite.org/c3ref/bind_blob.html>.
@usableFromInline
enum RawBinding {
    /// What to return for a number that is out of the range of SQLite.
    @inlinable static var tooBig: CInt { SQLITE_TOOBIG }

    @inlinable
    static func null(_ statement: SQLiteStatement, _ index: CInt) -> CInt {
        grdb_bind_null(statement, index)
    }

    @inlinable
    static func int64(_ statement: SQLiteStatement, _ index: CInt, _ value: Int64) -> CInt {
        grdb_bind_int64(statement, index, value)
    }

    @inlinable
    static func double(_ statement: SQLiteStatement, _ index: CInt, _ value: Double) -> CInt {
        grdb_bind_double(statement, index, value)
    }

    /// Binds a copy of the UTF-8 bytes of the string. NUL characters are kept.
    @inlinable
    static func text(_ statement: SQLiteStatement, _ index: CInt, _ value: String) -> CInt {
        var value = value
        return value.withUTF8 { text(statement, index, $0) }
    }

    /// Binds a copy of UTF-8 bytes. An empty buffer binds an empty text, not NULL.
    @inlinable
    static func text(
        _ statement: SQLiteStatement, _ index: CInt, _ utf8: UnsafeBufferPointer<UInt8>
    ) -> CInt {
        utf8.withMemoryRebound(to: CChar.self) { chars in
            // An empty buffer may have no base address, which would bind NULL.
            guard let start = chars.baseAddress else {
                return grdb_bind_text(statement, index, "", 0)
            }
            return grdb_bind_text(statement, index, start, UInt64(chars.count))
        }
    }

    /// Binds a copy of the bytes. An empty buffer binds an empty blob, not NULL.
    @inlinable
    static func blob(
        _ statement: SQLiteStatement, _ index: CInt, _ bytes: UnsafeRawBufferPointer
    ) -> CInt {
        guard let start = bytes.baseAddress, bytes.count > 0 else {
            return grdb_sqlite3_bind_zeroblob(statement, index, 0)
        }
        return grdb_bind_blob(statement, index, start, UInt64(bytes.count))
    }
}
