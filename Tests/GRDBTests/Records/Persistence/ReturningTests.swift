import GRDB
import GRDBTestSupport
import Testing

/// The methods that fetch what they have saved, and upserts.
@Suite(.databases) struct ReturningTests {
    @Test func insertAndFetch() throws {
        try RecordTables.write { db in
            var player = PlayerRecord(name: "Arthur")
            try expectSQL(
                """
                INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',NULL) RETURNING *
                INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'b',NULL) RETURNING "id", "name"
                INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'c',NULL) RETURNING "name"
                """
            ) {
                try expectEqual(player.insertAndFetch(db).id, 1)
                player.name = "b"
                try expectEqual(player.insertAndFetch(db, as: PartialPlayer.self).id, 2)
                expectEqual(player.id, 2)
                player = PlayerRecord(name: "c")
                let name = try player.insertAndFetch(db, selection: [Column("name")]) {
                    try String.fetchOne($0)
                }
                expectEqual(name, "c")
                expectEqual(player.id, 3)
            }
            expectError("SQLite error 21: The selection of returned columns is empty") {
                try player.insertAndFetch(db, selection: []) { try $0.execute() }
            }
        }
    }

    private struct Contestant: MutablePersistableRecord {
        static let databaseTableName = "player"
        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
        }

        var id: Int64?

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = "a"
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    @Test func insertAndFetchSelectedColumns() throws {
        try RecordTables.write { db in
            var contestant = Contestant()
            try expectSQL(
                """
                INSERT INTO "player" ("id", "name") VALUES (NULL,'a') RETURNING "name", "id"
                """
            ) {
                let row = try contestant.insertAndFetch(db) {
                    try Row.fetchOne($0)
                } select: {
                    [$0.name, $0.id]
                }
                expectEqual(row, ["name": "a", "id": 1])
                expectEqual(contestant.id, 1)
            }
            expectError("SQLite error 21: The selection of returned columns is empty") {
                try contestant.insertAndFetch(db, fetch: { try $0.execute() }, select: { _ in [] })
            }
        }
    }

    private struct Selected: TableRecord, FetchableRecord {
        static let databaseTableName = "player"
        @TaskLocal static var column = "id"
        static var databaseSelection: [any SQLSelectable] { [Column(column)] }

        let names: [String]

        init(row: Row) { names = Array(row.columnNames) }
    }

    /// The statement of a call is only used again for the same selection.
    @Test func selectionsMayChange() throws {
        try RecordTables.write { db in
            let player = try PlayerRecord(name: "a", score: 7).inserted(db)
            for column in ["score", "name", "name", "score", "id"] {
                try Selected.$column.withValue(column) {
                    let selected = try player.updateAndFetch(db, as: Selected.self)
                    expectEqual(selected.names, [column])
                }
            }
        }
    }

    @Test func updateAndFetch() throws {
        try RecordTables.write { db in
            var player = try PlayerRecord(name: "a", score: 1).inserted(db)
            try expectSQL(
                """
                UPDATE "player" SET "name"='a', "score"=1 WHERE "id"=1 RETURNING *
                UPDATE "player" SET "name"='a', "score"=1 WHERE "id"=1 RETURNING "id", "name"
                UPDATE "player" SET "name"='a', "score"=1 WHERE "id"=1 RETURNING "score"
                UPDATE "player" SET "score"=1 WHERE "id"=1 RETURNING "score"
                UPDATE "player" SET "score"=1 WHERE "id"=1 RETURNING "score"
                UPDATE "player" SET "score"=2 WHERE "id"=1 RETURNING *
                UPDATE "player" SET "score"=3 WHERE "id"=1 RETURNING "id", "name"
                UPDATE "player" SET "score"=4 WHERE "id"=1 RETURNING "score"
                """
            ) {
                try expectEqual(player.updateAndFetch(db), player)
                try expectEqual(player.updateAndFetch(db, as: PartialPlayer.self).id, 1)
                let selection: [any SQLSelectable] = [Column("score")]
                try expectEqual(
                    player.updateAndFetch(db, selection: selection) { try Int.fetchOne($0) },
                    1)
                try expectEqual(
                    player.updateAndFetch(db, columns: ["score"], selection: selection) {
                        try Int.fetchOne($0)
                    },
                    1)
                try expectEqual(
                    player.updateAndFetch(db, columns: [Column("score")], selection: selection) {
                        try Int.fetchOne($0)
                    },
                    1)
                try expectEqual(player.updateChangesAndFetch(db) { $0.score = 2 }, player)
                try expectEqual(
                    player.updateChangesAndFetch(db, as: PartialPlayer.self) { $0.score = 3 }?.id,
                    1)
                let score = try player.updateChangesAndFetch(
                    db, selection: selection, fetch: { try Int.fetchOne($0) },
                    modify: { $0.score = 4 })
                expectEqual(score, 4)
                // Nothing to do.
                try expectEqual(player.updateChangesAndFetch(db) { $0.score = 4 }, nil)
            }
        }
    }

