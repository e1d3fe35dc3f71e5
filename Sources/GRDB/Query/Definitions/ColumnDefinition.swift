/// Describes a table column.
///
/// The methods that add a column return its definition, so that you can add constraints:
///
/// ```swift
/// try db.create(table: "player") { t in
///     t.column("name", .text)          // ColumnDefinition
/// }
///
/// try db.alter(table: "player") { t in
///     t.add(column: "score", .integer) // ColumnDefinition
/// }
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_createtable.html#columnconst>
public final class ColumnDefinition {
    /// How the values of a generated column are stored.
    public enum GeneratedColumnQualification: Sendable {
        /// Values are computed when they are read.
        case virtual
        /// Values are stored in the database file.
        case stored
    }

    struct PrimaryKey {
        var conflictResolution: Database.ConflictResolution?
        var autoincrement: Bool
    }

    struct NotNull {
        var conflictResolution: Database.ConflictResolution?
    }

    package enum Indexing {
        case index
        case unique(Database.ConflictResolution?)
    }

    package enum Default {
        case value(DatabaseValue)
        case sql(String)
        case expression(SQLExpression)
    }

    package let name: String
    let type: Database.ColumnType?
    private(set) var primaryKey: PrimaryKey?
    private(set) var notNull: NotNull?
    package private(set) var indexing: Indexing?
    private(set) var checks: [any SQLFragment] = []
    package private(set) var defaultValue: Default?
    private(set) var collation: Database.CollationName?
    private(set) var references: [ForeignKeyClause] = []
    private(set) var generation:
        (expression: any SQLFragment, qualification: GeneratedColumnQualification)?

    package init(_ column: (name: String, type: Database.ColumnType?)) {
        (name, type) = column
    }

