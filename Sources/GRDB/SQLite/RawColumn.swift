public import CGRDBSQLite

/// Reads the columns of the current row of a raw statement.
///
/// All functions are inlinable: a row that reads its statement compiles down to the C calls.
/// They don't check the index: SQLite reads an out-of-range column as NULL.
///
/// See <https://www.sqlite.org/c3ref/column_blob.html>.
@usableFromInline
enum RawColumn {
    /// One of the constants of ``RawType``. Must be read before any conversion.
    @inlinable
    static func type(_ statement: SQLiteStatement, _ index: CInt) -> CInt {
        grdb_sqlite3_column_type(statement, index)
    }

    @inlinable
    static func isNull(_ statement: SQLiteStatement, _ index: CInt) -> Bool {
        grdb_sqlite3_column_type(statement, index) == RawType.null
    }

    @inlinable
    static func int64(_ statement: SQLiteStatement, _ index: CInt) -> Int64 {
        grdb_sqlite3_column_int64(statement, index)
    }

    @inlinable
    static func double(_ statement: SQLiteStatement, _ index: CInt) -> Double {
        grdb_sqlite3_column_double(statement, index)
    }

    /// The UTF-8 bytes of a text, converted by SQLite when the column holds something else.
    ///
    /// The bytes are valid until the statement is stepped or reset, or the column is read as
    /// another type. The length is asked *after* the text, so that it is the length of the UTF-8
    /// form, and so that NUL characters are kept.
    @inlinable
    static func utf8(
        _ statement: SQLiteStatement, _ index: CInt
    ) -> UnsafeBufferPointer<UInt8> {
        let start = grdb_sqlite3_column_text(statement, index)
        return UnsafeBufferPointer(
            start: start,
            count: start == nil ? 0 : Int(grdb_sqlite3_column_bytes(statement, index)))
    }

    @inlinable
    static func string(_ statement: SQLiteStatement, _ index: CInt) -> String {
        String(decoding: utf8(statement, index), as: UTF8.self)
    }

    /// The bytes of a blob or a text, valid until the statement is stepped or reset.
    @inlinable
    static func bytes(
        _ statement: SQLiteStatement, _ index: CInt
    ) -> UnsafeRawBufferPointer {
        let start = grdb_sqlite3_column_blob(statement, index)
        return UnsafeRawBufferPointer(
            start: start,
            count: start == nil ? 0 : Int(grdb_sqlite3_column_bytes(statement, index)))
    }
}
