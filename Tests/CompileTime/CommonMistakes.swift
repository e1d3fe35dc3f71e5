// The mistakes that the FAQ of the guides lists, with the messages of the compiler that it quotes.
// `scripts/check-compile-time` compiles this file, and compares the messages with those in its comments.

import Foundation
import GRDB

struct Player: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var score: Int

    enum Columns {
        static let score = Column(CodingKeys.score)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

struct Team: Codable {
    var id: Int64
}

struct Club: Codable, FetchableRecord, PersistableRecord {
    // error: static property 'databaseTableName' is not concurrency-safe because it is nonisolated global shared mutable state
    static var databaseTableName = "clubs"

    var id: Int64
}

public struct Match: Codable, FetchableRecord, PersistableRecord {
    var id: Int64

    // error: enum 'Columns' must be declared public because it matches a requirement in public protocol 'TableRecord'
    enum Columns {
        static let id = Column(CodingKeys.id)
    }
}

final class Document: FetchableRecord {
    let title: String

    init(row: Row) throws { title = row["title"] }
}

@MainActor final class PlayerModel {
    var players: [Player] = []

    func load(_ dbQueue: DatabaseQueue) async throws {
        // error: main actor-isolated property 'players' can not be mutated from a Sendable closure
        try await dbQueue.read { db in self.players = try Player.fetchAll(db) }
    }
}

func insertsConstant(_ dbQueue: DatabaseQueue) throws {
    let player = Player(id: nil, name: "Arthur", score: 0)
    // error: cannot use mutating member on immutable value: 'player' is a 'let' constant
    try dbQueue.write { db in try player.insert(db) }
}

func insertsTemporary(_ db: Database) throws {
    // error: cannot use mutating member on immutable value: function call returns immutable value
    try Player(id: nil, name: "Arthur", score: 0).insert(db)
}

func insertsCapturedVariable(_ dbQueue: DatabaseQueue) async throws {
    var player = Player(id: nil, name: "Arthur", score: 0)
    // error: mutation of captured var 'player' in concurrently-executing code
    try await dbQueue.write { db in try player.insert(db) }
    print(player)
}

func returnsClass(_ dbQueue: DatabaseQueue) async throws -> Int {
    // error: type 'Document' does not conform to the 'Sendable' protocol
    let documents = try await dbQueue.read { db in try Document.fetchAll(db, sql: "SELECT 1") }
    return documents.count
}

func fetchesCodable(_ db: Database) throws {
    _ = try Team.fetchAll(db)  // error: type 'Team' has no member 'fetchAll'
}

func misspells(_ db: Database) throws {
    // error: type 'Player.Columns' has no member 'scores'
    _ = try Player.filter { $0.scores > 1 }.fetchAll(db)
}

func concatenates(_ db: Database, name: String) throws {
    // error: cannot convert value of type 'String' to expected argument type 'SQL'
    try db.execute(literal: "DELETE FROM player WHERE name = " + name)
}

func forgetsAwait(_ dbQueue: DatabaseQueue) async throws {
    // error: expression is 'async' but is not marked with 'await'
    let players = try dbQueue.read { db in try Player.fetchAll(db) }
    print(players)
}
