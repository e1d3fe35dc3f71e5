import GRDB
public import _GRDBSystem

/// The result of the `matchinfo` function of FTS3 and FTS4 for a row that matches a pattern.
///
/// ```swift
/// // SELECT matchinfo("book", 'pcnx') FROM "book" WHERE "book" MATCH 'moby dick'
/// let blobs = try Book.matching(pattern)
///     .select(FTS3.matchInfo([.rowCount, .hits]), as: Data.self)
///     .fetchAll(db)
/// let infos = try blobs.map { try FTS3MatchInfo(data: $0, content: [.rowCount, .hits]) }
/// let hits = infos[0].hits(phrase: 0, column: 1)?.inRow
/// ```
///
/// Phrases and columns are numbered from 0. Each term of a pattern counts as a phrase.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts3.html#the_matchinfo_function>
public struct FTS3MatchInfo: Hashable, Sendable {
    /// The values to request. FTS3 tables reject ``rowCount``, ``averageTokenCounts`` and
    /// ``tokenCounts``.
    public struct Content: OptionSet, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// ``FTS3MatchInfo/rowCount``: `n`.
        public static let rowCount = Content(rawValue: 1 << 0)
        /// ``FTS3MatchInfo/averageTokenCounts``: `a`.
        public static let averageTokenCounts = Content(rawValue: 1 << 1)
        /// ``FTS3MatchInfo/tokenCounts``: `l`.
        public static let tokenCounts = Content(rawValue: 1 << 2)
        /// ``FTS3MatchInfo/longestSubsequences``: `s`.
        public static let longestSubsequences = Content(rawValue: 1 << 3)
        /// ``FTS3MatchInfo/hits(phrase:column:)``: `x`.
        public static let hits = Content(rawValue: 1 << 4)
        /// ``FTS3MatchInfo/rowHits(phrase:column:)``: `y`.
        public static let rowHits = Content(rawValue: 1 << 5)
        /// ``FTS3MatchInfo/isFound(phrase:column:)``: `b`.
        public static let isFound = Content(rawValue: 1 << 6)

        /// The format argument of the function. It always includes the numbers of phrases and
        /// columns, which determine the sizes of the other values.
        var format: String {
            var format = "pc"
            for (content, character) in Self.characters where contains(content) {
                format.append(character)
            }
            return format
        }

