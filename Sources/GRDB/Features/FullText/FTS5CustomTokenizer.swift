/// A tokenizer written in Swift.
///
/// ```swift
/// final class MyTokenizer: FTS5CustomTokenizer {
///     static let name = "custom"
///
///     init(db: Database, arguments: [String]) throws { ... }
///
///     func tokenize(
///         context: UnsafeMutableRawPointer?,
///         tokenization: FTS5Tokenization,
///         pText: UnsafePointer<CChar>?,
///         nText: CInt,
///         tokenCallback: FTS5TokenCallback
///     ) -> CInt { ... }
/// }
///
/// var config = Configuration()
/// config.prepareDatabase { db in
///     db.add(tokenizer: MyTokenizer.self)
/// }
///
/// try db.execute(sql: "CREATE VIRTUAL TABLE book USING fts5(title, tokenize='custom')")
/// ```
///
/// Most tokenizers are easier to write as an ``FTS5WrapperTokenizer``.
///
/// All connections that use a table need its tokenizer. If a tokenizer throws an error, the
/// statement that tokenizes throws the same error. The message of a ``DatabaseError`` is prefixed
/// with the name of the tokenizer. ``Database/logError`` receives all errors with this prefix.
///
/// See <doc:Tokenizers#Write-a-tokenizer>.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts5.html#custom_tokenizers>
public protocol FTS5CustomTokenizer: FTS5Tokenizer, SendableMetatype {
    /// The name of the tokenizer, in the `tokenize` option of tables. ASCII case is ignored.
    static var name: String { get }

    /// Creates a tokenizer for a table, or for ``Database/makeTokenizer(_:)``.
    ///
    /// FTS5 keeps the tokenizer of a table until the table is dropped, or the connection closed. If
    /// a tokenizer needs the connection later, it should hold an unowned reference to it.
    ///
    /// A tokenizer may run statements. While it splits a string for the index of a table, it can't
    /// read or change that table, read the vocabulary of the index, change the schema, begin a
    /// savepoint, or run a statement that changes several rows. It can never end a transaction or a
    /// savepoint that it has not begun. Such statements throw a ``DatabaseError`` of code
    /// `SQLITE_MISUSE`, or make the statement that tokenizes throw it, and the index is unchanged.
    ///
    /// - parameter db: the connection.
    /// - parameter arguments: the arguments that follow the name in the `tokenize` option.
    /// - throws: any error, for example for unknown arguments. The statement that creates or opens
    ///   the table then throws this error.
    init(db: Database, arguments: [String]) throws
}

extension FTS5CustomTokenizer {
    /// Returns a descriptor of this tokenizer with arguments.
    ///
    /// ```swift
    /// let tokenizer = try db.makeTokenizer(MyTokenizer.tokenizerDescriptor())
    /// ```
    public static func tokenizerDescriptor(arguments: [String] = []) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: [name] + arguments)
    }
}

extension Database {
    /// Adds a custom FTS5 tokenizer. It replaces a tokenizer of the same name for the tables that
    /// are opened from now on.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     db.add(tokenizer: MyTokenizer.self)
    /// }
    /// ```
    ///
    /// The same tokenizer can be added to several connections, such as the connections of a pool.
    /// If the tokenizer of a table is missing, the table can't be searched or changed. The rest of
    /// the database can be used. `vacuum()` and backups need no tokenizer.
    ///
    /// If the tokenizer can't be added, for example because its name contains a NUL character, the
    /// current access throws a ``DatabaseError`` and commits nothing. If the access can't throw,
    /// the next access of the connection does. If the method is called in `prepareDatabase`, the
    /// connection is not opened. ``tryAdd(tokenizer:)`` throws immediately.
    ///
    /// - precondition: the connection belongs to the current thread.
    public func add(tokenizer: (some FTS5CustomTokenizer).Type) {
        keepingFailure(of: "add tokenizer \(tokenizer.name)") { try tryAdd(tokenizer: tokenizer) }
    }

    /// Adds a custom FTS5 tokenizer like ``add(tokenizer:)``, but throws immediately.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     try db.tryAdd(tokenizer: MyTokenizer.self)
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the connection is closed or does
    ///   not belong to the current thread, or if the name contains a NUL character.
    public func tryAdd(tokenizer: (some FTS5CustomTokenizer).Type) throws {
        try checkAccess()
        guard !tokenizer.name.utf8.contains(0) else {
            throw DatabaseError(misuse: "The name contains a NUL character")
        }
        callbacks.checkWithinTokenizer = TokenizerScope.check
        // Weak references: FTS5 retains the closures until the connection is closed, and tokenizers
        // may outlive the connection.
        let module = RawTokenizerModule { [weak self] arguments in
            guard let self,
                let instance = TokenizerScope.makeTokenizer(
                    tokenizer, for: self, arguments: arguments)
            else { return nil }
            return RawTokenizer { [weak raw = self.raw] tokenization in
                TokenizerScope.tokenize(tokenization, with: instance, for: raw)
            }
        }
        try DatabaseError.convertingFailures { try module.register(in: raw, name: tokenizer.name) }
    }

    /// Creates a built-in tokenizer of SQLite, or a tokenizer that was added to this connection.
    ///
    /// ```swift
    /// let tokenizer = try db.makeTokenizer(.unicode61())
    /// ```
    ///
    /// - throws: a ``DatabaseError`` if there is no tokenizer of this name, or if it rejects its
    ///   arguments; or the error of a custom tokenizer.
    public func makeTokenizer(_ descriptor: FTS5TokenizerDescriptor) throws -> any FTS5Tokenizer {
        try checkAccess()
        let name = descriptor.components[0]
        if descriptor.components.contains(where: { $0.utf8.contains(0) }) {
            throw DatabaseError(misuse: "tokenizer descriptor contains a NUL character")
        }
        let arguments = Array(descriptor.components.dropFirst())
        var handle: RawTokenizerHandle?
        _ = try TokenizerScope.withErrors {
            handle = try DatabaseError.convertingFailures {
                try RawTokenizerHandle(name: name, arguments: arguments, in: raw)
            }
            return RawStatement.ok
        }
        return RegisteredTokenizer(name: name, handle!)
    }
}

/// A tokenizer found by its name.
final class RegisteredTokenizer: FTS5Tokenizer {
    let name: String
    private let handle: RawTokenizerHandle

    init(name: String, _ handle: RawTokenizerHandle) {
        self.name = name
        self.handle = handle
    }

    func tokenize(
        context: UnsafeMutableRawPointer?,
        tokenization: FTS5Tokenization,
        pText: UnsafePointer<CChar>?,
        nText: CInt,
        tokenCallback: FTS5TokenCallback
    ) -> CInt {
        let locale = TokenizerScope.currentLocale
        return handle.tokenize(
            RawTokenization(
                context: context, flags: tokenization.rawValue, text: pText, textCount: nText,
                locale: locale.start, localeCount: locale.count, callback: tokenCallback))
    }
}
