/// Reads what people type into a search field. Any text is a query.
///
/// Words stand apart, `"phrases"` in quotes. A `*` at the end finds what starts so, a `-` in front
/// excludes. Everything else is text to look for, and so are words of FTS5 such as `AND`.
struct QueryParser {
    struct Term: Hashable {
        var text: String
        var isPrefix = false
        var isExcluded = false
    }

    private(set) var terms: [Term] = []

    private static let quotes: Set<Character> = ["\"", "“", "”", "„", "‟"]

    init(_ text: String) {
        var seen: Set<Term> = []
        var remaining = text[...]
        while let term = QueryParser.nextTerm(&remaining) {
            if seen.insert(term).inserted { terms.append(term) }
        }
    }

    private static func nextTerm(_ text: inout Substring) -> Term? {
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        guard var first = text.first else { return nil }

        var term = Term(text: "")
        if first == "-", let second = text.dropFirst().first, second != "-", !second.isWhitespace {
            term.isExcluded = true
            text.removeFirst()
            first = second
        }
        if quotes.contains(first) {
            text.removeFirst()
            let phrase = text.prefix { !quotes.contains($0) }
            // The closing quote may be missing.
            text = text[phrase.endIndex...].dropFirst()
            term.text = String(phrase)
            if text.first == "*" { term.isPrefix = true }
            text = text.drop { $0 == "*" }
        } else {
            var word = text.prefix { !$0.isWhitespace && !quotes.contains($0) }
            text = text[word.endIndex...]
            while word.last == "*" {
                term.isPrefix = true
                word.removeLast()
            }
            term.text = String(word)
        }
        return term
    }
}

/// Finds the words of a pattern in the syntax of FTS5, in order to highlight them. FTS5 itself
/// decides whether the pattern is valid.
struct RawQueryWords {
    private(set) var terms: [QueryParser.Term] = []

    init(_ pattern: String) {
        var remaining = pattern[...]
        while let first = remaining.first {
            var term = QueryParser.Term(text: "")
            var isOperator = false
            if first == "\"" {
                remaining.removeFirst()
                while let character = remaining.popFirst() {
                    if character == "\"" {
                        // Two quotes are a quote in the string.
                        if remaining.first != "\"" { break }
                        remaining.removeFirst()
                    }
                    term.text.append(character)
                }
            } else if RawQueryWords.isBareword(first) {
                let word = remaining.prefix(while: RawQueryWords.isBareword)
                remaining = remaining[word.endIndex...]
                term.text = String(word)
                isOperator = ["AND", "OR", "NOT", "NEAR"].contains(word)
            } else {
                remaining.removeFirst()
                continue
            }
            let next = remaining.drop(while: \.isWhitespace)
            term.isPrefix = next.first == "*"
            // A colon follows the name of a column.
            if !isOperator, next.first != ":" { terms.append(term) }
        }
    }

    private static func isBareword(_ character: Character) -> Bool {
        !character.isASCII || character.isLetter || character.isNumber || character == "_"
    }
}
