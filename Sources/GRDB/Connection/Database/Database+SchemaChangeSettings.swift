extension Database {
    /// Runs the closure with foreign keys disabled. The closure receives whether they were enabled.
    ///
    /// Does not use `PRAGMA foreign_keys`, which could be interrupted and leave foreign keys disabled, and
    /// which has no effect in a transaction.
    package func disablingForeignKeys(_ body: (_ wereEnabled: Bool) throws -> Void) throws {
        guard raw.foreignKeysEnabled else {
            try body(false)
            return
        }
        raw.set(.foreignKeys, false)
        settingsDidChange()
        defer {
            raw.set(.foreignKeys, true)
            settingsDidChange()
        }
        try body(true)
    }

    /// Runs the closure with the settings for replacing a table. Renaming a table does not update triggers
    /// and views, which temporarily refer to a missing table. Unknown names in double quotes are errors
    /// instead of strings.
    package func withSettingsOfRebuilds(_ body: () throws -> Void) throws {
        let renamedLegacy = raw.isOn(.legacyRenaming)
        let acceptedQuotedStrings = raw.isOn(.quotedStringsInSchema)
        raw.set(.legacyRenaming, true)
        raw.set(.quotedStringsInSchema, false)
        defer {
            raw.set(.legacyRenaming, renamedLegacy)
            raw.set(.quotedStringsInSchema, acceptedQuotedStrings)
        }
        try body()
    }
}
