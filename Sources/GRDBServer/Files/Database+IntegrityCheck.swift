import GRDB

extension Database {
    /// Returns the problems of the database file; an empty array if there are none.
    ///
    /// ```swift
    /// let problems = try dbQueue.read { db in
    ///     try db.integrityProblems()
    /// }
    /// ```
    ///
    /// Foreign keys are not checked: see ``/GRDB/Database/checkForeignKeys()``. A virtual table that can't be checked, because
    /// its module or its tokenizer is missing, is a problem. The other tables are then checked one by one,
    /// without the list of unused pages.
    ///
    /// - parameter schemaName: the schema to check; nil for all schemas.
    /// - parameter quick: whether to skip the content of indexes, whose check takes most of the
    ///   time.
    /// - parameter limit: the maximum number of problems to return.
    /// - throws: a ``/GRDB/DatabaseError``, for example if there is no schema of this name.
    /// - complexity: reads the whole database.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_integrity_check>
    public func integrityProblems(
        in schemaName: String? = nil, quick: Bool = false, limit: Int = 100
    ) throws -> [String] {
        let result = try checkedIntegrity(in: schemaName, quick: quick, limit: limit)
        let problems = result.problems + result.failures.map { $0.message ?? "" }
        return Array(problems.prefix(Swift.max(1, limit)))
    }

    /// - returns: the problems, and the errors of tables that can't be checked, because their module or
    ///   tokenizer is not available.
    private func checkedIntegrity(
        in schemaName: String?, quick: Bool, limit: Int
    ) throws -> (problems: [String], failures: [DatabaseError]) {
        let pragma = quick ? "quick_check" : "integrity_check"
        func problems(_ schema: String?, _ argument: String) throws -> [String] {
            let prefix = schema.map { $0.quotedDatabaseIdentifier + "." } ?? ""
            let lines = try String.fetchAll(self, sql: "PRAGMA \(prefix)\(pragma)(\(argument))")
            return lines == ["ok"] ? [] : lines
        }
        // SQLite skips tables whose module is missing, and says nothing.
        var failures = try unavailableTables(in: schemaName)
        do {
            let schema = try schemaName.map { try schemaIDs(named: $0)[0].name }
            // Zero would select another default.
            return try (problems(schema, "\(Swift.max(1, limit))"), failures.map(\.error))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // SQLite stops at a virtual table that it can't open. The other tables can be checked.
            var found: [String] = []
            for schemaID in try schemaIDs(named: schemaName) {
                for table in try schemaObjects(in: schemaID).all where table.kind == .table {
                    do {
                        found += try problems(schemaID.name, table.name.quotedDatabaseIdentifier)
                    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                        let isKnown = failures.contains {
                            $0.schema.hasSameBytes(as: schemaID.name)
                                && $0.table.hasSameBytes(as: table.name)
                        }
                        if isKnown { continue }
                        failures.append(
                            (schemaID.name, table.name, failure(of: table, in: schemaID, error)))
                    }
                }
            }
            if failures.isEmpty { throw error }
            return (Array(found.prefix(Swift.max(1, limit))), failures.map(\.error))
        }
    }

    /// The virtual tables that SQLite can't open.
    private func unavailableTables(
        in schemaName: String?
    ) throws -> [(schema: String, table: String, error: DatabaseError)] {
        var failures: [(schema: String, table: String, error: DatabaseError)] = []
        for schemaID in try schemaIDs(named: schemaName) {
            for table in try schemaObjects(in: schemaID).all where table.isVirtualTable {
                if let error = failure(
                    of: "SELECT * FROM \(table.name.qualified(in: schemaID.name))", runs: false)
                {
                    failures.append((schemaID.name, table.name, integrityError(table, error)))
                }
            }
        }
        return failures
    }

    /// - parameter error: the error of the check, which does not say what is missing.
    private func failure(
        of table: SchemaObjectInfo, in schemaID: DatabaseSchemaID, _ error: DatabaseError
    ) -> DatabaseError {
        // FTS5 looks up the tokenizer of a table when it is first needed.
        let search = """
            SELECT 1 FROM \(table.name.qualified(in: schemaID.name)) \
            WHERE \(table.name.quotedDatabaseIdentifier) MATCH 'a' LIMIT 1
            """
        let isVirtual = table.isVirtualTable
        return integrityError(table, isVirtual ? failure(of: search, runs: true) ?? error : error)
    }

    /// The error of a query, if it fails because of what it selects from.
    private func failure(of sql: String, runs: Bool) -> DatabaseError? {
        do {
            let statement = try makeStatement(sql: sql)
            if runs { try statement.execute() }
            return nil
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            return error
        } catch {
            return nil
        }
    }

    private func integrityError(
        _ table: SchemaObjectInfo, _ error: DatabaseError
    ) -> DatabaseError {
        DatabaseError(
            resultCode: error.extendedResultCode,
            message: "table \(table.name) can't be checked: \(error.message ?? "")")
    }

    /// Throws an error if the database file has a problem.
    ///
    /// ```swift
    /// try dbQueue.read { db in try db.checkIntegrity() }
    /// ```
    ///
    /// - parameter schemaName: the schema to check; nil for all schemas.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_CORRUPT` that describes the first problem, or of code
    ///   `SQLITE_ERROR` if there is none, but a virtual table can't be checked.
    /// - complexity: reads the whole database, up to the first problem.
    public func checkIntegrity(in schemaName: String? = nil) throws {
        let result = try checkedIntegrity(in: schemaName, quick: false, limit: 1)
        if let problem = result.problems.first {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: problem)
        }
        if let failure = result.failures.first { throw failure }
    }
}
