// Types with a raw value are stored like their raw value. The conformance is empty:
//
//     enum Grape: String {
//         case chardonnay, merlot, riesling
//     }
//
//     extension Grape: DatabaseValueConvertible {}

extension SQLExpressible where Self: RawRepresentable, Self.RawValue: SQLExpressible {
    public var sqlExpression: SQLExpression { rawValue.sqlExpression }
}

extension StatementBinding where Self: RawRepresentable, Self.RawValue: StatementBinding {
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        rawValue.bind(to: sqliteStatement, at: index)
    }
}

extension StatementColumnConvertible
where Self: RawRepresentable, Self.RawValue: StatementColumnConvertible {
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        // The initializer of the raw value may accept more values than `fromStatement`.
        guard let rawValue = RawValue.fromStatement(sqliteStatement, atUncheckedIndex: index) else {
            return nil
        }
        self.init(rawValue: rawValue)
    }

    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Self? {
        Self(sqliteStatement: sqliteStatement, index: index)
    }
}

extension DatabaseValueConvertible
where Self: RawRepresentable, Self.RawValue: DatabaseValueConvertible {
    // More specific than the defaults of the inherited protocols, which would be ambiguous. The raw
    // value is not used, because a type may have its own `databaseValue`.

    public var sqlExpression: SQLExpression { storableSQLExpression }

    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindStorableValue(to: sqliteStatement, at: index)
    }

    public var _storableDatabaseValue: DatabaseValue? {
        ValueRefusal.storable { databaseValue }
    }

    /// The database value of the raw value.
    public var databaseValue: DatabaseValue { rawValue.databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap { self.init(rawValue: $0) }
    }
}

// MARK: - With Codable

// Types that are also Codable are stored like their raw value, not as JSON.

extension DatabaseValueConvertible
where Self: Encodable & RawRepresentable, Self.RawValue: DatabaseValueConvertible {
    /// The database value of the raw value, which takes precedence over JSON.
    public var databaseValue: DatabaseValue { rawValue.databaseValue }

    public var _storableDatabaseValue: DatabaseValue? {
        ValueRefusal.storable { databaseValue }
    }
}

extension DatabaseValueConvertible
where Self: Decodable & RawRepresentable, Self.RawValue: DatabaseValueConvertible {
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap { self.init(rawValue: $0) }
    }
}
