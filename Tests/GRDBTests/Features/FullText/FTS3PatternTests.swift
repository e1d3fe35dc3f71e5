import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct FTS3PatternTests {
    // MARK: - From any text

    @Test(arguments: [
        ("foo", "foo"), ("foo bar", "foo bar"), ("Éric's", "Éric s"), ("foo* bar", "foo bar"),
        ("\"foo\"", "foo"), ("foo-bar", "foo bar"), ("AND OR", "and or"),
        ("foo AND bar", "foo and bar"), ("été", "été"), ("a:b", "a b"), ("foo\"bar", "foo bar"),
        ("日本語", "日本語"), ("foo NEAR/2 bar", "foo near 2 bar"), ("12", "12"), ("a\0b", "a b"),
        ("SQLite database", "sqlite database"), ("snake_case", "snake case"), ("-foo", "foo"),
    ])
    func textIsSplitInTokens(_ text: String, _ spaced: String) {
        let tokens = spaced.split(separator: " ")
        expectEqual(FTS3Pattern(matchingAllTokensIn: text)?.rawPattern, spaced)
        expectEqual(
            FTS3Pattern(matchingAnyTokenIn: text)?.rawPattern,
            tokens.joined(separator: " OR "))
        expectEqual(
            FTS3Pattern(matchingAllPrefixesIn: text)?.rawPattern,
            tokens.map { "\($0)*" }.joined(separator: " "))
        expectEqual(FTS3Pattern(matchingPhrase: text)?.rawPattern, "\"\(spaced)\"")
    }

    @Test(arguments: ["", " ", "*", "* - ^ \"", "\0", "\u{1A}", "_"])
    func textWithoutTokensHasNoPattern(_ text: String) {
        expectEqual(FTS3Pattern(matchingAllTokensIn: text), nil)
        expectEqual(FTS3Pattern(matchingAnyTokenIn: text), nil)
        expectEqual(FTS3Pattern(matchingAllPrefixesIn: text), nil)
        expectEqual(FTS3Pattern(matchingPhrase: text), nil)
    }

    /// What some tokenizers take for a token and others don't is quoted beside `OR`.
    @Test func tokensThatSomeTokenizersIgnore() throws {
        expectEqual(
            FTS3Pattern(matchingAnyTokenIn: "foo — bar 😀")?.rawPattern,
            #"foo OR "—" OR bar OR "😀""#)
        try TestDatabases.makeQueue().write { db in
            for tokenizer in [FTS3TokenizerDescriptor.simple, .porter, .unicode61()] {
                try db.create(virtualTable: "t", using: FTS4()) { t in
                    t.tokenizer = tokenizer
                    t.column("a")
                }
                try db.execute(sql: "INSERT INTO t VALUES ('foo'), ('bar'), ('or'), ('😀')")
                let rowIDs = try Int.fetchAll(
                    db, sql: "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid",
                    arguments: [FTS3Pattern(matchingAnyTokenIn: "foo — bar 😀")])
                expectEqual(rowIDs, (tokenizer == .unicode61() ? [1, 2] : [1, 2, 4]))
                try db.drop(table: "t")
            }
        }
    }

    /// Whatever a user types.
    @Test func patternsFromTextAreNeverASyntaxError() throws {
        var generator = SplitMix64(seed: 3)
        let parts = [
            "foo", "Bar", "AND", "OR", "NOT", "NEAR", "NEAR/2", "(", ")", "\"", "'", "*", "^", "+",
            "-", ":", "a:", " ", "\0", "\n", "é", "日", "😀", "—", "\u{301}", "’", "\u{378}", "٣",
            "½",
        ]
        try TestDatabases.makeQueue().write { db in
            let tokenizers: [FTS3TokenizerDescriptor] = [
                .simple, .porter, .unicode61(), .unicode61(diacritics: .keep),
            ]
            for (index, tokenizer) in tokenizers.enumerated() {
                try db.create(virtualTable: "t\(index)", using: FTS4()) { t in
                    t.tokenizer = tokenizer
                    t.column("a")
                }
                try db.execute(sql: "INSERT INTO t\(index) VALUES ('foo é 日 3 ½'), ('bar or and')")
            }
            for _ in 0..<2000 {
                let text = (0..<Int.random(in: 1..<8, using: &generator))
                    .map { _ in parts.randomElement(using: &generator)! }
                    .joined(separator: Bool.random(using: &generator) ? " " : "")
                let patterns = [
                    FTS3Pattern(matchingAnyTokenIn: text), FTS3Pattern(matchingAllTokensIn: text),
                    FTS3Pattern(matchingAllPrefixesIn: text), FTS3Pattern(matchingPhrase: text),
                ]
                for case let pattern? in patterns {
                    for index in tokenizers.indices {
                        expectNoError {
                            try Int.fetchAll(
                                db, sql: "SELECT rowid FROM t\(index) WHERE t\(index) MATCH ?",
                                arguments: [pattern])
                        }
                    }
                }
            }
        }
    }

    // MARK: - Raw patterns

    @Test(arguments: [
        "foo", "foo* bar", "foo OR bar", "foo AND bar", "foo NOT bar", "foo NEAR/2 bar",
        "\"foo bar\"", "a:foo", "(foo OR bar) AND baz", "^foo", "", "-foo",
    ])
    func validRawPatterns(_ rawPattern: String) throws {
        let pattern = try FTS3Pattern(rawPattern: rawPattern)
        expectEqual(pattern.rawPattern, rawPattern)
        expectEqual(FTS3Pattern.fromDatabaseValue(pattern.databaseValue), pattern)
    }

    @Test(arguments: ["AND", "a OR", "\"a", "(a", "a)", "NEAR", "NOT a"])
    func invalidRawPatterns(_ rawPattern: String) {
        expectError("SQLite error 1: malformed MATCH expression: [\(rawPattern)]") {
            try FTS3Pattern(rawPattern: rawPattern)
        }
        expectEqual(FTS3Pattern.fromDatabaseValue(rawPattern.databaseValue), nil)
    }

    @Test func otherInvalidRawPatterns() {
        expectError("SQLite error 1: malformed MATCH expression: NUL character") {
            try FTS3Pattern(rawPattern: "a\0b")
        }
        let deep = (0..<5000).map { "\($0)" }.joined(separator: " OR ")
        expectError(
            "SQLite error 1: FTS expression tree is too large (maximum depth 12)"
        ) {
            try FTS3Pattern(rawPattern: deep)
        }
        expectEqual(FTS3Pattern.fromDatabaseValue(1.databaseValue), nil)
        expectEqual(FTS3Pattern.fromDatabaseValue(.null), nil)
    }

    // MARK: - Tokenization

    @Test func tokenization() throws {
        try expectEqual(FTS3.tokenize("SQLite database"), ["sqlite", "database"])
        try expectEqual(FTS3.tokenize("Gustave Doré"), ["gustave", "doré"])
        try expectEqual(FTS3.tokenize(""), [])
        try expectEqual(FTS3.tokenize("É a-b_c"), ["É", "a", "b", "c"])
        try expectEqual(FTS3.tokenize("databases a_b", withTokenizer: .porter), ["databas", "a_b"])
        try expectEqual(
            FTS3.tokenize("Gustave DORÉ", withTokenizer: .unicode61()),
            ["gustave", "dore"])
        try expectEqual(
            FTS3.tokenize("DORÉ", withTokenizer: .unicode61(diacritics: .keep)),
            ["doré"])
        // A character with two diacritics
        try expectEqual(
            FTS3.tokenize("Ầ", withTokenizer: .unicode61(diacritics: .removeLegacy)),
            ["ầ"])
        try expectEqual(FTS3.tokenize("Ầ", withTokenizer: .unicode61(diacritics: .remove)), ["a"])
        let tokenizer = FTS3TokenizerDescriptor.unicode61(
            separators: ["b", "'"], tokenCharacters: ["-", "\"", "."])
        try expectEqual(
            FTS3.tokenize("a-\"c.d'e abc", withTokenizer: tokenizer),
            ["a-\"c.d", "e", "a", "c"])
        // NUL characters don't end the text.
        try expectEqual(FTS3.tokenize("a\0b c", withTokenizer: .unicode61()), ["a", "b", "c"])
    }

    @Test func tokenizersThatDoNotExist() {
        expectError("SQLite error 1: unknown tokenizer: nope") {
            try FTS3.tokenize("a", withTokenizer: FTS3TokenizerDescriptor(components: ["nope"]))
        }
        expectError(DatabaseError.self) {
            try FTS3.tokenize(
                "a", withTokenizer: FTS3TokenizerDescriptor(components: ["unicode61", "nope=1"]))
        }
    }

    @Test func tokenizationFromManyThreads() async throws {
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try FTS3.tokenize("Hello World", withTokenizer: .unicode61())
                }
            }
            for try await tokens in group {
                expectEqual(tokens, ["hello", "world"])
            }
        }
    }

    /// The tokens are those that the patterns are made of.
    @Test func tokensAreThoseOfSQLite() throws {
        var generator = SplitMix64(seed: 4)
        let scalars: [Unicode.Scalar] = (1..<0x180).compactMap { Unicode.Scalar($0) } + ["日", "😀"]
        for _ in 0..<300 {
            var text = ""
            for _ in 0..<Int.random(in: 0..<20, using: &generator) {
                text.unicodeScalars.append(scalars.randomElement(using: &generator)!)
            }
            let tokens = try FTS3.tokenize(text)
            expectEqual(
                FTS3Pattern(matchingAllTokensIn: text)?.rawPattern,
                (tokens.isEmpty ? nil : tokens.joined(separator: " ")))
        }
    }

    // MARK: - Many words

    private func words(_ count: Int, prefix: String = "w") -> String {
        (0..<count).map { "\(prefix)\($0)" }.joined(separator: " ")
    }

    /// SQLite refuses trees of more than 4,095 tokens.
    @Test func moreWordsThanSQLiteAccepts() {
        expectTrue(FTS3Pattern(matchingAllTokensIn: words(4_095)) != nil)
        expectEqual(FTS3Pattern(matchingAllTokensIn: words(5_000)), nil)
    }

    /// `unicode61` splits words that are one token of `simple`.
    @Test func wordsThatSomeTokenizersSplit() throws {
        let text = (0..<2_000).map { "a\($0)–b\($0)–c\($0)" }.joined(separator: " ")
        expectEqual(FTS3Pattern(matchingAllTokensIn: text), nil)
        let oneWord = (0..<5_000).map { "a\($0)" }.joined(separator: "–")
        expectEqual(FTS3Pattern(matchingAllTokensIn: oneWord), nil)
        try TestDatabases.makeQueue().write { db in
            try db.create(virtualTable: "t", using: FTS4()) { t in
                t.tokenizer = .unicode61()
                t.column("a")
            }
            let shorterText = text.split(separator: " ").prefix(500).joined(separator: " ")
            let pattern = try unwrap(FTS3Pattern(matchingAnyTokenIn: shorterText))
            _ = try Row.fetchAll(
                db, sql: "SELECT * FROM t WHERE t MATCH ?", arguments: [pattern])
        }
    }

    /// FTS5 has no such limit.
    @Test func manyWordsInFTS5() throws {
        let text = words(5_000)
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a)")
            try db.execute(literal: "INSERT INTO t VALUES (\(text))")
            for pattern in [
                FTS5Pattern(matchingAllTokensIn: text), FTS5Pattern(matchingAnyTokenIn: text),
                FTS5Pattern(matchingAllPrefixesIn: text), FTS5Pattern(matchingPhrase: text),
                FTS5Pattern(matchingPrefixPhrase: text),
            ] {
                let pattern = try unwrap(pattern)
                try expectEqual(
                    Int.fetchAll(
                        db, sql: "SELECT rowid FROM t WHERE t MATCH ?", arguments: [pattern]),
                    [1])
            }
        }
    }
}
