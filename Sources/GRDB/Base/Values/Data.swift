public import _GRDBSystem

/// Stored as BLOB. Decoded from BLOB, and from the UTF-8 bytes of TEXT. Empty data is an empty
/// blob, not NULL.
///
/// In the raw columns of a statement, numbers are decoded from the text to which SQLite converts
/// them.
extension Data: DatabaseValueConvertible, StatementColumnConvertible, JSONScalar {
    /// Reads a column that is not NULL.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(RawColumn.bytes(sqliteStatement, index))
    }

    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Data? {
        let column = RawColumn.content(sqliteStatement, index)
        return column.type == RawType.null ? nil : Data(UnsafeRawBufferPointer(column.bytes))
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes { RawBinding.blob(sqliteStatement, index, $0) }
    }

    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .blob(self))
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Data? {
        switch dbValue.storage {
        case .blob(let value): value
        case .string(let value): Data(value.utf8)
        default: nil
        }
    }
}
