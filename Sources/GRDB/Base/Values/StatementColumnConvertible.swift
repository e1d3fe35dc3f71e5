/// A type that is decoded straight from SQLite, without a ``DatabaseValue`` in between.
///
/// If a type conforms to both ``DatabaseValueConvertible`` and this protocol, values are decoded
/// directly from SQLite, without an intermediate ``DatabaseValue``:
///
/// ```swift
/// extension EvenInteger: StatementColumnConvertible {
///     init?(sqliteStatement: SQLiteStatement, index: CInt) {
///         guard let value = Int(sqliteStatement: sqliteStatement, index: index) else {
///             return nil
///         }
///         self.init(value)  // nil if not even
///     }
/// }
/// ```
///
/// If the conformance of a generic type has more conditions than its conformance to
/// ``DatabaseValueConvertible``, values are decoded from a ``DatabaseValue``.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/column_blob.html>
public protocol StatementColumnConvertible {
    /// Reads a column that may be NULL. Do not customize: implement
    /// ``init(sqliteStatement:index:)``.
    static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Self?

    /// Reads a column that is not NULL.
    ///
    /// - parameter sqliteStatement: a raw statement with a current row.
    /// - parameter index: the index of a column that is not NULL, starting at 0.
    /// - returns: nil if the column can't be converted.
    init?(sqliteStatement: SQLiteStatement, index: CInt)
}

extension StatementColumnConvertible {
    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Self? {
        if RawColumn.isNull(sqliteStatement, index) { return nil }
        return self.init(sqliteStatement: sqliteStatement, index: index)
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    @inlinable
    public static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Self? {
        fromStatement(sqliteStatement, atUncheckedIndex: index)
    }
}
