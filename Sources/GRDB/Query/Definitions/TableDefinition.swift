/// Describes the columns and constraints of a table to create.
///
/// ``Database/create(table:options:body:)`` passes an instance to its closure:
///
/// ```swift
/// try db.create(table: "player") { t in // t is TableDefinition
///     t.autoIncrementedPrimaryKey("id")
///     t.column("name", .text).notNull()
/// }
/// ```
///
/// Use a definition only in the closure that receives it.
///
/// See <doc:Schemas>.
public final class TableDefinition {
    /// A part of the definition that adds columns to the table.
    enum Element {
        case column(ColumnDefinition)
        case sql(SQL)
        case foreignKey(ForeignKeyDefinition, isInPrimaryKey: Bool)
    }

    struct PrimaryKey {
        enum Term {
            case column(String)
            case ordered(any SQLFragment)
            /// The columns of the foreign key.
            case foreignKey(ForeignKeyDefinition)
            /// A column defined by SQL text, whose name is unknown.
            case sql
        }

        var terms: [Term]
        var conflictResolution: Database.ConflictResolution?
    }

    struct UniqueKey {
        var columns: [String]
        var conflictResolution: Database.ConflictResolution?
    }

    /// A foreign key of the table.
    enum ForeignKey {
        case columns([String], ForeignKeyClause)
        /// A foreign key that adds its own columns, if there are several.
        case definition(ForeignKeyDefinition)
    }

    let name: String
    let options: TableOptions
    private(set) var elements: [Element] = []
    private(set) var primaryKeys: [PrimaryKey] = []
    private(set) var uniqueKeys: [UniqueKey] = []
    private(set) var foreignKeys: [ForeignKey] = []
    private(set) var checks: [any SQLFragment] = []
    private(set) var constraints: [SQL] = []

    /// The terms of the primary key while its closure runs.
    private var primaryKeyTerms: [PrimaryKey.Term]?

    init(ofTable name: String, with options: TableOptions) {
        (self.name, self.options) = (name, options)
    }

    // MARK: - Primary key

    /// Adds an auto-incremented primary key.
    ///
    /// ```swift
    /// // CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT)
    /// try db.create(table: "player") { t in
    ///     t.autoIncrementedPrimaryKey("id")
    /// }
    /// ```
    ///
    /// - parameter name: the name of the column.
    /// - parameter conflictResolution: the action when the constraint is violated.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/autoinc.html>
    @discardableResult
    public func autoIncrementedPrimaryKey(
        _ name: String,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        column(name, .integer).primaryKey(onConflict: conflictResolution, autoincrement: true)
    }

    /// Adds a NOT NULL column that is the primary key.
    ///
    /// ```swift
    /// // CREATE TABLE "country" ("isoCode" TEXT PRIMARY KEY NOT NULL)
    /// try db.create(table: "country") { t in
    ///     t.primaryKey("isoCode", .text)
    /// }
    /// ```
    ///
    /// An `INTEGER PRIMARY KEY` is the rowid, which is never NULL. It has no NOT NULL constraint.
    ///
    /// - parameter name: the name of the column.
    /// - parameter type: the type of the column.
    /// - parameter conflictResolution: the action when the constraint is violated.
    @discardableResult
    public func primaryKey(
        _ name: String,
        _ type: Database.ColumnType,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        let column = column(name, type).primaryKey(onConflict: conflictResolution)
        if !ASCIICase.equal(type.rawValue, "INTEGER") {
            column.notNull()
        }
        return column
    }

