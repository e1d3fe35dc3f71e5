import GRDB
import GRDBTestSupport
import Testing

/// Fetching and deleting by keys, and table-wide methods.
@Suite(.databases) struct RecordFetchingTests {
    private func withPlayers(_ body: (Database) throws -> Void) throws {
        try RecordTables.write { db in
            for name in ["Arthur", "Barbara", "Craig"] {
                try PlayerRecord(name: name).inserted(db).update(db)
            }
            try body(db)
        }
    }

    @Test func allRecords() throws {
        try withPlayers { db in
            try expectSQL(
                """
                SELECT * FROM "player"
                SELECT * FROM "player"
                SELECT * FROM "player"
                SELECT * FROM "player" LIMIT 1
                SELECT COUNT(*) FROM "player"
                SELECT "id", "name" FROM "player"
                SELECT *, "rowid" FROM "item"
                """
            ) {
                try expectEqual(PlayerRecord.fetchAll(db).map(\.id), [1, 2, 3])
                try expectEqual(PlayerRecord.fetchCursor(db).next()?.id, 1)
                try expectEqual(PlayerRecord.fetchSet(db).count, 3)
                try expectEqual(PlayerRecord.fetchOne(db)?.id, 1)
                try expectEqual(PlayerRecord.fetchCount(db), 3)
                try expectEqual(PartialPlayer.fetchAll(db)[0].columnNames, ["id", "name"])
                try expectEqual(RowIDItem.fetchAll(db), [])
            }
        }
    }

    @Test func primaryKeys() throws {
        try withPlayers { db in
            try expectSQL(
                """
                SELECT * FROM "player" WHERE "id" = 2
                SELECT * FROM "player" WHERE "id" = 2
                SELECT * FROM "player" WHERE "id" = 42
                SELECT * FROM "player" WHERE "id" = 42
                SELECT * FROM "player" WHERE "id" IN (1, 3, 4)
                SELECT * FROM "player" WHERE "id" = 1
                SELECT * FROM "player" WHERE "id" IN (1, 2)
                SELECT * FROM "player" WHERE "id" IN (NULL, 2)
                SELECT "id", "name" FROM "player" WHERE "id" = 1
                SELECT EXISTS (SELECT * FROM "player" WHERE "id" = 1)
                SELECT EXISTS (SELECT "id", "name" FROM "player" WHERE "id" = 1)
                """
            ) {
                try expectEqual(PlayerRecord.fetchOne(db, key: 2)?.name, "Barbara")
                try expectEqual(PlayerRecord.find(db, key: 2).name, "Barbara")
                try expectEqual(PlayerRecord.fetchOne(db, key: 42), nil)
                expectError("Key not found in table player: [id:42]") {
                    try PlayerRecord.find(db, key: 42)
                }
                try expectEqual(PlayerRecord.fetchAll(db, keys: [1, 3, 4]).map(\.id), [1, 3])
                try expectEqual(PlayerRecord.fetchAll(db, keys: [1]).map(\.id), [1])
                try expectEqual(PlayerRecord.fetchSet(db, keys: [1, 2]).count, 2)
                try expectEqual(PlayerRecord.fetchAll(db, keys: [nil, 2] as [Int?]).map(\.id), [2])
                try expectEqual(PartialPlayer.fetchOne(db, key: 1)?.columnNames, ["id", "name"])
                try expectTrue(PlayerRecord.exists(db, key: 1))
                try expectTrue(PartialPlayer.exists(db, key: 1))
            }
        }
    }

    @Test func keysThatCannotExistRunNothing() throws {
        try withPlayers { db in
            try expectSQL("") {
                try expectEqual(PlayerRecord.fetchOne(db, key: Int?.none), nil)
                try expectEqual(PlayerRecord.fetchAll(db, keys: [Int]()), [])
                try expectEqual(PlayerRecord.fetchAll(db, keys: [[:]].filter { _ in false }), [])
                try expectTrue(!PlayerRecord.exists(db, key: Int?.none))
                try expectTrue(!PlayerRecord.deleteOne(db, key: Int?.none))
                try expectEqual(PlayerRecord.deleteAll(db, keys: [Int]()), 0)
                expectError("Key not found in table player: [id:NULL]") {
                    try PlayerRecord.find(db, key: Int?.none)
                }
            }
            try expectEqual(PlayerRecord.fetchCursor(db, keys: [Int]()).next(), nil)
        }
    }

