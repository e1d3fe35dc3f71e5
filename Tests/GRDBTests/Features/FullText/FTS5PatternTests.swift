import Foundation
import GRDB
import GRDBTestSupport
import Testing

struct FTS5PatternTests {
    // MARK: - From any text

    @Test(arguments: [
        ("foo", "foo"), ("foo bar", "foo bar"), ("Éric's", "Éric s"), ("foo* bar", "foo bar"),
        ("\"foo\"", "foo"), ("foo-bar", "foo bar"), ("AND OR", "and or"),
        ("foo AND bar", "foo and bar"), ("été", "été"), ("a:b", "a b"), ("foo\"bar", "foo bar"),
        ("日本語", "日本語"), ("foo NEAR bar", "foo near bar"), ("12", "12"), ("a\0b", "a b"),
        ("SQLite database", "sqlite database"), ("snake_case", "snake case"),
    ])
    func textIsSplitInTokens(_ text: String, _ spaced: String) {
        let tokens = spaced.split(separator: " ")
        expectEqual(FTS5Pattern(matchingAllTokensIn: text)?.rawPattern, spaced)
        expectEqual(
            FTS5Pattern(matchingAnyTokenIn: text)?.rawPattern,
            tokens.joined(separator: " OR "))
        expectEqual(
            FTS5Pattern(matchingAllPrefixesIn: text)?.rawPattern,
            tokens.map { "\($0)*" }.joined(separator: " "))
        expectEqual(FTS5Pattern(matchingPhrase: text)?.rawPattern, "\"\(spaced)\"")
        expectEqual(FTS5Pattern(matchingPrefixPhrase: text)?.rawPattern, "^\"\(spaced)\"")
    }

    @Test(arguments: ["", " ", "*", "* - ^ \"", "\0", "\u{1A}", "_"])
    func textWithoutTokensHasNoPattern(_ text: String) {
        expectEqual(FTS5Pattern(matchingAllTokensIn: text), nil)
        expectEqual(FTS5Pattern(matchingAnyTokenIn: text), nil)
        expectEqual(FTS5Pattern(matchingAllPrefixesIn: text), nil)
        expectEqual(FTS5Pattern(matchingPhrase: text), nil)
        expectEqual(FTS5Pattern(matchingPrefixPhrase: text), nil)
    }

    /// The tokens are those of the tokenizer `ascii`.
    @Test func tokensAreThoseOfSQLite() throws {
        var generator = SplitMix64(seed: 1)
        let scalars: [Unicode.Scalar] = (0..<0x180).compactMap { Unicode.Scalar($0) } + ["日", "😀"]
        try DatabaseQueue().read { db in
            let tokenizer = try db.makeTokenizer(.ascii())
            let separators = CharacterSet.punctuationCharacters.union(.whitespacesAndNewlines)
                .union(.controlCharacters)
            for _ in 0..<300 {
                var text = ""
                for _ in 0..<Int.random(in: 0..<20, using: &generator) {
                    text.unicodeScalars.append(scalars.randomElement(using: &generator)!)
                }
                let tokens = try tokenizer.documentTokens(text)
                expectEqual(
                    FTS5Pattern(matchingPhrase: text)?.rawPattern,
                    (tokens.isEmpty ? nil : "\"\(tokens.joined(separator: " "))\""))
                let words = tokens.flatMap { token in
                    token.unicodeScalars.split { separators.contains($0) }.map { String($0) }
                }
                expectEqual(
                    FTS5Pattern(matchingAllTokensIn: text)?.rawPattern,
                    (words.isEmpty ? nil : words.joined(separator: " ")))
            }
        }
    }

