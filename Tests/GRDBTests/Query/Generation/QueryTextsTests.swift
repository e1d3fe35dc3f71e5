import GRDB
import GRDBTestSupport
import Testing

/// Queries that are run again with other values: their texts are not written again. Debug builds also
/// compare the text of each shape with the one that would be written.
@Suite(.databases) struct QueryTextsTests {
    private struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
            static let score = Column("score")
        }
        var id: Int
        var name: String?
        var score: Int?
    }

    private func makeDatabase(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
            for id in 1...20 {
                try Player(id: id, name: id % 5 == 0 ? nil : "p\(id % 4)", score: id % 3).insert(db)
            }
        }
        return writer
    }

    @Test(arguments: DatabaseKind.allCases) func valuesAreThoseOfTheRequest(
        kind: DatabaseKind
    ) throws {
        let players = try makeDatabase(kind)
        try players.read { db in
            for _ in 0..<2 {
                for name in ["p1", "p2", nil, "p'"] {
                    let request = Player.filter { $0.name == name && $0.score >= 1 }
                        .order { [$0.score.desc, $0.id] }
                    let literal = name.map { "'\($0.replacing("'", with: "''"))'" }
                    let condition =
                        (literal.map { "\"name\" = \($0)" } ?? "\"name\" IS NULL")
                        + ") AND (\"score\" >= 1"
                    let expected = try Int.fetchAll(
                        db,
                        sql: """
                            SELECT id FROM player WHERE name IS ? AND score >= 1
                            ORDER BY score DESC, id LIMIT 3
                            """, arguments: [name])
                    try expectSQL(
                        """
                        SELECT * FROM "player" WHERE (\(condition)) \
                        ORDER BY "score" DESC, "id" LIMIT 3
                        """
                    ) {
                        let ids = try request.limit(3).fetchAll(db).map(\.id)
                        #expect(ids == expected)
                    }
                }
            }
        }
    }

    @Test func listsOfSeveralLengths() throws {
        try makeDatabase(.queue).read { db in
            for count in [1, 3, 2, 3, 1, 0, 120, 3] {
                let ids = Array(0..<count)
                try #expect(
                    Player.filter(keys: ids).fetchCount(db) == max(0, min(20, count - 1)))
                try #expect(Player.filter(keys: ids).isEmpty(db) == (count < 2))
            }
        }
    }

    @Test func changesOfRows() throws {
        try makeDatabase(.queue).write { db in
            for id in [3, 4, 50] {
                try expectSQL(
                    "UPDATE \"player\" SET \"score\" = \"score\" + \(id) WHERE \"id\" = \(id)"
                ) {
                    try #expect(
                        Player.filter(key: id).updateAll(db, Column("score") += id)
                            == (id > 20 ? 0 : 1))
                }
            }
            let deletedCounts = try [3, 5, 5].map { score in
                try Player.filter { $0.score == score }.deleteAll(db)
            }
            #expect(deletedCounts == [1, 1, 0])
            try #expect(Player.filter { $0.id == 3 }.isEmpty(db))
        }
    }

    /// `LIMIT 1` is left out where a unique key has one row at most.
    @Test func closuresAreCalledOnce() throws {
        try makeDatabase(.queue).write { db in
            for minimum in 1...3 {
                let calls = Log<String>()
                let request = Player.all()
                    .selectWhenConnected { _ in
                        calls.append("select")
                        return [Column("id")]
                    }
                    .filterWhenConnected { _ in
                        calls.append("filter")
                        return Column("id") > minimum
                    }
                    .orderWhenConnected { _ in
                        calls.append("order")
                        return [Column("id").desc]
                    }
                try #expect(Int.fetchOne(db, request.asRequest(of: Int.self)) == 20)
                #expect(calls.elements == ["select", "filter", "order"])
                try #expect(request.fetchCount(db) == 20 - minimum)
                #expect(calls.elements.filter { $0 == "filter" }.count == 2)
                try #expect(!request.isEmpty(db))
                #expect(calls.elements.filter { $0 == "filter" }.count == 3)
                try request.updateAll(db, Column("score").set(to: minimum))
                #expect(calls.elements.filter { $0 == "filter" }.count == 4)
            }
        }
    }

    @Test func schemasThatChange() throws {
        try makeDatabase(.queue).write { db in
            try db.execute(sql: "DELETE FROM player WHERE id > 3")
            let request = Player.filter { $0.name == "p1" }
            _ = try request.fetchOne(db)
            for _ in 0..<2 {
                try expectSQL("SELECT * FROM \"player\" WHERE \"name\" = 'p1' LIMIT 1") {
                    try #expect(request.fetchOne(db)?.id == 1)
                }
            }
            try db.execute(sql: "CREATE UNIQUE INDEX i ON player(name)")
            _ = try request.fetchOne(db)
            for _ in 0..<2 {
                try expectSQL("SELECT * FROM \"player\" WHERE \"name\" = 'p1'") {
                    try #expect(request.fetchOne(db)?.id == 1)
                }
            }
            try db.execute(sql: "DROP INDEX i")
            _ = try request.fetchOne(db)
            try expectSQL("SELECT * FROM \"player\" WHERE \"name\" = 'p1' LIMIT 1") {
                try #expect(request.fetchOne(db)?.id == 1)
            }
        }
    }

    @Test func regionsAreThoseOfTheValues() throws {
        try makeDatabase(.queue).read { db in
            for id in 1...3 {
                let request = Player.filter(key: id)
                try #expect(
                    request.databaseRegion(db).description == "player(id,name,score)[\(id)]")
                try #expect(request.fetchAll(db).map(\.id) == [id])
            }
        }
    }
}
