import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

struct FTS5APITests {
    @Test func auxiliaryFunctionsCanBeAdded() throws {
        try DatabaseQueue().write { db in
            let api: UnsafePointer<GRDB.fts5_api> = FTS5.api(db)
            expectEqual(api.pointee.iVersion, 3)
            let code = api.pointee.xCreateFunction(
                UnsafeMutablePointer(mutating: api), "phraseCount", nil,
                { api, fts5Context, context, _, _ in
                    sqlite3_result_int(context, api!.pointee.xPhraseCount(fts5Context))
                }, nil)
            expectEqual(code, SQLITE_OK)
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a);
                    INSERT INTO t VALUES ('one two three');
                    """)
            try expectEqual(
                Int.fetchOne(
                    db, sql: "SELECT phraseCount(t) FROM t WHERE t MATCH 'one AND two + three'"),
                2)
        }
    }

    /// The protocols of tokenizers know no locale, but wrappers pass it on.
    @Test func localesGoThroughWrappers() throws {
        try makeQueue(LocaleWrapper.self).write { db in
            // Its one token is the locale.
            var functions = fts5_tokenizer_v2(
                iVersion: 2,
                xCreate: { _, _, _, tokenizer in
                    tokenizer!.pointee = OpaquePointer(bitPattern: 1)
                    return SQLITE_OK
                },
                xDelete: { _ in },
                xTokenize: { _, context, _, _, textCount, locale, localeCount, callback in
                    guard let locale else { return callback!(context, 0, "none", 4, 0, textCount) }
                    return callback!(context, 0, locale, localeCount, 0, textCount)
                })
            let api = FTS5.api(db)
            let code = withUnsafeMutablePointer(to: &functions) { functions in
                // The structures of both modules are the same, under two names.
                api.pointee.xCreateTokenizer_v2(
                    UnsafeMutablePointer(mutating: api), "locale", nil,
                    UnsafeMutablePointer(OpaquePointer(functions)), nil)
            }
            expectEqual(code, SQLITE_OK)
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'localewrapper', locale = 1);
                    INSERT INTO t VALUES (fts5_locale('fr_FR', 'texte')), ('text');
                    CREATE VIRTUAL TABLE v USING fts5vocab(t, row);
                    """)
            try expectEqual(String.fetchAll(db, sql: "SELECT term FROM v"), ["fr_FR", "none"])
        }
    }

    @Test func apiTrapsOnAClosedConnection() async {
        await #expect(processExitsWith: .failure) {
            let dbQueue = try DatabaseQueue()
            dbQueue.unsafeRead { _ = FTS5.api($0) }
            try dbQueue.close()
            dbQueue.unsafeRead { _ = FTS5.api($0) }
        }
    }
}

private final class LocaleWrapper: PassingTokenizer {
    static let name = "localewrapper"
    lazy var wrappedTokenizer: any FTS5Tokenizer = try! db.makeTokenizer(
        FTS5TokenizerDescriptor(components: ["locale"]))
    private unowned let db: Database

    init(db: Database, arguments: [String]) throws {
        self.db = db
    }
}
