import GRDB

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
        /// The size of a string, a blob or a row, in bytes: `SQLITE_LIMIT_LENGTH`.
        case length
        /// The size of a statement, in bytes: `SQLITE_LIMIT_SQL_LENGTH`.
        case sqlLength
        /// The number of columns of a table, an index, a result, or a clause: `SQLITE_LIMIT_COLUMN`.
        case columnCount
        /// The depth of an expression: `SQLITE_LIMIT_EXPR_DEPTH`.
        case expressionDepth
        /// The number of queries in a compound query: `SQLITE_LIMIT_COMPOUND_SELECT`.
        case compoundQueryCount
        /// The number of instructions of a compiled statement: `SQLITE_LIMIT_VDBE_OP`.
        case instructionCount
        /// The number of arguments of a function: `SQLITE_LIMIT_FUNCTION_ARG`.
        case functionArgumentCount
        /// The number of attached databases: `SQLITE_LIMIT_ATTACHED`.
        case attachedDatabaseCount
        /// The size of a pattern of `LIKE` or `GLOB`, in bytes: `SQLITE_LIMIT_LIKE_PATTERN_LENGTH`.
        case likePatternLength
        /// The highest parameter number: `SQLITE_LIMIT_VARIABLE_NUMBER`.
        case argumentCount
        /// The depth of nested triggers: `SQLITE_LIMIT_TRIGGER_DEPTH`.
        case triggerDepth
        /// The number of worker threads of a statement: `SQLITE_LIMIT_WORKER_THREADS`.
        case workerThreadCount
        /// The depth of the parser's stack: `SQLITE_LIMIT_PARSER_DEPTH`.
        case parserDepth
    }

    /// Returns a limit of the connection.
    ///
    /// ```swift
    /// let maximum = try db.limit(.sqlLength)
    /// ```
    ///
    /// - throws: a ``/GRDB/DatabaseError`` if the connection can't be used.
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
    /// SQLite reduces values above the hard upper bound of the limit. Statements that are already compiled
    /// are not checked again. Each connection of a pool has its own limits: to set them for all
    /// connections, use ``GRDB/Configuration/limits``.
    ///
    /// - parameter limit: the limit.
    /// - parameter value: the new value. A negative value counts as zero.
    /// - returns: the former value.
    /// - throws: a ``/GRDB/DatabaseError`` if the connection can't be used.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/limit.html>
    @discardableResult
    public func setLimit(_ limit: Limit, to value: Int) throws -> Int {
        try checkAccess()
        return raw.setLimit(limit.raw, to: value)
    }

    /// Executes database operations that a closure may interrupt.
    ///
    /// ```swift
    /// try db.withProgress({ isWanted ? .continue : .stop }) {
    ///     try db.execute(sql: "UPDATE hugeTable SET score = score + 1")
    /// }
    /// ```
    ///
    /// SQLite calls the closure every few thousand instructions, and while it waits for a lock. A stopped
    /// statement fails. In a transaction, stopping a change rolls back the transaction.
    ///
    /// Calls can be nested: any of the closures can stop a statement. The closures can't stop commits,
    /// rollbacks, and the observers of a commit.
    ///
    /// - parameter progress: called on the thread of the connection. It must not use the connection.
    /// - parameter operations: the operations. Their value is returned.
    /// - throws: the error of the closure, or a ``/GRDB/DatabaseError`` of code `SQLITE_INTERRUPT`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/progress_handler.html>
    public func withProgress<T>(
        _ progress: @escaping () -> ProgressAction, _ operations: () throws -> T
    ) throws -> T {
        try checkAccess()
        let outerProgress = self.progress
        self.progress = {
            if let outerProgress, outerProgress() { return true }
            return progress() == .stop
        }
        defer { self.progress = outerProgress }
        return try operations()
    }

    /// The decision of a closure passed to ``withProgress(_:_:)``.
    public enum ProgressAction: Sendable {
        /// The statement continues.
        case `continue`
        /// The statement fails with an error of code `SQLITE_INTERRUPT`.
        case stop
    }
}
