import CGRDBSQLite

/// A failure of a C function, as a plain value. The Errors room makes a `DatabaseError` of it.
struct RawFailure: Error {
    /// The extended result code.
    var code: CInt
    var message: String?
    /// The offset, in UTF-8 bytes, of the token in the SQL text that the failure is about.
    var offset: Int?
    /// The error of the system that kept a file from being opened, or 0.
    var systemError: CInt

    init(code: CInt, message: String? = nil, offset: Int? = nil, systemError: CInt = 0) {
        self.code = code
        self.message = message
        self.offset = offset
        self.systemError = systemError
    }

    /// The failure of a value for which there was no memory.
    static var outOfMemory: RawFailure {
        RawFailure(code: SQLITE_NOMEM, message: RawSQLite.errorString(SQLITE_NOMEM))
    }
}

/// The functions of SQLite that need no connection.
enum RawSQLite {
    /// The English text of a result code.
    static func errorString(_ code: CInt) -> String {
        guard let chars = grdb_sqlite3_errstr(code) else { return "unknown error" }
        return String(cString: chars)
    }

    /// Has SQLite count the memory that it uses, which its heap limits need. Only before it is used.
    ///
    /// - returns: a result code.
    static func countMemory() -> CInt { grdb_config_memory_status(1) }

    static var versionNumber: CInt { grdb_sqlite3_libversion_number() }

    static var version: String { String(cString: grdb_sqlite3_libversion()) }

    static var sourceID: String { String(cString: grdb_sqlite3_sourceid()) }

    /// Whether the word is a keyword of SQL, ASCII case apart.
    static func isKeyword(_ word: String) -> Bool {
        grdb_sqlite3_keyword_check(word, CInt(clamping: word.utf8.count)) != 0
    }
}
