import GRDB

/// The changes to make to an existing table.
///
/// ``GRDB/Database/transform(table:body:)`` passes one to its closure:
///
/// ```swift
/// try db.transform(table: "player") { t in // t is TableTransformation
///     t.rename(column: "name", to: "fullName")
///     t.change(column: "score", type: .integer)
///     t.setNotNull(column: "score", replacingNullWith: 0)
///     t.drop(column: "nickname")
/// }
/// ```
///
/// Columns are renamed first. All other changes use the new names, even if they precede the renames
/// in the closure.
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_altertable.html#otheralter>
public final class TableTransformation {
    enum Change {
        case drop(String)
        case add(ColumnDefinition)
        case addSQL(SQL)
        case type(String, Database.ColumnType?)
        case content(String, SQL)
        case notNull(String, filler: SQL?)
        case nullable(String)
        case defaultValue(String, ColumnDefinition.Default?)
        case collation(String, Database.CollationName?)
        case check(name: String?, SQL)
        case dropChecks(String)
        case dropConstraint(String)
        case uniqueKey([String], Database.ConflictResolution?)
        case dropUniqueKey([String])
        case foreignKey([String], ForeignKeyClause)
        case dropForeignKey([String])
        case primaryKey([String], Database.ConflictResolution?)
        case autoIncrementedPrimaryKey(String)
        case dropPrimaryKey
        case reorder([String])
        case options(TableOptions)
    }

    private(set) var renames: [(name: String, newName: String)] = []
    private(set) var changes: [Change] = []

    init() {}

    // MARK: - Columns

    /// Renames a column, also in indexes, triggers, views, and foreign keys of other tables.
    ///
    /// ```swift
    /// t.rename(column: "url", to: "homeURL")
    /// ```
    ///
    /// Renames are made before all other changes, in order. They use `ALTER TABLE`, which throws if
    /// a view or trigger of the schema does not compile, or if a temporary trigger uses the column
    /// of a temporary table.
    public func rename(column name: String, to newName: String) {
        renames.append((name, newName))
    }

    /// Drops a column, and the constraints of its definition.
    ///
    /// ```swift
    /// t.drop(column: "nickname")
    /// ```
    ///
    /// The transformation throws if anything else uses the column: an index, a trigger, a view, a
    /// check, a key of several columns, or a foreign key. Drop these first, or in the same
    /// transformation.
    public func drop(column name: String) {
        changes.append(.drop(name))
    }

    /// Adds a column at the end. It may be NOT NULL, unique, or a key.
    ///
    /// ```swift
    /// t.add(column: "teamId", .integer).references("team").unique()
    /// ```
    ///
    /// - parameter name: the name of the column.
    /// - parameter type: the type of the column; nil for none.
    @discardableResult
    public func add(
        column name: String, _ type: Database.ColumnType? = nil
    ) -> ColumnDefinition {
        let column = ColumnDefinition((name, type))
        changes.append(.add(column))
        return column
    }

    /// Adds a column defined by SQL text at the end.
    ///
    /// ```swift
    /// t.addColumn(sql: "bonus INTEGER")
    /// ```
    public func addColumn(sql: String) {
        changes.append(.addSQL(SQL(sql: sql)))
    }

    /// Adds a column defined by an SQL literal at the end.
    ///
    /// ```swift
    /// t.addColumn(literal: "name TEXT DEFAULT \(defaultName)")
    /// ```
    public func addColumn(literal: SQL) {
        changes.append(.addSQL(literal))
    }

    /// Changes the type of a column.
    ///
    /// ```swift
    /// t.change(column: "score", type: .integer)
    /// ```
    ///
    /// SQLite converts the stored values to the affinity of the new type. In a `STRICT` table, the
    /// transformation throws if a value does not fit the type. To convert values differently, see
    /// ``setContent(ofColumn:to:)``.
    ///
    /// - parameter name: the name of the column.
    /// - parameter type: the new type; nil for none.
    public func change(column name: String, type: Database.ColumnType?) {
        changes.append(.type(name, type))
    }

    /// Sets the values of a column to an expression. It may use all former columns of the table,
    /// under their new names.
    ///
    /// ```swift
    /// t.add(column: "fullName", .text)
    /// t.setContent(ofColumn: "fullName", to: Column("firstName") + " " + Column("lastName"))
    /// ```
    ///
    /// The transformation throws if the column is generated.
    public func setContent(ofColumn name: String, to expression: some SQLExpressible) {
        changes.append(.content(name, SQL(expression.sqlExpression)))
    }

    /// Sets the values of a column to an SQL expression.
    ///
    /// ```swift
    /// t.setContent(ofColumn: "score", sql: "CAST(score AS INTEGER)")
    /// ```
    public func setContent(ofColumn name: String, sql: String) {
        changes.append(.content(name, SQL(sql: sql)))
    }

    /// Makes a column NOT NULL.
    ///
    /// ```swift
    /// t.setNotNull(column: "score", replacingNullWith: 0)
    /// ```
    ///
    /// - parameter name: the name of the column.
    /// - parameter value: the replacement of NULL in existing rows. If nil, the transformation
    ///   throws an error of extended code `SQLITE_CONSTRAINT_NOTNULL` if the column contains NULL.
    public func setNotNull(
        column name: String, replacingNullWith value: (any SQLExpressible)? = nil
    ) {
        changes.append(.notNull(name, filler: (value?.sqlExpression).map { SQL($0) }))
    }

    /// Removes the NOT NULL constraint of a column.
    public func dropNotNull(column name: String) {
        changes.append(.nullable(name))
    }

