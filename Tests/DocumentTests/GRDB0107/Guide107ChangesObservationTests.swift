import GRDB
import GRDBTestSupport
import Testing

/// The chapter "Database Changes Observation".
@Suite(.databases) struct Guide107ChangesObservationTests {
    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE persons(id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
                    CREATE TABLE pets(
                        id INTEGER PRIMARY KEY,
                        ownerId INTEGER REFERENCES persons(id) ON DELETE CASCADE);
                    CREATE TABLE keys(k TEXT PRIMARY KEY) WITHOUT ROWID;
                    """)
        }
        return dbQueue
    }

    private let insert = "INSERT INTO persons(name, age) VALUES ('Arthur', 42)"
    private let update = "UPDATE persons SET name = 'Barbara'"

    /// The callbacks of an access, numbered as in the guide.
    private func callbacks(
        _ writes: (DatabaseQueue, TransactionRecorder) throws -> Void
    ) throws -> [String] {
        let dbQueue = try makeQueue()
        let observer = TransactionRecorder()
        dbQueue.add(transactionObserver: observer)
        try writes(dbQueue, observer)
        return observer.lines().map { String($0.prefix { $0 != " " }) }
    }

    @Test func transactions() throws {
        try expectEqual(
            callbacks { dbQueue, _ in
                try dbQueue.inTransaction { db in
                    try db.execute(sql: insert)
                    try db.execute(sql: update)
                    return .commit
                }
                try dbQueue.inTransaction { db in
                    try db.execute(sql: insert)
                    try db.execute(sql: update)
                    return .rollback
                }
            },
            [
                "didChange", "didChange", "willCommit", "didCommit",
                "didChange", "didChange", "didChange", "didRollback",
            ])
    }

    @Test func statementsWithoutTransaction() throws {
        try expectEqual(
            callbacks { dbQueue, _ in
                try dbQueue.inDatabase { db in
                    try db.execute(sql: insert)
                    try db.execute(sql: update)
                }
            },
            [
                "didChange", "willCommit", "didCommit", "didChange", "willCommit", "didCommit",
            ])
    }

    @Test func savepoints() throws {
        try expectEqual(
            callbacks { dbQueue, observer in
                try dbQueue.inTransaction { db in
                    try db.execute(sql: insert)
                    try db.execute(sql: "SAVEPOINT foo")
                    try db.execute(sql: update)
                    try db.execute(sql: update)
                    observer.mark("RELEASE")
                    try db.execute(sql: "RELEASE SAVEPOINT foo")
                    try db.execute(sql: "SAVEPOINT foo")
                    try db.execute(sql: update)
                    try db.execute(sql: "ROLLBACK TO SAVEPOINT foo")
                    return .commit
                }
            },
            [
                "didChange", "RELEASE", "didChange", "didChange", "willCommit", "didCommit",
            ])
    }

    @Test func errorOfAnObserver() throws {
        let dbQueue = try makeQueue()
        let observer = TransactionRecorder()
        observer.onWillCommit = { throw TestError("no") }
        dbQueue.add(transactionObserver: observer)
        do {
            try dbQueue.inTransaction { db in
                try db.execute(sql: insert)
                return .commit
            }
            Issue.record("The commit succeeded")
        } catch {
            expectEqual(error as? TestError, TestError("no"))
        }
        expectEqual(
            observer.lines(),
            ["didChange insert main.persons 1", "willCommit", "didRollback"])
    }

    @Test func whatIsNotNotified() throws {
        try expectEqual(
            callbacks { dbQueue, _ in
                try dbQueue.inTransaction { db in
                    try db.execute(sql: "CREATE TABLE other(a)")
                    try db.execute(sql: "INSERT INTO keys VALUES ('k')")
                    try db.execute(sql: "INSERT INTO persons(id) VALUES (1)")
                    try db.execute(sql: "INSERT OR REPLACE INTO persons(id) VALUES (1)")
                    return .commit
                }
            },
            ["didChange", "didChange", "willCommit", "didCommit"])
    }

    @Test func foreignKeyActionsAreNotified() throws {
        let dbQueue = try makeQueue()
        try dbQueue.inDatabase { db in
            try db.execute(sql: insert + "; INSERT INTO pets VALUES (7, 1)")
        }
        let observer = TransactionRecorder()
        dbQueue.add(transactionObserver: observer)
        try dbQueue.inDatabase { try $0.execute(sql: "DELETE FROM persons") }
        expectTrue(observer.lines().contains("didChange delete main.pets 7"))
    }

    // BAD: An inefficient way to track the "persons" table:
    private final class InefficientPersonObserver: TransactionObserver {
        var personsTableModified = false
        var eventCount = 0
        let log: Log<String>

        init(_ log: Log<String>) { self.log = log }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            // Observe all events
            return true
        }

        func databaseDidChange(with event: DatabaseEvent) {
            eventCount += 1
            if event.tableName == "persons" {
                personsTableModified = true
            }
        }

        func databaseDidRollback(_ db: Database) {
            // Get ready for next transaction
            personsTableModified = false
        }

        func databaseDidCommit(_ db: Database) {
            if personsTableModified {
                // Process committed changes to the persons table
                log.append("persons")
            }
            // Get ready for next transaction
            personsTableModified = false
        }
    }

    /// Both observers tell the same, in queues and pools. One of them is called less often.
    @Test(arguments: DatabaseKind.allCases)
    func observersOfAllEvents(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        let logs = [Log<String>(), Log<String>()]
        let inefficient = InefficientPersonObserver(logs[0])
        let efficient = PersonObserver(logs[1])
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE persons(id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
                    CREATE TABLE pets(id INTEGER PRIMARY KEY, ownerId INTEGER);
                    """)
        }
        writer.add(transactionObserver: inefficient)
        writer.add(transactionObserver: efficient)
        try writer.write { db in
            for _ in 0..<10 { try db.execute(sql: "INSERT INTO pets(ownerId) VALUES (1)") }
        }
        expectEqual(logs.map(\.elements), [[], []])
        try writer.write { try $0.execute(sql: insert) }
        expectEqual(logs.map(\.elements), [["persons"], ["persons"]])
        try? writer.write { db in
            try db.execute(sql: update)
            throw TestError()
        }
        try writer.write { try $0.execute(sql: "DELETE FROM pets WHERE id > 1") }
        expectEqual(logs.map(\.elements), [["persons"], ["persons"]])
        expectEqual(inefficient.eventCount, 10 + 1 + 1 + 9)
        expectEqual(efficient.eventCount, 1 + 1)
    }

    /// "Database holds weak references to its transaction observers"
    @Test(arguments: DatabaseKind.allCases)
    func observersAreNotRetained(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE persons(id INTEGER PRIMARY KEY)") }
        let log = Log<String>()
        weak var weakObserver: PersonObserver?
        try {
            let observer = PersonObserver(log)
            weakObserver = observer
            writer.add(transactionObserver: observer)
            try writer.write { try $0.execute(sql: "INSERT INTO persons DEFAULT VALUES") }
            withExtendedLifetime(observer) {}
        }()
        expectNil(weakObserver)
        try writer.write { try $0.execute(sql: "INSERT INTO persons DEFAULT VALUES") }
        expectEqual(log.elements, ["persons"])
    }

    // GOOD: An efficient way to track the "persons" table
    private final class PersonObserver: TransactionObserver {
        var personsTableModified = false
        var eventCount = 0
        let log: Log<String>

        init(_ log: Log<String>) { self.log = log }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            // Only observe changes to the "persons" table.
            return eventKind.tableName == "persons"
        }

        func databaseDidChange(with event: DatabaseEvent) {
            eventCount += 1
            personsTableModified = true  // Guaranteed
        }

        func databaseDidRollback(_ db: Database) {
            // Get ready for next transaction
            personsTableModified = false
        }

        func databaseDidCommit(_ db: Database) {
            if personsTableModified {
                // Process committed changes to the persons table
                log.append("persons")
            }
            // Get ready for next transaction
            personsTableModified = false
        }
    }

    @Test func observerOfOneTable() throws {
        let dbQueue = try makeQueue()
        let log = Log<String>()
        let observer = PersonObserver(log)
        dbQueue.add(transactionObserver: observer)
        try dbQueue.inDatabase { db in
            try db.execute(sql: "INSERT INTO keys VALUES ('k')")
            expectEqual(log.elements, [])
            try db.execute(sql: insert)
            expectEqual(log.elements, ["persons"])
        }
        withExtendedLifetime(observer) {}
    }

    private final class NameObserver: TransactionObserver {
        var count = 0

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            // Only observe changes to the "name" column of the "persons" table.
            switch eventKind {
            case .insert(let tableName):
                return tableName == "persons"
            case .delete(let tableName):
                return tableName == "persons"
            case .update(let tableName, let columnNames):
                return tableName == "persons" && columnNames.contains("name")
            }
        }

        func databaseDidChange(with event: DatabaseEvent) { count += 1 }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    @Test func observerOfOneColumn() throws {
        let dbQueue = try makeQueue()
        let observer = NameObserver()
        dbQueue.add(transactionObserver: observer)
        try dbQueue.inDatabase { db in
            try db.execute(sql: insert)
            try db.execute(sql: "UPDATE persons SET age = 43")
            expectEqual(observer.count, 1)
            try db.execute(sql: update)
            expectEqual(observer.count, 2)
        }
    }

    /// "Initial / final values for the row's columns"
    @Test func preUpdateEvents() throws {
        let dbQueue = try makeQueue()
        let observer = TransactionRecorder(nil, [.willChange])
        var events: [DatabasePreUpdateEvent] = []
        observer.onWillChange = { events.append($0.copy()) }
        dbQueue.add(transactionObserver: observer)
        try dbQueue.inDatabase { try $0.execute(sql: insert + "; " + update) }
        expectEqual(events.map(\.kind), [.insert, .update])
        expectEqual(events[1].initialDatabaseValue(forColumn: "name"), "Arthur".databaseValue)
        expectEqual(events[1].finalDatabaseValue(forColumn: "name"), "Barbara".databaseValue)
        expectEqual(events[1].finalDatabaseValue(atIndex: 2), 42.databaseValue)
    }
}
