/// A valid full-text search pattern for FTS5.
///
/// Build patterns from any text, such as user input:
///
/// ```swift
/// // Matches documents that contain both "sqlite" and "database"
/// let pattern = FTS5Pattern(matchingAllTokensIn: "SQLite database")
/// let rows = try Row.fetchAll(
///     db, sql: "SELECT * FROM document WHERE document MATCH ? ORDER BY rank",
///     arguments: [pattern])
/// ```
///
/// FTS5 ignores the words in which the tokenizer of the table finds no token, unless no other word is left: the
/// pattern then matches no row. The tokenizer `trigram` finds none in words of one or two characters.
///
/// To validate a pattern in the syntax of FTS5, use ``init(rawPattern:allowedColumns:)`` or
/// ``Database/makeFTS5Pattern(rawPattern:forTable:)``.
///
/// See <doc:FullTextSearch#Accept-what-users-type>.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts5.html#full_text_query_syntax>
public struct FTS5Pattern: Hashable, Sendable {
    /// The pattern, in the syntax of FTS5.
    public let rawPattern: String

    /// Creates a pattern that matches documents with at least one of the tokens of a string.
    ///
    /// ```swift
    /// FTS5Pattern(matchingAnyTokenIn: "SQLite database")  // sqlite OR database
    /// FTS5Pattern(matchingAnyTokenIn: "*")                // nil
    /// ```
    ///
    /// The text is split like the `ascii` tokenizer splits it, and at all spaces and punctuation of Unicode.
    ///
    /// - returns: nil if the text has no token.
    public init?(matchingAnyTokenIn string: String) {
        self.init(tokensOf: string.separatingWords) { $0.joined(separator: " OR ") }
    }

    /// Creates a pattern that matches documents with all tokens of a string.
    ///
    /// ```swift
    /// FTS5Pattern(matchingAllTokensIn: "SQLite database")  // sqlite database
    /// FTS5Pattern(matchingAllTokensIn: "*")                // nil
    /// ```
    ///
    /// The text is split like the `ascii` tokenizer splits it, and at all spaces and punctuation of Unicode.
    ///
    /// - returns: nil if the text has no token.
    public init?(matchingAllTokensIn string: String) {
        self.init(tokensOf: string.separatingWords) { $0.joined(separator: " ") }
    }

    /// Creates a pattern that matches documents if each token of a string is a prefix of a token of
    /// the document.
    ///
    /// ```swift
    /// FTS5Pattern(matchingAllPrefixesIn: "SQL data")  // sql* data*
    /// FTS5Pattern(matchingAllPrefixesIn: "*")         // nil
    /// ```
    ///
    /// The text is split like the `ascii` tokenizer splits it, and at all spaces and punctuation of Unicode.
    ///
    /// - returns: nil if the text has no token.
    public init?(matchingAllPrefixesIn string: String) {
        self.init(tokensOf: string.separatingWords) {
            $0.map { "\($0)*" }.joined(separator: " ")
        }
    }

    /// Creates a pattern that matches documents with consecutive tokens of a string.
    ///
    /// ```swift
    /// FTS5Pattern(matchingPhrase: "SQLite database")  // "sqlite database"
    /// FTS5Pattern(matchingPhrase: "*")                // nil
    /// ```
    ///
    /// The text is split like the `ascii` tokenizer splits it.
    ///
    /// - returns: nil if the text has no token.
    public init?(matchingPhrase string: String) {
        self.init(tokensOf: string) { "\"\($0.joined(separator: " "))\"" }
    }

    /// Creates a pattern that matches documents that begin with the tokens of a string.
    ///
    /// ```swift
    /// FTS5Pattern(matchingPrefixPhrase: "SQLite database")  // ^"sqlite database"
    /// FTS5Pattern(matchingPrefixPhrase: "*")                // nil
    /// ```
    ///
    /// The text is split like the `ascii` tokenizer splits it.
    ///
    /// - returns: nil if the text has no token.
    public init?(matchingPrefixPhrase string: String) {
        self.init(tokensOf: string) { "^\"\($0.joined(separator: " "))\"" }
    }

    private init?(tokensOf string: String, _ makePattern: ([String]) -> String) {
        let tokens = string.asciiTokens
        if tokens.isEmpty { return nil }
        rawPattern = makePattern(tokens)
    }

    /// Creates a pattern from text in the syntax of FTS5.
    ///
    /// ```swift
    /// // OK
    /// try FTS5Pattern(rawPattern: "sqlite")
    /// // SQLite error 1: fts5: syntax error near "AND"
    /// try FTS5Pattern(rawPattern: "AND")
    /// // SQLite error 1: no such column: missing
    /// try FTS5Pattern(rawPattern: "missing: sqlite")
    /// ```
    ///
    /// - parameter rawPattern: the pattern.
    /// - parameter allowedColumns: the columns that the pattern may refer to.
    /// - throws: a ``DatabaseError`` if the pattern is invalid.
    /// - complexity: SQLite parses the pattern. The first pattern with these columns opens an
    ///   in-memory database, which later patterns reuse.
    public init(rawPattern: String, allowedColumns: [String] = []) throws {
        // SQLite ignores the text after a NUL character.
        if rawPattern.utf8.contains(0) {
            throw DatabaseError(message: "fts5: pattern contains a NUL character")
        }
        try FullTextSandbox.checkFTS5(rawPattern: rawPattern, columns: allowedColumns)
        self.rawPattern = rawPattern
    }
}

extension String {
    /// The string with spaces instead of the punctuation, spaces and controls that are not ASCII.
    ///
    /// The default tokenizer splits words there. A word of the pattern that it splits is a phrase, which
    /// tables with less detail don't support.
    fileprivate var separatingWords: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var result = UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
                .initialPunctuation, .finalPunctuation, .otherPunctuation, .spaceSeparator,
                .lineSeparator, .paragraphSeparator, .control, .format:
                result.append(scalar.isASCII ? scalar : " ")
            default:
                result.append(scalar)
            }
        }
        return String(result)
    }
}

extension FTS5Pattern: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { rawPattern.databaseValue }

    /// Creates a pattern from its syntax; nil if it is invalid, or refers to columns.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5Pattern? {
        String.fromDatabaseValue(dbValue).flatMap { try? FTS5Pattern(rawPattern: $0) }
    }
}

extension Database {
    /// Creates a pattern from text in the syntax of FTS5. The pattern may refer to the columns of a
    /// table.
    ///
    /// ```swift
    /// // OK
    /// try db.makeFTS5Pattern(rawPattern: "title: sqlite", forTable: "book")
    /// // SQLite error 1: fts5: syntax error near "AND"
    /// try db.makeFTS5Pattern(rawPattern: "AND", forTable: "book")
    /// // SQLite error 1: no such column: missing
    /// try db.makeFTS5Pattern(rawPattern: "missing: sqlite", forTable: "book")
    /// ```
    ///
    /// - throws: a ``DatabaseError`` if the pattern is invalid, or if there is no such table.
    public func makeFTS5Pattern(
        rawPattern: String, forTable table: String
    ) throws -> FTS5Pattern {
        try FTS5Pattern(rawPattern: rawPattern, allowedColumns: columns(in: table).map(\.name))
    }
}
