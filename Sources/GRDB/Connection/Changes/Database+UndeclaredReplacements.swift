// Tables that C code drops or renames on `sqliteConnection`. No statement of the library can refuse that, and
// the authorizer must not run any. It notes them for the end of the transaction.

/// A table that C code has compiled a statement for, which drops or renames the table.
struct CompiledReplacement {
    let table: String
    let transactionNumber: Int
    /// The version of the schema before the statement runs. SQLite compiles the statement again for another
    /// version.
    let schemaVersion: Int32
}

extension Database {
    /// The tables of the main schema that C code may have dropped or renamed in the current transaction. Tables
    /// are noted while `willReplaceTable` is set.
    package var undeclaredReplacements: [String] {
        if compiledReplacements.isEmpty { return [] }
        let version = raw.compiledSchemaVersion
        return
            compiledReplacements
            // Otherwise, the statement has not run.
            .filter { $0.transactionNumber == transactionNumber && $0.schemaVersion != version }
            .map(\.table)
    }

    /// Called when a transaction has ended, and when one begins: C code may also compile statements between
    /// transactions.
    ///
    /// Statements that are kept for later must be compiled, and thereby noted, again.
    package func forgetUndeclaredReplacements() {
        if compiledReplacements.isEmpty { return }
        compiledReplacements = []
        expirePreparedStatements()
    }

    /// In the authorizer, notes a table that C code drops or renames if the statement runs.
    func noteUndeclaredReplacement(of table: String) {
        if callbacks.willReplaceTable == nil { return }
        compiledReplacements.append(
            CompiledReplacement(
                table: table, transactionNumber: transactionNumber,
                schemaVersion: raw.compiledSchemaVersion))
        // Installs the commit hook.
        broker.noteUndeclaredChange()
    }
}
