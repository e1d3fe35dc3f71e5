extension Database {
    /// Attaches another database file to the connection.
    ///
    /// ```swift
    /// try dbQueue.writeWithoutTransaction { db in
    ///     try db.attach("/path/to/archive.sqlite", as: "archive")
    ///     let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM archive.player")
    /// }
    /// ```
    ///
    /// An attached database belongs to one connection. To attach it to all connections of a pool,
    /// call this method in ``Configuration/prepareDatabase(_:)``.
    ///
    /// - parameter path: the path of the file, `:memory:` for a new in-memory database, an empty
    ///   string for a new temporary database, or a `file:…` URI. The file is created if it does not
    ///   exist.
    /// - parameter schemaName: the name of the schema.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CANTOPEN` if the file can't be opened or
    ///   created, `SQLITE_NOTADB` if it is not a database, `SQLITE_ERROR` if the name of the schema
    ///   is in use.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_attach.html>
    public func attach(_ path: String, as schemaName: String) throws {
        if let offset = path.utf8.firstOffset(of: 0) {
            throw DatabaseError(misuse: "The path holds a NUL character, at byte \(offset)")
        }
        try Self.checkName(schemaName, of: "schema")
        try execute(sql: "ATTACH DATABASE ? AS ?", arguments: [path, schemaName])
    }

    /// Detaches an attached database.
    ///
    /// ```swift
    /// try db.detach("archive")
    /// ```
    ///
    /// - throws: a ``DatabaseError`` if there is no such schema, if it is `main` or `temp`, or
    ///   while it is in use.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_detach.html>
    public func detach(_ schemaName: String) throws {
        try Self.checkName(schemaName, of: "schema")
        try execute(sql: "DETACH DATABASE ?", arguments: [schemaName])
    }
}
