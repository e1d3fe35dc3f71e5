import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Emits what its arguments tell: in the first form, the code to return; in the second, the length,
/// the start and the end of one token, and the buffer that it is in.
private final class RogueTokenizer: FTS5CustomTokenizer {
    static let name = "rogue"
    private let arguments: [String]

    init(db: Database, arguments: [String]) throws {
        self.arguments = arguments
    }

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
        pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: FTS5TokenCallback
    ) -> CInt {
        if arguments.count == 1 { return CInt(arguments[0])! }
        let (count, start, end) = (
            CInt(arguments[0])!, CInt(arguments[1])!, CInt(arguments[2])!
        )
        switch arguments[3] {
        case "text":
            return tokenCallback(context, 0, pText! + 1, count, start, end)
        case "null":
            return tokenCallback(context, 0, nil, count, start, end)
        case "broken":
            return [0x61, -1, 0x62].withUnsafeBufferPointer {
                tokenCallback(context, 0, $0.baseAddress, count, start, end)
            }
        case "deaf":
            // Ignores the result, and goes on.
            _ = tokenCallback(context, 0, "word", count, start, end)
            _ = tokenCallback(context, 0, "word", 4, 0, 4)
            return 0
        default:
            return tokenCallback(context, 0, "word", count, start, end)
        }
    }
}

/// Wraps itself, in one of several ways.
private final class OuroborosTokenizer: PassingTokenizer {
    static let name = "Ouroboros"
    private var other: (any FTS5Tokenizer)?

    var wrappedTokenizer: any FTS5Tokenizer { other ?? self }

    init(db: Database, arguments: [String]) throws {
        switch arguments.first {
        case "init":
            other = try db.makeTokenizer(Self.tokenizerDescriptor(arguments: arguments))
        case "case":
            other = try db.makeTokenizer(
                FTS5TokenizerDescriptor(components: ["OUROBOROS", "case"]))
        case "porter":
            other = try db.makeTokenizer(
                .porter(wrapping: Self.tokenizerDescriptor(arguments: arguments)))
        case "more":
            other = try db.makeTokenizer(
                Self.tokenizerDescriptor(arguments: arguments + ["more"]))
        case "pair":
            other = Mirror(self)
        case "fine":
            other = try db.makeTokenizer(Self.tokenizerDescriptor(arguments: ["unicode"]))
        case "unicode":
            other = try db.makeTokenizer(.unicode61())
        default:
            break
        }
    }

    /// Hands everything to the one that wraps it.
    private final class Mirror: FTS5Tokenizer {
        unowned let tokenizer: OuroborosTokenizer

        init(_ tokenizer: OuroborosTokenizer) {
            self.tokenizer = tokenizer
        }

        func tokenize(
            context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
            pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: FTS5TokenCallback
        ) -> CInt {
            tokenizer.tokenize(
                context: context, tokenization: tokenization, pText: pText, nText: nText,
                tokenCallback: tokenCallback)
        }
    }
}

