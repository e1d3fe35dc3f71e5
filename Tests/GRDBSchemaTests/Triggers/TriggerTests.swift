import GRDB
import GRDBSchema
import GRDBTestSupport
import Testing

@Suite(.databases) struct TriggerTests {
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
