/// A valid full-text search pattern for FTS3 and FTS4.
///
/// Build patterns from any text, such as user input:
///
/// ```swift
/// // Matches documents that contain both "sqlite" and "database"
/// let pattern = FTS3Pattern(matchingAllTokensIn: "SQLite database")
/// let documents = try Document.matching(pattern).fetchAll(db)
/// ```
///
/// To validate a pattern in the syntax of FTS3, use ``init(rawPattern:)``.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts3.html#full_text_index_queries>
public struct FTS3Pattern: Hashable, Sendable {
    /// The pattern, in the syntax of FTS3.
    public let rawPattern: String

    /// Creates a pattern from text in the syntax of FTS3.
    ///
    /// ```swift
    /// // OK
    /// try FTS3Pattern(rawPattern: "sqlite AND database")
    /// // SQLite error 1: malformed MATCH expression: [AND]
    /// try FTS3Pattern(rawPattern: "AND")
    /// ```
    ///
    /// - throws: a ``DatabaseError`` if the pattern is invalid.
    public init(rawPattern: String) throws {
        // SQLite ignores the text after a NUL character.
        if rawPattern.utf8.contains(0) {
            throw DatabaseError(message: "malformed MATCH expression: NUL character")
        }
        try FullTextSandbox.checkFTS3(rawPattern: rawPattern)
        self.rawPattern = rawPattern
    }

    /// Creates a pattern that matches documents with at least one of the tokens of a string.
    ///
    /// ```swift
    /// FTS3Pattern(matchingAnyTokenIn: "SQLite database")  // sqlite OR database
    /// FTS3Pattern(matchingAnyTokenIn: "*")                // nil
    /// ```
    ///
    /// The text is split like the `simple` tokenizer splits it.
    ///
    /// - returns: nil if the text has no token, or more than 4,095 different tokens, which SQLite
    ///   rejects.
    public init?(matchingAnyTokenIn string: String) {
        self.init(tokensOf: string) { tokens in
            // If the tokenizer of the table does not recognize a token, an operator next to it is a
            // syntax error, or becomes a token itself. Quotes prevent that.
            tokens.map { $0.isTokenOfAnyTokenizer ? $0 : "\"\($0)\"" }.joined(separator: " OR ")
        }
    }

    /// Creates a pattern that matches documents with all tokens of a string.
    ///
    /// ```swift
    /// FTS3Pattern(matchingAllTokensIn: "SQLite database")  // sqlite database
    /// FTS3Pattern(matchingAllTokensIn: "*")                // nil
    /// ```
    ///
    /// The text is split like the `simple` tokenizer splits it.
    ///
    /// - returns: nil if the text has no token, or more than 4,095 different tokens, which SQLite
    ///   rejects.
    public init?(matchingAllTokensIn string: String) {
        self.init(tokensOf: string) { $0.joined(separator: " ") }
    }

    /// Creates a pattern that matches documents if each token of a string is a prefix of a token of
    /// the document.
    ///
    /// ```swift
    /// FTS3Pattern(matchingAllPrefixesIn: "SQL data")  // sql* data*
    /// FTS3Pattern(matchingAllPrefixesIn: "*")         // nil
    /// ```
    ///
    /// The text is split like the `simple` tokenizer splits it.
    ///
    /// - returns: nil if the text has no token, or more than 4,095 different tokens, which SQLite
    ///   rejects.
    public init?(matchingAllPrefixesIn string: String) {
        self.init(tokensOf: string) { $0.map { "\($0)*" }.joined(separator: " ") }
    }

    /// Creates a pattern that matches documents with consecutive tokens of a string.
    ///
    /// ```swift
    /// FTS3Pattern(matchingPhrase: "SQLite database")  // "sqlite database"
    /// FTS3Pattern(matchingPhrase: "*")                // nil
    /// ```
    ///
    /// The text is split like the `simple` tokenizer splits it.
    ///
    /// - returns: nil if the text has no token.
    public init?(matchingPhrase string: String) {
        let tokens = string.asciiTokens
        if tokens.isEmpty { return nil }
        rawPattern = "\"\(tokens.joined(separator: " "))\""
    }

    private init?(tokensOf string: String, _ makePattern: ([String]) -> String) {
        let tokens = string.asciiTokens
        if tokens.isEmpty { return nil }
        let pattern = makePattern(tokens)
        if Self.isAccepted(pattern) {
            rawPattern = pattern
            return
        }
        // Duplicate tokens don't change the result.
        var knownTokens: Set<String> = []
        let shorterPattern = makePattern(tokens.filter { knownTokens.insert($0).inserted })
        guard Self.isAccepted(shorterPattern) else { return nil }
        rawPattern = shorterPattern
    }

    /// Whether SQLite accepts the depth of the pattern's tree with any tokenizer. The tokenizer of
    /// a table may split a word that is a single token for another tokenizer.
    private static func isAccepted(_ pattern: String) -> Bool {
        // A tree of the maximum depth has 4,096 leaves.
        if pattern.utf8.count < 2 * 4_096 { return true }
        return FullTextSandbox.tokenizers.allSatisfy { tokenizer in
            (try? FullTextSandbox.checkFTS3(rawPattern: pattern, tokenizer: tokenizer)) != nil
        }
    }
}

extension FTS3Pattern: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { rawPattern.databaseValue }

    /// Creates a pattern from its syntax; nil if it is invalid.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS3Pattern? {
        String.fromDatabaseValue(dbValue).flatMap { try? FTS3Pattern(rawPattern: $0) }
    }
}

extension String {
    /// The tokens according to the tokenizers `simple` of FTS3 and `ascii` of FTS5. They are
    /// barewords, and not operators, which are uppercase.
    var asciiTokens: [String] {
        var tokens: [String] = []
        var token: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                0x80...:
                token.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                token.append(byte | 0x20)
            default:
                if token.isEmpty { continue }
                tokens.append(String(decoding: token, as: UTF8.self))
                token.removeAll(keepingCapacity: true)
            }
        }
        if !token.isEmpty {
            tokens.append(String(decoding: token, as: UTF8.self))
        }
        return tokens
    }

    /// Whether all tokenizers of SQLite find a token in the string, whose ASCII characters are
    /// letters and digits. Characters introduced after Unicode 6.1 separate tokens.
    fileprivate var isTokenOfAnyTokenizer: Bool {
        unicodeScalars.contains { scalar in
            if scalar.isASCII { return true }
            guard let age = scalar.properties.age, (age.major, age.minor) <= (6, 1) else {
                return false
            }
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter,
                .otherLetter, .decimalNumber, .letterNumber, .otherNumber:
                return true
            default:
                return false
            }
        }
    }
}
