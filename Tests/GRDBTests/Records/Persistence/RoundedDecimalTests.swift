import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Decimals of records that a column would round: an error.
@Suite(.databases) struct RoundedDecimalTests {
    struct Item: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var price: Decimal?
        var note: String?
    }

    /// A record that sets its columns itself, from the values of a dictionary.
    struct PlainItem: PersistableRecord {
        static let databaseTableName = "item"
        var price: Decimal?

        func encode(to container: inout PersistenceContainer) {
            container["id"] = 1
            container["price"] = price
        }
    }

    /// Each way to store a record.
    enum Operation: CaseIterable {
        case insert, insertMany, insertAndFetch, upsert, save, saveAndFetch, plain
        case update, columns, updateAndFetch, changes

        var isUpdate: Bool {
            switch self {
            case .update, .columns, .updateAndFetch, .changes: true
            default: false
            }
        }

        func callAsFunction(_ db: Database, _ item: Item) throws {
            switch self {
            case .insert: try item.insert(db, onConflict: .replace)
            case .insertMany: try Item.insertMany(db, [item], onConflict: .replace)
            case .insertAndFetch: _ = try item.insertAndFetch(db, onConflict: .replace)
            case .upsert: try item.upsert(db)
            case .save: try item.save(db, onConflict: .replace)
            case .saveAndFetch: _ = try item.saveAndFetch(db)
            case .plain: try PlainItem(price: item.price).insert(db, onConflict: .replace)
            case .update: try item.update(db)
            case .columns: try item.update(db, columns: ["price"])
            case .updateAndFetch: _ = try item.updateAndFetch(db)
            case .changes:
                guard var former = try Item.fetchOne(db) else { return }
                try former.updateChanges(db) { $0.price = item.price }
            }
        }
    }

    static let long = Decimal(string: "0.123456789012345678")!
    static let short = Decimal(string: "123456.789012345")!

    static func withTable(_ type: String, _ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, price \(type), note TEXT)")
            try body(db)
        }
    }

    @Test(arguments: Operation.allCases)
    func roundedDecimalsAreErrors(operation: Operation) throws {
        try Self.withTable("DECIMAL(20, 18)") { db in
            if operation.isUpdate { try Item(id: 1, price: 1).insert(db) }
            // The first ones are collected, the next ones are bound to the statement of a plan.
            for price in [Self.short, Self.long, nil, Self.long, Self.short, Self.long] {
                let item = Item(id: 1, price: price, note: "0.123456789012345678")
                if price != Self.long {
                    try operation(db, item)
                    expectEqual(try Item.fetchOne(db)?.price, price)
                    continue
                }
                let former = try Item.fetchOne(db)?.price
                let error = expectError(DatabaseError.self) { try operation(db, item) }
                expectEqual(error?.resultCode, .SQLITE_MISMATCH)
                expectTrue(
                    error?.message?.hasPrefix(
                        "the column price of the table item has the type DECIMAL(20, 18)") == true)
                // Nothing has changed.
                expectEqual(try Item.fetchOne(db)?.price, former)
            }
        }
    }

    @Test func errorsNameTheColumnThatRounds() throws {
        struct Sale: Codable, PersistableRecord {
            var id: Int64
            var price: Decimal
            var tax: Decimal
        }
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE sale (id INTEGER PRIMARY KEY, price REAL, tax NUMERIC)")
            try Sale(id: 1, price: 1, tax: 1).insert(db)
            for column in ["price", "tax"] {
                let sale = Sale(
                    id: 2, price: column == "price" ? Self.long : 1,
                    tax: column == "tax" ? Self.long : 1)
                let error = expectError(DatabaseError.self) { try sale.insert(db) }
                expectTrue(
                    error?.message?.hasPrefix("the column \(column) of the table sale") == true)
            }
        }
    }

    @Test(arguments: ["TEXT", "", "BLOB", "VARCHAR(40)"])
    func columnsOfTextAcceptAllDigits(type: String) throws {
        try Self.withTable(type) { db in
            for operation in Operation.allCases where operation != .insertAndFetch {
                if operation.isUpdate { try Item(id: 1, price: 1).insert(db, onConflict: .replace) }
                for _ in 0..<3 {
                    try operation(db, Item(id: 1, price: Self.long))
                    expectEqual(try Item.fetchOne(db)?.price, Self.long)
                }
            }
        }
    }

    /// Values that a column stores without loss.
    @Test(arguments: [
        ("NUMERIC", "123456789012345678"), ("NUMERIC", "-0.000000000123456789012345"),
        ("NUMERIC", "0.1"), ("NUMERIC", "123456789012345"), ("REAL", "0.123456789012345"),
        ("MONEY", "1234567890123.45"), ("REAL", "1000000000000000000000000"),
    ])
    func exactDecimalsAreStored(type: String, number: String) throws {
        try Self.withTable(type) { db in
            let price = Decimal(string: number)!
            for _ in 0..<3 {
                try Item(id: 1, price: price).upsert(db)
                expectEqual(try Item.fetchOne(db)?.price, price)
            }
        }
    }

    @Test(arguments: [
        ("NUMERIC", "123456789012345678.5"), ("NUMERIC", "12345678901234567891"),
        ("REAL", "123456789012345678"), ("DOUBLE", "0.1234567890123456789"),
        ("FLOAT", "-1234567890.123456789"),
    ])
    func columnsOfNumbersRefuseOthers(type: String, number: String) throws {
        try Self.withTable(type) { db in
            for _ in 0..<3 {
                try Item(id: 1, price: 1).upsert(db)
                let error = expectError(DatabaseError.self) {
                    try Item(id: 1, price: Decimal(string: number)!).upsert(db)
                }
                expectEqual(error?.resultCode, .SQLITE_MISMATCH)
            }
        }
    }

    @Test func otherValuesAreAccepted() throws {
        struct Measure: Codable, PersistableRecord {
            static let databaseTableName = "item"
            var id: Int64?
            var price: Double
        }
        struct Day: Codable, PersistableRecord {
            static let databaseTableName = "day"
            var start: Date
            var text: String
        }
        try Self.withTable("REAL") { db in
            try db.execute(sql: "CREATE TABLE day (start DATETIME, text NUMERIC)")
            for value in [0.1 + 0.2, 1.0 / 3, 1e300] {
                try Measure(price: value).insert(db)
                try Day(start: Date(), text: "a text of more than 15 digits").insert(db)
            }
            expectEqual(
                try Double.fetchAll(db, sql: "SELECT price FROM item"), [0.1 + 0.2, 1.0 / 3, 1e300])
            expectEqual(try Int.fetchOne(db, sql: "SELECT count(*) FROM day"), 3)
        }
    }

    @Test func integerColumnsAreNotChecked() throws {
        try Self.withTable("INTEGER") { db in
            try Item(id: 1, price: Self.long).insert(db)
            expectEqual(try String.fetchOne(db, sql: "SELECT typeof(price) FROM item"), "real")
        }
    }

    /// The values of a key identify the row, and are not stored; assigned columns don't store the record's value.
    @Test func onlyStoredValuesMatter() throws {
        try Self.withTable("NUMERIC") { db in
            try Item(id: 1, price: 1).insert(db)
            let item = Item(id: 1, price: Self.long, note: "changed")
            for _ in 0..<3 {
                try item.update(db, columns: ["note"])
                expectTrue(try item.exists(db))
            }
            expectEqual(try Item.fetchOne(db)?.note, "changed")
            expectEqual(try Item.fetchOne(db)?.price, 1)
            expectTrue(try item.delete(db))
        }
    }
}
