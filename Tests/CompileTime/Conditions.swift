// Everyday conditions and terms on columns, each of which the compiler must solve within a tenth of
// its limit. `scripts/check-compile-time` compiles this file.

import Foundation
import GRDB
import GRDBQueries

struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var name: String
    var email: String?
    var score: Int
    var level: Int
    var stock: Int
    var price: Double
    var isActive: Bool
    var addedAt: Date
    var teamId: Int64?

    static let friends = hasMany(Player.self, key: "friends")
    static let team = belongsTo(Player.self, key: "team")

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let email = Column(CodingKeys.email)
        static let score = Column(CodingKeys.score)
        static let level = Column(CodingKeys.level)
        static let stock = Column(CodingKeys.stock)
        static let price = Column(CodingKeys.price)
        static let isActive = Column(CodingKeys.isActive)
        static let addedAt = Column(CodingKeys.addedAt)
        static let teamId = Column(CodingKeys.teamId)
    }
}

/// Columns as the cases of an enumeration.
struct Item: Codable, FetchableRecord, PersistableRecord {
    var id: Int64

    enum Columns: String, ColumnExpression {
        case id, name, score, level, stock, price, isActive, addedAt
    }
}

let minId: Int64 = 1
let minScore = 10
let maybeScore: Int? = 10
let minPrice = 1.5
let someName = "Arthur"
let maybeName: String? = "Arthur"
let now = Date()
let ids: [Int64] = [1, 2]

func comparisons() {
    _ = Player.filter { $0.id > 1 }
    _ = Player.filter { $0.id > 1 && $0.score > 10 }
    _ = Player.filter { $0.id > 1 && $0.score > 10 && $0.level > 3 }
    _ = Player.filter { $0.id > 1 && $0.score > 10 && $0.level > 3 && $0.stock > 5 }
    _ = Player.filter {
        $0.id > 1 && $0.score > 10 && $0.level > 3 && $0.stock > 5 && $0.price < 1.5
    }
    _ = Player.filter {
        $0.id > 1 && $0.score > 10 && $0.level > 3 && $0.stock > 5 && $0.price < 1.5
            && $0.name != "a"
    }
    _ = Player.filter {
        $0.id == 1 || $0.id == 2 || $0.id == 3 || $0.id == 4 || $0.id == 5 || $0.id == 6
            || $0.id == 7 || $0.id == 8
    }
    _ = Player.filter { $0.isActive == true && $0.score > 10 && $0.level > 3 }
    _ = Player.filter { $0.score > $0.stock && $0.stock > $0.level && $0.id != $0.teamId }
    _ = Player.all().filter { $0.id > 1 && $0.score > 10 && $0.level > 3 && $0.name == "a" }
    _ = Player.all().filter { $0.id > 1 && $0.score > 10 }.filter { $0.name == "a" && $0.level > 3 }
        .order { $0.score.desc }
    _ = Player.filter { $0.id > 1 && $0.score > 10 }.order(\.score.desc).limit(10)
    _ = Player.filter { $0.id > 1 && $0.score > 10 && true }
    _ = Player.filter { true && $0.score > 10 }
    _ = Player.filter { $0.isActive && $0.isActive == false || $0.isActive != true }
    _ = Player.filter {
        cast($0.score, as: .real) / $0.stock > 0.5 && $0.level > 3 && $0.name == "a"
    }
}

func variables() {
    _ = Player.filter {
        $0.id > minId && $0.score > minScore && $0.price > minPrice && $0.name == someName
    }
    _ = Player.filter {
        $0.id == minId || $0.score == minScore || $0.price == minPrice || $0.name == someName
            || $0.addedAt == now
    }
    _ = Player.filter { $0.addedAt > now && $0.addedAt < Date() && $0.score > 10 }
}

