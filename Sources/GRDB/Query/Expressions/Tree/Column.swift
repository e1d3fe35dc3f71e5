/// A typed or untyped column. Use it for lists that mix columns of both kinds.
public protocol _NamedColumn {
    /// The name of the column, unquoted: quotes are added where SQL is written.
    var name: String { get }
}

/// A type that represents a database column.
public protocol ColumnExpression: SQLSpecificExpressible, _NamedColumn {
    /// The name of the column, unquoted: quotes are added where SQL is written.
    var name: String { get }
}

extension ColumnExpression {
    public var sqlExpression: SQLExpression { SQLExpression(ColumnNode(name: name)) }
}

extension ColumnExpression {
    /// The column without a table: refers to a named expression of the selection.
    ///
    /// ```swift
    /// // SELECT "score" + "bonus" AS "total" FROM "player" ORDER BY "total"
    /// Player
    ///     .select { ($0.score + $0.bonus).forKey("total") }
    ///     .order(Column("total").detached)
    /// ```
    ///
    /// The column is never qualified with the name of a table, even in a request on several tables.
    public var detached: SQLExpression { SQLExpression(DetachedColumnNode(name: name)) }
}

extension ColumnExpression where Self == Column {
    /// The hidden column `rowid`.
    public static var rowID: Column { Column.rowID }
}

extension SQLExpressible where Self == Column {
    /// The hidden column `rowid`.
    public static var rowID: Column { Column.rowID }
}

extension ColumnExpression where Self: RawRepresentable<String> {
    /// The raw value.
    public var name: String { rawValue }
}

/// The name of a column, from which you build conditions, orders and selections.
///
/// Declare the columns of a record type in a nested `Columns` type. The closures of its requests
/// receive it as `$0`, so a misspelled column does not compile:
///
/// ```swift
/// struct Player: Codable, FetchableRecord, PersistableRecord {
///     var id: Int64
///     var name: String
///     var score: Int
///
///     enum Columns {
///         static let name = Column(CodingKeys.name)
///         static let score = Column(CodingKeys.score)
///     }
/// }
///
/// // SELECT * FROM "player" WHERE "score" >= 100 ORDER BY "name"
/// let players = try Player
///     .filter { $0.score >= 100 }
///     .order(\.name)
///     .fetchAll(db)
///
/// // UPDATE "player" SET "score" = "score" + 1
/// try Player.updateAll(db) { [$0.score += 1] }
/// ```
///
/// Without a record type, use columns by name, such as `Column("score") >= 100`, or to read a row:
///
/// ```swift
/// let name: String = row[Column("name")]
/// ```
///
/// A column is only a name: SQLite looks for it when the request is executed, and reports an error
/// if there is no such column. In requests that join tables, it belongs to the table whose request
/// or association uses it. Use a ``TableAlias`` to refer to a column of another table, and
/// ``ColumnExpression/detached`` to refer to a named value of the selection.
///
/// Comparisons of a column accept values of any type. A ``TypedColumn`` accepts only values of its
/// type, and a ``JSONColumn`` has access to the values inside of its JSON.
///
/// See <doc:Queries#Operators> for all operators, with the SQL that they generate.
public struct Column: ColumnExpression, Sendable {
    /// The hidden column `rowid`.
    public static let rowID = Column("rowid")

    /// The hidden column `rank` of FTS5 tables. See
    /// <https://www.sqlite.org/fts5.html#sorting_by_auxiliary_function_results>.
    public static let rank = Column("rank")

    /// The name of the column, unquoted: quotes are added where SQL is written.
    public var name: String

    /// Creates a column from its name.
    public init(_ name: String) {
        self.name = name
    }

    /// Creates a column from a coding key of a `Codable` record.
    ///
    /// ```swift
    /// static let score = Column(CodingKeys.score)
    /// ```
    ///
    /// If a strategy such as ``DatabaseColumnEncodingStrategy/convertToSnakeCase`` changes the names
    /// of columns, use the name of the column instead: the coding key does not know it.
    public init(_ codingKey: some CodingKey) {
        name = codingKey.stringValue
    }
}

/// A column in SQL text.
struct ColumnNode: SQLLeaf {
    let name: String

    func columnName(aliases: [AnyObject]) -> String? { name }

    var traits: SQLTraits { .repeatable }

    func write(to writer: SQLWriter) throws {
        writer.append(column: name)
    }
}

/// A column in SQL text that is not qualified with a table.
struct DetachedColumnNode: SQLLeaf {
    let name: String

    var traits: SQLTraits { .repeatable }

    func write(to writer: SQLWriter) throws {
        writer.append(identifier: name)
    }
}
