/// What the schema says of one column of a table or view.
///
/// See ``Database/columns(in:in:)``.
///
/// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_table_xinfo>
public struct ColumnInfo: Hashable, Sendable {
    /// The name of the column.
    public let name: String

    /// The column data type, as declared; empty when there is none.
    public let type: String

    /// Whether the column has a `NOT NULL` constraint.
    public let isNotNull: Bool

    /// The SQL text of the default value. When nil, the default value is NULL.
    public let defaultValueSQL: String?

    /// Zero for columns that are not part of the primary key. Otherwise, the index of the column
    /// in the primary key, from 1.
    public let primaryKeyIndex: Int

    /// Whether the column is an ordinary, hidden or generated one.
    let visibility: Visibility

    enum Visibility: Int {
        case ordinary = 0
        case hidden = 1
        case virtual = 2
        case stored = 3
    }

    /// Whether the value of the column is computed from others.
    public var isGenerated: Bool { visibility == .virtual || visibility == .stored }

    /// Whether the value of a generated column is written to the database file.
    public var isStored: Bool { visibility != .virtual }

    /// Whether this is a hidden column of a virtual table, which `SELECT *` leaves out.
    public var isHidden: Bool { visibility == .hidden }

    /// Creates a column from a row of `PRAGMA table_xinfo`, or `PRAGMA table_info`.
    public init(row: Row) {
        name = row["name"]
        type = row["type"] ?? ""
        isNotNull = row["notnull"]
        defaultValueSQL = row["dflt_value"]
        primaryKeyIndex = row["pk"]
        visibility = (row["hidden"] as Int?).flatMap(Visibility.init(rawValue:)) ?? .ordinary
    }
}
