/// The columns that join two tables in an association, for tables that have no foreign key in the
/// schema, or several.
///
/// ```swift
/// // The book table has no foreign key to the person table
/// struct Book: TableRecord {
///     static let authorForeignKey = ForeignKey(["authorId"])
///     static let author = belongsTo(Person.self, using: authorForeignKey)
/// }
/// ```
///
/// See <doc:PairsAndTrees#Two-keys-to-one-table>.
public struct ForeignKey: Equatable, Sendable {
    /// The columns of the table that contains the foreign key.
    let originColumns: [String]

    /// The columns of the referenced table; nil for its primary key.
    let destinationColumns: [String]?

    /// Creates a foreign key from the names of columns.
    ///
    /// - parameter originColumns: the columns of the table that contains the foreign key.
    /// - parameter destinationColumns: the columns of the referenced table; nil for its primary
    ///   key.
    public init(_ originColumns: [String], to destinationColumns: [String]? = nil) {
        self.originColumns = originColumns
        self.destinationColumns = destinationColumns
    }

    /// Creates a foreign key from columns.
    ///
    /// - parameter originColumns: the columns of the table that contains the foreign key.
    /// - parameter destinationColumns: the columns of the referenced table; nil for its primary
    ///   key.
    public init(
        _ originColumns: [any ColumnExpression],
        to destinationColumns: [any ColumnExpression]? = nil
    ) {
        self.init(originColumns.map(\.name), to: destinationColumns?.map(\.name))
    }

    /// Creates a foreign key from columns, typed or not.
    ///
    /// - parameter originColumns: the columns of the table that contains the foreign key.
    /// - parameter destinationColumns: the columns of the referenced table; nil for its primary
    ///   key.
    @_disfavoredOverload  // the overload for untyped columns wins
    public init(
        _ originColumns: [any _NamedColumn], to destinationColumns: [any _NamedColumn]? = nil
    ) {
        self.init(originColumns.map(\.name), to: destinationColumns?.map(\.name))
    }
}
