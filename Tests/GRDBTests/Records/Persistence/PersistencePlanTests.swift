import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Operations on records that are repeated: the first one makes a plan, and the next ones use it.
@Suite(.databases) struct PersistencePlanTests {
    /// A record that sets any columns.
    private struct Free: MutablePersistableRecord {
        static let databaseTableName = "player"
        var columns: [(String, (any DatabaseValueConvertible)?)]
        func encode(to container: inout PersistenceContainer) {
            for (column, value) in columns { container[column] = value }
        }
    }

    private struct Watched: MutablePersistableRecord {
        static let databaseTableName = "player"
        var id: Int64
        var name: String
        var score: Int
        let log: Log<String>
        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
            container["score"] = score
        }
        func willUpdate(_ db: Database, columns: Set<String>) throws {
            log.append("willUpdate \(columns.sorted())")
        }
        func didUpdate(_ updated: PersistenceSuccess) {
            log.append("didUpdate \(updated.persistenceContainer)")
        }
        func willDelete(_ db: Database) throws { log.append("willDelete") }
        func didDelete(deleted: Bool) { log.append("didDelete \(deleted)") }
    }

    private func names(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT id || ' ' || name || ' ' || IFNULL(score, '-') FROM player ORDER BY id"
        )
    }

    @Test(arguments: DatabaseKind.allCases) func repeatedOperations(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER)")
        }
        for _ in 0..<2 {
            try writer.write { db in
                for id in 1...4 as ClosedRange<Int64> {
                    var player = PlayerRecord(id: id, name: "\(id)", score: Int(id))
                    try expectTrue(!player.exists(db))
                    try player.upsert(db)
                    try expectTrue(player.exists(db))
                    player.score = nil
                    try player.update(db)
                    player.score = 10 * Int(id)
                    player.name = "changed"
                    try player.update(db, columns: ["score"])
                    player.name = "n\(id)"
                    player.score = 5
                    try player.upsert(db)
                }
                try expectEqual(names(db), ["1 n1 5", "2 n2 5", "3 n3 5", "4 n4 5"])
                for id in 1...3 as ClosedRange<Int64> {
                    let player = PlayerRecord(id: id, name: "")
                    try expectTrue(player.delete(db))
                    try expectTrue(!player.delete(db))
                    try expectTrue(!player.exists(db))
                    expectError("Key not found in table player: [id:\(id)]") {
                        try player.update(db)
                    }
                }
                try expectTrue(PlayerRecord.exists(db, key: 4))
                try expectTrue(!PlayerRecord.exists(db, key: 3))
                try expectTrue(!PlayerRecord.deleteOne(db, key: 3))
                try expectTrue(PlayerRecord.deleteOne(db, key: 4))
                try expectTrue(!PlayerRecord.exists(db, key: 4))
            }
        }
    }

    @Test func keysThatAreNull() throws {
        try RecordTables.write { db in
            for id in [1, nil, 2, nil] as [Int64?] {
                let player = PlayerRecord(id: id, name: "a")
                if id != nil { _ = try player.inserted(db) }
                try expectEqual(player.exists(db), (id != nil))
                if id == nil {
                    expectError("Key not found in table player: [id:NULL]") {
                        try player.update(db)
                    }
                } else {
                    try player.update(db)
                }
                try expectEqual(player.delete(db), (id != nil))
            }
        }
    }

    /// Each list of columns has a plan of its own, up to a limit.
    @Test func changingColumns() throws {
        try TestDatabases.makeQueue().write { db in
            let names = (0..<24).map { "c\($0)" }
            try db.create(table: "player") { t in
                t.primaryKey("id", .integer)
                for name in names { t.column(name) }
            }
            for round in 0..<3 {
                for (number, name) in names.enumerated() {
                    let id = 100 * round + number
                    var free = Free(columns: [("id", id), (name, number)])
                    try free.insert(db)
                    free.columns[1].1 = nil
                    try free.update(db)
                    free.columns.append(("missing", 1))
                    free.columns[1].1 = number + 1
                    try free.update(db)
                    try expectTrue(free.exists(db))
                    try expectEqual(
                        Int.fetchOne(db, sql: "SELECT \(name) FROM player WHERE id = \(id)"),
                        number + 1)
                    free.columns.removeLast()
                    try free.upsert(db)
                    free.columns.reverse()
                    try free.upsert(db)
                    try expectTrue(free.delete(db))
                }
            }
            try expectEqual(Table("player").fetchCount(db), 0)
        }
    }

    @Test func callbacks() throws {
        try RecordTables.write { db in
            let log = Log<String>()
            _ = try PlayerRecord(id: 1, name: "a").inserted(db)
            for score in 1...3 {
                let record = Watched(id: 1, name: "a", score: score, log: log)
                try record.update(db)
                try record.update(db, columns: ["score"])
            }
            let record = Watched(id: 1, name: "a", score: 0, log: log)
            try record.delete(db)
            try record.delete(db)
            try record.delete(db)
            var expected: [String] = []
            for score in 1...3 {
                let container = "[id:1 name:\"a\" score:\(score)]"
                expected += [
                    "willUpdate [\"id\", \"name\", \"score\"]", "didUpdate \(container)",
                    "willUpdate [\"score\"]", "didUpdate \(container)",
                ]
            }
            expected += ["willDelete", "didDelete true"]
            expected += ["willDelete", "didDelete false", "willDelete", "didDelete false"]
            expectEqual(log.elements, expected)
        }
    }

    /// A value that is not stored may be any, the first time as well as later.
    @Test func valuesThatCanNotBeStored() throws {
        try RecordTables.write { db in
            _ = try PlayerRecord(id: 1, name: "a").inserted(db)
            let free = Free(columns: [("id", 1), ("name", "a"), ("score", UInt64.max)])
            for _ in 0..<3 {
                try expectTrue(free.exists(db))
                try free.update(db, columns: ["name"])
                expectError(DatabaseError.self) { try free.update(db) }
                expectError(DatabaseError.self) { try free.update(db, columns: ["score"]) }
            }
            try expectTrue(free.delete(db))
            try expectTrue(!free.delete(db))
            let badKey = Free(columns: [("id", UInt64.max)])
            for _ in 0..<2 { expectError(DatabaseError.self) { try badKey.delete(db) } }
        }
    }

    @Test func changedSchemas() throws {
        try RecordTables.write { db in
            let player = try PlayerRecord(id: 1, name: "a", score: 1).inserted(db)
            for _ in 0..<2 { try player.update(db) }
            try db.execute(
                sql: """
                    DROP TABLE player;
                    CREATE TABLE player(id INTEGER, name TEXT PRIMARY KEY, score INTEGER);
                    INSERT INTO player VALUES (7, 'a', 3)
                    """)
            for _ in 0..<2 {
                try player.update(db)
                try expectEqual(PlayerRecord.fetchAll(db), [player])
                try expectTrue(PlayerRecord.exists(db, key: "a"))
                try expectTrue(player.exists(db))
            }
            try expectTrue(player.delete(db))
        }
    }

    @Test func fetchedForms() throws {
        try RecordTables.write { db in
            for round in 1...3 {
                let player = PlayerRecord(name: "a\(round)", score: round)
                let inserted = try player.insertAndFetch(db)
                expectEqual(
                    inserted, PlayerRecord(id: Int64(round), name: "a\(round)", score: round))
                var changed = inserted
                changed.score = 10
                try expectEqual(changed.updateAndFetch(db), changed)
                try expectEqual(
                    changed.updateAndFetch(db, as: PartialPlayer.self).name, "a\(round)")
                changed.score = 11
                try expectEqual(changed.upsertAndFetch(db), changed)
                try expectEqual(
                    changed.upsertAndFetch(
                        db, onConflict: ["id"], updating: .noColumnUnlessSpecified
                    )
                    .score,
                    11)
            }
        }
    }
}
