// What a program has without the trait Foundation: scripts/check-without-foundation runs it.

import FoundationEssentials
import GRDB
import GRDBChanges
import GRDBFunctions
import GRDBQueries
import GRDBSchema
import GRDBServer
import GRDBTables

struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    static let team = belongsTo(Team.self)

    var id: Int64?
    var teamId: Int64
    var name: String
    var uuid: UUID
    var birth: Date
    var data: Data
    var price: Decimal
    var page: URL
    var tags: [String]

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

struct Team: Codable, Equatable, FetchableRecord, PersistableRecord {
    static let players = hasMany(Player.self)

    var id: Int64
    var name: String
}

final class Dump: TextOutputStream {
    var text = ""
    func write(_ string: String) { text += string }
}

func check(_ condition: Bool, line: Int = #line) {
    if !condition { fatalError("line \(line)") }
}

var configuration = Configuration()
configuration.prepareDatabase { $0.add(function: .regexp) }
let queue = try DatabaseQueue(configuration: configuration)
var migrator = DatabaseMigrator()
migrator.registerMigration("create") { db in
    try db.create(table: "team") { t in
        t.primaryKey("id", .integer)
        t.column("name", .text).notNull().collate(.unicodeCompare)
    }
    try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("team").notNull()
        t.column("name", .text).notNull()
        t.column("uuid", .blob).notNull()
        t.column("birth", .datetime).notNull()
        t.column("data", .blob).notNull()
        t.column("price", .text).notNull()
        t.column("page", .text).notNull()
        t.column("tags", .jsonText).notNull()
    }
}
try migrator.migrate(queue)

let stored = try queue.write { db in
    try Team(id: 1, name: "Reds").insert(db)
    var player = Player(
        teamId: 1, name: "Arthur", uuid: UUID(), birth: Date(timeIntervalSince1970: 1_000_000),
        data: Data([1, 2, 3]), price: Decimal(string: "12.50")!,
        page: URL(string: "https://example.org/")!,
        tags: ["a", "b"])
    try player.insert(db)
    return player
}
try queue.read { db in
    check(try Player.fetchOne(db) == stored)
    let team = try Team.including(all: Team.players).asRequest(of: Row.self).fetchOne(db)
    check(team?.prefetchedRows["players"]?.count == 1)
    check(try Player.filter(sql: "name REGEXP '^A[a-z]+$'").fetchCount(db) == 1)
    check(try String.fetchOne(db, sql: "SELECT swiftUppercaseString('é')") == "É")
    check(try Player.filter(Column("name").lowercased == "arthur").fetchCount(db) == 1)
    let dump = Dump()
    try db.dumpContent(to: dump)
    check(dump.text.utf8.count > 100)
}
do {
    try queue.read {
        try $0.execute(sql: "SELECT * FROM team ORDER BY name COLLATE swiftLocalizedCompare")
    }
    check(false)
} catch let error as DatabaseError {
    check(error.description.contains("no such collation sequence: swiftLocalizedCompare"))
}
check(Inflections.default.pluralize("person") == "people")
check(Inflections.default.singularize("leaves") == "leaf")
print("ok")
