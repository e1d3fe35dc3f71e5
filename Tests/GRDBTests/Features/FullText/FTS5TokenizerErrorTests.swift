import Foundation
import GRDB
import GRDBTestSupport
import Testing

private struct TokenizerFailure: Error, Equatable {
    var token: String
}

/// Fails on some words: "boom", "dbboom", "busy", "ignored", "sql", "nested".
private final class FailingTokenizer: FTS5WrapperTokenizer {
    static let name = "failing"
    let wrappedTokenizer: any FTS5Tokenizer
    private unowned let db: Database

    init(db: Database, arguments: [String]) throws {
        self.db = db
        switch arguments.first {
        case "boom": throw TokenizerFailure(token: "init")
        case "dbboom": throw DatabaseError(resultCode: .SQLITE_BUSY, message: "init")
        case let name?: wrappedTokenizer = try db.makeTokenizer(.init(components: [name]))
        case nil: wrappedTokenizer = try db.makeTokenizer(.unicode61())
        }
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        switch token {
        case "boom":
            throw TokenizerFailure(token: token)
        case "dbboom":
            throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE, message: "no such word")
        case "busy":
            throw DatabaseError(resultCode: .SQLITE_BUSY)
        case "queryboom" where !tokenization.contains(.document):
            throw TokenizerFailure(token: token)
        case "auxboom" where tokenization.contains(.aux):
            throw TokenizerFailure(token: token)
        case "sql":
            try db.execute(sql: "SELECT * FROM nope")
        case "nested":
            _ = try tokens(of: "boom")
        case "caught":
            expectError(TokenizerFailure(token: "boom")) { try tokens(of: "boom") }
            expectError(TokenizerFailure(token: "boom")) {
                try db.execute(sql: "SELECT * FROM caught WHERE caught MATCH 'boom'")
            }
            try tokenCallback(token, flags)
        case "other":
            _ = try? tokens(of: "boom")
            throw TokenizerFailure(token: token)
        default:
            try tokenCallback(token, flags)
        }
    }

    private func tokens(of text: String) throws -> [String] {
        try db.makeTokenizer(Self.tokenizerDescriptor()).documentTokens(text)
    }
}

/// Returns a code, as those do that don't wrap another tokenizer.
private final class CodeTokenizer: FTS5CustomTokenizer {
    static let name = "code"

    init(db: Database, arguments: [String]) throws {}

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
        pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: FTS5TokenCallback
    ) -> CInt {
        ResultCode.SQLITE_IOERR_READ.rawValue
    }
}

/// Goes on whatever the callback returns, and catches what it throws.
private final class DeafTokenizer: FTS5WrapperTokenizer {
    static let name = "deaf"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = SpacesTokenizer()
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        try? tokenCallback(token, flags)
        try? tokenCallback(token, .colocated)
    }

    private final class SpacesTokenizer: FTS5Tokenizer {
        func tokenize(
            context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
            pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: FTS5TokenCallback
        ) -> CInt {
            for index in 0..<nText {
                _ = tokenCallback(context, 0, pText! + Int(index), 1, index, index + 1)
            }
            return 0
        }
    }
}

/// Falls back on another tokenizer.
private final class FallbackTokenizer: FTS5CustomTokenizer {
    static let name = "fallback"
    let first: any FTS5Tokenizer
    let second: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        first = try db.makeTokenizer(FailingTokenizer.tokenizerDescriptor())
        second = try db.makeTokenizer(.ascii())
    }

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
        pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: FTS5TokenCallback
    ) -> CInt {
        let code = first.tokenize(
            context: context, tokenization: tokenization, pText: pText, nText: nText,
            tokenCallback: tokenCallback)
        if code == 0 { return 0 }
        return second.tokenize(
            context: context, tokenization: tokenization, pText: pText, nText: nText,
            tokenCallback: tokenCallback)
    }
}

