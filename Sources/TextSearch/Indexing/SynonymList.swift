/// Groups of words that mean the same.
///
/// A word may be in several groups. It has the synonyms of all of them, but not theirs.
struct SynonymList: Equatable, Sendable {
    /// Words as the tokenizer folds them.
    private(set) var groups: [[String]]
    private var groupsOfWord: [String: [Int]] = [:]

    var isEmpty: Bool { groups.isEmpty }

    init(groups: [[String]] = []) {
        self.groups = groups
        for (index, group) in groups.enumerated() {
            for word in group {
                groupsOfWord[word, default: []].append(index)
            }
        }
    }

    /// Reads groups from a text: one a line, separated by commas. Lines that start with `#` are
    /// comments.
    ///
    /// - parameter fold: returns the tokens of a word.
    /// - throws: a `CommandError` that names the line.
    init(text: String, fold: (String) throws -> [String]) throws {
        var groups: [[String]] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let line = line.trimmingBlanks()
            if line.isEmpty || line.hasPrefix("#") { continue }
            var group: [String] = []
            for word in line.split(separator: ",") {
                let word = String(word.trimmingBlanks())
                if word.isEmpty { continue }
                let tokens = try fold(word)
                guard tokens.count == 1 else {
                    throw CommandError(
                        message: """
                            line \(index + 1): “\(TextFormat.printable(word))” is not one word
                            """)
                }
                if !group.contains(tokens[0]) { group.append(tokens[0]) }
            }
            guard group.count > 1 else {
                throw CommandError(
                    message: """
                        line \(index + 1): a group needs two different words, separated by a comma
                        """)
            }
            groups.append(group)
        }
        self.init(groups: groups)
    }

    /// The synonyms of a folded word.
    func synonyms(of word: String) -> [String] {
        guard let indexes = groupsOfWord[word] else { return [] }
        var result: [String] = []
        for index in indexes {
            for synonym in groups[index] where synonym != word && !result.contains(synonym) {
                result.append(synonym)
            }
        }
        return result
    }
}

extension StringProtocol {
    /// The text without the blanks around it.
    func trimmingBlanks() -> SubSequence {
        var result = self[...]
        while let first = result.first, first.isWhitespace { result.removeFirst() }
        while let last = result.last, last.isWhitespace { result.removeLast() }
        return result
    }
}