    /// Sets the default value of a column. Existing rows don't change.
    ///
    /// ```swift
    /// t.setDefault(ofColumn: "score", to: 0)
    /// ```
    public func setDefault(ofColumn name: String, to value: some DatabaseValueConvertible) {
        let definition = ColumnDefinition((name, nil)).defaults(to: value)
        changes.append(.defaultValue(name, definition.defaultValue))
    }

    /// Sets the default value of a column to an SQL expression. Existing rows don't change.
    ///
    /// ```swift
    /// t.setDefault(ofColumn: "createdAt", sql: "CURRENT_TIMESTAMP")
    /// ```
    public func setDefault(ofColumn name: String, sql: String) {
        changes.append(.defaultValue(name, .sql(sql)))
    }

    /// Removes the default value of a column.
    public func dropDefault(ofColumn name: String) {
        changes.append(.defaultValue(name, nil))
    }

    /// Sets the collation of a column.
    ///
    /// - parameter name: the name of the column.
    /// - parameter collation: the collation; nil for SQLite's default, `BINARY`.
    public func setCollation(ofColumn name: String, to collation: Database.CollationName?) {
        changes.append(.collation(name, collation))
    }

    /// Moves columns to the front, in the given order. The other columns follow in their current
    /// order.
    ///
    /// ```swift
    /// t.reorder(columns: ["id", "fullName"])
    /// ```
    public func reorder(columns: [String]) {
        changes.append(.reorder(columns))
    }

    // MARK: - Constraints

    /// Adds a check constraint, which all rows must satisfy.
    ///
    /// ```swift
    /// t.addCheck(named: "scoreIsPositive", Column("score") >= 0)
    /// ```
    ///
    /// - parameter name: the name of the constraint, for ``dropConstraint(named:)``.
    /// - parameter condition: the condition.
    public func addCheck(named name: String? = nil, _ condition: some SQLExpressible) {
        changes.append(.check(name: name, SQL(condition.sqlExpression)))
    }

    /// Adds a check constraint defined by SQL text.
    ///
    /// ```swift
    /// t.addCheck(sql: "score >= 0")
    /// ```
    public func addCheck(named name: String? = nil, sql: String) {
        changes.append(.check(name: name, SQL(sql: sql)))
    }

    /// Drops the check constraints in the definition of a column.
    public func dropChecks(ofColumn name: String) {
        changes.append(.dropChecks(name))
    }

    /// Drops a constraint by its name.
    ///
    /// ```swift
    /// t.dropConstraint(named: "scoreIsPositive")
    /// ```
    public func dropConstraint(named name: String) {
        changes.append(.dropConstraint(name))
    }

    /// Adds a unique key. The transformation throws if rows have duplicate values.
    ///
    /// ```swift
    /// t.addUniqueKey(["teamId", "number"])
    /// ```
    public func addUniqueKey(
        _ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil
    ) {
        changes.append(.uniqueKey(columns, conflictResolution))
    }

    /// Drops the unique key on the given columns, in any order.
    public func dropUniqueKey(_ columns: [String]) {
        changes.append(.dropUniqueKey(columns))
    }

    /// Adds a foreign key.
    ///
    /// ```swift
    /// t.addForeignKey(["teamId"], references: "team", onDelete: .cascade)
    /// ```
    ///
    /// - parameter columns: the columns of the foreign key.
    /// - parameter table: the referenced table.
    /// - parameter destinationColumns: the referenced columns; nil for the primary key.
    /// - parameter deleteAction: what happens when the referenced row is deleted.
    /// - parameter updateAction: what happens when the referenced row is updated.
    /// - parameter isDeferred: whether the key is checked at the end of transactions.
    public func addForeignKey(
        _ columns: [String],
        references table: String,
        columns destinationColumns: [String]? = nil,
        onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil,
        deferred isDeferred: Bool = false
    ) {
        let clause = ForeignKeyClause(
            table: table, columns: destinationColumns, deleteAction: deleteAction,
            updateAction: updateAction, isDeferred: isDeferred)
        changes.append(.foreignKey(columns, clause))
    }

    /// Drops the foreign keys on the given columns.
    ///
    /// ```swift
    /// t.dropForeignKey(["teamId"])
    /// ```
    public func dropForeignKey(_ columns: [String]) {
        changes.append(.dropForeignKey(columns))
    }

    /// Replaces the primary key. A single `INTEGER` column becomes an alias of the rowid.
    ///
    /// ```swift
    /// t.setPrimaryKey(["countryCode", "number"])
    /// ```
    public func setPrimaryKey(
        _ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil
    ) {
        changes.append(.primaryKey(columns, conflictResolution))
    }

    /// Replaces the primary key with an `INTEGER PRIMARY KEY AUTOINCREMENT` column. If there is no
    /// column of this name, it is added as the first column, and its values are the rowids.
    public func setAutoIncrementedPrimaryKey(_ name: String) {
        changes.append(.autoIncrementedPrimaryKey(name))
    }

    /// Removes the primary key, but not its columns.
    public func dropPrimaryKey() {
        changes.append(.dropPrimaryKey)
    }

    /// Sets whether the table is `STRICT`, and `WITHOUT ROWID`.
    ///
    /// ```swift
    /// t.setOptions(.strict)
    /// t.setOptions([])
    /// ```
    ///
    /// If a table is no longer strict, its columns of type `ANY` lose their type, so that their
    /// values are not converted.
    ///
    /// - parameter options: the options ``/GRDB/TableOptions/strict`` and ``/GRDB/TableOptions/withoutRowID``. The
    ///   others are ignored.
    public func setOptions(_ options: TableOptions) {
        changes.append(.options(options))
    }
}

// See `Database`.
@available(*, unavailable)
extension TableTransformation: Sendable {}
