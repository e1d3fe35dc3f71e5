// Fetching records. Most methods forward to the cursor.

// MARK: - Prepared statements

extension FetchableRecord {
    /// Returns a cursor that runs the statement, and decodes one record per step.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE team = ?")
    /// let players = try Player.fetchCursor(statement, arguments: ["Reds"])
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
    ) throws -> RecordCursor<Self> {
        if let arguments { try statement.setArguments(arguments) }
        return try RecordCursor(statement: statement, adapter: adapter)
    }

    /// Runs the statement, and decodes a record from each row, in order.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``init(row:)``.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try Array(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// Runs the statement, and decodes a record from its first row. Returns nil if there is no row.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``init(row:)``.
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchCursor(statement, arguments: arguments, adapter: adapter).onlyRecord()
    }
}

// MARK: - SQL

extension FetchableRecord {
    /// Returns a cursor that runs a query, and decodes one record per step.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the SQL does not compile,
    ///   `SQLITE_MISUSE` if the arguments do not fit it.
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try fetchCursor(db.cachedStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Runs a query, and decodes a record from each row, in order.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``init(row:)``.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try Array(fetchCursor(db, sql: sql, arguments: arguments, adapter: adapter))
    }

    /// Runs a query, and decodes a record from its first row. Returns nil if there is no row.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``init(row:)``.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchCursor(db, sql: sql, arguments: arguments, adapter: adapter).onlyRecord()
    }
}

// MARK: - Requests

extension FetchableRecord {
    /// Fetches the records of a request one at a time.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public static func fetchCursor(
        _ db: Database, _ request: some FetchRequest
    ) throws -> RecordCursor<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        try request.checkCursor()
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// Fetches the records of a request into an array.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``init(row:)``.
    @inlinable
    public static func fetchAll(
        _ db: Database, _ request: some FetchRequest
    ) throws -> [Self] {
        let request = try request.prepareToFetch(db, forSingleResult: false)
        if request.hasPrefetches { return try request.fetchRecords(Self.self) }
        return try Array(fetchCursor(request.statement, adapter: request.adapter))
    }

    /// Returns the first record of a request; nil if there is none.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``init(row:)``.
    public static func fetchOne(
        _ db: Database, _ request: some FetchRequest
    ) throws -> Self? {
        let request = try request.prepareToFetch(db, forSingleResult: true)
        if request.hasPrefetches {
            return try request.fetchBatch(onlyFirst: true).rows.first.map { try Self(row: $0) }
        }
        return try fetchCursor(request.statement, adapter: request.adapter).onlyRecord()
    }
}

extension PreparedRequest {
    /// Fetches the records, with their associated rows.
    @usableFromInline
    func fetchRecords<Record: FetchableRecord>(_ type: Record.Type) throws -> [Record] {
        let batch = try fetchBatch()
        var row = SlidingRow()
        return try batch.records(at: 0..<batch.count, in: &row)
    }
}

extension FetchRequest where RowDecoder: FetchableRecord {
    /// Fetches records one at a time.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// Fetches records into an array.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``FetchableRecord/init(row:)``.
    @inlinable
    public func fetchAll(_ db: Database) throws -> [RowDecoder] {
        try RowDecoder.fetchAll(db, self)
    }

    /// Returns the first record; nil if there is none.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``FetchableRecord/init(row:)``.
    public func fetchOne(_ db: Database) throws -> RowDecoder? {
        try RowDecoder.fetchOne(db, self)
    }
}

// MARK: - Sets

extension FetchableRecord where Self: Hashable {
    /// Runs the statement, and collects its distinct records.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``init(row:)``.
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// Runs a query, and collects its distinct records.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``init(row:)``.
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(db, sql: sql, arguments: arguments, adapter: adapter))
    }

    /// Fetches the records of a request into a set.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``init(row:)``.
    public static func fetchSet(
        _ db: Database, _ request: some FetchRequest
    ) throws -> Set<Self> {
        let request = try request.prepareToFetch(db, forSingleResult: false)
        if request.hasPrefetches { return try Set(request.fetchRecords(Self.self)) }
        return try Set(fetchCursor(request.statement, adapter: request.adapter))
    }
}

extension FetchRequest where RowDecoder: FetchableRecord & Hashable {
    /// Fetches records into a set.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``FetchableRecord/init(row:)``.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try RowDecoder.fetchSet(db, self)
    }
}
