/// Passes the Swift errors of tokenizers through C code.
///
/// C code and implementations of `tokenize(context:…)` only know result codes. The active calls of
/// tokenizers on a thread therefore form a stack. A tokenizer stores its error in the innermost
/// call. If that call ends with an error code, it passes the error to the outer call, and to the
/// connection whose statement tokenizes. An error that a tokenizer has caught is discarded.
struct TokenizerScope {
    /// The error of the call.
    private var error: (any Error)?

    /// Whether the result code of the call is that of the function that receives the tokens, which
    /// has no Swift error.
    private var isRefused = false

    /// The connection that received the error of an inner call.
    private var notified: RawConnection?

    /// The locale of the call. `FTS5Tokenizer` has no argument for it.
    private var locale: UnsafePointer<CChar>?
    private var localeCount: CInt = 0

    /// The tokenizer to create, if the call is an initializer.
    private var initializer: (connection: ObjectIdentifier, descriptor: [String])?

    /// The connection that the tokenizer works for, if FTS5 has called the tokenizer.
    private var connection: ObjectIdentifier?

    private var tokenizer: (any FTS5CustomTokenizer.Type)?

    /// The tokenization that FTS5 has requested; nil while the tokenizer is created.
    private var tokenization: RawTokenization?

    /// The savepoints that the tokenizer has begun.
    private var savepoints: [String] = []

    /// Whether the tokenizer has begun the transaction.
    private var hasBegunTransaction = false

    /// The enclosing call on the same thread.
    private var outer: UnsafeMutablePointer<TokenizerScope>?

    /// The number of enclosing calls.
    private var depth = 0

    /// More than any tokenizer needs, and few enough for the smallest thread stacks.
    static let maximumDepth = 50

    private static let innermost = ThreadLocalPointer()

    private static var current: UnsafeMutablePointer<TokenizerScope>? {
        innermost.value?.assumingMemoryBound(to: TokenizerScope.self)
    }

    private static func push<Result, Failure: Error>(
        _ scope: inout TokenizerScope, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeMutablePointer(to: &scope) { scope throws(Failure) in
            let outer = current
            scope.pointee.outer = outer
            scope.pointee.depth = (outer?.pointee.depth ?? 0) + 1
            innermost.value = UnsafeMutableRawPointer(scope)
            defer { innermost.value = outer.map { UnsafeMutableRawPointer($0) } }
            return try body()
        }
    }

    // MARK: - In a tokenizer

    /// Stores the error of a tokenizer in the innermost call.
    ///
    /// - returns: the result code of the tokenizer. It is never a code that SQLite handles
    ///   specially, such as a code that `INSERT OR IGNORE` ignores.
    static func fail(_ error: any Error, tokenizer name: String) -> CInt {
        let error = named(error, tokenizer: name)
        RawLog.log(
            code: ResultCode.SQLITE_ERROR.rawValue,
            (error as? DatabaseError)?.message ?? "tokenizer \(name): \(error)")
        // The error of a tokenizer replaces an earlier error that the tokenizer has caught.
        current?.pointee.error = error
        current?.pointee.isRefused = false
        return ResultCode.SQLITE_ERROR.rawValue
    }

    /// Records that the result code of the innermost call is that of the function that receives the
    /// tokens, not that of the tokenizer.
    static func refuse() {
        current?.pointee.isRefused = true
    }

    /// The locale to use.
    static var currentLocale: (start: UnsafePointer<CChar>?, count: CInt) {
        current.map { ($0.pointee.locale, $0.pointee.localeCount) } ?? (nil, 0)
    }

    /// Errors are returned unchanged, except that the message of a ``DatabaseError`` is prefixed
    /// with the name of the tokenizer.
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

    /// Runs a tokenizer that was created for FTS5.
    static func tokenize(
        _ tokenization: RawTokenization, with tokenizer: some FTS5CustomTokenizer,
        for connection: RawConnection?
    ) -> CInt {
        var scope = TokenizerScope()
        scope.locale = tokenization.locale
        scope.localeCount = tokenization.localeCount
        scope.tokenizer = type(of: tokenizer)
        scope.tokenization = tokenization
        scope.connection = connection.map { ObjectIdentifier($0) }
        connection?.tokenizerDepth += 1
        defer { connection?.tokenizerDepth -= 1 }
        let code = push(&scope) {
            let code = guarding(tokenization, by: tokenizer)
            if code == RawStatement.ok, tokenization.wasInterrupted {
                return fail(interruptedIndex, tokenizer: type(of: tokenizer).name)
            }
            return code
        }
        let isFailure = code != RawStatement.ok && code != RawTokenization.done
        if isFailure, let connection, tokenization.writesIndex {
            connection.hasFailedWithinChange = true
        }
        scope.end(isFailure: isFailure, for: connection)
        return code
    }

