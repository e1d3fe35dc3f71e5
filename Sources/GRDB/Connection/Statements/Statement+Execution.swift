// Running a statement, to completion or row by row.

extension Statement {
    /// Executes the prepared statement, and ignores its rows.
    ///
    /// - parameter arguments: the new arguments; nil keeps the current arguments.
    /// - throws: a ``DatabaseError`` when an argument is missing or an SQLite error occurs; the
    ///   error of an SQL function or of a transaction observer.
    @_disfavoredOverload
    public func execute(arguments: StatementArguments? = nil) throws {
        if let arguments {
            try setArguments(arguments)
        } else {
            try database.checkAccess()
        }
        try run()
    }

    /// Executes the prepared statement with its current arguments.
    ///
    /// Without this method, a call without arguments would resolve to the method that takes a pack
    /// of values.
    ///
    /// - throws: the errors of `execute(arguments:)`.
    @_documentation(visibility: internal)
    public func execute() throws {
        try database.checkAccess()
        try run()
    }

    /// Executes the prepared statement with the elements of an array literal, and ignores its rows.
    ///
    /// This overload for literals binds them without creating ``StatementArguments``:
    ///
    /// ```swift
    /// try statement.execute(arguments: [1, "Arthur"])
    /// ```
    ///
    /// - parameter arguments: the new arguments.
    /// - throws: the errors of `execute(arguments:)`.
    @_documentation(visibility: internal)
    public func execute(arguments: _ArgumentsLiteral) throws {
        try database.checkAccess()
        try bind(arguments.elements)
        try run()
    }

