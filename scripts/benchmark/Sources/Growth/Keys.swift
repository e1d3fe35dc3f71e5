// Rows by their keys: single keys, and keys of two columns.

import GRDB

private struct Single: Codable, Hashable, FetchableRecord, PersistableRecord, Identifiable {
    static let databaseTableName = "single"
    static let items = hasMany(Item.self, key: "items", using: ForeignKey(["singleId"]))
    var id: Int
    var mark: Int
}

private struct Compound: Codable, Hashable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "compound"
    static let items = hasMany(
        Item.self, key: "items", using: ForeignKey(["a", "b"], to: ["a", "b"]))
    var a: Int
    var b: String
    var mark: Int
}

private struct Item: Codable, Hashable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"
    var id: Int
    var singleId: Int
    var a: Int
    var b: String
}

private struct SingleWithItems: Decodable, FetchableRecord {
    var id: Int
    var items: [Item]
}

private struct CompoundWithItems: Decodable, FetchableRecord {
    var a: Int
    var items: [Item]
}

private let amounts = [1, 1_000, 1_001, 33_000, 200_000]

/// A database whose tables have as many rows, and one more.
private func makeQueue(_ count: Int) throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
        try db.execute(
            sql: """
                CREATE TABLE single (id INTEGER PRIMARY KEY, mark INTEGER);
                CREATE TABLE compound (a INTEGER, b TEXT, mark INTEGER, PRIMARY KEY (a, b));
                CREATE TABLE item (id INTEGER PRIMARY KEY, singleId INTEGER, a INTEGER, b TEXT);
                CREATE INDEX itemOfSingle ON item(singleId);
                CREATE INDEX itemOfCompound ON item(a, b);
                WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO single SELECT i, 0 FROM n;
                INSERT INTO compound SELECT id / 7, 'b' || id, 0 FROM single;
                INSERT INTO item SELECT id, id, id / 7, 'b' || id FROM single;
                """)
    }
    return dbQueue
}

private typealias Key = [String: (any DatabaseValueConvertible)?]

private func series(
    _ name: String, _ work: @escaping (Database, _ ids: [Int], _ keys: [Key]) throws -> Int
) -> Series {
    Series(name: name, unit: "keys", amounts: amounts) { count in
        let dbQueue = try makeQueue(count)
        let ids = Array(0..<count)
        let keys: [Key] = ids.map { ["a": $0 / 7, "b": "b\($0)"] }
        return {
            try dbQueue.writeWithoutTransaction { db in
                var result = 0
                // What is deleted is there again next time.
                try db.inTransaction {
                    result = try work(db, ids, keys)
                    return .rollback
                }
                return result
            }
        }
    }
}

func keySeries() throws -> [Series] {
    [
        series("keys: fetchAll(ids:)") { db, ids, _ in try Single.fetchAll(db, ids: ids).count },
        series("keys: fetchAll(keys:) of two columns") { db, _, keys in
            try Compound.fetchAll(db, keys: keys).count
        },
        series("keys: fetchSet(ids:)") { db, ids, _ in try Single.fetchSet(db, ids: ids).count },
        series("keys: fetchSet(keys:) of two columns") { db, _, keys in
            try Compound.fetchSet(db, keys: keys).count
        },
        series("keys: fetchOne(id:)") { db, ids, _ in
            try ids.reduce(0) { try $0 + (Single.fetchOne(db, id: $1) == nil ? 0 : 1) }
        },
        series("keys: fetchOne(key:) of two columns") { db, _, keys in
            try keys.reduce(0) { try $0 + (Compound.fetchOne(db, key: $1) == nil ? 0 : 1) }
        },
        series("keys: exists(id:)") { db, ids, _ in
            try ids.reduce(0) { try $0 + (Single.exists(db, id: $1) ? 1 : 0) }
        },
        series("keys: exists(key:) of two columns") { db, _, keys in
            try keys.reduce(0) { try $0 + (Compound.exists(db, key: $1) ? 1 : 0) }
        },
        series("keys: filter(ids:).fetchCount") { db, ids, _ in
            try Single.filter(ids: ids).fetchCount(db)
        },
        series("keys: filter(keys:).fetchCount of two columns") { db, _, keys in
            try Compound.filter(keys: keys).fetchCount(db)
        },
        series("keys: filter(ids:).updateAll") { db, ids, _ in
            try Single.filter(ids: ids).updateAll(db, Column("mark").set(to: 1))
        },
        series("keys: filter(keys:).updateAll of two columns") { db, _, keys in
            try Compound.filter(keys: keys).updateAll(db, Column("mark").set(to: 1))
        },
        series("keys: deleteAll(ids:)") { db, ids, _ in try Single.deleteAll(db, ids: ids) },
        series("keys: deleteAll(keys:) of two columns") { db, _, keys in
            try Compound.deleteAll(db, keys: keys)
        },
        series("keys: prefetch") { db, ids, _ in
            try Single.filter(ids: ids).including(all: Single.items)
                .asRequest(of: SingleWithItems.self).fetchAll(db)
                .reduce(0) { $0 + $1.items.count }
        },
        series("keys: prefetch by two columns") { db, _, keys in
            try Compound.filter(keys: keys).including(all: Compound.items)
                .asRequest(of: CompoundWithItems.self).fetchAll(db)
                .reduce(0) { $0 + $1.items.count }
        },
    ]
}