/// What a tokenizer must not do is an error that tells its name.
@Suite(.databases)
struct FTS5TokenizerGuardTests {
    private func withDatabase(
        _ kind: DatabaseKind, _ body: (Database) throws -> Void
    ) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            try db.tryAdd(tokenizer: RogueTokenizer.self)
            try db.tryAdd(tokenizer: OuroborosTokenizer.self)
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.writeWithoutTransaction(body)
    }

    private func expectFailure(
        _ message: String, code: ResultCode = .SQLITE_MISUSE, db: Database,
        line: Int = #line, _ body: () throws -> Void
    ) throws {
        let error = expectError(DatabaseError.self, line: line, body)
        expectEqual(error?.message, message, line: line)
        expectEqual(error?.extendedResultCode, code, line: line)
    }

    private struct Case: CustomTestStringConvertible {
        var arguments: String
        var message: String
        var testDescription: String { arguments }
    }

    private static let textCases = [
        Case(arguments: "-1 0 4 word", message: "a token has a length of -1 bytes"),
        Case(
            arguments: "-2147483648 0 4 text", message: "a token has a length of -2147483648 bytes"),
        Case(
            arguments: "2147483647 0 4 word",
            message: "a token of 2147483647 bytes goes beyond its buffer"),
        Case(
            arguments: "2147483647 0 4 text",
            message: "a token of 2147483647 bytes goes beyond its buffer"),
        Case(arguments: "10 0 4 text", message: "a token of 10 bytes goes beyond its buffer"),
        Case(arguments: "4 0 4 null", message: "a token of 4 bytes is at no address"),
        Case(
            arguments: "4 -1 4 word",
            message: "a token is found from byte -1 to byte 4 of a text of 10 bytes"),
        Case(
            arguments: "4 4 3 word",
            message: "a token is found from byte 4 to byte 3 of a text of 10 bytes"),
        Case(
            arguments: "4 0 11 word",
            message: "a token is found from byte 0 to byte 11 of a text of 10 bytes"),
        Case(
            arguments: "4 2147483647 2147483647 deaf",
            message:
                "a token is found from byte 2147483647 to byte 2147483647 of a text of 10 bytes"),
        Case(
            arguments: "4 -2147483648 -2147483647 word",
            message:
                "a token is found from byte -2147483648 to byte -2147483647 of a text of 10 bytes"),
        Case(arguments: "2 0 4 broken", message: "a token is not UTF-8"),
        Case(arguments: "100", message: "the result code 100 is that of no failure"),
        Case(arguments: "101", message: "the result code 101 is that of no failure"),
    ]

    @Test(arguments: DatabaseKind.allCases, textCases)
    private func tokens(kind: DatabaseKind, testCase: Case) throws {
        try withDatabase(kind) { db in
            let message = "tokenizer rogue: \(testCase.message)"
            let arguments = testCase.arguments.split(separator: " ").map(String.init)
            for prefix in ["", "porter "] {
                try db.execute(
                    sql: """
                        CREATE VIRTUAL TABLE t
                        USING fts5(a, tokenize = "\(prefix)rogue '\(arguments.joined(separator: "' '"))'")
                        """)
                for sql in [
                    "INSERT INTO t VALUES ('0123456789')",
                    "SELECT * FROM t WHERE t MATCH '\"0123456789\"'",
                ] {
                    try expectFailure(message, db: db) { try db.execute(sql: sql) }
                }
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
                try db.execute(sql: "DROP TABLE t")
            }
            let descriptor = RogueTokenizer.tokenizerDescriptor(arguments: arguments)
            try expectFailure(message, db: db) {
                _ = try db.makeTokenizer(descriptor).tokenize(document: "0123456789")
            }
            // Without FTS5
            try expectFailure(message, db: db) {
                _ = try RogueTokenizer(db: db, arguments: Array(descriptor.components.dropFirst()))
                    .tokenize(query: "0123456789")
            }
        }
    }

    /// Codes that SQLite handles in its own way must not get there.
    @Test(arguments: DatabaseKind.allCases, [1, 4, 5, 7, 9, 11, 19, 20, 23, 1555, 99, -1])
    func codes(kind: DatabaseKind, code: Int32) throws {
        try withDatabase(kind) { db in
            try db.execute(
                sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = \"rogue '\(code)'\")")
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT OR IGNORE INTO t VALUES ('a')")
            }
            expectEqual(error?.extendedResultCode.rawValue, code)
            expectEqual(error?.message?.hasPrefix("tokenizer rogue: "), true)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
            try db.execute(sql: "INSERT INTO t(t, rank) VALUES ('integrity-check', 1)")
        }
    }

    /// Texts that are not UTF-8 themselves may give such tokens.
    @Test(arguments: DatabaseKind.allCases)
    func brokenTexts(kind: DatabaseKind) throws {
        try withDatabase(kind) { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'rogue 2 0 2 broken');
                    INSERT INTO t VALUES (CAST(x'80ff61' AS TEXT));
                    INSERT INTO t(t, rank) VALUES ('integrity-check', 1);
                    """)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 1)
        }
    }

    /// The longest tokens are truncated by FTS5.
    @Test(arguments: DatabaseKind.allCases)
    func longTokens(kind: DatabaseKind) throws {
        try withDatabase(kind) { db in
            try db.execute(
                sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'Ouroboros fine')")
            let text = String(repeating: "é", count: 1_000_000)
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text])
            try db.execute(sql: "INSERT INTO t(t, rank) VALUES ('integrity-check', 1)")
            try expectEqual(
                Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t(?)", arguments: [text]),
                1)
        }
    }

    @Test(arguments: DatabaseKind.allCases, ["init", "case", "porter"])
    func tokenizersThatWrapThemselves(kind: DatabaseKind, argument: String) throws {
        try withDatabase(kind) { db in
            let message = "tokenizer Ouroboros: the tokenizer wraps itself"
            let sql = "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'ouroboros \(argument)')"
            try expectFailure(message, db: db) { try db.execute(sql: sql) }
            try expectFailure(message, db: db) {
                _ = try db.makeTokenizer(
                    OuroborosTokenizer.tokenizerDescriptor(arguments: [argument]))
            }
            try expectTrue(!db.tableExists("t"))
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func tokenizersThatWrapTooDeep(kind: DatabaseKind) throws {
        try withDatabase(kind) { db in
            try expectFailure(
                "tokenizer Ouroboros: more than 50 tokenizers call one another",
                code: .SQLITE_ERROR, db: db
            ) {
                try db.execute(
                    sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'ouroboros more')")
            }
            for (argument, message, code) in [
                (
                    "self", "tokenizer Ouroboros: the tokenizer wraps itself",
                    ResultCode.SQLITE_MISUSE
                ),
                (
                    "pair", "tokenizer Mirror: more than 50 tokenizers call one another",
                    .SQLITE_ERROR
                ),
            ] {
                try db.execute(
                    sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'ouroboros \(argument)')")
                try expectFailure(message, code: code, db: db) {
                    try db.execute(sql: "INSERT INTO t VALUES ('a')")
                }
                try expectFailure(message, code: code, db: db) {
                    _ = try OuroborosTokenizer(db: db, arguments: [argument])
                        .tokenize(document: "a")
                }
                try db.execute(sql: "DROP TABLE t")
            }
            // One of the same name, with other arguments, is another one.
            let tokenizer = try db.makeTokenizer(
                OuroborosTokenizer.tokenizerDescriptor(arguments: ["fine"]))
            try expectEqual(tokenizer.documentTokens("A b"), ["a", "b"])
        }
    }

    private final class NULTokenizer: FTS5WrapperTokenizer {
        static let name = "unicode61\0x"
        let wrappedTokenizer: any FTS5Tokenizer

        init(db: Database, arguments: [String]) throws {
            wrappedTokenizer = try db.makeTokenizer(.unicode61())
        }

        func accept(
            token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
            tokenCallback: FTS5WrapperTokenCallback
        ) throws {}
    }

    @Test func namesWithNUL() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try expectFailure("The name contains a NUL character", db: db) {
                try db.tryAdd(tokenizer: NULTokenizer.self)
            }
            try expectEqual(db.makeTokenizer(.unicode61()).documentTokens("a"), ["a"])
        }
    }
}
