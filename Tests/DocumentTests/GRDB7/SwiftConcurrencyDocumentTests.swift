import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the page "Swift Concurrency and GRDB" that compile: those that it marks as errors
/// are errors of the compiler.
@Suite(.databases) struct SwiftConcurrencyDocumentTests {
    // This struct is Sendable
    fileprivate struct Player: Codable, Identifiable {
        var id: Int64?
        var name: String
        var score = 0
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text)
                t.column("score", .integer)
                // Not selected
                t.column("notes", .text)
            }
        }
        return writer
    }

    @Test(arguments: DatabaseKind.allCases)
    func valuesAreObserved(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        try await writer.write { try Player(name: "Arthur").insert($0) }
        let observation = ValueObservation.tracking { db in
            try Player.fetchAll(db)
        }
        var freshNames: [[String]] = []
        for try await players in observation.values(in: writer) {
            freshNames.append(players.map(\.name))
            if players.count > 1 { break }
            try await writer.write { db in
                try Player(name: "Barbara").insert(db)
            }
        }
        expectEqual(freshNames, [["Arthur"], ["Arthur", "Barbara"]])
    }

    /// An error of the fetch ends the loop, and is thrown by it.
    @Test(arguments: DatabaseKind.allCases)
    func observationsThatFail(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let observation = ValueObservation.tracking { db in
            try Player.fetchAll(db)
        }
        var valueCount = 0
        do {
            for try await _ in observation.values(in: writer) {
                valueCount += 1
                try await writer.write { try $0.execute(sql: "ALTER TABLE player RENAME TO p") }
            }
            Issue.record("The loop has ended without an error")
        } catch let error as DatabaseError {
            expectEqual(error.message, "no such table: player")
        }
        expectEqual(valueCount, 1)
    }

    // MARK: - Shorthand Closure Notation

    @Test(arguments: DatabaseKind.allCases)
    func shorthandClosureNotation(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        // Standard closure:
        let count = try await writer.read { db in
            try Player.fetchCount(db)
        }
        expectEqual(count, 0)
        // Shorthand notation:
        let shorthandCount = try await writer.read(Player.fetchCount)
        expectEqual(shorthandCount, 0)
    }

    // MARK: - Non-Sendable Configuration of Record Types

    @Test(arguments: DatabaseKind.allCases)
    func selectionIsComputed(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let sql = try await writer.read { db in
            try Player.all().makePreparedRequest(db).statement.sql
        }
        expectEqual(sql, #"SELECT "id", "name", "score" FROM "player""#)
    }

    // MARK: - Choosing between Synchronous and Asynchronous Database Accesses

    @Test(arguments: DatabaseKind.allCases)
    func accessesOfTasks(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        func synchronousAccess() throws {
            // Synchronous database access
            try writer.write { db in
                try Player(name: "Arthur").insert(db)
            }
        }
        try synchronousAccess()

        // Asynchronous database access
        try await writer.write { db in
            try Player(name: "Barbara").insert(db)
        }

        func fetchPlayers() async throws -> [Player] {
            try await writer.read(Player.fetchAll)
        }
        try await expectEqual(fetchPlayers().map(\.name), ["Arthur", "Barbara"])

        // An access that does not wait is no error in a task.
        let task = Task {
            func players() throws -> [Player] { try writer.read(Player.fetchAll) }
            return try players().count
        }
        try await expectEqual(task.value, 2)
    }

    // MARK: - How to make classes Sendable?

    /// A class of constant properties.
    fileprivate final class Team: Codable, FetchableRecord, PersistableRecord, Sendable {
        let id: Int64
        let name: String

        init(id: Int64, name: String) {
            self.id = id
            self.name = name
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func constantClasses(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let team = Team(id: 1, name: "Reds")
        try await writer.write { db in
            try db.create(table: "team") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text)
            }
            try team.insert(db)
        }
        let fetched = try await writer.read { db in
            try Team.fetchOne(db, id: 1)
        }
        expectEqual(fetched?.name, "Reds")
    }
}

extension SwiftConcurrencyDocumentTests.Team: Identifiable {}

extension SwiftConcurrencyDocumentTests.Player: FetchableRecord, PersistableRecord {
    static var databaseSelection: [any SQLSelectable] {
        [Columns.id, Columns.name, Columns.score]
    }

    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let score = Column("score")
    }
}
