import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct ViewAndTriggerTests {
    @Test func views() throws {
        try expectSchemaSQL(
            """
            CREATE VIEW "v1" AS SELECT 'it''s' AS a
            CREATE TEMPORARY VIEW IF NOT EXISTS "v2" ("x", "y z") AS SELECT 1, 2.5
            CREATE VIEW "v3" AS SELECT 1 AS a
            """
        ) { db in
            try db.create(view: "v1", as: SQLRequest<Row>("SELECT \("it's") AS a"))
            try db.create(
                view: "v2", options: [.ifNotExists, .temporary], columns: ["x", "y z"],
                asLiteral: "SELECT \(1), \(2.5)")
            try db.create(view: "v3", as: SQLRequest<Row>(sql: "SELECT 1 AS a"))
        } then: { db throws in
            try expectTrue(db.viewExists("V1"))
            try expectTrue(db.viewExists("v2", in: "temp"))
            try expectTrue(!db.viewExists("v2", in: "main"))
            try expectEqual(db.columns(in: "v2").map(\.name), ["x", "y z"])
            try expectEqual(String.fetchOne(db, sql: "SELECT a FROM v1"), "it's")
            try db.drop(view: "v1")
            try expectTrue(!db.viewExists("v1"))
        }
    }

    @Test func viewsTakeNoArguments() throws {
        try expectSchemaError(
            """
            SQLite error 21: SQL with arguments can't be used where literals are required - while \
            executing `SELECT ?`
            """
        ) { try $0.create(view: "v", as: SQLRequest<Row>(sql: "SELECT ?", arguments: [1])) }
    }

    @Test func triggers() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: referencedTables)
            let sql = try TestDatabases.sql {
                try db.create(
                    trigger: "a", .after(.insert), on: "team",
                    statements: "INSERT INTO keyless VALUES (\("it's"));")
                try db.create(
                    trigger: "b", .before(.update(of: ["id"])), on: "team",
                    options: [.ifNotExists, .temporary], when: SQL("OLD.id > \(1)"),
                    statements: "DELETE FROM keyless; SELECT 1 -- comment")
                try db.create(
                    trigger: "c", .insteadOf(.delete), on: "aView", statements: "SELECT 1;")
                try db.create(
                    trigger: "d", .after(.update), on: "team", statements: "SELECT 1")
            }
            expectEqual(
                sql,
                [
                    """
                    CREATE TRIGGER "a" AFTER INSERT ON "team" BEGIN
                    INSERT INTO keyless VALUES ('it''s')
                    ;
                    END
                    """,
                    """
                    CREATE TEMPORARY TRIGGER IF NOT EXISTS "b" BEFORE UPDATE OF "id" ON "team" \
                    WHEN OLD.id > 1 BEGIN
                    DELETE FROM keyless; SELECT 1 -- comment
                    ;
                    END
                    """,
                    """
                    CREATE TRIGGER "c" INSTEAD OF DELETE ON "aView" BEGIN
                    SELECT 1
                    ;
                    END
                    """,
                    """
                    CREATE TRIGGER "d" AFTER UPDATE ON "team" BEGIN
                    SELECT 1
                    ;
                    END
                    """,
                ])
            try expectEqual(db.triggers(on: "TEAM").map(\.name), ["b", "a", "d"])
            try expectEqual(db.triggers(on: "team", in: "main").map(\.name), ["a", "d"])
            try expectEqual(db.triggers(on: "aView").map(\.tableName), ["aView"])
            try expectTrue(db.triggerExists("B", in: "temp"))
            try db.execute(sql: "INSERT INTO team VALUES (1), (2)")
            try expectEqual(String.fetchAll(db, sql: "SELECT x FROM keyless"), ["it's", "it's"])
            try db.drop(trigger: "a")
            try expectTrue(!db.triggerExists("a"))
            expectError("SQLite error 1: no such table: nope") { try db.triggers(on: "nope") }
        }
    }
}
