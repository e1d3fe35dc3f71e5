import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Numbers and their ordinal, at the index or in queries.
private class OrdinalTokenizer {
    static func synonym(of token: String) -> String? {
        switch token {
        case "first": "1st"
        case "1st": "first"
        case "second": "2nd"
        case "2nd": "second"
        case "hello": "bonjour été"
        default: nil
        }
    }
}

private final class DocumentSynonyms: UnicodeWrapper, FTS5WrapperTokenizer {
    static let name = "documentsynonyms"

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        try tokenCallback(token, flags)
        if !tokenization.contains(.query), let synonym = OrdinalTokenizer.synonym(of: token) {
            try tokenCallback(synonym, .colocated)
        }
    }
}

private final class QuerySynonyms: UnicodeWrapper, FTS5WrapperTokenizer {
    static let name = "querysynonyms"

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        try tokenCallback(token, flags)
        // Prefixes have no synonyms.
        if tokenization == .query, let synonym = OrdinalTokenizer.synonym(of: token) {
            try tokenCallback(synonym, [flags, .colocated])
        }
    }
}

private final class Recorder: FTS5WrapperTokenizer {
    static let name = "recorder"
    let wrappedTokenizer: any FTS5Tokenizer
    nonisolated(unsafe) static var calls: [String] = []

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        Self.calls.append("\(token) \(flags.rawValue) \(tokenization.rawValue)")
        try tokenCallback(token, flags)
    }
}

private final class StopWords: FTS5WrapperTokenizer {
    static let name = "stopwords"
    let wrappedTokenizer: any FTS5Tokenizer
    private let words: Set<String>

    init(db: Database, arguments: [String]) throws {
        words = Set(arguments)
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        if !words.contains(token) { try tokenCallback(token, flags) }
    }
}

/// Several tokens for one, empty tokens, a synonym ahead of all tokens.
private final class OddTokenizer: UnicodeWrapper, FTS5WrapperTokenizer {
    static let name = "odd"

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        switch token {
        case "empty":
            try tokenCallback("", flags)
        case "early":
            try tokenCallback(token, .colocated)
        case "split":
            for part in token { try tokenCallback(String(part), flags) }
        case "nul":
            try tokenCallback("a\0b", flags)
        default:
            try tokenCallback(token, flags)
        }
    }
}

/// Tokens whose number of bytes differs from that of the text.
private final class WideTokenizer: FTS5WrapperTokenizer {
    static let name = "wide"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61(diacritics: .remove))
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        try tokenCallback(token + "日本語😀" + token, flags)
        try tokenCallback("=" + token, .colocated)
    }
}

/// Emits tokens that are much longer than the text, whatever it wraps.
private final class LongTokenizer: FTS5WrapperTokenizer {
    static let name = "long"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(FTS5TokenizerDescriptor(components: arguments))
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        // The 32768th byte is in the middle of a character.
        try tokenCallback(String(token.prefix(1)) + String(repeating: "é", count: 40_000), flags)
    }
}

