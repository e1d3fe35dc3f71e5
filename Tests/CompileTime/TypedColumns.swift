// What must compile with typed columns, and what must not: each line that ends with `// error` is
// refused by the compiler, and no other. `scripts/check-compile-time` compiles this file.

import Foundation
import GRDB
import GRDBQueries

struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var name: String
    var score: Int?
    var isActive: Bool
    var birth: Date

    static let friends = hasMany(Player.self, key: "friends")

    enum Columns {
        static let id = TypedColumn<Int64>(CodingKeys.id)
        static let name = TypedColumn<String>(CodingKeys.name)
        static let score = TypedColumn<Int?>(CodingKeys.score)
        static let isActive = TypedColumn<Bool>(CodingKeys.isActive)
        static let birth = TypedColumn<Date>(CodingKeys.birth)
        static let untyped = Column("untyped")
    }
}

typealias C = Player.Columns

func comparisons() {
    _ = C.id == 1
    _ = 1 == C.id
    _ = C.id == "1"  // error
    _ = "1" == C.id  // error
    _ = C.id != 1.5  // error
    _ = C.id < "1"  // error
    _ = C.name == "Arthur"
    _ = C.name == 1  // error
    _ = C.name > "A"
    _ = C.name > 1  // error
    _ = C.score == nil
    _ = nil != C.score
    let _: SQLExpression = C.id == nil
    let _: SQLExpression = nil != C.id
    _ = C.score == 1
    _ = C.score > 1
    _ = C.score > "1"  // error
    _ = C.score == C.id  // error
    _ = C.name == C.name
    _ = C.name == C.score  // error
    _ = C.birth > Date()
    _ = C.birth > "2020-01-01"  // error
    _ = C.isActive == true
    _ = C.isActive == 1  // error
    _ = C.untyped == "anything"
    _ = C.untyped == 1
    _ = C.id == C.untyped
    _ = C.id.untyped == "1"
}

func memberships() {
    let names = ["Arthur", "Barbara"]
    _ = names.contains(C.name)
    _ = names.contains(C.id)  // error
    _ = (1...10).contains(C.id)
    _ = (1...10).contains(C.score)
    _ = ("a"..."z").contains(C.id)  // error
}

func subqueries() {
    _ = Player.select { $0.id }.contains(C.id)
    _ = Player.select(\.id).contains(C.id)
    _ = Player.select { max($0.id) }.contains(C.id)
    _ = Player.select { count($0.id) }.contains(C.score)
    _ = Player.select { $0.name }.contains(C.id)  // error
    _ = Player.select { $0.id }.contains(C.name)  // error
    _ = Player.filter { Player.select { $0.id }.contains($0.id) }
    _ = Player.filter { Player.select { $0.name }.contains($0.id) }  // error
    _ = Player.select { $0.untyped }.contains(C.id)
    _ = Player.select { $0.id }.contains(C.untyped)
    _ = Player.select(C.untyped, as: Int64.self).contains(C.id)
    _ = Player.select(C.untyped, as: String.self).contains(C.id)  // error
    _ = Player.all().contains(C.id)
    _ = Player.select { $0.id }.contains("1")
    _ = C.id == Player.select { max($0.id) }
    _ = C.id == Player.select(C.untyped)
}

func operations() {
    _ = C.id + 1
    _ = C.id + "1"  // error
    _ = C.score + 1
    _ = C.score * C.score
    _ = C.name + " " + C.name
    _ = C.name + 1  // error
    _ = C.name * 2  // error
    let total: TypedExpression<Int?> = C.score + 1
    let wrong: TypedExpression<Int> = C.score + 1  // error
    let fallback: TypedExpression<Int> = C.score ?? 0
    _ = C.score ?? "0"  // error
    _ = (total, wrong, fallback)
}

func functions() {
    let _: TypedExpression<String> = lower(trim(C.name))
    _ = lower(C.id)  // error
    _ = substr(C.name, from: "1")  // error
    _ = replace(C.name, "a", with: 1)  // error
    let _: TypedExpression<Int> = instr(C.name, "a")
    let _: TypedExpression<String> = hex(C.score)
    _ = round(C.name)  // error
    let _: TypedExpression<Int64> = max(C.id, 2)
    _ = max(C.id, "2")  // error
    _ = max(C.id, C.name)  // error
    let _: TypedExpression<String> = iif(C.isActive == true, C.name, else: "none")
    _ = iif(C.name, "a", else: "b")  // error
    let _: TypedExpression<String?> = date(C.birth, .startOfMonth)
    let _: TypedExpression<String?> = groupConcat(C.id)
    _ = C.name.glob("A*")
    _ = C.id.glob("A*")  // error
    _ = C.id.isBetween(1, and: 2)
    _ = C.id.isBetween(1, and: "2")  // error
    _ = C.score.isDistinct(from: nil)
    _ = C.name.isDistinct(from: nil)  // error
}