    /// Defines the primary key on the columns that the closure adds, with NOT NULL constraints.
    ///
    /// ```swift
    /// // CREATE TABLE "passport" (
    /// //   "citizenId" INTEGER NOT NULL REFERENCES "citizen"("id"),
    /// //   "countryCode" TEXT NOT NULL REFERENCES "country"("code"),
    /// //   PRIMARY KEY ("citizenId", "countryCode")
    /// // )
    /// try db.create(table: "passport") { t in
    ///     t.primaryKey {
    ///         t.belongsTo("citizen")
    ///         t.belongsTo("country")
    ///     }
    /// }
    /// ```
    ///
    /// - parameter conflictResolution: the action when the constraint is violated.
    /// - parameter body: a closure that defines the columns of the key.
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        body: () throws -> Void
    ) rethrows {
        let outerTerms = primaryKeyTerms
        primaryKeyTerms = []
        defer { primaryKeyTerms = outerTerms }
        try body()
        primaryKeys.append(
            PrimaryKey(
                terms: primaryKeyTerms ?? [], conflictResolution: conflictResolution))
    }

    /// Adds a primary key constraint on columns, without NOT NULL constraints.
    ///
    /// ```swift
    /// // CREATE TABLE "citizenship" (
    /// //   "citizenId" INTEGER NOT NULL,
    /// //   "countryCode" TEXT NOT NULL,
    /// //   PRIMARY KEY ("citizenId", "countryCode")
    /// // )
    /// try db.create(table: "citizenship") { t in
    ///     t.column("citizenId", .integer).notNull()
    ///     t.column("countryCode", .text).notNull()
    ///     t.primaryKey(["citizenId", "countryCode"])
    /// }
    /// ```
    ///
    /// - parameter columns: the names of the columns.
    /// - parameter conflictResolution: the action when the constraint is violated.
    public func primaryKey(
        _ columns: [String],
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) {
        primaryKeys.append(
            PrimaryKey(
                terms: columns.map { .column($0) }, conflictResolution: conflictResolution))
    }

    /// Adds a primary key constraint on sorted columns.
    ///
    /// ```swift
    /// // PRIMARY KEY ("teamId", "score" DESC)
    /// t.primaryKey(terms: [Column("teamId"), Column("score").desc])
    /// ```
    ///
    /// - parameter terms: the columns, with an optional order or collation.
    /// - parameter conflictResolution: the action when the constraint is violated.
    public func primaryKey(
        terms: [any SQLOrderingTerm],
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) {
        primaryKeys.append(
            PrimaryKey(
                terms: terms.map { term in
                    if let column = term as? any ColumnExpression {
                        .column(column.name)
                    } else {
                        .ordered(term.sqlOrdering.node)
                    }
                },
                conflictResolution: conflictResolution))
    }

    // MARK: - Columns

    /// Appends a column.
    ///
    /// ```swift
    /// // CREATE TABLE "player" ("name" TEXT)
    /// try db.create(table: "player") { t in
    ///     t.column("name", .text)
    /// }
    /// ```
    ///
    /// - parameter name: the name of the column.
    /// - parameter type: the type of the column; nil for an untyped column.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/datatype3.html>
    @discardableResult
    public func column(
        _ name: String, _ type: Database.ColumnType? = nil
    ) -> ColumnDefinition {
        let column = ColumnDefinition((name, type))
        elements.append(.column(column))
        if primaryKeyTerms != nil {
            column.notNull()
            primaryKeyTerms?.append(.column(name))
        }
        return column
    }

    /// Appends a column defined by SQL text.
    ///
    /// ```swift
    /// t.column(sql: "name TEXT")
    /// ```
    public func column(sql: String) {
        column(literal: SQL(sql: sql))
    }

    /// Appends a column defined by an SQL literal.
    ///
    /// ```swift
    /// // name TEXT DEFAULT 'O''Reilly'
    /// let defaultName = "O'Reilly"
    /// t.column(literal: "name TEXT DEFAULT \(defaultName)")
    /// ```
    public func column(literal: SQL) {
        elements.append(.sql(literal))
        primaryKeyTerms?.append(.sql)
    }

    // MARK: - Foreign keys

    /// Declares a foreign key to another table, and appends its columns.
    ///
    /// ```swift
    /// // CREATE TABLE "player" (
    /// //   "id" INTEGER PRIMARY KEY AUTOINCREMENT,
    /// //   "teamId" INTEGER NOT NULL REFERENCES "team"("id")
    /// // );
    /// // CREATE INDEX "player_on_teamId" ON "player"("teamId");
    /// try db.create(table: "player") { t in
    ///     t.autoIncrementedPrimaryKey("id")
    ///     t.belongsTo("team").notNull()
    /// }
    /// ```
    ///
    /// The names and types of the columns are derived from the primary key of the referenced table.
    /// For example, the column is `teamId` if the primary key is `id`, and `countryCode` if it is
    /// `code`. There are several columns if the primary key has several columns.
    ///
    /// The referenced table must exist, unless it is the table to create.
    ///
    /// - parameter name: the name of the foreign key, from which the names of the columns are
    ///   derived.
    /// - parameter table: the referenced table; nil for the table named `name` or its plural.
    /// - parameter deleteAction: the action when the referenced row is deleted.
    /// - parameter updateAction: the action when the referenced key changes.
    /// - parameter isDeferred: whether the constraint is checked at the end of the transaction.
    /// - parameter indexed: whether to create an index on the columns. Without an index, deleting
    ///   and updating rows of the referenced table is slow.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/foreignkeys.html>
    @discardableResult
    public func belongsTo(
        _ name: String,
        inTable table: String? = nil,
        onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil,
        deferred isDeferred: Bool = false,
        indexed: Bool = true
    ) -> ForeignKeyDefinition {
        let foreignKey = ForeignKeyDefinition(
            name: name, table: table, deleteAction: deleteAction, updateAction: updateAction,
            isDeferred: isDeferred, isIndexed: indexed)
        elements.append(.foreignKey(foreignKey, isInPrimaryKey: primaryKeyTerms != nil))
        foreignKeys.append(.definition(foreignKey))
        if primaryKeyTerms != nil {
            foreignKey.notNull()
            primaryKeyTerms?.append(.foreignKey(foreignKey))
        }
        return foreignKey
    }

    /// Adds a foreign key constraint.
    ///
    /// ```swift
    /// // FOREIGN KEY ("citizenId", "countryCode")
    /// //   REFERENCES "citizenship"("citizenId", "countryCode")
    /// t.foreignKey(["citizenId", "countryCode"], references: "citizenship")
    /// ```
    ///
    /// - parameter columns: the columns of this table.
    /// - parameter table: the referenced table.
    /// - parameter destinationColumns: the columns of the referenced table; nil for its primary
    ///   key.
    /// - parameter deleteAction: the action when the referenced row is deleted.
    /// - parameter updateAction: the action when the referenced key changes.
    /// - parameter isDeferred: whether the constraint is checked at the end of the transaction.
    public func foreignKey(
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
        foreignKeys.append(.columns(columns, clause))
    }

    // MARK: - Other constraints

    /// Adds a unique constraint.
    ///
    /// ```swift
    /// // UNIQUE ("email", "teamId")
    /// t.uniqueKey(["email", "teamId"])
    /// ```
    ///
    /// - parameter columns: the names of the columns.
    /// - parameter conflictResolution: the action when the constraint is violated.
    public func uniqueKey(
        _ columns: [String],
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) {
        uniqueKeys.append(
            UniqueKey(columns: columns, conflictResolution: conflictResolution))
    }

    /// Adds a CHECK constraint.
    ///
    /// ```swift
    /// // CHECK (("personalPhone" IS NOT NULL) OR ("workPhone" IS NOT NULL))
    /// t.check(Column("personalPhone") != nil || Column("workPhone") != nil)
    /// ```
    public func check(_ condition: some SQLSpecificExpressible) {
        checks.append(condition.sqlExpression)
    }

    /// Adds a CHECK constraint.
    ///
    /// ```swift
    /// // CHECK (personalPhone IS NOT NULL OR workPhone IS NOT NULL)
    /// t.check(sql: "personalPhone IS NOT NULL OR workPhone IS NOT NULL")
    /// ```
    public func check(sql: String) {
        checks.append(SQL(sql: sql))
    }

    /// Adds a constraint of the table, defined by SQL text.
    ///
    /// ```swift
    /// t.constraint(sql: "CONSTRAINT positive CHECK (score >= 0)")
    /// ```
    public func constraint(sql: String) {
        constraints.append(SQL(sql: sql))
    }

    /// Adds a constraint of the table, defined by an SQL literal.
    ///
    /// ```swift
    /// t.constraint(literal: "CHECK (name <> \(forbiddenName))")
    /// ```
    public func constraint(literal: SQL) {
        constraints.append(literal)
    }
}

// See `Database`.
@available(*, unavailable)
extension TableDefinition: Sendable {}
