import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Tokens are runs of bytes other than spaces.
private final class SpaceTokenizer: FTS5CustomTokenizer {
    static let name = "space"

    let arguments: [String]

    init(db: Database, arguments: [String]) throws {
        self.arguments = arguments
    }

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
        pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: FTS5TokenCallback
    ) -> CInt {
        let text = UnsafeBufferPointer(start: pText, count: Int(nText))
        var start = 0
        while true {
            while start < text.count, text[start] == 0x20 { start += 1 }
            if start == text.count { return 0 }
            var end = start
            while end < text.count, text[end] != 0x20 { end += 1 }
            let code = tokenCallback(
                context, 0, pText! + start, CInt(end - start), CInt(start), CInt(end))
            if code != 0 { return code }
            start = end
        }
    }
}

/// Its one token is the list of its arguments. The callback may be declared as escaping.
private final class ArgumentsTokenizer: FTS5CustomTokenizer {
    static let name = "it's \"quoted\""

    let arguments: [String]

    init(db: Database, arguments: [String]) throws {
        self.arguments = arguments
    }

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
        pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        let token = arguments.joined(separator: "|")
        return tokenCallback(context, 0, token, CInt(token.utf8.count), 0, nText)
    }
}

/// Leaves the tokens as they are.
private final class PlainWrapper: UnicodeWrapper, PassingTokenizer {
    static let name = "plain"
}

/// Has the name of another tokenizer.
private final class UppercaseTokenizer: UnicodeWrapper, FTS5WrapperTokenizer {
    static let name = "SPACE"

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        try tokenCallback(token.uppercased(), flags)
    }
}

