import GRDB
import GRDBTestSupport
import Testing

/// `insertMany` and `insertManyAndFetch`.
@Suite(.databases) struct InsertManyTests {
    @Test func insertMany() throws {
        try RecordTables.write { db in
            var players = [PlayerRecord(name: "a"), PlayerRecord(name: "b", score: 2)]
            try PlayerRecord(name: "first").inserted(db).delete(db)
            try expectSQL(
                """
                SAVEPOINT grdb
                INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'a',NULL)
                INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'b',2)
                RELEASE SAVEPOINT grdb
                """
            ) {
                try PlayerRecord.insertMany(db, &players)
            }
            expectEqual(players.map(\.id), [1, 2])
            try expectEqual(PlayerRecord.fetchAll(db), players)
            try Country(code: "DE", name: "Germany").insert(db)
            try expectSQL(
                """
                SAVEPOINT grdb
                INSERT INTO "country" ("code", "name") VALUES ('FR','France')
                INSERT INTO "country" ("code", "name") VALUES ('IT','Italy')
                RELEASE SAVEPOINT grdb
                """
            ) {
                try Country.insertMany(
                    db, [Country(code: "FR", name: "France"), Country(code: "IT", name: "Italy")])
            }
            try expectSQL("") { try Country.insertMany(db, []) }
        }
    }

    @Test func manyRecords() throws {
        try RecordTables.write { db in
            var players = (0..<1000).map {
                PlayerRecord(id: $0 % 3 == 0 ? 5000 - $0 : nil, name: "\($0)")
            }
            let sql = try TestDatabases.sql { try PlayerRecord.insertMany(db, &players) }
            expectEqual(sql.count, 1000 + 2)
            try expectEqual(Set(PlayerRecord.fetchAll(db)), Set(players))
            expectEqual(Set(players.compactMap(\.id)).count, 1000)
        }
    }

    @Test func insertManyAndFetch() throws {
        try RecordTables.write { db in
            var players = [PlayerRecord(name: "a"), PlayerRecord(name: "b")]
            let fetched = try PlayerRecord.insertManyAndFetch(db, &players, as: PartialPlayer.self)
            expectEqual(fetched.map(\.name), ["a", "b"])
            expectEqual(fetched.map(\.id), players.map(\.id))
            let countries = [Country(code: "FR", name: "France")]
            try expectEqual(
                Country.insertManyAndFetch(db, countries, as: Country.self),
                countries)
        }
    }

    @Test func conflicts() throws {
        try RecordTables.write { db in
            var players = [PlayerRecord(id: 1, name: "a"), PlayerRecord(id: 2, name: "b")]
            try PlayerRecord.insertMany(db, &players)
            expectError(DatabaseError.self) { try PlayerRecord.insertMany(db, &players) }
            var others = [PlayerRecord(id: 2, name: "x"), PlayerRecord(id: 3, name: "c")]
            try PlayerRecord.insertMany(db, &others, onConflict: .ignore)
            try expectEqual(PlayerRecord.fetchAll(db).map(\.name), ["a", "b", "c"])
            try PlayerRecord.insertMany(db, &others, onConflict: .replace)
            try expectEqual(PlayerRecord.fetchAll(db).map(\.name), ["a", "x", "c"])
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
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        func didSave(_ saved: PersistenceSuccess) { log.append("didSave \(name) \(id!)") }
    }

    private struct Around: MutablePersistableRecord {
        static let databaseTableName = "player"
        var id: Int64?
        var name: String
        var log: Log<String>
        func encode(to container: inout PersistenceContainer) { container["name"] = name }
        func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
            try log.append("inserted \(name) \(insert().rowID)")
            if name == "stop" { throw TestError("stop") }
        }
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        func didSave(_ saved: PersistenceSuccess) { log.append("didSave \(name) \(id!)") }
    }

    @Test func callbacks() throws {
        try RecordTables.write { db in
            let log = Log<String>()
            var records = ["a", "b"].map { Chatty(name: $0, log: log) }
            try Chatty.insertMany(db, &records)
            expectEqual(
                log.elements,
                [
                    "willSave a", "willInsert a", "didSave a 1", "willSave b", "willInsert b",
                    "didSave b 2",
                ])
            records = ["c", "stop"].map { Chatty(name: $0, log: log) }
            expectError("TestError stop") { try Chatty.insertMany(db, &records) }
            try expectEqual(PlayerRecord.fetchCount(db), 2)
        }
    }