    /// Calls a tokenizer through the token guard, in a call that was pushed.
    ///
    /// - returns: `SQLITE_OK`, the code of the callback, or the code of a failure that has stored
    ///   an error.
    static func guarding(
        _ tokenization: RawTokenization, by tokenizer: some FTS5Tokenizer
    ) -> CInt {
        if let current, current.pointee.depth > maximumDepth {
            return fail(tooDeep, tokenizer: name(of: tokenizer))
        }
        var tokens = RawTokenGuard(tokenization)
        let code = tokens.tokenize { context, tokenCallback in
            tokenizer.tokenize(
                context: context, tokenization: FTS5Tokenization(rawValue: tokenization.flags),
                pText: tokenization.text, nText: tokenization.textCount,
                tokenCallback: tokenCallback)
        }
        if code == RawStatement.ok, tokens.code == RawStatement.ok { return code }
        return endGuarding(tokens, code: code, tokenizer: name(of: tokenizer))
    }

    private static func endGuarding(
        _ tokens: RawTokenGuard, code: CInt, tokenizer name: String
    ) -> CInt {
        if let problem = tokens.problem {
            return fail(
                DatabaseError(misuse: problem), tokenizer: name)
        }
        let hasError = current?.pointee.error != nil
        if tokens.code != RawStatement.ok {
            if hasError, code != tokens.code { return ResultCode.SQLITE_ERROR.rawValue }
            // Even if the tokenizer has ignored the code.
            refuse()
            return tokens.code
        }
        // The callback has accepted all tokens.
        let result = ResultCode(rawValue: code)
        if result == .SQLITE_ROW || result == .SQLITE_DONE {
            // FTS5 treats the latter as success, and the former makes statements run forever.
            return fail(
                DatabaseError(misuse: "the result code \(code) is that of no failure"),
                tokenizer: name)
        }
        if current?.pointee.isRefused == true { return code }
        if !hasError { return fail(DatabaseError(resultCode: result), tokenizer: name) }
        // Not the code of the tokenizer, which SQLite might handle specially.
        return ResultCode.SQLITE_ERROR.rawValue
    }

    static var wrapsItselfError: DatabaseError {
        DatabaseError(misuse: "the tokenizer wraps itself")
    }

    /// The name of a tokenizer for its errors.
    static func name(of tokenizer: any FTS5Tokenizer) -> String {
        switch tokenizer {
        case let tokenizer as any FTS5CustomTokenizer: type(of: tokenizer).name
        case let tokenizer as RegisteredTokenizer: tokenizer.name
        default: "\(type(of: tokenizer))"
        }
    }

    private static var tooDeep: DatabaseError {
        DatabaseError(message: "more than \(maximumDepth) tokenizers call one another")
    }

    /// Calls the closure as the tokenization of a tokenizer that FTS5 does not manage.
    static func nesting(_ body: () -> CInt) -> CInt {
        var scope = TokenizerScope()
        let outer = currentLocale
        scope.locale = outer.start
        scope.localeCount = outer.count
        let code = push(&scope, body)
        scope.end(
            isFailure: code != RawStatement.ok && code != RawTokenization.done, for: nil)
        return code
    }

    /// Creates a tokenizer for FTS5.
    static func makeTokenizer<Tokenizer: FTS5CustomTokenizer>(
        _ type: Tokenizer.Type, for db: Database, arguments: [String]
    ) -> Tokenizer? {
        let connection = ObjectIdentifier(db)
        let descriptor = [ASCIICase.lowercased(type.name)] + arguments
        let wrapsItself = isBeingMade(descriptor, for: connection)
        var scope = TokenizerScope()
        scope.initializer = (connection, descriptor)
        scope.tokenizer = type
        scope.connection = ObjectIdentifier(db.raw)
        db.raw.tokenizerDepth += 1
        defer { db.raw.tokenizerDepth -= 1 }
        let tokenizer: Tokenizer? = push(&scope) {
            do {
                if wrapsItself { throw wrapsItselfError }
                if let current, current.pointee.depth > maximumDepth { throw tooDeep }
                return try type.init(db: db, arguments: arguments)
            } catch {
                _ = fail(error, tokenizer: type.name)
                return nil
            }
        }
        if tokenizer == nil {
            // FTS5 creates the tokenizer of a table when it first needs it, even during a change.
            db.raw.hasFailedWithinChange = true
        }
        scope.end(isFailure: tokenizer == nil, for: db.raw)
        return tokenizer
    }

