public import CGRDBSQLite

/// Reads the columns of the current row of a raw statement.
///
/// All functions are inlinable, so that reading rows compiles to the C calls. They don't check the
/// index: SQLite reads an out-of-range column as NULL.
///
/// See <https://www.sqlite.org/c3ref/column_blob.html>.
@usableFromInline
package enum RawColumn {
    /// One of the constants of ``RawType``. Must be read before any conversion.
    @inlinable
    static func type(_ statement: SQLiteStatement, _ index: CInt) -> CInt {
        grdb_column_type(statement, index)
    }

    @inlinable
    static func isNull(_ statement: SQLiteStatement, _ index: CInt) -> Bool {
        grdb_column_is_null(statement, index) != 0
    }

    /// The type of the column, and its value if it is an integer.
    @inlinable
    static func integer(
        _ statement: SQLiteStatement, _ index: CInt
    ) -> (type: CInt, value: Int64) {
        let column = grdb_column_integer(statement, index)
        return (CInt(truncatingIfNeeded: column.type), column.value)
    }

    /// The type of the column, and its value if it is a number.
    @inlinable
    static func real(
        _ statement: SQLiteStatement, _ index: CInt
    ) -> (type: CInt, value: Double) {
        let column = grdb_column_real(statement, index)
        return (CInt(truncatingIfNeeded: column.type), column.value)
    }

    /// The type of the column, and its bytes: the content of a blob, a text in UTF-8, or the text to which
    /// SQLite converts a number. NULL has no bytes.
    ///
    /// The bytes are valid until the statement is stepped or reset, or the column is read as
    /// another type.
    @inlinable
    package static func content(
        _ statement: SQLiteStatement, _ index: CInt
    ) -> (type: CInt, bytes: UnsafeBufferPointer<UInt8>) {
        let column = grdb_column_bytes(statement, index)
        return (column.type, UnsafeBufferPointer(start: column.start, count: Int(column.count)))
    }

    /// The integer in a column, converted by SQLite if the column contains another type.
    @inlinable
    static func int64(_ statement: SQLiteStatement, _ index: CInt) -> Int64 {
        grdb_sqlite3_column_int64(statement, index)
    }

    /// The real number in a column, converted by SQLite if the column contains another type.
    @inlinable
    static func double(_ statement: SQLiteStatement, _ index: CInt) -> Double {
        grdb_sqlite3_column_double(statement, index)
    }

    @inlinable
    static func string(_ statement: SQLiteStatement, _ index: CInt) -> String {
        String(decoding: content(statement, index).bytes, as: UTF8.self)
    }

    /// The bytes of a blob or of a UTF-8 text. They are valid as long as the result of `content` is.
    @inlinable
    static func bytes(
        _ statement: SQLiteStatement, _ index: CInt
    ) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(content(statement, index).bytes)
    }
}
