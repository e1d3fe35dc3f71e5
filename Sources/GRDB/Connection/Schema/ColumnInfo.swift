/// Information on a column of a table or view.
///
/// See ``Database/columns(in:in:)``.
///
/// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_table_xinfo>
public struct ColumnInfo: Hashable, Sendable {
    /// The name of the column.
    public let name: String

    /// The declared type of the column; empty if it has none.
    public let type: String

    /// Whether the column has a `NOT NULL` constraint.
    public let isNotNull: Bool

    /// The SQL text of the default value; nil if the default value is NULL.
    public let defaultValueSQL: String?

    /// The index of the column in the primary key, counted from 1; 0 if the column is not part of
    /// the primary key.
    public let primaryKeyIndex: Int

    /// Whether the column is an ordinary, hidden or generated column.
    let visibility: Visibility

    enum Visibility: Int {
        case ordinary = 0
        case hidden = 1
        case virtual = 2
        case stored = 3
    }

    /// Whether the column is a generated column.
    public var isGenerated: Bool { visibility == .virtual || visibility == .stored }

    /// Whether the values of the column are stored in the database file.
    public var isStored: Bool { visibility != .virtual }

    /// Whether this is a hidden column of a virtual table. `SELECT *` does not select hidden
    /// columns.
    public var isHidden: Bool { visibility == .hidden }

    /// Creates a column from a row of `PRAGMA table_xinfo`, or `PRAGMA table_info`.
    @inline(never)  // 1 KB
    public init(row: Row) {
        name = row.columnValue("name")
        type = row.columnValue("type") ?? ""
        isNotNull = row.columnValue("notnull")
        defaultValueSQL = row.columnValue("dflt_value")
        primaryKeyIndex = row.columnValue("pk")
        let hidden: Int? = row.columnValue("hidden")
        visibility = hidden.flatMap(Visibility.init(rawValue:)) ?? .ordinary
    }
}
