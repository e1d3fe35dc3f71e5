import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Any number of keys, on every path that takes keys.
@Suite(.databases) struct ManyKeysTests {
    private struct Single: Codable, Hashable, FetchableRecord, PersistableRecord, Identifiable {
        static let databaseTableName = "single"
        static let items = hasMany(Item.self, key: "items", using: ForeignKey(["singleId"]))
        var id: Int
        var code: String
        var mark = 0
    }

    private struct Compound: Codable, Hashable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "compound"
        static let items = hasMany(
            Item.self, key: "items", using: ForeignKey(["a", "b"], to: ["a", "b"]))
        var a: Int
        var b: String
        var mark = 0
    }

    private struct Item: Codable, Hashable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "item"
        var id: Int
        var singleId: Int
        var a: Int
        var b: String
    }

    /// The tables have a row for each multiple of `step` below `count`.
    private func makeQueue(_ count: Int, step: Int = 1) throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE single (id INTEGER PRIMARY KEY, code TEXT UNIQUE, mark INTEGER);
                    CREATE TABLE compound (a INTEGER, b TEXT, mark INTEGER, PRIMARY KEY (a, b));
                    CREATE TABLE item (id INTEGER PRIMARY KEY, singleId INTEGER, a INTEGER, b TEXT);
                    CREATE INDEX itemOfSingle ON item(singleId);
                    CREATE INDEX itemOfCompound ON item(a, b);
                    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1))
                    INSERT INTO single SELECT i, 'c' || i, 0 FROM n WHERE i % \(step) = 0;
                    INSERT INTO compound SELECT id / 7, 'b' || id, 0 FROM single;
                    INSERT INTO item SELECT id, id, id / 7, 'b' || id FROM single WHERE id % 2;
                    """)
        }
        return dbQueue
    }

    private typealias Key = [String: (any DatabaseValueConvertible)?]

    private static let counts = [1, 99, 100, 1_000, 1_001, 33_000]

    @Test(arguments: counts)
    func everyPath(_ count: Int) throws {
        // Half of the rows have a key, and half of the keys have a row. Of the most keys, only some have one, which
        // takes less time.
        let step = count > 10_000 ? 21 : 1
        let dbQueue = try makeQueue(count, step: step)
        let numbers = (0..<count).map { 2 * $0 }
        let foundNumbers = numbers.filter { $0 < count && $0 % step == 0 }
        let found = foundNumbers.count
        let rowCount = (count - 1) / step + 1
        let codes: [Key] = numbers.map { ["code": "c\($0)"] }
        // Of the most keys, half have the rows, and still more values than a statement has parameters.
        let pairs: [Key] = numbers.prefix(count > 10_000 ? 17_000 : count).map {
            ["a": $0 / 7, "b": "b\($0)"]
        }
        try dbQueue.write { db in
            // Fetching
            let singles = try Single.fetchAll(db, keys: numbers)
            expectEqual(singles.map(\.id).sorted(), foundNumbers)
            try expectEqual(Single.fetchAll(db, ids: numbers), singles)
            try expectEqual(Single.fetchSet(db, keys: numbers), Set(singles))
            try expectEqual(Array(Single.fetchCursor(db, keys: numbers)), singles)
            try expectEqual(Single.filter(keys: numbers).fetchAll(db), singles)
            try expectEqual(Single.fetchSet(db, keys: codes), Set(singles))
            try expectEqual(Set(Single.fetchAll(db, keys: codes)), Set(singles))
            try expectEqual(Single.filter(keys: codes).fetchSet(db), Set(singles))
            let compounds = try Compound.fetchSet(db, keys: pairs)
            expectEqual(
                compounds,
                Set(foundNumbers.map { Compound(a: $0 / 7, b: "b\($0)") }))
            try expectEqual(Set(Compound.fetchAll(db, keys: pairs)), compounds)
            try expectEqual(Set(Array(Compound.fetchCursor(db, keys: pairs))), compounds)
            try expectEqual(Compound.filter(keys: pairs).fetchSet(db), compounds)

            // One row, existence, numbers
            try expectTrue(Single.filter(keys: numbers).fetchOne(db) != nil)
            try expectTrue(Compound.filter(keys: pairs).fetchOne(db) != nil)
            try expectEqual(Compound.fetchOne(db, key: pairs[0]), Compound(a: 0, b: "b0"))
            try expectTrue(Compound.exists(db, key: pairs[0]))
            try expectTrue(!Compound.exists(db, key: ["a": -1, "b": ""]))
            try expectTrue(!Single.filter(keys: codes).isEmpty(db))
            try expectTrue(!Compound.filter(keys: pairs).isEmpty(db))
            try expectEqual(Single.filter(keys: numbers).fetchCount(db), found)
            try expectEqual(Compound.filter(keys: pairs).fetchCount(db), found)
            try expectEqual(Table("compound").filter(keys: pairs).fetchCount(db), found)

            // Changes
            let mark = Column("mark")
            try expectEqual(Single.filter(keys: numbers).updateAll(db, mark.set(to: 1)), found)
            try expectEqual(Compound.filter(keys: pairs).updateAll(db, mark.set(to: 1)), found)
            for table in ["single", "compound"] {
                try expectEqual(Table(table).filter(mark == 1).fetchCount(db), found)
            }
            try expectEqual(Single.deleteAll(db, keys: numbers), found)
            try expectEqual(Single.deleteAll(db, keys: codes), 0)
            try expectEqual(Compound.deleteAll(db, keys: pairs), found)
            try expectEqual(Single.fetchCount(db), rowCount - found)
            try expectEqual(Compound.filter(mark == 0).fetchCount(db), rowCount - found)
            try expectEqual(Table("compound").deleteAll(db, keys: pairs), 0)
        }
    }

    @Test(arguments: counts)
    func prefetchingForManyRows(_ count: Int) throws {
        try makeQueue(count).read { db in
            let single = try Single.including(all: Single.items).asRequest(of: Row.self).fetchAll(
                db)
            expectEqual(single.count, count)
            expectTrue(
                single.allSatisfy { $0.prefetchedRows["items"]!.count == ($0["id"] as Int) % 2 })
            let compound = try Compound.including(all: Compound.items).asRequest(of: Row.self)
                .fetchAll(db)
            expectTrue(
                compound.allSatisfy { row in
                    let number = Int((row["b"] as String).dropFirst())!
                    return row.prefetchedRows["items"]!.map { $0["id"] as Int }
                        == (number % 2 == 0 ? [] : [number])
                })
        }
    }

    @Test func seventyThousandKeys() throws {
        let count = 70_000
        // They have seventy thousand values.
        let pairs: [Key] = (0..<count / 2).map { ["a": $0 / 7, "b": "b\($0)"] }
        try makeQueue(1_000).write { db in
            try expectEqual(Compound.filter(keys: pairs).fetchCount(db), 1_000)
            try expectEqual(Compound.deleteAll(db, keys: pairs), 1_000)
            try expectEqual(Single.fetchAll(db, keys: Array(0..<count)).count, 1_000)
            try expectEqual(Single.deleteAll(db, ids: Array(0..<count)), 1_000)
        }
    }

    @Test func keysOfAllTypes() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, UNIQUE (a, b))")
            func value(_ number: Int) -> (any DatabaseValueConvertible)? {
                switch number % 6 {
                case 0: number
                case 1: Double(number) + 0.5
                case 2: "t\(number)"
                case 3: Data([UInt8(number % 200), 0, 0xff])
                case 4: Int64.max - Int64(number)
                default: nil
                }
            }
            let keys: [Key] = (0..<1_000).map { ["a": value($0), "b": value($0 / 6)] }
            for (id, key) in keys.enumerated() where id % 3 > 0 {
                try db.execute(
                    sql: "INSERT INTO t VALUES (?, ?, ?)", arguments: [id, key["a"]!, key["b"]!])
            }
            let ids = try Table("t").filter(keys: keys).select(Column("id"), as: Int.self)
                .fetchAll(db)
            // A NULL in a key is looked for as well.
            expectEqual(ids.sorted(), keys.indices.filter { $0 % 3 > 0 })
            // Different spellings and orders of columns
            let mixed = keys.enumerated().map { index, key -> Key in
                index % 2 == 0 ? ["A": key["a"]!, "B": key["b"]!] : ["id": index]
            }
            try expectEqual(Table("t").filter(keys: mixed).fetchCount(db), 666)
        }
    }

    @Test func columnsThatAreNoKey() throws {
        try makeQueue(1).write { db in
            for count in [1, 1_000] {
                let keys = [Key](repeating: ["a": 1, "mark": 2], count: count)
                let message = """
                    SQLite error 21: table compound has no unique index on columns a, mark
                    """
                expectError(message) { try Compound.fetchAll(db, keys: keys) }
                expectError(message) { try Compound.deleteAll(db, keys: keys) }
                expectError(message) { try Compound.filter(keys: keys).fetchCount(db) }
                let mixed: [Key] = keys.map { _ in ["a": 1, "b": ""] } + keys
                expectError(message) { try Compound.fetchAll(db, keys: mixed) }
            }
        }
    }

    @Test func nothingIsAskedForNull() throws {
        try makeQueue(1).write { db in
            let table = Table<Single>("single")
            try expectSQL("") {
                try expectTrue(!table.deleteOne(db, key: nil as Int?))
                try expectTrue(!table.exists(db, key: nil as Int?))
                try expectTrue(!Single.deleteOne(db, key: nil as Int?))
                try expectTrue(!Single.exists(db, key: nil as Int?))
            }
        }
    }
}
