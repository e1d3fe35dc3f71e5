/// A typed or untyped column. Use it for lists that mix columns of both kinds.
public protocol _NamedColumn {
    /// The column name.
    var name: String { get }
}

/// A type that represents a database column.
public protocol ColumnExpression: SQLSpecificExpressible, _NamedColumn {
    /// The column name.
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

/// A database column.
///
/// ```swift
/// let name: String = row[Column("name")]
/// ```
public struct Column: ColumnExpression, Sendable {
    /// The hidden column `rowid`.
    public static let rowID = Column("rowid")

    /// The hidden column `rank` of FTS5 tables. See
    /// <https://www.sqlite.org/fts5.html#sorting_by_auxiliary_function_results>.
    public static let rank = Column("rank")

    /// The column name.
    public var name: String

    /// Creates a column from its name.
    public init(_ name: String) {
        self.name = name
    }

    /// Creates a column from a coding key.
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
