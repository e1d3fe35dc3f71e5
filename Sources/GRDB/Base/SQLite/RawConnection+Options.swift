import CGRDBSQLite

extension RawConnection {
    func isOn(_ option: RawOption) -> Bool {
        var isOn: CInt = 0
        if let handle { _ = grdb_db_config_int(handle, option.code, -1, &isOn) }
        return isOn != 0
    }

    func set(_ option: RawOption, _ isOn: Bool) {
        if let handle { _ = grdb_db_config_int(handle, option.code, isOn ? 1 : 0, nil) }
    }

    /// Whether foreign keys are enforced.
    package var foreignKeysEnabled: Bool { isOn(.foreignKeys) }
}

/// The options of a connection that are on or off.
///
/// See <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>.
struct RawOption {
    fileprivate let code: CInt

    static let foreignKeys = RawOption(code: SQLITE_DBCONFIG_ENABLE_FKEY)

    /// Allows the schema to use functions and virtual tables that have side effects.
    static let trustedSchema = RawOption(code: SQLITE_DBCONFIG_TRUSTED_SCHEMA)

    /// Prevents SQL from damaging the file, and from changing shadow tables.
    static let defensive = RawOption(code: SQLITE_DBCONFIG_DEFENSIVE)

    /// Allows double-quoted string literals in the schema.
    static let quotedStringsInSchema = RawOption(code: SQLITE_DBCONFIG_DQS_DDL)

    /// Allows double-quoted string literals in other statements.
    static let quotedStrings = RawOption(code: SQLITE_DBCONFIG_DQS_DML)

    /// Makes `ALTER TABLE RENAME` leave triggers and views unchanged.
    static let legacyRenaming = RawOption(code: SQLITE_DBCONFIG_LEGACY_ALTER_TABLE)

    /// Makes the next `VACUUM` empty the database.
    static let resetsDatabase = RawOption(code: SQLITE_DBCONFIG_RESET_DATABASE)

    /// Allows the C function to load extensions.
}
