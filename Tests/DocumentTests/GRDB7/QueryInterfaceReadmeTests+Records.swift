import Foundation
import GRDB
import GRDBTestSupport
import Testing

// What the chapter does with requests: fetching, counting, writing, requests of their own.

extension QueryInterfaceReadmeTests {
    // MARK: - Fetching

    @Test func fetching() throws {
        try write { db in
            let request = Player.filter { $0.score > 0 }
            try expectEqual(request.fetchCursor(db).next()?.id, 1)
            try expectEqual(request.fetchAll(db).map(\.id), [1, 2])
            try expectEqual(request.fetchSet(db).count, 2)
            try expectEqual(request.fetchOne(db)?.id, 1)
            try expectEqual(Player.filter { $0.name == "Arthur" }.fetchOne(db)?.id, 1)
            let scores = Player.select { [min($0.score), max($0.score)] }
            let row = try unwrap(Row.fetchOne(db, scores))
            expectEqual(row[0] as Int?, 0)
            expectEqual(row[1] as Int?, 1000)
        }
    }

    @Test func fetchingByKey() throws {
        try write { db in
            try expectSQL(
                """
                SELECT * FROM "player" WHERE "id" = 1
                SELECT * FROM "player" WHERE "id" = 1
                SELECT * FROM "country" WHERE "isoCode" IN ('FR', 'US')
                SELECT * FROM "country" WHERE "isoCode" IN ('FR', 'US')
                SELECT * FROM "player" WHERE "email" = 'arthur@example.com'
                SELECT * FROM "citizenship" WHERE ("citizenId" = 1) AND ("countryCode" = 'FR')
                SELECT * FROM "document" WHERE "rowid" = 1
                """
            ) {
                try expectEqual(Player.find(db, id: 1).name, "Arthur")
                try expectEqual(Player.fetchOne(db, key: 1)?.name, "Arthur")
                try expectEqual(Country.fetchAll(db, ids: ["FR", "US"]).count, 2)
                try expectEqual(Country.fetchSet(db, keys: ["FR", "US"]).count, 2)
                try expectEqual(Player.fetchOne(db, key: ["email": "arthur@example.com"])?.id, 1)
                try expectTrue(
                    Citizenship.fetchOne(db, key: ["citizenId": 1, "countryCode": "FR"]) != nil)
                try expectEqual(Document.fetchOne(db, key: 1)?.content, "text")
            }
        }
    }

    @Test func existenceOfRecords() throws {
        try write { db in
            let request = Player.filter { $0.name == "Nobody" }
            try expectTrue(request.isEmpty(db))
            try expectEqual(request.fetchCount(db), 0)
            try expectTrue(Player.exists(db, id: 1))
            try expectTrue(Country.exists(db, id: "FR"))
            try expectTrue(Player.exists(db, key: 1))
            try expectTrue(Country.exists(db, key: "FR"))
            try expectTrue(Player.exists(db, key: ["email": "arthur@example.com"]))
            try expectTrue(Citizenship.exists(db, key: ["citizenId": 1, "countryCode": "FR"]))
            try expectTrue(!Citizenship.exists(db, key: ["citizenId": 1, "countryCode": "US"]))
        }
    }

    @Test func counting() throws {
        try write { db in
            // The document counts distinct names without NULL, which is fetched.
            try expectSQL(
                """
                SELECT COUNT(*) FROM "player"
                SELECT COUNT(*) FROM "player" WHERE "email" IS NOT NULL
                SELECT COUNT(*) FROM (SELECT DISTINCT "name" FROM "player")
                SELECT COUNT(*) FROM (SELECT DISTINCT "name", "score" FROM "player")
                """
            ) {
                try expectEqual(Player.fetchCount(db), 3)
                try expectEqual(Player.filter { $0.email != nil }.fetchCount(db), 2)
                try expectEqual(Player.select(\.name).distinct().fetchCount(db), 3)
                try expectEqual(Player.select { [$0.name, $0.score] }.distinct().fetchCount(db), 3)
            }
        }
    }

    // MARK: - Writes

