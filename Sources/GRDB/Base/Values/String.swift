/// Stored as TEXT, including NUL characters. Decoded from TEXT, and from a BLOB with valid UTF-8.
///
/// In the raw columns of a statement, numbers are decoded from the text to which SQLite converts
/// them.
extension String: DatabaseValueConvertible, StatementColumnConvertible, JSONScalar {
    /// Reads a column that is not NULL as text. Invalid UTF-8 is replaced with U+FFFD. The library
    /// itself decodes with ``fromStatement(_:atUncheckedIndex:)``, which rejects blobs with invalid
    /// UTF-8.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = RawColumn.string(sqliteStatement, index)
    }

    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> String? {
        let column = RawColumn.content(sqliteStatement, index)
        switch column.type {
        case RawType.null:
            return nil
        case RawType.blob:
            return String(validating: UnsafeRawBufferPointer(column.bytes))
        default:
            return String(decoding: column.bytes, as: UTF8.self)
        }
    }

    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        RawBinding.text(sqliteStatement, index, self)
    }

    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .string(self))
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> String? {
        switch dbValue.storage {
        case .string(let value): value
        case .blob(let value): value.withUnsafeBytes { String(validating: $0) }
        default: nil
        }
    }

    /// Nil if the bytes are not valid UTF-8.
    @usableFromInline
    package init?(validating utf8: UnsafeRawBufferPointer) {
        self.init(decoding: utf8, as: UTF8.self)
        // A repaired text differs from the bytes.
        guard self.utf8.elementsEqual(utf8) else { return nil }
    }
}
