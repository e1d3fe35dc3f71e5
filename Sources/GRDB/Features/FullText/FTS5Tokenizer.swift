/// The reason for which FTS5 tokenizes a string.
///
/// See `FTS5_TOKENIZE_*` in <https://www.sqlite.org/fts5.html#custom_tokenizers>.
public struct FTS5Tokenization: OptionSet, Hashable, Sendable {
    public let rawValue: CInt

    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The text is a search pattern: `FTS5_TOKENIZE_QUERY`.
    public static let query = FTS5Tokenization(rawValue: RawTokenization.query)

    /// The last token is a prefix; combined with ``query``: `FTS5_TOKENIZE_PREFIX`.
    public static let prefix = FTS5Tokenization(rawValue: RawTokenization.prefix)

    /// The text belongs to a document that is inserted or deleted: `FTS5_TOKENIZE_DOCUMENT`.
    public static let document = FTS5Tokenization(rawValue: RawTokenization.document)

    /// An auxiliary function, such as `highlight()`, reads the document: `FTS5_TOKENIZE_AUX`.
    public static let aux = FTS5Tokenization(rawValue: RawTokenization.aux)
}

/// Flags of a token.
///
/// See `FTS5_TOKEN_*` in <https://www.sqlite.org/fts5.html#custom_tokenizers>.
public struct FTS5TokenFlags: OptionSet, Hashable, Sendable {
    public let rawValue: CInt

    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The token is a synonym: it has the position of the previous token. `FTS5_TOKEN_COLOCATED`.
    public static let colocated = FTS5TokenFlags(rawValue: RawTokenization.colocatedToken)
}

/// The function that receives the tokens of a string, one at a time.
///
/// If the function returns a code other than `SQLITE_OK` (0), the tokenizer must stop and return
/// this code.
///
/// - parameter context: the `context` of the tokenization.
/// - parameter flags: the raw value of a ``FTS5TokenFlags``.
/// - parameter pToken: the UTF-8 bytes of the token.
/// - parameter nToken: the number of bytes of the token. FTS5 ignores all bytes after the first
///   32,768.
/// - parameter iStart: the offset of the token in the text, in bytes.
/// - parameter iEnd: the offset of the end of the token in the text, in bytes.
public typealias FTS5TokenCallback =
    @convention(c) (
        _ context: UnsafeMutableRawPointer?,
        _ flags: CInt,
        _ pToken: UnsafePointer<CChar>?,
        _ nToken: CInt,
        _ iStart: CInt,
        _ iEnd: CInt
    ) -> CInt

/// A type that splits text into tokens.
///
/// ``Database/makeTokenizer(_:)`` returns the built-in tokenizers of SQLite, and tokenizers that
/// were added to a connection. To write your own tokenizer, see ``FTS5WrapperTokenizer`` and
/// ``FTS5CustomTokenizer``.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts5.html#tokenizers>
public protocol FTS5Tokenizer: AnyObject {
    /// Calls a function with each token of a string, in the order of the text.
    ///
    /// - parameter context: the first argument of the function.
    /// - parameter tokenization: the reason for which the text is tokenized.
    /// - parameter pText: the UTF-8 bytes of the text. They may contain NUL characters and invalid
    ///   UTF-8, and may not be NUL-terminated.
    /// - parameter nText: the number of bytes of the text.
    /// - parameter tokenCallback: the function that receives the tokens.
    /// - returns: `SQLITE_OK` (0), the first other result of the function, or an error code.
    func tokenize(
        context: UnsafeMutableRawPointer?,
        tokenization: FTS5Tokenization,
        pText: UnsafePointer<CChar>?,
        nText: CInt,
        tokenCallback: FTS5TokenCallback
    ) -> CInt
}