struct FTS5CustomTokenizerTests {
    @Test func customTokenizersTokenize() throws {
        try makeQueue(SpaceTokenizer.self).write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'space');
                    INSERT INTO t VALUES ('foo-bar Baz');
                    INSERT INTO t VALUES ('foo bar');
                    """)
            let matches: (String) throws -> [String] = {
                try String.fetchAll(
                    db, sql: "SELECT a FROM t WHERE t MATCH ? ORDER BY rowid", arguments: [$0])
            }
            try expectEqual(matches("foo"), ["foo bar"])
            try expectEqual(matches("\"foo-bar\""), ["foo-bar Baz"])
            try expectEqual(matches("baz"), [])
            try expectEqual(matches("B*"), ["foo-bar Baz"])
        }
    }

    @Test func descriptorsHaveTheNameAndTheArguments() throws {
        expectEqual(SpaceTokenizer.tokenizerDescriptor().components, ["space"])
        expectEqual(
            ArgumentsTokenizer.tokenizerDescriptor(arguments: ["x", "y z", "it's"]).components,
            ["it's \"quoted\"", "x", "y z", "it's"])
    }

    @Test func tokenizersGetTheirArguments() throws {
        try makeQueue(ArgumentsTokenizer.self).write { db in
            let arguments = ["x", "y z", "it's", "\"dq\"", "", "日本"]
            let tokenizer = try db.makeTokenizer(
                ArgumentsTokenizer.tokenizerDescriptor(arguments: arguments))
            try expectEqual(tokenizer.documentTokens("foo"), ["x|y z|it's|\"dq\"||日本"])

            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(
                        a, tokenize = '''it''''s "quoted"'' ''x'' y ''it''''s'' ''''');
                    INSERT INTO t VALUES ('foo');
                    CREATE VIRTUAL TABLE v USING fts5vocab(t, row);
                    """)
            try expectEqual(String.fetchAll(db, sql: "SELECT term FROM v"), ["x|y|it's|"])
        }
    }

    @Test func tokenizersCanBeWrappedBySQLite() throws {
        try makeQueue(SpaceTokenizer.self).write { db in
            let descriptor = FTS5TokenizerDescriptor.porter(
                wrapping: SpaceTokenizer.tokenizerDescriptor())
            expectEqual(descriptor.components, ["porter", "space"])
            let tokenizer = try db.makeTokenizer(descriptor)
            try expectEqual(
                tokenizer.documentTokens("a-databases frustrated"),
                ["a-databas", "frustrat"])
        }
    }

    @Test func tokenizersAreReplacedByTheirName() throws {
        let dbQueue = try makeQueue(SpaceTokenizer.self)
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'space');
                    INSERT INTO t VALUES ('foo');
                    """)
            db.add(tokenizer: UppercaseTokenizer.self)
            // Found whatever the case.
            let tokenizer = try db.makeTokenizer(SpaceTokenizer.tokenizerDescriptor())
            try expectEqual(tokenizer.documentTokens("foo"), ["FOO"])
            // The open table goes on with its own.
            try db.execute(sql: "INSERT INTO t VALUES ('bar')")
            try db.execute(sql: "CREATE VIRTUAL TABLE v USING fts5vocab(t, row)")
            try expectEqual(String.fetchAll(db, sql: "SELECT term FROM v"), ["bar", "foo"])
        }
    }

    // MARK: - Text of any kind

    @Test func textMayHoldNULCharacters() throws {
        try makeQueue(SpaceTokenizer.self).write { db in
            let tokenizer = try db.makeTokenizer(SpaceTokenizer.tokenizerDescriptor())
            try expectEqual(tokenizer.documentTokens("a\0b c"), ["a\0b", "c"])
            try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'space')")
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["a\0b c"])
            try expectEqual(matchCount(db, "c"), 1)
            try expectEqual(matchCount(db, "b"), 0)
            try checkIntegrity(db)
        }
    }

    @Test func textMayBeInvalidUTF8() throws {
        try makeQueue(SpaceTokenizer.self, UppercaseTokenizer.self, PlainWrapper.self)
            .write { db in
                for tokenizer in ["space", "plain", "plain unicode61"] {
                    try db.execute(
                        sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = '\(tokenizer)')")
                    try db.execute(
                        sql: """
                            INSERT INTO t VALUES (CAST(x'66ff6f20626172' AS TEXT));
                            INSERT INTO t VALUES (CAST(x'c3' AS TEXT));
                            INSERT INTO t VALUES (x'ff00fe');
                            INSERT INTO t VALUES (NULL);
                            INSERT INTO t VALUES (12);
                            INSERT INTO t VALUES ('');
                            """)
                    try expectEqual(matchCount(db, "bar"), 1)
                    try expectEqual(matchCount(db, "12"), 1)
                    try checkIntegrity(db)
                    try db.execute(sql: "DELETE FROM t")
                    try checkIntegrity(db)
                    try db.execute(sql: "DROP TABLE t")
                }
            }
    }

    /// FTS5 indexes the first 32,768 bytes of a token.
    @Test(arguments: ["space", "plain"])
    func tokensMayBeLong(_ tokenizer: String) throws {
        try makeQueue(SpaceTokenizer.self, PlainWrapper.self).write { db in
            try db.execute(
                sql: "CREATE VIRTUAL TABLE t USING fts5(a, b, tokenize = '\(tokenizer)')")
            let long = String(repeating: "x", count: 40_000)
            let accents = "x" + String(repeating: "é", count: 40_000)
            try db.execute(
                sql: "INSERT INTO t VALUES (?, ?)", arguments: ["\(long) end", accents])
            try expectEqual(matchCount(db, long), 1)
            try expectEqual(matchCount(db, String(repeating: "x", count: 32_768)), 1)
            try expectEqual(matchCount(db, String(repeating: "x", count: 32_767)), 0)
            try expectEqual(matchCount(db, accents), 1)
            try expectEqual(matchCount(db, "\(long) + end"), 1)
            try checkIntegrity(db)
        }
    }

    @Test func textMayBeLong() throws {
        try makeQueue(PlainWrapper.self).write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'plain')")
            let text = String(repeating: "lorem ipsum ", count: 20_000) + "dolor"
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text])
            try expectEqual(matchCount(db, "ipsum + dolor"), 1)
            try checkIntegrity(db)
        }
    }

    @Test func tokenizersMayFindNothing() throws {
        try makeQueue(SpaceTokenizer.self).write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'space')")
            try db.execute(sql: "INSERT INTO t VALUES ('  '), ('')")
            try expectEqual(matchCount(db, "\"  \""), 0)
            try expectEqual(matchCount(db, "\"\""), 0)
            try checkIntegrity(db)
        }
    }

    // MARK: - Connections

    @Test func connectionsMustKnowTheTokenizer() throws {
        let path = NSTemporaryDirectory() + "FTS5CustomTokenizerTests-\(UUID()).sqlite"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var configuration = Configuration()
        configuration.prepareDatabase { $0.add(tokenizer: SpaceTokenizer.self) }
        let knowing = try DatabaseQueue(path: path, configuration: configuration)
        try knowing.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'space x y');
                    INSERT INTO t VALUES ('foo');
                    """)
        }
        try knowing.close()

        let ignorant = try DatabaseQueue(path: path)
        try ignorant.writeWithoutTransaction { db in
            for sql in [
                "INSERT INTO t VALUES ('a')", "UPDATE t SET a = 'b'", "DELETE FROM t",
                "SELECT a FROM t WHERE t MATCH 'foo'",
                "CREATE VIRTUAL TABLE u USING fts5(a, tokenize = 'space')",
            ] {
                let error = expectError(DatabaseError.self, "\(sql)") {
                    try db.execute(sql: sql)
                }
                expectEqual(error?.message, "no such tokenizer: space", "\(sql)")
                expectEqual(error?.sql, sql)
            }
            // No tokenizer is needed for this.
            try expectEqual(String.fetchAll(db, sql: "SELECT a FROM t"), ["foo"])

            db.add(tokenizer: SpaceTokenizer.self)
            try db.execute(sql: "INSERT INTO t VALUES ('foo bar')")
            try expectEqual(matchCount(db, "foo"), 2)
        }
    }

    @Test func everyTokenizerIsFreed() throws {
        var made = 0
        do {
            let dbQueue = try makeQueue(CountedTokenizer.self)
            let counts = CountedTokenizer.living
            try dbQueue.write { db in
                try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'counted')")
                expectEqual(counts.value, 1)
                try db.execute(sql: "INSERT INTO t VALUES ('foo')")
                expectEqual(counts.value, 1)
                do {
                    let tokenizer = try db.makeTokenizer(
                        CountedTokenizer.tokenizerDescriptor())
                    expectEqual(counts.value, 2)
                    _ = try tokenizer.documentTokens("foo")
                }
                expectEqual(counts.value, 1)
                try db.execute(sql: "CREATE VIRTUAL TABLE u USING fts5(a, tokenize = 'counted')")
                expectEqual(counts.value, 2)
                try db.execute(sql: "DROP TABLE t")
                expectEqual(counts.value, 1)
                db.add(tokenizer: CountedTokenizer.self)
                expectEqual(counts.value, 1)
                expectError((any Error).self) {
                    try db.execute(
                        sql: "CREATE VIRTUAL TABLE w USING fts5(a, tokenize = 'counted fail')")
                }
                expectError((any Error).self) {
                    try db.makeTokenizer(
                        CountedTokenizer.tokenizerDescriptor(arguments: ["fail"]))
                }
                expectEqual(counts.value, 1)
                try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'counted')")
                expectEqual(counts.value, 2)
            }
            made = CountedTokenizer.made.value
        }
        // The connection is closed with its queue: a tokenizer does not keep it open.
        expectEqual(CountedTokenizer.living.value, 0)
        expectEqual(made, 4)
    }

    @Test func everyTokenizerIsFreedWhenTheConnectionIsClosed() throws {
        let dbQueue = try makeQueue(ClosedTokenizer.self)
        nonisolated(unsafe) var tokenizer: (any FTS5Tokenizer)?
        try dbQueue.write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'closed')")
            tokenizer = try db.makeTokenizer(ClosedTokenizer.tokenizerDescriptor())
        }
        expectEqual(ClosedTokenizer.living.value, 2)
        try dbQueue.close()
        expectEqual(ClosedTokenizer.living.value, 1)
        try expectEqual(tokenizer?.documentTokens("Foo Bar"), ["foo", "bar"])
        tokenizer = nil
        expectEqual(ClosedTokenizer.living.value, 0)
    }
}

// Counted by one test each: tests run at the same time.

private final class CountedTokenizer: PassingTokenizer {
    static let name = "counted"
    static let living = Counter()
    static let made = Counter()
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
        Self.living.add(1)
        if arguments == ["fail"] { throw CocoaError(.fileNoSuchFile) }
        Self.made.add(1)
    }

    deinit {
        Self.living.add(-1)
    }
}

private final class ClosedTokenizer: PassingTokenizer {
    static let name = "closed"
    static let living = Counter()
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.porter())
        Self.living.add(1)
    }

    deinit {
        Self.living.add(-1)
    }
}

private func matchCount(_ db: Database, _ pattern: String) throws -> Int? {
    try Int.fetchOne(
        db, sql: "SELECT COUNT(*) FROM t WHERE t MATCH ?", arguments: [pattern])
}

private func checkIntegrity(_ db: Database) throws {
    try db.execute(sql: "INSERT INTO t(t, rank) VALUES ('integrity-check', 1)")
}
