// Statements on the table of a record type.

extension TableRecord {
    /// Counts the rows of the table.
    ///
    /// ```swift
    /// // SELECT COUNT(*) FROM "player"
    /// let count = try Player.fetchCount(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the table does not exist.
    public static func fetchCount(_ db: Database) throws -> Int {
        try Table<Self>(databaseTableName).fetchCount(db)
    }

    // MARK: - Existence

    /// Whether the table has a row with this primary key.
    ///
    /// ```swift
    /// // SELECT EXISTS (SELECT * FROM "player" WHERE "id" = 1)
    /// if try Player.exists(db, key: 1) { ... }
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns, or of code `SQLITE_MISMATCH` if the key is a blob and the primary key an integer.
    public static func exists(
        _ db: Database, key: some DatabaseValueConvertible
    ) throws -> Bool {
        // Fetch with a request while a region is recorded: a request reports the row that it reads.
        if db.isRecordingRegion {
            return try !key.databaseValue.isNull && !filter(key: key).isEmpty(db)
        }
        return try execute(.exists, db, key: key) { SelectionOnly(expression: $0.exists()) }
    }

    /// Executes a statement on the row with a primary key.
    ///
    /// - parameter statement: returns the statement for the request of the row.
    /// - returns: whether the row exists, or was deleted.
    private static func execute(
        _ verb: PersistenceOperation.Verb, _ db: Database, key: some DatabaseValueConvertible,
        _ statement: (QueryInterfaceRequest<Self>) -> some SQLFragment
    ) throws -> Bool {
        // No key equals NULL.
        if key.databaseValue.isNull { return false }
        let plans = try db.recordPlans(for: Self.self)
        let column = try plans.singleKeyColumn()
        let dbValue = try keyValue(key, column: column)
        try plans.checkKey(dbValue)
        let keyStatement: Statement
        if let known = plans.keyStatements[Int(verb.rawValue)], !known.isBusy {
            keyStatement = known
        } else {
            // SELECT * FROM "player" WHERE "id" = ?
            let row = all().filter(SQLExpression(KeyParameter(column: column)))
            keyStatement = try db.makeStatement(statement(row))
            plans.keyStatements[Int(verb.rawValue)] = keyStatement
        }
        try keyStatement.bindKey(dbValue)
        return try PersistenceOperation(verb).execute(keyStatement, isView: plans.isView).hasRow
    }

    /// Whether the table has a row with these values in the columns of a primary or unique key.
    ///
    /// ```swift
    /// if try Player.exists(db, key: ["email": "arthur@example.com"]) { ... }
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if there is no such unique key.
    public static func exists(
        _ db: Database, key: [String: (any DatabaseValueConvertible)?]
    ) throws -> Bool {
        try !filter(key: key).isEmpty(db)
    }

    // MARK: - Deletion

    /// Deletes all records.
    ///
    /// ```swift
    /// // DELETE FROM "player"
    /// try Player.deleteAll(db)
    /// ```
    ///
    /// - returns: the number of deleted rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_READONLY` in a read-only access,
    ///   `SQLITE_CONSTRAINT` if a foreign key prevents the deletion.
    @discardableResult
    public static func deleteAll(_ db: Database) throws -> Int {
        try all().deleteAll(db)
    }

    /// Deletes the rows with the given primary keys.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "id" IN (1, 2, 3)
    /// try Player.deleteAll(db, keys: [1, 2, 3])
    /// ```
    ///
    /// - returns: the number of deleted rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns, or of code `SQLITE_MISMATCH` if the key is a blob and the primary key an integer.
    @discardableResult
    public static func deleteAll(
        _ db: Database, keys: some Collection<some DatabaseValueConvertible>
    ) throws -> Int {
        if keys.isEmpty { return 0 }
        return try filter(keys: keys).deleteAll(db)
    }

    /// Deletes the rows with the given primary or unique keys.
    ///
    /// ```swift
    /// try Player.deleteAll(db, keys: [["email": "arthur@example.com"]])
    /// ```
    ///
    /// - returns: the number of deleted rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if there is no such unique key.
    @discardableResult
    public static func deleteAll(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> Int {
        if keys.isEmpty { return 0 }
        return try filter(keys: keys).deleteAll(db)
    }

    /// Deletes the row with the given primary key.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "id" = 1
    /// try Player.deleteOne(db, key: 1)
    /// ```
    ///
    /// - returns: whether a row was deleted.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns, or of code `SQLITE_MISMATCH` if the key is a blob and the primary key an integer.
    @discardableResult
    public static func deleteOne(
        _ db: Database, key: some DatabaseValueConvertible
    ) throws -> Bool {
        try execute(.delete, db, key: key) {
            BatchStatement(relation: $0.relation, change: .delete)
        }
    }

    /// Deletes the row with the given primary or unique key.
    ///
    /// ```swift
    /// try Player.deleteOne(db, key: ["email": "arthur@example.com"])
    /// ```
    ///
    /// - returns: whether a row was deleted.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if there is no such unique key.
    @discardableResult
    public static func deleteOne(
        _ db: Database, key: [String: (any DatabaseValueConvertible)?]
    ) throws -> Bool {
        try filter(key: key).deleteAll(db) > 0
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// Whether the table has a row with this primary key.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns, or of code `SQLITE_MISMATCH` if the key is a blob and the primary key an integer.
    public static func exists(_ db: Database, id: ID) throws -> Bool {
        try exists(db, key: id)
    }

    /// Deletes the rows with the given primary keys.
    ///
    /// - returns: the number of deleted rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns, `SQLITE_READONLY` in a read-only access.
    @discardableResult
    public static func deleteAll(_ db: Database, ids: some Collection<ID>) throws -> Int {
        try deleteAll(db, keys: ids)
    }

    /// Deletes the row with the given primary key.
    ///
    /// - returns: whether a row was deleted.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns, `SQLITE_READONLY` in a read-only access.
    @discardableResult
    public static func deleteOne(_ db: Database, id: ID) throws -> Bool {
        try deleteOne(db, key: id)
    }
}