    @Test func uniqueKeys() throws {
        try withPlayers { db in
            try expectSQL(
                """
                SELECT * FROM "player" WHERE "name" = 'Craig'
                SELECT * FROM "player" WHERE "NAME" = 'Craig'
                SELECT * FROM "player" WHERE "id" = 1
                SELECT * FROM "player" WHERE ("id" = 1) OR ("name" = 'Craig')
                SELECT * FROM "player" WHERE ("id" = 1) AND ("name" = 'x')
                SELECT * FROM "player" WHERE "name" IS NULL
                SELECT * FROM "citizenship" WHERE ("citizenID" = 1) AND ("countryCode" = 'FR')
                SELECT EXISTS (SELECT * FROM "player" WHERE "name" = 'Craig')
                SELECT * FROM "item" WHERE "rowid" = 1
                """
            ) {
                try expectEqual(PlayerRecord.fetchOne(db, key: ["name": "Craig"])?.id, 3)
                try expectEqual(PlayerRecord.find(db, key: ["NAME": "Craig"]).id, 3)
                try expectEqual(PlayerRecord.fetchSet(db, keys: [["id": 1]]).count, 1)
                try expectEqual(
                    PlayerRecord.fetchAll(db, keys: [["id": 1], ["name": "Craig"]]).count,
                    2)
                try expectEqual(PlayerRecord.fetchOne(db, key: ["name": "x", "id": 1]), nil)
                try expectEqual(PlayerRecord.fetchOne(db, key: ["name": nil]), nil)
                try expectEqual(
                    Citizenship.fetchOne(db, key: ["countryCode": "FR", "citizenID": 1]),
                    nil)
                try expectTrue(PlayerRecord.exists(db, key: ["name": "Craig"]))
                try expectEqual(Item.fetchOne(db, key: ["rowid": 1]), nil)
                try expectEqual(PlayerRecord.fetchOne(db, key: [String: Int]?.none), nil)
            }
            expectError("Key not found in table player: [name:\"zz\"]") {
                try PlayerRecord.find(db, key: ["name": "zz"])
            }
        }
    }

    @Test func keysThatAreNotUnique() throws {
        try withPlayers { db in
            expectError("SQLite error 21: table player has no unique index on columns score") {
                try PlayerRecord.fetchOne(db, key: ["score": 1])
            }
            expectError("SQLite error 21: table player has no unique index on columns nope") {
                try PlayerRecord.deleteOne(db, key: ["nope": 1])
            }
            expectError("SQLite error 21: table item has no unique index on columns a") {
                try Item.exists(db, key: ["a": 1])
            }
            expectError(
                """
                SQLite error 21: Filtering by primary key requires a single-column primary key in \
                the table 'citizenship'
                """
            ) {
                try Citizenship.fetchOne(db, key: 1)
            }
        }
    }

    @Test func identifiableRecords() throws {
        try RecordTables.write { db in
            let france = Country(code: "FR", name: "France")
            let italy = Country(code: "IT", name: "Italy")
            try france.insert(db)
            try italy.insert(db)
            try expectSQL(
                """
                SELECT * FROM "country" WHERE "code" = 'FR'
                SELECT * FROM "country" WHERE "code" = 'FR'
                SELECT * FROM "country" WHERE "code" IN ('FR', 'IT')
                SELECT * FROM "country" WHERE "code" IN ('FR', 'IT')
                SELECT EXISTS (SELECT * FROM "country" WHERE "code" = 'FR')
                DELETE FROM "country" WHERE "code" = 'FR'
                DELETE FROM "country" WHERE "code" IN ('FR', 'IT')
                """
            ) {
                try expectEqual(Country.fetchOne(db, id: "FR"), france)
                try expectEqual(Country.find(db, id: "FR"), france)
                try expectEqual(Country.fetchAll(db, ids: ["FR", "IT"]), [france, italy])
                try expectEqual(Country.fetchSet(db, ids: ["FR", "IT"]), [france, italy])
                try expectTrue(Country.exists(db, id: "FR"))
                try expectTrue(Country.deleteOne(db, id: "FR"))
                try expectEqual(Country.deleteAll(db, ids: ["FR", "IT"]), 1)
            }
            expectEqual(
                "\(Country.recordNotFound(db, id: "FR"))",
                "Key not found in table country: [code:\"FR\"]")
        }
    }

