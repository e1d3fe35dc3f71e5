import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct FullTextRequestTests {
    struct Document: Codable, FetchableRecord, TableRecord, Equatable {
        var body: String
    }

    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE document USING fts5(body);
                    INSERT INTO document VALUES ('hello world'), ('hello moon');
                    """)
        }
        return dbQueue
    }

    @Test func matchingRows() throws {
        try makeQueue().read { db in
            let pattern = FTS5Pattern(matchingAnyTokenIn: "moon sun")
            let requests = [
                Document.matching(pattern), Document.all().matching(pattern),
                Table<Document>("document").matching(pattern),
            ]
            for request in requests {
                let statement = try request.makePreparedRequest(db).statement
                #expect(statement.sql == #"SELECT * FROM "document" WHERE "document" MATCH ?"#)
                #expect(statement.arguments == ["moon OR sun"])
                #expect(try request.fetchAll(db) == [Document(body: "hello moon")])
            }
            #expect(try Document.matching(nil as FTS5Pattern?).fetchCount(db) == 0)
        }
    }

    @Test func matchingRowsOfAliasedTables() throws {
        try makeQueue().read { db in
            let alias = TableAlias<Document>(name: "d")
            let request = Document.aliased(alias)
                .matching(FTS5Pattern(matchingAllTokensIn: "hello"))
                .order(Column.rank, alias[Column("rowid")])
            let statement = try request.makePreparedRequest(db).statement
            #expect(
                statement.sql == """
                    SELECT "d".* FROM "document" "d" WHERE "d"."document" MATCH ? \
                    ORDER BY "d"."rank", "d"."rowid"
                    """)
            #expect(try request.fetchAll(db).map(\.body) == ["hello world", "hello moon"])
        }
    }
}