func texts() {
    _ = Player.filter { $0.name == "a" || $0.name == "b" || $0.name == "c" || $0.name == "d" }
    _ = Player.filter { $0.name > "a" && $0.name < "z" && $0.email >= "a" && $0.email <= "z" }
}

func optionals() {
    _ = Player.filter {
        $0.id > 1 && $0.score > 10 && $0.level > 3 && $0.stock > 5 && $0.price < 1.5
            && $0.name != "a" && $0.email == nil
    }
    _ = Player.filter {
        $0.id > 1 && $0.score > 10 && $0.level > 3 && $0.stock > 5 && $0.price < 1.5
            && $0.name != "a" && $0.email == nil && $0.isActive
    }
    _ = Player.filter {
        ($0.id == 1 || $0.score == 2) && ($0.level == 3 || $0.stock == 4)
            && ($0.price == 5 || $0.name == "a") && ($0.email == nil || $0.isActive)
    }
    _ = Player.filter { $0.score == maybeScore && $0.name == maybeName && $0.email == maybeName }
    _ = Player.filter { $0.name == "a" && $0.name != "b" && $0.email == "c" && $0.email != nil }
    _ = Player.filter { $0.email != nil && $0.teamId != nil && $0.level == nil }
    _ = Player.filter { 1 < $0.id && $0.id < 10 && "a" == $0.name && nil != $0.email }
    _ = Player.filter { ($0.email ?? "none") == "none" && ($0.level ?? 0) > 3 }
}

func negations() {
    _ = Player.filter { !$0.isActive }
    _ = Player.filter { !$0.isActive && $0.score > 10 }
    _ = Player.filter { !($0.id == 1 && $0.score > 10) || !($0.level > 3) }
    _ = Player.filter { !$0.isActive || !($0.score > 10 && $0.level > 3 || $0.name == "a") }
    _ = Player.filter { $0.isActive && $0.score > 10 && !($0.level == 3) && $0.email == nil }
    _ = Item.filter { !$0.isActive && $0.price * 2 + 1 > $0.stock + 1 && $0.addedAt < now }
}

func arithmetic() {
    _ = Player.filter { $0.stock + 1 < 10 && $0.id > 3 }
    _ = Player.filter { $0.price * 2 + 1 > 10 }
    _ = Player.filter { $0.stock * 2 + 1 > $0.score + 1 }
    _ = Player.filter { $0.stock + $0.score + $0.level > 100 }
    _ = Player.filter { ($0.stock + $0.score) * 2 - 1 > 100 && $0.level % 2 == 0 }
    _ = Player.filter { $0.stock * 2 + $0.score * 3 + $0.level * 4 > 100 }
    _ = Player.filter { -$0.stock < -10 && $0.score - $0.stock > 0 }
    _ = Player.filter { $0.stock + 1 > 2 && $0.score + 2 > 3 && $0.level + 3 > 4 && $0.id + 4 > 5 }
    _ = Player.filter {
        $0.addedAt > now.addingTimeInterval(-3600) && $0.addedAt < now.addingTimeInterval(60 * 60)
            && $0.id > 3
    }
    _ = Player.filter { 1 < $0.id && 10 < $0.score && 3 < $0.level }
    _ = Player.filter { length($0.name) + 1 > 3 && max($0.score, $0.stock) > 2 }
    _ = Player.filter { $0.score & 1 == 1 && $0.stock | 2 > 0 }
    _ = Player.filter { ($0.price * 2 + 1) / 3 > ($0.stock + 1) * ($0.level - 2) && $0.score > 10 }
    _ = Table("p").filter(
        Column("id") > 1 && Column("score") > 10 && Column("level") + 1 > 3 && Column("name") == "a"
    )
    _ = Item.filter {
        $0.id > 1 && $0.score > 10 && $0.level > 3 && $0.name == "a" && $0.stock + 1 < 3
    }
    _ = Item.filter(
        Item.Columns.id > 1 && Item.Columns.score > 10 && Item.Columns.level > 3
            && Item.Columns.name == "a" && Item.Columns.stock + 1 < 3)
    _ = Player.filter { $0.price * 2 + 1 > $0.stock + 1 }
    _ = Player.filter {
        $0.price * minPrice + Double(minScore) > 10 && $0.score * minScore > minScore * 2
    }
}