    @Test func deleteRequests() throws {
        try write { db in
            try expectSQL(
                """
                DELETE FROM "player" WHERE "team" = 'Greens'
                DELETE FROM "player" WHERE "id" IN \
                (SELECT "id" FROM "player" ORDER BY "score" LIMIT 1)
                DELETE FROM "player" WHERE "id" = 1
                DELETE FROM "country" WHERE "isoCode" IN ('FR', 'US')
                DELETE FROM "player" WHERE "id" = 1
                DELETE FROM "country" WHERE "isoCode" IN ('FR', 'US')
                DELETE FROM "player" WHERE "email" = 'arthur@example.com'
                DELETE FROM "citizenship" WHERE ("citizenId" = 1) AND ("countryCode" = 'FR')
                DELETE FROM "document" WHERE "rowid" = 1
                DELETE FROM "player"
                DELETE FROM "player"
                """
            ) {
                try expectEqual(Player.filter { $0.team == "Greens" }.deleteAll(db), 0)
                try expectEqual(Player.order(\.score).limit(1).deleteAll(db), 1)
                try expectTrue(Player.deleteOne(db, id: 1))
                try expectEqual(Country.deleteAll(db, ids: ["FR", "US"]), 2)
                try expectTrue(!Player.deleteOne(db, key: 1))
                try expectEqual(Country.deleteAll(db, keys: ["FR", "US"]), 0)
                try expectTrue(!Player.deleteOne(db, key: ["email": "arthur@example.com"]))
                try expectTrue(
                    Citizenship.deleteOne(db, key: ["citizenId": 1, "countryCode": "FR"]))
                try expectTrue(Document.deleteOne(db, key: 1))
                try expectEqual(Player.deleteAll(db), 1)
                try expectEqual(Table("player").deleteAll(db), 0)
            }
        }
    }

    @Test func updateRequests() throws {
        try write { db in
            try expectSQL(
                """
                UPDATE "player" SET "score" = 0, "isHealthy" = 1, "bonus" = NULL
                UPDATE "player" SET "score" = 0 WHERE "team" = 'Reds'
                UPDATE "player" SET "isGreat" = 1 WHERE "id" IN \
                (SELECT "id" FROM "player" ORDER BY "score" DESC LIMIT 10)
                UPDATE "country" SET "population" = 67848156 WHERE "isoCode" = 'FR'
                """
            ) {
                try Player.updateAll(db) {
                    [
                        $0.score.set(to: 0),
                        $0.isHealthy.set(to: true),
                        $0.bonus.set(to: nil),
                    ]
                }
                try Player
                    .filter { $0.team == "Reds" }
                    .updateAll(db) { $0.score.set(to: 0) }
                try Player
                    .order(\.score.desc)
                    .limit(10)
                    .updateAll(db) { $0.isGreat.set(to: true) }
                try Country
                    .filter(id: "FR")
                    .updateAll(db) { $0.population.set(to: 67_848_156) }
            }
            try expectSQL(
                """
                UPDATE "player" SET "bonus" = 1
                UPDATE "player" SET "score" = "score" + ("bonus" * 2)
                SELECT * FROM "player"
                UPDATE "player" SET "score" = 3
                UPDATE "player" SET "score" = "score" + ("bonus" * 2)
                SELECT * FROM "player"
                UPDATE OR IGNORE "player" SET "email" = 'same'
                UPDATE "player" SET "score" = 2
                """
            ) {
                try Player.updateAll(db) { $0.bonus.set(to: 1) }
                try Player.updateAll(db) {
                    $0.score.set(to: $0.score + $0.bonus * 2)
                }
                try expectEqual(Player.fetchAll(db).map(\.score), [2, 2, 2])
                try Player.updateAll(db) { $0.score.set(to: 3) }
                try Player.updateAll(db) { $0.score += $0.bonus * 2 }
                try expectEqual(Player.fetchAll(db).map(\.score), [5, 5, 5])
                try Player.updateAll(db, onConflict: .ignore) { $0.email.set(to: "same") }
                try Table("player").updateAll(db, Column("score").set(to: 2))
            }
        }
    }

    // MARK: - Custom requests

    @Test func customRequests() throws {
        try write { db in
            try expectEqual(Player.filter(color: "Reds").fetchAll(db).map(\.id), [1, 2])
            try expectEqual(Player.filter(otherColor: "Blues").fetchAll(db).map(\.id), [3])
            let rows = try Player.all().asRequest(of: Row.self).fetchAll(db)
            expectEqual(rows.count, 3)
        }
    }
}