    /// Whether a tokenizer creates another tokenizer with the same descriptor in its initializer.
    private static func isBeingMade(
        _ descriptor: [String], for connection: ObjectIdentifier
    ) -> Bool {
        var scope = current
        while let call = scope {
            if let initializer = call.pointee.initializer, initializer.connection == connection,
                initializer.descriptor == descriptor
            {
                return true
            }
            scope = call.pointee.outer
        }
        return false
    }

    /// Passes the error on when the call has ended.
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

    // MARK: - Statements of tokenizers

    /// Throws an error if a statement must not run in the active tokenizers.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` that names the tokenizer.
    static func check(_ statement: Statement) throws {
        let connection = ObjectIdentifier(statement.raw)
        var scope = current
        while let call = scope {
            if call.pointee.connection == connection {
                try call.pointee.checkRuns(statement)
            }
            scope = call.pointee.outer
        }
    }

    private mutating func checkRuns(_ statement: Statement) throws {
        switch statement.effects.transactionEffect {
        case nil:
            break
        case .begin:
            if statement.raw.isInAutocommitMode { hasBegunTransaction = true }
        case .beginSavepoint(let name):
            savepoints.append(name)
        case .rollbackToSavepoint(let name):
            try checkOwnsSavepoint(name, statement)
        case .releaseSavepoint(let name):
            try checkOwnsSavepoint(name, statement)
            while let last = savepoints.popLast(), !ASCIICase.equal(last, name) {}
        case .commit, .rollback:
            if !hasBegunTransaction {
                throw refusal("a tokenizer can't end a transaction", statement)
            }
            hasBegunTransaction = false
        }
        guard let tokenization, let table = tokenization.indexedTable else { return }
        if !statement.isReadonly { try checkChanges(of: table, statement) }
        if tokenization.isRead(by: statement.sqliteStatement) {
            throw refusal("a tokenizer can't read the table that it indexes, \(table)", statement)
        }
    }

    private func checkChanges(of table: String, _ statement: Statement) throws {
        let tables = statement.effects.eventKinds.map(\.tableName)
        if (tables + [statement.effects.droppedOrAlteredTable].compactMap(\.self))
            .contains(where: { Self.isPart($0, of: table) })
        {
            throw refusal("a tokenizer can't change the table that it indexes, \(table)", statement)
        }
    }

    private func checkOwnsSavepoint(_ name: String, _ statement: Statement) throws {
        if !savepoints.contains(where: { ASCIICase.equal($0, name) }) {
            throw refusal("a tokenizer can't end a savepoint that it has not begun", statement)
        }
    }

    /// Whether a table is a full-text table, or one of its shadow tables.
    private static func isPart(_ table: String, of fullTextTable: String) -> Bool {
        ["", "_data", "_idx", "_content", "_docsize", "_config"].contains { suffix in
            ASCIICase.equal(table, fullTextTable + suffix)
        }
    }

    private func refusal(_ message: String, _ statement: Statement) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "tokenizer \(tokenizer?.name ?? ""): \(message)", sql: statement.sql)
    }

    private static var interruptedIndex: DatabaseError {
        DatabaseError(
            misuse: """
                the index was saved in the middle of a row. While it indexes a row, a tokenizer can't \
                change the schema, change several rows in one statement, or read the vocabulary of \
                the index
                """)
    }

    // MARK: - In Swift code

    /// Throws the error of the tokenizers that the closure calls, if the closure returns an error
    /// code.
    static func withErrors(
        locale: String? = nil, _ body: () throws -> CInt
    ) throws -> CInt {
        if var locale {
            return try locale.withUTF8 { utf8 in
                try utf8.withMemoryRebound(to: CChar.self) { chars in
                    var scope = TokenizerScope()
                    scope.locale = chars.baseAddress
                    scope.localeCount = CInt(clamping: chars.count)
                    return try withErrors(&scope, body)
                }
            }
        }
        var scope = TokenizerScope()
        return try withErrors(&scope, body)
    }

    private static func withErrors(
        _ scope: inout TokenizerScope, _ body: () throws -> CInt
    ) throws -> CInt {
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