struct FTS5TokenizerErrorTests {
    private func withTable(
        _ tokenizer: String = "failing", _ body: (Database) throws -> Void
    ) throws {
        let dbQueue = try makeQueue(
            FailingTokenizer.self, CodeTokenizer.self, DeafTokenizer.self, FallbackTokenizer.self)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = '\(tokenizer)')")
            try body(db)
        }
    }

    /// Whatever made the statement fail, the table is as it was.
    private func expectRows(_ rows: [String], _ db: Database) throws {
        try expectEqual(String.fetchAll(db, sql: "SELECT a FROM t"), rows)
        expectTrue(!db.isInsideTransaction)
        try db.execute(sql: "INSERT INTO t(t, rank) VALUES ('integrity-check', 1)")
    }

    @Test(arguments: [
        "INSERT INTO t VALUES ('fine'), ('a boom b')",
        "INSERT OR IGNORE INTO t VALUES ('fine'), ('a boom b')",
        "INSERT OR REPLACE INTO t(rowid, a) VALUES (1, 'a boom b')",
        "UPDATE t SET a = 'boom'",
        "SELECT * FROM t WHERE t MATCH 'boom'",
        "SELECT * FROM t WHERE t MATCH 'a OR boom*'",
    ])
    func errorsAreThrownByTheStatement(_ sql: String) throws {
        try withTable { db in
            try db.execute(sql: "INSERT INTO t VALUES ('word')")
            expectError(TokenizerFailure(token: "boom")) { try db.execute(sql: sql) }
            try expectRows(["word"], db)
            // The same statement, from the cache.
            expectError(TokenizerFailure(token: "boom")) { try db.execute(sql: sql) }
            try expectRows(["word"], db)
        }
    }

    @Test func errorsAreThrownByCursors() throws {
        try withTable { db in
            try db.execute(sql: "INSERT INTO t VALUES ('word queryboom'), ('word auxboom')")
            expectError(TokenizerFailure(token: "queryboom")) {
                try Row.fetchAll(db, sql: "SELECT * FROM t WHERE t MATCH 'queryboom'")
            }
            let cursor = try String.fetchCursor(
                db, sql: "SELECT highlight(t, 0, '[', ']') FROM t WHERE t MATCH 'word'")
            // An auxiliary function, on the first and on the second row.
            expectError(TokenizerFailure(token: "queryboom")) { try cursor.next() }
            expectError(TokenizerFailure(token: "auxboom")) {
                let cursor = try String.fetchCursor(
                    db,
                    sql: """
                        SELECT highlight(t, 0, '[', ']') FROM t
                        WHERE t MATCH 'word' ORDER BY rowid DESC
                        """)
                while try cursor.next() != nil {}
            }
        }
    }

    /// Errors of the library tell the tokenizer; others come out as they are.
    @Test func databaseErrorsNameTheTokenizer() throws {
        try withTable { db in
            let sql = "INSERT INTO t VALUES ('dbboom')"
            let error = expectError(DatabaseError.self) { try db.execute(sql: sql) }
            expectEqual(
                error?.description,
                """
                SQLite error 19: tokenizer failing: no such word \
                - while executing `INSERT INTO t VALUES ('dbboom')`
                """)
            expectEqual(error?.extendedResultCode, .SQLITE_CONSTRAINT_UNIQUE)
            expectError(DatabaseError.self) {
                // Not a conflict.
                try db.execute(sql: "INSERT OR IGNORE INTO t VALUES ('dbboom')")
            }
            let busy = expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO t VALUES ('busy')")
            }
            expectEqual(busy?.resultCode, .SQLITE_BUSY)
            expectEqual(busy?.message, "tokenizer failing: database is locked")
            let nested = expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO t VALUES ('sql')")
            }
            expectEqual(nested?.message, "tokenizer failing: no such table: nope")
            expectEqual(nested?.sql, "SELECT * FROM nope")
            try expectRows([], db)
        }
    }

    @Test func codesAreErrorsThatNameTheTokenizer() throws {
        try withTable("code") { db in
            for tokenizer in ["t", "u"] {
                let error = expectError(DatabaseError.self) {
                    try db.execute(sql: "INSERT INTO \(tokenizer) VALUES ('a')")
                }
                expectEqual(error?.extendedResultCode, .SQLITE_IOERR_READ)
                expectEqual(error?.message, "tokenizer code: disk I/O error")
                expectEqual(error?.sql, "INSERT INTO \(tokenizer) VALUES ('a')")
                // With a wrapper around it
                if tokenizer == "t" {
                    try db.execute(
                        sql: "CREATE VIRTUAL TABLE u USING fts5(a, tokenize = 'failing code')")
                }
            }
            let error = expectError(DatabaseError.self) {
                try db.makeTokenizer(CodeTokenizer.tokenizerDescriptor()).documentTokens("foo")
            }
            expectEqual(error?.extendedResultCode, .SQLITE_IOERR_READ)
            expectEqual(error?.message, "tokenizer code: disk I/O error")
        }
    }

    @Test func errorsOfInitializersAreThrown() throws {
        try withTable { db in
            let create = { (argument: String) in
                "CREATE VIRTUAL TABLE u USING fts5(a, tokenize = 'failing \(argument)')"
            }
            expectError(TokenizerFailure(token: "init")) {
                try db.execute(sql: create("boom"))
            }
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: create("dbboom"))
            }
            expectEqual(error?.resultCode, .SQLITE_BUSY)
            expectEqual(error?.message, "tokenizer failing: init")
            expectEqual(error?.sql, create("dbboom"))
            let missing = expectError(DatabaseError.self) {
                try db.execute(sql: create("missing"))
            }
            expectEqual(missing?.message, "tokenizer failing: no such tokenizer: missing")
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE name LIKE 'u%'")
            expectEqual(tables, [])

            let descriptor = { FailingTokenizer.tokenizerDescriptor(arguments: [$0]) }
            expectError(TokenizerFailure(token: "init")) {
                try db.makeTokenizer(descriptor("boom"))
            }
            expectError(TokenizerFailure(token: "init")) {
                try db.makeTokenizer(.porter(wrapping: descriptor("boom")))
            }
            // Nothing is left of the error.
            let syntaxError = expectError(DatabaseError.self) {
                try db.execute(sql: "SELECT * FROM t WHERE t MATCH 'AND'")
            }
            expectEqual(syntaxError?.message, "fts5: syntax error near \"AND\"")
        }
    }

    @Test func errorsAreThrownWithoutAStatement() throws {
        try withTable { db in
            for descriptor in [
                FailingTokenizer.tokenizerDescriptor(),
                .porter(wrapping: FailingTokenizer.tokenizerDescriptor()),
                FailingTokenizer.tokenizerDescriptor(arguments: ["failing"]),
            ] {
                let tokenizer = try db.makeTokenizer(descriptor)
                expectError(TokenizerFailure(token: "boom")) {
                    try tokenizer.tokenize(document: "a boom b")
                }
                expectError(TokenizerFailure(token: "queryboom")) {
                    try tokenizer.tokenize(query: "a queryboom b")
                }
                try expectEqual(tokenizer.documentTokens("a queryboom").count, 2)
            }
            // A tokenizer that FTS5 does not know
            let tokenizer = try FailingTokenizer(db: db, arguments: [])
            expectError(TokenizerFailure(token: "boom")) {
                try tokenizer.tokenize(document: "a boom b")
            }
        }
    }

    /// An error that was caught by a tokenizer, a function or the application is forgotten.
    @Test func caughtErrorsAreForgotten() throws {
        try withTable { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE caught USING fts5(a, tokenize = 'failing')")
            try db.execute(sql: "INSERT INTO t VALUES ('caught')")
            try expectRows(["caught"], db)
            expectError(TokenizerFailure(token: "boom")) {
                try db.execute(sql: "INSERT INTO t VALUES ('nested')")
            }
            expectError(TokenizerFailure(token: "other")) {
                try db.execute(sql: "INSERT INTO t VALUES ('other')")
            }

            let tokenizer = try db.makeTokenizer(FailingTokenizer.tokenizerDescriptor())
            nonisolated(unsafe) let captured = tokenizer
            db.add(
                function: DatabaseFunction("tokens", argumentCount: 1) { dbValues in
                    let text = String.fromDatabaseValue(dbValues[0])!
                    return (try? captured.documentTokens(text))?.count
                })
            let error = expectError(DatabaseError.self) {
                try db.execute(
                    sql: "SELECT tokens('a boom'), abs(-9223372036854775808)")
            }
            expectEqual(error?.message, "integer overflow")
            try expectEqual(
                Row.fetchOne(db, sql: "SELECT tokens('a boom'), tokens('a b')"),
                ["tokens('a boom')": nil, "tokens('a b')": 2])
            try expectRows(["caught"], db)
        }
    }

    @Test func tokenizersCanFallBackOnOthers() throws {
        try withTable("fallback") { db in
            try db.execute(sql: "INSERT INTO t VALUES ('boom Bar')")
            try expectEqual(
                String.fetchAll(db, sql: "SELECT a FROM t WHERE t MATCH 'bar'"),
                ["boom Bar"])
            let tokenizer = try db.makeTokenizer(FallbackTokenizer.tokenizerDescriptor())
            try expectEqual(tokenizer.documentTokens("boom Bar"), ["boom", "bar"])
        }
    }

    /// `tokenize` returns the first code of the callback that is not `SQLITE_OK`, and calls it no
    /// more.
    @Test func callbacksCanStopATokenizer() throws {
        try withTable { db in
            for descriptor in [
                DeafTokenizer.tokenizerDescriptor(), FailingTokenizer.tokenizerDescriptor(),
                .unicode61(),
            ] {
                let tokenizer = try db.makeTokenizer(descriptor)
                var count: CInt = 0
                let text = descriptor == DeafTokenizer.tokenizerDescriptor() ? "abc" : "a b c"
                let code = withUnsafeMutablePointer(to: &count) { count in
                    tokenizer.tokenize(
                        context: count, tokenization: .document, pText: text,
                        nText: CInt(text.utf8.count)
                    ) { context, _, _, _, _, _ in
                        let count = context!.assumingMemoryBound(to: CInt.self)
                        count.pointee += 1
                        return count.pointee == 2 ? 4 : 0
                    }
                }
                expectEqual(code, 4)
                expectEqual(count, 2)
            }
        }
    }

    @Test func failedTransactionsAreRolledBack() throws {
        let dbQueue = try makeQueue(FailingTokenizer.self)
        try dbQueue.write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'failing')")
        }
        expectError(TokenizerFailure(token: "boom")) {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES ('a')")
                try db.execute(sql: "INSERT INTO t VALUES ('boom')")
            }
        }
        try dbQueue.writeWithoutTransaction { try expectRows([], $0) }
    }

    /// A failing statement can be ignored, and the transaction goes on.
    @Test func transactionsGoOnAfterAnError() throws {
        let dbQueue = try makeQueue(FailingTokenizer.self)
        try dbQueue.write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'failing')")
            try db.execute(sql: "INSERT INTO t VALUES ('a')")
            try? db.execute(sql: "INSERT INTO t VALUES ('b'), ('c boom d')")
            try db.execute(sql: "INSERT INTO t VALUES ('e')")
        }
        try dbQueue.writeWithoutTransaction { try expectRows(["a", "e"], $0) }
    }

    /// The log is one for the process: this needs one of its own.
    @Test func theLogNamesTheTokenizer() async {
        await #expect(processExitsWith: .success) {
            let isLogged = Counter()
            Database.logError = { code, message in
                let isExpected =
                    message == #"tokenizer failing: TokenizerFailure(token: "boom")"#
                if isExpected { isLogged.add(1) }
            }
            let dbQueue = try makeQueue(FailingTokenizer.self)
            try dbQueue.write { db in
                try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'failing')")
                try? db.execute(sql: "SELECT * FROM t('boom')")
            }
            expectEqual(isLogged.value, 1)
        }
    }
}
