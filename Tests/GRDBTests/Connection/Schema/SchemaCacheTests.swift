import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct SchemaCacheTests {
    private func names(_ db: Database) throws -> [String] {
        try db.columns(in: "t").map(\.name)
    }

    @Test func questionsAreAskedOnce() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b REFERENCES t)")
            func ask() throws {
                _ = try db.columns(in: "t")
                _ = try db.primaryKey("t")
                _ = try db.indexes(on: "t")
                _ = try db.foreignKeys(on: "T")
                _ = try db.tableExists("nope")
            }
            try ask()
            try expectEqual(TestDatabases.sql { try ask() }, [])
        }
    }

    @Test func questionsAreAskedOnceInSeveralTransactions() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        _ = try dbQueue.read { try $0.primaryKey("t") }
        let sql = try TestDatabases.sql {
            _ = try dbQueue.read { try $0.primaryKey("T") }
            _ = try dbQueue.writeWithoutTransaction { try $0.primaryKey("t") }
        }
        expectEqual(sql.filter { !$0.contains("TRANSACTION") }, [])
    }

    @Test func ownChanges() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            try expectEqual(names(db), ["a"])
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
            try expectEqual(names(db), ["a", "b"])
            try db.execute(sql: "CREATE TEMP TABLE t(z)")
            try expectEqual(names(db), ["z"])
            try db.execute(sql: "DROP TABLE temp.t")
            try expectEqual(names(db), ["a", "b"])
            try db.execute(sql: "ATTACH ':memory:' AS att; CREATE TABLE att.u(x)")
            try expectTrue(db.tableExists("u"))
            try db.execute(sql: "DETACH att")
            try expectTrue(!db.tableExists("u"))
        }
    }

    @Test func rollbacks() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t(a UNIQUE)")
            try db.inTransaction {
                try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
                try expectEqual(names(db), ["a", "b"])
                return .rollback
            }
            try expectEqual(names(db), ["a"])

            try db.inTransaction {
                try db.inSavepoint {
                    try db.execute(sql: "ALTER TABLE t ADD COLUMN c")
                    try expectEqual(names(db), ["a", "c"])
                    return .rollback
                }
                try expectEqual(names(db), ["a"])
                try db.execute(sql: "ALTER TABLE t ADD COLUMN d")
                try expectEqual(names(db), ["a", "d"])
                return .rollback
            }
            try expectEqual(names(db), ["a"])

            // SQLite rolls back on its own.
            try db.execute(sql: "INSERT INTO t VALUES (1); BEGIN; ALTER TABLE t ADD COLUMN e")
            try expectEqual(names(db), ["a", "e"])
            expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1, 2)")
            }
            try expectEqual(names(db), ["a"])
        }
    }

    @Test func changesByOtherConnections() throws {
        let path = TestDatabases.makePath()
        let a = try TestDatabases.openQueue(path)
        let b = try TestDatabases.openQueue(path)
        try a.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try expectEqual(b.read(names), ["a"])
        try expectEqual(b.read { try $0.primaryKey("t").columns }, ["rowid"])
        try a.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
        try expectEqual(b.read(names), ["a", "b"])
        try a.write { try $0.execute(sql: "DROP TABLE t; CREATE TABLE t(k TEXT PRIMARY KEY)") }
        try expectEqual(b.read { try $0.primaryKey("t").columns }, ["k"])
        try expectEqual(b.writeWithoutTransaction(names), ["k"])
        try a.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN c") }
        try expectEqual(b.writeWithoutTransaction(names), ["k", "c"])
    }

    @Test(.disabled(if: TestDatabases.encryptsDatabases, "Attaches a file with another salt"))
    func changesOfAttachedDatabaseByOtherConnections() throws {
        let path = TestDatabases.makePath()
        let a = try TestDatabases.openQueue(path)
        let b = try TestDatabases.makeQueue()
        try a.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try b.writeWithoutTransaction { db in
            try db.attach(path, as: "att")
            try expectEqual(names(db), ["a"])
        }
        try a.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
        try expectEqual(b.read(names), ["a", "b"])
    }

    @Test func changesThroughTheRawConnection() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            try expectEqual(names(db), ["a"])
            db.clearSchemaCache()
            try expectTrue(TestDatabases.sql { _ = try names(db) }.isEmpty == false)
        }
    }

    @Test func connectionsAreChecked() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            try expectTrue(db.tableExists("t"))
        }
        let db = try dbQueue.read { db in
            nonisolated(unsafe) let db = db
            return { try db.primaryKey("t") } as @Sendable () throws -> PrimaryKeyInfo
        }
        expectError("SQLite error 21: Database was not used on the correct thread.") { try db() }
        try dbQueue.close()
    }
}

@Suite(.databases) struct DatabaseSchemaSourceTests {
    private struct Source: DatabaseSchemaSource {
        var keys: [String: [String]]

        func columnsForPrimaryKey(
            _ db: Database, inView view: DatabaseObjectID
        ) throws -> [String]? {
            try expectTrue(db.viewExists(view.name, in: view.schemaID.name))
            if view.name == "bad" { throw TestError("source") }
            return keys[view.name]
        }
    }

    @Test func sources() throws {
        var configuration = TestDatabases.makeConfiguration()
        let source = Source(keys: ["v": ["a"]])
        configuration.schemaSource = source.then(Source(keys: ["v": ["z"], "w": ["b", "c"]]))
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE VIEW v AS SELECT 1 AS a; CREATE VIEW w AS SELECT 1 AS b, 2 AS c;
                    CREATE VIEW x AS SELECT 1 AS a; CREATE VIEW bad AS SELECT 1; CREATE TABLE t(a)
                    """)
            try expectEqual(db.primaryKey("v").columns, ["a"])
            try expectEqual(db.primaryKey("V").columns, ["a"])
            try expectEqual(db.primaryKey("w").columns, ["b", "c"])
            try expectTrue(!db.primaryKey("v").isRowID)
            try expectTrue(db.table("w", hasUniqueKey: ["C", "b"]))
            try expectEqual(db.primaryKey("t").columns, ["rowid"])
            expectError("SQLite error 1: database view x has no primary key") {
                try db.primaryKey("x")
            }
            expectError("TestError source") { try db.primaryKey("bad") }
            expectTrue(db.schemaSource != nil)

            db.withSchemaSource(nil) {
                expectNil(db.schemaSource)
                expectError("SQLite error 1: database view v has no primary key") {
                    try db.primaryKey("v")
                }
            }
            let columns = try db.withSchemaSource(Source(keys: ["v": ["other"]])) {
                try db.primaryKey("v").columns
            }
            expectEqual(columns, ["other"])
            try expectEqual(db.primaryKey("v").columns, ["a"])
        }
    }
}
