import GRDB
import GRDBTestSupport
import Testing

/// Containers that records keep for longer than they are encoded, while they are bound to a statement.
@Suite(.databases)
struct BindingSessionTests {
    /// Keeps what it is encoded with.
    private final class Kept: @unchecked Sendable {
        // Unchecked: used by one thread.
        var containers: [PersistenceContainer] = []
        var keyedContainers: [KeyedEncodingContainer<KeepingPlayer.CodingKeys>] = []
        var encoders: [any Encoder] = []
    }

    private struct KeepingPlayer: PersistableRecord, Encodable {
        static let databaseTableName = "player"

        var name: String
        var kept: Kept?

        enum CodingKeys: String, CodingKey { case name }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            kept?.keyedContainers.append(container)
            kept?.encoders.append(encoder)
        }
    }

    private struct PlainPlayer: PersistableRecord {
        static let databaseTableName = "player"

        var name: String
        var kept: Kept

        func encode(to container: inout PersistenceContainer) {
            container["name"] = name
            kept.containers.append(container)
        }
    }

    private func write(_ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            try body(db)
        }
        try queue.close()
    }

    private func useAll(_ kept: Kept) {
        for var container in kept.keyedContainers {
            expectError(EncodingError.self) { try container.encode("late", forKey: .name) }
            expectError(EncodingError.self) { try container.encodeNil(forKey: .name) }
            expectError(EncodingError.self) {
                try container.encodeIfPresent([1, 2], forKey: .name)
            }
        }
        for encoder in kept.encoders {
            var container = encoder.container(keyedBy: KeepingPlayer.CodingKeys.self)
            expectError(EncodingError.self) { try container.encode("late", forKey: .name) }
        }
    }

    @Test func keyedContainersThrowAfterTheirRecord() throws {
        let kept = Kept()
        try write { db in
            for name in ["a", "b", "c"] {
                try KeepingPlayer(name: name, kept: kept).insert(db)
                useAll(kept)
            }
            try KeepingPlayer(name: "d").insert(db)
            try expectEqual(
                String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id"),
                ["a", "b", "c", "d"])
        }
        // The statement and its session are gone.
        #expect(kept.keyedContainers.count >= 3)
        useAll(kept)
    }

    /// The encoder of the first type, whose container is kept, gives way to that of the second one.
    @Test func keyedContainersOutliveTheEncoderOfAnotherType() throws {
        struct Wrapper: PersistableRecord {
            static let databaseTableName = "player"
            var player: KeepingPlayer
            var other: Other
            func encode(to container: inout PersistenceContainer) throws {
                try player.encode(to: &container)
                try other.encode(to: &container)
            }
        }
        struct Other: EncodableRecord, Encodable { var id: Int? }
        let kept = Kept()
        try write { db in
            for name in ["a", "b", "c"] {
                let player = KeepingPlayer(name: name, kept: kept)
                try Wrapper(player: player, other: Other(id: nil)).insert(db)
            }
            useAll(kept)
            try expectEqual(
                String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id"),
                ["a", "b", "c"])
        }
        useAll(kept)
    }

    @Test func containersChangeNothingAfterTheirRecord() throws {
        let kept = Kept()
        func setAll() {
            for index in kept.containers.indices {
                kept.containers[index]["name"] = "late"
                kept.containers[index]["name"] = nil
                kept.containers[index]["other"] = 1
            }
        }
        try write { db in
            for name in ["a", "b", "c"] {
                try PlainPlayer(name: name, kept: kept).insert(db)
                setAll()
            }
            try expectEqual(
                String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id"),
                ["a", "b", "c"])
        }
        setAll()
    }
}