    @Test func deletion() throws {
        try withPlayers { db in
            try expectSQL(
                """
                DELETE FROM "player" WHERE "id" = 1
                DELETE FROM "player" WHERE "name" = 'Arthur'
                DELETE FROM "player" WHERE ("id" = 2) OR ("name" = 'x')
                DELETE FROM "player"
                """
            ) {
                try expectTrue(PlayerRecord.deleteOne(db, key: 1))
                try expectTrue(!PlayerRecord.deleteOne(db, key: ["name": "Arthur"]))
                try expectEqual(PlayerRecord.deleteAll(db, keys: [["id": 2], ["name": "x"]]), 1)
                try expectEqual(PlayerRecord.deleteAll(db), 1)
            }
        }
    }

    @Test func fetchingInsideOfAFetch() throws {
        struct Nested: FetchableRecord, TableRecord {
            static let databaseTableName = "player"
            static nonisolated(unsafe) var db: Database?
            var id: Int64
            var next: Int64?
            init(row: Row) throws {
                if let db = Self.db, let id = row["id"] as Int64?, id < 3 {
                    next = try Nested.fetchOne(db, key: id + 1)?.id
                }
                id = row["id"]
            }
        }
        try withPlayers { db in
            Nested.db = db
            defer { Nested.db = nil }
            for _ in 0..<2 {
                let record = try Nested.find(db, key: 1)
                expectEqual(record.id, 1)
                expectEqual(record.next, 2)
            }
        }
    }

    @Test func decodingErrors() throws {
        try withPlayers { db in
            try db.execute(
                sql: "DROP TABLE player; CREATE TABLE player (id INTEGER PRIMARY KEY, name)")
            try db.execute(sql: "INSERT INTO player VALUES (1, NULL), (2, 'b')")
            for _ in 0..<2 {
                expectError(
                    """
                    could not decode String from database value NULL - table: "player", \
                    column: "name", column index: 1, \
                    sql: `SELECT * FROM "player" WHERE "id" = ?`
                    """
                ) {
                    try PlayerRecord.find(db, key: 1)
                }
                try expectEqual(PlayerRecord.find(db, key: 2).name, "b")
            }
        }
    }

    @Test func refetching() throws {
        try withPlayers { db in
            var player = try PlayerRecord.find(db, key: 1)
            try db.execute(sql: "UPDATE player SET score = 7")
            try expectSQL("SELECT * FROM \"player\" WHERE \"id\" = 1") { try player.refetch(db) }
            expectEqual(player.score, 7)
            try player.delete(db)
            expectError("Key not found in table player: [id:1]") { try player.refetch(db) }
            expectEqual(player.score, 7)
        }
    }

    @Test func schemaChangesDropStatements() throws {
        try withPlayers { db in
            var player = try PlayerRecord.find(db, key: 1)
            try db.execute(
                sql: """
                    DROP TABLE player;
                    CREATE TABLE player (name TEXT PRIMARY KEY, id INTEGER, score INTEGER);
                    """)
            player = try player.insertAndFetch(db)
            try player.update(db)
            expectEqual(player.id, 1)
            try expectEqual(PlayerRecord.find(db, key: "Arthur").id, 1)
            expectError("Key not found in table player: [name:1]") {
                try PlayerRecord.find(db, key: 1)
            }
        }
    }

    private struct Variable: PersistableRecord {
        static nonisolated(unsafe) var databaseTableName = "item"
        func encode(to container: inout PersistenceContainer) { container["a"] = 1 }
    }

    @Test func tableNamesMayVary() throws {
        try RecordTables.write { db in
            try db.execute(sql: "CREATE TABLE other (a)")
            try Variable().insert(db)
            Variable.databaseTableName = "other"
            _ = try (db.columns(in: "other"), db.primaryKey("other"))
            try expectSQL("INSERT INTO \"other\" (\"a\") VALUES (1)") {
                try Variable().insert(db)
            }
        }
    }

    private struct HTTPRequest: TableRecord {}
    private struct TOC: TableRecord {}
    private struct PostalAddress: TableRecord {}
    private struct Generic<T>: TableRecord {}
    private struct HTTP2Log: TableRecord {}

