extension Database {
    /// Creates an index named after the table and the columns.
    ///
    /// ```swift
    /// // CREATE INDEX "index_player_on_email" ON "player"("email")
    /// try db.create(indexOn: "player", columns: ["email"])
    ///
    /// // CREATE UNIQUE INDEX "index_player_on_email" ON "player"("email")
    /// try db.create(indexOn: "player", columns: ["email"], options: .unique)
    /// ```
    ///
    /// - parameter table: the name of the indexed table.
    /// - parameter columns: the indexed columns.
    /// - parameter options: index creation options.
    /// - parameter condition: a condition that restricts the index to the rows that meet it; nil
    ///   for all rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the table or a column does not
    ///   exist, or if the name is taken; `SQLITE_CONSTRAINT` if a unique index finds duplicates.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_createindex.html>
    public func create(
        indexOn table: String,
        columns: [String],
        options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(
            IndexDefinition(
                onTable: table, columns: columns, options: options, condition: condition))
    }

    /// Creates an index on columns, with the given name.
    ///
    /// ```swift
    /// // CREATE INDEX "playerByEmail" ON "player"("email")
    /// try db.create(index: "playerByEmail", on: "player", columns: ["email"])
    /// ```
    ///
    /// - parameter name: the index name.
    /// - parameter table: the name of the indexed table.
    /// - parameter columns: the indexed columns.
    /// - parameter options: index creation options.
    /// - parameter condition: a condition that restricts the index to the rows that meet it; nil
    ///   for all rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the table or a column does not
    ///   exist, or if the name is taken; `SQLITE_CONSTRAINT` if a unique index finds duplicates.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_createindex.html>
    public func create(
        index name: String,
        on table: String,
        columns: [String],
        options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(
            IndexDefinition(
                name: name, table: table, terms: columns.map { ColumnNode(name: $0) },
                options: options, condition: condition))
    }

    /// Creates an index like ``create(index:on:columns:options:condition:)``, with Boolean
    /// parameters for the options.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the table or a column does not
    ///   exist, or if the name is taken; `SQLITE_CONSTRAINT` if a unique index finds duplicates.
    @_disfavoredOverload
    public func create(
        index name: String,
        on table: String,
        columns: [String],
        unique: Bool = false,
        ifNotExists: Bool = false,
        condition: (any SQLExpressible)? = nil
    ) throws {
        var options: IndexOptions = []
        if unique { options.insert(.unique) }
        if ifNotExists { options.insert(.ifNotExists) }
        try create(
            index: name, on: table, columns: columns, options: options, condition: condition)
    }

    /// Creates an index on expressions.
    ///
    /// ```swift
    /// // CREATE INDEX "index_player_on_email" ON "player"("email" COLLATE NOCASE)
    /// try db.create(
    ///     index: "index_player_on_email", on: "player",
    ///     expressions: [Column("email").collating(.nocase)])
    ///
    /// // CREATE INDEX "index_player_on_total" ON "player"("score" + "bonus")
    /// try db.create(
    ///     index: "index_player_on_total", on: "player",
    ///     expressions: [Column("score") + Column("bonus")])
    /// ```
    ///
    /// - parameter name: the index name.
    /// - parameter table: the name of the indexed table.
    /// - parameter expressions: the indexed expressions.
    /// - parameter options: index creation options.
    /// - parameter condition: a condition that restricts the index to the rows that meet it; nil
    ///   for all rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the table or a column does not
    ///   exist, or if the name is taken; `SQLITE_CONSTRAINT` if a unique index finds duplicates.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/expridx.html>
    public func create(
        index name: String,
        on table: String,
        expressions: [any SQLExpressible],
        options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(
            IndexDefinition(
                name: name, table: table, terms: expressions.map(\.sqlExpression),
                options: options, condition: condition))
    }

    /// Creates an index on the given table and sorted terms.
    ///
    /// ```swift
    /// // CREATE INDEX "playerByScore" ON "player"("score" DESC, "name")
    /// try db.create(
    ///     index: "playerByScore", on: "player",
    ///     terms: [Column("score").desc, Column("name")])
    /// ```
    ///
    /// - parameter name: the index name.
    /// - parameter table: the name of the indexed table.
    /// - parameter terms: the indexed columns or expressions, with their sort order.
    /// - parameter options: index creation options.
    /// - parameter condition: a condition that restricts the index to the rows that meet it; nil
    ///   for all rows.
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the table or a column does not
    ///   exist, or if the name is taken; `SQLITE_CONSTRAINT` if a unique index finds duplicates.
    public func create(
        index name: String,
        on table: String,
        terms: [any SQLOrderingTerm],
        options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(
            IndexDefinition(
                name: name, table: table, terms: terms.map(\.sqlOrdering.node),
                options: options, condition: condition))
    }

    private func create(_ index: IndexDefinition) throws {
        try checkAccess()
        try execute(sql: index.text(self))
    }

    /// Drops an index.
    ///
    /// ```swift
    /// // DROP INDEX "playerByEmail"
    /// try db.drop(index: "playerByEmail")
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if there is no such index.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_dropindex.html>
    public func drop(index name: String) throws {
        try drop(index: name, options: [])
    }

    /// Drops an index.
    ///
    /// ```swift
    /// // DROP INDEX IF EXISTS "playerByEmail"
    /// try db.drop(index: "playerByEmail", options: .ifExists)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if there is no such index, unless the
    ///   options have `ifExists`.
    public func drop(index name: String, options: DropOptions) throws {
        try drop("INDEX", name, options)
    }

    /// Drops the index on the given columns, in this order. Does nothing if there is no such index,
    /// or if there are several.
    ///
    /// ```swift
    /// // DROP INDEX "index_player_on_email"
    /// try db.drop(indexOn: "player", columns: ["email"])
    /// ```
    ///
    /// Indexes of primary keys and unique constraints can't be dropped, and are ignored.
    ///
    /// - throws: a ``DatabaseError``, for example if there is no such table.
    public func drop(indexOn table: String, columns: [String]) throws {
        let id = try existingTable(table)
        let wanted = columns.map { CaseInsensitiveIdentifier($0) }
        let indexes = try indexes(of: id).map(\.info).filter { index in
            index.origin == .createIndex
                && index.columns.map { CaseInsensitiveIdentifier($0) } == wanted
        }
        guard indexes.count == 1 else { return }
        let name = indexes[0].name.quotedDatabaseIdentifier
        let schema = id.schemaID == .main ? "" : "\(id.schemaID.name.quotedDatabaseIdentifier)."
        try execute(sql: "DROP INDEX \(schema)\(name)")
    }
}
