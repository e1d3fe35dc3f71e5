extension ColumnInfo: FetchableRecord {}

extension ForeignKeyViolation: FetchableRecord {}

extension Database {
    /// Throws an error if a foreign key refers to a row that doesn't exist.
    ///
    /// ```swift
    /// try dbQueue.read { db in
    ///     try db.checkForeignKeys()
    /// }
    /// ```
    ///
    /// Checks the tables of the main schema: see ``checkForeignKeys(in:in:)`` for other schemas,
    /// and ``foreignKeyViolations()`` for the list of violations.
    ///
    /// - throws: a ``DatabaseError`` of extended code `SQLITE_CONSTRAINT_FOREIGNKEY` that describes
    ///   the first violation.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_foreign_key_check>
    public func checkForeignKeys() throws {
        try throwFirstViolation(foreignKeyViolations())
    }

    /// Throws an error if a foreign key of one table refers to a row that doesn't exist.
    ///
    /// See ``foreignKeyViolations(in:in:)`` for the list of violations.
    ///
    /// - parameter tableName: the table that contains the foreign keys.
    /// - parameter schemaName: the schema of the table. If nil, the table is looked up in the order
    ///   of SQLite: temp, main, attached databases.
    /// - throws: a ``DatabaseError`` of extended code `SQLITE_CONSTRAINT_FOREIGNKEY` that describes
    ///   the first violation; of code `SQLITE_ERROR` when there is no such table or schema.
    public func checkForeignKeys(
        in tableName: String, in schemaName: String? = nil
    ) throws {
        try throwFirstViolation(foreignKeyViolations(in: tableName, in: schemaName))
    }

    private func throwFirstViolation(
        _ violations: RecordCursor<ForeignKeyViolation>
    ) throws {
        if let violation = try violations.next() {
            throw violation.databaseError(self)
        }
    }

    /// Returns a cursor over foreign key violations in the main schema of the database.
    ///
    /// - throws: a ``DatabaseError``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_foreign_key_check>
    public func foreignKeyViolations() throws -> RecordCursor<ForeignKeyViolation> {
        // Without arguments, the pragma checks the main schema.
        try ForeignKeyViolation.fetchCursor(
            self,
            sql: """
                SELECT "table", "rowid", parent, fkid, 'main' AS "schema" \
                FROM pragma_foreign_key_check
                """)
    }

    /// Returns a cursor over the rows of one table that refer to rows that don't exist.
    ///
    /// - parameter tableName: the table that contains the foreign keys.
    /// - parameter schemaName: the schema of the table. If nil, the table is looked up in the order
    ///   of SQLite: temp, main, attached databases.
    /// - throws: a ``DatabaseError``, also when there is no such table or schema.
    public func foreignKeyViolations(
        in tableName: String, in schemaName: String? = nil
    ) throws -> RecordCursor<ForeignKeyViolation> {
        let table = try existingTable(tableName, in: schemaName)
        return try ForeignKeyViolation.fetchCursor(
            self,
            sql: """
                SELECT "table", "rowid", parent, fkid, "schema" \
                FROM pragma_foreign_key_check(?, ?)
                """,
            arguments: [table.name, table.schemaID.name])
    }
}