func untypedFunctions() {
    let _: SQLExpression = lower(C.untyped)
    let _: SQLExpression = max(C.untyped, "2")
    let _: SQLExpression = iif(C.untyped, 1, else: "b")
    let _: SQLExpression = iif(C.untyped == 1, C.id, else: C.name)
    let _: SQLExpression = round(C.untyped, digits: 2)
    let _: SQLExpression = date(C.untyped)
    let _: SQLExpression = groupConcat(C.untyped, separator: ", ")
    let _: SQLExpression = lag(C.untyped, 1, default: 0).over(orderBy: C.untyped)
    let _: SQLExpression = sum(C.untyped).over(partitionBy: C.id)
    let _: Int = max(1, 2)
    let _: Double = round(1.5)
}

func windows() {
    let _: TypedExpression<Int?> = sum(C.score).over(partitionBy: C.name, orderBy: C.id.desc)
    let _: TypedExpression<String?> = lag(C.name).over(orderBy: C.id)
    let _: TypedExpression<Int?> = lead(C.score, 1, default: 0).over(orderBy: C.id)
    _ = lag(C.name, "1")  // error
    _ = lag(C.score, 1, default: "0")  // error
    _ = C.name.over()  // error
    let _: TypedExpression<Int64?> = firstValue(C.id).over()
    let _: TypedExpression<String> = firstValue(C.name).over()  // error
}

func aggregatesOfAssociations() {
    _ = Player.annotated(with: Player.friends.max { $0.name }, Player.friends.min(C.birth))
    _ = Player.annotated(with: Player.friends.sum { $0.score }, Player.friends.sum(C.id))
    _ = Player.annotated(with: Player.friends.average { $0.score }, Player.friends.total(C.id))
    _ = Player.annotated(with: Player.friends.sum { $0.name })  // error
    _ = Player.annotated(with: Player.friends.sum(C.name))  // error
    _ = Player.annotated(with: Player.friends.max(C.untyped), Player.friends.sum { $0.untyped })
}

func assignments() {
    _ = C.name.set(to: "Arthur")
    _ = C.name.set(to: 1)  // error
    _ = C.name.set(to: nil)  // error
    _ = C.score.set(to: nil)
    _ = C.score.set(to: 1)
    _ = C.score.set(to: "1")  // error
    _ = C.score.set(to: C.score + 1)
    _ = C.score.set(to: C.name)  // error
    _ = C.score += 1
    _ = C.score += "1"  // error
    _ = C.name += "!"
    _ = C.name += 1  // error
    _ = C.isActive.set(to: !C.isActive)
    _ = C.isActive.set(to: C.score > 1)
    _ = C.isActive.set(to: ["a"].contains(C.name) || C.isActive)
    _ = C.isActive.set(to: 1)  // error
    _ = C.isActive.set(to: C.score)  // error
    _ = C.isActive.set(to: C.untyped)  // error
    _ = C.score.set(to: C.score > 1)  // error
    let _: TypedExpression<Bool> = !C.isActive
    _ = C.score.set(to: Player.select { max($0.score) })
    _ = C.score.set(to: Player.select { count($0.id) })
    _ = C.name.set(to: Player.filter { $0.id == 1 }.select { $0.name })
    _ = C.id.set(to: Player.select { max($0.id) })
    _ = C.score.set(to: Player.select { $0.name })  // error
    _ = C.name.set(to: Player.select { max($0.score) })  // error
    _ = C.name.set(to: Player.all())  // error
    _ = C.score.set(to: Player.select { $0.untyped })
    _ = C.id.set(to: Player.select(C.untyped, as: Int64.self))
    _ = C.id.set(to: SQLRequest<Int64>("SELECT 1"))
    _ = C.id.set(to: SQLRequest<String>("SELECT 1"))  // error
}

func requests(_ db: Database) throws {
    _ = Player.filter { $0.score > 1000 && $0.isActive }
    _ = Player.filter { $0.isActive }
    _ = Player.filter { $0.name }  // error
    _ = Player.filter { $0.name == nil }
    _ = Player.filter { $0.id != nil }
    _ = Player.filter { $0.score > "1000" }  // error
    _ = Player.order(\.score.desc)
    let ids: [Int64] = try Player.select(\.id).fetchAll(db)
    let scores: [Int?] = try Player.select { $0.score }.fetchAll(db)
    let maximum: Int?? = try Player.select { max($0.score) }.fetchOne(db)
    _ = (ids, scores, maximum)
}

func rows(_ row: Row) throws {
    let id = row[C.id]
    let score = row[C.score]
    let _: Int64 = id
    let _: Int? = score
    let _: String = row[C.id]  // error
    let _: Int64 = try row.decode(forColumn: C.id)
    let _: String = try row.decode(forColumn: C.id)  // error
}

func aliases(_ alias: TableAlias<Player>) {
    _ = alias.id == 1
    _ = alias.id == "1"  // error
    _ = Player.filter { $0.score > 1 && alias.id == nil }
    _ = Player.filter { nil == alias.id && $0.score > 1 }
}