extension FTS5Tokenizer {
    /// Returns the tokens of a string, as FTS5 finds them in a document.
    ///
    /// ```swift
    /// let tokenizer = try db.makeTokenizer(.ascii())
    /// try tokenizer.tokenize(document: "foo bar")  // [("foo", []), ("bar", [])]
    /// ```
    ///
    /// - parameter string: the string.
    /// - throws: the error of the tokenizer.
    public func tokenize(
        document string: String
    ) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokens(of: string, for: .document, locale: nil)
    }

    /// Returns the tokens of a string with a locale, as FTS5 finds them in a document.
    ///
    /// - parameter string: the string.
    /// - parameter locale: the ``textLocale`` of the text; nil if it has none.
    /// - throws: the error of the tokenizer.
    public func tokenize(
        document string: String, locale: String?
    ) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokens(of: string, for: .document, locale: locale)
    }

    /// Returns the tokens of a string, as FTS5 finds them in a search pattern.
    ///
    /// ```swift
    /// let tokenizer = try db.makeTokenizer(.ascii())
    /// try tokenizer.tokenize(query: "foo bar")  // [("foo", []), ("bar", [])]
    /// ```
    ///
    /// - parameter string: the string.
    /// - throws: the error of the tokenizer.
    public func tokenize(
        query string: String
    ) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokens(of: string, for: .query, locale: nil)
    }

    /// Returns the tokens of a string with a locale, as FTS5 finds them in a search pattern.
    ///
    /// - parameter string: the string.
    /// - parameter locale: the ``textLocale`` of the text; nil if it has none.
    /// - throws: the error of the tokenizer.
    public func tokenize(
        query string: String, locale: String?
    ) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokens(of: string, for: .query, locale: locale)
    }

    /// The locale of the text that the tokenizer is splitting; nil if it has none.
    ///
    /// A string has a locale if the SQL function `fts5_locale()` has added it, in tables with the
    /// option `locale=1` and in patterns:
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE doc USING fts5(body, locale=1, tokenize='mine')
    /// try db.execute(sql: "INSERT INTO doc VALUES (fts5_locale('tr_TR', 'ISPARTA'))")
    ///
    /// func accept(...) throws {
    ///     if textLocale == "tr_TR" { ... }
    /// }
    /// ```
    ///
    /// The locale is only available during calls of the tokenizer. A wrapped tokenizer has the same
    /// locale.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#the_locale_option>
    public var textLocale: String? {
        let locale = TokenizerScope.currentLocale
        guard locale.start != nil else { return nil }
        return String(decodingToken: locale.start, count: locale.count)
    }

    private func tokens(
        of string: String, for tokenization: FTS5Tokenization, locale: String?
    ) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try TokenizerScope.tokens(of: string, for: tokenization, locale: locale) {
            TokenizerScope.guarding($0, by: self)
        }.map { ($0.token, $0.flags) }
    }
}

extension TokenizerScope {
    /// Collects the tokens of a string.
    static func tokens(
        of string: String, for tokenization: FTS5Tokenization, locale: String?,
        _ tokenize: (RawTokenization) -> CInt
    ) throws -> [(token: String, flags: FTS5TokenFlags, range: Range<Int>)] {
        var string = string
        var tokens = CollectedTokens()
        let code = try withErrors(locale: locale) {
            let locale = currentLocale
            return withUnsafeMutablePointer(to: &tokens) { tokens in
                string.withUTF8 { utf8 -> CInt in
                    guard let nText = CInt(exactly: utf8.count) else {
                        return ResultCode.SQLITE_TOOBIG.rawValue
                    }
                    return utf8.withMemoryRebound(to: CChar.self) { text in
                        withUnsafePointer(to: 0 as CChar) { empty in
                            tokenize(
                                RawTokenization(
                                    context: tokens, flags: tokenization.rawValue,
                                    text: text.baseAddress ?? empty, textCount: nText,
                                    locale: locale.start, localeCount: locale.count,
                                    callback: collectToken))
                        }
                    }
                }
            }
        }
        guard code == RawStatement.ok || code == RawTokenization.done else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
        return tokens.tokens
    }
}

private struct CollectedTokens {
    var tokens: [(token: String, flags: FTS5TokenFlags, range: Range<Int>)] = []
}

/// Appends a token to the `CollectedTokens` that the context points to.
private let collectToken: FTS5TokenCallback = { context, flags, pToken, nToken, iStart, iEnd in
    context!.assumingMemoryBound(to: CollectedTokens.self).pointee.tokens.append(
        (
            String(decodingToken: pToken, count: nToken), FTS5TokenFlags(rawValue: flags),
            Int(iStart)..<Int(max(iStart, iEnd))
        ))
    return RawStatement.ok
}

extension String {
    /// The string of a token. Invalid UTF-8 is repaired with U+FFFD.
    init(decodingToken start: UnsafePointer<CChar>?, count: CInt) {
        let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
        self.init(decoding: bytes, as: UTF8.self)
    }
}
