// The keys of rows.

extension TableRecord {
    /// Returns the stored value of a primary key.
    static func keyValue(
        _ key: some DatabaseValueConvertible, column: String
    ) throws -> DatabaseValue {
        let dbValue = try key.storedValue()
        switch dbValue.storage {
        case .null, .int64, .double:
            // The types that have strategies convert to text or blob: no strategy applies here.
            return dbValue
        case .string, .blob:
            guard let strategyKey = _StrategyKey(key),
                let recordType = Self.self as? any _KeyEncoding.Type
            else { return dbValue }
            return try recordType._encode(strategyKey, forColumn: column)
        }
    }

    // MARK: - Errors

    /// Returns the error for a record that does not exist in the database.
    ///
    /// ```swift
    /// guard try Player.exists(db, key: 1) else {
    ///     throw Player.recordNotFound(db, key: 1)
    /// }
    /// ```
    ///
    /// - returns: ``RecordError/recordNotFound(databaseTableName:key:)``, or the error that
    ///   prevents the primary key from being determined.
    public static func recordNotFound(
        _ db: Database, key: some DatabaseValueConvertible
    ) -> any Error {
        do {
            let column = try db.recordPlans(for: Self.self).singleKeyColumn()
            return recordNotFound(key: [column: key])
        } catch {
            return error
        }
    }

    /// Returns the error for a record that does not exist in the database.
    public static func recordNotFound(
        key: [String: (any DatabaseValueConvertible)?]
    ) -> RecordError {
        .recordNotFound(
            databaseTableName: databaseTableName,
            key: key.mapValues { $0?._storableDatabaseValue ?? .null })
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// Returns the error for a record that does not exist in the database.
    public static func recordNotFound(_ db: Database, id: ID) -> any Error {
        recordNotFound(db, key: id)
    }
}

extension RecordPlans {
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` unless the primary key has one
    ///   column.
    func singleKeyColumn() throws -> String { try primaryKey.singleColumn(table: table) }

    /// - throws: a ``DatabaseError`` of code `SQLITE_MISMATCH` if no row can have the key.
    func checkKey(_ value: DatabaseValue) throws {
        try primaryKey.checkKey(value, table: table)
    }
}
