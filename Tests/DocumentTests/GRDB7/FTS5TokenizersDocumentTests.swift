import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the guide "FTS5 Tokenizers".
@Suite(.databases) struct FTS5TokenizersDocumentTests {
    struct Document: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "documents"
        var content: String
    }

    private func makeQueue(_ tokenizers: any FTS5CustomTokenizer.Type...) throws -> DatabaseQueue {
        var config = TestDatabases.makeConfiguration()
        config.prepareDatabase { db in
            for tokenizer in tokenizers { db.add(tokenizer: tokenizer) }
        }
        return try TestDatabases.makeQueue(.memory, config)
    }

    private func sql(_ db: Database) throws -> String? {
        try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'documents'")
    }

    // MARK: - Tokenizers and Full-Text Search

    /// The tokens of the built-in tokenizers.
    @Test func tokensOfBuiltInTokenizers() throws {
        try makeQueue().inDatabase { db throws in
            func tokens(_ descriptor: FTS5TokenizerDescriptor, _ text: String) throws -> [String] {
                try db.makeTokenizer(descriptor).tokenize(document: text).map(\.token)
            }
            let text = "SQLite is a database engine"
            try expectEqual(tokens(.ascii(), text), ["sqlite", "is", "a", "database", "engine"])
            try expectEqual(tokens(.ascii(), "SQLITE DATABASE"), ["sqlite", "database"])
            try expectEqual(tokens(.unicode61(), "Jérôme Jerome"), ["jerome", "jerome"])
            try expectEqual(tokens(.porter(), "database engine"), ["databas", "engin"])
            try expectEqual(tokens(.porter(), "database engines"), ["databas", "engin"])
            // However, built-in tokenizers don't match "first" with "1st", nor "Grossmann" with
            // "Großmann".
            try expectEqual(tokens(.porter(), "first 1st"), ["first", "1st"])
            try expectEqual(tokens(.porter(), "Grossmann Großmann"), ["grossmann", "großmann"])
        }
    }

    // MARK: - Using a Custom Tokenizer

    @Test func usingACustomTokenizer() throws {
        try makeQueue(MyTokenizer.self).inDatabase { db in
            try db.create(virtualTable: "documents", using: FTS5()) { t in
                t.tokenizer = MyTokenizer.tokenizerDescriptor()
                t.column("content")
            }
            try expectEqual(
                sql(db),
                "CREATE VIRTUAL TABLE \"documents\" USING fts5(content, tokenize='''custom''')")
            try db.execute(sql: "INSERT INTO documents VALUES (?)", arguments: ["one two"])
            try Document(content: "two three").insert(db)

            let pattern = FTS5Pattern(matchingAnyTokenIn: "three four")
            let documents = try Document.matching(pattern).fetchAll(db)
            expectEqual(documents, [Document(content: "two three")])
        }
    }

    // MARK: - FTS5Tokenizer

    @Test func makingATokenizer() throws {
        try makeQueue().inDatabase { db in
            let unicode61 = try db.makeTokenizer(.unicode61())  // FTS5Tokenizer
            try expectEqual(unicode61.tokenize(query: "Été").map(\.token), ["ete"])
            // The method without arguments but the text is a function, too.
            let tokenize = unicode61.tokenize(document:)
            try expectEqual(tokenize("Été à Paris").map(\.token), ["ete", "a", "paris"])
        }
    }

    // MARK: - FTS5CustomTokenizer

    /// SQLite instantiates tokenizers when it needs tokens, with the arguments.
    @Test func argumentsOfATokenizer() throws {
        try makeQueue(MyTokenizer.self).inDatabase { db in
            // CREATE VIRTUAL TABLE documents USING fts5(
            //     tokenize='custom arg1 arg2',
            //     authors, title, body
            // )
            try db.create(virtualTable: "documents", using: FTS5()) { t in
                t.tokenizer = MyTokenizer.tokenizerDescriptor(arguments: ["arg1", "arg2"])
                t.column("authors")
                t.column("title")
                t.column("body")
            }
            try expectEqual(
                sql(db),
                """
                CREATE VIRTUAL TABLE "documents" USING fts5(authors, title, body, \
                tokenize='''custom'' ''arg1'' ''arg2''')
                """)
            // The tokenizer of these examples emits its arguments ahead of each text.
            try db.execute(sql: "INSERT INTO documents VALUES ('a', 'b', 'c')")
            for text in ["a", "b", "c", "arg1", "arg2"] {
                let pattern = "\"\(text)\""
                try expectEqual(
                    Int.fetchOne(
                        db, sql: "SELECT COUNT(*) FROM documents WHERE documents MATCH ?",
                        arguments: [pattern]),
                    1)
            }
        }
    }

    // MARK: - FTS5WrapperTokenizer

    @Test func passingTokensThrough() throws {
        try makeQueue(WrappingTokenizer.self).inDatabase { db in
            let tokenizer = try db.makeTokenizer(WrappingTokenizer.tokenizerDescriptor())
            try expectEqual(tokenizer.tokenize(document: "Été 1st").map(\.token), ["ete", "1st"])
        }
    }

    @Test func choosingTheWrappedTokenizer() throws {
        try makeQueue(WrappingTokenizer.self).inDatabase { db throws in
            func matches(_ query: String) throws -> Bool {
                try Document(content: "Jérôme").insert(db)
                let pattern = FTS5Pattern(matchingPhrase: query)
                return try !Document.matching(pattern).isEmpty(db)
            }
            // CREATE VIRTUAL TABLE documents USING fts5(
            //     tokenize='custom',
            //     content
            // )
            try db.create(virtualTable: "documents", using: FTS5()) { t in
                // Wraps the default unicode61
                t.tokenizer = WrappingTokenizer.tokenizerDescriptor()
                t.column("content")
            }
            try expectTrue(matches("jerome"))
            try db.drop(table: "documents")

            // CREATE VIRTUAL TABLE documents USING fts5(
            //     tokenize='custom ascii'
            //     content
            // )
            try db.create(virtualTable: "documents", using: FTS5()) { t in
                // Wraps ascii
                let ascii = FTS5TokenizerDescriptor.ascii()
                t.tokenizer = WrappingTokenizer.tokenizerDescriptor(arguments: ascii.components)
                t.column("content")
            }
            try expectEqual(
                sql(db),
                """
                CREATE VIRTUAL TABLE "documents" USING \
                fts5(content, tokenize='''custom'' ''ascii''')
                """)
            try expectEqual(matches("jerome"), false)
            try expectTrue(matches("Jérôme"))
        }
    }

    // MARK: - Example: Synonyms

    @Test func synonyms() throws {
        try makeQueue(SynonymsTokenizer.self).inDatabase { db in
            try db.create(virtualTable: "documents", using: FTS5()) { t in
                t.tokenizer = SynonymsTokenizer.tokenizerDescriptor()
                t.column("content")
            }
            let document = Document(content: "I won first place")
            try document.insert(db)
            for query in ["first", "1st", "won 1st place", "I won first place"] {
                let pattern = FTS5Pattern(matchingPhrase: query)
                try expectEqual(Document.matching(pattern).fetchAll(db), [document])
            }
            // Entries are added to the index for "i", "won", "first", "1st" and "place".
            let tokenizer = try db.makeTokenizer(SynonymsTokenizer.tokenizerDescriptor())
            let tokens = try tokenizer.tokenize(document: "I won first place")
            expectEqual(tokens.map(\.token).sorted(), ["1st", "first", "i", "place", "won"])
            expectEqual(tokens.map(\.flags), [[], [], [], .colocated, []])
            // The tokenizer does not look for synonyms when it tokenizes queries.
            try expectEqual(tokenizer.tokenize(query: "1st").map(\.token), ["1st"])
        }
    }

    // MARK: - Example: Latin Script

    @Test func latinScript() throws {
        try makeQueue(LatinAsciiTokenizer.self).inDatabase { db in
            try db.create(virtualTable: "documents", using: FTS5()) { t in
                t.tokenizer = LatinAsciiTokenizer.tokenizerDescriptor()
                t.column("authors")
                t.column("title")
                t.column("body")
            }
            for (content, query) in [
                ("Encyclopædia", "encyclopaedia"), ("Großmann", "Grossmann"),
                ("GROSSMANN", "großmann"), ("Jérôme", "Jerome"), ("ﬁdélité", "fidelite"),
                ("Diyarbakır", "DIYARBAKIR"),
            ] {
                try db.execute(
                    sql: "INSERT INTO documents VALUES (?, '', '')", arguments: [content])
                let pattern = FTS5Pattern(matchingPhrase: query)
                try expectTrue(
                    String.fetchAll(
                        db, sql: "SELECT authors FROM documents WHERE documents MATCH ?",
                        arguments: [pattern]
                    ).contains(content), "\(content), \(query)")
            }
            // "Mueller" takes more than that.
            try db.execute(sql: "INSERT INTO documents VALUES ('Müller', '', '')")
            let pattern = FTS5Pattern(matchingPhrase: "Mueller")
            try expectEqual(Table("documents").matching(pattern).fetchCount(db), 0)
        }
    }
}

