// Fetching the values of the leftmost column.

extension DatabaseValueConvertible {
    /// Fetches the leftmost column of a statement, one value at a time.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE team = ?")
    /// let names = try String.fetchCursor(statement, arguments: ["Reds"])
    /// while let name = try names.next() {
    ///     print(name)
    /// }
    /// ```
    ///
    /// - parameter statement: the statement to run.
    /// - parameter arguments: the arguments; nil keeps the current arguments of the statement.
    /// - parameter adapter: an optional adapter of the rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the arguments do not fit the
    ///   statement.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        if let arguments { try statement.setArguments(arguments) }
        return try DatabaseValueCursor(statement: statement, adapter: adapter)
    }

    /// Runs the statement, and decodes the leftmost column of all rows, in order.
    ///
    /// - throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be decoded.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try Array(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// Runs the statement up to its first row, and decodes its leftmost column. The result is nil
    /// if there is no row, or if the value is NULL.
    ///
    /// - throws: a ``DatabaseError``, or a ``RowDecodingError`` if the value can't be decoded.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        if let arguments { try statement.setArguments(arguments) }
        var result: Self?
        try statement.withFirstRow(adapter: adapter) { sqliteStatement, index in
            result =
                try ColumnAccess(sqliteStatement, index).value(Self?.self)
                ?? _mismatchedValue(Self?.self, statement, index)
        }
        return result
    }

    /// Returns a cursor that runs a query, and decodes the leftmost column of one row per step.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the SQL does not compile,
    ///   `SQLITE_MISUSE` if the arguments do not fit it.
    @inlinable
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try fetchCursor(db.cachedStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Runs a query, and decodes the leftmost column of all rows, in order.
    ///
    /// ```swift
    /// let names = try String.fetchAll(db, sql: "SELECT name FROM player")
    /// ```
    ///
    /// - throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be decoded.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.cachedStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Runs a query up to its first row, and decodes its leftmost column. The result is nil if
    /// there is no row, or if the value is NULL.
    ///
    /// - throws: a ``DatabaseError``, or a ``RowDecodingError`` if the value can't be decoded.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.cachedStatement(sql: sql), arguments: arguments, adapter: adapter)
    }
}

extension DatabaseValueConvertible where Self: Hashable {
    /// Runs the statement, and collects the distinct values of its leftmost column.
    ///
    /// - throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be decoded.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// Runs a query, and collects the distinct values of its leftmost column.
    ///
    /// - throws: a ``DatabaseError``, or a ``RowDecodingError`` if a value can't be decoded.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.cachedStatement(sql: sql), arguments: arguments, adapter: adapter)
    }
}
