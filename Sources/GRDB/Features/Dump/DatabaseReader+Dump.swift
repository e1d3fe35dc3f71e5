extension DatabaseReader {
    /// Runs the statements of a literal, and prints their rows.
    ///
    /// ```swift
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// try dbQueue.dumpSQL("SELECT * FROM player")
    /// ```
    ///
    /// - throws: see ``Database/dumpSQL(_:format:to:)``.
    public func dumpSQL(
        _ sql: SQL,
        format: some DumpFormat = .debug(),
        to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead { try $0.dumpSQL(sql, format: format, to: stream) }
    }

    /// Fetches a request, and prints its rows.
    ///
    /// ```swift
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// let request: SQLRequest<Row> = "SELECT * FROM player"
    /// try dbQueue.dumpRequest(request)
    /// ```
    ///
    /// - throws: see ``Database/dumpRequest(_:format:to:)``.
    public func dumpRequest(
        _ request: some FetchRequest,
        format: some DumpFormat = .debug(),
        to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead { try $0.dumpRequest(request, format: format, to: stream) }
    }

    /// Prints the contents of tables and views.
    ///
    /// ```swift
    /// // player
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// //
    /// // team
    /// // 1|Red
    /// try dbQueue.dumpTables(["player", "team"])
    /// ```
    ///
    /// - throws: see ``Database/dumpTables(_:format:tableHeader:stableOrder:to:)``.
    public func dumpTables(
        _ tables: [String],
        format: some DumpFormat = .debug(),
        tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false,
        to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead {
            try $0.dumpTables(
                tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder,
                to: stream)
        }
    }

    /// Prints the schema and the contents of the main database.
    ///
    /// ```swift
    /// // sqlite_master
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    /// //
    /// // player
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// try dbQueue.dumpContent()
    /// ```
    ///
    /// - throws: see ``Database/dumpContent(format:to:)``.
    public func dumpContent(
        format: some DumpFormat = .debug(),
        to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead { try $0.dumpContent(format: format, to: stream) }
    }

    /// Prints the schema of the main database.
    ///
    /// ```swift
    /// // sqlite_master
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    /// try dbQueue.dumpSchema()
    /// ```
    ///
    /// - throws: see ``Database/dumpSchema(to:)``.
    public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
        try unsafeReentrantRead { try $0.dumpSchema(to: stream) }
    }
}
