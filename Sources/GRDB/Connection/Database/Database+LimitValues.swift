extension Database {
    /// A limit on the size of statements and values.
    ///
    /// ```swift
    /// var configuration = Configuration()
    /// configuration.limits[.sqlLength] = 10_000
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_limit_attached.html>
    public enum Limit: Hashable, Sendable, CaseIterable {
        /// The bytes of a string, a blob or a row: `SQLITE_LIMIT_LENGTH`.
        case length
        /// The bytes of a statement: `SQLITE_LIMIT_SQL_LENGTH`.
        case sqlLength
        /// The columns of a table, an index, a result, or a clause: `SQLITE_LIMIT_COLUMN`.
        case columnCount
        /// The depth of an expression: `SQLITE_LIMIT_EXPR_DEPTH`.
        case expressionDepth
        /// The queries of a compound query: `SQLITE_LIMIT_COMPOUND_SELECT`.
        case compoundQueryCount
        /// The instructions of a compiled statement: `SQLITE_LIMIT_VDBE_OP`.
        case instructionCount
        /// The arguments of a function: `SQLITE_LIMIT_FUNCTION_ARG`.
        case functionArgumentCount
        /// The attached databases: `SQLITE_LIMIT_ATTACHED`.
        case attachedDatabaseCount
        /// The bytes of a pattern of `LIKE` and `GLOB`: `SQLITE_LIMIT_LIKE_PATTERN_LENGTH`.
        case likePatternLength
        /// The greatest number of a parameter: `SQLITE_LIMIT_VARIABLE_NUMBER`.
        case argumentCount
        /// The depth of triggers that run triggers: `SQLITE_LIMIT_TRIGGER_DEPTH`.
        case triggerDepth
        /// The threads that help a statement: `SQLITE_LIMIT_WORKER_THREADS`.
        case workerThreadCount
        /// The depth of the stack of the parser: `SQLITE_LIMIT_PARSER_DEPTH`.
        case parserDepth
    }

    /// Returns a limit of the connection.
    ///
    /// ```swift
    /// let maximum = try db.limit(.sqlLength)
    /// ```
    ///
    /// - throws: a ``DatabaseError`` if the connection can't be used now.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/limit.html>
    public func limit(_ limit: Limit) throws -> Int {
        try checkAccess()
        return raw.limit(limit.raw)
    }

    /// Sets a limit of the connection.
    ///
    /// ```swift
    /// try db.setLimit(.expressionDepth, to: 100)
    /// ```
    ///
    /// SQLite knows the greatest value of each limit, and takes it instead of greater ones. Statements that
    /// were compiled before are not checked again. The connections of a pool have limits of their own: set
    /// ``Configuration/limits``.
    ///
    /// - parameter limit: the limit.
    /// - parameter value: the new value; negative values count as zero.
    /// - returns: the former value.
    /// - throws: a ``DatabaseError`` if the connection can't be used now.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/limit.html>
    @discardableResult
    public func setLimit(_ limit: Limit, to value: Int) throws -> Int {
        try checkAccess()
        return raw.setLimit(limit.raw, to: value)
    }

    /// Executes database operations that a closure may stop.
    ///
    /// ```swift
    /// try db.withProgress({ isWanted ? .continue : .stop }) {
    ///     try db.execute(sql: "UPDATE hugeTable SET score = score + 1")
    /// }
    /// ```
    ///
    /// SQLite calls the closure each time it has run some thousands of instructions, and while it waits for
    /// a lock. A statement that is stopped fails. In a transaction, a change that is stopped rolls back the
    /// transaction.
    ///
    /// Calls can be nested: SQLite asks all closures. The closures don't stop commits and rollbacks, or the
    /// observers of a commit.
    ///
    /// - parameter progress: called on the thread of the connection, which it must not use.
    /// - parameter operations: the operations. Their value is returned.
    /// - throws: the error of the closure, or a ``DatabaseError`` of code `SQLITE_INTERRUPT`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/progress_handler.html>
    public func withProgress<T>(
        _ progress: @escaping () -> ProgressAction, _ operations: () throws -> T
    ) throws -> T {
        try checkAccess()
        let outerProgress = self.progress
        self.progress = {
            if let outerProgress, outerProgress() == .stop { return .stop }
            return progress()
        }
        defer { self.progress = outerProgress }
        return try operations()
    }

    /// What a closure of ``withProgress(_:_:)`` decides.
    public enum ProgressAction: Sendable {
        /// The statement goes on.
        case `continue`
        /// The statement fails with an error of code `SQLITE_INTERRUPT`.
        case stop
    }
}

extension Database.Limit {
    var raw: RawLimit {
        switch self {
        case .length: .length
        case .sqlLength: .sqlLength
        case .columnCount: .columnCount
        case .expressionDepth: .expressionDepth
        case .compoundQueryCount: .compoundQueryCount
        case .instructionCount: .instructionCount
        case .functionArgumentCount: .functionArgumentCount
        case .attachedDatabaseCount: .attachedDatabaseCount
        case .likePatternLength: .likePatternLength
        case .argumentCount: .argumentCount
        case .triggerDepth: .triggerDepth
        case .workerThreadCount: .workerThreadCount
        case .parserDepth: .parserDepth
        }
    }
}
