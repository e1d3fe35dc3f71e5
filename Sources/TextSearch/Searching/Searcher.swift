import Foundation
import GRDB

/// Runs queries on the index.
struct Searcher {
    let index: IndexDatabase
    var limit: Int
    /// The query is in the syntax of FTS5.
    var isRaw: Bool
    /// The maximum number of characters of a snippet line.
    var width = 100

    struct Result {
        var path: String
        /// Where the name of the file has matches, as ranges of bytes.
        var titleMatches: [Range<Int>]
        /// Greater is better.
        var score: Double
        var snippet: Snippet
    }

    struct Results {
        /// How many files there are.
        var count: Int
        /// The best ones.
        var best: [Result]
    }

    /// Enough to find the lines that have all words, in most cases.
    private static let maximumMatchCount = 10_000

    /// Returns the files that a query finds.
    ///
    /// - parameter withSnippets: whether to look for snippets, which takes longer than searching.
    /// - returns: nil if the query has no word.
    /// - throws: a `DatabaseError`; a `CommandError` for an error in a raw query.
    func search(_ query: String, withSnippets: Bool = true) throws -> Results? {
        try index.queue.read { db in
            let tokenizer = try IdentifierTokenizer(db: db, arguments: [])
            let pattern =
                isRaw
                ? try SearchPattern(raw: query, tokenizer: tokenizer)
                : try SearchPattern(words: query, tokenizer: tokenizer)
            guard let match = pattern.pattern else { return nil }
            do {
                return Results(
                    count: try count(db, match),
                    best: try best(
                        db, match, PhraseMatcher(withSnippets ? pattern.phrases : []), tokenizer))
            } catch let error as DatabaseError where isRaw && error.resultCode == .SQLITE_ERROR {
                throw CommandError(
                    message: """
                        FTS5 does not understand the query: \
                        \(TextFormat.printable(error.message ?? "\(error)"))
                        """)
            }
        }
    }

    private func count(_ db: Database, _ match: String) throws -> Int {
        try Int.fetchOne(
            db, sql: "SELECT count(*) FROM search WHERE search MATCH ?", arguments: [match]) ?? 0
    }

    private func best(
        _ db: Database, _ match: String, _ matcher: PhraseMatcher, _ tokenizer: IdentifierTokenizer
    ) throws -> [Result] {
        // Without the texts: SQLite would carry those of all files through its sorter.
        let ranking = try Row.fetchAll(
            db,
            sql: """
                SELECT rowid, rank FROM search WHERE search MATCH ? ORDER BY rank LIMIT ?
                """, arguments: [match, limit])
        var results: [Result] = []
        for ranked in ranking {
            let id: Int64 = ranked[0]
            // The rank is that of bm25, which is below zero, and the lower the better.
            let rank: Double = ranked[1]
            let rows = try Row.fetchCursor(
                db, sql: "SELECT path, title, body FROM file WHERE id = ?", arguments: [id])
            guard let row = try rows.next() else { continue }
            var title: String = row[1]
            let titleMatches = try title.withUTF8 {
                try matcher.matches(in: $0, tokenizer: tokenizer).map(\.range)
            }
            let snippet = try row.withUnsafeData(atIndex: 2) { body in
                try (body ?? Data()).withUnsafeBytes { bytes in
                    let utf8 = bytes.bindMemory(to: UInt8.self)
                    let matches = try matcher.matches(
                        in: utf8, tokenizer: tokenizer,
                        maximumCount: Searcher.maximumMatchCount)
                    return Snippet(of: utf8, matches: matches, width: width)
                }
            }
            results.append(
                Result(path: row[0], titleMatches: titleMatches, score: -rank, snippet: snippet))
        }
        return results
    }
}
