// The program that scripts/check-litestream replicates and kills. That script compiles it.
//
//   writer FILE    adds rows to FILE until it is killed; prints the number of each row that is committed
//   check FILE     prints how many rows FILE has; fails when one of them is missing or damaged

import Foundation
import GRDB

struct Entry: Codable, FetchableRecord, PersistableRecord {
    var id: Int
    var text: String
}

func makeMigrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    // The tables that Litestream adds are no change of the schema that migrations make.
    migrator.eraseDatabaseOnSchemaChange = true
    migrator.registerMigration("create entry") { db in
        try db.create(table: "entry") { t in
            t.primaryKey("id", .integer)
            t.column("text", .text).notNull()
        }
    }
    return migrator
}

let arguments = CommandLine.arguments
var configuration = Configuration()
configuration.busyMode = .timeout(10)
configuration.prepareDatabase { db in
    // Litestream moves the WAL into the file.
    try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
}

switch arguments.dropFirst().first {
case "writer" where arguments.count == 3:
    let pool = try DatabasePool(path: arguments[2], configuration: configuration)
    try makeMigrator().migrate(pool)
    nonisolated(unsafe) var observed = 0
    let observation = DatabaseRegionObservation(tracking: Table("entry"))
    let cancellable = observation.start(
        in: pool, onError: { fatalError("\($0)") }, onChange: { _ in observed += 1 })
    var last = try pool.read { db in try Int.fetchOne(db, sql: "SELECT MAX(id) FROM entry") ?? 0 }
    while true {
        last += 1
        let id = last
        try pool.write { db in
            try Entry(id: id, text: "entry \(id)").insert(db)
        }
        if observed == 0 { fatalError("the observation saw nothing") }
        print(id)
        fflush(nil)
        if id % 50 == 0 { try makeMigrator().migrate(pool) }
        withExtendedLifetime(cancellable) {}
        usleep(2_000)
    }
case "check" where arguments.count == 3:
    var configuration = Configuration()
    configuration.readonly = true
    let dbQueue = try DatabaseQueue(path: arguments[2], configuration: configuration)
    let entries = try dbQueue.read { db in
        let problems = try String.fetchAll(db, sql: "PRAGMA integrity_check")
        guard problems == ["ok"] else { fatalError("\(problems)") }
        return try Entry.order(Column("id")).fetchAll(db)
    }
    for (index, entry) in entries.enumerated()
    where entry.id != index + 1 || entry.text != "entry \(entry.id)" {
        fatalError("entry \(index + 1) is missing or damaged")
    }
    print(entries.count)
default:
    print("usage: litestream-program writer|check FILE")
    exit(2)
}