    /// A callback may catch the error of its record, not that of another one.
    @Test func aroundCallbacks() throws {
        try RecordTables.write { db in
            let log = Log<String>()
            for (first, second) in [("a", "b"), ("c", "d")] {
                var records = [first, second].map { Around(name: $0, log: log) }
                try Around.insertMany(db, &records)
            }
            expectEqual(
                log.elements,
                [
                    "inserted a 1", "didSave a 1", "inserted b 2", "didSave b 2", "inserted c 3",
                    "didSave c 3", "inserted d 4", "didSave d 4",
                ])
            var records = ["e", "stop", "f"].map { Around(name: $0, log: log) }
            expectError("TestError stop") { try Around.insertMany(db, &records) }
            try expectEqual(PlayerRecord.fetchCount(db), 4)
        }
    }

    private struct Retrying: Codable, MutablePersistableRecord {
        static let databaseTableName = "player"
        var id: Int64?
        var name: String
        func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
            do {
                _ = try insert()
            } catch is DatabaseError {
                try db.execute(sql: "UPDATE quota SET n = n + 1")
                _ = try insert()
            }
        }
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    @Test func callbacksThatTryAgain() throws {
        try RecordTables.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE quota(n INTEGER);
                    INSERT INTO quota VALUES (0);
                    CREATE TRIGGER t BEFORE INSERT ON player
                    WHEN (SELECT COUNT(*) FROM player) >= (SELECT n FROM quota)
                    BEGIN SELECT RAISE(ABORT, 'quota'); END
                    """)
            var records = ["a", "b", "c"].map { Retrying(name: $0) }
            try Retrying.insertMany(db, &records)
            expectEqual(records.map(\.id), [1, 2, 3])
            try expectEqual(PlayerRecord.fetchAll(db).map(\.name), ["a", "b", "c"])
            try expectEqual(Int.fetchOne(db, sql: "SELECT n FROM quota"), 3)
        }
    }

    /// Changes the table before some records are inserted.
    private struct Altering: PersistableRecord {
        static let databaseTableName = "player"
        var name: String
        func encode(to container: inout PersistenceContainer) {
            container["name"] = name
            if name == "d" { container["score"] = 4 }
        }
        func willInsert(_ db: Database) throws {
            switch name {
            case "c":
                try db.execute(sql: "ALTER TABLE player ADD COLUMN note TEXT DEFAULT 'new'")
            case "f":
                try db.execute(
                    sql: """
                        ALTER TABLE player RENAME TO former;
                        CREATE TABLE player(score INTEGER, name TEXT, note TEXT);
                        INSERT INTO player SELECT score, name, note FROM former;
                        DROP TABLE former
                        """)
            default: break
            }
        }
    }

    @Test(arguments: [false, true]) func callbacksThatChangeTheSchema(mutating: Bool) throws {
        try RecordTables.write { db in
            let records = "abcdefgh".map { Altering(name: String($0)) }
            if mutating {
                var records = records
                try Altering.insertMany(db, &records)
            } else {
                try Altering.insertMany(db, records)
            }
            try expectEqual(
                String.fetchAll(db, sql: "SELECT name || ifnull(score, '') FROM player ORDER BY 1"),
                ["a", "b", "c", "d4", "e", "f", "g", "h"])
            try expectEqual(
                String.fetchAll(db, sql: "SELECT name FROM player WHERE note IS NULL ORDER BY 1"),
                ["f", "g", "h"])
        }
    }

    private struct Undecodable: TableRecord, FetchableRecord {
        init(row: Row) throws { throw TestError() }
    }

    @Test(arguments: [1, 100]) func allRecordsOrNone(count: Int) throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE player(
                        id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, score INTEGER)
                    """)
            let log = Log<String>()
            func check<Record: MutablePersistableRecord>(_ makeRecord: (String) -> Record) throws {
                for _ in 0..<2 {
                    var records = ((0..<count).map { "\($0)" } + ["b", "0"]).map(makeRecord)
                    expectError(DatabaseError.self) { try Record.insertMany(db, &records) }
                    expectTrue(!db.isInsideTransaction)
                    try expectEqual(PlayerRecord.fetchCount(db), 0)
                }
            }
            try check { PlayerRecord(name: $0) }
            try check { Chatty(name: $0, log: log) }
            try check { Around(name: $0, log: log) }
            var players = (0..<count).map { PlayerRecord(name: "\($0)") }
            expectError(TestError.self) {
                try PlayerRecord.insertManyAndFetch(db, &players, as: Undecodable.self)
            }
            try expectEqual(PlayerRecord.fetchCount(db), 0)
            players = (0..<count).map { PlayerRecord(name: "\($0)") }
            try PlayerRecord.insertMany(db, &players)
            try expectEqual(PlayerRecord.fetchCount(db), count)
        }
    }

    private class Animal: Record {
        class override var databaseTableName: String { "animal" }
        var id: Int64?
        var name: String

        init(_ name: String) {
            self.name = name
            super.init()
        }

        required init(row: Row) throws {
            id = row["id"]
            name = row["name"]
            try super.init(row: row)
        }

        override func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
        }

        override func didInsert(_ inserted: InsertionSuccess) {
            super.didInsert(inserted)
            id = inserted.rowID
        }
    }

    private final class Bird: Animal {
        class override var databaseTableName: String { "bird" }
        class override var persistenceConflictPolicy: PersistenceConflictPolicy {
            PersistenceConflictPolicy(insert: .replace)
        }
    }

    /// A class without any `around` callback.
    private class Item: PersistableRecord {
        class var databaseTableName: String { "animal" }
        let name: String
        init(_ name: String) { self.name = name }
        func encode(to container: inout PersistenceContainer) { container["name"] = name }
    }

    private final class OtherItem: Item {
        class override var databaseTableName: String { "bird" }
    }

    @Test func subclasses() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE animal(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
                    CREATE TABLE bird(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
                    """)
            let animals = [Animal("a"), Bird("b"), Bird("b"), Animal("c")]
            try Animal.insertMany(db, animals)
            expectEqual(animals.map(\.id), [1, 1, 2, 2])
            let names = try [
                String.fetchAll(db, sql: "SELECT name FROM animal"),
                String.fetchAll(db, sql: "SELECT name FROM bird"),
            ]
            expectEqual(names, [["a", "c"], ["b"]])
            expectError(DatabaseError.self) {
                try Animal.insertMany(db, [Animal("d"), Bird("d"), Animal("a")])
            }
            try expectEqual(Animal.fetchCount(db), 2)
            try expectEqual(Bird.fetchCount(db), 1)
            for index in 0..<3 {
                try Item.insertMany(
                    db,
                    [
                        Item("x\(index)"), Item("y\(index)"), OtherItem("x\(index)"),
                        OtherItem("y\(index)"), Item("z\(index)"),
                    ])
            }
            try expectEqual(Animal.fetchCount(db), 11)
            try expectEqual(Bird.fetchCount(db), 7)
        }
    }

    @Test func virtualTables() throws {
        struct Document: Codable, MutablePersistableRecord, FetchableRecord, Equatable {
            static let databaseTableName = "document"
            static var databaseSelection: [any SQLSelectable] { [.rowID, .allColumns] }
            var rowid: Int64?
            var body: String
            mutating func didInsert(_ inserted: InsertionSuccess) { rowid = inserted.rowID }
        }
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(body)")
            var documents = [
                Document(body: "a"), Document(rowid: 12, body: "b"), Document(body: "c"),
            ]
            try Document.insertMany(db, &documents)
            expectEqual(documents.map(\.rowid), [1, 12, 13])
            try expectEqual(Document.fetchAll(db), documents)
        }
    }

    struct Unique: Codable, MutablePersistableRecord, FetchableRecord {
        static let databaseTableName = "unique"
        var id: Int64?
        var u: String

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    /// Records that the table ignores are handled as if they were inserted one by one.
    @Test(arguments: [
        "CREATE TABLE \"unique\"(id INTEGER PRIMARY KEY, u TEXT UNIQUE ON CONFLICT IGNORE)",
        """
        CREATE TABLE "unique"(id INTEGER PRIMARY KEY, u TEXT);
        CREATE TEMP TRIGGER t BEFORE INSERT ON "unique" WHEN new.u IN (SELECT u FROM "unique")
        BEGIN SELECT raise(ignore); END
        """,
    ]) func recordsThatTheTableIgnores(schema: String) throws {
        try RecordTables.write { db in
            try db.execute(sql: schema)
            func records() -> [Unique] { ["a", "a", "b"].map { Unique(u: $0) } }
            var single = records()
            for index in single.indices { try single[index].insert(db) }
            try db.execute(sql: "DELETE FROM \"unique\"")
            var many = records()
            try Unique.insertMany(db, &many)
            expectEqual(many.map(\.id), single.map(\.id))
            try expectEqual(String.fetchAll(db, sql: "SELECT u FROM \"unique\""), ["a", "b"])
            many = records()
            expectError("Key not found in table unique: [id:NULL]") {
                try Unique.insertManyAndFetch(db, &many, as: Unique.self)
            }
            try expectEqual(Unique.fetchCount(db), 2)
        }
    }
}
