import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The rows that `deleteAll` and `updateAll` change are the rows that the request fetches.
@Suite(.databases) struct BatchRowsModelTests {
    private static let seedCount =
        ProcessInfo.processInfo.environment["GRDB_BATCH_SEEDS"].flatMap { UInt64($0) } ?? 4

    @Test(arguments: 0..<seedCount)
    func batchesChangeTheFetchedRows(seed: UInt64) throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.inDatabase { db in
            try BatchModel.createTables(db)
            var random = SplitMix64(seed: seed)
            for _ in 0..<8 {
                try BatchModel.fillTables(db, &random)
                for _ in 0..<40 { try check(db, &random, seed) }
            }
        }
    }

    /// Compares what a random request fetches with what it changes.
    private func check(_ db: Database, _ random: inout SplitMix64, _ seed: UInt64) throws {
        let request = BatchModel.request(&random)
        // Some orders can't be reversed, or number a column that is not selected.
        guard let rows = try? Row.fetchAll(db, request) else { return }
        let sql = try request.makePreparedRequest(db).statement.sql
        let fetched = Set(rows.compactMap { $0["key"] as Int? })
        for isUpdate in [true, false] {
            try db.inSavepoint {
                let before = try keys(db, "1")
                let changed: Set<Int>
                let count: Int
                do {
                    if isUpdate {
                        count = try request.updateAll(db, Column("flag").set(to: 1))
                        changed = try keys(db, "flag")
                    } else {
                        count = try request.deleteAll(db)
                        changed = try before.subtracting(keys(db, "1"))
                    }
                } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
                    // What does not identify rows is refused.
                    let isRefused =
                        sql.contains("HAVING") || sql.contains("GROUP BY")
                        || sql.contains("SELECT DISTINCT \"item\".\"name\"")
                            && sql.contains("LIMIT")
                        || sql.contains("SELECT DISTINCT \"name\"") && sql.contains("LIMIT")
                    expectTrue(isRefused, "seed \(seed): \(sql): \(error)")
                    return .rollback
                }
                expectTrue(
                    changed == fetched && count == fetched.count,
                    "seed \(seed), \(isUpdate ? "update" : "delete"): \(sql)")
                return .rollback
            }
        }
    }

    private func keys(_ db: Database, _ condition: String) throws -> Set<Int> {
        try Int.fetchSet(db, sql: "SELECT key FROM item WHERE \(condition)")
    }
}

private enum BatchModel {
    struct Item: TableRecord {
        static let databaseTableName = "item"
        static let parts = hasMany(Part.self)
        static let owner = belongsTo(Owner.self)
    }

    struct Part: TableRecord {
        static let databaseTableName = "part"
        static let tags = hasMany(Tag.self)
    }

    struct Owner: TableRecord {
        static let databaseTableName = "owner"
    }

    struct Tag: TableRecord {
        static let databaseTableName = "tag"
    }

    static func createTables(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE owner (id INTEGER PRIMARY KEY, name);
                CREATE TABLE item (
                    key INTEGER PRIMARY KEY, ownerId REFERENCES owner, name, size, flag DEFAULT 0);
                CREATE TABLE part (
                    id INTEGER PRIMARY KEY, itemKey REFERENCES item ON DELETE CASCADE, name, size);
                CREATE TABLE tag (
                    id INTEGER PRIMARY KEY, partId REFERENCES part ON DELETE CASCADE, name);
                """)
    }

    static func fillTables(_ db: Database, _ random: inout SplitMix64) throws {
        func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
        func optional(_ count: Int) -> Int? {
            count == 0 || number(0...4) == 0 ? nil : number(1...count)
        }
        try db.execute(
            sql: "DELETE FROM tag; DELETE FROM part; DELETE FROM item; DELETE FROM owner")
        let names = ["a", "b", "c", nil]
        func name() -> String? { names.randomElement(using: &random)! }
        let (owners, items, parts) = (number(0...4), number(1...9), number(0...14))
        if owners > 0 {
            for id in 1...owners {
                try db.execute(sql: "INSERT INTO owner VALUES (?, ?)", arguments: [id, name()])
            }
        }
        for key in 1...items {
            try db.execute(
                sql: "INSERT INTO item VALUES (?, ?, ?, ?, 0)",
                arguments: [key, optional(owners), name(), number(0...3)])
        }
        for id in 0..<parts {
            try db.execute(
                sql: "INSERT INTO part VALUES (?, ?, ?, ?)",
                arguments: [id, optional(items), name(), number(0...3)])
        }
        for id in 0..<number(0...10) where parts > 0 {
            try db.execute(
                sql: "INSERT INTO tag VALUES (?, ?, ?)",
                arguments: [id, number(0...(parts - 1)), name()])
        }
    }

    static func request(_ random: inout SplitMix64) -> QueryInterfaceRequest<Item> {
        func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
        func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
        var request = Item.all()
        let (name, size, key) = (Column("name"), Column("size"), Column("key"))
        var names = 0

        // Selections
        switch number(0...9) {
        case 0: request = request.select(name, key)
        case 1: request = request.select(size, key, name)
        case 2: request = request.select(key)
        case 3:
            // Rows without their key can't be identified if duplicates count.
            request = request.select(name)
            return request.distinct().limit(2)
        case 4...6:
            names = 1
            let isHiding = chance(3)
            request = request.annotated(
                with: (size * -1 + number(0...2)).forKey(isHiding ? "size" : "rank"))
            if chance(2) {
                request = request.order(Column(isHiding ? "size" : "rank").detached)
            }
        default: break
        }

        // Conditions
        if chance(3) { request = request.filter(size > number(0...3)) }
        if chance(3) { request = request.filter(name == ["a", "b", "c"][number(0...2)]) }
        if chance(5) { request = request.filter(Item.filter(size == 2).select(key).contains(key)) }

        // Joins
        var parts = Item.parts
        if chance(3) { parts = parts.filter(size < number(0...3)) }
        if chance(3) { parts = parts.order(name.desc) }
        if chance(3) { parts = parts.select(name) }
        if chance(4) { parts = parts.joining(required: Part.tags) }
        if chance(4) { parts = parts.including(optional: Part.tags.select(name)) }
        switch number(0...6) {
        case 0: request = request.joining(required: parts)
        case 1: request = request.joining(optional: parts)
        case 2: request = request.including(required: parts)
        case 3: request = request.including(optional: parts)
        case 4: request = request.including(all: parts)
        default: break
        }
        switch number(0...5) {
        case 0: request = request.joining(required: Item.owner)
        case 1: request = request.including(optional: Item.owner.order(name))
        case 2:
            request = request.annotated(withOptional: Item.owner.select(name.forKey("ownerName")))
        default: break
        }

        // Order
        switch number(0...5) {
        case 0: request = request.order(size, name)
        case 1: request = request.order(name.desc)
        case 2 where names == 0: request = request.order(SQLExpression.resultColumn(1).desc)
        case 3 where names == 0: request = request.order(sql: "2")
        default: break
        }
        if chance(2) { request = request.distinct() }
        if chance(8) { request = request.groupByPrimaryKey() }
        request = request.withStableOrder()
        if chance(4) { request = request.reversed() }
        if chance(2) {
            request = request.limit(number(0...4), offset: chance(2) ? number(0...3) : nil)
        }
        return request
    }
}
