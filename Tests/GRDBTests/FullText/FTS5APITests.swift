import GRDB
import GRDBSQLite
import Testing

struct FTS5APITests {
    @Test func auxiliaryFunctionsCanBeAdded() throws {
        try DatabaseQueue().write { db in
            let api: UnsafePointer<GRDB.fts5_api> = FTS5.api(db)
            #expect(api.pointee.iVersion == 3)
            let code = api.pointee.xCreateFunction(
                UnsafeMutablePointer(mutating: api), "phraseCount", nil,
                { api, fts5Context, context, _, _ in
                    sqlite3_result_int(context, api!.pointee.xPhraseCount(fts5Context))
                }, nil)
            #expect(code == SQLITE_OK)
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a);
                    INSERT INTO t VALUES ('one two three');
                    """)
            #expect(
                try Int.fetchOne(
                    db, sql: "SELECT phraseCount(t) FROM t WHERE t MATCH 'one AND two + three'")
                    == 2)
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
