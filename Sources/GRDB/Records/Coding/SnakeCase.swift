import _GRDBSystem

/// Converts names between `camelCase` and `snake_case` with the same results as the key strategies
/// of `JSONEncoder` and `JSONDecoder`, so that a type has the same names in a table and in JSON.
package enum SnakeCase {
    /// Converts `player_id` to `playerId`. Leading and trailing underscores are kept.
    package static func camelCased(_ name: String) -> String {
        guard let (prefix, core, suffix) = trimmed(name) else { return name }
        let words = core.split(separator: "_")
        guard words.count > 1 else { return name }
        // For `capitalized`, a word also starts after a digit: `a_1b` becomes `a1B`.
        let camelCased = words.dropFirst().reduce(words[0].lowercased()) { $0 + $1.capitalized }
        return prefix + camelCased + suffix
    }

    /// Converts `playerId` to `player_id`, and `httpURLPath` to `http_url_path`.
    ///
    /// An uppercase letter starts a word. In a run of uppercase letters before a lowercase one, the
    /// last uppercase letter starts a word, too. The first letter of the name is skipped: `URL`
    /// becomes `u_rl`.
    static func snakeCased(_ name: String) -> String {
        let letters = Array(name)
        var words: [Range<Int>] = []
        var start = 0
        func startWord(at index: Int) {
            words.append(start..<index)
            start = index
        }
        var position = min(1, letters.count)
        while let capital = letters[position...].firstIndex(where: \.isCapitalLetter) {
            startWord(at: capital)
            guard let small = letters[capital...].firstIndex(where: \.isSmallLetter) else { break }
            if small > capital + 1 { startWord(at: small - 1) }
            position = small + 1
        }
        startWord(at: letters.count)
        return words.map { String(letters[$0]).lowercased() }.joined(separator: "_")
    }

    /// Splits a name into its core and the underscores at both ends. Nil if the core is empty.
    private static func trimmed(
        _ name: String
    ) -> (prefix: Substring, core: Substring, suffix: Substring)? {
        guard let first = name.firstIndex(where: { $0 != "_" }),
            let last = name.lastIndex(where: { $0 != "_" })
        else {
            return nil
        }
        return (name[..<first], name[first...last], name[name.index(after: last)...])
    }
}

extension Character {
    // `isUppercase` and `isLowercase` also match symbols and numerals, such as "Ⓐ".

    fileprivate var isCapitalLetter: Bool {
        category == .uppercaseLetter || category == .titlecaseLetter
    }

    fileprivate var isSmallLetter: Bool {
        category == .lowercaseLetter
    }

    private var category: Unicode.GeneralCategory? {
        unicodeScalars.first?.properties.generalCategory
    }
}
