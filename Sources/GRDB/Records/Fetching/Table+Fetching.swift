// Fetching all rows of a table. The methods forward to requests.

extension Table where RowDecoder == Row {
    /// Fetches the rows of the table one at a time.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public func fetchCursor(_ db: Database) throws -> RowCursor {
        try all().fetchCursor(db)
    }

    /// Fetches the rows of the table into an array.
    ///
    /// ```swift
    /// // SELECT * FROM "player"
    /// let rows = try Table("player").fetchAll(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public func fetchAll(_ db: Database) throws -> [Row] {
        try all().fetchAll(db)
    }

    /// Returns the first row, nil if there is none.
    ///
    /// ```swift
    /// // SELECT * FROM "player" LIMIT 1
    /// let row = try Table("player").fetchOne(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public func fetchOne(_ db: Database) throws -> Row? {
        try all().fetchOne(db)
    }

    /// Fetches the rows of the table into a set.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public func fetchSet(_ db: Database) throws -> Set<Row> {
        try all().fetchSet(db)
    }
}

extension Table where RowDecoder: DatabaseValueConvertible {
    /// Fetches the rows of the table one at a time.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
        try all().fetchCursor(db)
    }

    /// Fetches the rows of the table into an array.
    ///
    /// ```swift
    /// // SELECT * FROM "link"
    /// let urls = try Table<URL>("link").fetchAll(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] {
        try all().fetchAll(db)
    }

    /// Returns the first row, nil if there is none.
    ///
    /// ```swift
    /// // SELECT * FROM "link" LIMIT 1
    /// let url = try Table<URL>("link").fetchOne(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public func fetchOne(_ db: Database) throws -> RowDecoder? {
        try all().fetchOne(db)
    }
}

extension Table where RowDecoder: DatabaseValueConvertible, RowDecoder: Hashable {
    /// Fetches the rows of the table into a set.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist;
    ///   or a ``RowDecodingError``.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try all().fetchSet(db)
    }
}

extension Table where RowDecoder: FetchableRecord {
    /// Fetches the rows of the table one at a time.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try all().fetchCursor(db)
    }

    /// Fetches the rows of the table into an array.
    ///
    /// ```swift
    /// // SELECT * FROM "player"
    /// let players = try Table<Player>("player").fetchAll(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, or the error of ``FetchableRecord/init(row:)``.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] {
        try all().fetchAll(db)
    }

    /// Returns the first row, nil if there is none.
    ///
    /// ```swift
    /// // SELECT * FROM "player" LIMIT 1
    /// let player = try Table<Player>("player").fetchOne(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, or the error of ``FetchableRecord/init(row:)``.
    public func fetchOne(_ db: Database) throws -> RowDecoder? {
        try all().fetchOne(db)
    }
}

extension Table where RowDecoder: FetchableRecord, RowDecoder: Hashable {
    /// Fetches the rows of the table into a set.
    ///
    /// - throws: a ``DatabaseError``, or the error of ``FetchableRecord/init(row:)``.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try all().fetchSet(db)
    }
}
