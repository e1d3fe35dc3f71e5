@testable import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// What must not compile stands in Tests/CompileTime.
@Suite(.databases) struct TypedColumnTests {
    private struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable, Equatable {
        var id: Int64
        var name: String
        var score: Int?
        var isActive: Bool

        enum Columns {
            static let id = TypedColumn<Int64>(CodingKeys.id)
            static let name = TypedColumn<String>(CodingKeys.name)
            static let score = TypedColumn<Int?>(CodingKeys.score)
            static let isActive = TypedColumn<Bool>(CodingKeys.isActive)
        }
    }

    private func withPlayers(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.create(table: "player") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text).notNull()
                t.column("score", .integer)
                t.column("isActive", .boolean).notNull()
            }
            try Player(id: 1, name: "Arthur", score: 100, isActive: true).insert(db)
            try Player(id: 2, name: "Barbara", score: 1000, isActive: false).insert(db)
            try Player(id: 3, name: "Craig", score: nil, isActive: true).insert(db)
            try body(db)
        }
    }

    private func ids(
        _ db: Database, _ request: QueryInterfaceRequest<Player>, _ sql: String
    ) throws -> [Int64] {
        try expectEqual(request.makePreparedRequest(db).statement.sql, sql)
        return try request.orderByPrimaryKey().fetchAll(db).map(\.id)
    }

    @Test func comparisons() throws {
        try withPlayers { db in
            try expectEqual(
                ids(
                    db, Player.filter { $0.score > 100 },
                    #"SELECT * FROM "player" WHERE "score" > ?"#),
                [2])
            try expectEqual(
                ids(
                    db, Player.filter { $0.score == nil },
                    #"SELECT * FROM "player" WHERE "score" IS NULL"#),
                [3])
            try expectEqual(
                ids(
                    db, Player.filter { $0.score !== 100 },
                    #"SELECT * FROM "player" WHERE "score" IS NOT ?"#),
                [2, 3])
            let name: String? = "Craig"
            try expectEqual(
                ids(
                    db, Player.filter { $0.name == name },
                    #"SELECT * FROM "player" WHERE "name" = ?"#),
                [3])
            let noName: String? = nil
            try expectEqual(
                ids(
                    db, Player.filter { $0.name != noName && $0.id === nil || $0.isActive },
                    #"SELECT * FROM "player" WHERE (("name" IS NOT NULL) AND ("id" IS NULL)) OR "isActive""#
                ),
                [1, 3])
            try expectEqual(
                ids(
                    db, Player.filter { ["Arthur", "Craig"].contains($0.name) },
                    #"SELECT * FROM "player" WHERE "name" IN (?, ?)"#),
                [1, 3])
            try expectEqual(
                ids(
                    db, Player.filter { (50...150).contains($0.score) },
                    #"SELECT * FROM "player" WHERE "score" BETWEEN ? AND ?"#),
                [1])
            try expectEqual(
                ids(
                    db, Player.filter { "B" <= $0.name },
                    #"SELECT * FROM "player" WHERE ? <= "name""#),
                [2, 3])
        }
    }

    /// A column that is never NULL in its table is, where an optional association has no row.
    @Test func columnsThatAreNeverNullCompareWithNil() throws {
        try withPlayers { db in
            let other = TableAlias<Player>(name: "other")
            let better = Player.belongsTo(
                Player.self, key: "better", using: ForeignKey(["score"], to: ["id"])
            ).aliased(other)
            let players = Player.joining(optional: better)
            let join = """
                SELECT "player".* FROM "player" \
                LEFT JOIN "player" "other" ON "other"."id" = "player"."score" WHERE
                """
            try expectEqual(
                ids(
                    db, players.filter { $0.score > 100 && other.id == nil },
                    #"\#(join) ("player"."score" > ?) AND ("other"."id" IS NULL)"#),
                [2])
            try expectEqual(
                ids(
                    db, players.filter { _ in nil != other.id },
                    #"\#(join) "other"."id" IS NOT NULL"#),
                [])
            try expectEqual(
                ids(
                    db, Player.filter { $0.name != nil && $0.score === nil },
                    #"SELECT * FROM "player" WHERE ("name" IS NOT NULL) AND ("score" IS NULL)"#),
                [3])
            try expectEqual(
                ids(
                    db, Player.filter { nil == $0.name || $0.id !== nil },
                    #"SELECT * FROM "player" WHERE ("name" IS NULL) OR ("id" IS NOT NULL)"#),
                [1, 2, 3])
        }
    }

    @Test func booleans() throws {
        try withPlayers { db in
            try expectEqual(
                ids(
                    db, Player.filter { $0.isActive },
                    #"SELECT * FROM "player" WHERE "isActive""#),
                [1, 3])
            try expectEqual(
                ids(
                    db, Player.filter { !$0.isActive },
                    #"SELECT * FROM "player" WHERE NOT "isActive""#),
                [2])
            try expectEqual(
                ids(
                    db, Player.filter { $0.isActive && $0.score > 10 },
                    #"SELECT * FROM "player" WHERE "isActive" AND ("score" > ?)"#),
                [1])
            try expectEqual(
                ids(
                    db, Player.filter { $0.score > 500 || $0.isActive },
                    #"SELECT * FROM "player" WHERE ("score" > ?) OR "isActive""#),
                [1, 2, 3])
        }
    }

    @Test func selectionFetchesItsType() throws {
        try withPlayers { db in
            let names = try Player.select(\.name).order(Column("id")).fetchAll(db)
            expectEqual(names, ["Arthur", "Barbara", "Craig"])
            let scores = try Player.select { $0.score }.order(Column("id")).fetchAll(db)
            expectEqual(scores, [100, 1000, nil])
            let doubled = Player.select { ($0.score ?? 0) * 2 }.order(Column("id"))
            try expectEqual(doubled.fetchAll(db), [200, 2000, 0])
            try expectEqual(Player.select { max($0.score) }.fetchOne(db), .some(1000))
            try expectEqual(Player.select { count($0.score) }.fetchOne(db), 2)
            try expectEqual(Player.select { average($0.score) }.fetchOne(db), .some(550))
            let untyped = try Table("player").select(TypedColumn<String>("name")).fetchSet(db)
            expectEqual(untyped, ["Arthur", "Barbara", "Craig"])
        }
    }

    @Test func textsAreConcatenated() throws {
        try withPlayers { db in
            let greeting = Player.Columns.name + "!" + Player.Columns.name
            let request = Player.filter { $0.id == 1 }.select(greeting)
            let statement = try request.makePreparedRequest(db).statement
            expectEqual(
                statement.sql,
                #"SELECT "name" || ? || "name" FROM "player" WHERE "id" = ?"#)
            try expectEqual(request.fetchAll(db), ["Arthur!Arthur"])
        }
    }

    @Test func assignments() throws {
        try withPlayers { db in
            try Player.updateAll(db) { [$0.score += 1, $0.name += "!"] }
            try Player.filter { $0.score == nil }.updateAll(db) { $0.score.set(to: 0) }
            try Player.filter { $0.id == 1 }.updateAll(db) { $0.score.set(to: nil) }
            try expectEqual(
                Player.select(\.score).order(Column("id")).fetchAll(db), [nil, 1001, 0])
            try expectEqual(
                Player.select(\.name).order(Column("id")).fetchAll(db),
                ["Arthur!", "Barbara!", "Craig!"])
        }
    }

    @Test func conditionsAreAssignedToBooleans() throws {
        try withPlayers { db in
            let isActive = Player.Columns.isActive
            func values(_ assignment: ColumnAssignment) throws -> [Bool] {
                try Player.updateAll(db, assignment)
                return try Player.select(isActive).order(Column("id")).fetchAll(db)
            }
            try expectEqual(values(isActive.set(to: !isActive)), [false, true, false])
            let hasHighScore = Player.Columns.score > 500 && Player.Columns.score != nil
            try expectEqual(values(isActive.set(to: hasHighScore)), [false, true, false])
            let isListed = [1, 2].contains(Player.Columns.id)
            try expectEqual(values(isActive.set(to: isListed)), [true, true, false])
            let negated = Player.select { !$0.isActive }.order(Column("id"))
            try expectEqual(negated.fetchAll(db), [false, false, true])

            let mayBeNull = TypedColumn<Bool?>("score")
            try Player.updateAll(db, mayBeNull.set(to: Player.Columns.score > 500))
            let scores = Player.select(\.score).order(Column("id"))
            try expectEqual(scores.fetchAll(db), [0, 1, nil])
            try Player.updateAll(db, mayBeNull.set(to: !mayBeNull))
            try expectEqual(scores.fetchAll(db), [1, 0, nil])
            try Player.updateAll(db, mayBeNull.set(to: !isActive))
            try expectEqual(scores.fetchAll(db), [0, 0, 1])
        }
    }

    @Test func columnsOfDifferentTypesAreUpdated() throws {
        try withPlayers { db in
            typealias C = Player.Columns
            func values() throws -> Row? {
                let columns = Player.filter { $0.id == 1 }.select([C.name, C.score, C.isActive])
                return try Row.fetchOne(db, columns)
            }
            var player = Player(id: 1, name: "Alice", score: 1, isActive: false)
            try player.update(db, columns: [C.name, C.score])
            try expectEqual(values(), ["name": "Alice", "score": 1, "isActive": true])
            player.name = "Anna"
            player.score = 2
            try player.update(db, columns: [C.score, Column("isActive")])
            try expectEqual(values(), ["name": "Alice", "score": 2, "isActive": false])
            let name = try player.updateAndFetch(
                db, columns: [C.name, C.score], selection: [C.name]
            ) { try String.fetchOne($0) }
            expectEqual(name, "Anna")
        }
    }

    @Test func subqueries() throws {
        try withPlayers { db in
            try Player.filter { $0.score == nil }
                .updateAll(db) { $0.score.set(to: Player.select { max($0.score) }) }
            try expectEqual(
                Player.select(\.score).order(Column("id")).fetchAll(db),
                [100, 1000, 1000])
            let number = Player.select { count($0.id) }
            try Player.updateAll(db) { $0.score.set(to: number) }
            try expectEqual(Player.select(\.score).fetchSet(db), [3])
            let playersInB = Player.filter { $0.name >= "B" }.select(\.id)
            try expectEqual(
                ids(
                    db, Player.filter { playersInB.contains($0.id) },
                    #"""
                    SELECT * FROM "player" \#
                    WHERE "id" IN (SELECT "id" FROM "player" WHERE "name" >= ?)
                    """#),
                [2, 3])
            let lastName = Player.select { max($0.name) }
            try Player.updateAll(db) { $0.name.set(to: lastName) }
            try expectEqual(Player.select(\.name).fetchSet(db), ["Craig"])
        }
    }

    @Test func rows() throws {
        try withPlayers { db in
            let row = try unwrap(Row.fetchOne(db, Player.filter(key: 3)))
            expectEqual(row[Player.Columns.name], "Craig")
            expectEqual(row[Player.Columns.score], nil)
            try expectEqual(row.decode(forColumn: Player.Columns.id), 3)
            expectError(RowDecodingError.self) {
                try row.decode(forColumn: TypedColumn<Int>("name"))
            }
        }
    }

    @Test func aliases() throws {
        try withPlayers { db in
            let other = TableAlias<Player>(name: "other")
            let better = Player.aliased(other).filter { _ in other.score > Player.Columns.score }
            let sql = try better.makePreparedRequest(db).statement.sql
            expectEqual(
                sql,
                """
                SELECT "other".* FROM "player" "other" WHERE "other"."score" > "other"."score"
                """)
        }
    }
}
