import GRDB
import GRDBTestSupport
import Testing

/// `updateChanges`, `databaseChanges`, `databaseEquals`, the container, and the class `Record`.
@Suite(.databases) struct RecordChangesTests {
    @Test func updateChanges() throws {
        try RecordTables.write { db in
            var player = try PlayerRecord(name: "a", score: 1).inserted(db)
            try expectSQL(
                """
                UPDATE "player" SET "score"=2 WHERE "id"=1
                UPDATE "player" SET "name"='b', "score"=3 WHERE "id"=1
                UPDATE OR REPLACE "player" SET "score"=4 WHERE "id"=1
                """
            ) {
                try expectTrue(player.updateChanges(db) { $0.score = 2 })
                try expectTrue(!player.updateChanges(db) { $0.score = 2 })
                let former = player
                player.name = "b"
                player.score = 3
                try expectTrue(player.updateChanges(db, from: former))
                try expectTrue(!player.updateChanges(db, from: player))
                try expectTrue(player.updateChanges(db, onConflict: .replace) { $0.score = 4 })
            }
            expectSQL("") {
                expectError("TestError stop") {
                    try player.updateChanges(db) {
                        $0.score = 5
                        throw TestError("stop")
                    }
                }
            }
            // Modifications are kept.
            expectEqual(player.score, 5)
            expectError("Key not found in table player: [id:33]") {
                try player.updateChanges(db) { $0.id = 33 }
            }
            expectError("Key not found in table player: [id:NULL]") {
                try player.updateChanges(db) { $0.id = nil }
            }
        }
    }

    @Test func databaseChanges() throws {
        var player = PlayerRecord(id: 1, name: "a", score: 1)
        let other = PlayerRecord(id: 1, name: "b", score: 1)
        try expectEqual(player.databaseChanges(from: other), ["name": "b".databaseValue])
        try expectEqual(player.databaseChanges(from: player), [:])
        try expectEqual(player.databaseChanges { $0.score = 2 }, ["score": 1.databaseValue])
        // Columns of another type of record.
        try expectEqual(player.databaseChanges(from: Item(a: 1))["name"], .null)
        expectTrue(player.databaseEquals(player))
        expectTrue(!player.databaseEquals(other))
        try expectEqual(
            player.databaseDictionary,
            ["id": 1.databaseValue, "name": "a".databaseValue, "score": 2.databaseValue])
    }

    @Test func container() throws {
        struct Probe: EncodableRecord {
            var body: @Sendable (inout PersistenceContainer) throws -> Void
            func encode(to container: inout PersistenceContainer) throws { try body(&container) }
        }
        let record = Probe { container in
            expectNil(container["b"])
            container["b"] = 1
            container[Column("a")] = "x"
            container["B"] = 2
            container["n"] = nil
            expectEqual(container["B"] as? DatabaseValue, 2.databaseValue)
            expectEqual(container[Column("n")] as? DatabaseValue, .null)
            expectEqual(container.map(\.0), ["b", "a", "n"])
            expectEqual(container.count, 3)
        }
        try expectEqual(record.databaseDictionary.count, 3)
        let failing = Probe { _ in throw TestError() }
        expectError("TestError") { try failing.databaseDictionary }
        expectTrue(!failing.databaseEquals(failing))
    }