func functions() {
    _ = Player.filter { ids.contains($0.id) && $0.score > 10 && $0.level > 3 }
    _ = Player.filter {
        [1, 2, 3].contains($0.id) && ["a", "b"].contains($0.name) && (1...10).contains($0.score)
    }
    _ = Player.filter { $0.name.like("%a%") && $0.email.like("%b%") && $0.score > 10 }
    _ = Player.filter { abs($0.score) > 3 && length($0.name) > 2 && $0.level > 3 }
    _ = Player.filter { lower($0.name) == "a" && upper($0.name) == "A" }
}

func values() {
    _ = Player.filter(
        Player.Columns.id > 1 && Player.Columns.score > 10 && Player.Columns.level > 3
            && Player.Columns.name == "a")
    _ = Player.filter(
        Player.Columns.id > 1 && Player.Columns.stock + 1 < 10 && Player.Columns.email != nil
            && !Player.Columns.isActive)
    _ = Player.filter(Player.Columns.stock * 2 + 1 > Player.Columns.score + 1)
    _ = Player.filter(
        Column("id") > 1 && Column("score") > 10 && Column("level") > 3 && Column("name") == "a")
    _ = Player.filter(
        Column("id") > 1 && Column("score") + 1 > 10 && Column("name") == someName
            && Column("email") == nil)
    _ = Player.filter(
        !Column("isActive") && (Column("score") > 10 || Column("level") > 3)
            && Column("name") != maybeName)
}

func selections() {
    _ = Player.select { [$0.id, $0.score + 1, $0.stock * 2 + 1, $0.name] }
    _ = Player.select { $0.stock + $0.score * 2 + 1 }
    _ = Player.select { [$0.score + $0.stock + $0.level + 1, $0.price * 2 - 1] }
    _ = Player.select(
        Player.Columns.score + 1, Player.Columns.stock * 2 + Player.Columns.level, as: Row.self)
    _ = Player.select { $0.score > 10 && $0.level > 3 }
    _ = Player.filter { $0.name == Player.select { max($0.name) } && $0.score > 10 && $0.level > 3 }
}

func annotations() {
    _ = Player.annotated { $0.stock * 2 + $0.score }
    _ = Player.annotated { [$0.stock + 1, ($0.score > 10 && $0.level > 3).forKey("x")] }
    _ = Player.annotated { ($0.stock * 2 + $0.score * 3 + 1).forKey("total") }
    _ = Player.annotated(
        with: (Player.Columns.stock * 2 + Player.Columns.score).forKey("x"), Player.Columns.level)
}

func orders() {
    _ = Player.order { [$0.score + $0.stock * 2, ($0.level + 1).desc] }
    _ = Player.order { ($0.stock + $0.score * 2 + 1).desc }
    _ = Player.order { ($0.score > 10 && $0.level > 3).desc }
}

func groups() {
    _ = Player.all().group { $0.name }.having {
        count($0.id) > 3 && max($0.score) > 10 && min($0.level) < 3
    }
    _ = Player.all().group { $0.name }.having {
        sum($0.score) + sum($0.stock) * 2 > 10 && average($0.price) > 1.5
    }
    _ = Player.all().group(Player.Columns.name).having(
        max(Player.Columns.score) > 10 && min(Player.Columns.level) < 3
            && count(Player.Columns.id) > 1)
}

