// The keys of rows.

/// A dictionary of columns and values that identify a row.
typealias UniqueKey = [String: (any DatabaseValueConvertible)?]

extension TableRecord {
    /// The condition on the primary key. Nil if no row meets it.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the primary key has several
    ///   columns, `SQLITE_TOOBIG` if SQLite can't store a value.
    static func condition(
        _ db: Database, keys: some Collection<some DatabaseValueConvertible>
    ) throws -> RowCondition? {
        if keys.isEmpty { return nil }
        let column = try db.recordPlans(for: Self.self).singleKeyColumn()
        let values = try keys.map { try keyValue($0, column: column) }
        // No key equals NULL. Beside other values, NULL changes nothing.
        if values.count == 1, values[0].isNull { return nil }
        return .keys(column: column, values)
    }

    /// What is stored of the value of a primary key.
    static func keyValue(
        _ key: some DatabaseValueConvertible, column: String
    ) throws -> DatabaseValue {
        let dbValue = try storableValue(key)
        switch dbValue.storage {
        case .null, .int64, .double:
            // Without a strategy, these types are stored as text or blob.
            return dbValue
        case .string, .blob:
            guard let strategyKey = _StrategyKey(key),
                let recordType = Self.self as? any _KeyEncoding.Type
            else { return dbValue }
            return try recordType._encode(strategyKey, forColumn: column)
        }
    }

    /// The condition on unique keys. Nil if there are none.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the columns are not those of a
    ///   unique key, `SQLITE_TOOBIG` if SQLite can't store a value.
    static func condition(_ db: Database, uniqueKeys keys: [UniqueKey]) throws -> RowCondition? {
        if keys.isEmpty { return nil }
        let table = databaseTableName
        let columns = try db.columns(in: table).map(\.name)
        return try .uniqueKeys(
            keys.map { key in
                try db.checkUniqueKey(Array(key.keys), in: .init(table))
                // Dictionaries have no order: the columns get that of the table.
                return
                    try key.sorted { lhs, rhs in
                        let lhsIndex = columns.index(ofColumn: lhs.key)
                        let rhsIndex = columns.index(ofColumn: rhs.key)
                        return (lhsIndex, lhs.key) < (rhsIndex, rhs.key)
                    }
                    .map { (column: $0.key, value: try storableValue($0.value)) }
            })
    }

    private static func storableValue(
        _ value: (any DatabaseValueConvertible)?
    ) throws -> DatabaseValue {
        guard let value else { return .null }
        guard let dbValue = value._storableDatabaseValue else {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG, message: "value can't be stored in a database: \(value)"
            )
        }
        return dbValue
    }

    // MARK: - Errors

    /// Returns the error that tells that a record does not exist in the database.
    ///
    /// ```swift
    /// guard try Player.exists(db, key: 1) else {
    ///     throw Player.recordNotFound(db, key: 1)
    /// }
    /// ```
    ///
    /// - returns: ``RecordError/recordNotFound(databaseTableName:key:)``, or the error that
    ///   prevents the primary key from being known.
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

    /// Returns the error that tells that a record does not exist in the database.
    public static func recordNotFound(
        key: [String: (any DatabaseValueConvertible)?]
    ) -> RecordError {
        .recordNotFound(
            databaseTableName: databaseTableName,
            key: key.mapValues { $0?._storableDatabaseValue ?? .null })
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// Returns the error that tells that a record does not exist in the database.
    public static func recordNotFound(_ db: Database, id: ID) -> any Error {
        recordNotFound(db, key: id)
    }
}

extension RecordPlans {
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` unless the primary key has one
    ///   column.
    func singleKeyColumn() throws -> String {
        guard primaryKey.columns.count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    Filtering by primary key requires a single-column primary key in the table \
                    '\(table)'
                    """)
        }
        return primaryKey.columns[0]
    }
}

extension [String] {
    fileprivate func index(ofColumn name: String) -> Int {
        firstIndex { ASCIICase.equal($0, name) } ?? count
    }
}
