/// A query written in SQL, and the type into which its rows are decoded.
///
/// Use it where SQL is clearer than Swift, and keep it next to the record type it belongs to. It is
/// a request like any other: callers can fetch it, count it, observe it, or use it as a subquery.
///
/// ```swift
/// extension Player {
///     static func inTeam(_ team: String) -> SQLRequest<Player> {
///         "SELECT * FROM player WHERE team = \(team) ORDER BY score DESC"
///     }
///
///     static func names(in team: String) -> SQLRequest<String> {
///         "SELECT name FROM player WHERE team = \(team)"
///     }
/// }
///
/// try dbQueue.read { db in
///     let best = try Player.inTeam("Reds").fetchOne(db)    // Player?
///     let names = try Player.names(in: "Reds").fetchAll(db) // [String]
/// }
/// ```
///
/// Interpolated values become arguments of the statement. They are never parsed as SQL, so names
/// such as O'Brien need no quotes, and nobody can inject SQL. Tables and columns can be interpolated
/// as well: see <doc:SQLLiterals>.
///
/// If you have the SQL in a string, pass its values as `arguments`, and not in the text:
///
/// ```swift
/// let request = SQLRequest<Player>(
///     sql: "SELECT * FROM player WHERE team = ?", arguments: ["Reds"])
/// ```
///
/// An ``adapter`` changes the columns that the decoded type sees, for example in a join whose tables
/// have columns with the same names: see <doc:RowsAndValues#Split-a-row-into-records>.
public struct SQLRequest<RowDecoder>: Sendable {
    /// An optional adapter of the fetched rows.
    public var adapter: (any RowAdapter)?

    private let literal: SQL

    /// Creates a request from SQL and the values of its parameters.
    ///
    /// ```swift
    /// let request = SQLRequest<String>(
    ///     sql: "SELECT name FROM player WHERE id = ?", arguments: [1])
    /// ```
    ///
    /// - parameter sql: an SQL query.
    /// - parameter arguments: the values of its parameters.
    /// - parameter adapter: an optional adapter of the rows.
    /// - parameter cached: ignored: statements are always cached.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil, cached: Bool = false
    ) {
        self.init(literal: SQL(sql: sql, arguments: arguments), adapter: adapter, cached: cached)
    }

    /// Creates a request from SQL with interpolated values.
    ///
    /// ```swift
    /// let request = SQLRequest<String>(literal: "SELECT name FROM player WHERE id = \(1)")
    /// ```
    public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self.literal = sqlLiteral
        self.adapter = adapter
    }
}

extension SQLRequest<Row> {
    /// Creates a request that fetches ``Row``s from an SQL string, and optional arguments.
    ///
    /// ```swift
    /// let request = SQLRequest(sql: "SELECT * FROM player")
    /// ```
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil, cached: Bool = false
    ) {
        self.init(literal: SQL(sql: sql, arguments: arguments), adapter: adapter, cached: cached)
    }

    /// Creates a request that fetches ``Row``s from an ``SQL`` literal.
    public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self.literal = sqlLiteral
        self.adapter = adapter
    }
}

extension SQLRequest: FetchRequest {
    public var sqlSubquery: SQLSubquery { SQLSubquery(literal) }

    public func fetchCount(_ db: Database) throws -> Int {
        let (sql, arguments) = try literal.build(db)
        // The text may end with a semicolon, or with a comment that would hide a parenthesis.
        let count = "SELECT COUNT(*) FROM (\(SQLText.withoutEnd(sql))\n)"
        return try Int.fetchOne(db, sql: count, arguments: arguments) ?? 0
    }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        let (sql, arguments) = try literal.build(db)
        let statement = try db.cachedStatement(sql: sql)
        try statement.setArguments(arguments)
        return PreparedRequest(statement: statement, adapter: adapter)
    }
}

extension SQLRequest: ExpressibleByStringInterpolation {
    public init(unicodeScalarLiteral: String) {
        self.init(literal: SQL(sql: unicodeScalarLiteral))
    }

    public init(extendedGraphemeClusterLiteral: String) {
        self.init(literal: SQL(sql: extendedGraphemeClusterLiteral))
    }

    /// Creates a request from a string literal: `let request: SQLRequest<Player> = "SELECT …"`.
    public init(stringLiteral: String) {
        self.init(literal: SQL(sql: stringLiteral))
    }

    public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
        self.init(literal: sqlInterpolation.sql)
    }
}
