// MARK: - Prepared statements

extension Row {
    /// Returns a cursor over the rows of a statement, which are not copied.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE lastName = ?")
    /// let rows = try Row.fetchCursor(statement, arguments: ["O'Reilly"])
    /// while let row = try rows.next() {
    ///     let id: Int64 = row["id"]
    /// }
    /// ```
    ///
    /// - parameter statement: the statement to run.
    /// - parameter arguments: the arguments; nil keeps the current arguments of the statement.
    /// - parameter adapter: an optional adapter of the rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the arguments do not fit the
    ///   statement.
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        if let arguments { try statement.setArguments(arguments) }
        return try RowCursor(statement: statement, adapter: adapter)
    }

    /// Runs the statement, and copies all its rows, in order.
    ///
    /// - throws: a ``DatabaseError``, or the error of an SQL function.
    @inline(never)  // 5 KB
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        var rows: [Row] = []
        try forEachCopy(statement, arguments: arguments, adapter: adapter) { copier in
            rows.append(copier.row())
            return true
        }
        return rows
    }

    /// Runs the statement, and collects copies of its distinct rows.
    ///
    /// - throws: a ``DatabaseError``, or the error of an SQL function.
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        var rows: Set<Row> = []
        try forEachCopy(statement, arguments: arguments, adapter: adapter) { copier in
            rows.insert(copier.row())
            return true
        }
        return rows
    }

    /// Runs the statement, and copies its first row. Returns nil if there is no row.
    ///
    /// - throws: a ``DatabaseError``, or the error of an SQL function.
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        var result: Row?
        try forEachCopy(statement, arguments: arguments, adapter: adapter) { copier in
            result = copier.row()
            return false
        }
        return result
    }

    /// Runs the statement, and copies all its rows, or only the first one.
    static func fetchBatch(
        _ statement: Statement, adapter: (any RowAdapter)?, onlyFirst: Bool
    ) throws -> RowBatch {
        var batch: RowBatch?
        try forEachCopy(statement, arguments: nil, adapter: adapter) { copier in
            if batch == nil { batch = RowBatch(shape: copier.shape) }
            batch.unsafelyUnwrapped.append(&copier)
            return !onlyFirst
        }
        return batch ?? RowBatch(shape: .empty)
    }

    /// Calls the closure with a copier for each row, until the closure returns false.
    @inline(__always)
    private static func forEachCopy(
        _ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?,
        _ body: (inout RowCopier) -> Bool
    ) throws {
        if let arguments { try statement.setArguments(arguments) }
        let stepper = try _StatementStepper(statement: statement)
        // Reject an adapter that does not fit even if there is no row.
        if !statement.mayHaveStaleColumns {
            _ = try adapter?.checkedAdapter(for: statement.rowLayout)
        }
        guard try stepper.next() else { return }
        // After a schema change, the first step may change the columns.
        let layout = statement.rowLayout
        var copier = RowCopier(
            statement, shape: RowShape(layout, adapter: try adapter?.effectiveAdapter(for: layout)))
        repeat {
            guard body(&copier) else {
                try statement.checkMemory()
                try statement.finishChanges()
                return
            }
        } while try stepper.next()
    }
}

// MARK: - SQL

extension Row {
    /// Returns a cursor over the rows of a query, which are not copied.
    ///
    /// ```swift
    /// let rows = try Row.fetchCursor(
    ///     db, sql: "SELECT * FROM player WHERE lastName = ?", arguments: ["O'Reilly"])
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the SQL does not compile,
    ///   `SQLITE_MISUSE` if the arguments do not fit it.
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try fetchCursor(db.cachedStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Runs a query, and copies all its rows, in order.
    ///
    /// - throws: a ``DatabaseError``, or the error of an SQL function.
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        try fetchAll(db.cachedStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Runs a query, and collects copies of its distinct rows.
    ///
    /// - throws: a ``DatabaseError``, or the error of an SQL function.
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try fetchSet(db.cachedStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Runs a query, and copies its first row. Returns nil if there is no row.
    ///
    /// - throws: a ``DatabaseError``, or the error of an SQL function.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        try fetchOne(db.cachedStatement(sql: sql), arguments: arguments, adapter: adapter)
    }
}
