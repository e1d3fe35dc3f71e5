import Foundation
import GRDB

/// Runs queries on the index.
struct Searcher {
    let index: IndexDatabase
    var limit: Int
    /// The query is in the syntax of FTS5.
    var isRaw: Bool
    /// Where to search; everywhere if nil.
    var folder: String?
    /// Whether to print how SQLite runs the query, and where the first matches are.
    var explains = false
    /// The maximum number of characters of the lines of a file, by its path.
    var width: (_ path: String) -> Int = { _ in 100 }

    struct Result {
        var path: String
        /// Where the name of the file has matches, as ranges of bytes.
        var titleMatches: [Range<Int>]
        /// Greater is better.
        var score: Double
        /// Where the first match is. Only when it is asked for.
        var firstPlace: Ranking.Place?
        var snippet: Snippet
    }

    /// How a query is run.
    struct Explanation {
        /// The pattern, in the syntax of FTS5.
        var pattern: String
        /// The statement that ranks the files.
        var sql: String
        /// The lines of `EXPLAIN QUERY PLAN`.
        var plan: [String]
    }

    struct Results {
        /// How many files there are.
        var count: Int
        /// The best ones.
        var best: [Result]
        var explanation: Explanation?
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
            guard let condition = pattern.condition else { return nil }
            do {
                return Results(
                    count: try request(condition).fetchCount(db),
                    best: try best(
                        db, condition, withSnippets ? PhraseMatcher(pattern.phrases) : nil,
                        tokenizer),
                    explanation: explains ? try explanation(db, condition) : nil)
            } catch let error as DatabaseError where isRaw && error.resultCode == .SQLITE_ERROR {
                throw CommandError(
                    message: """
                        FTS5 does not understand the query: \
                        \(TextFormat.printable(error.message ?? "\(error)"))
                        """)
            }
        }
    }

    /// The rows that are found: of the full-text table, or, without a word to look for, of the file table.
    private func request(_ condition: SearchPattern.Condition) -> QueryInterfaceRequest<Row> {
        let name = IndexDatabase.searchTable
        let files = folder.map { folder in
            let range = IndexDatabase.pathRange(of: folder)
            return Table(IndexDatabase.fileTable)
                .filter(Column("path") > range.lowerBound && Column("path") < range.upperBound)
        }
        switch condition {
        case .matching(let match):
            let matches = Table(name).filter(Self.match(name, match))
            guard let files else { return matches }
            // Not the plain rowid: FTS5 would run the query once for each file.
            return matches.filter(files.select(Column("id")).contains(Column.rowID + 0))
        case .notMatching(let match):
            let matches = Table(name).filter(Self.match(name, match)).select(Column.rowID)
            return (files ?? Table(IndexDatabase.fileTable).all())
                .filter(!matches.contains(Column("id")))
        }
    }

    private static func match(_ table: String, _ pattern: String) -> SQLExpression {
        SQL("\(Column(table)) MATCH \(pattern)").sqlExpression
    }

    /// The numbers of the best files, with what decides on their order.
    private func ranking(_ condition: SearchPattern.Condition) -> QueryInterfaceRequest<Row> {
        // Without the texts: SQLite would carry those of all files through its sorter.
        switch condition {
        case .matching:
            request(condition)
                .select(
                    Column.rowID, Ranking.score.forKey("score"),
                    Ranking.firstPlace().forKey("firstPlace")
                )
                .order(Column("score"), Column("firstPlace"), Column.rowID)
                .limit(limit)
        case .notMatching:
            // Nothing makes one of these files better than another one.
            request(condition)
                .select(
                    Column("id"), (0.0).databaseValue.forKey("score"),
                    Double.infinity.databaseValue.forKey("firstPlace")
                )
                .order(Column("path"))
                .limit(limit)
        }
    }

    private func explanation(
        _ db: Database, _ condition: SearchPattern.Condition
    ) throws -> Explanation {
        let statement = try ranking(condition).makePreparedRequest(db).statement
        let rows = try Row.fetchAll(
            db, sql: "EXPLAIN QUERY PLAN " + statement.sql, arguments: statement.arguments)
        // Each line names the one that it is a part of.
        var depths: [Int: Int] = [:]
        let plan = rows.map { row in
            let depth = (depths[row["parent"]] ?? -1) + 1
            depths[row["id"]] = depth
            return String(repeating: "  ", count: depth) + (row["detail"] as String)
        }
        let pattern =
            switch condition {
            case .matching(let match): match
            case .notMatching(let match): "NOT \(match)"
            }
        return Explanation(pattern: pattern, sql: statement.sql, plan: plan)
    }

    private func best(
        _ db: Database, _ condition: SearchPattern.Condition, _ matcher: PhraseMatcher?,
        _ tokenizer: IdentifierTokenizer
    ) throws -> [Result] {
        let ranking = try ranking(condition).fetchAll(db)
        var titleMatches: [Int64: [Range<Int>]] = [:]
        if matcher != nil, case .matching(let match) = condition {
            titleMatches = try self.titleMatches(db, match, ranking.map { $0[0] })
        }
        var results: [Result] = []
        for ranked in ranking {
            let id: Int64 = ranked[0]
            // bm25 is below zero: lower values rank higher.
            let score: Double = ranked[1]
            let rows = try Row.fetchCursor(
                db, sql: "SELECT path, body FROM file WHERE id = ?", arguments: [id])
            guard let row = try rows.next() else { continue }
            let snippet = try matcher.map { matcher in
                try row.withUnsafeData(atIndex: 1) { body in
                    try (body ?? Data()).withUnsafeBytes { bytes in
                        let utf8 = bytes.bindMemory(to: UInt8.self)
                        let matches = try matcher.matches(
                            in: utf8, tokenizer: tokenizer,
                            maximumCount: Searcher.maximumMatchCount)
                        return Snippet(of: utf8, matches: matches, width: width(row[0]))
                    }
                }
            }
            results.append(
                Result(
                    path: row[0], titleMatches: titleMatches[id] ?? [], score: 0 - score,
                    firstPlace: explains ? Ranking.Place(ranked[2]) : nil,
                    snippet: snippet ?? Snippet()))
        }
        return results
    }

    /// Where the titles of files have matches, by the numbers of the files.
    private func titleMatches(
        _ db: Database, _ match: String, _ ids: [Int64]
    ) throws -> [Int64: [Range<Int>]] {
        // Names have no slash.
        let title = FTS5.highlight(Column("title"), before: "/", after: "/")
        let rows =
            try request(.matching(match))
            .select(Column.rowID, title)
            // Not the plain rowid: FTS5 would run the query once for each of them.
            .filter(ids.contains(Column.rowID + 0))
            .fetchCursor(db)
        var matches: [Int64: [Range<Int>]] = [:]
        while let row = try rows.next() {
            matches[row[0]] = Searcher.markedRanges(of: row[1])
        }
        return matches
    }

    /// The ranges of bytes between slashes, in the text without them.
    private static func markedRanges(of text: String) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var offset = 0
        let pieces = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (number, piece) in pieces.enumerated() {
            if number % 2 == 1 { ranges.append(offset..<(offset + piece.count)) }
            offset += piece.count
        }
        return ranges
    }
}
