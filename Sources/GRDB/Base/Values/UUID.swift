public import _GRDBSystem

/// Stored as a BLOB of 16 bytes. Decoded from such a blob, and from TEXT in the standard form, in
/// upper or lower case: `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
extension UUID: DatabaseValueConvertible, StatementColumnConvertible, JSONScalar {
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let column = RawColumn.content(sqliteStatement, index)
        switch column.type {
        case RawType.blob:
            self.init(databaseBytes: UnsafeRawBufferPointer(column.bytes))
        case RawType.text:
            self.init(uuidString: String(decoding: column.bytes, as: UTF8.self))
        default:
            return nil
        }
    }

    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> UUID? {
        UUID(sqliteStatement: sqliteStatement, index: index)
    }

    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes(of: uuid) { RawBinding.blob(sqliteStatement, index, $0) }
    }

    public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .blob(withUnsafeBytes(of: uuid) { Data($0) }))
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UUID? {
        switch dbValue.storage {
        case .blob(let data): data.withUnsafeBytes { UUID(databaseBytes: $0) }
        case .string(let text): UUID(uuidString: text)
        default: nil
        }
    }

    private init?(databaseBytes bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}
