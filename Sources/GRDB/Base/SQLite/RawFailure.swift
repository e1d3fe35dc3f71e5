import CGRDBSQLite

/// A failure of a C function, as a plain value. The Errors folder converts it to a `DatabaseError`.
package struct RawFailure: Error {
    /// The extended result code.
    package var code: CInt
    package var message: String?
    /// The offset of the token that caused the failure, in UTF-8 bytes of the SQL text.
    var offset: Int?
    /// The system error that prevented a file from being opened, or 0.
    var systemError: CInt = 0

    package init(code: CInt, message: String? = nil, offset: Int? = nil, systemError: CInt = 0) {
        self.code = code
        self.message = message
        self.offset = offset
        self.systemError = systemError
    }

    /// The failure to allocate memory for a value.
    static var outOfMemory: RawFailure {
        RawFailure(code: SQLITE_NOMEM, message: RawSQLite.errorString(SQLITE_NOMEM))
    }
}

/// The functions of SQLite that need no connection.
package enum RawSQLite {
    /// The English description of a result code.
    package static func errorString(_ code: CInt) -> String {
        guard let chars = grdb_sqlite3_errstr(code) else { return "unknown error" }
        return String(cString: chars)
    }

    /// Enables SQLite's memory statistics, which its heap limits need. Must be called before SQLite is used.
    ///
    /// - returns: a result code.
    static func countMemory() -> CInt { grdb_config_memory_status(1) }

    static var versionNumber: CInt { grdb_sqlite3_libversion_number() }

    /// Whether a word is an SQL keyword, ignoring ASCII case.
    static func isKeyword(_ word: String) -> Bool {
        grdb_sqlite3_keyword_check(word, CInt(clamping: word.utf8.count)) != 0
    }
}
