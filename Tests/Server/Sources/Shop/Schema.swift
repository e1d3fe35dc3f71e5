import GRDB

let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("create the shop") { db in
        try db.create(table: "category") { t in
            t.primaryKey("id", .integer)
            t.column("name", .text).notNull().unique()
        }
        try db.create(table: "product") { t in
            t.primaryKey("id", .integer)
            t.belongsTo("category").notNull()
            t.column("name", .text).notNull()
            t.column("description", .text).notNull()
            t.column("price", .integer).notNull()
            t.column("stock", .integer).notNull()
        }
        try db.create(virtualTable: "productText", using: FTS5()) { t in
            t.synchronize(withTable: "product")
            t.tokenizer = .porter()
            t.column("name")
            t.column("description")
        }
    }
    migrator.registerMigration("create purchases") { db in
        try db.create(table: "purchase") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("reference", .text).notNull().unique()
            t.column("total", .integer).notNull()
        }
        try db.create(table: "purchaseLine") { t in
            t.primaryKey {
                t.belongsTo("purchase", onDelete: .cascade)
                t.belongsTo("product")
            }
            t.column("quantity", .integer).notNull()
            t.column("price", .integer).notNull()
        }
        // One row, which a trigger-free transaction keeps: observing it is cheaper than counting.
        try db.create(table: "totals") { t in
            t.primaryKey("id", .integer).check { $0 == 1 }
            t.column("purchases", .integer).notNull()
            t.column("revenue", .integer).notNull()
        }
        try db.execute(sql: "INSERT INTO totals VALUES (1, 0, 0)")
    }
    migrator.registerMigration("stock the shop") { db in
        for (index, name) in words.prefix(10).enumerated() {
            try Category(id: Int64(index + 1), name: name).insert(db)
        }
        // The same shop on each run: figures can be compared.
        var random = LinearCongruentialGenerator(state: 42)
        for id in 1...2_000 as ClosedRange<Int64> {
            let name = (0..<3).map { _ in words[random.next(below: words.count)] }
            let description = (0..<40).map { _ in words[random.next(below: words.count)] }
            try Product(
                id: id, categoryId: 1 + id % 10, name: name.joined(separator: " "),
                description: description.joined(separator: " "),
                price: 100 + random.next(below: 10_000), stock: 1_000_000
            ).insert(db)
        }
    }
    return migrator
}()

private struct LinearCongruentialGenerator {
    var state: UInt64

    mutating func next(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }
}

private let words = """
    kitchen garden office bedroom workshop travel music winter summer school \
    wooden steel copper cotton leather glass paper ceramic rubber silver \
    chair table lamp kettle knife bottle basket blanket pillow mirror \
    clock radio camera pencil notebook envelope hammer ladder bucket brush \
    small large round square folding heavy light quiet bright waterproof \
    red green blue yellow white black orange purple brown grey \
    washing cutting reading writing running sleeping cooking baking sewing painting \
    durable elegant simple modern classic portable adjustable reusable stackable handmade
    """.split(separator: " ").map(String.init)
