/// The name and the arguments of a tokenizer for FTS3 and FTS4.
///
/// ```swift
/// try db.create(virtualTable: "book", using: FTS4()) { t in
///     t.tokenizer = .unicode61()
///     t.column("title")
/// }
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/fts3.html#tokenizer>
public struct FTS3TokenizerDescriptor: Hashable, Sendable {
    /// The name of the tokenizer, followed by its arguments.
    ///
    /// ```swift
    /// // ["unicode61", "remove_diacritics=0"]
    /// FTS3TokenizerDescriptor.unicode61(diacritics: .keep).components
    /// ```
    public let components: [String]

    /// Creates a descriptor from the name of a tokenizer, followed by its arguments. Use it for
    /// tokenizers that an application has registered with C functions.
    ///
    /// - precondition: there is at least one component.
    public init(components: [String]) {
        precondition(
            !components.isEmpty, "FTS3TokenizerDescriptor requires at least one component")
        self.components = components
    }

    /// The tokenizer `simple`, which is the default. It splits text at all ASCII characters except
    /// letters and digits, and ignores the case of ASCII letters.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book" USING fts4(title, tokenize=simple)
    /// t.tokenizer = .simple
    /// ```
    public static let simple = FTS3TokenizerDescriptor(components: ["simple"])

    /// The tokenizer `porter`, which reduces English words to their stem.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book" USING fts4(title, tokenize=porter)
    /// t.tokenizer = .porter
    /// ```
    public static let porter = FTS3TokenizerDescriptor(components: ["porter"])

    /// The tokenizer `unicode61`, which recognizes the letters and digits of Unicode 6.1, and
    /// ignores their case.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book" USING fts4(
    /// //   title, tokenize=unicode61 "remove_diacritics=0" "tokenchars=-")
    /// t.tokenizer = .unicode61(diacritics: .keep, tokenCharacters: ["-"])
    /// ```
    ///
    /// - parameter diacritics: how diacritics are handled.
    /// - parameter separators: letters and digits that separate tokens.
    /// - parameter tokenCharacters: other characters that belong to tokens.
    public static func unicode61(
        diacritics: FTS3.Diacritics = .removeLegacy, separators: Set<Character> = [],
        tokenCharacters: Set<Character> = []
    ) -> FTS3TokenizerDescriptor {
        let options = FTS5TokenizerDescriptor.options(
            removeDiacritics: diacritics == .keep ? "0" : diacritics == .remove ? "2" : "",
            separators: separators, tokenCharacters: tokenCharacters)
        return FTS3TokenizerDescriptor(components: ["unicode61"] + options.map { "\($0)=\($1)" })
    }

    /// `tokenize=unicode61 "remove_diacritics=0"`
    var moduleArgument: String {
        let arguments = components.dropFirst().map(\.quotedDatabaseIdentifier)
        return "tokenize="
            + ([components[0].fullTextColumnName] + arguments).joined(separator: " ")
    }
}
