/// All columns of a table: `*`.
///
/// ```swift
/// struct Player: TableRecord {
///     static var databaseSelection: [any SQLSelectable] {
///         [.allColumns, .rowID]
///     }
/// }
/// ```
public struct AllColumns: SQLSelectable, Sendable {
    /// The `*` selection.
    public init() {}

    public var sqlSelection: SQLSelection { SQLSelection(AllColumnsNode()) }
}

extension SQLSelectable where Self == AllColumns {
    /// All columns of the requested table.
    public static var allColumns: AllColumns { AllColumns() }
}

/// `*`
struct AllColumnsNode: SQLNode {
    func write(to writer: any SQLWriter) throws {
        writer.append(sql: "*")
    }
}
