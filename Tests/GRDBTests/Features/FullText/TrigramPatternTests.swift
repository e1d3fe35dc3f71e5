import GRDB
import GRDBTestSupport
import Testing

/// Patterns for the tokenizer `trigram`, which finds no word of one or two characters.
@Suite(.databases) struct TrigramPatternTests {
    struct Book: TableRecord, FetchableRecord {
        var id: Int64
        init(row: Row) { id = row[Column.rowID] }
        static var databaseSelection: [any SQLSelectable] { [Column.rowID] }
    }

    enum Maker: CaseIterable {
        case any, all, prefixes, phrase, prefixPhrase

        func callAsFunction(_ text: String) -> FTS5Pattern? {
            switch self {
            case .any: FTS5Pattern(matchingAnyTokenIn: text)
            case .all: FTS5Pattern(matchingAllTokensIn: text)
            case .prefixes: FTS5Pattern(matchingAllPrefixesIn: text)
            case .phrase: FTS5Pattern(matchingPhrase: text)
            case .prefixPhrase: FTS5Pattern(matchingPrefixPhrase: text)
            }
        }

        /// Whether a title matches words in lower case, which contain no punctuation.
        func matches(_ words: [String], _ title: String) -> Bool {
            let title = title.lowercased()
            let long = words.filter { $0.count >= 3 }
            let phrase = words.joined(separator: " ")
            return switch self {
            case .any: long.contains { title.contains($0) }
            case .all, .prefixes: !long.isEmpty && long.allSatisfy { title.contains($0) }
            case .phrase: phrase.count >= 3 && title.contains(phrase)
            case .prefixPhrase: phrase.count >= 3 && title.hasPrefix(phrase)
            }
        }
    }

    static func withBooks(
        _ titles: [String], detail: String = "full", _ body: (Database) throws -> Void
    ) throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(virtualTable: "book", using: FTS5()) { t in
                t.tokenizer = .trigram()
                t.detail = detail
                t.column("title")
            }
            for title in titles {
                try db.execute(sql: "INSERT INTO book VALUES (?)", arguments: [title])
            }
            try body(db)
        }
    }

    @Test func shortWordsAreIgnoredBesideLongOnes() throws {
        try Self.withBooks(["SQLite", "go SQLite", "SQLite go", "go", "Gopher"]) { db in
            func ids(_ pattern: FTS5Pattern?) throws -> [Int64] {
                try Book.matching(pattern).order(Column.rowID).fetchAll(db).map(\.id)
            }
            let text = "go SQLite!"
            expectEqual(try ids(FTS5Pattern(matchingAllTokensIn: text)), [1, 2, 3])
            expectEqual(try ids(FTS5Pattern(matchingAnyTokenIn: text)), [1, 2, 3])
            expectEqual(try ids(FTS5Pattern(matchingAllPrefixesIn: text)), [1, 2, 3])
            // A phrase is one text: the short word, and the space, are a part of it.
            expectEqual(try ids(FTS5Pattern(matchingPhrase: text)), [2])
            expectEqual(try ids(FTS5Pattern(matchingPrefixPhrase: text)), [2])
            // The remedy of the guide
            let rows = Book.matching(FTS5Pattern(matchingAllTokensIn: text))
                .filter(Column("title").like("%go%"))
            expectEqual(try rows.order(Column.rowID).fetchAll(db).map(\.id), [2, 3])
            // An operator is not a maker: AND with a word that has no token matches nothing.
            expectEqual(try ids(FTS5Pattern(rawPattern: "go AND sqlite")), [])
        }
    }

    @Test(arguments: Maker.allCases, ["full", "column", "none"])
    func shortWordsAloneMatchNoRow(maker: Maker, detail: String) throws {
        try Self.withBooks(["go", "go SQLite", "a b", "é", "日本", ""], detail: detail) { db in
            for text in ["go", "g", "é", "日本", "C++", "go!"] {
                let pattern = try unwrap(maker(text))
                expectEqual(try Book.matching(pattern).fetchCount(db), 0)
                expectEqual(try Book.filter(Column("book").match(pattern)).fetchCount(db), 0)
            }
        }
    }

    /// Two short words make a phrase of three characters.
    @Test func aPhraseOfShortWordsIsFound() throws {
        try Self.withBooks(["a b", "ab", "aab bc"]) { db in
            for maker in Maker.allCases {
                let ids = try Book.matching(maker("A b")).order(Column.rowID).fetchAll(db).map(\.id)
                let expected: [Int64] =
                    switch maker {
                    case .any, .all, .prefixes: []
                    case .phrase, .prefixPhrase: [1]
                    }
                expectEqual(ids, expected)
            }
        }
    }

    /// Random titles and texts, compared with the search for substrings.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func patternsMatchSubstrings(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        func makeWords(_ count: Range<Int>) -> [String] {
            (0..<Int.random(in: count, using: &generator)).map { _ in
                String(
                    (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                        "abé日".randomElement(using: &generator)!
                    })
            }
        }
        let titles = (0..<60).map { _ in makeWords(0..<5).joined(separator: " ") }
        try Self.withBooks(titles) { db in
            for _ in 0..<60 {
                let words = makeWords(1..<4)
                for maker in Maker.allCases {
                    let pattern = maker(words.joined(separator: " "))
                    let ids = try Book.matching(pattern).order(Column.rowID).fetchAll(db)
                        .map(\.id)
                    let expected = titles.indices.filter { maker.matches(words, titles[$0]) }
                    expectEqual(ids, expected.map { Int64($0 + 1) })
                }
            }
        }
    }
}