    /// Executes the prepared statement with one value per parameter, and ignores its rows.
    ///
    /// The values are bound without creating ``StatementArguments``: this is the fastest way to run
    /// a statement many times. Errors do not include the arguments.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "INSERT INTO player VALUES (?, ?, ?)")
    /// for player in players {
    ///     try statement.execute(values: player.id, player.name, player.score)
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` unless there are as many values as
    ///   parameters, `SQLITE_TOOBIG` if a value is too long; and the errors of
    ///   `execute(arguments:)`.
    @inlinable
    public func execute<each Value: StatementBinding>(values value: repeat each Value) throws {
        try willBind()
        var index: CInt = 0
        for value in repeat each value {
            index += 1
            let code = value.bind(to: sqliteStatement, at: index)
            // `didBind` reports values without a parameter.
            if code != RawStatement.ok, index <= parameterCount {
                throw bindingError(code)
            }
        }
        try didBind(index)
        try run()
    }

    @usableFromInline
    func run() throws {
        try prepareRun()
        while try step() {}
    }

    /// Prepares the first step of an execution that runs to completion.
    func prepareRun() throws {
        try beginExecution()
        try checkArguments()
    }

    private func checkArguments() throws {
        if !areArgumentsValid {
            // Throws an error that describes the missing arguments.
            try validateArguments(StatementArguments())
        }
    }

    /// Starts an execution that a cursor will step through.
    ///
    /// - returns: a number that tells the cursor whether the statement still belongs to it.
    func beginCursor() throws -> Int {
        try database.checkAccess()
        try beginExecution()
        try checkArguments()
        raw.cursorCount += 1
        return executionID
    }

    private func beginExecution() throws {
        if RawStatement.isBusy(sqliteStatement) {
            endExecution()
        }
        executionID &+= 1
        isStarted = false
        if database.recordedRegion != nil {
            try database.recordRegion(of: self)
        }
    }

    /// Resets the statement, which may end a transaction.
    func endExecution() {
        if RawStatement.lacksMemory(sqliteStatement) {
            // No step can throw the error.
            database.keepFailure(memoryFailure())
            return
        }
        executionID &+= 1
        RawStatement.reset(sqliteStatement)
        database.statementDidReset()
    }

    /// Runs the statement up to its first row, and calls the closure to read it. Does not call the
    /// closure when there is no row.
    @usableFromInline
    func withFirstRow(
        adapter: (any RowAdapter)?, _ body: (SQLiteStatement, CInt) throws -> Void
    ) throws {
        let id = try beginCursor()
        defer { endCursor(id) }
        // Before the first step, so that an adapter that does not fit fails even if there is no
        // row.
        let mayHaveStaleColumns = mayHaveStaleColumns
        var columnIndex: CInt = 0
        if adapter != nil, !mayHaveStaleColumns { columnIndex = try valueColumnIndex(adapter) }
        guard try step() else { return }
        if adapter != nil, mayHaveStaleColumns { columnIndex = try valueColumnIndex(adapter) }
        do {
            try body(sqliteStatement, columnIndex)
        } catch {
            throw decodingError(error)
        }
        try checkMemory()
        try finishChanges()
    }

    /// Returns the error to throw when the values of a row could not be decoded.
    func decodingError(_ error: any Error) -> any Error {
        RawStatement.lacksMemory(sqliteStatement) ? memoryFailure() : error
    }

    /// Throws if there was no memory for a string of the current row. In a UTF-16 database, SQLite
    /// converts texts when they are read, and reports the failure only in the next step. Call this
    /// method after a row was decoded.
    @usableFromInline
    @inline(__always)
    func checkMemory() throws {
        if RawStatement.lacksMemory(sqliteStatement) { throw memoryFailure() }
    }

    /// Ends the execution like a step that runs out of memory.
    ///
    /// - returns: the error of the step.
    @usableFromInline
    func memoryFailure() -> any Error {
        executionID &+= 1
        RawStatement.reset(sqliteStatement)
        isStarted = false
        return database.statementDidFail(self, .outOfMemory)
    }

    /// The error of ``memoryFailure()``, while the statement stays on its row.
    var memoryError: DatabaseError { DatabaseError(.outOfMemory, sql: sql) }

    /// Runs the statement to completion if it changes the database. A reset would commit as well,
    /// but would not report a failed commit.
    func finishChanges() throws {
        if isReadonly { return }
        while try step() {}
    }

    /// Whether the statement has run before: its first step may then detect a schema change, and
    /// change the columns.
    var mayHaveStaleColumns: Bool { runCount > 0 }

    /// The column that values are decoded from: the leftmost column of the adapted row.
    func valueColumnIndex(_ adapter: (any RowAdapter)?) throws -> CInt {
        // A statement without columns has no rows either.
        guard let adapter else { return 0 }
        let mapping = try adapter.checkedAdapter(for: rowLayout)._selection
        guard let index = mapping.columnIndexes.first else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "The request selects no column", sql: sql)
        }
        return index
    }

    /// Ends the execution of a cursor, on the thread that deallocates it.
    func endCursor(_ id: Int) {
        if raw.isOwnedByCurrentThread {
            cursorDidEnd(id)
        } else {
            // The statement may be used in the meantime: the next access decides whether to reset
            // it.
            raw.release(.perform { self.cursorDidEnd(id) })
        }
    }

    private func cursorDidEnd(_ id: Int) {
        raw.cursorCount -= 1
        if id == executionID, !raw.isResettingStatements,
            RawStatement.isBusy(sqliteStatement)
        {
            endExecution()
        }
    }

    /// Whether the statement is still on the row of the cursor.
    @inline(__always)
    func isIterated(by id: Int, generation: Int) -> Bool {
        id == executionID && generation == raw.cursorGeneration && raw.isOwnedByCurrentThread
    }

    var cursorGeneration: Int { raw.cursorGeneration }

    /// Advances to the next row.
    ///
    /// - returns: whether there is one. If not, the statement has been reset.
    func step() throws -> Bool {
        if isStarted {
            let code = RawStatement.step(sqliteStatement)
            if code == RawStatement.row { return true }
            try didEnd(code)
            return false
        }
        return try firstStep()
    }

    /// Advances to the next row of a statement that a cursor of another module runs. That module
    /// may have bound the parameters and reset the statement with C functions.
    func stepAsBound() throws -> Bool {
        try database.checkAccess()
        if !RawStatement.isBusy(sqliteStatement) {
            isStarted = false
            if database.recordedRegion != nil {
                try database.recordRegion(of: self)
            }
        }
        return try step()
    }

    /// All changes of a statement happen in its first step, even those of `RETURNING`.
    private func firstStep() throws -> Bool {
        try database.checkTransaction(sql, effect: effects.transactionEffect)
        do throws(RawFailure) { try raw.checkState() } catch {
            throw DatabaseError(error, sql: sql)
        }
        if raw.tokenizerDepth > 0 { try database.callbacks.checkWithinTokenizer?(self) }
        if database.suspension != nil {
            try database.checkSuspension(
                isReadonly: isReadonly, effect: effects.transactionEffect, sql: sql)
        }
        if let table = effects.replacedTable {
            try database.callbacks.willReplaceTable?(database, table)
        }
        if effects.endsTransaction { try database.prepareEnd(effects.transactionEffect) }
        if database.broker.hasCompletion { database.broker.settleEarlierTransaction() }
        isStarted = true
        runCount &+= 1
        // A statement may run inside of another statement, through a function or a virtual table.
        let outerError = raw.callbackError
        raw.callbackError = nil
        let hadFailedWithinChange = raw.hasFailedWithinChange
        raw.hasFailedWithinChange = false
        defer { raw.hasFailedWithinChange = hadFailedWithinChange }
        let code: CInt
        if effects.endsTransaction {
            // SQLite does not commit while writable blobs are open.
            if !raw.blobs.isEmpty { raw.closeWritableBlobs() }
            database.isEndingTransaction = true
        }
        if !isReadonly, database.broker.isActive {
            code = Unmanaged.passUnretained(database.broker)
                ._withUnsafeGuaranteedRef { $0.step(self) }
        } else {
            code = RawStatement.step(sqliteStatement)
        }
        if effects.endsTransaction { database.isEndingTransaction = false }
        if code == RawStatement.row || code == RawStatement.done {
            raw.callbackError = outerError
        }
        if code == RawStatement.row {
            refreshRowLayout()
            return true
        }
        try didEnd(code)
        return false
    }

    func didEnd(_ code: CInt) throws {
        if code == RawStatement.done {
            RawStatement.reset(sqliteStatement)
            isStarted = false
            try database.statementDidSucceed(self)
            return
        }
        // Before the reset, which would replace the message.
        let failure = raw.failure(code)
        RawStatement.reset(sqliteStatement)
        isStarted = false
        throw database.statementDidFail(self, failure)
    }
}