struct FTS5WrapperTokenizerTests {
    /// FTS5 reads 32768 bytes of them.
    @Test(arguments: ["'long unicode61'", "'long long unicode61'", "'porter long unicode61'"])
    func tokensMayBeMuchLongerThanTheText(_ tokenizer: String) throws {
        try makeQueue(LongTokenizer.self).write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, tokenize = \(tokenizer));
                    CREATE VIRTUAL TABLE v USING fts5vocab(t, row);
                    INSERT INTO t(rowid, a) VALUES (1, 'x y'), (2, 'z');
                    INSERT INTO t(t, rank) VALUES ('integrity-check', 1);
                    """)
            for (pattern, rowIDs) in [("x", [1]), ("\"x y\"", [1]), ("z", [2]), ("u", [])] {
                try expectEqual(
                    Int.fetchAll(db, sql: "SELECT rowid FROM t(?)", arguments: [pattern]),
                    rowIDs)
            }
            let lengths = try Int.fetchAll(
                db, sql: "SELECT length(CAST(term AS BLOB)) FROM v ORDER BY term")
            expectEqual(lengths, [32768, 32768, 32768])
            try db.execute(sql: "DELETE FROM t WHERE rowid = 1")
            try db.execute(sql: "INSERT INTO t(t, rank) VALUES ('integrity-check', 1)")
        }
    }

    /// Folded characters may have more bytes than those of the text, and so have those that repair it.
    @Test func longTokensMayGrow() throws {
        try makeQueue(WideTokenizer.self, DocumentSynonyms.self).write { db in
            for tokenizer in ["wide", "documentsynonyms"] {
                try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = \(tokenizer))")
                // U+023A has two bytes; U+2C65, its lower case, has three.
                let text = String(repeating: "\u{23a}", count: 30_000)
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text])
                for bytes: [UInt8] in [[0x80], [0xc3], [0xe2, 0x82], [0xff], [0xed, 0xa0, 0x80]] {
                    let data = Data((0..<60_000).map { bytes[$0 % bytes.count] })
                    try db.execute(
                        sql: "INSERT INTO t VALUES (CAST(? AS TEXT))", arguments: [data])
                }
                try db.execute(sql: "INSERT INTO t(t, rank) VALUES ('integrity-check', 1)")
                try expectEqual(
                    Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t(?)", arguments: [text]),
                    1)
                try db.execute(sql: "DELETE FROM t")
                try db.execute(sql: "INSERT INTO t(t, rank) VALUES ('integrity-check', 1)")
                try db.execute(sql: "DROP TABLE t")
            }
        }
    }

    @Test func tokensAreAcceptedWithTheirPurpose() throws {
        try makeQueue(Recorder.self).write { db in
            Recorder.calls = []
            let calls = { () -> [String] in
                defer { Recorder.calls = [] }
                return Recorder.calls
            }
            try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'recorder')")
            try db.execute(sql: "INSERT INTO t VALUES ('Foo BAR')")
            expectEqual(calls(), ["foo 0 4", "bar 0 4"])
            _ = try Row.fetchAll(db, sql: "SELECT * FROM t WHERE t MATCH 'Foo'")
            expectEqual(calls(), ["foo 0 1"])
            _ = try Row.fetchAll(db, sql: "SELECT * FROM t WHERE t MATCH 'ba*'")
            expectEqual(calls(), ["ba 0 3"])
            _ = try Row.fetchAll(
                db, sql: "SELECT highlight(t, 0, '[', ']') FROM t WHERE t MATCH 'foo'")
            expectEqual(calls(), ["foo 0 1", "foo 0 8", "bar 0 8"])
            let tokenizer = try db.makeTokenizer(Recorder.tokenizerDescriptor())
            _ = try tokenizer.tokenize(document: "a")
            _ = try tokenizer.tokenize(query: "a")
            expectEqual(calls(), ["a 0 4", "a 0 1"])
            try db.execute(sql: "DELETE FROM t")
            expectEqual(calls(), ["foo 0 4", "bar 0 4"])
        }
    }

    @Test func flagsAreThoseOfSQLite() {
        expectEqual(FTS5TokenFlags.colocated.rawValue, 1)
        expectEqual(FTS5Tokenization.query.rawValue, 1)
        expectEqual(FTS5Tokenization.prefix.rawValue, 2)
        expectEqual(FTS5Tokenization.document.rawValue, 4)
        expectEqual(FTS5Tokenization.aux.rawValue, 8)
    }

    @Test func synonymsAreColocatedTokens() throws {
        try makeQueue(DocumentSynonyms.self, QuerySynonyms.self).read { db in
            let inDocuments = try db.makeTokenizer(DocumentSynonyms.tokenizerDescriptor())
            try expectEqual(
                inDocuments.documentTokens("I won first"), ["i", "won", "first", "=1st"])
            try expectEqual(inDocuments.queryTokens("I won first"), ["i", "won", "first"])
            let inQueries = try db.makeTokenizer(QuerySynonyms.tokenizerDescriptor())
            try expectEqual(inQueries.documentTokens("I won first"), ["i", "won", "first"])
            try expectEqual(inQueries.queryTokens("I won first"), ["i", "won", "first", "=1st"])
        }
    }

    @Test(arguments: ["documentsynonyms", "querysynonyms"])
    func synonymsMatch(_ tokenizer: String) throws {
        try makeQueue(DocumentSynonyms.self, QuerySynonyms.self).write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, tokenize = '\(tokenizer)');
                    INSERT INTO t(rowid, a) VALUES (1, 'I won first place');
                    INSERT INTO t(rowid, a) VALUES (2, 'My 1st place, again');
                    INSERT INTO t(rowid, a) VALUES (3, 'My second place');
                    """)
            let matches: (String) throws -> [Int] = {
                try Int.fetchAll(
                    db, sql: "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid", arguments: [$0])
            }
            try expectEqual(matches("first"), [1, 2])
            try expectEqual(matches("1st"), [1, 2])
            try expectEqual(matches("first + place"), [1, 2])
            try expectEqual(matches("\"won 1st place\""), [1])
            try expectEqual(matches("2nd + place"), [3])
            try expectEqual(matches("NEAR(my 1st, 0)"), [2])
            try expectEqual(matches("^1st"), [])
            try expectEqual(
                String.fetchAll(
                    db,
                    sql: """
                        SELECT highlight(t, 0, '[', ']') FROM t WHERE t MATCH '1st + place'
                        ORDER BY rowid
                        """),
                ["I won [first place]", "My [1st place], again"])
            // Prefixes match what is in the index, and have no synonyms of their own.
            try expectEqual(matches("1s*"), (tokenizer == "querysynonyms" ? [2] : [1, 2]))
            try expectEqual(matches("first*"), (tokenizer == "querysynonyms" ? [1] : [1, 2]))
            try db.execute(sql: "INSERT INTO t(t, rank) VALUES ('integrity-check', 1)")
        }
    }

    /// Synonyms take no position: they weigh nothing in the length of documents.
    @Test func bm25RanksDocuments() throws {
        try makeQueue(DocumentSynonyms.self).write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(
                        title, body, tokenize = 'documentsynonyms');
                    INSERT INTO t(rowid, title, body) VALUES (1, 'Other', 'Something about 1st.');
                    INSERT INTO t(rowid, title, body) VALUES (2, 'First', 'Something else.');
                    INSERT INTO t(rowid, title, body) VALUES (3, 'Nothing', 'Nothing.');
                    INSERT INTO t(rowid, title, body)
                    VALUES (4, 'Other', 'Something long about the first, and so on, and so on.');
                    INSERT INTO t(rowid, title, body) VALUES (5, 'Empty', '');
                    INSERT INTO t(rowid, title, body) VALUES (6, 'Empty', '');
                    INSERT INTO t(rowid, title, body) VALUES (7, 'Empty', '');
                    CREATE VIRTUAL TABLE plain USING fts5(title, body);
                    INSERT INTO plain(rowid, title, body) SELECT rowid, title, body FROM t;
                    """)
            try expectEqual(
                Int.fetchAll(
                    db,
                    sql: """
                        SELECT rowid FROM t WHERE t MATCH 'first' ORDER BY bm25(t, 10.0, 1.0)
                        """),
                [2, 1, 4])
            try expectEqual(
                Int.fetchAll(
                    db, sql: "SELECT rowid FROM t WHERE t MATCH '1st' ORDER BY rank"
                )
                .suffix(1),
                [4])
            // "else" has no synonym: the score is that of the same documents without them.
            let score = "SELECT bm25(%) FROM % WHERE % MATCH 'else'"
            try expectEqual(
                Double.fetchOne(db, sql: score.replacingOccurrences(of: "%", with: "t")),
                Double.fetchOne(db, sql: score.replacingOccurrences(of: "%", with: "plain")))
        }
    }

    @Test func stopWordsAreNotIndexed() throws {
        try makeQueue(StopWords.self).write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'stopwords the and');
                    INSERT INTO t VALUES ('The sea and the ships');
                    """)
            let count: (String) throws -> Int? = {
                try Int.fetchOne(
                    db, sql: "SELECT COUNT(*) FROM t WHERE t MATCH ?", arguments: [$0])
            }
            try expectEqual(count("sea"), 1)
            try expectEqual(count("the"), 0)
            try expectEqual(count("the sea"), 1)
            try expectEqual(count("\"sea and the ships\""), 1)
            try expectEqual(count("sea + ships"), 1)
        }
    }

    @Test func oddTokensDoNoHarm() throws {
        try makeQueue(OddTokenizer.self).write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'odd');
                    INSERT INTO t(rowid, a) VALUES (1, 'early bird'), (2, 'empty empty set');
                    INSERT INTO t(rowid, a) VALUES (3, 'split'), (4, 'nul'), (5, 'empty');
                    """)
            let matches: (String) throws -> [Int] = {
                try Int.fetchAll(
                    db, sql: "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid", arguments: [$0])
            }
            try expectEqual(matches("early"), [1])
            try expectEqual(matches("early + bird"), [1])
            try expectEqual(matches("set"), [2])
            try expectEqual(matches("empty"), [2, 5])
            try expectEqual(matches("empty + set"), [2])
            try expectEqual(matches("s + p + l + i + t"), [3])
            try expectEqual(matches("split"), [3])
            try expectEqual(matches("p"), [3])
            try expectEqual(matches("nul"), [4])
            try expectEqual(matches("a"), [])
            try expectEqual(
                String.fetchOne(
                    db, sql: "SELECT highlight(t, 0, '[', ']') FROM t WHERE t MATCH 'p'"),
                "[split]")
            try db.execute(sql: "INSERT INTO t(t, rank) VALUES ('integrity-check', 1)")
            try db.execute(sql: "INSERT INTO t(t) VALUES ('optimize')")
            try db.execute(sql: "DELETE FROM t WHERE rowid > 1")
            try db.execute(sql: "INSERT INTO t(t, rank) VALUES ('integrity-check', 1)")
        }
    }

    // MARK: - Where tokens are

    /// The tokens of a wrapper are where those of the wrapped tokenizer are, whatever their length.
    @Test func tokensKeepTheirPlace() throws {
        var generator = SplitMix64(seed: 3)
        let words = ["a", "été", "日本", "naïve", "Straße", "😀", "x1", "ﬁn", "Ελλάδα", "e\u{301}t"]
        let separators = [" ", ", ", "—", "\0", "\n", " “", "…"]
        try makeQueue(WideTokenizer.self).write { db in
            let wide = try db.makeTokenizer(WideTokenizer.tokenizerDescriptor())
            let plain = try db.makeTokenizer(.unicode61(diacritics: .remove))
            for _ in 0..<200 {
                let text = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
                    words.randomElement(using: &generator)!
                        + separators.randomElement(using: &generator)!
                }.joined()
                let expected = plain.locatedTokens(text)
                let tokens = wide.locatedTokens(text)
                expectEqual(
                    tokens,
                    expected.flatMap { located in
                        [
                            LocatedToken(
                                token: "\(located.token)日本語😀\(located.token)",
                                range: located.range),
                            LocatedToken(
                                token: "=\(located.token)", range: located.range),
                        ]
                    })
                let utf8 = Array(text.utf8)
                for token in tokens {
                    #expect(token.range.upperBound <= utf8.count)
                    // On the border of characters
                    expectTrue(String(validating: utf8[token.range], as: UTF8.self) != nil)
                }
                expectTrue(
                    zip(tokens, tokens.dropFirst()).allSatisfy { first, second in
                        first.range == second.range
                            || first.range.upperBound <= second.range.lowerBound
                    })
            }
        }
    }

    @Test func highlightsAreRight() throws {
        var generator = SplitMix64(seed: 4)
        let words = ["ete", "été", "日本", "naïve", "Straße", "x1", "Ελλάδα", "rien", "Été"]
        let separators = [" ", ", ", " — ", "\n", " “", "…"]
        try makeQueue(WideTokenizer.self).write { db in
            try db.execute(
                sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'wide')")
            for _ in 0..<200 {
                var text = ""
                var highlighted = ""
                var isHighlighted = false
                // Adjacent phrases stand in marks of their own.
                for _ in 0..<Int.random(in: 1..<12, using: &generator) {
                    let word = words.randomElement(using: &generator)!
                    let separator = separators.randomElement(using: &generator)!
                    let matches = ["ete", "été", "Été"].contains(word)
                    text += word + separator
                    highlighted += matches ? "[\(word)]\(separator)" : word + separator
                    isHighlighted = isHighlighted || matches
                }
                try db.execute(sql: "DELETE FROM t")
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text])
                try expectEqual(
                    String.fetchOne(
                        db, sql: "SELECT highlight(t, 0, '[', ']') FROM t WHERE t MATCH 'ÉTÉ'"),
                    (isHighlighted ? highlighted : nil))
                if isHighlighted {
                    let snippet = try String.fetchOne(
                        db,
                        sql: "SELECT snippet(t, 0, '', '', '', 4) FROM t WHERE t MATCH 'ÉTÉ'")
                    expectTrue(snippet.map { text.contains($0) } == true)
                }
            }
        }
    }
}
