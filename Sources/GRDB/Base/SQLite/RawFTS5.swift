public import CGRDBSQLite

/// The C structure for extending FTS5 with tokenizers and auxiliary functions.
///
/// This is the `fts5_api` of the SQLite that this package includes. A file that also imports
/// `GRDBSQLite` must use the name `GRDB.fts5_api`.
///
/// See <https://www.sqlite.org/fts5.html#extending_fts5>.
public typealias fts5_api = grdb_fts5_api

extension RawConnection {
    /// The FTS5 API of the connection, valid while the connection is open.
    func fts5API() throws(RawFailure) -> UnsafeMutablePointer<fts5_api> {
        let handle = try openHandle()
        var code = SQLITE_OK
        guard let api = grdb_fts5_api_from_db(handle, &code) else {
            throw failure(code == SQLITE_OK ? SQLITE_ERROR : code)
        }
        return api
    }
}

/// A text to tokenize, and the receiver of its tokens. Valid during the call.
struct RawTokenization {
    typealias TokenCallback =
        @convention(c) (
            UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>?, CInt, CInt, CInt
        ) -> CInt

    /// The context argument of the callback.
    var context: UnsafeMutableRawPointer?
    /// The reason for the tokenization.
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

    /// The maximum size of a token, in bytes. FTS5 ignores further bytes.
    static let maximumTokenCount = Int(GRDB_MAX_TOKEN_SIZE)

    /// The receiver of the tokens needs no more of them. Not an error.
    static let done = SQLITE_DONE

    /// Whether the tokens go to the index of a table.
    var writesIndex: Bool {
        grdb_token_callback_writes_index(callback, context) != 0
    }

    /// The table whose index receives the tokens; nil if they have another receiver.
    var indexedTable: String? {
        grdb_token_callback_table(callback, context).map { String(cString: $0) }
    }

    /// Whether FTS5 has saved the index in the middle of the current row. The remaining tokens of the
    /// row would then contradict the saved ones.
    var wasInterrupted: Bool {
        grdb_token_callback_was_interrupted(callback, context) != 0
    }

    /// Whether a statement reads the table whose index receives the tokens.
    func isRead(by statement: SQLiteStatement) -> Bool {
        grdb_token_callback_is_read_by(callback, context, statement) != 0
    }
}

/// A filter between a tokenizer and the receiver of its tokens, which rejects harmful tokens.
struct RawTokenGuard {
    private var guarded: grdb_token_guard

    init(_ tokenization: RawTokenization) {
        guarded = grdb_token_guard()
        guarded.callback = tokenization.callback
        guarded.context = tokenization.context
        guarded.text = tokenization.text
        guarded.text_count = tokenization.textCount
        guarded.is_text_utf8 = -1
    }

    /// Calls the closure with the context and the callback to pass to the tokenizer.
    @inline(__always)
    mutating func tokenize(
        _ body: (UnsafeMutableRawPointer, RawTokenization.TokenCallback) -> CInt
    ) -> CInt {
        withUnsafeMutablePointer(to: &guarded) { body($0, grdb_guard_token) }
    }

    /// The first result of the guarded callback that was not `SQLITE_OK`.
    var code: CInt { guarded.code }

    /// The problem of a rejected token.
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