    @Test func saveAndFetch() throws {
        try RecordTables.write { db in
            var player = PlayerRecord(id: 8, name: "a")
            try expectSQL(
                """
                UPDATE "player" SET "name"='a', "score"=NULL WHERE "id"=8 RETURNING *
                INSERT INTO "player" ("id", "name", "score") VALUES (8,'a',NULL) RETURNING *
                UPDATE "player" SET "name"='a', "score"=NULL WHERE "id"=8 RETURNING "id", "name"
                UPDATE "player" SET "name"='b', "score"=NULL WHERE "id"=9 RETURNING "name"
                INSERT INTO "player" ("id", "name", "score") VALUES (9,'b',NULL) RETURNING "name"
                """
            ) {
                try expectEqual(player.saveAndFetch(db), player)
                try expectEqual(player.saveAndFetch(db, as: PartialPlayer.self).id, 8)
                player = PlayerRecord(id: 9, name: "b")
                let name = try player.saveAndFetch(db, selection: [Column("name")]) {
                    try String.fetchOne($0)
                }
                expectEqual(name, "b")
            }
        }
    }

    @Test func upsert() throws {
        try RecordTables.write { db in
            let conflict = "ON CONFLICT DO UPDATE SET"
            var player = PlayerRecord(id: 1, name: "a", score: 1)
            try expectSQL(
                """
                INSERT INTO "player" ("id", "name", "score") VALUES (1,'a',1) \(conflict) \
                "name" = "excluded"."name", "score" = "excluded"."score" RETURNING "rowid"
                INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'a',2) \(conflict) \
                "name" = "excluded"."name", "score" = "excluded"."score" RETURNING "rowid"
                INSERT INTO "item" ("a") VALUES (1) \(conflict) "a" = "excluded"."a" RETURNING "rowid"
                INSERT INTO "country" ("code", "name") VALUES ('FR','x') \(conflict) \
                "name" = "excluded"."name"
                INSERT INTO "country" ("code", "name") VALUES ('FR','y') \(conflict) \
                "name" = "excluded"."name" RETURNING *
                """
            ) {
                try player.upsert(db)
                var other = PlayerRecord(name: "a", score: 2)
                try other.upsert(db)
                expectEqual(other.id, 1)
                var item = Item(a: 1)
                try item.upsert(db)
                try Country(code: "FR", name: "x").upsert(db)
                try expectEqual(Country(code: "FR", name: "y").upsertAndFetch(db).name, "y")
            }
            try expectEqual(PlayerRecord.fetchAll(db), [PlayerRecord(id: 1, name: "a", score: 2)])
        }
    }