        static let characters: [(Content, Character)] = [
            (.rowCount, "n"), (.averageTokenCounts, "a"), (.tokenCounts, "l"),
            (.longestSubsequences, "s"), (.hits, "x"), (.rowHits, "y"), (.isFound, "b"),
        ]
    }

    /// The numbers of occurrences of a phrase in a column.
    public struct Hits: Hashable, Sendable {
        /// The number of occurrences in the row.
        public var inRow: Int
        /// The number of occurrences in all rows of the table.
        public var inAllRows: Int
        /// The number of rows whose column contains the phrase.
        public var rowCount: Int

        /// Creates the numbers of occurrences of a phrase in a column.
        ///
        /// - parameter inRow: the number of occurrences in the row.
        /// - parameter inAllRows: the number of occurrences in all rows of the table.
        /// - parameter rowCount: the number of rows whose column contains the phrase.
        public init(inRow: Int, inAllRows: Int, rowCount: Int) {
            self.inRow = inRow
            self.inAllRows = inAllRows
            self.rowCount = rowCount
        }
    }

    /// The number of phrases of the pattern.
    public let phraseCount: Int
    /// The number of columns of the table.
    public let columnCount: Int

    private var values: [Content.RawValue: [UInt32]] = [:]

    /// Decodes the blob that the function returns.
    ///
    /// - parameter data: a value of the `matchinfo` function.
    /// - parameter content: the values that were requested from the function.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISMATCH` if the blob does not have this
    ///   content.
    public init(data: Data, content: Content) throws {
        let words = data.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map {
                bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)
            }
        }
        guard data.count.isMultiple(of: 4), words.count >= 2 else {
            throw Self.mismatch(data, content)
        }
        // SQLite supports no more columns, so the products below can't overflow.
        guard let phraseCount = Int(exactly: words[0]), words[1] <= Int16.max else {
            throw Self.mismatch(data, content)
        }
        self.phraseCount = phraseCount
        columnCount = Int(words[1])
        var rest = words[2...]
        for (part, _) in Content.characters where content.contains(part) {
            let count = count(of: part)
            guard rest.count >= count else { throw Self.mismatch(data, content) }
            values[part.rawValue] = Array(rest.prefix(Int(count)))
            rest = rest.dropFirst(Int(count))
        }
        guard rest.isEmpty else { throw Self.mismatch(data, content) }
    }

    private static func mismatch(_ data: Data, _ content: Content) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISMATCH,
            message: """
                could not decode matchinfo of format '\(content.format)' from \(data.count) bytes
                """)
    }

    /// The number of words of a value.
    private func count(of part: Content) -> Int64 {
        let columnCount = Int64(columnCount)
        let phraseCount = Int64(phraseCount)
        return switch part {
        case .rowCount: 1
        case .averageTokenCounts, .tokenCounts, .longestSubsequences: columnCount
        case .hits: 3 * columnCount * phraseCount
        case .rowHits: columnCount * phraseCount
        default: Int64(wordsPerPhrase) * phraseCount
        }
    }

    /// The number of words of a bit set with one bit per column.
    private var wordsPerPhrase: Int { (columnCount + 31) / 32 }

    private func integers(_ part: Content) -> [Int]? {
        values[part.rawValue]?.map(Int.init)
    }

    /// The index for a phrase and a column; nil if they don't exist.
    private func index(_ phrase: Int, _ column: Int) -> Int? {
        guard 0..<phraseCount ~= phrase, 0..<columnCount ~= column else { return nil }
        return phrase * columnCount + column
    }

    /// The number of rows of the table; nil if it was not requested.
    public var rowCount: Int? { integers(.rowCount)?[0] }

    /// The average number of tokens in each column; nil if it was not requested.
    public var averageTokenCounts: [Int]? { integers(.averageTokenCounts) }

    /// The number of tokens in each column of the row; nil if it was not requested.
    public var tokenCounts: [Int]? { integers(.tokenCounts) }

    /// For each column, the length of the longest sequence of phrases that occur in the order of
    /// the pattern; nil if it was not requested.
    public var longestSubsequences: [Int]? { integers(.longestSubsequences) }

    /// The numbers of occurrences of a phrase in a column; nil if they were not requested, or if
    /// there is no such phrase or column.
    public func hits(phrase: Int, column: Int) -> Hits? {
        guard let values = values[Content.hits.rawValue], let index = index(phrase, column) else {
            return nil
        }
        return Hits(
            inRow: Int(values[3 * index]), inAllRows: Int(values[3 * index + 1]),
            rowCount: Int(values[3 * index + 2]))
    }

    /// The number of occurrences of a phrase in a column of the row, if the phrase contributes to
    /// the match; nil if it was not requested, or if there is no such phrase or column. It is
    /// faster than ``hits(phrase:column:)``.
    public func rowHits(phrase: Int, column: Int) -> Int? {
        guard let values = values[Content.rowHits.rawValue], let index = index(phrase, column)
        else { return nil }
        return Int(values[index])
    }

    /// Whether a phrase occurs in a column of the row; nil if it was not requested, or if there is
    /// no such phrase or column. It is faster than ``rowHits(phrase:column:)``.
    public func isFound(phrase: Int, column: Int) -> Bool? {
        guard let values = values[Content.isFound.rawValue], index(phrase, column) != nil else {
            return nil
        }
        return values[phrase * wordsPerPhrase + column / 32] & (1 << UInt32(column % 32)) != 0
    }
}
