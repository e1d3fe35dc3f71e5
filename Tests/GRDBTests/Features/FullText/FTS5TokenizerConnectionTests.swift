import GRDB
import GRDBTestSupport
import Testing

/// Folds dotless letters in Turkish texts only.
private final class LocaleTokenizer: FTS5WrapperTokenizer {
    static let name = "localized"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        let components = arguments.isEmpty ? ["unicode61"] : arguments
        wrappedTokenizer = try db.makeTokenizer(FTS5TokenizerDescriptor(components: components))
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        let isTurkish = textLocale == "tr_TR"
        try tokenCallback(isTurkish ? token.replacing("ı", with: "i") : token, flags)
    }
}

/// Tokenizers of several connections, and of what works on whole files.
@Suite(.databases)
struct FTS5TokenizerConnectionTests {
    private func makeConfiguration() -> Configuration {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            try db.tryAdd(tokenizer: LocaleTokenizer.self)
        }
        return configuration
    }

    private func makeTable(_ db: Database, options: String = "") throws {
        try db.execute(
            sql: """
                CREATE VIRTUAL TABLE doc USING fts5(a, tokenize = 'localized'\(options));
                INSERT INTO doc VALUES ('One two'), ('Three two');
                """)
    }

    @Test(
        arguments: DatabaseKind.allCases, ["localized", "localized localized", "porter localized"])
    func locales(kind: DatabaseKind, tokenizer: String) throws {
        let writer = try TestDatabases.makeWriter(kind, makeConfiguration())
        try writer.write { (db: Database) throws in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE doc USING fts5(a, tokenize = '\(tokenizer)', locale = 1);
                    INSERT INTO doc(rowid, a) VALUES
                        (1, 'ısparta'), (2, fts5_locale('tr_TR', 'ısparta')),
                        (3, fts5_locale('de_DE', 'ısparta'));
                    INSERT INTO doc(doc, rank) VALUES ('integrity-check', 1);
                    """)
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM doc('isparta')"), [2])
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM doc('ısparta')"), [1, 3])
            try expectEqual(
                Int.fetchAll(
                    db, sql: "SELECT rowid FROM doc WHERE doc MATCH fts5_locale('tr_TR', 'ısparta')"
                ),
                [2])
            try expectEqual(
                String.fetchAll(
                    db,
                    sql: """
                        SELECT highlight(doc, 0, '[', ']') FROM doc
                        WHERE doc MATCH fts5_locale('tr_TR', 'ISPARTA OR ısparta')
                        """),
                ["[ısparta]"])
            try db.execute(sql: "DELETE FROM doc WHERE rowid = 2")
            try db.execute(sql: "INSERT INTO doc(doc, rank) VALUES ('integrity-check', 1)")
        }
    }

    @Test func localesWithoutATable() throws {
        let dbQueue = try TestDatabases.makeQueue(.memory, makeConfiguration())
        try dbQueue.read { (db: Database) throws in
            let tokenizer = try db.makeTokenizer(LocaleTokenizer.tokenizerDescriptor())
            try expectEqual(
                tokenizer.tokenize(document: "ıa", locale: "tr_TR").map(\.token),
                ["ia"])
            try expectEqual(tokenizer.tokenize(query: "ıa", locale: "tr_TR").map(\.token), ["ia"])
            try expectEqual(tokenizer.tokenize(document: "ıa", locale: "").map(\.token), ["ıa"])
            try expectEqual(tokenizer.tokenize(document: "ıa").map(\.token), ["ıa"])
            expectEqual(tokenizer.textLocale, nil)
        }
    }

    /// All readers of a pool have the tokenizer, and so do those that are opened later.
    @Test func connectionsOfAPool() async throws {
        let dbPool = try TestDatabases.makePool(makeConfiguration())
        try await dbPool.write { try makeTable($0) }
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...20 {
                group.addTask {
                    try await dbPool.read { db in
                        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM doc('two')")!
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expectEqual(counts, Array(repeating: 2, count: 20))
        let snapshot = try dbPool.makeSnapshot()
        try await expectEqual(
            snapshot.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM doc('one')") },
            1)
        let other = try TestDatabases.openQueue(dbPool.path, makeConfiguration())
        try await expectEqual(
            other.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM doc('three')") },
            1)
        try other.close()
        try dbPool.close()
    }

    /// Copies of files need no tokenizer.
    @Test(
        .disabled(
            if: TestDatabases.encryptsDatabases, "The source is in memory, and the file encrypted"),
        arguments: DatabaseKind.allCases)
    func vacuumBackupAndIntegrityCheck(kind: DatabaseKind) throws {
        let path = TestDatabases.makePath()
        let plain = try TestDatabases.openQueue(path)
        let writer = try TestDatabases.makeWriter(kind, makeConfiguration())
        try writer.write { try makeTable($0, options: ", prefix = 2") }
        try writer.vacuum()
        try writer.backup(to: plain)
        try plain.vacuum()
        let vacuumed = TestDatabases.makePath()
        try plain.vacuum(into: vacuumed)
        try plain.read { db in
            // The table itself can't be used there.
            let error = expectError(DatabaseError.self) {
                try Row.fetchAll(db, sql: "SELECT * FROM doc('two')")
            }
            expectEqual(error?.message, "no such tokenizer: localized")
        }
        try plain.close()
        for path in [path, vacuumed] {
            let copy = try TestDatabases.openQueue(path, makeConfiguration())
            try copy.write { (db: Database) throws in
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM doc('tw*')"), 2)
                try expectEqual(String.fetchAll(db, sql: "PRAGMA integrity_check"), ["ok"])
                try db.execute(sql: "INSERT INTO doc(doc, rank) VALUES ('integrity-check', 1)")
                try db.execute(sql: "ALTER TABLE doc RENAME TO renamed")
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM renamed('two')"), 2)
            }
            try copy.close()
        }
        try writer.close()
    }
}
