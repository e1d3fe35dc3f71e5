import GRDB
import GRDBServer
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
                        expectEqual(ids, expected)
                    }
                }
            }
        }
    }

    @Test func listsOfSeveralLengths() throws {
        try makeDatabase(.queue).read { db in
            for count in [1, 3, 2, 3, 1, 0, 120, 3] {
                let ids = Array(0..<count)
                try expectEqual(
                    Player.filter(keys: ids).fetchCount(db),
                    max(0, min(20, count - 1)))
                try expectEqual(Player.filter(keys: ids).isEmpty(db), (count < 2))
            }
        }
    }

    @Test func changesOfRows() throws {
        try makeDatabase(.queue).write { db in
            for id in [3, 4, 50] {
                try expectSQL(
                    "UPDATE \"player\" SET \"score\" = \"score\" + \(id) WHERE \"id\" = \(id)"
                ) {
                    try expectEqual(
                        Player.filter(key: id).updateAll(db, Column("score") += id),
                        (id > 20 ? 0 : 1))
                }
            }
            let deletedCounts = try [3, 5, 5].map { score in
                try Player.filter { $0.score == score }.deleteAll(db)
            }
            expectEqual(deletedCounts, [1, 1, 0])
            try expectTrue(Player.filter { $0.id == 3 }.isEmpty(db))
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
                try expectEqual(Int.fetchOne(db, request.asRequest(of: Int.self)), 20)
                expectEqual(calls.elements, ["select", "filter", "order"])
                try expectEqual(request.fetchCount(db), 20 - minimum)
                expectEqual(calls.elements.filter { $0 == "filter" }.count, 2)
                try expectTrue(!request.isEmpty(db))
                expectEqual(calls.elements.filter { $0 == "filter" }.count, 3)
                try request.updateAll(db, Column("score").set(to: minimum))
                expectEqual(calls.elements.filter { $0 == "filter" }.count, 4)
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
                    try expectEqual(request.fetchOne(db)?.id, 1)
                }
            }
            try db.execute(sql: "CREATE UNIQUE INDEX i ON player(name)")
            _ = try request.fetchOne(db)
            for _ in 0..<2 {
                try expectSQL("SELECT * FROM \"player\" WHERE \"name\" = 'p1'") {
                    try expectEqual(request.fetchOne(db)?.id, 1)
                }
            }
            try db.execute(sql: "DROP INDEX i")
            _ = try request.fetchOne(db)
            try expectSQL("SELECT * FROM \"player\" WHERE \"name\" = 'p1' LIMIT 1") {
                try expectEqual(request.fetchOne(db)?.id, 1)
            }
        }
    }

    /// The memory of the values goes from one query to the next. Nobody else may notice.
    @Test func argumentsStayThoseOfTheirRequest() throws {
        try makeDatabase(.queue).read { db in
            func request(_ id: Int) -> QueryInterfaceRequest<Player> {
                Player.filter { $0.id >= id && $0.name != "p'" }.order(\.id)
            }
            var kept: [(StatementArguments, Int)] = []
            for id in [1, 7, 3] {
                let statement = try request(id).makePreparedRequest(db).statement
                expectEqual(statement.arguments, [id, "p'"])
                kept.append((statement.arguments, id))
            }
            for (arguments, id) in kept { expectEqual(arguments, [id, "p'"]) }

            // Queries of the same shape while rows of one are read.
            let cursor = try request(2).fetchCursor(db)
            var ids: [Int] = []
            while let player = try cursor.next() {
                ids.append(player.id)
                let other = try request(player.id + 1).fetchOne(db)?.id
                expectEqual(other, (player.id + 1..<20).first { $0 % 5 != 0 })
                expectEqual(cursor.arguments, [2, "p'"])
            }
            expectEqual(ids, (2...20).filter { $0 % 5 != 0 })
        }
    }

    @Test func valuesThatSQLiteRefuses() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.limits[.length] = 100_000
        let queue = try TestDatabases.makeQueue(.memory, configuration)
        try queue.write { db in
            try db.execute(
                sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
            try Player(id: 1, name: "a", score: 2).insert(db)
            func ids(_ name: String) throws -> [Int] {
                try Player.filter { $0.name == name && $0.score == 2 }.fetchAll(db).map(\.id)
            }
            for _ in 0..<2 {
                try expectEqual(ids("a"), [1])
                expectError(DatabaseError.self) {
                    try ids(String(repeating: "a", count: 200_000))
                }
            }
            try expectEqual(ids("b"), [])
        }
    }

    /// Texts of different lengths, which are compared eight bytes at a time.
    @Test func namesThatDifferAnywhere() throws {
        try TestDatabases.makeQueue().write { db in
            var names: [String] = []
            for length in 1...20 {
                let name = String(repeating: "a", count: length)
                names.append(name)
                for index in 0..<length {
                    names.append(String(name.enumerated().map { $0 == index ? "b" : $1 }))
                }
            }
            let columns = names.map { "\($0) INTEGER" }.joined(separator: ", ")
            try db.execute(sql: "CREATE TABLE t (\(columns))")
            let values = names.indices.map { "\($0)" }.joined(separator: ", ")
            try db.execute(sql: "INSERT INTO t VALUES (\(values))")
            for _ in 0..<2 {
                for (index, name) in names.enumerated() {
                    let request = Table("t").filter(Column(name) == index)
                        .select(Column(name), as: Int.self)
                    try expectEqual(request.fetchOne(db), index)
                }
            }
        }
    }

    @Test func ordersAndSelectionsOfSeveralTerms() throws {
        try makeDatabase(.queue).read { db in
            for _ in 0..<2 {
                for minimum in [4, 9] {
                    let players = Player.filter { $0.id > minimum }
                    let order = try players.order(\.score.desc, \.id).limit(2).fetchAll(db)
                    let reversed = try players.order(\.score.desc, \.id).reversed().limit(2)
                        .fetchAll(db)
                    let unsorted = try players.order([]).limit(1).fetchAll(db)
                    expectEqual(order.map(\.id), (minimum == 4 ? [5, 8] : [11, 14]))
                    expectEqual(reversed.map(\.id), [18, 15])
                    expectEqual(unsorted.map(\.id), [minimum + 1])
                    let pairs = try players.order(\.id)
                        .select([Column("id"), Column("score")], as: Row.self).fetchOne(db)
                    expectEqual(pairs, ["id": minimum + 1, "score": (minimum + 1) % 3])
                }
            }
        }
    }

    @Test func regionsAreThoseOfTheValues() throws {
        try makeDatabase(.queue).read { db in
            for id in 1...3 {
                let request = Player.filter(key: id)
                try expectEqual(
                    request.databaseRegion(db).description,
                    "player(id,name,score)[\(id)]")
                try expectEqual(request.fetchAll(db).map(\.id), [id])
            }
        }
    }
}