    @Test func upsertAndFetch() throws {
        try RecordTables.write { db in
            try PlayerRecord(id: 1, name: "a", score: 1).inserted(db).update(db)
            var player = PlayerRecord(name: "a", score: 5)
            let insertion =
                "INSERT INTO \"player\" (\"id\", \"name\", \"score\") VALUES (NULL,'a',5)"
            let end = "RETURNING *, \"rowid\""
            try expectSQL(
                """
                \(insertion) ON CONFLICT("name") DO UPDATE SET "score" = "excluded"."score" \(end)
                \(insertion) ON CONFLICT("name") DO UPDATE SET "score" = "score" + 2 \(end)
                \(insertion) ON CONFLICT("name") DO UPDATE SET "id" = "id" \(end)
                \(insertion) ON CONFLICT("name") DO UPDATE SET "id" = "id" \(end)
                \(insertion) ON CONFLICT("NAME") DO UPDATE SET \
                "score" = MAX(score, "excluded"."score") RETURNING "id", "name", "rowid"
                """
            ) {
                let target = ["name"]
                try expectEqual(player.upsertAndFetch(db, onConflict: target).score, 5)
                player.id = nil
                try expectEqual(
                    player.upsertAndFetch(
                        db, onConflict: target, doUpdate: { _ in [Column("score") += 2] }
                    ).score,
                    7)
                player.id = nil
                try expectEqual(
                    player.upsertAndFetch(
                        db, onConflict: target, doUpdate: { _ in [Column("score").noOverwrite] }
                    ).score,
                    7)
                player.id = nil
                try expectEqual(
                    player.upsertAndFetch(
                        db, onConflict: target, updating: .noColumnUnlessSpecified
                    ).score,
                    7)
                player.id = nil
                let partial = try player.upsertAndFetch(
                    db, as: PartialPlayer.self, onConflict: ["NAME"],
                    doUpdate: { excluded in
                        [
                            Column("score").set(
                                to: SQL("MAX(score, \(excluded[Column("score")]))"))
                        ]
                    })
                expectEqual(partial.id, 1)
                expectEqual(player.id, 1)
            }
            expectError(
                """
                SQLite error 1: no such column: "nope" - should this be a string literal in \
                single-quotes? - while executing `INSERT INTO "player" \
                ("id", "name", "score") VALUES (?,?,?) ON CONFLICT("nope") DO UPDATE SET \
                "name" = "excluded"."name", "score" = "excluded"."score" RETURNING *, "rowid"`
                """
            ) {
                try player.upsertAndFetch(db, onConflict: ["nope"])
            }
        }
    }

    @Test func returningCommitsOutsideOfATransaction() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name, score)")
            let player = try PlayerRecord(name: "a").insertAndFetch(db)
            expectTrue(!db.isInsideTransaction)
            try expectEqual(PlayerRecord.fetchAll(db), [player])
        }
    }

    @Test func closuresThatDoNotExecuteTheStatement() throws {
        try RecordTables.write { db in
            var player = PlayerRecord(name: "a")
            let selection = [Column("id")]
            for _ in 0..<2 {
                expectError(
                    """
                    SQLite error 21: The `fetch` closure did not execute its statement - while \
                    executing `INSERT INTO "player" ("id", "name", "score") VALUES (?,?,?) \
                    RETURNING "id"`
                    """
                ) {
                    try player.insertAndFetch(db, selection: selection) { _ in 5 }
                }
                // Cursors do nothing before they are asked for a row.
                expectError(DatabaseError.self) {
                    try player.insertAndFetch(db, selection: selection) { try Row.fetchCursor($0) }
                }
            }
            expectEqual(player.id, nil)
            try expectEqual(PlayerRecord.fetchCount(db), 0)
            try expectEqual(
                player.insertAndFetch(db, selection: selection) { try Int.fetchOne($0) },
                1)
            player.name = "b"
            for update in [
                { try player.updateAndFetch(db, selection: selection) { _ in 5 } },
                {
                    try player.updateAndFetch(db, columns: ["name"], selection: selection) { _ in
                        5
                    }
                },
                { try player.saveAndFetch(db, selection: selection) { _ in 5 } },
            ] {
                expectError(DatabaseError.self) { try update() }
            }
            try expectEqual(PlayerRecord.fetchAll(db).map(\.name), ["a"])
        }
    }
}
