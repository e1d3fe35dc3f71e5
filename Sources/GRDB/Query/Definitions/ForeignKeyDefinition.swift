/// Describes a foreign key and its columns.
///
/// ``TableDefinition/belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)`` returns a
/// definition:
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
    /// - parameter conflictResolution: the action when the constraint is violated.
    @discardableResult
    public func notNull(
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> Self {
        notNull = ColumnDefinition.NotNull(conflictResolution: conflictResolution)
        return self
    }

    /// Adds a UNIQUE constraint to the columns: at most one row of this table refers to a given row
    /// of the other table.
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

        /// The constraint to add to the table; nil if the foreign key has a single column, which
        /// declares the constraint itself.
        var constraint: String?

        /// The index on several columns; nil if no index is required.
        var index: IndexDefinition?
    }

    /// Finds the referenced table and its primary key.
    ///
    /// - parameter tableName: the table to which the columns are added.
    func resolve(
        _ resolver: ReferenceResolver, in tableName: String, isInPrimaryKey: Bool
    ) throws -> Resolved {
        let destination = try resolver.destination(of: self)
        let columns = destination.columns.map { key in
            // The column of a hidden rowid is named like a reference to a column `id`.
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
            constraint: try "FOREIGN KEY (\(names.schemaIdentifiers())) \(clause.text(resolver))")
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
