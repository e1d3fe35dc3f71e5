// The program that scripts/check-replication litestream replicates and kills. That script compiles it.
//
//   writer FILE SOCKET    adds rows to FILE until it is killed; prints `committed N` after the commit of
//                         row N, and `acknowledged N` when Litestream has replicated it
//   check FILE            prints how many rows FILE has; fails when one is missing or damaged

import GRDBServer
import Foundation
import GRDB

struct Entry: Codable, FetchableRecord, PersistableRecord {
    var id: Int
    var text: String

    /// Rows of all lengths, of which some need pages of their own.
    static func text(_ id: Int) -> String {
        "entry \(id) " + String(repeating: "x", count: id % 97 == 0 ? 10_000 : id % 200)
    }
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

func write(_ path: String, socket: String) async throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.prepareDatabase { db in
        // Litestream moves the WAL into the file.
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
    }
    let pool = try DatabasePool(path: path, configuration: configuration)
    try makeMigrator().migrate(pool)
    nonisolated(unsafe) var observed = 0
    let observation = DatabaseRegionObservation(tracking: Table("entry"))
    let cancellable = observation.start(
        in: pool, onError: { fatalError("\($0)") }, onChange: { _ in observed += 1 })
    var last = try await pool.read { db in
        try Int.fetchOne(db, sql: "SELECT MAX(id) FROM entry") ?? 0
    }
    while true {
        for _ in 1...Int.random(in: 1...20) {
            last += 1
            let id = last
            try await pool.write { db in
                try Entry(id: id, text: Entry.text(id)).insert(db)
            }
            print("committed", id)
            fflush(nil)
            if id % 50 == 0 { try makeMigrator().migrate(pool) }
        }
        if observed == 0 { fatalError("the observation saw nothing") }
        try await pool.waitForReplication(timeout: 20, socketPath: socket)
        print("acknowledged", last)
        fflush(nil)
        withExtendedLifetime(cancellable) {}
    }
}

func check(_ path: String) throws {
    var configuration = Configuration()
    configuration.readonly = true
    let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    let count = try dbQueue.read { db in
        let problems = try String.fetchAll(db, sql: "PRAGMA quick_check")
        guard problems == ["ok"] else { fatalError("\(problems)") }
        var count = 0
        let entries = try Entry.order(Column("id")).fetchCursor(db)
        while let entry = try entries.next() {
            count += 1
            guard entry.id == count, entry.text == Entry.text(count) else {
                fatalError(
                    "entry \(count) is missing or damaged: \(entry.id), \(entry.text.prefix(20))")
            }
        }
        return count
    }
    print(count)
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "writer" where arguments.count == 4:
    try await write(arguments[2], socket: arguments[3])
case "check" where arguments.count == 3:
    try check(arguments[2])
default:
    print("usage: litestream-program writer FILE SOCKET | check FILE")
    exit(2)
}
