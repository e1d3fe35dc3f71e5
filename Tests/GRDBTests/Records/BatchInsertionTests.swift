import GRDB
import GRDBTestSupport
import Testing

/// `insertMany` and `insertManyAndFetch`.
@Suite(.databases) struct BatchInsertionTests {
    @Test func insertMany() throws {
        try RecordTables.write { db in
            var players = [PlayerRecord(name: "a"), PlayerRecord(name: "b", score: 2)]
            try expectSQL(
                """
                INSERT INTO "player" ("id", "name", "score") \
                VALUES (NULL,'a',NULL), (NULL,'b',2) RETURNING "rowid"
                """
            ) {
                try PlayerRecord.insertMany(db, &players)
            }
            #expect(players.map(\.id) == [1, 2])
            try #expect(PlayerRecord.fetchAll(db) == players)
            try expectSQL(
                """
                INSERT INTO "country" ("code", "name") VALUES ('FR','France'), ('IT','Italy')
                """
            ) {
                try Country.insertMany(
                    db, [Country(code: "FR", name: "France"), Country(code: "IT", name: "Italy")])
            }
            try expectSQL("") { try Country.insertMany(db, []) }
        }
    }

    @Test func manyBatches() throws {
        try RecordTables.write { db in
            var players = (0..<1000).map {
                PlayerRecord(id: $0 % 3 == 0 ? 5000 - $0 : nil, name: "\($0)")
            }
            let sql = try TestDatabases.sql { try PlayerRecord.insertMany(db, &players) }
            #expect(sql.count == 16)
            try #expect(Set(PlayerRecord.fetchAll(db)) == Set(players))
            #expect(Set(players.compactMap(\.id)).count == 1000)
        }
    }

    @Test func insertManyAndFetch() throws {
        try RecordTables.write { db in
            var players = [PlayerRecord(name: "a"), PlayerRecord(name: "b")]
            let fetched = try PlayerRecord.insertManyAndFetch(db, &players, as: PartialPlayer.self)
            #expect(fetched.map(\.name) == ["a", "b"])
            #expect(fetched.map(\.id) == players.map(\.id))
            let countries = [Country(code: "FR", name: "France")]
            try #expect(
                Country.insertManyAndFetch(db, countries, as: Country.self) == countries)
        }
    }

    @Test func conflicts() throws {
        try RecordTables.write { db in
            var players = [PlayerRecord(id: 1, name: "a"), PlayerRecord(id: 2, name: "b")]
            try PlayerRecord.insertMany(db, &players)
            #expect(throws: DatabaseError.self) { try PlayerRecord.insertMany(db, &players) }
            var others = [PlayerRecord(id: 2, name: "x"), PlayerRecord(id: 3, name: "c")]
            try PlayerRecord.insertMany(db, &others, onConflict: .ignore)
            try #expect(PlayerRecord.fetchAll(db).map(\.name) == ["a", "b", "c"])
            try PlayerRecord.insertMany(db, &others, onConflict: .replace)
            try #expect(PlayerRecord.fetchAll(db).map(\.name) == ["a", "x", "c"])
            expectError("Key not found in table player: [id:2]") {
                try PlayerRecord.insertManyAndFetch(
                    db, &others, onConflict: .ignore, as: PlayerRecord.self)
            }
        }
    }

    private struct Chatty: MutablePersistableRecord {
        static let databaseTableName = "player"
        var id: Int64?
        var name: String
        var log: Log<String>
        func encode(to container: inout PersistenceContainer) {
            container["name"] = name
            // Records that set other columns have a statement of their own.
            if name == "b" { container["score"] = 1 }
        }
        func willSave(_ db: Database) throws { log.append("willSave \(name)") }
        mutating func willInsert(_ db: Database) throws {
            log.append("willInsert \(name)")
            if name == "stop" { throw TestError("stop") }
        }
        func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
            try log.append("inserted \(name) \(insert().rowID)")
        }
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        func didSave(_ saved: PersistenceSuccess) { log.append("didSave \(name) \(id!)") }
    }

    @Test func callbacks() throws {
        try RecordTables.write { db in
            let log = Log<String>()
            var records = ["a", "b"].map { Chatty(name: $0, log: log) }
            try Chatty.insertMany(db, &records)
            #expect(
                log.elements == [
                    "willSave a", "willInsert a", "willSave b", "willInsert b", "inserted b 2",
                    "didSave b 2", "inserted a 1", "didSave a 1",
                ])
            records = ["c", "stop"].map { Chatty(name: $0, log: log) }
            expectError("TestError stop") { try Chatty.insertMany(db, &records) }
            try #expect(PlayerRecord.fetchCount(db) == 2)
        }
    }

    struct Unique: Codable, MutablePersistableRecord {
        var id: Int64?
        var u: String

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    /// Nobody knows which of several records the table has ignored.
    @Test func recordsThatTheTableIgnores() throws {
        try RecordTables.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE "unique"(
                        id INTEGER PRIMARY KEY, u TEXT UNIQUE ON CONFLICT IGNORE)
                    """)
            var records = ["a", "a", "b"].map { Unique(u: $0) }
            #expect(throws: RecordError.self) { try Unique.insertMany(db, &records) }
            #expect(records.map(\.id) == [nil, nil, nil])
        }
    }
}
