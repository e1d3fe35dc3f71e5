/// Brings the Swift errors of tokenizers past C.
///
/// C code, or an implementation of `tokenize(context:…)`, knows nothing but result codes. So the
/// calls of tokenizers that are under way on a thread form a stack. A tokenizer leaves its error in
/// the innermost call, which hands it on to the outer call when it ends with an error code, and to
/// the connection whose statement tokenizes. An error that a tokenizer has caught is forgotten.
struct TokenizerScope {
    /// The error of the call.
    private var error: (any Error)?

    /// Whether the code of the call is that of the function that receives the tokens, of which
    /// there is no Swift error.
    private var isRefused = false

    /// The connection that got the error of an inner call.
    private var notified: RawConnection?

    /// The locale of the call, which `FTS5Tokenizer` has no argument for.
    private var locale: UnsafePointer<CChar>?
    private var localeCount: CInt = 0

    private static let innermost = ThreadLocalPointer()

    private static var current: UnsafeMutablePointer<TokenizerScope>? {
        innermost.value?.assumingMemoryBound(to: TokenizerScope.self)
    }

    private static func push<Result, Failure: Error>(
        _ scope: inout TokenizerScope, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeMutablePointer(to: &scope) { scope throws(Failure) in
            let outer = innermost.value
            innermost.value = UnsafeMutableRawPointer(scope)
            defer { innermost.value = outer }
            return try body()
        }
    }

    // MARK: - In a tokenizer

    /// Leaves the error of a tokenizer in the innermost call.
    ///
    /// - returns: the result code of the tokenizer. SQLite must not take it for one that it handles
    ///   in its own way, such as those that `INSERT OR IGNORE` ignores.
    static func fail(_ error: any Error, tokenizer name: String) -> CInt {
        let error = named(error, tokenizer: name)
        RawLog.log(
            code: ResultCode.SQLITE_ERROR.rawValue,
            (error as? DatabaseError)?.message ?? "tokenizer \(name): \(error)")
        // The error of a tokenizer replaces that of another one which it has caught.
        current?.pointee.error = error
        return ResultCode.SQLITE_ERROR.rawValue
    }

    /// Notes that the result code of the innermost call comes from the function that receives the
    /// tokens, not from the tokenizer.
    static func refuse() {
        current?.pointee.isRefused = true
    }

    /// The locale to use.
    static var currentLocale: (start: UnsafePointer<CChar>?, count: CInt) {
        current.map { ($0.pointee.locale, $0.pointee.localeCount) } ?? (nil, 0)
    }

    /// Errors are thrown as they are. The message of a ``DatabaseError`` begins with the name of
    /// the tokenizer.
    private static func named(_ error: any Error, tokenizer name: String) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        let prefix = "tokenizer \(name): "
        let message = error.message ?? ""
        if message.hasPrefix("tokenizer ") { return error }
        return DatabaseError(
            resultCode: error.extendedResultCode, message: prefix + message, sql: error.sql,
            arguments: error.arguments, publicStatementArguments: error.publicStatementArguments)
    }

    // MARK: - Around a tokenizer

    /// Runs a tokenizer that was made for FTS5.
    static func tokenize(
        _ tokenization: RawTokenization, with tokenizer: some FTS5CustomTokenizer,
        for connection: RawConnection?
    ) -> CInt {
        var scope = TokenizerScope()
        scope.locale = tokenization.locale
        scope.localeCount = tokenization.localeCount
        let code = push(&scope) {
            let code = tokenizer.tokenize(
                context: tokenization.context,
                tokenization: FTS5Tokenization(rawValue: tokenization.flags),
                pText: tokenization.text, nText: tokenization.textCount,
                tokenCallback: tokenization.callback)
            if code != RawStatement.ok, code != RawTokenization.done {
                failWithoutError(code, tokenizer: type(of: tokenizer).name)
            }
            return code
        }
        scope.end(
            isFailure: code != RawStatement.ok && code != RawTokenization.done, for: connection)
        return code
    }

    /// Makes a tokenizer for FTS5.
    static func makeTokenizer<Tokenizer: FTS5CustomTokenizer>(
        _ type: Tokenizer.Type, for db: Database, arguments: [String]
    ) -> Tokenizer? {
        var scope = TokenizerScope()
        let tokenizer: Tokenizer? = push(&scope) {
            do {
                return try type.init(db: db, arguments: arguments)
            } catch {
                _ = fail(error, tokenizer: type.name)
                return nil
            }
        }
        scope.end(isFailure: tokenizer == nil, for: db.raw)
        return tokenizer
    }

    /// Gives an error to the innermost call, if it has failed without one.
    private static func failWithoutError(_ code: CInt, tokenizer name: String) {
        guard let current, current.pointee.error == nil, !current.pointee.isRefused else { return }
        _ = fail(DatabaseError(resultCode: ResultCode(rawValue: code)), tokenizer: name)
    }

    /// Hands the error on, once the call has ended.
    private func end(isFailure: Bool, for connection: RawConnection?) {
        guard isFailure else {
            notified?.callbackError = nil
            return
        }
        var notified = notified
        if let error, let connection, connection.callbackError == nil {
            connection.callbackError = error
            notified = connection
        }
        guard let outer = Self.current else { return }
        outer.pointee.error = error
        outer.pointee.isRefused = isRefused
        outer.pointee.notified = notified ?? outer.pointee.notified
    }

    // MARK: - In Swift code

    /// Throws the error of the tokenizers that the closure calls, if it returns an error code.
    static func withErrors(_ body: () throws -> CInt) throws -> CInt {
        var scope = TokenizerScope()
        let code: CInt
        do {
            code = try push(&scope, body)
        } catch {
            scope.notified?.callbackError = nil
            throw scope.error ?? error
        }
        scope.notified?.callbackError = nil
        if code != RawStatement.ok, code != RawTokenization.done, let error = scope.error {
            throw error
        }
        return code
    }
}
