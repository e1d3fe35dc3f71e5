import GRDBQueries
import GRDB
import GRDBSchema
import GRDBTestSupport
import Testing

@Suite(.databases) struct QueryPlanTests {
    private func withDatabase(
        _ kind: DatabaseKind = .queue, _ body: (Database) throws -> Void
    ) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE player(id INTEGER PRIMARY KEY, teamId INTEGER, name TEXT, score INTEGER);
                    CREATE INDEX player_on_teamId ON player(teamId);
                    CREATE INDEX "odd (name) USING x" ON player(score, name);
                    CREATE TABLE "odd USING table"(a);
                    """)
        }
        try writer.read(body)
    }

    @Test(arguments: DatabaseKind.allCases)
    func documentedPlan(_ kind: DatabaseKind) throws {
        try withDatabase(kind) { db in
            let plan = try Table("player").filter(Column("teamId") == 1).queryPlan(db)
            expectEqual(
                plan.description,
                """
                QUERY PLAN
                `--SEARCH player USING INDEX player_on_teamId (teamId=?)
                """)
            expectTrue(plan.scansNoTable)
            expectTrue(plan.usesIndex("PLAYER_on_teamId"))
            expectTrue(!plan.sorts)
            expectTrue(!plan.usesTemporaryTree)
            expectTrue(!plan.buildsIndex)
        }
    }

    @Test func scansAndSorts() throws {
        try withDatabase { db in
            let plan = try db.queryPlan(
                sql: "SELECT * FROM player LEFT JOIN team ON team.id = teamId ORDER BY player.name")
            expectEqual(
                plan.description,
                """
                QUERY PLAN
                |--SCAN player
                |--SEARCH team USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
                `--USE TEMP B-TREE FOR ORDER BY
                """)
            expectEqual(plan.scannedTables, ["player"])
            expectTrue(plan.scansTable("Player") && !plan.scansTable("team"))
            expectTrue(plan.sorts && plan.usesTemporaryTree)
            expectTrue(plan.usedIndexes.isEmpty)

            let grouped = try db.queryPlan(
                sql: "SELECT DISTINCT name, count(*) FROM player GROUP BY lower(name)")
            expectTrue(!grouped.sorts && grouped.usesTemporaryTree)

            let partial = try db.queryPlan(
                sql: "SELECT * FROM player ORDER BY score, name, teamId")
            expectTrue(partial.sorts)
            expectTrue(
                partial.usedIndexes == ["odd (name) USING x"] || partial.scannedTables == ["player"]
            )

            let covering = try db.queryPlan(sql: "SELECT name FROM player WHERE score = 1")
            expectEqual(covering.usedIndexes.count, 1)
            expectTrue(covering.scansNoTable)
            let scan = try db.queryPlan(sql: "SELECT count(*) FROM player")
            expectEqual(scan.scannedTables, ["player"])
            expectTrue(scan.usesIndex("player_on_teamId"))
            try expectEqual(db.queryPlan(sql: "SELECT * FROM player AS p").scannedTables, ["p"])
        }
    }

    @Test func treesOfSubqueries() throws {
        try withDatabase { db in
            let plan = try db.queryPlan(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3),
                    m AS MATERIALIZED (SELECT * FROM player WHERE teamId = 1)
                    SELECT * FROM n, m, (VALUES (1), (2)) WHERE m.id IN (SELECT id FROM team)
                    """)
            expectTrue(plan.scannedTables.allSatisfy { $0 == "n" || $0 == "team" })
            expectTrue(plan.steps.contains { !$0.children.isEmpty })
            #expect(plan.allSteps.count > plan.steps.count)
            expectTrue(plan.description.contains("\n|  "))
            let union = try db.queryPlan(
                sql: "SELECT id FROM team UNION SELECT id FROM player ORDER BY 1")
            expectEqual(union.scannedTables.sorted(), ["player", "team"])
            try expectTrue(db.queryPlan(sql: "SELECT 1").scansNoTable)
            try expectTrue(db.queryPlan(sql: "VALUES (1), (2)").scansNoTable)
        }
    }

    @Test func changesAndArguments() throws {
        try withDatabase { db in
            let name = "x"
            let update = try db.queryPlan(
                literal: "UPDATE player SET score = 1 WHERE name = \(name)")
            expectTrue(update.scansTable("player"))
            let delete = try db.queryPlan(
                sql: "DELETE FROM player WHERE id = :id", arguments: ["id": 1])
            expectTrue(delete.scansNoTable)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM player"), 0)
            expectError(
                "SQLite error 1: no such table: nowhere - while executing `EXPLAIN QUERY PLAN SELECT * FROM nowhere`"
            ) {
                try db.queryPlan(sql: "SELECT * FROM nowhere")
            }
            expectError(DatabaseError.self) {
                try db.queryPlan(sql: "SELECT ?1, ?2", arguments: [1, 2, 3])
            }
            let all = try SQLRequest<Row>(literal: "SELECT * FROM player WHERE id = \(1)")
                .queryPlan(db)
            expectTrue(all.scansNoTable)
        }
    }
}
