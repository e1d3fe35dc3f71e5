extension Database {
    /// Returns the problems of the database file; an empty array if there are none.
    ///
    /// ```swift
    /// let problems = try dbQueue.read { db in
    ///     try db.integrityProblems()
    /// }
    /// ```
    ///
    /// Foreign keys are not checked: see ``checkForeignKeys()``.
    ///
    /// - parameter schemaName: the schema to check; nil for all schemas.
    /// - parameter quick: whether to skip the content of indexes, whose check takes most of the
    ///   time.
    /// - parameter limit: the maximum number of problems to return.
    /// - throws: a ``DatabaseError``, for example if there is no schema of this name.
    /// - complexity: reads the whole database.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_integrity_check>
    public func integrityProblems(
        in schemaName: String? = nil, quick: Bool = false, limit: Int = 100
    ) throws -> [String] {
        let schema = try schemaName.map { name in
            try schemaIDs(named: name)[0].name.quotedDatabaseIdentifier + "."
        }
        let pragma = quick ? "quick_check" : "integrity_check"
        // Zero would select another default.
        let sql = "PRAGMA \(schema ?? "")\(pragma)(\(Swift.max(1, limit)))"
        let lines = try String.fetchAll(self, sql: sql)
        return lines == ["ok"] ? [] : lines
    }

    /// Throws an error if the database file has a problem.
    ///
    /// ```swift
    /// try dbQueue.read { db in try db.checkIntegrity() }
    /// ```
    ///
    /// - parameter schemaName: the schema to check; nil for all schemas.
    /// - throws: a ``DatabaseError`` of code `SQLITE_CORRUPT` that describes the first problem.
    /// - complexity: reads the whole database, up to the first problem.
    public func checkIntegrity(in schemaName: String? = nil) throws {
        if let problem = try integrityProblems(in: schemaName, limit: 1).first {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: problem)
        }
    }
}
