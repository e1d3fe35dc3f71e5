import GRDB

/// A query that is ready to run, and what to highlight in its results.
struct SearchPattern {
    /// Which files are found.
    enum Condition {
        /// Those that match a full-text pattern.
        case matching(String)
        /// Those that don't: FTS5 itself has no pattern that only excludes.
        case notMatching(String)
    }

    /// Nil if there is nothing to look for.
    let condition: Condition?

    /// What may be found.
    let phrases: [Phrase]

    /// Words that follow each other.
    struct Phrase: Hashable {
        /// Which term of the query it comes from: the spellings of a term have the same number.
        var term: Int
        /// For each position, the tokens that may stand there.
        var positions: [[String]]
        /// Whether the last token is a prefix.
        var isPrefix: Bool
    }

    /// Makes a pattern from what a person has typed.
    init(words: String, tokenizer: IdentifierTokenizer) throws {
        var required: [String] = []
        var excluded: [String] = []
        var phrases: [Phrase] = []
        for (number, term) in QueryParser(words).terms.enumerated() {
            var alternatives: [String] = []
            for text in try SearchPattern.spellings(of: term, tokenizer: tokenizer) {
                let phrase = try Phrase(
                    text, term: number, isPrefix: term.isPrefix, tokenizer: tokenizer)
                // Nothing but punctuation.
                if phrase.positions.isEmpty { continue }
                alternatives.append(SearchPattern.quoted(text) + (term.isPrefix ? " *" : ""))
                if !term.isExcluded, !phrases.contains(phrase) { phrases.append(phrase) }
            }
            if alternatives.isEmpty { continue }
            let expression =
                alternatives.count == 1
                ? alternatives[0] : "(\(alternatives.joined(separator: " OR ")))"
            if term.isExcluded {
                excluded.append(expression)
            } else {
                required.append(expression)
            }
        }
        self.phrases = phrases
        // One NOT for all: FTS5 has a limit for how deep they may be nested.
        let exclusion = "(\(excluded.joined(separator: " OR ")))"
        let requirement = "(\(required.joined(separator: " AND ")))"
        condition =
            switch (required.isEmpty, excluded.isEmpty) {
            case (true, true): nil
            case (true, false): .notMatching(exclusion)
            case (false, true): .matching(requirement)
            case (false, false): .matching("\(requirement) NOT \(exclusion)")
            }
    }

    /// Takes a pattern in the syntax of FTS5.
    init(raw pattern: String, tokenizer: IdentifierTokenizer) throws {
        condition = .matching(pattern)
        phrases = try RawQueryWords(pattern).terms.enumerated()
            .map { number, term in
                try Phrase(
                    term.text, term: number, isPrefix: term.isPrefix, tokenizer: tokenizer)
            }
            .filter { !$0.positions.isEmpty }
    }

    /// The texts that a term may stand for.
    ///
    /// A name is looked for by its parts, as a phrase. The text may have it in one piece, though:
    /// `iPhone` should find `iphone`, and the synonyms of the whole name.
    private static func spellings(
        of term: QueryParser.Term, tokenizer: IdentifierTokenizer
    ) throws -> [String] {
        // To SQLite, text ends at a NUL character.
        let text = term.text.replacingScalar("\0", with: " ")
        var spellings = [text]
        let wholeNames = try tokenizer.wrappedTokenizer.tokenize(query: text).map(\.token)
        if wholeNames.count == 1, try tokenizer.tokenize(document: text).count > 1 {
            let name = wholeNames[0]
            spellings.append(name)
            if !term.isPrefix { spellings += tokenizer.synonyms(of: name) }
        }
        return spellings
    }

    /// A string of FTS5.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacingScalar("\"", with: "\"\"") + "\""
    }
}

extension SearchPattern.Phrase {
    /// The tokens of a text, as FTS5 looks for them.
    init(
        _ text: String, term: Int, isPrefix: Bool, tokenizer: IdentifierTokenizer
    ) throws {
        var positions: [[String]] = []
        var text = text
        try text.withUTF8 { utf8 in
            try tokenizer.visitTokens(of: utf8, for: isPrefix ? [.query, .prefix] : .query) {
                let token = String(decoding: $0.utf8, as: UTF8.self)
                if $0.isColocated, !positions.isEmpty {
                    positions[positions.count - 1].append(token)
                } else {
                    positions.append([token])
                }
                return true
            }
        }
        self.init(term: term, positions: positions, isPrefix: isPrefix)
    }
}

extension String {
    /// Replaces a scalar, also where Swift sees no such character: a quote with an accent is one.
    func replacingScalar(_ scalar: Unicode.Scalar, with replacement: String) -> String {
        var result = UnicodeScalarView()
        for character in unicodeScalars {
            if character == scalar {
                result.append(contentsOf: replacement.unicodeScalars)
            } else {
                result.append(character)
            }
        }
        return String(result)
    }
}