/// Finds words between spaces, after its arguments.
private final class MyTokenizer: FTS5CustomTokenizer {
    static let name = "custom"
    private let arguments: [String]

    init(db: Database, arguments: [String]) throws {
        self.arguments = arguments
    }

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
        pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: FTS5TokenCallback
    ) -> CInt {
        if tokenization.contains(.document) {
            for argument in arguments {
                let code = tokenCallback(context, 0, argument, CInt(argument.utf8.count), 0, 0)
                if code != 0 { return code }
            }
        }
        guard let pText else { return 0 }
        var start: CInt = 0
        for index in 0...nText where index == nText || pText[Int(index)] == 0x20 {
            if index > start {
                let code = tokenCallback(
                    context, 0, pText + Int(start), index - start, start, index)
                if code != 0 { return code }
            }
            start = index + 1
        }
        return 0
    }
}

private final class WrappingTokenizer: FTS5WrapperTokenizer {
    static let name = "custom"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        if arguments.isEmpty {
            wrappedTokenizer = try db.makeTokenizer(.unicode61())
        } else {
            let descriptor = FTS5TokenizerDescriptor(components: arguments)
            wrappedTokenizer = try db.makeTokenizer(descriptor)
        }
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        // pass through
        try tokenCallback(token, flags)
    }
}

private final class SynonymsTokenizer: FTS5WrapperTokenizer {
    static let name = "synonyms"
    let wrappedTokenizer: any FTS5Tokenizer
    let synonyms: [Set<String>] = [["first", "1st"]]

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func synonyms(for token: String) -> Set<String>? {
        synonyms.first { $0.contains(token) }
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        if tokenization.contains(.query) {
            // Don't look for synonyms when tokenizing queries
            try tokenCallback(token, flags)
            return
        }

        guard let synonyms = synonyms(for: token) else {
            // Token has no synonym
            try tokenCallback(token, flags)
            return
        }

        for (index, synonym) in synonyms.enumerated() {
            // Notify each synonym, and set the colocated flag for all but the first
            let synonymFlags = (index == 0) ? flags : flags.union(.colocated)
            try tokenCallback(synonym, synonymFlags)
        }
    }
}

private final class LatinAsciiTokenizer: FTS5WrapperTokenizer {
    static let name = "latinascii"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        if let token = token.applyingTransform(
            StringTransform("Latin-ASCII; Lower"), reverse: false)
        {
            try tokenCallback(token, flags)
        }
    }
}
