/// Rules that convert English nouns between singular and plural.
///
/// The rules derive the names of associations and of referenced tables. Add the words of your
/// application that the default rules don't cover before using the rest of the library:
///
/// ```swift
/// Inflections.default.irregularSuffix("oxymoron", "oxymora")
/// Inflections.default.uncountableWords(["ramen"])
/// ```
public struct Inflections: Sendable {
    /// The default inflections.
    ///
    /// Not protected against concurrent changes: only change it when the application starts.
    nonisolated(unsafe) public static var `default`: Inflections = .english {
        didSet { knownForms.withLock { $0 = KnownForms() } }
    }

    var pluralRules: [InflectionRule] = []
    var singularRules: [InflectionRule] = []
    private var uncountables: Set<String> = []

    /// Creates inflections without rules: every string is its own plural and singular.
    public init() {}

    // MARK: - Rules

    /// Adds words whose singular and plural are equal.
    ///
    /// ```swift
    /// // "foo" → "foo", "bigFoo" → "bigFoo"
    /// inflections.uncountableWords(["foo"])
    /// ```
    public mutating func uncountableWords(_ words: [String]) {
        uncountables.formUnion(words.map { $0.lowercased() })
    }

    /// Adds an irregular plural, which also applies to words that end with the singular.
    ///
    /// ```swift
    /// // "man" → "men", "Snowman" → "Snowmen"
    /// inflections.irregularSuffix("man", "men")
    /// ```
    public mutating func irregularSuffix(_ singular: String, _ plural: String) {
        pluralRules += InflectionRule.suffixRules(plural, plural)
        pluralRules += InflectionRule.suffixRules(singular, plural)
        singularRules += InflectionRule.suffixRules(singular, singular)
        singularRules += InflectionRule.suffixRules(plural, singular)
    }

    // MARK: - Inflecting

    /// Returns the plural of a string. Plurals are returned unchanged. Trailing digits are preserved.
    ///
    /// ```swift
    /// Inflections.default.pluralize("player")  // "players"
    /// Inflections.default.pluralize("country") // "countries"
    /// Inflections.default.pluralize("team1")   // "teams1"
    /// ```
    public func pluralize(_ string: String) -> String {
        inflect(string, pluralRules)
    }

    /// Returns the singular of a string. Singulars are returned unchanged. Trailing digits are
    /// preserved.
    ///
    /// ```swift
    /// Inflections.default.singularize("players")   // "player"
    /// Inflections.default.singularize("countries") // "country"
    /// Inflections.default.singularize("teams1")    // "team1"
    /// ```
    public func singularize(_ string: String) -> String {
        inflect(string, singularRules)
    }

    static func requiringValid(_ pattern: String, _ addRule: () throws -> Void) {
        do {
            try addRule()
        } catch {
            fatalError("Invalid regular expression: \(pattern)")
        }
    }

    private func inflect(_ string: String, _ rules: [InflectionRule]) -> String {
        let digitCount = string.utf8.reversed().prefix { 0x30...0x39 ~= $0 }.count
        let digits = string.suffix(digitCount)
        let noun = String(string.dropLast(digitCount))
        // In "team_1", the number is a word of its own.
        if digitCount > 0, noun.last == "_" { return string }
        if noun.isEmpty || uncountables.contains(Self.lastWord(of: noun)) { return string }
        for rule in rules.reversed() {
            if let inflected = rule.apply(noun) { return inflected + digits }
        }
        return string
    }

    /// Returns the last word of a `camelCase` or `snake_case` string, in lowercase.
    private static func lastWord(of string: String) -> String {
        var word = ""
        for character in string.reversed() {
            guard character.isLetter else { break }
            let isStart = character.isUppercase && word.contains(where: \.isLowercase)
            word.insert(character, at: word.startIndex)
            if isStart { break }
        }
        return word.lowercased()
    }
}

// MARK: - Cached forms

extension Inflections {
    private struct KnownForms {
        var plurals: [String: String] = [:]
        var singulars: [String: String] = [:]
    }

    /// A cache, because regular expressions are slow, and a program uses few nouns.
    private static let knownForms = Locked(KnownForms())

    /// Returns the plural of a string, according to the default inflections.
    static func plural(of string: String) -> String {
        form(of: string, in: \.plurals) { Inflections.default.pluralize($0) }
    }

    /// Returns the singular of a string, according to the default inflections.
    static func singular(of string: String) -> String {
        form(of: string, in: \.singulars) { Inflections.default.singularize($0) }
    }

    private static func form(
        of string: String, in forms: WritableKeyPath<KnownForms, [String: String]>,
        _ inflect: (String) -> String
    ) -> String {
        if let form = knownForms.withLock({ $0[keyPath: forms][string] }) { return form }
        let form = inflect(string)
        knownForms.withLock { known in
            // Limit the size, because a program that generates names could fill the cache indefinitely.
            if known[keyPath: forms].count < 1000 { known[keyPath: forms][string] = form }
        }
        return form
    }
}
