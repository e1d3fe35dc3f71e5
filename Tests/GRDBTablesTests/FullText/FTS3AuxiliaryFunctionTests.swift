import Foundation
import GRDB
import GRDBTables
import GRDBTestSupport
import Testing

@Suite(.databases)
struct FTS3AuxiliaryFunctionTests {
    private func withTable(
        _ kind: DatabaseKind, module: String = "fts4", _ body: (Database) throws -> Void
    ) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { (db: Database) throws in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE book USING \(module)(title, body);
                    INSERT INTO book(docid, title, body) VALUES
                        (1, 'White whale', 'a whäle, a white whale'), (5, 'Whale', 'nothing');
                    """)
            try body(db)
        }
    }

    private func request(_ pattern: String) -> QueryInterfaceRequest<Row> {
        Table("book").filter(Column("book").match(pattern)).order(Column("docid"))
    }

    @Test(arguments: DatabaseKind.allCases)
    func matchInfo(kind: DatabaseKind) throws {
        try withTable(kind) { (db: Database) throws in
            let content: FTS3MatchInfo.Content = [
                .rowCount, .averageTokenCounts, .tokenCounts, .longestSubsequences, .hits,
                .rowHits, .isFound,
            ]
            let sql = try TestDatabases.sql {
                let blobs = try request("\"white whale\" whale").select(
                    FTS3.matchInfo(content), as: Data.self
                ).fetchAll(db)
                expectEqual(blobs.count, 1)
                let info = try FTS3MatchInfo(data: blobs[0], content: content)
                expectEqual(info.phraseCount, 2)
                expectEqual(info.columnCount, 2)
                expectEqual(info.rowCount, 2)
                expectEqual(info.averageTokenCounts, [2, 3])
                expectEqual(info.tokenCounts, [2, 5])
                expectEqual(info.longestSubsequences?.count, 2)
                expectEqual(
                    info.hits(phrase: 0, column: 1),
                    FTS3MatchInfo.Hits(inRow: 1, inAllRows: 1, rowCount: 1))
                expectEqual(
                    info.hits(phrase: 1, column: 0),
                    FTS3MatchInfo.Hits(inRow: 1, inAllRows: 2, rowCount: 2))
                expectEqual(info.rowHits(phrase: 0, column: 0), 1)
                expectEqual(info.rowHits(phrase: 1, column: 1), 1)
                expectEqual(info.isFound(phrase: 0, column: 0), true)
                expectEqual(info.hits(phrase: 2, column: 0), nil)
                expectEqual(info.rowHits(phrase: 0, column: -1), nil)
                expectEqual(info.isFound(phrase: 0, column: 2), nil)
            }
            expectTrue(
                sql.contains {
                    $0.hasPrefix(#"SELECT matchinfo("book", 'pcnalsxyb') FROM "book" WHERE "book""#)
                })
        }
    }

    @Test(arguments: DatabaseKind.allCases, ["fts3", "fts4"])
    func lessMatchInfo(kind: DatabaseKind, module: String) throws {
        try withTable(kind, module: module) { (db: Database) throws in
            let blobs = try request("whale").select(
                FTS3.matchInfo(.isFound), as: Data.self
            ).fetchAll(db)
            let infos = try blobs.map { try FTS3MatchInfo(data: $0, content: .isFound) }
            expectEqual(infos.map { $0.isFound(phrase: 0, column: 0) }, [true, true])
            expectEqual(infos.map { $0.isFound(phrase: 0, column: 1) }, [true, false])
            expectEqual(infos[0].rowCount, nil)
            expectEqual(infos[0].hits(phrase: 0, column: 0), nil)
            expectEqual(infos[0].tokenCounts, nil)
            // The numbers alone: more phrases than there are words in the blob.
            let counts = try request("a OR b OR whale").select(FTS3.matchInfo([]), as: Data.self)
                .fetchAll(db).map { try FTS3MatchInfo(data: $0, content: []) }
            expectEqual(counts.map(\.phraseCount), [3, 3])
            expectEqual(counts.map(\.columnCount), [2, 2])
            for (data, content) in [
                (blobs[0], FTS3MatchInfo.Content.hits), (Data(), .isFound),
                (blobs[0].dropLast(), .isFound), (blobs[0] + Data(count: 4), .isFound),
                (Data(repeating: 0xff, count: 64), [.hits, .isFound]),
            ] {
                let error = expectError(DatabaseError.self) {
                    try FTS3MatchInfo(data: data, content: content)
                }
                expectEqual(error?.resultCode, .SQLITE_MISMATCH)
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases, ["fts3", "fts4"])
    func offsets(kind: DatabaseKind, module: String) throws {
        try withTable(kind, module: module) { (db: Database) throws in
            let offsets = try request("white OR whale").select(
                FTS3.offsets(), as: FTS3Offsets.self
            ).fetchAll(db)
            typealias Term = FTS3Offsets.Term
            expectEqual(
                offsets,
                [
                    FTS3Offsets(terms: [
                        Term(column: 0, term: 0, utf8Range: 0..<5),
                        Term(column: 0, term: 1, utf8Range: 6..<11),
                        Term(column: 1, term: 0, utf8Range: 12..<17),
                        Term(column: 1, term: 1, utf8Range: 18..<23),
                    ]), FTS3Offsets(terms: [Term(column: 0, term: 1, utf8Range: 0..<5)]),
                ])
            expectEqual(offsets[1].databaseValue, "0 1 0 5".databaseValue)
        }
    }

    @Test(arguments: ["1", "1 2 3", "a b c d", "0 0 -1 5", "0 0 9223372036854775807 1"])
    func brokenOffsets(text: String) {
        expectEqual(FTS3Offsets.fromDatabaseValue(text.databaseValue), nil)
        expectEqual(FTS3Offsets.fromDatabaseValue("".databaseValue), FTS3Offsets(terms: []))
    }

    @Test(arguments: DatabaseKind.allCases)
    func snippets(kind: DatabaseKind) throws {
        try withTable(kind) { (db: Database) throws in
            try expectEqual(
                request("white").select(
                    FTS3.snippet(before: "[", after: "]"), as: String.self
                ).fetchAll(db),
                ["[White] whale"])
            try expectEqual(
                request("white").select(
                    FTS3.snippet(
                        Column("body"), before: "<", after: ">", ellipsis: "...", tokenCount: 2),
                    as: String.self
                ).fetchAll(db),
                ["...a <white>..."])
            let error = expectError(DatabaseError.self) {
                try request("white").select(
                    FTS3.snippet(Column("nope"), before: "", after: ""), as: String.self
                ).fetchAll(db)
            }
            expectEqual(error?.message, "table book has no column named nope")
        }
    }
}
