extension Database {
    /// Runs a `CREATE TABLE` statement, whose columns and constraints a closure defines.
    ///
    /// ```swift
    /// // CREATE TABLE "place" (
    /// //   "id" INTEGER PRIMARY KEY AUTOINCREMENT,
    /// //   "title" TEXT,
    /// //   "isFavorite" BOOLEAN NOT NULL DEFAULT 0,
    /// //   "latitude" DOUBLE NOT NULL,
    /// //   "longitude" DOUBLE NOT NULL
    /// // )
    /// try db.create(table: "place") { t in
    ///     t.autoIncrementedPrimaryKey("id")
    ///     t.column("title", .text)
    ///     t.column("isFavorite", .boolean).notNull().defaults(to: false)
    ///     t.column("latitude", .double).notNull()
    ///     t.column("longitude", .double).notNull()
    /// }
    /// ```
    ///
    /// Either the table and all indexes of its definition are created, or nothing.
    ///
    /// - parameter name: the table name.
    /// - parameter options: table creation options.
    /// - parameter body: a closure that defines table columns and constraints.
    /// - throws: the error of the closure, or a ``DatabaseError``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_createtable.html>
    public func create(
        table name: String,
        options: TableOptions = [],
        body: (TableDefinition) throws -> Void
    ) throws {
        try checkAccess()
        let definition = TableDefinition(ofTable: name, with: options)
        try body(definition)
        try executeAll(definition.statements(self))
    }

    /// Runs a `CREATE TABLE` statement, whose columns and constraints a closure defines.
    ///
    /// Prefer ``create(table:options:body:)``.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``.
    @_disfavoredOverload
    public func create(
        table name: String,
        temporary: Bool = false,
        ifNotExists: Bool = false,
        withoutRowID: Bool = false,
        body: (TableDefinition) throws -> Void
    ) throws {
        var options: TableOptions = []
        if temporary { options.insert(.temporary) }
        if ifNotExists { options.insert(.ifNotExists) }
        if withoutRowID { options.insert(.withoutRowID) }
        try create(table: name, options: options, body: body)
    }

    /// Adds, renames and drops columns of a table.
    ///
    /// ```swift
    /// // ALTER TABLE "player" ADD COLUMN "hasBonus" BOOLEAN
    /// // ALTER TABLE "player" RENAME COLUMN "url" TO "homeURL"
    /// // ALTER TABLE "player" DROP COLUMN "score"
    /// try db.alter(table: "player") { t in
    ///     t.add(column: "hasBonus", .boolean)
    ///     t.rename(column: "url", to: "homeURL")
    ///     t.drop(column: "score")
    /// }
    /// ```
    ///
    /// The changes are made in order, and either all of them or none.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_altertable.html>
    public func alter(table name: String, body: (TableAlteration) throws -> Void) throws {
        try checkAccess()
        let alteration = TableAlteration(name: name)
        try body(alteration)
        guard alteration.changes.count > 1 else {
            for change in alteration.changes {
                try executeAll(change.statements(self, table: name))
            }
            return
        }
        try inSavepoint {
            for change in alteration.changes {
                for statement in try change.statements(self, table: name) {
                    try execute(sql: statement)
                }
            }
            return .commit
        }
    }

    /// Gives a table another name.
    ///
    /// ```swift
    /// // ALTER TABLE "referer" RENAME TO "referrer"
    /// try db.rename(table: "referer", to: "referrer")
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if there is no such table, or if the
    ///   new name is taken.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_altertable.html#alter_table_rename>
    public func rename(table name: String, to newName: String) throws {
        try execute(
            sql: """
                ALTER TABLE \(name.schemaIdentifier()) RENAME TO \(newName.schemaIdentifier())
                """)
    }

    /// Drops a table, with its indexes and triggers.
    ///
    /// ```swift
    /// // DROP TABLE "obsolete"
    /// try db.drop(table: "obsolete")
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if there is no such table,
    ///   `SQLITE_CONSTRAINT` if rows of other tables refer to it.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_droptable.html>
    public func drop(table name: String) throws {
        try drop(table: name, options: [])
    }

    /// Drops a table, with its indexes and triggers.
    ///
    /// ```swift
    /// // DROP TABLE IF EXISTS "obsolete"
    /// try db.drop(table: "obsolete", options: .ifExists)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if there is no such table, unless the
    ///   options have `ifExists`; `SQLITE_CONSTRAINT` if rows of other tables refer to it.
    public func drop(table name: String, options: DropOptions) throws {
        try drop("TABLE", name, options)
    }

    /// Drops an object of the schema.
    package func drop(_ kind: String, _ name: String, _ options: DropOptions) throws {
        let clause = options.contains(.ifExists) ? " IF EXISTS" : ""
        try execute(sql: "DROP \(kind)\(clause) \(name.quotedDatabaseIdentifier)")
    }
}
