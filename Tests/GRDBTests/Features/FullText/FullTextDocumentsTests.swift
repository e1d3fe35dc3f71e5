import Foundation
import GRDB
import GRDBTestSupport
import Testing

// What the documents say of full-text search and tokenizers, snippet by snippet.

/// "Unicode Full-Text Gotchas": matches whatever the normalization, and more.
private final class NormalizingTokenizer: FTS5WrapperTokenizer {
    static let name = "normalizing"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(
            .unicode61(diacritics: .keep, categories: "L* N* M* Co"))
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        var token = token.precomposedStringWithCompatibilityMapping
        for (letters, spelling) in [("æ", "ae"), ("ü", "ue"), ("ß", "ss"), ("ı", "i")] {
            token = token.replacingOccurrences(of: letters, with: spelling)
        }
        try tokenCallback(token, flags)
    }
}

/// "Pinyin and Romaji", as synonyms.
private final class RomajiTokenizer: UnicodeWrapper, FTS5WrapperTokenizer {
    static let name = "romaji"

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        try tokenCallback(token, flags)
        if tokenization.contains(.document), token == "ローマ字" {
            try tokenCallback("romaji", .colocated)
        }
    }
}

struct FullTextDocumentsTests {
    // MARK: - Choosing a tokenizer

    /// Content, query, and whether they match with `ascii`, `unicode61`, and `porter` on both.
    @Test(arguments: [
        ("Foo", "Foo", [true, true, true, true]), ("Foo", "FOO", [true, true, true, true]),
        ("Jérôme", "Jérôme", [true, true, true, true]),
        ("Jérôme", "JÉRÔME", [false, true, false, true]),
        ("Jérôme", "Jerome", [false, true, false, true]),
        ("Database", "Databases", [false, false, true, true]),
        ("Frustration", "Frustrated", [false, false, true, true]),
    ])
    func tokenizersDefineWhatMatches(
        _ content: String, _ query: String, _ expected: [Bool]
    ) throws {
        try DatabaseQueue().write { db in
            var matches: [Bool] = []
            for tokenizer in ["ascii", "unicode61", "porter ascii", "porter unicode61"] {
                try db.execute(
                    sql: "CREATE VIRTUAL TABLE books USING fts5(title, tokenize = '\(tokenizer)')")
                try db.execute(sql: "INSERT INTO books VALUES (?)", arguments: [content])
                let pattern = FTS5Pattern(matchingAllTokensIn: query)
                matches.append(
                    try Row.fetchOne(
                        db, sql: "SELECT * FROM books WHERE books MATCH ?", arguments: [pattern])
                        != nil)
                try db.execute(sql: "DROP TABLE books")
            }
            expectEqual(matches, expected)
        }
    }

    /// `t.tokenizer = .unicode61()`, and the others.
    @Test func tokenizersAreDescribed() throws {
        try DatabaseQueue().read { db throws in
            let tokens = { (descriptor: FTS5TokenizerDescriptor) throws -> [String] in
                try db.makeTokenizer(descriptor).documentTokens("Jérôme’s databases")
            }
            try expectEqual(tokens(.unicode61()), ["jerome", "s", "databases"])
            try expectEqual(tokens(.unicode61(diacritics: .keep)), ["jérôme", "s", "databases"])
            try expectEqual(tokens(.ascii()), ["jérôme’s", "databases"])
            // porter wrapping unicode61 (the default)
            try expectEqual(tokens(.porter()), ["jerom", "s", "databas"])
            // porter wrapping ascii
            try expectEqual(tokens(.porter(wrapping: .ascii())), ["jérôme’", "databas"])
            // porter wrapping unicode61 without diacritics stripping
            try expectEqual(
                tokens(.porter(wrapping: .unicode61(diacritics: .keep))),
                ["jérôme", "s", "databas"])
        }
    }

    // MARK: - Search patterns

    @Test func rawPatternsAreValidated() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE books USING fts5(author, title, body)")

