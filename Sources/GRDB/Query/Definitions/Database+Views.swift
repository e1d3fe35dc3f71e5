extension Database {
    /// Creates a view: a stored query.
    ///
    /// ```swift
    /// // CREATE VIEW "hero" AS SELECT * FROM "player" WHERE "isHero" = 1
    /// try db.create(view: "hero", as: Player.filter { $0.isHero == true })
    /// ```
    ///
    /// - parameter name: the view name.
    /// - parameter options: view creation options.
    /// - parameter columns: the names of the columns of the view; nil for the column names of the
    ///   request.
    /// - parameter request: the request that defines the view.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the request has arguments in raw
    ///   SQL text, because views can't have arguments. Interpolate values in an ``SQL`` literal
    ///   instead.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_createview.html>
    public func create(
        view name: String,
        options: ViewOptions = [],
        columns: [String]? = nil,
        as request: any SQLSubqueryable
    ) throws {
        try create(view: name, options, columns, EmbeddedQuery(subquery: request.sqlSubquery))
    }

    /// Creates a view: a stored query.
    ///
    /// ```swift
    /// // CREATE VIEW "hero" AS SELECT * FROM player WHERE isHero = 1
    /// try db.create(view: "hero", asLiteral: "SELECT * FROM player WHERE isHero = \(true)")
    /// ```
    ///
    /// - parameter name: the view name.
    /// - parameter options: view creation options.
    /// - parameter columns: the names of the columns of the view; nil for the column names of the
    ///   query.
    /// - parameter sqlLiteral: the query that defines the view.
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the name is taken, or if the SQL
    ///   does not compile.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_createview.html>
    public func create(
        view name: String,
        options: ViewOptions = [],
        columns: [String]? = nil,
        asLiteral sqlLiteral: SQL
    ) throws {
        try create(view: name, options, columns, sqlLiteral)
    }

    private func create(
        view name: String, _ options: ViewOptions, _ columns: [String]?, _ query: any SQLFragment
    ) throws {
        try checkAccess()
        let kind = options.contains(.temporary) ? "TEMPORARY VIEW" : "VIEW"
        var sql = try name.creation(of: kind, ifNotExists: options.contains(.ifNotExists))
        if let columns { sql += try " (\(columns.schemaIdentifiers()))" }
        sql += try " AS \(schemaText(query))"
        try execute(sql: sql)
    }

    /// Drops a view.
    ///
    /// ```swift
    /// // DROP VIEW "hero"
    /// try db.drop(view: "hero")
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if there is no such view.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_dropview.html>
    public func drop(view name: String) throws {
        try drop(view: name, options: [])
    }

    /// Drops a view.
    ///
    /// ```swift
    /// // DROP VIEW IF EXISTS "hero"
    /// try db.drop(view: "hero", options: .ifExists)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if there is no such view, unless the
    ///   options have `ifExists`.
    public func drop(view name: String, options: DropOptions) throws {
        try drop("VIEW", name, options)
    }
}
