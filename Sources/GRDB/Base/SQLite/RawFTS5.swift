public import CGRDBSQLite

/// The C structure through which FTS5 is extended: with tokenizers, and with auxiliary functions.
///
/// It is the `fts5_api` of the SQLite that this package brings. A file that imports `GRDBSQLite`
/// too writes `GRDB.fts5_api`.
///
/// See <https://www.sqlite.org/fts5.html#extending_fts5>.
public typealias fts5_api = grdb_fts5_api

extension RawConnection {
    /// The FTS5 API of the connection, valid as long as the connection is open.
    func fts5API() throws(RawFailure) -> UnsafeMutablePointer<fts5_api> {
        guard let handle else {
            throw RawFailure(code: SQLITE_MISUSE, message: "Connection is closed")
        }
        var code = SQLITE_OK
        guard let api = grdb_fts5_api_from_db(handle, &code) else {
            throw failure(code == SQLITE_OK ? SQLITE_ERROR : code)
        }
        return api
    }
}

/// A text to tokenize, and where its tokens go. Valid during the call.
struct RawTokenization {
    typealias TokenCallback =
        @convention(c) (
            UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>?, CInt, CInt, CInt
        ) -> CInt

    /// What the callback receives.
    var context: UnsafeMutableRawPointer?
    /// Why the text is tokenized.
    var flags: CInt
    var text: UnsafePointer<CChar>?
    var textCount: CInt
    var locale: UnsafePointer<CChar>?
    var localeCount: CInt
    var callback: TokenCallback

    static let query = FTS5_TOKENIZE_QUERY
    static let prefix = FTS5_TOKENIZE_PREFIX
    static let document = FTS5_TOKENIZE_DOCUMENT
    static let aux = FTS5_TOKENIZE_AUX

    static let colocatedToken = FTS5_TOKEN_COLOCATED

    /// FTS5 ignores the bytes of tokens after these.
    static let maximumTokenCount = Int(GRDB_MAX_TOKEN_SIZE)

    /// Not an error: the receiver of the tokens wants no more.
    static let done = SQLITE_DONE

    /// Whether the tokens go to the index of a table.
    var writesIndex: Bool {
        grdb_token_callback_writes_index(callback, context) != 0
    }

    /// The table whose index the tokens go to; nil if they go elsewhere.
    var indexedTable: String? {
        grdb_token_callback_table(callback, context).map { String(cString: $0) }
    }

    /// Whether FTS5 has saved the index in the middle of the row whose tokens it receives. The rest
    /// of the row then contradicts its beginning.
    var wasInterrupted: Bool {
        grdb_token_callback_was_interrupted(callback, context) != 0
    }

    /// Whether a statement reads the table whose index the tokens go to.
    func isRead(by statement: SQLiteStatement) -> Bool {
        grdb_token_callback_is_read_by(callback, context, statement) != 0
    }
}

/// Stands between a tokenizer and what receives its tokens, and turns down those that could do harm.
struct RawTokenGuard {
    private var guarded: grdb_token_guard

    init(
        context: UnsafeMutableRawPointer?, text: UnsafePointer<CChar>?, textCount: CInt,
        callback: @escaping RawTokenization.TokenCallback
    ) {
        guarded = grdb_token_guard()
        guarded.callback = callback
        guarded.context = context
        guarded.text = text
        guarded.text_count = textCount
        guarded.is_text_utf8 = -1
    }

    /// Calls the closure with the context and the callback to give to the tokenizer.
    @inline(__always)
    mutating func tokenize(
        _ body: (UnsafeMutableRawPointer, RawTokenization.TokenCallback) -> CInt
    ) -> CInt {
        withUnsafeMutablePointer(to: &guarded) { body($0, grdb_guard_token) }
    }

    /// The first result of the guarded callback that was not `SQLITE_OK`.
    var code: CInt { guarded.code }

    /// What was wrong with a token.
    var problem: String? {
        switch guarded.problem {
        case GRDB_TOKEN_OK:
            nil
        case GRDB_TOKEN_NEGATIVE_COUNT:
            "a token has a length of \(guarded.token_count) bytes"
        case GRDB_TOKEN_WITHOUT_START:
            "a token of \(guarded.token_count) bytes is at no address"
        case GRDB_TOKEN_OUT_OF_TEXT:
            """
            a token is found from byte \(guarded.token_start) to byte \(guarded.token_end) of a \
            text of \(guarded.text_count) bytes
            """
        case GRDB_TOKEN_TOO_LONG:
            "a token of \(guarded.token_count) bytes goes beyond its buffer"
        default:
            "a token is not UTF-8"
        }
    }
}
