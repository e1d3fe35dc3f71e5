extension Database {
    // MARK: - Statements

    /// Compiles one SQL statement, which can then be run any number of times, with different
    /// arguments.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// let player1 = try Row.fetchOne(statement, arguments: [1])!
    /// let player2 = try Row.fetchOne(statement, arguments: [2])!
    /// ```
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the text contains several
    ///   statements, of code `SQLITE_ERROR` if it contains none, or does not compile.
    public func makeStatement(sql: String) throws -> Statement {
        try compileOnlyStatement(sql, persistent: false)
    }

    /// Returns a compiled statement from the cache of the connection, and compiles it the first
    /// time.
    ///
    /// ```swift
    /// let statement = try db.cachedStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// ```
    ///
    /// A statement returns to the cache, without its arguments, when its last reference is
    /// released.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the text contains several
    ///   statements, of code `SQLITE_ERROR` if it contains none, or does not compile.
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

    /// Returns a cached statement that was compiled with the current schema.
    ///
    /// After a change of the schema, SQLite recompiles a statement only when it runs. Before that,
    /// `SELECT *` has the former number of columns.
    package func cachedStatementOfCurrentSchema(sql: String) throws -> Statement {
        let number = try validSchemaCache().number
        try checkLength(sql)
        if let statement = statementCache.checkout(sql), statement.schemaNumber == number {
            return statement
        }
        let statement = try compileOnlyStatement(sql, persistent: true)
        statement.schemaNumber = number
        statementCache.insert(statement, forSQL: sql)
        return statement
    }

    /// Compiles a string that must contain exactly one statement.
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

    /// Returns a cursor of prepared statements, which are compiled as the cursor advances: each
    /// statement may depend on the effects of the previous ones.
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

    /// Runs SQL: one statement, or several separated by semicolons.
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
    /// A string of a single statement is compiled once: the statement is kept for the next execution
    /// of the text.
    ///
    /// - throws: a ``DatabaseError``, or the error of an SQL function or transaction observer.
    @_disfavoredOverload
    public func execute(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) throws {
        try checkAccess()
        try checkLength(sql)
        if let statement = statementCache.checkout(sql) {
            if statement.parameterCount == 0, arguments.isEmpty { return try statement.run() }
            return try statement.execute(arguments: arguments)
        }
        try executeAll(sql: sql, arguments: arguments)
    }

    /// Executes SQL statements with the elements of an array literal.
    ///
    /// This overload for literals binds them without creating ``StatementArguments``, if the
    /// statement was executed before:
    ///
    /// ```swift
    /// try db.execute(
    ///     sql: "INSERT INTO player (name, score) VALUES (?, ?)",
    ///     arguments: ["Arthur", 1000])
    /// ```
    ///
    /// - parameter sql: one or several statements.
    /// - parameter arguments: the arguments of all statements, in order.
    /// - throws: the errors of `execute(sql:arguments:)`.
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
}
