extension Database {
    /// Runs SQL: one statement, or several separated by semicolons.
    ///
    /// ```swift
    /// try db.execute(literal: """
    ///     INSERT INTO player (name) VALUES (\("Arthur"));
    ///     INSERT INTO player (name) VALUES (\("Barbara"));
    ///     """)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, or the error of an SQL function or transaction observer.
    public func execute(literal sqlLiteral: SQL) throws {
        let (sql, arguments) = try sqlLiteral.build(self)
        try execute(sql: sql, arguments: arguments)
    }

    /// Compiles the statement of a literal, and binds its arguments.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(literal: "SELECT * FROM player WHERE id = \(1)")
    /// let row = try Row.fetchOne(statement)
    /// ```
    ///
    /// If the literal contains no values, its SQL may contain placeholders. Set their arguments
    /// later.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the literal contains several
    ///   statements, or of code `SQLITE_ERROR` if it contains no statement or does not compile.
    public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
        try makeStatement(sqlLiteral)
    }

    /// Returns a prepared statement from the cache of the connection, with the arguments of the
    /// literal.
    ///
    /// If the literal contains no values, its SQL may contain placeholders. Set their arguments
    /// later.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the literal contains several
    ///   statements, or of code `SQLITE_ERROR` if it contains no statement or does not compile.
    public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try cachedStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// Returns a cursor of prepared statements, with the arguments of the literal.
    ///
    /// If the literal contains no values, its SQL may contain placeholders. The statements then
    /// have no arguments.
    ///
    /// - throws: a ``DatabaseError``. The cursor throws the errors of its statements, such as
    ///   `SQLITE_ERROR` if one does not compile.
    public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
        let (sql, arguments) = try sqlLiteral.build(self)
        return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
    }
}
