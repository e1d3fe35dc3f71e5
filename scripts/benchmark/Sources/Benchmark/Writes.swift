import Foundation
import GRDB
#if !AGAINST_GRDB
import GRDBQueries
#endif
import GRDBSQLite

// One row at a time of a table of 50,000 rows of 4 columns in memory: what apps do in loops.

private struct Player: MutablePersistableRecord {
    static let databaseTableName = "player"

    var id: Int
    var name: String
    var score: Int
    var rating: Double

    init(number i: Int, name: String) {
        id = i
        self.name = name
        score = i % 1000
        rating = Double(i) / 3
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["score"] = score
        container["rating"] = rating
    }
}

/// The same table, through `Codable`.
private struct CodablePlayer: Codable, PersistableRecord {
    static let databaseTableName = "player"

    var id: Int
    var name: String
    var score: Int
    var rating: Double
}

/// A statement of the twin, executed for each row in a transaction that is rolled back, so that each
/// round finds the same rows.
private func runRaw(
    _ memory: RawDatabase, _ sql: String, count: Int,
    _ body: (_ statement: OpaquePointer, _ number: Int) -> Int
) -> Int {
    memory.execute("BEGIN IMMEDIATE")
    defer { memory.execute("ROLLBACK") }
    let s = memory.prepare(sql)
    defer { sqlite3_finalize(s) }
    var sum = 0
    for i in 0..<count {
        sum &+= body(s, i)
        sqlite3_reset(s)
    }
    return sum
}

