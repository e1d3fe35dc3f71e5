extension Database {
    /// Discards what the connection knows about the schema.
    ///
    /// The library clears the cache when this connection changes the schema, and detects changes by
    /// other connections. Call this method after other code has changed the schema through
    /// ``sqliteConnection``.
    public func clearSchemaCache() {
        preconditionAccess()
        schemaCache.removeAll()
    }

    /// The schema cache. It is cleared first if another connection has changed the schema.
    ///
    /// Inside a transaction, changes by other connections are not visible, so the version of the
    /// schema is read only once.
    package func validSchemaCache() throws -> SchemaCache {
        try checkAccess()
        schemaCache.useCount &+= 1
        if schemaCache.validTransaction == transactionNumber, isTransactionDated,
            !raw.isInAutocommitMode
        {
            return schemaCache
        }
        // The list of schemas changes only through this connection, which then resets the versions.
        if let version = schemaCache.onlyVersion, try mainSchemaVersion() == version {
            schemaCache.validTransaction = transactionNumber
            return schemaCache
        }
        let versions = try currentSchemaVersions()
        if versions != schemaCache.versions {
            schemaCache.removeAll()
            // The list of schemas was read to get the versions. It changes only through this
            // connection.
            schemaCache.schemaIDs = versions.schemaIDs
            schemaCache.versions = versions
        }
        schemaCache.validTransaction = transactionNumber
        return schemaCache
    }

    /// Reads the version of each schema that other connections can change.
    private func currentSchemaVersions() throws -> SchemaVersions {
        let schemaIDs = try schemaCache.schemaIDs ?? fetchSchemaIDs()
        let main = try mainSchemaVersion()
        var attached: [Int32] = []
        for schemaID in schemaIDs where schemaID != .main && schemaID != .temp {
            let schema = schemaID.name.quotedDatabaseIdentifier
            let version = try Int.fetchOne(self, sql: "PRAGMA \(schema).schema_version")
            attached.append(Int32(version ?? 0))
        }
        return SchemaVersions(schemaIDs: schemaIDs, main: main, attached: attached)
    }

    /// The version of the main schema.
    ///
    /// - parameter isOnRow: whether a statement is on a row that it reads from that schema.
    func mainSchemaVersion(isOnRow: Bool = false) throws -> Int32 {
        try convertingFailures(sql: "PRAGMA main.schema_version") {
            try isOnRow ? raw.mainSchemaVersionOnRow() : raw.mainSchemaVersion()
        }
    }

    /// Reads the schemas, in the order in which SQLite looks for unqualified names.
    private func fetchSchemaIDs() throws -> [DatabaseSchemaID] {
        let names = try Row.fetchAll(self, sql: "PRAGMA database_list").map { $0[1] as String }
        let attached = names.filter { $0 != "main" && $0 != "temp" }
        // Always search temp, because its tables may be created after the list was read.
        return [.temp, .main] + attached.map { .attached($0) }
    }
}
