extension Database {
    /// Executes the closure with the given ``schemaSource``.
    ///
    /// ```swift
    /// try dbQueue.read { db in
    ///     let players = try db.withSchemaSource(PlayerSchemaSource()) {
    ///         try PlayerView.fetchAll(db, keys: [1, 2, 3])
    ///     }
    /// }
    /// ```
    ///
    /// - parameter schemaSource: the schema source; nil for none.
    /// - parameter block: the operations that use the schema source.
    /// - returns: the result of the closure.
    /// - throws: the error of the closure.
    public func withSchemaSource<T>(
        _ schemaSource: (any DatabaseSchemaSource)?, execute block: () throws -> T
    ) rethrows -> T {
        preconditionAccess()
        let formerSource = self.schemaSource
        self.schemaSource = schemaSource
        schemaCache.removeAll()
        defer {
            self.schemaSource = formerSource
            schemaCache.removeAll()
        }
        return try block()
    }
}

extension DatabaseSchemaSource {
    /// Returns a schema source that falls back to another schema source.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.schemaSource = PlayerSchemaSource().then(TeamSchemaSource())
    /// ```
    public func then(_ other: some DatabaseSchemaSource) -> some DatabaseSchemaSource {
        ChainedSchemaSource(first: self, second: other)
    }
}

private struct ChainedSchemaSource<
    First: DatabaseSchemaSource, Second: DatabaseSchemaSource
>: DatabaseSchemaSource {
    let first: First
    let second: Second

    func columnsForPrimaryKey(
        _ db: Database, inView view: DatabaseObjectID
    ) throws -> [String]? {
        try first.columnsForPrimaryKey(db, inView: view)
            ?? second.columnsForPrimaryKey(db, inView: view)
    }
}
