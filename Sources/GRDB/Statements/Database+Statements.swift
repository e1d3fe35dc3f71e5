extension Database {
    // MARK: - Statements

    /// Returns a new prepared statement that can be reused.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// let player1 = try Row.fetchOne(statement, arguments: [1])!
    /// let player2 = try Row.fetchOne(statement, arguments: [2])!
    /// ```
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the text holds several statements,
    ///   of code `SQLITE_ERROR` if it holds none, or does not compile.
    public func makeStatement(sql: String) throws -> Statement {
        try compileOnlyStatement(sql, persistent: false)
    }

    /// Returns a prepared statement that can be reused, from a cache of the connection.
    ///
    /// ```swift
    /// let statement = try db.cachedStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// ```
    ///
    /// A statement goes back to the cache when its last reference goes away. Its arguments are
    /// then forgotten.
    public func cachedStatement(sql: String) throws -> Statement {
        if let statement = statementCache.checkout(sql) {
            try checkAccess()
            return statement
        }
        let statement = try compileOnlyStatement(sql, persistent: true)
        statementCache.insert(statement, forSQL: sql)
        return statement
    }

    /// Compiles a text that must hold one statement.
    private func compileOnlyStatement(_ sql: String, persistent: Bool) throws -> Statement {
        guard let (statement, end) = try compile(sql, from: 0, persistent: persistent) else {
            throw DatabaseError(message: "empty statement", sql: sql)
        }
        guard try isBlank(sql, from: end) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    Multiple statements found. To execute multiple statements, use \
                    Database.execute(sql:) or Database.allStatements(sql:) instead.
                    """, sql: sql)
        }
        return statement
    }

    /// Compiles the first statement found from an offset in UTF-8 bytes.
    ///
    /// - returns: nil if there are only blanks and comments.
    func compile(
        _ sql: String, from offset: Int, persistent: Bool
    ) throws -> (statement: Statement, end: Int)? {
        try checkAccess()
        let prepared: RawConnection.Prepared?
        do throws(RawFailure) {
            prepared = try compilation.record { () throws(RawFailure) in
                try raw.prepare(sql, from: offset, persistent: persistent)
            }
        } catch {
            let text = offset == 0 ? sql : String(Substring(sql.utf8.dropFirst(offset)))
            throw DatabaseError(error, sql: text)
        }
        guard let prepared else { return nil }
        let text =
            if offset == 0, prepared.end == sql.utf8.count {
                sql.trimmedSQL
            } else {
                Substring(sql.utf8.dropFirst(offset).prefix(prepared.end - offset)).trimmedSQL
            }
        let statement = Statement(
            database: self, sqliteStatement: prepared.statement, sql: text,
            effects: compilation.effects)
        return (statement, prepared.end)
    }

    /// Whether there is no statement from an offset in UTF-8 bytes.
    private func isBlank(_ sql: String, from offset: Int) throws -> Bool {
        var offset = offset
        if sql.utf8.dropFirst(offset).allSatisfy({ $0 == 0x20 || 0x09...0x0d ~= $0 || $0 == 0x3b })
        {
            return true
        }
        // Comments, or a statement, which may not even compile.
        let count = sql.utf8.count
        while offset < count {
            do {
                guard let prepared = try raw.prepare(sql, from: offset, persistent: false) else {
                    return true
                }
                RawStatement.finalize(prepared.statement)
                offset = prepared.end
                return false
            } catch {
                return false
            }
        }
        return true
    }

    /// Returns a cursor of prepared statements, which are compiled as the cursor advances: each
    /// may depend on what the former ones did.
    ///
    /// ```swift
    /// let statements = try db.allStatements(sql: """
    ///     INSERT INTO player (name, score) VALUES (?, ?);
    ///     INSERT INTO player (name, score) VALUES (?, ?);
    ///     """, arguments: ["Arthur", 100, "O'Brien", 1000])
    /// while let statement = try statements.next() {
    ///     try statement.execute()
    /// }
    /// ```
    ///
    /// - parameter arguments: the values of all statements; nil leaves them without arguments.
    public func allStatements(
        sql: String, arguments: StatementArguments? = nil
    ) throws -> SQLStatementCursor {
        try checkAccess()
        return SQLStatementCursor(database: self, sql: sql, arguments: arguments)
    }

    // MARK: - Execution

    /// Executes one or several SQL statements.
    ///
    /// ```swift
    /// try db.execute(
    ///     sql: "INSERT INTO player (name) VALUES (:name)", arguments: ["name": "Arthur"])
    ///
    /// try db.execute(sql: """
    ///     INSERT INTO player (name) VALUES (?);
    ///     INSERT INTO player (name) VALUES (?);
    ///     """, arguments: ["Barbara", "Craig"])
    /// ```
    ///
    /// Statements are compiled once, and kept for the next execution of the same text.
    ///
    /// - throws: a ``DatabaseError``, or the error of an SQL function or transaction observer.
    public func execute(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) throws {
        if let statement = statementCache.checkout(sql) {
            try statement.execute(arguments: arguments)
            return
        }
        try checkAccess()
        let statements = SQLStatementCursor(database: self, sql: sql, arguments: arguments)
        var count = 0
        while let statement = try statements.next() {
            count += 1
            if count == 1, statements.isAtEnd {
                try statements.checkRemainingArguments()
                statementCache.insert(statement, forSQL: sql)
            }
            try statement.execute()
        }
    }

    // MARK: - Regions

    /// Compiles a statement again, in order to learn what it reads.
    func region(ofStatement statement: Statement) throws -> DatabaseRegion {
        try checkAccess()
        let prepared = try compilation.record(reads: true) {
            try raw.prepare(statement.sql, from: 0, persistent: false)
        }
        if let prepared {
            RawStatement.finalize(prepared.statement)
        }
        return compilation.reads ?? .fullDatabase
    }

    // MARK: - Callbacks

    /// The authorizer.
    func authorize(_ authorization: RawAuthorization) -> CInt {
        compilation.authorize(
            authorization, isReadOnly: readOnlyDepth > 0, observesDeletes: broker.isActive)
    }

    /// Does what is due when a statement has ended well.
    ///
    /// - throws: the error of an observer.
    func statementDidSucceed(_ statement: Statement) throws {
        if let effect = statement.effects.transactionEffect {
            transactionStateDidChange(effect)
        }
        if statement.effects.changesSchema {
            schemaCache.removeAll()
        }
        if broker.isActive, hasEndedEmptyTransaction(statement) {
            broker.emptyTransactionDidCommit()
        }
        if broker.hasCompletion, let error = broker.notifyCompletion() {
            throw error
        }
    }

    private func transactionStateDidChange(_ effect: StatementEffects.TransactionEffect) {
        switch effect {
        case .begin:
            transactionDidBegin()
        case .beginSavepoint(let name):
            if !isTransactionDated {
                transactionDidBegin()
            }
            broker.savepointDidBegin(name)
        case .releaseSavepoint(let name):
            broker.savepointDidRelease(name)
        case .rollbackToSavepoint(let name):
            broker.savepointDidRollback(name)
            clearSchemaCache()
        case .commit:
            break
        case .rollback:
            // The schema may be an older one again.
            clearSchemaCache()
        }
        if raw.isInAutocommitMode {
            transactionDidEnd()
        }
    }

    /// Whether the statement has ended a transaction that changed nothing, so that SQLite has not
    /// called the commit hook.
    private func hasEndedEmptyTransaction(_ statement: Statement) -> Bool {
        guard raw.isInAutocommitMode, !broker.hasCompletion, !isReadOnly else { return false }
        return switch statement.effects.transactionEffect {
        case .commit, .releaseSavepoint: true
        default: false
        }
    }

    /// Turns the failure of a statement into the error to throw.
    func statementDidFail(_ statement: Statement, _ failure: RawFailure) -> any Error {
        let callbackError = raw.callbackError
        raw.callbackError = nil
        if raw.isInAutocommitMode {
            // Maybe because of a rollback that undid a change of the schema.
            clearSchemaCache()
            transactionDidEnd()
        }
        if broker.hasCompletion, let error = broker.notifyCompletion() {
            return error
        }
        if let callbackError {
            return statementError(callbackError, statement)
        }
        return DatabaseError(
            failure, sql: statement.sql,
            arguments: statement.arguments.isEmpty ? nil : statement.arguments,
            publicStatementArguments: configuration.publicStatementArguments)
    }

    /// An error thrown by a Swift callback comes out as it was thrown. Only a database error that
    /// does not know its statement is told.
    private func statementError(_ error: any Error, _ statement: Statement) -> any Error {
        guard let error = error as? DatabaseError, error.sql == nil else { return error }
        return DatabaseError(
            resultCode: error.extendedResultCode, message: error.message, sql: statement.sql,
            arguments: statement.arguments.isEmpty ? nil : statement.arguments,
            publicStatementArguments: configuration.publicStatementArguments)
    }

    /// A statement was reset before its end, which commits in autocommit mode.
    func statementDidReset() {
        if broker.hasCompletion {
            // The error of a cancelled commit has no one to go to.
            _ = broker.notifyCompletion()
        }
    }
}