    @Test func defaultTableNames() {
        expectEqual(HTTPRequest.databaseTableName, "httpRequest")
        expectEqual(TOC.databaseTableName, "toc")
        expectEqual(PostalAddress.databaseTableName, "postalAddress")
        expectEqual(Generic<Int>.databaseTableName, "generic")
        expectEqual(HTTP2Log.databaseTableName, "httP2Log")
    }

    @Test func numberOfSelectedColumns() throws {
        try RecordTables.write { db in
            try expectEqual(PlayerRecord.numberOfSelectedColumns(db), 3)
            try expectEqual(PartialPlayer.numberOfSelectedColumns(db), 2)
            try expectEqual(RowIDItem.numberOfSelectedColumns(db), 2)
        }
    }

    /// Outside of a transaction, a lookup notices the changes of other connections when it reads.
    @Test func lookupsOutsideOfTransactionsFollowTheSchema() throws {
        struct Named: FetchableRecord, TableRecord {
            static let databaseTableName = "named"
            var columns: [String]
            var name: String?

            init(row: Row) {
                columns = Array(row.columnNames)
                name = row["name"]
            }
        }
        let path = TestDatabases.makePath()
        let dbQueue = try TestDatabases.openQueue(path)
        let other = try TestDatabases.openQueue(path)
        func change(_ sql: String) throws { try other.write { try $0.execute(sql: sql) } }
        func fetch(_ key: Int) throws -> Named? {
            try dbQueue.unsafeRead { try Named.fetchOne($0, key: key) }
        }
        try change(
            "CREATE TABLE named(id INTEGER PRIMARY KEY, name); INSERT INTO named VALUES (1, 'a')")
        for _ in 0..<3 {
            try expectEqual(fetch(1)?.columns, ["id", "name"])
            try expectEqual(fetch(1)?.name, "a")
            try expectNil(fetch(2))
        }
        try change("ALTER TABLE named ADD COLUMN score; UPDATE named SET name = 'b'")
        for _ in 0..<2 {
            try expectEqual(fetch(1)?.columns, ["id", "name", "score"])
            try expectEqual(fetch(1)?.name, "b")
        }
        // Another column is the key.
        try change(
            """
            DROP TABLE named;
            CREATE TABLE named(name, number INTEGER PRIMARY KEY, id);
            INSERT INTO named VALUES ('c', 2, 1)
            """)
        try expectNil(fetch(1))
        try expectEqual(fetch(2)?.name, "c")
        try change("DROP TABLE named")
        for _ in 0..<2 {
            let error = expectError(DatabaseError.self) { try fetch(2) }
            expectEqual(error?.message, "no such table: named")
        }
        try change(
            "CREATE TABLE named(id INTEGER PRIMARY KEY, name); INSERT INTO named VALUES (2, 'd')")
        try expectEqual(fetch(2)?.name, "d")
        // Changes of this connection, and of an access in between.
        try dbQueue.writeWithoutTransaction { db in
            try expectEqual(Named.fetchOne(db, key: 2)?.columns, ["id", "name"])
            try db.execute(sql: "ALTER TABLE named RENAME COLUMN name TO title")
            try expectEqual(Named.fetchOne(db, key: 2)?.columns, ["id", "title"])
            try db.inTransaction {
                try db.execute(sql: "ALTER TABLE named DROP COLUMN title")
                try expectEqual(Named.fetchOne(db, key: 2)?.columns, ["id"])
                return .rollback
            }
            try expectEqual(Named.fetchOne(db, key: 2)?.columns, ["id", "title"])
        }
    }

    @Test func errorsOfLookupsShowTheKey() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.publicStatementArguments = true
        try TestDatabases.makeQueue(.memory, configuration).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                    INSERT INTO player VALUES (1, 'a', 1), (2, NULL, 2);
                    """)
            for _ in 0..<2 {
                _ = try PlayerRecord.find(db, key: 1)
                expectError(
                    """
                    could not decode String from database value NULL - table: "player", \
                    column: "name", column index: 1, row: [id:2 name:NULL score:2], \
                    sql: `SELECT * FROM "player" WHERE "id" = ?`, arguments: [2]
                    """
                ) {
                    try PlayerRecord.find(db, key: 2)
                }
            }
        }
    }
}
