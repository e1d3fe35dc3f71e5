import GRDB

// Common table expressions whose rows are stored, or not.

extension CommonTableExpression {
    /// Creates a common table expression, materialized or not, from a request.
    ///
    /// ```swift
    /// // WITH "best" AS MATERIALIZED (SELECT * FROM "player" WHERE "score" > 1000) ...
    /// let cte = CommonTableExpression<Player>(
    ///     named: "best", materialized: true,
    ///     request: Player.filter { $0.score > 1000 })
    /// ```
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/lang_with.html#materialization_hints>
    ///
    /// - parameter recursive: whether the query refers to the common table expression itself.
    /// - parameter tableName: the name of the table.
    /// - parameter columns: the names of the columns; nil for the column names of the query.
    /// - parameter materialized: whether SQLite should compute the rows once and store them (true),
    ///   or treat the expression as a view (false).
    /// - parameter request: the query.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        materialized: Bool, request: some SQLSubqueryable
    ) {
        self.init(tableName, columns, recursive, materialized, request.sqlSubquery)
    }

    /// Creates a common table expression, materialized or not, from an SQL string, and optional
    /// arguments.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        materialized: Bool, sql: String, arguments: StatementArguments = StatementArguments()
    ) {
        let query = SQLRequest<Row>(sql: sql, arguments: arguments)
        self.init(tableName, columns, recursive, materialized, query.sqlSubquery)
    }

    /// Creates a common table expression, materialized or not, from an ``/GRDB/SQL`` literal.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        materialized: Bool, literal sqlLiteral: SQL
    ) {
        let query = SQLRequest<Row>(literal: sqlLiteral)
        self.init(tableName, columns, recursive, materialized, query.sqlSubquery)
    }
}

extension CommonTableExpression<Row> {
    /// Creates a common table expression of database rows, materialized or not, from a request.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        materialized: Bool, request: some SQLSubqueryable
    ) {
        self.init(tableName, columns, recursive, materialized, request.sqlSubquery)
    }

    /// Creates a common table expression of database rows, materialized or not, from an SQL string,
    /// and optional arguments.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        materialized: Bool, sql: String, arguments: StatementArguments = StatementArguments()
    ) {
        let query = SQLRequest<Row>(sql: sql, arguments: arguments)
        self.init(tableName, columns, recursive, materialized, query.sqlSubquery)
    }

    /// Creates a common table expression of database rows, materialized or not, from an
    /// ``/GRDB/SQL`` literal.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        materialized: Bool, literal sqlLiteral: SQL
    ) {
        let query = SQLRequest<Row>(literal: sqlLiteral)
        self.init(tableName, columns, recursive, materialized, query.sqlSubquery)
    }
}