    private struct Varying: PersistableRecord {
        static let databaseTableName = "player"
        var columns: [String]
        var id: Int64
        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            for column in columns { container[column] = "\(column) \(id)" }
        }
    }

    /// The plans of statements must not mix up records that set other columns.
    @Test func columnsThatVary() throws {
        try RecordTables.write { db in
            let shapes = [
                ["name", "score"], ["score", "name"], ["name"], ["NAME", "Score"],
                ["name", "score", "name"],
            ]
            for id in 0..<60 {
                // Long runs of the same shape, too.
                let columns = shapes[(id < 20 ? id : id / 15) % shapes.count]
                try Varying(columns: columns, id: Int64(id)).insert(db)
                try Varying(columns: columns, id: Int64(id)).update(db)
                let row = try unwrap(
                    Row.fetchOne(db, sql: "SELECT * FROM player WHERE id = ?", arguments: [id]))
                for column in ["name", "score"] {
                    let name = columns.last { $0.lowercased() == column }
                    expectTrue(row[column] as String? == name.map { "\($0) \(id)" }, "\(columns)")
                }
            }
        }
    }

    private struct Reading: PersistableRecord {
        static let databaseTableName = "player"
        var id: Int64
        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = "\(container["id"]!)"
        }
    }

    @Test func recordsThatReadTheirContainer() throws {
        try RecordTables.write { db in
            for id in 1...3 { try Reading(id: Int64(id)).insert(db) }
            try expectEqual(PlayerRecord.fetchAll(db).map(\.name), ["1", "2", "3"])
        }
    }

    // MARK: - Record

    private class Person: Record {
        var id: Int64?
        var name: String

        init(id: Int64? = nil, name: String) {
            self.id = id
            self.name = name
            super.init()
        }

        required init(row: Row) throws {
            id = row["id"]
            name = row["name"]
            try super.init(row: row)
        }

        override class var databaseTableName: String { "player" }

        override func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
        }

        override func didInsert(_ inserted: InsertionSuccess) {
            super.didInsert(inserted)
            id = inserted.rowID
        }
    }

    /// A subclass that reads and writes one more column.
    private final class Scorer: Person {
        var score: Int?

        init(name: String, score: Int) {
            self.score = score
            super.init(name: name)
        }

        required init(row: Row) throws {
            score = row["score"]
            try super.init(row: row)
        }

        override func encode(to container: inout PersistenceContainer) {
            super.encode(to: &container)
            container["score"] = score
        }
    }

    @Test func recordClass() throws {
        try RecordTables.write { db in
            var person = Person(name: "a")
            expectTrue(person.hasDatabaseChanges)
            try expectEqual(person.databaseChanges, ["id": nil, "name": nil])
            try person.insert(db)
            expectEqual(person.id, 1)
            expectTrue(!person.hasDatabaseChanges)
            person.name = "b"
            try expectEqual(person.databaseChanges, ["name": "a".databaseValue])
            try expectSQL("UPDATE \"player\" SET \"name\"='b' WHERE \"id\"=1") {
                try expectTrue(person.updateChanges(db))
                try expectTrue(!person.updateChanges(db))
            }
            try expectTrue(person.updateChanges(db) { $0.name = "c" })
            expectTrue(!person.hasDatabaseChanges)
            try person.save(db)
            try person.update(db)
            let fetched = try unwrap(Person.fetchOne(db, key: 1))
            expectTrue(!fetched.hasDatabaseChanges)
            expectEqual(fetched.name, "c")
            let partial = try unwrap(Person.fetchOne(db, sql: "SELECT 'c' AS name"))
            try expectEqual(partial.databaseChanges, ["id": nil])
            try person.delete(db)
            expectTrue(person.hasDatabaseChanges)
            try person.upsert(db)
            expectTrue(!person.hasDatabaseChanges)
            try expectTrue(!person.insertAndFetch(db, onConflict: .replace).hasDatabaseChanges)
        }
    }

    @Test func recordSubclasses() throws {
        try RecordTables.write { db in
            let scorer = Scorer(name: "a", score: 3)
            try expectSQL(
                "INSERT INTO \"player\" (\"id\", \"name\", \"score\") VALUES (NULL,'a',3)"
            ) {
                try (scorer as Person).insert(db)
            }
            try expectEqual(Scorer.fetchAll(db).map(\.score), [3])
            try expectEqual(Person.fetchAll(db).map(\.name), ["a"])
            try Person(name: "b").insert(db)
            try expectEqual(Scorer.fetchAll(db).map(\.score), [3, nil])
        }
    }

    /// Updates of some columns leave the others as changed as they were.
    @Test func recordsThatArePartlySaved() throws {
        try RecordTables.write { db in
            let scorer = Scorer(name: "a", score: 1)
            try scorer.insert(db)
            scorer.name = "b"
            scorer.score = 2
            try scorer.update(db, columns: ["SCORE"])
            try expectEqual(scorer.databaseChanges, ["name": "a".databaseValue])
            try expectSQL("UPDATE \"player\" SET \"name\"='b' WHERE \"id\"=1") {
                try expectTrue(scorer.updateChanges(db))
            }
            expectTrue(!scorer.hasDatabaseChanges)

            scorer.name = "c"
            scorer.score = 3
            _ = try scorer.updateAndFetch(db, columns: ["name"], selection: [Column("id")]) {
                try Int.fetchOne($0)
            }
            try expectEqual(scorer.databaseChanges, ["score": 2.databaseValue])
            try scorer.update(db, setting: [Column("score").set(to: 10)])
            try expectEqual(scorer.databaseChanges, ["score": 2.databaseValue])
            try scorer.update(db)
            expectTrue(!scorer.hasDatabaseChanges)

            let other = Scorer(name: "z", score: 1)
            try other.insert(db, setting: [Column("score").set(to: 5)])
            try expectEqual(other.databaseChanges, ["score": nil])
        }
    }

    /// Texts with other bytes are not the same for SQLite.
    @Test func textsThatShowTheSameCharacters() throws {
        try RecordTables.write { db in
            var player = PlayerRecord(id: 1, name: "caf\u{E9}")
            try player.insert(db)
            var other = player
            other.name = "cafe\u{301}"
            expectEqual(player, other)
            expectTrue(!player.databaseEquals(other))
            try expectEqual(player.databaseChanges(from: other).count, 1)
            try expectTrue(player.updateChanges(db) { $0.name = "cafe\u{301}" })
            try expectEqual(
                String.fetchOne(db, sql: "SELECT hex(name) FROM player"),
                "63616665CC81")

            let person = try unwrap(Person.fetchOne(db))
            person.name = "caf\u{E9}"
            expectTrue(person.hasDatabaseChanges)
            person.name = "cafe\u{301}"
            expectTrue(!person.hasDatabaseChanges)
        }
    }

    private struct Measure: EncodableRecord {
        var value: Double?
        func encode(to container: inout PersistenceContainer) { container["value"] = value }
    }

    /// SQLite stores NULL.
    @Test func notANumber() throws {
        let measures = [nil, .nan, 0, -0.0].map { Measure(value: $0) }
        expectTrue(measures[1].databaseEquals(measures[1]))
        expectTrue(measures[1].databaseEquals(measures[0]))
        expectTrue(measures[0].databaseEquals(measures[1]))
        expectTrue(!measures[1].databaseEquals(measures[2]))
        expectTrue(measures[2].databaseEquals(measures[3]))
    }

    @Test func containersAreDescribed() throws {
        let log = Log<String>()
        struct Described: PersistableRecord {
            static let databaseTableName = "player"
            var log: Log<String>
            func encode(to container: inout PersistenceContainer) {
                container["id"] = nil
                container["name"] = "O'Brien"
            }
            func didInsert(_ inserted: InsertionSuccess) {
                log.append("\(inserted.persistenceContainer)")
            }
        }
        try RecordTables.write { db in
            try Described(log: log).insert(db)
            expectEqual(log.elements, [#"[id:1 name:"O\'Brien"]"#])
        }
    }
}
