extension Database {
    /// Clears the database schema cache.
    ///
    /// The library does it on its own when this connection changes the schema. Call it after other
    /// code has changed the schema by way of ``sqliteConnection``.
    public func clearSchemaCache() {
        preconditionAccess()
        self[SchemaCacheKey.self] = SchemaCache()
    }
}

/// What the connection has learned of the schema since it last changed.
struct SchemaCache {}

enum SchemaCacheKey: DatabaseStorageKey {
    static var defaultValue: SchemaCache { SchemaCache() }
}
