/// Describes a foreign key, and the columns that it brings.
///
/// ``TableDefinition/belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)`` returns one:
///
/// ```swift
/// try db.create(table: "player") { t in
///     t.belongsTo("team") // ForeignKeyDefinition
/// }
/// ```
public final class ForeignKeyDefinition {
    let name: String
    let table: String?
    let deleteAction: Database.ForeignKeyAction?
    let updateAction: Database.ForeignKeyAction?
    let isDeferred: Bool
    let isIndexed: Bool
    private(set) var notNull: ColumnDefinition.NotNull?
    private(set) var isUnique = false

    init(
        name: String, table: String?, deleteAction: Database.ForeignKeyAction?,
        updateAction: Database.ForeignKeyAction?, isDeferred: Bool, isIndexed: Bool
    ) {
        self.name = name
        self.table = table
        self.deleteAction = deleteAction
        self.updateAction = updateAction
        self.isDeferred = isDeferred
        self.isIndexed = isIndexed
    }

    /// Adds a NOT NULL constraint to the columns.
    ///
    /// ```swift
    /// // "teamId" INTEGER NOT NULL REFERENCES "team"("id")
    /// t.belongsTo("team").notNull()
    /// ```
    ///
    /// - parameter conflictResolution: what to do when the constraint is violated.
    @discardableResult
    public func notNull(
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> Self {
        notNull = ColumnDefinition.NotNull(conflictResolution: conflictResolution)
        return self
    }

    /// Makes the columns a unique key: of two tables, a row of one belongs to at most one row of
    /// the other.
    ///
    /// ```swift
    /// // "teamId" INTEGER UNIQUE REFERENCES "team"("id")
    /// t.belongsTo("team").unique()
    /// ```
    @discardableResult
    public func unique() -> Self {
        isUnique = true
        return self
    }
}

extension ForeignKeyDefinition {
    /// A foreign key with its columns.
    struct Resolved {
        /// The columns to add to the table.
        var columns: [ColumnDefinition]

        /// The constraint to add to the table, when it is not that of the only column.
        var constraint: String?

        /// The index on several columns, if there must be one.
        var index: IndexDefinition?
    }

    /// Finds the table and its primary key.
    ///
    /// - parameter tableName: the table that gets the columns.
    func resolve(
        _ resolver: ReferenceResolver, in tableName: String, isInPrimaryKey: Bool
    ) throws -> Resolved {
        let destination = try resolver.destination(of: self)
        let columns = destination.columns.map { key in
            // The hidden rowid is the `id` of its row.
            let suffix = destination.isHiddenRowID ? "Id" : key.name.capitalizingFirst
            let column = ColumnDefinition((name + suffix, key.type))
            if let notNull { column.notNull(onConflict: notNull.conflictResolution) }
            return column
        }
        if columns.count == 1 {
            let column = columns[0]
            column.references(
                destination.table, column: destination.columns[0].name, onDelete: deleteAction,
                onUpdate: updateAction, deferred: isDeferred)
            if isUnique {
                column.unique()
            } else if isIndexed && !isInPrimaryKey {
                column.indexed()
            }
            return Resolved(columns: columns)
        }
        let names = columns.map(\.name)
        let clause = ForeignKeyClause(
            table: destination.table, columns: destination.columns.map(\.name),
            deleteAction: deleteAction, updateAction: updateAction, isDeferred: isDeferred)
        var resolved = Resolved(
            columns: columns,
            constraint: try "FOREIGN KEY (\(names.schemaIdentifiers())) \(clause.text())")
        if isUnique || (isIndexed && !isInPrimaryKey) {
            resolved.index = IndexDefinition(
                onTable: tableName, columns: names, options: isUnique ? .unique : [])
        }
        return resolved
    }
}

// See `Database`.
@available(*, unavailable)
extension ForeignKeyDefinition: Sendable {}
