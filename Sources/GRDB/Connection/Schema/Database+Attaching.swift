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
    /// An attached database belongs to one connection. Attach in
    /// ``Configuration/prepareDatabase(_:)``, so that all connections of a pool have it.
    ///
    /// - parameter path: the path of the file, `:memory:` for a new in-memory database, the empty
    ///   string for a new temporary one, and `file:…` for what the URI says. A file that does not
    ///   exist is created.
    /// - parameter schemaName: the name of the schema.
    /// - throws: a ``DatabaseError``, of code `SQLITE_CANTOPEN` if the file can't be opened or
    ///   created, `SQLITE_NOTADB` if it is not a database, `SQLITE_ERROR` if the name of the schema
    ///   is in use.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_attach.html>
    public func attach(_ path: String, as schemaName: String) throws {
        if let offset = path.utf8.firstOffset(of: 0) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "The path holds a NUL character, at byte \(offset)")
        }
        try Self.checkName(schemaName, of: "schema")
        try execute(sql: "ATTACH DATABASE ? AS ?", arguments: [path, schemaName])
    }

    /// Attaches another database to the connection, with the parameters of its URI.
    ///
    /// ```swift
    /// let archive = DatabaseURI(path: "/path/to/archive.sqlite", parameters: [.mode(.readOnly)])
    /// try db.attach(archive, as: "archive")
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_CANTOPEN` if the file can't be opened or
    ///   created, `SQLITE_NOTADB` if it is not a database, `SQLITE_ERROR` if the name of the schema
    ///   is in use.
    public func attach(_ uri: DatabaseURI, as schemaName: String) throws {
        try attach(uri.string, as: schemaName)
    }

    /// Detaches an attached database.
    ///
    /// - throws: a ``DatabaseError``: when there is no such schema, when it is `main` or `temp`,
    ///   or while it is in use.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_detach.html>
    public func detach(_ schemaName: String) throws {
        try Self.checkName(schemaName, of: "schema")
        try execute(sql: "DETACH DATABASE ?", arguments: [schemaName])
    }
}
