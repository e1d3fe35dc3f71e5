// The generation of the schema: a number that changes with what statements were compiled for.

extension Database {
    /// Forgets what was known of the schema.
    func schemaDidChange() {
        schemaCache.removeAll()
        schemaGeneration &+= 1
        // SQLite only looks at the schemas that a statement uses: a new table may hide another one,
        // and BEGIN IMMEDIATE does not lock a database that was attached later.
        expirePreparedStatements()
    }

    /// Forgets what statements can do: foreign keys and triggers may act now, or not any more.
    func settingsDidChange() {
        schemaGeneration &+= 1
    }

    /// Checks whether another connection has changed the schema: once per transaction, or before
    /// each statement outside of transactions.
    func noteSchemaChangesOfOthers(isInTransaction: Bool) {
        if isInTransaction, schemaCheckTransaction == transactionNumber { return }
        schemaCheckTransaction = transactionNumber
        guard let version = isInTransaction ? try? raw.beginRead() : try? raw.mainSchemaVersion(),
            version != knownSchemaVersion
        else { return }
        if knownSchemaVersion != nil {
            // Compiling alone does not look at the file.
            raw.reloadSchema()
        }
        knownSchemaVersion = version
        schemaGeneration &+= 1
    }
}
