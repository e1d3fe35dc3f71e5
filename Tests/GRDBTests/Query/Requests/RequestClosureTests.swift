import GRDB
import GRDBQueries
import GRDBTestSupport
import Testing

/// The closures of requests are called once an execution, and regions tell the truth.
@Suite(.databases) struct RequestClosureTests {
    private final class Calls: @unchecked Sendable {
        // `@unchecked Sendable`: used in one database access at a time.
        private(set) var counts: [String: Int] = [:]

        func note(_ name: String) { counts[name, default: 0] += 1 }

        /// The closures that were not called once since the last time.
        func unexpected(_ names: [String]) -> [String: Int] {
            defer { counts = [:] }
            return counts.merging(names.filter { counts[$0] == nil }.map { ($0, 0) }) { $1 }
                .filter { $0.value != 1 }
        }
    }

    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, name TEXT,
                        isSelected BOOLEAN, score INTEGER);
                    INSERT INTO team VALUES (1, 'SELECT'), (2, 'blue'), (3, 'green');
                    INSERT INTO player VALUES
                        (1, 1, 'a', 1, 10), (2, 1, 'b', 0, 20), (3, 2, 'SELECT 1', 1, 30),
                        (4, NULL, 'd', 0, 40), (5, 2, 'e', 1, 50);
                    """)
        }
    }

    private struct Team: TableRecord { static let players = hasMany(Player.self) }
    private struct Player: TableRecord { static let team = belongsTo(Team.self) }

    // MARK: - Closures

    @Test func closuresAreCalledOnce() throws {
        let calls = Calls()
        let team = Player.team
            .selectWhenConnected { _ in
                calls.note("team.select"); return [Column("name")]
            }
            .filterWhenConnected { _ in
                calls.note("team.filter"); return Column("id") > 0
            }
            .orderWhenConnected { _ in
                calls.note("team.order"); return [Column("name")]
            }
        // A query inside of the request
        let best = Player.all()
            .filterWhenConnected { _ in
                calls.note("inner.filter"); return Column("score") > 0
            }
            .selectWhenConnected { _ in
                calls.note("inner.select"); return [max(Column("score"))]
            }
        let request = Player.all()
            .selectWhenConnected { _ in
                calls.note("select"); return [AllColumns()]
            }
            .filterWhenConnected { _ in
                calls.note("filter"); return Column("score") <= best
            }
            .orderWhenConnected { _ in
                calls.note("order"); return [Column("id")]
            }
        let own = ["select", "filter", "order", "inner.filter", "inner.select"]
        let joined = own + ["team.select", "team.filter", "team.order"]
        try dbQueue.read { db in
            try expectEqual(Row.fetchAll(db, request).count, 5)
            expectEqual(calls.unexpected(own), [:])
            _ = try request.databaseRegion(db)
            expectEqual(calls.unexpected(own), [:])
            let including = request.including(required: team)
            let rows = try Row.fetchAll(db, including)
            expectEqual(rows.map { $0.scopes["team"]!["name"] as String }.count, 4)
            expectEqual(calls.unexpected(joined), [:])
            _ = try including.databaseRegion(db)
            expectEqual(calls.unexpected(joined), [:])
            _ = try including.makePreparedRequest(db, forSingleResult: true)
            expectEqual(calls.unexpected(joined), [:])
            try expectEqual(request.fetchCount(db), 5)
            expectEqual(calls.unexpected(own.filter { $0 != "order" }), [:])
            try expectTrue(!request.isEmpty(db))
            expectEqual(calls.unexpected(own), [:])
        }
        // A table that needs another name does not make anything be written again.
        let alias = TableAlias(name: nil)
        let same = Player.all()
            .filterWhenConnected { _ in
                calls.note("renamed")
                return Column("teamId") == alias["teamId"]
            }
        let others = Player.aliased(alias).filter(same.exists())
        try dbQueue.read { db in
            try expectEqual(Row.fetchAll(db, others).count, 4)
            expectEqual(calls.unexpected(["renamed"]), [:])
        }
        // Prefetches
        let players = Team.players
            .selectWhenConnected { _ in
                calls.note("all.select"); return [AllColumns()]
            }
            .filterWhenConnected { _ in
                calls.note("all.filter"); return Column("score") > 0
            }
            .orderWhenConnected { _ in
                calls.note("all.order"); return [Column("id")]
            }
        let teams = Team.all()
            .selectWhenConnected { _ in
                calls.note("root.select"); return [AllColumns()]
            }
            .including(all: players)
        try dbQueue.read { db in
            let rows = try Row.fetchAll(db, teams)
            expectEqual(rows.map { $0.prefetchedRows["players"]!.count }, [2, 2, 0])
            expectEqual(
                calls.unexpected(["root.select", "all.select", "all.filter", "all.order"]),
                [:])
        }
    }

    /// Something that a closure holds, as it may hold the queue of the connection.
    private final class Held: Sendable {}

    @Test func closuresLiveAsLongAsTheirAccess() throws {
        weak var held: Held?
        func request() -> QueryInterfaceRequest<Player> {
            let object = Held()
            held = object
            return Player.all().filterWhenConnected { _ in
                withExtendedLifetime(object) { Column("id") == 1 }
            }
        }
        try dbQueue.read { db in
            try expectEqual(Row.fetchAll(db, request()).count, 1)
        }
        expectNil(held)
        // A statement that is in use knows its region.
        let statement = try dbQueue.read { try request().makePreparedRequest($0).statement }
        let region = try dbQueue.read { _ in statement.databaseRegion.description }
        expectEqual(region, "player(id,isSelected,name,score,teamId)[1]")
        let isHeld = withExtendedLifetime(statement) { held != nil }
        expectTrue(isHeld)
    }

    @Test func commonTablesAreAskedOnce() throws {
        let calls = Calls()
        func table(_ name: String) -> CommonTableExpression<Row> {
            CommonTableExpression(
                named: name,
                request: Player.all().selectWhenConnected { _ in
                    calls.note(name)
                    return [Column("id"), Column("score")]
                })
        }
        let (first, second) = (table("first"), table("second"))
        let byID: @Sendable (TableAlias<Player>, TableAlias<Row>) -> any SQLExpressible = {
            $0[Column("id")] == $1[Column("id")]
        }
        let request = Player.with(first).with(second)
            .including(required: Player.association(to: first, on: byID))
            .including(required: Player.association(to: second, on: byID))
        try dbQueue.read { db in
            let rows = try Row.fetchAll(db, request)
            expectEqual(rows.count, 5)
            expectEqual(Array(rows[0].scopes["second"]!.columnNames), ["id", "score"])
            expectEqual(calls.unexpected(["first", "second"]), [:])
        }
    }

    @Test func closuresOfCompoundRequestsAreCalledOnce() throws {
        let calls = Calls()
        func players(_ name: String) -> QueryInterfaceRequest<Player> {
            Player.all()
                .selectWhenConnected { _ in
                    calls.note("\(name).select"); return [AllColumns()]
                }
                .filterWhenConnected { _ in
                    calls.note("\(name).filter"); return Column("score") > 0
                }
        }
        func names(_ names: String...) -> [String] {
            names.flatMap { ["\($0).select", "\($0).filter"] }
        }
        let ordered = players("a").orderWhenConnected { _ in
            calls.note("a.order"); return [Column("id")]
        }
        let joined = Player.team.selectWhenConnected { _ in
            calls.note("team.select"); return [AllColumns()]
        }
        try dbQueue.read { db in
            let union = players("a").union(players("b"))
            try expectEqual(Row.fetchAll(db, union).count, 5)
            expectEqual(calls.unexpected(names("a", "b")), [:])
            try expectEqual(union.fetchCount(db), 5)
            expectEqual(calls.unexpected(names("a", "b")), [:])
            try expectEqual(Row.fetchAll(db, union.withStableOrder()).count, 5)
            expectEqual(calls.unexpected(names("a", "b")), [:])
            // Names that two columns have
            let limited = ordered.including(required: joined).limit(10)
            let rows = try Row.fetchAll(db, limited.unionAll(limited.limit(0)))
            expectEqual(rows.count, 4)
            expectEqual(rows[0].scopes["team"]?["name"], "SELECT")
            expectTrue(calls.unexpected([]).values.allSatisfy { $0 == 2 })
            let two = try Row.fetchAll(
                db,
                limited.unionAll(
                    Table("player").joining(required: Player.team).select(sql: "player.*, team.*")))
            expectEqual(two.count, 8)
            expectEqual(calls.unexpected(names("a") + ["a.order", "team.select"]), [:])
            // Associated rows
            let teams = Team.all()
                .filterWhenConnected { _ in
                    calls.note("root"); return Column("id") > 1
                }
                .including(
                    all: Team.players.filterWhenConnected { _ in
                        calls.note("players"); return Column("score") > 0
                    }
                )
                .union(Team.filter(key: 1))
            let withPlayers = try Row.fetchAll(db, teams)
            expectEqual(withPlayers.map { $0.prefetchedRows["players"]!.count }, [2, 2, 0])
            expectEqual(calls.unexpected(["root", "players"]), [:])
        }
    }

    /// The first request defines them as well: only so does SQLite tell the names of its columns.
    @Test func commonTablesOfCompoundRequestsAreAskedOnce() throws {
        let calls = Calls()
        let common = CommonTableExpression<Row>(
            named: "common",
            request: Player.all()
                .selectWhenConnected { _ in
                    calls.note("common.select"); return [Column("id"), Column("teamId")]
                }
                .filterWhenConnected { _ in
                    calls.note("common.filter"); return Column("score") > 10
                })
        let byID: @Sendable (TableAlias<Player>, TableAlias<Row>) -> any SQLExpressible = {
            $0[Column("id")] == $1[Column("id")]
        }
        let first = Player.select(Column("id"), Column("name"))
            .including(required: Player.association(to: common, on: byID))
            .orderWhenConnected { _ in
                calls.note("first.order"); return [Column("score").desc]
            }
        let names = ["common.select", "common.filter", "first.order"]
        for (request, limit) in [(first, ""), (first.limit(10), " LIMIT 10")] {
            let union = request.unionAll(Table("common").select(sql: "id, 'x', id, teamId"))
                .with(common)
            let sql = """
                WITH "common" AS (SELECT "id", "teamId" FROM "player" WHERE "score" > ?) \
                SELECT "column1" AS "id", "column2" AS "name", "column3" AS "id", \
                "column4" AS "teamId" FROM (\
                WITH "grdb_first"("column1", "column2", "column3", "column4") AS (\
                WITH "common" AS (SELECT "id", "teamId" FROM "player" WHERE "score" > ?) \
                SELECT "player"."id", "player"."name", "common".* FROM "player" \
                JOIN "common" ON "player"."id" = "common"."id" \
                ORDER BY "player"."score" DESC\(limit)) SELECT * FROM grdb_first) \
                UNION ALL SELECT id, 'x', id, teamId FROM "common"
                """
            try dbQueue.read { db in
                let rows = try Row.fetchAll(db, union)
                expectEqual(calls.unexpected(names), [:])
                expectEqual(rows.count, 8)
                expectEqual(Array(rows[0].columnNames), ["id", "name"])
                expectEqual(rows[0].scopes["common"]?["teamId"], 2)
                try expectEqual(union.makePreparedRequest(db).statement.sql, sql)
                expectEqual(calls.unexpected(names), [:])
                _ = try union.databaseRegion(db)
                expectEqual(calls.unexpected(names), [:])
            }
        }
    }

    /// Of some columns, only SQLite knows how many they are.
    @Test func closuresBehindStableOrdersAreCalledOnce() throws {
        let calls = Calls()
        let player = Player.all()
            .selectWhenConnected { _ in
                calls.note("select"); return [SQL("id, name"), SQL("teamId")]
            }
            .filterWhenConnected { _ in
                calls.note("filter"); return Column("score") > 30
            }
        let common = CommonTableExpression<Row>(
            named: "common",
            request: Team.all().selectWhenConnected { _ in
                calls.note("common"); return [Column("id"), Column("name")]
            })
        let others = Table("common").select(sql: "id, name, NULL").filter(Column("id") == 1)
        try dbQueue.read { db in
            for first in [player, player.limit(10)] {
                let union = first.union(others).with(common).withStableOrder()
                let rows = try Row.fetchAll(db, union)
                expectEqual(rows.map { $0[0] as Int }, [1, 4, 5])
                expectEqual(rows[1], ["id": 4, "name": "d", "teamId": nil])
                expectEqual(calls.unexpected(["select", "filter", "common"]), [:])
            }
            let literal = SQLRequest<Row>("SELECT id, name, NULL FROM common WHERE id > 2")
                .union(player).with(common).withStableOrder()
            try expectEqual(Row.fetchAll(db, literal).map { $0[0] as Int }, [3, 4, 5])
            expectEqual(calls.unexpected(["select", "filter", "common"]), [:])
        }
    }

    @Test func closuresOfChangesAreCalledOnce() throws {
        let calls = Calls()
        let grouped = Player.all()
            .filterWhenConnected { _ in
                calls.note("filter"); return Column("id") > 3
            }
            .groupWhenConnected { _ in
                calls.note("group"); return [Column("id")]
            }
            .havingWhenConnected { _ in
                calls.note("having"); return Column("score") < 50
            }
        let common = CommonTableExpression<Row>(
            named: "common",
            request: Player.all().selectWhenConnected { _ in
                calls.note("common"); return [Column("id")]
            })
        let association = Player.association(to: common) { $0[Column("id")] == $1[Column("id")] }
        let count = Table("common").all().selectWhenConnected { _ in
            calls.note("count"); return [SQL("COUNT(*)")]
        }
        try dbQueue.write { db in
            try expectEqual(grouped.updateAll(db, Column("isSelected").set(to: true)), 1)
            expectEqual(calls.unexpected(["filter", "group", "having"]), [:])
            try expectEqual(grouped.deleteAll(db), 1)
            expectEqual(calls.unexpected(["filter", "group", "having"]), [:])
            let joined = Player.with(common).joining(required: association)
            try expectEqual(joined.updateAll(db, Column("score").set(to: count.sqlExpression)), 4)
            expectEqual(calls.unexpected(["common", "count"]), [:])
            try expectEqual(Int.fetchAll(db, sql: "SELECT score FROM player"), [4, 4, 4, 4])
            try expectEqual(joined.deleteAll(db), 4)
            expectEqual(calls.unexpected(["common"]), [:])
        }
    }

    // MARK: - Regions

    @Test func regionsOfPreparedRequests() throws {
        try dbQueue.read { db in
            let one = try Player.filter(key: 1).select(Column("name"))
                .makePreparedRequest(db).statement
            expectEqual(one.databaseRegion.description, "player(id,name)[1]")
            let sql = one.sql
            one.arguments = [2]
            expectEqual(one.databaseRegion.description, "player(id,name)")
            try expectEqual(
                db.cachedStatement(sql: sql).databaseRegion.description,
                "player(id,name)")
            try expectTrue(
                Player.none().makePreparedRequest(db).statement.databaseRegion.isEmpty)
            let teams = try Team.including(all: Team.players.select(Column("name")))
                .makePreparedRequest(db)
            expectEqual(
                teams.statement.databaseRegion.description,
                "player(name,teamId),team(id,name)")
        }
    }

    @Test func emptyRequestsAndAssociations() throws {
        let named = Player.select(Column("name"))
        let team = Player.team.select(Column("name"))
        let cases: [(any DatabaseRegionConvertible, String)] = [
            (Team.none().including(all: Team.players), "empty"),
            (Team.including(all: Team.players.none()), "team(id,name)"),
            (
                Team.including(
                    all: Team.players.none().including(
                        all: Player.hasMany(Player.self, using: ForeignKey(["id"])))),
                "team(id,name)"
            ),
            (Team.none(), "empty"),
            (named.none().including(required: team), "empty"),
            (
                named.including(optional: team.none().including(all: Team.players)),
                "player(name,teamId),team(id,name)"
            ),
        ]
        try dbQueue.read { db in
            for (request, region) in cases {
                try expectEqual(request.databaseRegion(db).description, region)
            }
        }
    }

    @Test func wordsThatAreNoQueries() throws {
        let columns = "id,isSelected,name,score,teamId"
        let selected = Column("isSelected")
        let cases: [(QueryInterfaceRequest<Player>, String)] = [
            (Player.filter(key: 1).filter(selected), "player(\(columns))[1]"),
            (Player.filter(key: 1).filter(Column("name") == "(SELECT 1)"), "player(\(columns))[1]"),
            (Player.filter(key: 1).filter(sql: "name <> 'SELECT'"), "player(\(columns))[1]"),
            (Player.filter(key: 1).filter(sql: "isSelected = 1"), "player(\(columns))[1]"),
            (
                Player.filter(key: 1).filter(sql: "score > (SELECT min(score) FROM player)"),
                "player(\(columns))"
            ),
            (Player.filter(key: 1).filter(sql: "1 IN player"), "player(\(columns))"),
            (
                Player.filter(key: 1).filter(Column("score") > Player.select(min(Column("score")))),
                "player(\(columns))"
            ),
            (Player.filter(keys: Array(1...200)).filter(key: 3), "player(\(columns))[3]"),
        ]
        try dbQueue.read { db in
            for (request, region) in cases.dropLast(3) {
                try expectEqual(request.databaseRegion(db).description, region)
            }
            for (request, region) in cases.suffix(1) {
                try expectEqual(request.databaseRegion(db).description, region)
            }
        }
    }

    /// A request, and whether it looks at the rows of its keys only.
    private func randomRequest(
        _ random: inout SplitMix64
    ) -> (request: QueryInterfaceRequest<Player>, keys: Set<Int64>?) {
        var request = Player.all()
        var keys: Set<Int64>?
        if Bool.random(using: &random) {
            let ids = (0..<Int.random(in: 0...3, using: &random))
                .map { _ in Int64.random(in: 1...6, using: &random) }
            request = request.filter(keys: ids)
            keys = Set(ids)
        }
        var seesOthers = false
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            switch Int.random(in: 0...8, using: &random) {
            case 0: request = request.filter(Column("isSelected") == true)
            case 1: request = request.filter(Column("name") != "SELECT 1")
            case 2: request = request.filter(sql: "player.name <> '(SELECT'")
            case 3:
                request = request.filter(sql: "score >= (SELECT min(score) FROM player)")
                seesOthers = true
            case 4:
                request = request.filter(
                    Player.select(Column("score")).filter(Column("isSelected") == true)
                        .contains(Column("score")))
                seesOthers = true
            case 5: request = request.filter(Column("score") > 15 || Column("id") == 1)
            case 6: request = request.order(Column("score").desc)
            case 7:
                request = request.including(optional: Player.team)
            default:
                request = request.limit(3)
            }
        }
        return (request, seesOthers ? nil : keys)
    }

    @Test func regionsHoldWhatChangesTheResult() throws {
        var random = SplitMix64(seed: 7)
        final class Recorder: TransactionObserver, @unchecked Sendable {
            var events: [DatabaseEvent] = []
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { events.append(event.copy()) }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let writes = [
            "UPDATE player SET score = score + 17 WHERE id = 1",
            "UPDATE player SET isSelected = NOT isSelected WHERE id = 3",
            "UPDATE player SET name = 'SELECT 1' WHERE id = 2",
            "UPDATE player SET teamId = 3 WHERE id = 5", "DELETE FROM player WHERE id = 4",
            "INSERT INTO player VALUES (6, 1, 'f', 1, 5)",
            "UPDATE team SET name = 'x' WHERE id = 1", "DELETE FROM player WHERE id = 2",
        ]
        var (changeCount, outsideCount) = (0, 0)
        for _ in 0..<150 {
            let (request, keys) = randomRequest(&random)
            for sql in writes {
                try dbQueue.inDatabase { db in
                    let region = try request.databaseRegion(db)
                    let before = try Row.fetchAll(db, request)
                    var isInside = false
                    try db.inTransaction {
                        let recorder = Recorder()
                        db.add(transactionObserver: recorder, extent: .observerLifetime)
                        try db.execute(sql: sql)
                        db.remove(transactionObserver: recorder)
                        isInside = recorder.events.contains { region.isModified(by: $0) }
                        let after = try Row.fetchAll(db, request)
                        if before != after {
                            changeCount += 1
                            expectTrue(isInside, "\(sql): \(region)")
                        }
                        if let keys,
                            recorder.events.allSatisfy({ event in
                                event.tableName == "player" && !keys.contains(event.rowID)
                            })
                        {
                            outsideCount += 1
                            expectTrue(!isInside, "\(sql): \(region)")
                        }
                        return .rollback
                    }
                }
            }
        }
        #expect(changeCount > 100)
        #expect(outsideCount > 100)
    }
}
