import GRDB

/// Finds the phrases of a query in a text.
///
/// The functions `highlight()` and `snippet()` of FTS5 do not report lines, and their time grows
/// with the square of the number of matches: the nine megabytes of sqlite3.c, with tens of
/// thousands of matches, would take minutes. `highlight()` is fast enough for the names of files.
struct PhraseMatcher {
    struct Match: Equatable {
        /// The bytes of the text.
        var range: Range<Int>
        /// Which term of the query.
        var term: Int
    }

    /// A place in a phrase.
    private struct Place: Equatable {
        var phrase: Int
        var position: Int
    }

    /// A phrase whose first words have been found.
    private struct Begun {
        var next: Place
        var start: Int
    }

    private let phrases: [SearchPattern.Phrase]
    private var places: [String: [Place]] = [:]
    private var prefixes: [(utf8: [UInt8], place: Place)] = []
    /// Whether a token that starts with a byte may be one of the query. Few are.
    private var startsToken = [Bool](repeating: false, count: 256)

    init(_ phrases: [SearchPattern.Phrase]) {
        self.phrases = phrases
        for (phraseIndex, phrase) in phrases.enumerated() {
            for (position, tokens) in phrase.positions.enumerated() {
                let place = Place(phrase: phraseIndex, position: position)
                for token in tokens {
                    guard let first = token.utf8.first else { continue }
                    startsToken[Int(first)] = true
                    if phrase.isPrefix, position == phrase.positions.count - 1 {
                        prefixes.append((Array(token.utf8), place))
                    } else {
                        places[token, default: []].append(place)
                    }
                }
            }
        }
    }

    /// Returns the matches in a text, in the order of their ends.
    ///
    /// - parameter maximumCount: where to stop.
    func matches(
        in text: UnsafeBufferPointer<UInt8>, tokenizer: some FTS5Tokenizer,
        maximumCount: Int = .max
    ) throws -> [Match] {
        var matches: [Match] = []
        var begun: [Begun] = []
        // The tokens of the query found at the current position of the text.
        var found: [Place] = []
        var range = 0..<0

        func endPosition() {
            if begun.isEmpty, found.isEmpty { return }
            var stillBegun: [Begun] = []
            func advance(_ place: Place, start: Int) {
                let phrase = phrases[place.phrase]
                if place.position + 1 == phrase.positions.count {
                    matches.append(Match(range: start..<range.upperBound, term: phrase.term))
                } else {
                    let next = Place(phrase: place.phrase, position: place.position + 1)
                    stillBegun.append(Begun(next: next, start: start))
                }
            }
            for phrase in begun where found.contains(phrase.next) {
                advance(phrase.next, start: phrase.start)
            }
            for place in found where place.position == 0 {
                advance(place, start: range.lowerBound)
            }
            begun = stillBegun
            found.removeAll(keepingCapacity: true)
        }

        try tokenizer.visitTokens(of: text, for: .aux) { token in
            if !token.isColocated {
                endPosition()
                range = token.range
            }
            guard let first = token.utf8.first, startsToken[Int(first)] else {
                return true
            }
            for place in places[String(decoding: token.utf8, as: UTF8.self)] ?? []
            where !found.contains(place) {
                found.append(place)
            }
            for prefix in prefixes
            where token.utf8.starts(with: prefix.utf8) && !found.contains(prefix.place) {
                found.append(prefix.place)
            }
            return matches.count < maximumCount
        }
        endPosition()
        return matches
    }
}
