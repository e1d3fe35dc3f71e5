import GRDB
import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct QueryParserTests {
    private typealias Term = QueryParser.Term

    @Test func wordsPhrasesPrefixesAndExclusions() {
        expectEqual(
            QueryParser(#"one "two three" fo* -five -"six seven" "eight n"*"#).terms,
            [
                Term(text: "one"),
                Term(text: "two three"),
                Term(text: "fo", isPrefix: true),
                Term(text: "five", isExcluded: true),
                Term(text: "six seven", isExcluded: true),
                Term(text: "eight n", isPrefix: true),
            ])
    }

    @Test func quotesMayBeCurlyOrOpen() {
        expectEqual(QueryParser("“a b” \"c d").terms, [Term(text: "a b"), Term(text: "c d")])
    }

    @Test func aQueryMayHaveExclusionsOnly() {
        expectEqual(
            QueryParser("-a -b").terms,
            [Term(text: "a", isExcluded: true), Term(text: "b", isExcluded: true)])
    }

    @Test func dashesInsideOfWordsExcludeNothing() {
        expectTrue(QueryParser("well-known - --x").terms.allSatisfy { !$0.isExcluded })
    }

    @Test func repeatedTermsCountOnce() {
        expectEqual(QueryParser("a a a").terms, [Term(text: "a")])
    }

    @Test func rawQueriesGiveWordsToHighlight() {
        expectEqual(
            RawQueryWords(#"title : foo AND (ba* OR "q""x") NOT NEAR(c d, 3)"#).terms.map(\.text),
            ["foo", "ba", "q\"x", "c", "d", "3"])
    }

    /// Whatever people type is a query: SQLite never says that it is not.
    @Test func noTextIsASyntaxError() throws {
        let files = try TestIndex()
        try files.folder.write(
            "a.swift", "func databaseWillChange() { AND OR NOT near \"quoted\" }")
        try files.folder.write("b.md", "Plain words, numbers 1 2 3, accents éèà, 日本語.")
        try files.update()
        try files.index.replaceSynonyms(SynonymList(groups: [["plain", "simple"], ["a", "b"]]))

        let pieces = [
            "\"", "“", "”", "'", "`", "*", "**", "-", "--", "^", "+", ":", ";", ",", ".", "(", ")",
            "{", "}", "[", "]", "\\", "/", "%", "_", "__", " ", "  ", "\t", "\n", "\0", "AND", "OR",
            "NOT", "NEAR", "NEAR(", "title:", "body :", "{title body} :", "rank", "search", "a",
            "b",
            "word", "database", "databaseWillChange", "snake_case", "_x", "é", "É", "日本", "🙂",
            "e\u{301}", "\u{301}", "\u{200d}", "\u{feff}", "ﬁ", "1", "42", "0x1F", "utf8", "SELECT",
            "--", "/*", "?", "?1", ":a", "@", "$", "#", "~", "|", "&", "<", ">", "=", "!",
        ]
        var generator = SplitMix64(seed: 7)
        for _ in 0..<2000 {
            let query = (0..<Int.random(in: 0...12, using: &generator))
                .map { _ in pieces.randomElement(using: &generator)! }
                .joined(separator: Bool.random(using: &generator) ? "" : " ")
            do {
                _ = try files.search(query)
            } catch {
                Issue.record("query: \(query.debugDescription), \(error)")
            }
        }
    }

    @Test func longQueriesAreNoErrors() throws {
        let files = try TestIndex()
        try files.folder.write("a", "word1 word2")
        try files.update()
        let words = (1...600).map { "word\($0)x" }
        try expectEqual(files.search(words.joined(separator: " ")), [])
        try expectEqual(
            files.search("word1 " + words.map { "-" + $0 }.joined(separator: " ")),
            ["a"])
        try expectEqual(files.search("\"" + words.joined(separator: " ") + "\""), [])
        try expectEqual(files.search(String(repeating: "x", count: 100_000)), [])
        try expectEqual(files.search(String(repeating: "(", count: 10_000)), [])
    }

    @Test func errorsOfRawQueriesAreExplained() throws {
        let files = try TestIndex()
        for (query, message) in [
            ("foo AND", "fts5: syntax error near \"\""),
            ("nope : foo", "no such column: nope"),
            ("\"open", "unterminated string"),
        ] {
            let error = expectError(CommandError.self) {
                _ = try files.search(query, isRaw: true)
            }
            expectEqual(error?.message, "FTS5 does not understand the query: \(message)")
        }
    }
}
