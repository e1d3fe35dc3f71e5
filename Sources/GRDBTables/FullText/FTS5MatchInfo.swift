import GRDB

/// Information on a row that matches a pattern: the phrases of the pattern and their positions.
///
/// ```swift
/// var config = Configuration()
/// config.prepareDatabase { db in
///     try db.add(auxiliaryFunction: FTS5MatchInfo.function)
/// }
///
/// // SELECT grdb_match_info("book") FROM "book" WHERE "book" MATCH 'moby dick'
/// let infos = try Book.matching(pattern)
///     .select(FTS5MatchInfo.function(), as: FTS5MatchInfo.self)
///     .fetchAll(db)
/// for info in infos {
///     for phrase in info.phrases {
///         print(phrase.tokens, phrase.rowCount, phrase.instances)
///     }
/// }
/// ```
///
/// The database value is JSON text. See ``/GRDB/FTS5MatchContext`` for the terms.
public struct FTS5MatchInfo: Codable, Hashable, Sendable, DatabaseValueConvertible {
    /// A phrase of the pattern.
    public struct Phrase: Codable, Hashable, Sendable {
        /// The tokens of the phrase.
        public var tokens: [String]
        /// The number of rows of the table that match the phrase.
        public var rowCount: Int
        /// The instances of the phrase in the row.
        public var instances: [Instance]
    }

    /// An occurrence of a phrase.
    public struct Instance: Codable, Hashable, Sendable {
        /// The number of the column.
        public var column: Int
        /// The offset of the first token in the column; -1 if the table doesn't store offsets.
        public var offset: Int
    }

    /// The rowid of the row.
    public var rowID: Int64
    /// The number of rows of the table.
    public var rowCount: Int
    /// The number of tokens of each column of the row.
    public var tokenCounts: [Int]
    /// The number of tokens of each column of all rows.
    public var totalTokenCounts: [Int]
    /// The phrases of the pattern.
    public var phrases: [Phrase]

    /// Collects the information on a row from the context of an auxiliary function.
    ///
    /// - complexity: runs a query per phrase, for the first row.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` if the context is used after the call
    ///   of its function.
    public init(_ match: FTS5MatchContext) throws {
        rowID = match.rowID
        rowCount = try match.rowCount()
        let columns = 0..<match.columnCount
        tokenCounts = try columns.map { try match.tokenCount(ofColumn: $0) }
        totalTokenCounts = try columns.map { try match.totalTokenCount(ofColumn: $0) }
        phrases = try match.auxiliaryData {
            try (0..<match.phraseCount).map { phrase in
                let tokens = try (0..<match.tokenCount(ofPhrase: phrase)).map {
                    try match.token(at: $0, ofPhrase: phrase)
                }
                return Phrase(
                    tokens: tokens, rowCount: try match.rowCount(ofPhrase: phrase), instances: [])
            }
        }
        try match.forEachInstance {
            phrases[$0.phrase].instances.append(Instance(column: $0.column, offset: $0.offset))
        }
    }

    /// The auxiliary function that returns these values, named `grdb_match_info`.
    public static let function = FTS5AuxiliaryFunction(
        "grdb_match_info", function: { try FTS5MatchInfo($0) })
}
