extension Database {
    // MARK: - Statements

    /// Compiles one SQL statement, which can then be run any number of times, with other arguments
    /// each time.
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
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the text holds several statements,
    ///   of code `SQLITE_ERROR` if it holds none, or does not compile.
    public func cachedStatement(sql: String) throws -> Statement {
        try cachedStatement(sql: sql, keepsArguments: false)
    }

    /// - parameter keepsArguments: see ``StatementCache/checkout(_:keepsArguments:)``.
    func cachedStatement(sql: String, keepsArguments: Bool) throws -> Statement {
        try checkAccess()
        try checkLength(sql)
        if let statement = statementCache.checkout(sql, keepsArguments: keepsArguments) {
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
        guard SQLText.isBlank(sql.utf8.dropFirst(end)) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    Multiple statements found. To execute multiple statements, use \
                    Database.execute(sql:) or Database.allStatements(sql:) instead.
                    """, sql: sql)
        }
        return statement
    }

    /// Throws if SQL is longer than SQLite accepts, before anything looks at all of it. The error does
    /// not hold the text.
    @inline(__always)
    private func checkLength(_ sql: String, from offset: Int = 0) throws {
        if sql.utf8.count - offset > 1_000_000 { try checkGreatLength(sql.utf8.count - offset) }
    }

    private func checkGreatLength(_ length: Int) throws {
        let limit = Int(raw.sqlLengthLimit)
        guard length > limit else { return }
        throw DatabaseError(
            resultCode: .SQLITE_TOOBIG,
            message: "The SQL is too long: \(length) bytes, where \(limit) are accepted")
    }

    /// Compiles the first statement found from an offset in UTF-8 bytes.
    ///
    /// - returns: nil if there are only blanks and comments.
    func compile(
        _ sql: String, from offset: Int, persistent: Bool
    ) throws -> (statement: Statement, end: Int)? {
        try checkAccess()
        try checkLength(sql, from: offset)
        let generation = schemaGeneration
        let (prepared, recording) = try prepare(sql, from: offset, persistent: persistent)
        guard let prepared else { return nil }
        let text =
            if offset == 0, prepared.end == sql.utf8.count {
                SQLText.trimmed(sql)
            } else {
                SQLText.trimmed(
                    String(Substring(sql.utf8.dropFirst(offset).prefix(prepared.end - offset))))
            }
        var effects = recording.effects
        effects.addReplacements(by: prepared.statement)
        let statement = Statement(
            database: self, sqliteStatement: prepared.statement, sql: text, effects: effects,
            effectsGeneration: generation)
        return (statement, prepared.end)
    }

    /// Compiles the first statement found from an offset in UTF-8 bytes, and records what it does.
    ///
    /// - throws: the error of a callback of the app that runs during the compilation, or a
    ///   ``DatabaseError``.
    private func prepare(
        _ sql: String, from offset: Int = 0, persistent: Bool = false, recordsReads: Bool = false
    ) throws -> (prepared: RawConnection.Prepared?, recording: CompilationMonitor.Recording) {
        let outerError = raw.callbackError
        raw.callbackError = nil
        defer { raw.callbackError = outerError }
        do throws(RawFailure) {
            let (prepared, recording) = try compilation.record(reads: recordsReads) {
                () throws(RawFailure) in
                try raw.prepare(sql, from: offset, persistent: persistent)
            }
            return (prepared, recording)
        } catch {
            if let callbackError = raw.callbackError {
                // SQLite calls pure functions on constants while it compiles.
                raw.callbackError = nil
                if let error = callbackError as? DatabaseError, error.sql == nil {
                    throw DatabaseError(
                        resultCode: error.extendedResultCode, message: error.message, sql: sql)
                }
                throw callbackError
            }
            let text = offset == 0 ? sql : String(Substring(sql.utf8.dropFirst(offset)))
            throw self.error(error, sql: text)
        }
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
    /// - parameter sql: one or several statements, separated by semicolons.
    /// - parameter arguments: the values of all statements; nil leaves them without arguments.
    /// - throws: a ``DatabaseError`` when the connection must not be used. The cursor throws when a
    ///   statement does not compile, or when arguments don't fit.
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
    @_disfavoredOverload
    public func execute(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) throws {
        try checkAccess()
        try checkLength(sql)
        if let statement = statementCache.checkout(sql) {
            try statement.execute(arguments: arguments)
            return
        }
        try executeAll(sql: sql, arguments: arguments)
    }

    /// Executes SQL statements with the elements of an array literal.
    ///
    /// It is the method of the same name for literals, which are bound without making
    /// ``StatementArguments`` when the statement was executed before:
    ///
    /// ```swift
    /// try db.execute(
    ///     sql: "INSERT INTO player (name, score) VALUES (?, ?)",
    ///     arguments: ["Arthur", 1000])
    /// ```
    ///
    /// - parameter sql: one or several statements.
    /// - parameter arguments: the arguments of all statements, in their order.
    /// - throws: what `execute(sql:arguments:)` throws.
    @_documentation(visibility: internal)
    public func execute(sql: String, arguments: _ArgumentsLiteral) throws {
        try checkAccess()
        try checkLength(sql)
        if let statement = statementCache.checkout(sql) {
            try statement.execute(arguments: arguments)
            return
        }
        try executeAll(sql: sql, arguments: StatementArguments(arguments.elements))
    }

    private func executeAll(sql: String, arguments: StatementArguments) throws {
        let statements = SQLStatementCursor(database: self, sql: sql, arguments: arguments)
        var count = 0
        while let statement = try statements.next() {
            count += 1
            if count == 1, statements.isAtEnd {
                try statements.checkRemainingArguments(sql: statement.sql)
                statementCache.insert(statement, forSQL: sql)
            }
            try statement.execute()
        }
    }

    // MARK: - Regions

    /// Compiles a statement again, in order to learn what it reads.
    func region(ofStatement statement: Statement) throws -> DatabaseRegion {
        try checkAccess()
        // Many pragmas act when they are compiled, and none reads a table.
        if statement.effects.isPragma { return DatabaseRegion() }
        var reads = try readRegion(ofSQL: statement.sql)
        try reads.formUnion(regionBehindVirtualTables(reads))
        // Arrays of values are read from the table-valued function `carray`, unless a table of that
        // name hides it.
        let carray = ArrayArgument.tableName
        return try reads.contains(table: carray) && !hasTable(carray) && !hasView(carray)
            ? reads.removing(table: carray) : reads
    }

    /// Compiles a statement in order to learn what it reads, apart from what virtual tables read.
    func readRegion(ofSQL sql: String) throws -> DatabaseRegion {
        let (prepared, recording) = try prepare(sql, recordsReads: true)
        if let prepared {
            RawStatement.finalize(prepared.statement)
        }
        guard var reads = recording.reads else { return .fullDatabase }
        reads.insertSourcesOfGeneratedColumns { raw.generatedColumns(in: $0) }
        return reads
    }

    // MARK: - Callbacks

    /// The authorizer.
    func authorize(_ authorization: RawAuthorization) -> CInt {
        authorizationMonitor?(authorization)
        let answer = compilation.authorize(authorization, isReadOnly: isReadOnly) {
            table, isDeclared in
            broker.observesDeletes(from: table, isDeclared: isDeclared)
        } noteUndeclaredChange: {
            broker.noteUndeclaredChange()
        }
        return authorizer == nil ? answer : askAuthorizer(authorization, answer)
    }

    /// Brings caches and observers up to date after a statement has succeeded.
    ///
    /// - throws: the error of an observer.
    func statementDidSucceed(_ statement: Statement) throws {
        if let effect = statement.effects.transactionEffect {
            transactionStateDidChange(effect)
            if broker.isActive, hasEndedEmptyTransaction(effect) {
                broker.emptyTransactionDidCommit()
            }
        } else if statement.effects.changesSchema {
            if let table = statement.effects.droppedOrAlteredTable, broker.isActive {
                droppedOrAlteredTables.insert(CaseInsensitiveIdentifier(table))
            }
            schemaDidChange()
        } else if statement.effects.changesSettings {
            settingsDidChange()
        }
        if broker.hasCompletion, let error = broker.notifyCompletion() {
            throw error
        }
    }

    /// Forgets what was known of the schema.
    private func schemaDidChange() {
        schemaCache.removeAll()
        schemaGeneration &+= 1
        // SQLite only looks at the schemas that a statement uses: a new table may hide another one,
        // and BEGIN IMMEDIATE does not lock a database that was attached later.
        expirePreparedStatements()
    }

    /// Forgets what statements can do: foreign keys and triggers may act now, or not any more.
    func settingsDidChange() {
        schemaGeneration &+= 1
    }

    /// Checks whether another connection has changed the schema: once per transaction, or before
    /// each statement outside of transactions.
    func noteSchemaChangesOfOthers(isInTransaction: Bool) {
        if isInTransaction, schemaCheckTransaction == transactionNumber { return }
        schemaCheckTransaction = transactionNumber
        guard let version = isInTransaction ? try? raw.beginRead() : try? raw.mainSchemaVersion(),
            version != knownSchemaVersion
        else { return }
        if knownSchemaVersion != nil {
            // Compiling alone does not look at the file.
            raw.reloadSchema()
        }
        knownSchemaVersion = version
        schemaGeneration &+= 1
    }

    /// Compiles a statement again to learn what it can do: triggers may have come and gone.
    func effects(ofStatement statement: Statement) throws -> StatementEffects {
        let (prepared, recording) = try prepare(statement.sql)
        guard let prepared else { return statement.effects }
        var effects = recording.effects
        effects.addReplacements(by: prepared.statement)
        RawStatement.finalize(prepared.statement)
        return effects
    }

    private func transactionStateDidChange(_ effect: StatementEffects.TransactionEffect) {
        switch effect {
        case .begin:
            transactionDidBegin()
        case .beginSavepoint(let name):
            if !isTransactionDated {
                transactionDidBegin()
            }
            broker.didOpenSavepoint(name)
        case .releaseSavepoint(let name):
            broker.didReleaseSavepoint(name)
        case .rollbackToSavepoint(let name):
            broker.didRollBackSavepoint(name)
            rollbackReason = nil
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
    private func hasEndedEmptyTransaction(_ effect: StatementEffects.TransactionEffect) -> Bool {
        switch effect {
        case .commit, .releaseSavepoint: break
        default: return false
        }
        return !broker.hasCompletion && raw.isInAutocommitMode
            && (!isReadOnly || configuration.readonly)
    }

    /// Turns the failure of a statement into the error to throw.
    func statementDidFail(_ statement: Statement, _ failure: RawFailure) -> any Error {
        let failure = stopFailure(failure)
        let callbackError = raw.callbackError
        raw.callbackError = nil
        // FTS5 looks for the tokenizer of a table when it first needs it, in the middle of a
        // change.
        let lacksTokenizer = failure.message?.hasPrefix("no such tokenizer: ") ?? false
        if raw.hasFailedWithinChange || lacksTokenizer {
            raw.hasFailedWithinChange = false
            requireRollback(
                of: statement, because: callbackError.map { "\($0)" } ?? failure.message ?? "")
        }
        if raw.isInAutocommitMode {
            // The failure may come with a rollback that undid a change of the schema.
            clearSchemaCache()
            transactionDidEnd()
        }
        if broker.hasFailedToCommit { broker.noteFailure(failure) }
        if broker.hasCompletion, let error = broker.notifyCompletion() {
            return error
        }
        if let callbackError {
            return statementError(callbackError, statement)
        }
        if let error = cancellationError(failure) { return error }
        return DatabaseError(
            failure, sql: statement.sql,
            arguments: statement.arguments.isEmpty ? nil : statement.arguments,
            publicStatementArguments: configuration.publicStatementArguments)
    }

    /// An error thrown by a Swift callback comes out as it was thrown. Only a database error that
    /// lacks its statement is completed with it.
    private func statementError(_ error: any Error, _ statement: Statement) -> any Error {
        guard let error = error as? DatabaseError, error.sql == nil else { return error }
        return DatabaseError(
            resultCode: error.extendedResultCode, message: error.message, sql: statement.sql,
            arguments: statement.arguments.isEmpty ? nil : statement.arguments,
            publicStatementArguments: configuration.publicStatementArguments)
    }

    /// Resets the statements of cursors that outlive their access: they must not keep its lock, or
    /// its snapshot.
    func endCursors() {
        if !accessBounds.isEmpty { endAccessBounds() }
        if !raw.blobs.isEmpty { raw.closeBlobs() }
        statementCache.forgetRefinements()
        // C code may have ended a transaction after the last statement.
        statementDidReset()
        guard raw.cursorCount > 0 else { return }
        if raw.resetAllStatements() { keepFailure(DatabaseError(.outOfMemory)) }
        statementDidReset()
    }

    /// A statement was reset before its end, which commits in autocommit mode.
    func statementDidReset() {
        if broker.hasCompletion {
            // The error of a cancelled commit has no caller to be thrown to.
            _ = broker.notifyCompletion()
        }
    }
}
