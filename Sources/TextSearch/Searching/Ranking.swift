import GRDB

/// In which order files are found.
enum Ranking {
    /// How well a file matches: lower values rank higher. The title weighs ten times as much as the
    /// body.
    static let score = FTS5.bm25(weights: ["title": 10])

    /// Where a file has the first match. Of files that match as well as one another, those come first
    /// that match sooner; those that match in the title before all.
    static let firstPlace = FTS5AuxiliaryFunction("firstPlace") { match in
        guard try match.instanceCount() > 0 else { return .infinity }
        let first = try match.instance(at: 0)
        // No text has as many words.
        return Double(first.column) * 0x1p32 + Double(first.offset)
    }

    /// What the function has found: a column, and the number of a word in it.
    struct Place: Equatable {
        var column: String
        var word: Int

        /// - parameter value: the value of the function; infinite without a match.
        init?(_ value: Double) {
            guard value.isFinite, value >= 0 else { return nil }
            column = value < 0x1p32 ? "title" : "body"
            word = Int(value.truncatingRemainder(dividingBy: 0x1p32))
        }
    }
}
