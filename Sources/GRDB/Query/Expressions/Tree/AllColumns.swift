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
    /// Selects each column of the table: `*`.
    public static var allColumns: AllColumns { AllColumns() }
}

/// `*`
struct AllColumnsNode: SQLLeaf {
    var traits: SQLTraits { [] }

    var selectedColumns: SelectedColumns { .ofTable(excluding: []) }

    var selectedExpression: SQLExpression? { nil }

    func write(to writer: SQLWriter) throws {
        if let qualifier = writer.qualifier {
            writer.append(qualifier)
        }
        writer.append(sql: "*")
    }
}

/// All columns of a table, except some.
///
/// ```swift
/// struct Player: TableRecord {
///     // SELECT "id", "name" FROM "player"
///     static var databaseSelection: [any SQLSelectable] {
///         [.allColumns(excluding: ["largeBlob"])]
///     }
/// }
/// ```
public struct AllColumnsExcluding: SQLSelectable, Sendable {
    let excludedColumns: Set<CaseInsensitiveIdentifier>

    /// Creates a selection of all columns except the columns with the given names. Unknown names
    /// are ignored.
    public init(_ excludedColumns: some Collection<String>) {
        self.excludedColumns = Set(excludedColumns.map { CaseInsensitiveIdentifier($0) })
    }

    public var sqlSelection: SQLSelection {
        SQLSelection(AllColumnsExcludingNode(excluded: excludedColumns))
    }
}

extension SQLSelectable where Self == AllColumnsExcluding {
    /// Selects every column of the table but those with the given names.
    ///
    /// ```swift
    /// // SELECT "id", "name" FROM "player"
    /// Player.select(.allColumns(excluding: ["largeBlob"]))
    /// ```
    public static func allColumns(excluding excludedColumns: some Collection<String>) -> Self {
        AllColumnsExcluding(excludedColumns)
    }

    /// Selects every column of the table but the given ones.
    public static func allColumns(
        excluding excludedColumns: some Collection<any ColumnExpression>
    ) -> Self {
        AllColumnsExcluding(excludedColumns.map(\.name))
    }
}

/// All columns except some. The query that selects them provides the table.
struct AllColumnsExcludingNode: SQLLeaf {
    let excluded: Set<CaseInsensitiveIdentifier>

    var traits: SQLTraits { [] }

    var selectedColumns: SelectedColumns { .ofTable(excluding: excluded) }

    var excludedColumns: Set<CaseInsensitiveIdentifier>? { excluded }

    var selectedExpression: SQLExpression? { nil }

    func write(to writer: SQLWriter) throws {
        throw DatabaseError(
            misuse: "allColumns(excluding:) can only be used in the selection of a request")
    }
}
