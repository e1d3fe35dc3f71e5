import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The values that `encode(to:)` assigns to columns: of known types, of optional types, boxed, and
/// read back.
@Suite(.databases) struct ContainerSubscriptTests {
    private enum Color: String, DatabaseValueConvertible {
        case red, green
    }

    private struct Item: MutablePersistableRecord {
        enum Columns {
            static let size = Column("size")
            static let color = Column("color")
        }

        static let databaseTableName = "item"

        var note: String?
        var boxed: (any DatabaseValueConvertible)?
        var isLarge = true

        func encode(to container: inout PersistenceContainer) {
            container["id"] = 1
            container[Columns.size] = isLarge ? 2.5 : nil
            container[Columns.color] = Color.green
            container["note"] = note
            container["boxed"] = boxed
            container["mixed"] = isLarge ? "large" : 0
            container["absent"] = nil
            container["value"] = DatabaseValue.null
            container["date"] = Date(timeIntervalSince1970: 0)
            let others: [String: any DatabaseValueConvertible] = ["other": 4]
            for (name, value) in others { container[name] = value }
        }
    }

    private static let table = """
        CREATE TABLE item(
            id INTEGER PRIMARY KEY, size, color, note, boxed, mixed, absent, value, date, other)
        """

    private func row(_ item: Item, _ db: Database) throws -> Row {
        var item = item
        try item.insert(db)
        let row = try Row.fetchOne(db, sql: "SELECT * FROM item")
        try db.execute(sql: "DELETE FROM item")
        return try unwrap(row)
    }

    @Test func assignedValues() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: Self.table)
            // The first insertion collects the values, the second binds them.
            for _ in 1...2 {
                try expectEqual(
                    row(Item(note: "n", boxed: "b"), db),
                    [
                        "id": 1, "size": 2.5, "color": "green", "note": "n", "boxed": "b",
                        "mixed": "large", "absent": nil, "value": nil,
                        "date": "1970-01-01 00:00:00.000", "other": 4,
                    ])
                try expectEqual(
                    row(Item(isLarge: false), db),
                    [
                        "id": 1, "size": nil, "color": "green", "note": nil, "boxed": nil,
                        "mixed": 0, "absent": nil, "value": nil,
                        "date": "1970-01-01 00:00:00.000", "other": 4,
                    ])
            }
        }
    }

    /// A record that copies columns, and derives them from others.
    private struct Derived: PersistableRecord {
        static let databaseTableName = "derived"

        func encode(to container: inout PersistenceContainer) {
            container["a"] = 1
            container["b"] = container["a"]
            container[Column("c")] = container[Column("b")]
            container["d"] = container["none"] ?? container["a"]
        }
    }

    @Test func readBackValues() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE derived(a, b, c, d)")
            for _ in 1...3 { try Derived().insert(db) }
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT DISTINCT * FROM derived"),
                [["a": 1, "b": 1, "c": 1, "d": 1]])
            try expectEqual(Derived.fetchCount(db), 3)
        }
    }

    @Test func valuesOfContainers() throws {
        let container = Log<PersistenceContainer>()
        struct Stored: PersistableRecord {
            static let databaseTableName = "stored"
            let container: Log<PersistenceContainer>
            func encode(to container: inout PersistenceContainer) {
                container["number"] = 1
                container["text"] = "green"
                container["null"] = nil
            }
            func didInsert(_ inserted: InsertionSuccess) {
                container.append(inserted.persistenceContainer)
            }
        }
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE stored(number, text, \"null\")")
            for _ in 1...2 { try Stored(container: container).insert(db) }
        }
        for container in container.elements {
            expectEqual(container["NUMBER"] as? DatabaseValue, 1.databaseValue)
            expectEqual(container["number"]?.databaseValue, 1.databaseValue)
            expectNil(container["none"])
            expectEqual(container["null"]?.databaseValue, .null)
        }
    }
}
