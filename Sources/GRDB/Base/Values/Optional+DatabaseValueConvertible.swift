extension Optional: StatementBinding where Wrapped: StatementBinding {
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch self {
        case .some(let value): value.bind(to: sqliteStatement, at: index)
        case .none: RawBinding.null(sqliteStatement, index)
        }
    }
}

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
    public var sqlExpression: SQLExpression {
        // Not written with `??`, which is an SQL function on expressions.
        if let self { self.sqlExpression } else { DatabaseValue.null.sqlExpression }
    }
}

/// NULL is nil. If the wrapped type rejects a non-NULL value, a decoding error is thrown; the value
/// is not nil.
extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue {
        self?.databaseValue ?? .null
    }

    public var _storableDatabaseValue: DatabaseValue? {
        switch self {
        case .some(let value): value._storableDatabaseValue
        case .none: .null
        }
    }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Wrapped?? {
        if let value = Wrapped.fromDatabaseValue(dbValue) {
            return .some(value)
        }
        return dbValue.isNull ? .some(nil) : nil
    }

    @inlinable
    public static func _fromColumn(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Wrapped?? {
        if let value = Wrapped._fromColumn(sqliteStatement, index) { return .some(value) }
        return RawColumn.isNull(sqliteStatement, index) ? .some(nil) : nil
    }

    public static func fromMissingColumn() -> Wrapped?? {
        .some(nil)
    }
}

extension Optional: StatementColumnConvertible where Wrapped: StatementColumnConvertible {
    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Wrapped?? {
        // The initializer of the wrapped type may accept more values.
        if let value = Wrapped.fromStatement(sqliteStatement, atUncheckedIndex: index) {
            return .some(value)
        }
        return RawColumn.isNull(sqliteStatement, index) ? .some(nil) : nil
    }

    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let value = Wrapped.fromStatement(sqliteStatement, atUncheckedIndex: index) else {
            return nil
        }
        self = .some(value)
    }
}

/// Distinguishes optionals from other types.
protocol OptionalValue {
    static var wrappedType: Any.Type { get }
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }
}
