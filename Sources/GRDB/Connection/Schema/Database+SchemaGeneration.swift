// The generation of the schema: a number that changes when compiled statements become outdated.

extension Database {
    /// Discards all cached information on the schema.
    func schemaDidChange() {
        schemaCache.removeAll()
        schemaGeneration &+= 1
        // SQLite checks only the schemas that a statement uses. A new table may hide another table,
        // and BEGIN IMMEDIATE does not lock a database that was attached later.
        expirePreparedStatements()
    }

    /// Discards cached information on the effects of statements, because foreign keys and triggers
    /// may have been enabled or disabled.
    func settingsDidChange() {
        schemaGeneration &+= 1
    }

    /// Checks whether another connection has changed the schema: once per transaction, and before
    /// each statement outside transactions.
    package func noteSchemaChangesOfOthers(isInTransaction: Bool) {
        if isInTransaction, schemaCheck.transaction == transactionNumber { return }
        schemaCheck.transaction = transactionNumber
        guard let version = isInTransaction ? try? raw.beginRead() : try? raw.mainSchemaVersion(),
            version != schemaCheck.version
        else { return }
        if schemaCheck.version != nil {
            // Compiling a statement does not read the file.
            raw.reloadSchema()
        }
        schemaCheck.version = version
        schemaGeneration &+= 1
    }
}