    /// Words that the tokenizer of the table would split are phrases, which need all details.
    @Test(arguments: ["full", "column", "none"])
    func punctuationSeparatesWords(detail: String) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE book USING fts5(title, detail=\(detail));
                    INSERT INTO book VALUES ('L’eau – «trois» mots…'), ('eau');
                    """)
            for text in [
                "l’eau", "eau–mots", "trois\u{a0}mots", "« l’eau » — mots…", "eau\u{202f}!",
            ] {
                func count(_ pattern: FTS5Pattern?) throws -> Int? {
                    try Int.fetchOne(
                        db, sql: "SELECT count(*) FROM book WHERE book MATCH ?",
                        arguments: [pattern])
                }
                let others = text.contains("eau") ? 1 : 0
                try expectEqual(
                    count(FTS5Pattern(matchingAllTokensIn: text)),
                    (text.hasSuffix("!") ? 2 : 1))
                try expectEqual(count(FTS5Pattern(matchingAnyTokenIn: text)), 1 + others)
                try expectEqual(
                    count(FTS5Pattern(matchingAllPrefixesIn: text)),
                    (text.hasSuffix("!") ? 2 : 1))
            }
            expectEqual(FTS5Pattern(matchingAllTokensIn: "— ’ \u{a0}"), nil)
        }
    }

    /// Whatever a user types.
    @Test func patternsFromTextAreNeverASyntaxError() throws {
        var generator = SplitMix64(seed: 2)
        let parts = [
            "foo", "Bar", "AND", "OR", "NOT", "NEAR", "(", ")", "\"", "'", "*", "^", "+", "-", ":",
            "{", "}", ",", "title", "é", "—", "“", "日本", "😀", "\0", "\u{301}", " ", " ", " ", "10",
        ]
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE book USING fts5(title)")
            try db.execute(sql: "INSERT INTO book VALUES ('foo bar')")
            for _ in 0..<300 {
                let text = (0..<Int.random(in: 1..<12, using: &generator))
                    .map { _ in parts.randomElement(using: &generator)! }.joined()
                let patterns = [
                    FTS5Pattern(matchingAllTokensIn: text), FTS5Pattern(matchingAnyTokenIn: text),
                    FTS5Pattern(matchingAllPrefixesIn: text), FTS5Pattern(matchingPhrase: text),
                    FTS5Pattern(matchingPrefixPhrase: text),
                ]
                for case let pattern? in patterns {
                    expectNoError {
                        _ = try Row.fetchAll(
                            db, sql: "SELECT * FROM book WHERE book MATCH ?", arguments: [pattern])
                        _ = try FTS5Pattern(rawPattern: pattern.rawPattern)
                    }
                }
            }
        }
    }

    @Test func longTextIsNoProblem() throws {
        let text = (0..<5000).map { "word\($0)" }.joined(separator: " ")
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE book USING fts5(title)")
            try db.execute(sql: "INSERT INTO book VALUES (?), ('word7')", arguments: [text])
            let matches: (FTS5Pattern?) throws -> Int? = { pattern in
                try Int.fetchOne(
                    db, sql: "SELECT COUNT(*) FROM book WHERE book MATCH ?", arguments: [pattern])
            }
            try expectEqual(matches(FTS5Pattern(matchingAnyTokenIn: text)), 2)
            try expectEqual(matches(FTS5Pattern(matchingPhrase: text)), 1)
            try expectEqual(matches(FTS5Pattern(matchingPrefixPhrase: text)), 1)
            try expectEqual(matches(FTS5Pattern(matchingAllTokensIn: text)), 1)
            try expectEqual(matches(FTS5Pattern(matchingAllPrefixesIn: text)), 1)
        }
    }

    @Test func patternsMatch() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE document USING fts5(content);
                    INSERT INTO document(rowid, content) VALUES (1, 'SQLite database');
                    INSERT INTO document(rowid, content) VALUES (2, 'A database in SQLite');
                    INSERT INTO document(rowid, content) VALUES (3, 'SQLites');
                    INSERT INTO document(rowid, content) VALUES (4, 'The SQLite database engine');
                    """)
            let matches: (FTS5Pattern?) throws -> Set<Int> = { pattern in
                try Int.fetchSet(
                    db, sql: "SELECT rowid FROM document WHERE document MATCH ?",
                    arguments: [pattern])
            }
            let text = "SQLite database"
            try expectEqual(matches(FTS5Pattern(matchingAnyTokenIn: text)), [1, 2, 4])
            try expectEqual(matches(FTS5Pattern(matchingAllTokensIn: text)), [1, 2, 4])
            try expectEqual(matches(FTS5Pattern(matchingAllPrefixesIn: "SQL")), [1, 2, 3, 4])
            try expectEqual(matches(FTS5Pattern(matchingAllPrefixesIn: "SQL data")), [1, 2, 4])
            try expectEqual(matches(FTS5Pattern(matchingPhrase: text)), [1, 4])
            try expectEqual(matches(FTS5Pattern(matchingPrefixPhrase: text)), [1])
        }
    }

    // MARK: - Raw patterns

    @Test(arguments: [
        "foo", "foo*", "foo bar", "NEAR(a b)", "NEAR(\"a b\" c, 3)", "foo + bar", "^foo",
        "foo AND (bar OR baz) NOT qux", "\"\"", "\"it's\" OR \"\"\"quoted\"\"\"",
    ])
    func validRawPatternsAreAccepted(_ rawPattern: String) throws {
        try expectEqual(FTS5Pattern(rawPattern: rawPattern).rawPattern, rawPattern)
    }

    @Test(arguments: [
        ("", "fts5: syntax error near \"\""), ("*", "unknown special query: "),
        ("^", "fts5: syntax error near \"\""), ("\"", "unterminated string"),
        ("\"foo", "unterminated string"), ("AND", "fts5: syntax error near \"AND\""),
        ("foo AND", "fts5: syntax error near \"\""), ("title:foo", "no such column: title"),
        ("- foo", "no such column: foo"), ("foo\0", "fts5: pattern contains a NUL character"),
        ("foo \0 AND", "fts5: pattern contains a NUL character"),
    ])
    func invalidRawPatternsAreErrors(_ rawPattern: String, _ message: String) throws {
        let error = try unwrap(
            expectError(DatabaseError.self) {
                try FTS5Pattern(rawPattern: rawPattern)
            })
        expectEqual(error.message, message)
        expectEqual(error.description, "SQLite error 1: \(message)")
        expectEqual(error.resultCode, .SQLITE_ERROR)
        expectEqual(error.sql, nil)
    }

    @Test func patternsMayReferToAllowedColumns() throws {
        for (rawPattern, columns) in [
            ("title:foo", ["title"]), ("TITLE:foo", ["title"]), ("foo", ["title"]),
            ("{title body}:x", ["title", "body"]),
            ("\"it's \"\"one\"\"\":x", ["it's \"one\"", "été"]),
            ("Document : document_", ["Document", "document_"]),
        ] {
            try expectEqual(
                FTS5Pattern(rawPattern: rawPattern, allowedColumns: columns).rawPattern,
                rawPattern)
        }
        let error = expectError(DatabaseError.self) {
            try FTS5Pattern(rawPattern: "{title body}:x", allowedColumns: ["title"])
        }
        expectEqual(error?.message, "no such column: body")
    }

    @Test func makeFTS5PatternKnowsTheColumnsOfATable() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE book USING fts5(
                        title, body, uuid UNINDEXED, tokenize = 'porter');
                    CREATE VIRTUAL TABLE temp."it's ""one"" here" USING fts5(title);
                    """)
            for rawPattern in ["foo", "title:foo", "{title body}:x", "uuid:x"] {
                let pattern = try db.makeFTS5Pattern(rawPattern: rawPattern, forTable: "book")
                expectEqual(pattern.rawPattern, rawPattern)
                expectNoError {
                    try Row.fetchAll(
                        db, sql: "SELECT * FROM book WHERE book MATCH ?", arguments: [pattern])
                }
            }
            _ = try db.makeFTS5Pattern(rawPattern: "title:a", forTable: "it's \"one\" here")

            for (rawPattern, table, message) in [
                ("missing: sqlite", "book", "no such column: missing"),
                ("book: sqlite", "book", "no such column: book"),
                ("AND", "book", "fts5: syntax error near \"AND\""),
                ("foo", "nope", "no such table: nope"),
            ] {
                let error = expectError(DatabaseError.self) {
                    try db.makeFTS5Pattern(rawPattern: rawPattern, forTable: table)
                }
                expectEqual(error?.description, "SQLite error 1: \(message)")
            }
        }
    }

    /// A pattern may be built in the middle of an access, and by many at once.
    @Test func patternsCanBeMadeAnywhere() async throws {
        let dbQueue = try DatabaseQueue()
        try await withThrowingTaskGroup(of: [FTS5Pattern].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    [
                        try await dbQueue.read { _ in try FTS5Pattern(rawPattern: "foo") },
                        try FTS5Pattern(rawPattern: "foo OR bar"),
                    ]
                }
            }
            for try await patterns in group {
                expectEqual(patterns.map(\.rawPattern), ["foo", "foo OR bar"])
            }
        }
    }

    @Test func patternsAreValues() throws {
        let pattern = try FTS5Pattern(rawPattern: "foo")
        expectEqual(pattern, FTS5Pattern(matchingAllTokensIn: "Foo"))
        expectEqual(pattern.databaseValue, "foo".databaseValue)
        expectEqual(FTS5Pattern.fromDatabaseValue("foo".databaseValue), pattern)
        expectEqual(FTS5Pattern.fromDatabaseValue("foo AND".databaseValue), nil)
        expectEqual(FTS5Pattern.fromDatabaseValue(1.databaseValue), nil)
        expectEqual(FTS5Pattern.fromDatabaseValue(.null), nil)
        let fetched = try DatabaseQueue().read { db in
            try FTS5Pattern.fetchOne(db, sql: "SELECT ?", arguments: [pattern])
        }
        expectEqual(fetched, pattern)
    }
}
