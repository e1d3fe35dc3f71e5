public import Foundation

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

    private struct Rule {
        let expression: NSRegularExpression
        let template: String

        /// Returns the inflected string; nil if the rule does not apply.
        func apply(_ string: String) -> String? {
            let range = NSRange(string.startIndex..., in: string)
            guard expression.firstMatch(in: string, range: range) != nil else { return nil }
            return expression.stringByReplacingMatches(
                in: string, range: range, withTemplate: template)
        }
    }

    private var pluralRules: [Rule] = []
    private var singularRules: [Rule] = []
    private var uncountables: Set<String> = []

    /// Creates inflections without rules: every string is its own plural and singular.
    public init() {}

    // MARK: - Rules

    /// Adds a rule for plurals. The last added rule is tried first.
    ///
    /// ```swift
    /// // "matrix" → "matrices"
    /// inflections.plural("(matr|vert)(?:ix|ex)$", "$1ices")
    /// ```
    ///
    /// - parameter pattern: a regular expression.
    /// - parameter options: options of the regular expression.
    /// - parameter template: the replacement of the matches.
    /// - precondition: the pattern is a valid regular expression.
    public mutating func plural(
        _ pattern: String,
        options: NSRegularExpression.Options = [.caseInsensitive],
        _ template: String
    ) {
        do {
            try tryPlural(pattern, options: options, template)
        } catch {
            fatalError("Invalid regular expression: \(pattern)")
        }
    }

    /// Adds a rule for plurals like ``plural(_:options:_:)``, but throws if the pattern is invalid. Use
    /// this method for patterns that are not constants.
    ///
    /// - throws: the error of `NSRegularExpression` if the pattern is not a valid regular expression.
    public mutating func tryPlural(
        _ pattern: String,
        options: NSRegularExpression.Options = [.caseInsensitive],
        _ template: String
    ) throws {
        try pluralRules.append(Self.rule(pattern, options, template))
    }

    /// Adds a rule for singulars. The last added rule is tried first.
    ///
    /// ```swift
    /// // "matrices" → "matrix"
    /// inflections.singular("(matr)ices$", "$1ix")
    /// ```
    ///
    /// - parameter pattern: a regular expression.
    /// - parameter options: options of the regular expression.
    /// - parameter template: the replacement of the matches.
    /// - precondition: the pattern is a valid regular expression.
    public mutating func singular(
        _ pattern: String,
        options: NSRegularExpression.Options = [.caseInsensitive],
        _ template: String
    ) {
        do {
            try trySingular(pattern, options: options, template)
        } catch {
            fatalError("Invalid regular expression: \(pattern)")
        }
    }

    /// Adds a rule for singulars like ``singular(_:options:_:)``, but throws if the pattern is invalid. Use
    /// this method for patterns that are not constants.
    ///
    /// - throws: the error of `NSRegularExpression` if the pattern is not a valid regular expression.
    public mutating func trySingular(
        _ pattern: String,
        options: NSRegularExpression.Options = [.caseInsensitive],
        _ template: String
    ) throws {
        try singularRules.append(Self.rule(pattern, options, template))
    }

    private static func rule(
        _ pattern: String, _ options: NSRegularExpression.Options, _ template: String
    ) throws -> Rule {
        Rule(
            expression: try NSRegularExpression(pattern: pattern, options: options),
            template: template)
    }

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
        for (from, to) in [(plural, plural), (singular, plural)] {
            for (pattern, template) in Self.suffixRules(from, to) {
                self.plural(pattern, options: [], template)
            }
        }
        for (from, to) in [(singular, singular), (plural, singular)] {
            for (pattern, template) in Self.suffixRules(from, to) {
                self.singular(pattern, options: [], template)
            }
        }
    }

    /// Returns rules that replace a suffix, and preserve the case of its first letter.
    private static func suffixRules(_ from: String, _ to: String) -> [(String, String)] {
        guard !from.isEmpty else { return [] }
        let casings: [(String) -> String] = [{ $0.uppercased() }, { $0.lowercased() }]
        return casings.map { casing in
            let first = NSRegularExpression.escapedPattern(for: casing(String(from.prefix(1))))
            let rest = NSRegularExpression.escapedPattern(for: String(from.dropFirst()))
            let replacement = casing(String(to.prefix(1))) + to.dropFirst()
            return (
                "\(first)(?i)\(rest)$",
                NSRegularExpression.escapedTemplate(for: replacement)
            )
        }
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

    private func inflect(_ string: String, _ rules: [Rule]) -> String {
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