    /// Adds a primary key constraint.
    ///
    /// ```swift
    /// // CREATE TABLE "player" ("id" TEXT PRIMARY KEY)
    /// try db.create(table: "player") { t in
    ///     t.column("id", .text).primaryKey()
    /// }
    /// ```
    ///
    /// Prefer ``TableDefinition/primaryKey(_:_:onConflict:)``, which also adds NOT NULL.
    ///
    /// - parameter conflictResolution: the action when the constraint is violated.
    /// - parameter autoincrement: whether SQLite never reuses the keys of deleted rows. See
    ///   <https://www.sqlite.org/autoinc.html>.
    @discardableResult
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        autoincrement: Bool = false
    ) -> Self {
        primaryKey = PrimaryKey(
            conflictResolution: conflictResolution, autoincrement: autoincrement)
        return self
    }

    /// Adds a NOT NULL constraint.
    ///
    /// ```swift
    /// // "name" TEXT NOT NULL
    /// t.column("name", .text).notNull()
    /// ```
    ///
    /// - parameter conflictResolution: the action when the constraint is violated.
    @discardableResult
    public func notNull(
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> Self {
        notNull = NotNull(conflictResolution: conflictResolution)
        return self
    }

    /// Adds a UNIQUE constraint.
    ///
    /// ```swift
    /// // "email" TEXT UNIQUE
    /// t.column("email", .text).unique()
    /// ```
    ///
    /// - parameter conflictResolution: the action when the constraint is violated.
    @discardableResult
    public func unique(
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> Self {
        indexing = .unique(conflictResolution)
        return self
    }

    /// Creates an index on the column, unless the column is unique and therefore indexed already.
    ///
    /// ```swift
    /// // CREATE TABLE "player" ("score" INTEGER);
    /// // CREATE INDEX "player_on_score" ON "player"("score");
    /// try db.create(table: "player") { t in
    ///     t.column("score", .integer).indexed()
    /// }
    /// ```
    ///
    /// For more options, see ``Database/create(indexOn:columns:options:condition:)``.
    @discardableResult
    public func indexed() -> Self {
        if indexing == nil { indexing = .index }
        return self
    }

    /// Adds a CHECK constraint.
    ///
    /// ```swift
    /// // "name" TEXT CHECK (LENGTH("name") > 0)
    /// t.column("name", .text).check { length($0) > 0 }
    /// ```
    ///
    /// - parameter condition: a closure that receives the column, and returns a condition.
    @discardableResult
    public func check(_ condition: (Column) -> any SQLExpressible) -> Self {
        checks.append(condition(Column(name)).sqlExpression)
        return self
    }

    /// Adds a CHECK constraint.
    ///
    /// ```swift
    /// // "name" TEXT CHECK (LENGTH(name) > 0)
    /// t.column("name", .text).check(sql: "LENGTH(name) > 0")
    /// ```
    @discardableResult
    public func check(sql: String) -> Self {
        checks.append(SQL(sql: sql))
        return self
    }

    /// Defines the default value.
    ///
    /// ```swift
    /// // "name" TEXT DEFAULT 'Anonymous'
    /// t.column("name", .text).defaults(to: "Anonymous")
    /// ```
    @discardableResult
    public func defaults(to value: some DatabaseValueConvertible) -> Self {
        if let dbValue = value._storableDatabaseValue {
            defaultValue = .value(dbValue)
        } else {
            // The definition throws the error when its text is generated.
            defaultValue = .expression(
                SQLExpression(
                    RefusedValue(description: "\(value)", resultCode: .SQLITE_MISMATCH)))
        }
        return self
    }

    /// Defines the default value with an expression without columns.
    ///
    /// ```swift
    /// // "token" BLOB DEFAULT (randomblob(8))
    /// t.column("token", .blob).defaults(to: SQL("randomblob(\(8))"))
    /// ```
    @_disfavoredOverload
    @discardableResult
    public func defaults(to expression: some SQLSpecificExpressible) -> Self {
        defaultValue = .expression(expression.sqlExpression)
        return self
    }

    /// Defines the default value with SQL text.
    ///
    /// ```swift
    /// // "creationDate" DATETIME DEFAULT CURRENT_TIMESTAMP
    /// t.column("creationDate", .datetime).defaults(sql: "CURRENT_TIMESTAMP")
    /// ```
    ///
    /// Enclose expressions in parentheses. See
    /// <https://www.sqlite.org/lang_createtable.html#dfltval>.
    @discardableResult
    public func defaults(sql: String) -> Self {
        defaultValue = .sql(sql)
        return self
    }

    /// Defines the default collation.
    ///
    /// ```swift
    /// // "email" TEXT COLLATE NOCASE
    /// t.column("email", .text).collate(.nocase)
    /// ```
    @discardableResult
    public func collate(_ collation: Database.CollationName) -> Self {
        self.collation = collation
        return self
    }

    /// Defines the default collation.
    ///
    /// ```swift
    /// t.column("name", .text).collate(.localizedCaseInsensitiveCompare)
    /// ```
    @discardableResult
    public func collate(_ collation: DatabaseCollation) -> Self {
        collate(Database.CollationName(rawValue: collation.name))
    }

    /// Makes the column a generated column.
    ///
    /// ```swift
    /// // "totalScore" INTEGER GENERATED ALWAYS AS (score + bonus) VIRTUAL
    /// t.column("totalScore", .integer).generatedAs(sql: "score + bonus")
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/gencol.html>
    @discardableResult
    public func generatedAs(
        sql: String, _ qualification: GeneratedColumnQualification = .virtual
    ) -> Self {
        generation = (SQL(sql: sql), qualification)
        return self
    }

    /// Makes the column a generated column.
    ///
    /// ```swift
    /// // "totalScore" INTEGER GENERATED ALWAYS AS ("score" + "bonus") VIRTUAL
    /// t.column("totalScore", .integer).generatedAs(Column("score") + Column("bonus"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/gencol.html>
    @discardableResult
    public func generatedAs(
        _ expression: some SQLExpressible,
        _ qualification: GeneratedColumnQualification = .virtual
    ) -> Self {
        generation = (expression.sqlExpression, qualification)
        return self
    }

    /// Adds a foreign key constraint.
    ///
    /// ```swift
    /// // "teamId" INTEGER REFERENCES "team"("id") ON DELETE CASCADE
    /// t.column("teamId", .integer).references("team", onDelete: .cascade)
    /// ```
    ///
    /// - parameter table: the referenced table.
    /// - parameter column: a column of the referenced table; nil for its primary key.
    /// - parameter deleteAction: the action when the referenced row is deleted.
    /// - parameter updateAction: the action when the referenced key changes.
    /// - parameter isDeferred: whether the constraint is checked at the end of the transaction.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/foreignkeys.html>
    @discardableResult
    public func references(
        _ table: String,
        column: String? = nil,
        onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil,
        deferred isDeferred: Bool = false
    ) -> Self {
        references.append(
            ForeignKeyClause(
                table: table, columns: column.map { [$0] }, deleteAction: deleteAction,
                updateAction: updateAction, isDeferred: isDeferred))
        return self
    }
}

extension ColumnDefinition {
    /// The definition of the column as SQL text.
    package func text(_ resolver: ReferenceResolver) throws -> String {
        let db = resolver.db
        var sql = try name.schemaIdentifier()
        if let type, !type.rawValue.isEmpty { sql += " \(type.rawValue)" }
        if let primaryKey {
            sql += " PRIMARY KEY\(primaryKey.conflictResolution.onConflictClause)"
            if primaryKey.autoincrement { sql += " AUTOINCREMENT" }
        }
        if let notNull { sql += " NOT NULL\(notNull.conflictResolution.onColumnConflictClause)" }
        if case .unique(let conflictResolution) = indexing {
            sql += " UNIQUE\(conflictResolution.onColumnConflictClause)"
        }
        for check in checks {
            sql += try " CHECK (\(db.schemaText(check)))"
        }
        if let defaultValue { sql += try " \(defaultValue.text(db))" }
        if let collation { sql += " COLLATE \(collation.schemaText)" }
        for reference in references {
            sql += try " \(reference.text(resolver, column: name))"
        }
        if let (expression, qualification) = generation {
            sql += try " GENERATED ALWAYS AS (\(db.schemaText(expression)))"
            sql += qualification == .virtual ? " VIRTUAL" : " STORED"
        }
        return sql
    }
}

// See `Database`.
@available(*, unavailable)
extension ColumnDefinition: Sendable {}
