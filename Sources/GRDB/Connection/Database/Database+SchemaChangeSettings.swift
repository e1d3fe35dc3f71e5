extension Database {
    /// Runs the closure with foreign keys disabled. It receives whether they were enabled.
    ///
    /// Not by `PRAGMA foreign_keys`: it could be interrupted, and leave foreign keys disabled. It also
    /// does nothing inside of a transaction.
    func disablingForeignKeys(_ body: (_ wereEnabled: Bool) throws -> Void) throws {
        guard raw.foreignKeysEnabled else {
            try body(false)
            return
        }
        raw.setForeignKeys(false)
        settingsDidChange()
        defer {
            raw.setForeignKeys(true)
            settingsDidChange()
        }
        try body(true)
    }

    /// Runs the closure with the settings that replacing a table needs: renaming a table does not touch
    /// triggers and views, which refer to a table that does not exist at this time, and names that
    /// don't exist are errors instead of strings.
    func withSettingsOfRebuilds(_ body: () throws -> Void) throws {
        let former = raw.setSettingsOfRebuilds()
        defer { raw.restoreSettings(former) }
        try body()
    }
}
