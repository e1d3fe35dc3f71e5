import GRDB
import GRDBTables
import GRDBTestSupport
import Testing

@Suite(.databases)
struct FTS5MatchInfoTests {
    @Test(arguments: DatabaseKind.allCases)
    func rowsAndPhrases(kind: DatabaseKind) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { try $0.add(auxiliaryFunction: FTS5MatchInfo.function) }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE book USING fts5(title, body);
                    INSERT INTO book(rowid, title, body) VALUES
                        (1, 'White whale', 'a whale, a white whale'), (5, 'Whale', 'nothing');
                    """)
        }
        try writer.read { (db: Database) throws in
            let pattern = try db.makeFTS5Pattern(
                rawPattern: "\"white whale\" OR whale", forTable: "book")
            let infos = try Table("book").matching(pattern).order(Column.rowID)
                .select(FTS5MatchInfo.function(), as: FTS5MatchInfo.self).fetchAll(db)
            expectEqual(infos.map(\.rowID), [1, 5])
            expectEqual(infos.map(\.rowCount), [2, 2])
            expectEqual(infos.map(\.tokenCounts), [[2, 5], [1, 1]])
            expectEqual(infos[0].totalTokenCounts, [3, 6])
            expectEqual(
                infos.map { $0.phrases.map(\.tokens) },
                [
                    [["white", "whale"], ["whale"]], [["white", "whale"], ["whale"]],
                ])
            expectEqual(infos[0].phrases.map(\.rowCount), [1, 2])
            expectEqual(
                infos[0].phrases[0].instances.map { [$0.column, $0.offset] },
                [[0, 0], [1, 3]])
            expectEqual(
                infos[0].phrases[1].instances.map { [$0.column, $0.offset] },
                [[0, 1], [1, 1], [1, 4]])
            expectEqual(infos[1].phrases.map(\.instances.count), [0, 1])
        }
    }
}