func joins() {
    _ = Player.joining(
        required: Player.team.filter { $0.score > 10 && $0.level > 3 && $0.name == "a" })
    _ = Player.including(
        all: Player.friends.filter { $0.id > 1 && $0.score > 10 && $0.level > 3 }.order(\.name))
    do {
        let cte = CommonTableExpression<Row>(named: "cte", sql: "SELECT 1")
        let a = Player.association(
            to: cte,
            on: { left, right in
                left[Column("id")] == right[Column("x")] && left[Column("score")] > 10
                    && right[Column("level")] + 1 > 3
            })
        _ = Player.joining(required: a)
    }
}

func aliases() {
    do {
        let alias = TableAlias<Player>()
        _ = Player.filter { $0.score > alias.score && $0.level > alias.level && alias.name == "a" }
    }
    do {
        let alias = TableAlias<Player>()
        _ = Player.joining(required: Player.team.aliased(alias)).filter {
            $0.score + 1 > alias.score * 2 && alias.name != $0.name
        }
    }
}

func associationAggregates() {
    _ = Player.having(Player.friends.count > 3)
    _ = Player.having(Player.friends.count > 3 && Player.friends.max(Player.Columns.score) > 10)
    _ = Player.having(
        Player.friends.count > 3 && !Player.friends.isEmpty
            && Player.friends.sum(Player.Columns.score) + 1 > 10)
    _ = Player.having(
        Player.friends.max { $0.score } - Player.friends.min { $0.score } > 3
            || Player.friends.isEmpty == true)
    _ = Player.annotated(
        with: Player.friends.count, Player.friends.max { $0.score + 1 },
        Player.friends.sum { $0.stock * 2 + $0.score })
    _ = Player.annotated(
        with: (Player.friends.max { $0.score } ?? 0).forKey("x"),
        (Player.friends.count * 2 + 1).forKey("y"))
}

func updates(_ db: Database) throws {
    _ = try Player.updateAll(db) { $0.score.set(to: $0.score + 1) }
    _ = try Player.updateAll(db) {
        [
            $0.score.set(to: $0.score * 2 + $0.stock), $0.level.set(to: $0.level + 1),
            $0.isActive.set(to: $0.score > 10 && $0.level > 3),
        ]
    }
    _ = try Player.updateAll(db) { [$0.score += 1, $0.stock -= $0.stock * 2 + 1, $0.score *= 2] }
    _ = try Player.filter { $0.id > 1 && $0.score > 10 && $0.level > 3 }.updateAll(db) {
        [$0.score.set(to: 1 + $0.score), $0.name.set(to: "a")]
    }
}

func selections() {
    _ = Player.select {
        [
            $0.id, $0.score * 2 + 1, ($0.score + 10) / 3 - 1,
            ($0.name ?? "none").forKey("t"),
            ($0.score * 100 / 7 + $0.score * 3 - 2).forKey("x"),
        ]
    }
    _ = Player.all().select {
        [
            $0.id, $0.score * 2 + 1, ($0.score + 10) / 3 - 1,
            ($0.email ?? "none").forKey("t"),
            ($0.score * 100 / 7 + $0.score * 3 - 2).forKey("x"),
        ]
    }
}

func statements(_ db: Database) throws {
    _ = try Player.filter { $0.id > 1 && $0.score > 10 && $0.level > 3 }.deleteAll(db)
    _ = try Player.filter { $0.id > 1 && $0.score > 10 && $0.level > 3 }.fetchAll(db).map {
        $0.id + 1
    }
    _ =
        try Player.filter { $0.id == minId && $0.stock + 1 < 10 && $0.name == "a" }.fetchCount(db)
        > 3
    _ =
        try Player.filter { $0.score > minScore + 1 && $0.level > minScore * 2 && $0.id > 3 }
        .fetchOne(db)?.name ?? "none"
}

func orderings() {
    _ = Player.order(\.addedAt.desc, \.name)
    _ = Player.order(\.name, \.addedAt.desc)
    _ = Player.all().order(\.addedAt.desc, \.name, \.score.ascNullsLast)
    _ = Player.friends.order(\.name, \.score)
}
