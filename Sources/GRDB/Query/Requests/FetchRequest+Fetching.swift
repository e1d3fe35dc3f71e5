// Fetching methods for requests, which forward to the methods for prepared statements.

extension Row {
    /// Fetches the rows of a request one at a time.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public static func fetchCursor(
        _ db: Database, _ request: some FetchRequest
    ) throws -> RowCursor {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        try request.checkCursor()
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// Fetches the rows of a request into an array.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public static func fetchAll(
        _ db: Database, _ request: some FetchRequest
    ) throws -> [Row] {
        let request = try request.prepareToFetch(db, forSingleResult: false)
        if request.hasPrefetches { return try request.fetchBatch().rows }
        return try fetchAll(request.statement, adapter: request.adapter)
    }

    /// Fetches the first row of a request; nil if there is none.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public static func fetchOne(
        _ db: Database, _ request: some FetchRequest
    ) throws -> Row? {
        let request = try request.prepareToFetch(db, forSingleResult: true)
        if request.hasPrefetches { return try request.fetchBatch(onlyFirst: true).rows.first }
        return try fetchOne(request.statement, adapter: request.adapter)
    }

    /// Fetches the rows of a request into a set.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public static func fetchSet(
        _ db: Database, _ request: some FetchRequest
    ) throws -> Set<Row> {
        let request = try request.prepareToFetch(db, forSingleResult: false)
        if request.hasPrefetches { return try Set(request.fetchBatch().rows) }
        return try fetchSet(request.statement, adapter: request.adapter)
    }
}

extension DatabaseValueConvertible {
    /// Fetches the values of a request one at a time.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public static func fetchCursor(
        _ db: Database, _ request: some FetchRequest
    ) throws -> DatabaseValueCursor<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// Fetches the values of a request into an array.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public static func fetchAll(
        _ db: Database, _ request: some FetchRequest
    ) throws -> [Self] {
        let request = try request.prepareToFetch(db, forSingleResult: false)
        return try fetchAll(request.statement, adapter: request.adapter)
    }

    /// Fetches the first value; nil if there is no row, or if the value is NULL.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public static func fetchOne(
        _ db: Database, _ request: some FetchRequest
    ) throws -> Self? {
        let request = try request.prepareToFetch(db, forSingleResult: true)
        return try fetchOne(request.statement, adapter: request.adapter)
    }
}

extension DatabaseValueConvertible where Self: Hashable {
    /// Fetches the values of a request into a set.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public static func fetchSet(
        _ db: Database, _ request: some FetchRequest
    ) throws -> Set<Self> {
        let request = try request.prepareToFetch(db, forSingleResult: false)
        return try fetchSet(request.statement, adapter: request.adapter)
    }
}

// MARK: - Requests

extension FetchRequest where RowDecoder == Row {
    /// Fetches rows one at a time.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public func fetchCursor(_ db: Database) throws -> RowCursor {
        try Row.fetchCursor(db, self)
    }

    /// Fetches rows into an array.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public func fetchAll(_ db: Database) throws -> [Row] {
        try Row.fetchAll(db, self)
    }

    /// Fetches the first row; nil if there is none.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public func fetchOne(_ db: Database) throws -> Row? {
        try Row.fetchOne(db, self)
    }

    /// Fetches rows into a set.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public func fetchSet(_ db: Database) throws -> Set<Row> {
        try Row.fetchSet(db, self)
    }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
    /// Fetches values one at a time.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// Fetches values into an array.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] {
        try RowDecoder.fetchAll(db, self)
    }

    /// Returns a single value; nil if there is no row or if the value is NULL.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public func fetchOne(_ db: Database) throws -> RowDecoder? {
        try RowDecoder.fetchOne(db, self)
    }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible, RowDecoder: Hashable {
    /// Fetches values into a set.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try RowDecoder.fetchSet(db, self)
    }
}
