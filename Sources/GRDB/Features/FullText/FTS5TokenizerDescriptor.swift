/// The name and the arguments of a tokenizer.
///
/// ```swift
/// let unicode61 = FTS5TokenizerDescriptor.unicode61(diacritics: .keep)
/// let tokenizer = try db.makeTokenizer(unicode61)
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/fts5.html#tokenizers>
public struct FTS5TokenizerDescriptor: Hashable, Sendable {
    /// The name of the tokenizer, followed by its arguments.
    ///
    /// ```swift
    /// // ["unicode61", "remove_diacritics", "0"]
    /// FTS5TokenizerDescriptor.unicode61(diacritics: .keep).components
    /// ```
    public let components: [String]

    /// Creates a descriptor from the name of a tokenizer, followed by its arguments.
    ///
    /// ```swift
    /// let trigram = FTS5TokenizerDescriptor(components: ["trigram", "case_sensitive", "1"])
    /// ```
    ///
    /// - precondition: there is at least one component.
    public init(components: [String]) {
        require(
            !components.isEmpty, "FTS5TokenizerDescriptor requires at least one component")
        self.components = components
    }

    /// The tokenizer `ascii`. All characters outside ASCII are token characters.
    ///
    /// - parameter separators: ASCII letters and digits that separate tokens.
    /// - parameter tokenCharacters: other ASCII characters that belong to tokens.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#ascii_tokenizer>
    public static func ascii(
        separators: Set<Character> = [], tokenCharacters: Set<Character> = []
    ) -> FTS5TokenizerDescriptor {
        let options = options(separators: separators, tokenCharacters: tokenCharacters)
        return FTS5TokenizerDescriptor(components: ["ascii"] + options.flatMap { [$0, $1] })
    }

    /// The tokenizer `porter`, which reduces English words to their stems.
    ///
    /// ```swift
    /// t.tokenizer = .porter(wrapping: .unicode61(diacritics: .remove))
    /// ```
    ///
    /// - parameter base: the tokenizer that splits the text into words; by default `unicode61`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#porter_tokenizer>
    public static func porter(
        wrapping base: FTS5TokenizerDescriptor? = nil
    ) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: ["porter"] + (base?.components ?? []))
    }

    /// The tokenizer `unicode61`, which is the default. It recognizes the letters and numbers of
    /// Unicode 6.1, and ignores case.
    ///
    /// ```swift
    /// t.tokenizer = .unicode61(diacritics: .remove)
    /// ```
    ///
    /// - parameter diacritics: how diacritics are handled.
    /// - parameter categories: the Unicode categories of token characters. The default is
    ///   `"L* N* Co"`.
    /// - parameter separators: token characters that separate tokens.
    /// - parameter tokenCharacters: separators that belong to tokens.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#unicode61_tokenizer>
    public static func unicode61(
        diacritics: FTS5.Diacritics = .removeLegacy, categories: String = "",
        separators: Set<Character> = [], tokenCharacters: Set<Character> = []
    ) -> FTS5TokenizerDescriptor {
        let options = options(
            removeDiacritics: diacritics == .keep ? "0" : diacritics == .remove ? "2" : "",
            categories: categories, separators: separators, tokenCharacters: tokenCharacters)
        return FTS5TokenizerDescriptor(components: ["unicode61"] + options.flatMap { [$0, $1] })
    }

    /// The tokenizer `trigram`, whose tokens are all sequences of three characters. Searches find
    /// any part of the text, like `LIKE` and `GLOB`.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book" USING fts5(title, tokenize='''trigram''')
    /// try db.create(virtualTable: "book", using: FTS5()) { t in
    ///     t.tokenizer = .trigram()
    ///     t.column("title")
    /// }
    /// ```
    ///
    /// Words of fewer than three characters have no token. A pattern that only has such words matches no row,
    /// and other patterns ignore them: to require a short word, add a condition with `LIKE`.
    ///
    /// - parameter caseSensitive: whether case matters.
    /// - parameter removesDiacritics: whether "jérôme" matches "jerome". SQLite rejects this option
    ///   for case-sensitive tokenizers.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#the_trigram_tokenizer>
    public static func trigram(
        caseSensitive: Bool = false, removesDiacritics: Bool = false
    ) -> FTS5TokenizerDescriptor {
        var components = ["trigram"]
        // Only the arguments that differ from SQLite's defaults.
        if caseSensitive { components += ["case_sensitive", "1"] }
        if removesDiacritics { components += ["remove_diacritics", "1"] }
        return FTS5TokenizerDescriptor(components: components)
    }

    /// The options of a tokenizer, without those that are empty, which are the defaults of SQLite.
    static func options(
        removeDiacritics: String = "", categories: String = "", separators: Set<Character>,
        tokenCharacters: Set<Character>
    ) -> [(name: String, value: String)] {
        // Sorted, so that equal tables have equal schemas.
        let options = [
            ("remove_diacritics", removeDiacritics), ("categories", categories),
            ("separators", String(separators.ordered(by: <))),
            ("tokenchars", String(tokenCharacters.ordered(by: <))),
        ]
        return options.filter { !$1.isEmpty }
    }
}
