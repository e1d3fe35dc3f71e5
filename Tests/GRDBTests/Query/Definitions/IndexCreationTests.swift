import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct IndexCreationTests {
    private let player = "CREATE TABLE player(id INTEGER PRIMARY KEY, email TEXT UNIQUE, score, b)"

    @Test func documentedIndexes() throws {
        try expectSchemaSQL(
            """
            CREATE INDEX "index_player_on_email" ON "player"("email")
            CREATE UNIQUE INDEX "index_player_on_score_b" ON "player"("score", "b")
            CREATE INDEX "byEmail" ON "player"("email" COLLATE NOCASE)
            CREATE INDEX "total" ON "player"("score" + "b")
            CREATE UNIQUE INDEX IF NOT EXISTS "byB" ON "player"("b") WHERE "score" > 'it''s'
            CREATE UNIQUE INDEX "old" ON "player"("b")
            CREATE INDEX "ordered" ON "player"("score" DESC, "b")
            """, player
        ) { db in
            try db.create(indexOn: "player", columns: ["email"])
            try db.create(indexOn: "player", columns: ["score", "b"], options: .unique)
            try db.create(
                index: "byEmail", on: "player",
                expressions: [SQL("\(Column("email")) COLLATE NOCASE")])
            try db.create(
                index: "total", on: "player",
                expressions: [SQL("\(Column("score")) + \(Column("b"))")])
            try db.create(
                index: "byB", on: "player", columns: ["b"], options: [.unique, .ifNotExists],
                condition: SQL("\(Column("score")) > \("it's")"))
            try db.create(index: "old", on: "player", columns: ["b"], unique: true)
            try db.create(
                index: "ordered", on: "player",
                terms: [SQL("\(Column("score")) DESC"), Column("b")])
        } then: { db throws in
            let indexes = try db.indexes(on: "player")
            expectEqual(
                indexes.map(\.name),
                [
                    "ordered", "old", "byB", "byEmail", "index_player_on_score_b",
                    "index_player_on_email", "sqlite_autoindex_player_1",
                ])
            expectTrue(indexes[2].isPartial)
            expectTrue(indexes[2].isUnique)
            try expectTrue(db.table("player", hasUniqueKey: ["b", "SCORE"]))
            try expectTrue(!db.table("player", hasUniqueKey: ["score"]))
        }
    }

    @Test func dropByColumns() throws {
        try expectSchemaSQL(
            """
            DROP INDEX "i1"
            DROP INDEX "temp"."i2"
            """,
            """
            \(player); CREATE INDEX i1 ON player(EMAIL); CREATE INDEX i3 ON player(b);
            CREATE INDEX i4 ON player(b); CREATE TEMP TABLE temporary(a);
            CREATE INDEX i2 ON temporary(a);
            """
        ) { db in
            try db.drop(indexOn: "PLAYER", columns: ["email"])
            try db.drop(indexOn: "temporary", columns: ["a"])
            // Two such indexes, one of another order, none.
            try db.drop(indexOn: "player", columns: ["b"])
            try db.drop(indexOn: "player", columns: ["b", "score"])
            try db.drop(indexOn: "player", columns: ["nope"])
            // That of the unique constraint can't be dropped.
            try db.drop(indexOn: "player", columns: ["email"])
        } then: { db throws in
            expectError("SQLite error 1: no such table: nope") {
                try db.drop(indexOn: "nope", columns: ["a"])
            }
        }
    }

    @Test func failures() throws {
        try expectSchemaError(
            """
            SQLite error 1: no such column: "nope" - should this be a string literal in \
            single-quotes? - while executing `CREATE INDEX "index_player_on_nope" ON "player"("nope")`
            """, player
        ) { try $0.create(indexOn: "player", columns: ["nope"]) }
        try expectSchemaError(
            """
            SQLite error 1: no such table: main.nope - while executing \
            `CREATE INDEX "i" ON "nope"("a")`
            """
        ) { try $0.create(index: "i", on: "nope", columns: ["a"]) }
    }
}
