/// A type that can bind itself to a parameter of a prepared statement.
///
/// Every ``DatabaseValueConvertible`` type conforms. Conform directly, or override ``bind(to:at:)``
/// in a convertible type, if a value can be bound without conversion to a ``DatabaseValue``.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/bind_blob.html>
public protocol StatementBinding {
    /// Binds the value to the parameter at the given index.
    ///
    /// - parameter sqliteStatement: a raw statement that is not being stepped.
    /// - parameter index: the index of the parameter, starting at 1.
    /// - returns: an SQLite result code. `SQLITE_OK` (0) means success.
    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt
}