            // OK: FTS5Pattern
            _ = try db.makeFTS5Pattern(rawPattern: "sqlite", forTable: "books")
            // DatabaseError: syntax error near \"AND\"
            let syntaxError = expectError(DatabaseError.self) {
                try db.makeFTS5Pattern(rawPattern: "AND", forTable: "books")
            }
            expectEqual(syntaxError?.message, "fts5: syntax error near \"AND\"")
            // DatabaseError: no such column: missing
            let columnError = expectError(DatabaseError.self) {
                try db.makeFTS5Pattern(rawPattern: "missing: sqlite", forTable: "books")
            }
            expectEqual(columnError?.message, "no such column: missing")
        }
    }

    @Test func patternsAreBuiltFromUntrustedStrings() throws {
        let query = "SQLite database"
        // Matches documents that contain "SQLite" or "database"
        expectEqual(FTS5Pattern(matchingAnyTokenIn: query)?.rawPattern, "sqlite OR database")
        // Matches documents that contain both "SQLite" and "database"
        expectEqual(FTS5Pattern(matchingAllTokensIn: query)?.rawPattern, "sqlite database")
        // Matches documents that contain "SQLite database"
        expectEqual(FTS5Pattern(matchingPhrase: query)?.rawPattern, "\"sqlite database\"")

        expectEqual(FTS5Pattern(matchingAnyTokenIn: ""), nil)
        expectEqual(FTS5Pattern(matchingAnyTokenIn: "*"), nil)
    }

    @Test func searchPatternsMatch() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE documents USING fts5(content);
                    INSERT INTO documents(rowid, content) VALUES (1, 'a database');
                    INSERT INTO documents(rowid, content) VALUES (2, 'The SQLite database');
                    INSERT INTO documents(rowid, content) VALUES (3, 'SQLite data');
                    """)
            for (rawPattern, rowids) in [
                ("database", [1, 2]), ("data*", [1, 2, 3]), ("SQLite database", [2]),
                ("SQLite OR database", [1, 2, 3]), ("\"SQLite database\"", [2]),
            ] {
                let pattern = try db.makeFTS5Pattern(
                    rawPattern: rawPattern, forTable: "documents")
                try expectEqual(
                    Int.fetchAll(
                        db,
                        sql: "SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rowid",
                        arguments: [pattern]),
                    rowids)
            }
            // Sorting by relevance
            try expectEqual(
                Int.fetchAll(
                    db, sql: "SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rank",
                    arguments: [FTS5Pattern(matchingAnyTokenIn: "data")]),
                [3])
        }
    }

    /// A joined request reads the columns of the table whose text is indexed.
    @Test func externalContentIsJoined() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE books (author TEXT, title TEXT, price REAL);
                    INSERT INTO books VALUES ('Melville', 'Moby-Dick', 12.5);
                    INSERT INTO books VALUES ('Austen', 'Emma', 9.5);
                    CREATE VIRTUAL TABLE books_ft USING fts5(author, title, content = 'books');
                    INSERT INTO books_ft(books_ft) VALUES ('rebuild');
                    """)
            let sql = """
                SELECT books.* FROM books
                JOIN books_ft ON books_ft.rowid = books.rowid AND books_ft MATCH ?
                """
            let pattern = FTS5Pattern(matchingPhrase: "Moby-Dick")
            try expectEqual(
                Row.fetchAll(db, sql: sql, arguments: [pattern]),
                [
                    ["author": "Melville", "title": "Moby-Dick", "price": 12.5]
                ])
            // SQLite error 1: unable to use function MATCH in the requested context
            let error = expectError(DatabaseError.self) {
                try Row.fetchAll(
                    db, sql: "SELECT * FROM books WHERE books.title MATCH ?", arguments: [pattern])
            }
            expectEqual(error?.message, "unable to use function MATCH in the requested context")
        }
    }

    // MARK: - Custom tokenizers

    @Test func unicodeGotchasCanBeAvoided() throws {
        try makeQueue(NormalizingTokenizer.self).write { db throws in
            let matches = { (tokenizer: String, content: String, query: String) throws -> Bool in
                try db.execute(
                    sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = '\(tokenizer)')")
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [content])
                defer { try? db.execute(sql: "DROP TABLE t") }
                return try Row.fetchOne(
                    db, sql: "SELECT * FROM t WHERE t MATCH ?",
                    arguments: [FTS5Pattern(matchingAllTokensIn: query)]) != nil
            }
            // The two forms of "aimé"
            try expectEqual(
                matches("unicode61 remove_diacritics 0", "aim\u{e9}", "aime\u{301}"), false)
            try expectTrue(matches("normalizing", "aim\u{e9}", "aime\u{301}"))
            try expectTrue(matches("normalizing", "aime\u{301}", "AIM\u{c9}"))
            // A ligature
            try expectEqual(matches("unicode61", "\u{fb01}n", "fin"), false)
            try expectTrue(matches("normalizing", "\u{fb01}n", "fin"))
            try expectTrue(matches("normalizing", "Encyclopædia", "Encyclopaedia"))
            try expectTrue(matches("normalizing", "Müller", "Mueller"))
            try expectTrue(matches("normalizing", "Großmann", "Grossmann"))
            try expectTrue(matches("normalizing", "Diyarbakır", "DIYARBAKIR"))
            try expectEqual(matches("normalizing", "Müller", "Muller"), false)
        }
    }

    @Test func romajiMatches() throws {
        try makeQueue(RomajiTokenizer.self).write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'romaji');
                    INSERT INTO t VALUES ('ローマ字 など');
                    """)
            for query in ["romaji", "ローマ字", "Romaji など"] {
                try expectEqual(
                    String.fetchOne(
                        db, sql: "SELECT highlight(t, 0, '[', ']') FROM t WHERE t MATCH ?",
                        arguments: [FTS5Pattern(matchingPhrase: query)])?.hasPrefix("[ローマ字"), true)
            }
        }
    }
}
