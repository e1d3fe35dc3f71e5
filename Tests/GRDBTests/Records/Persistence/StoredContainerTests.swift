import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The containers that callbacks receive tell what was stored.
@Suite(.databases) struct StoredContainerTests {
    /// A record that never encodes the same values.
    private struct Ticket: PersistableRecord {
        static let databaseTableName = "ticket"

        var id: Int
        var counter: Log<Int>
        var containers = Log<PersistenceContainer>()

        func encode(to container: inout PersistenceContainer) {
            counter.append(0)
            container["id"] = id
            container["number"] = counter.elements.count
            container["text"] = "n° \(counter.elements.count)"
            container["blob"] = Data([UInt8(counter.elements.count)])
            container["long"] = String(repeating: "\(counter.elements.count)", count: 5_000)
            container["real"] = Double(counter.elements.count) / 2
            container["absent"] = nil as Int?
        }

        func didInsert(_ inserted: InsertionSuccess) {
            containers.append(inserted.persistenceContainer)
        }

        func didUpdate(_ updated: PersistenceSuccess) {
            containers.append(updated.persistenceContainer)
        }
    }

    private static let table = """
        CREATE TABLE ticket(id INTEGER PRIMARY KEY, number, text, blob, long, real, absent)
        """

    @Test(arguments: ["UTF-8", "UTF-16le"]) func values(encoding: String) throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "PRAGMA encoding = '\(encoding)'; \(Self.table)")
            let counter = Log<Int>()
            func check(_ ticket: Ticket) throws {
                let row = try unwrap(
                    Row.fetchOne(
                        db, sql: "SELECT * FROM ticket WHERE id = ?", arguments: [ticket.id]))
                let container = try unwrap(ticket.containers.elements.last)
                expectEqual(container.map { $0.0 }, Array(row.columnNames))
                expectEqual(container.map { $0.1 }, Array(row.databaseValues))
            }
            for id in 0..<4 {
                let ticket = Ticket(id: id, counter: counter)
                try ticket.insert(db)
                try check(ticket)
                for _ in 0..<3 {
                    try ticket.update(db)
                    try check(ticket)
                }
            }
        }
    }

    @Test func containersOfFormerRecords() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: Self.table)
            let counter = Log<Int>()
            let containers = Log<PersistenceContainer>()
            for id in 0..<4 {
                let ticket = Ticket(id: id, counter: counter, containers: containers)
                try ticket.insert(db)
            }
            // The statements go.
            try db.execute(sql: "ALTER TABLE ticket ADD COLUMN extra")
            try Ticket(id: 4, counter: counter, containers: containers).insert(db)
            try expectEqual(
                containers.elements.map { $0["number"]?.databaseValue },
                Row.fetchAll(db, sql: "SELECT number FROM ticket").map { $0["number"] })
        }
    }

    @Test func containersThatOutliveTheDatabase() throws {
        let containers = Log<PersistenceContainer>()
        let queue = try TestDatabases.makeQueue()
        try queue.write { db in
            try db.execute(sql: Self.table)
            for id in 0..<3 {
                try Ticket(id: id, counter: Log(), containers: containers).insert(db)
            }
        }
        try queue.close()
        expectEqual(
            containers.elements.map { $0["id"]?.databaseValue },
            [0, 1, 2].map(\.databaseValue))
        var copy = containers.elements[2]
        copy["id"] = 5
        expectEqual(copy["ID"] as? DatabaseValue, 5.databaseValue)
        expectEqual(containers.elements[2]["id"] as? DatabaseValue, 2.databaseValue)
    }

    @Test func containersInOtherThreads() async throws {
        let queue = try TestDatabases.makeQueue()
        let counter = Log<Int>()
        let containers = Log<PersistenceContainer>()
        try await queue.write { try $0.execute(sql: Self.table) }
        let reader = Task {
            while containers.elements.count < 200 {
                for container in containers.elements.suffix(3) {
                    let number = container["number"].flatMap {
                        Int.fromDatabaseValue($0.databaseValue)
                    }
                    expectEqual(container["text"]?.databaseValue, "n° \(number ?? 0)".databaseValue)
                }
                await Task.yield()
            }
        }
        for id in 0..<200 {
            try await queue.write { db in
                try Ticket(id: id, counter: counter, containers: containers).insert(db)
            }
        }
        await reader.value
    }

    /// A record that inserts others around its own insertion.
    private struct Parent: MutablePersistableRecord {
        static let databaseTableName = "ticket"
        var id: Int64?
        var text: String
        var log: Log<String>

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["text"] = text
        }

        func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
            let saved = try save()
            if text.count < 3 {
                var child = Parent(text: text + "x", log: log)
                try child.save(db)
            }
            log.append("\(saved.persistenceContainer)")
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    @Test func nestedOperations() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: Self.table)
            let log = Log<String>()
            for index in 0..<3 {
                var parent = Parent(text: "\(index)", log: log)
                try parent.insert(db)
                try parent.update(db)
            }
            let rows = try Row.fetchAll(db, sql: "SELECT id, text FROM ticket").map(\.description)
            expectEqual(Set(log.elements), Set(rows))
        }
    }

    private struct NotAColumn: PersistableRecord {
        static let databaseTableName = "ticket"
        var log: Log<String>

        func encode(to container: inout PersistenceContainer) {
            container["id"] = 1
            container["text"] = "a"
            container["notAColumn"] = "b"
        }

        func didUpdate(_ updated: PersistenceSuccess) {
            log.append("\(updated.persistenceContainer)")
        }
    }

    @Test func columnsThatAreNotInTheTable() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "\(Self.table); INSERT INTO ticket (id) VALUES (1)")
            let log = Log<String>()
            for _ in 0..<3 { try NotAColumn(log: log).update(db) }
            expectEqual(
                log.elements,
                Array(repeating: #"[id:1 text:"a" notAColumn:"b"]"#, count: 3))
        }
    }

    @Test func errorsShowWhatWasBound() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.publicStatementArguments = true
        try TestDatabases.makeQueue(.memory, configuration).inDatabase { db in
            try db.execute(
                sql: "CREATE TABLE ticket(id INTEGER, text UNIQUE, number CHECK (number < 3))")
            struct Numbered: PersistableRecord {
                static let databaseTableName = "ticket"
                var log: Log<Int>
                func encode(to container: inout PersistenceContainer) {
                    log.append(0)
                    container["number"] = log.elements.count
                }
            }
            let log = Log<Int>()
            for _ in 0..<2 { try Numbered(log: log).insert(db) }
            expectError(
                """
                SQLite error 19: CHECK constraint failed: number < 3 - while executing \
                `INSERT INTO "ticket" ("number") VALUES (?)` with arguments [3]
                """
            ) {
                try Numbered(log: log).insert(db)
            }
        }
    }

    /// A record that keeps the container that it is encoded into.
    private struct Leak: PersistableRecord {
        static let databaseTableName = "ticket"

        var id: Int
        var leaks: Log<PersistenceContainer>

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            leaks.append(container)
            if var former = leaks.elements.dropLast().last {
                former["id"] = -1
                former["number"] = -1
            }
            container["number"] = id
        }
    }

    @Test func aContainerThatIsKeptDoesNotReachOtherRecords() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: Self.table)
            let leaks = Log<PersistenceContainer>()
            for id in 1...5 {
                try Leak(id: id, leaks: leaks).insert(db)
            }
            let rows = try Row.fetchAll(db, sql: "SELECT id, number FROM ticket ORDER BY id")
            expectEqual(rows, (1...5).map { ["id": $0, "number": $0] })
        }
    }
}
