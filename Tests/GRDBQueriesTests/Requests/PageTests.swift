import GRDB
import GRDBQueries
import GRDBSchema
import GRDBTestSupport
import Testing

@Suite(.databases) struct PageTests {
    struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int64
        var name: String
        var score: Int

        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
            static let score = Column("score")
        }
    }

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try TestDatabases.makeQueue()
        var random = SplitMix64(seed: 48)
        try queue.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, score INTEGER NOT NULL);
                    CREATE INDEX player_name_score ON player(name, score);
                    """)
            for id in 1...200 {
                try Player(
                    id: Int64(id), name: ["a", "A", "b", "c"].randomElement(using: &random)!,
                    score: .random(in: 0..<5, using: &random)
                ).insert(db)
            }
        }
        return queue
    }

    /// All pages together are all rows in order.
    @Test func pagesAreTheRowsInOrder() throws {
        try makeQueue().read { db throws in
            let orders: [QueryInterfaceRequest<Player>] = [
                Player.order(\.id), Player.order(\.id.desc), Player.order { [$0.name, $0.id] },
                Player.order { [$0.name.desc, $0.id.desc] },
                Player.order { [$0.name, $0.id.desc] },
                Player.order { [$0.name.desc, $0.score, $0.id] },
                Player.order { [$0.name, $0.score, $0.id.desc] },
                Player.order { [$0.name.desc, $0.score, $0.id.desc] }.filter { $0.score != 3 },
                Player.order { [$0.name, $0.id] }.reversed(),
                Player.order { [$0.name.collating(.binary), $0.score + 1, $0.id] },
            ]
            let keys: [(Player) -> [any SQLExpressible]] = [
                { [$0.id] }, { [$0.id] }, { [$0.name, $0.id] }, { [$0.name, $0.id] },
                { [$0.name, $0.id] },
                { [$0.name, $0.score, $0.id] }, { [$0.name, $0.score, $0.id] },
                { [$0.name, $0.score, $0.id] },
                { [$0.name, $0.id] }, { [$0.name, $0.score + 1, $0.id] },
            ]
            for (index, request) in orders.enumerated() {
                let expected = try request.fetchAll(db)
                var found: [Player] = []
                while true {
                    let page = try request.limit(7, after: found.last.map(keys[index])).fetchAll(db)
                    found += page
                    if page.count < 7 { break }
                }
                expectEqual(found, expected, "\(index)")
            }
        }
    }

    @Test func pagesUseIndexes() throws {
        try makeQueue().read { db throws in
            func check(_ request: QueryInterfaceRequest<Player>, _ sql: String, sorts: Bool) throws
            {
                try expectEqual(
                    request.makePreparedRequest(db).statement.sql,
                    "SELECT * FROM \"player\" "
                        + sql)
                let plan = try request.queryPlan(db)
                expectTrue(plan.usesIndex("player_name_score") && plan.sorts == sorts, "\(plan)")
                expectEqual(plan.scansNoTable, sql.hasPrefix("WHERE"), "\(plan)")
            }
            let request = Player.order { [$0.name, $0.score, $0.id] }
            try check(
                request.limit(20, after: nil), "ORDER BY \"name\", \"score\", \"id\" LIMIT 20",
                sorts: false)
            try check(
                request.limit(20, after: ["a", 1, 7]),
                "WHERE (\"name\", \"score\", \"id\") > (?, ?, ?) ORDER BY \"name\", \"score\", \"id\" LIMIT 20",
                sorts: false)
            try check(
                Player.order { [$0.name, $0.score.desc] }.limit(20, after: ["a", 1]),
                """
                WHERE ("name" >= ?) AND (("name" > ?) OR ("score" < ?)) ORDER BY "name", "score" DESC LIMIT 20
                """, sorts: true)
        }
    }

    @Test func pagesThatAreRefused() throws {
        try makeQueue().read { db throws in
            func message(_ request: QueryInterfaceRequest<Player>) -> String {
                let error = expectError(DatabaseError.self) { try request.fetchAll(db) }
                return error?.message ?? ""
            }
            let request = Player.order { [$0.name, $0.id] }
            let prefix = "limit(_:after:): the order of the request "
            expectEqual(message(request.limit(1, after: ["a"])), prefix + "has 2 terms, not 1")
            expectEqual(message(Player.all().limit(1, after: [1])), prefix + "has no terms")
            expectEqual(message(Player.all().limit(1, after: [])), prefix + "has no terms")
            expectEqual(
                message(request.limit(1, after: ["a", nil as Int?])),
                prefix + "can't follow NULL")
            expectEqual(
                message(Player.order(SQLExpression.resultColumn(1)).limit(1, after: [1])),
                prefix + "has the number of a result column")
            expectTrue(
                !message(Player.order(literal: "name, id DESC").limit(1, after: [1])).isEmpty)
            expectEqual(
                message(Player.all().withStableOrder().limit(1, after: [1])),
                prefix
                    + "has no terms")
        }
    }
}
