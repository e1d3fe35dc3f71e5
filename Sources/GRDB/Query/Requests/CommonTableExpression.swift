/// A common table expression: a view that exists for a single statement.
///
/// ```swift
/// // WITH "playerName" AS (SELECT 'O''Brien')
/// // SELECT * FROM "player" WHERE "name" = (SELECT * FROM "playerName")
/// let cte = CommonTableExpression(named: "playerName", literal: "SELECT \("O'Brien")")
/// let request = Player
///     .with(cte)
///     .filter { $0.name == cte.all() }
/// ```
///
/// The type of the rows is `Row` by default. You can specify another type:
///
/// ```swift
/// let cte = CommonTableExpression<Player>(...)
/// let players = try cte.all().with(cte).fetchAll(db) // [Player]
/// ```
///
/// See <doc:CommonTables>.
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_with.html>
public struct CommonTableExpression<RowDecoder>: Sendable {
    package var definition: CommonTable

    /// The name of the table that statements refer to.
    public var tableName: String { definition.name }

    /// Names the rows of a request, so that statements can read them like a table.
    ///
    /// ```swift
    /// // WITH "playerName" AS (SELECT "name" FROM "player") ...
    /// let cte = CommonTableExpression(
    ///     named: "playerName",
    ///     request: Player.select(\.name))
    /// ```
    ///
    /// - parameter recursive: whether the query refers to the common table expression itself.
    /// - parameter tableName: the name of the table.
    /// - parameter columns: the names of the columns; nil for the column names of the query.
    /// - parameter request: the query.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        request: some SQLSubqueryable
    ) {
        self.init(tableName, columns, recursive, nil, request.sqlSubquery)
    }

    /// Names the rows of an SQL query, with its arguments, so that statements can read them like a table.
    ///
    /// ```swift
    /// // WITH "pair"("a", "b") AS (SELECT 1, 2) ...
    /// let cte = CommonTableExpression(
    ///     named: "pair",
    ///     columns: ["a", "b"],
    ///     sql: "SELECT 1, 2")
    /// ```
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        sql: String, arguments: StatementArguments = StatementArguments()
    ) {
        let query = SQLSubquery(SQL(sql: sql, arguments: arguments))
        self.init(tableName, columns, recursive, nil, query)
    }

    /// Names the rows of the query in an ``SQL`` literal, so that statements can read them like a table.
    ///
    /// ```swift
    /// // WITH "playerName" AS (SELECT 'O''Brien') ...
    /// let cte = CommonTableExpression(
    ///     named: "playerName",
    ///     literal: "SELECT \("O'Brien")")
    /// ```
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        literal sqlLiteral: SQL
    ) {
        self.init(tableName, columns, recursive, nil, SQLSubquery(sqlLiteral))
    }

    /// - parameter isMaterialized: GRDBQueries has initializers that set it.
    package init(
        _ tableName: String, _ columns: [String]?, _ isRecursive: Bool, _ isMaterialized: Bool?,
        _ query: SQLSubquery
    ) {
        definition = CommonTable(
            name: tableName, columns: columns?.isEmpty == true ? nil : columns,
            isRecursive: isRecursive, isMaterialized: isMaterialized, query: query)
    }
}

extension CommonTableExpression<Row> {
    /// Creates a common table expression of database rows from a request.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        request: some SQLSubqueryable
    ) {
        self.init(tableName, columns, recursive, nil, request.sqlSubquery)
    }

    /// Creates a common table expression of database rows from an SQL string, and optional
    /// arguments.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        sql: String, arguments: StatementArguments = StatementArguments()
    ) {
        let query = SQLSubquery(SQL(sql: sql, arguments: arguments))
        self.init(tableName, columns, recursive, nil, query)
    }

    /// Creates a common table expression of database rows from an ``SQL`` literal.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        literal sqlLiteral: SQL
    ) {
        self.init(tableName, columns, recursive, nil, SQLSubquery(sqlLiteral))
    }
}

extension CommonTableExpression {
    /// Selects all rows of the expression, as `SELECT * FROM` its name.
    ///
    /// ```swift
    /// // WITH "playerName" AS (SELECT 'O''Brien') SELECT * FROM "playerName"
    /// let request = cte.all().with(cte)
    /// ```
    ///
    /// The statement that runs the request must define the common table expression: see
    /// ``DerivableRequest/with(_:)``.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(relation: relation)
    }

    /// All columns of all rows.
    var relation: Relation {
        Relation(table: .init(definition.name), selection: [AllColumns()])
    }

    /// Returns the condition that an expression equals a row of the common table expression: `IN`.
    ///
    /// ```swift
    /// // WITH "selectedName" AS (...)
    /// // SELECT * FROM "player" WHERE "name" IN "selectedName"
    /// let request = Player
    ///     .with(cte)
    ///     .filter { cte.contains($0.name) }
    /// ```
    public func contains(_ element: some SQLExpressible) -> SQLExpression {
        SQLExpression(
            Membership(operand: element.sqlExpression, list: .table(definition.name)))
    }
}

// MARK: - Interpolation

extension SQLInterpolation {
    /// `WITH \(definitionFor: cte)`: the definition of a common table expression.
    ///
    /// ```swift
    /// // WITH "playerName" AS (SELECT 'O''Brien')
    /// // SELECT * FROM player WHERE name = (SELECT * FROM "playerName")
    /// let request: SQLRequest<Player> = """
    ///     WITH \(definitionFor: cte)
    ///     SELECT * FROM player WHERE name = (SELECT * FROM \(cte))
    ///     """
    /// ```
    public mutating func appendInterpolation<RowDecoder>(
        definitionFor cte: CommonTableExpression<RowDecoder>
    ) {
        append(fragment: cte.definition)
    }

    /// `SELECT * FROM \(cte)`: the name of a common table expression.
    public mutating func appendInterpolation<RowDecoder>(
        _ cte: CommonTableExpression<RowDecoder>
    ) {
        appendInterpolation(identifier: cte.tableName)
    }
}

/// `"name"("a", "b") AS MATERIALIZED (SELECT …)`
extension CommonTable: SQLFragment {
    func write(to writer: SQLWriter) throws {
        writer.append(identifier: name)
        if let columns {
            writer.append(sql: "(")
            for (index, column) in columns.enumerated() {
                if index > 0 { writer.append(sql: ", ") }
                writer.append(identifier: column)
            }
            writer.append(sql: ")")
        }
        writer.append(sql: " AS ")
        if let isMaterialized {
            writer.append(sql: isMaterialized ? "MATERIALIZED " : "NOT MATERIALIZED ")
        }
        writer.append(sql: "(")
        if let writtenQuery {
            try writer.context.append(writtenQuery)
        } else {
            try query.write(to: writer)
        }
        writer.append(sql: ")")
    }
}