func writeWorkloads() -> [Workload] {
    let memory = RawDatabase(path: ":memory:")
    let queue = try! DatabaseQueue()
    let count = 50_000
    let setUp = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, rating REAL);
        INSERT INTO player
        SELECT value, 'The name of player ' || value, value % 1000, value / 3.0
        FROM (WITH RECURSIVE n(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n WHERE value < 49999)
              SELECT value FROM n)
        """
    memory.execute(setUp)
    try! queue.write { try $0.execute(sql: setUp) }
    let names = (0..<count).map { "The name of player \($0)" }
    let players = names.enumerated().map { Player(number: $0.offset, name: $0.element) }
    let codablePlayers = players.map {
        CodablePlayer(id: $0.id, name: $0.name, score: $0.score, rating: $0.rating)
    }

    func library(_ body: @escaping (Database) throws -> Int) -> () throws -> Int {
        {
            var sum = 0
            try queue.writeWithoutTransaction { db in
                try db.inTransaction {
                    sum = try body(db)
                    return .rollback
                }
            }
            return sum
        }
    }

    func rawUpdate() -> Int {
        runRaw(memory, "UPDATE player SET name=?, score=?, rating=? WHERE id=?", count: count) {
            rawBind($0, 1, names[$1])
            sqlite3_bind_int64($0, 2, Int64($1 % 1000))
            sqlite3_bind_double($0, 3, Double($1) / 3)
            sqlite3_bind_int64($0, 4, Int64($1))
            precondition(sqlite3_step($0) == SQLITE_DONE)
            return Int(sqlite3_changes(memory.handle))
        }
    }

    func rawInsert() -> Int {
        memory.execute("SAVEPOINT s")
        defer { memory.execute("RELEASE s") }
        memory.execute("DELETE FROM player")
        let s = memory.prepare("INSERT INTO player (id, name, score, rating) VALUES (?,?,?,?)")
        defer { sqlite3_finalize(s) }
        for (i, name) in names.enumerated() {
            sqlite3_bind_int64(s, 1, Int64(i))
            rawBind(s, 2, name)
            sqlite3_bind_int64(s, 3, Int64(i % 1000))
            sqlite3_bind_double(s, 4, Double(i) / 3)
            precondition(sqlite3_step(s) == SQLITE_DONE)
            sqlite3_reset(s)
        }
        return Int(sqlite3_last_insert_rowid(memory.handle))
    }

    /// What the documentation shows for `upsert`.
    let upsert = """
        INSERT INTO player (id, name, score, rating) VALUES (?,?,?,?)
        ON CONFLICT DO UPDATE SET
        name = excluded.name, score = excluded.score, rating = excluded.rating
        RETURNING rowid
        """

    func rawDelete() -> Int {
        runRaw(memory, "DELETE FROM player WHERE id = ?", count: count) {
            sqlite3_bind_int64($0, 1, Int64($1))
            precondition(sqlite3_step($0) == SQLITE_DONE)
            return Int(sqlite3_changes(memory.handle))
        }
    }

    func rawExists() -> Int {
        runRaw(memory, "SELECT EXISTS (SELECT 1 FROM player WHERE id = ?)", count: count) {
            sqlite3_bind_int64($0, 1, Int64($1))
            precondition(sqlite3_step($0) == SQLITE_ROW)
            return Int(sqlite3_column_int64($0, 0))
        }
    }

    func rawInsertTransaction() -> Int {
        memory.execute("BEGIN IMMEDIATE")
        defer { memory.execute("COMMIT") }
        return rawInsert()
    }

    return [
        Workload(
            name: "50k Codable record.insert, 4 columns", count: count, twin: rawInsertTransaction
        ) {
            try queue.write { db in
                try Player.deleteAll(db)
                for player in codablePlayers { try player.insert(db) }
                return Int(db.lastInsertedRowID)
            }
        },
        // Without a record type.
        Workload(
            name: "50k Table.insert of 4 assignments", count: count, twin: rawInsertTransaction
        ) {
            try queue.write { db in
                try Player.deleteAll(db)
                #if AGAINST_GRDB
                for var player in players { try player.insert(db) }
                #else
                let table = Table("player")
                for player in players {
                    try table.insert(
                        db, Column("id").set(to: player.id), Column("name").set(to: player.name),
                        Column("score").set(to: player.score),
                        Column("rating").set(to: player.rating))
                }
                #endif
                return Int(db.lastInsertedRowID)
            }
        },
        Workload(name: "50k insertMany, one array", count: count, twin: rawInsertTransaction) {
            try queue.write { db in
                try Player.deleteAll(db)
                #if AGAINST_GRDB
                for var player in players { try player.insert(db) }
                #else
                var players = players
                try Player.insertMany(db, &players)
                #endif
                return Int(db.lastInsertedRowID)
            }
        },
        Workload(
            name: "50k Codable insertMany, one array", count: count, twin: rawInsertTransaction
        ) {
            try queue.write { db in
                try Player.deleteAll(db)
                #if AGAINST_GRDB
                for player in codablePlayers { try player.insert(db) }
                #else
                try CodablePlayer.insertMany(db, codablePlayers)
                #endif
                return Int(db.lastInsertedRowID)
            }
        },
        Workload(
            name: "50k record.update, 4 columns", count: count, twin: rawUpdate,
            library: library { db in
                var sum = 0
                for player in players {
                    try player.update(db)
                    sum &+= db.changesCount
                }
                return sum
            }),
        Workload(
            name: "50k Codable record.update, 4 columns", count: count, twin: rawUpdate,
            library: library { db in
                var sum = 0
                for player in codablePlayers {
                    try player.update(db)
                    sum &+= db.changesCount
                }
                return sum
            }),
        Workload(name: "50k record.update, one of 4 columns", count: count) {
            runRaw(memory, "UPDATE player SET score=? WHERE id=?", count: count) {
                sqlite3_bind_int64($0, 1, Int64($1 % 1000))
                sqlite3_bind_int64($0, 2, Int64($1))
                precondition(sqlite3_step($0) == SQLITE_DONE)
                return Int(sqlite3_changes(memory.handle))
            }
        } library: {
            try library { db in
                var sum = 0
                for player in players {
                    try player.update(db, columns: ["score"])
                    sum &+= db.changesCount
                }
                return sum
            }()
        },
        Workload(name: "50k record.upsert of rows that exist", count: count) {
            runRaw(memory, upsert, count: count) {
                sqlite3_bind_int64($0, 1, Int64($1))
                rawBind($0, 2, names[$1])
                sqlite3_bind_int64($0, 3, Int64($1 % 1000))
                sqlite3_bind_double($0, 4, Double($1) / 3)
                precondition(sqlite3_step($0) == SQLITE_ROW)
                precondition(sqlite3_step($0) == SQLITE_DONE)
                return Int(sqlite3_changes(memory.handle))
            }
        } library: {
            try library { db in
                var sum = 0
                for var player in players {
                    try player.upsert(db)
                    sum &+= db.changesCount
                }
                return sum
            }()
        },
        Workload(
            name: "50k record.delete", count: count, twin: rawDelete,
            library: library { db in
                var sum = 0
                for player in players { sum &+= try player.delete(db) ? 1 : 0 }
                return sum
            }),
        Workload(
            name: "50k Codable record.delete, 4 columns", count: count, twin: rawDelete,
            library: library { db in
                var sum = 0
                for player in codablePlayers { sum &+= try player.delete(db) ? 1 : 0 }
                return sum
            }),
        Workload(
            name: "50k deleteOne(key:)", count: count, twin: rawDelete,
            library: library { db in
                var sum = 0
                for id in 0..<count { sum &+= try Player.deleteOne(db, key: id) ? 1 : 0 }
                return sum
            }),
        Workload(name: "50k updateAll of a request by key", count: count) {
            runRaw(memory, "UPDATE player SET score = score + ? WHERE id = ?", count: count) {
                sqlite3_bind_int64($0, 1, 1)
                sqlite3_bind_int64($0, 2, Int64($1))
                precondition(sqlite3_step($0) == SQLITE_DONE)
                return Int(sqlite3_changes(memory.handle))
            }
        } library: {
            try library { db in
                var sum = 0
                for id in 0..<count {
                    sum &+= try Player.filter(key: id).updateAll(db, Column("score") += 1)
                }
                return sum
            }()
        },
        Workload(
            name: "50k exists(key:)", count: count, twin: rawExists,
            library: library { db in
                var sum = 0
                for id in 0..<count { sum &+= try Player.exists(db, key: id) ? 1 : 0 }
                return sum
            }),
        Workload(
            name: "50k record.exists", count: count, twin: rawExists,
            library: library { db in
                var sum = 0
                for player in players { sum &+= try player.exists(db) ? 1 : 0 }
                return sum
            }),
    ]
}
