import GRDBSchema
import GRDBServer
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct ConnectionLimitTests {
    @Test(arguments: DatabaseKind.allCases)
    func configuredLimits(_ kind: DatabaseKind) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.limits = [.sqlLength: 1000, .argumentCount: 3]
        let writer = try TestDatabases.makeWriter(kind, configuration)
        let long = "SELECT '\(String(repeating: "x", count: 1000))'"
        for access in [writer.read, writer.unsafeReentrantWrite]
            as [((Database) throws -> Void) throws -> Void]
        {
            try access { db in
                try expectEqual(db.limit(.sqlLength), 1000)
                expectError(DatabaseError.self) { try db.execute(sql: long) }
                expectError(DatabaseError.self) {
                    try Row.fetchAll(db, sql: "SELECT ?, ?, ?, ?", arguments: [1, 2, 3, 4])
                }
                _ = try Row.fetchAll(db, sql: "SELECT ?, ?, ?", arguments: [1, 2, 3])
            }
        }
    }

    @Test func allLimits() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            for limit in Database.Limit.allCases {
                let former = try db.limit(limit)
                #expect(former >= 0)
                let lower = max(former / 2, 0)
                try expectEqual(db.setLimit(limit, to: lower), former)
                #expect(try db.limit(limit) <= max(lower, 30))
                try db.setLimit(limit, to: former)
                try expectEqual(db.limit(limit), former)
            }
            expectEqual(Database.Limit.allCases.count, 13)
            // SQLite truncates what is too much.
            try db.setLimit(.attachedDatabaseCount, to: .max)
            #expect(try db.limit(.attachedDatabaseCount) <= 125)
            try db.setLimit(.attachedDatabaseCount, to: -5)
            try expectEqual(db.limit(.attachedDatabaseCount), 0)
            expectError(DatabaseError.self) { try db.execute(sql: "ATTACH ':memory:' AS x") }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func progressStopsStatements(_ kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try writer.writeWithoutTransaction { db in
            var calls = 0
            expectError(
                "SQLite error 9: interrupted - while executing `\(endless)`"
            ) {
                try db.withProgress {
                    calls += 1
                    return calls < 5 ? .continue : .stop
                } _: {
                    try db.execute(sql: endless)
                }
            }
            expectEqual(calls, 5)
            // Nested closures are all asked.
            var outer = 0
            let value = try db.withProgress {
                outer += 1
                return .continue
            } _: {
                try db.withProgress({ .continue }) {
                    try Int.fetchOne(db, sql: counting)
                }
            }
            expectEqual(value, 100_000)
            #expect(outer > 0)
            try expectEqual(Int.fetchOne(db, sql: counting), 100_000)
            // A write that is stopped is rolled back.
            expectError(DatabaseError.self) {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    try db.withProgress({ .stop }) {
                        try db.execute(sql: "INSERT INTO t \(counting)")
                    }
                    return .commit
                }
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM t"), 0)
            try db.withProgress({ .continue }) {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
            }
        }
    }

    private let counting =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT count(*) FROM n"
    private let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    // MARK: - Untrusted

    private func untrusted() -> Configuration {
        var configuration = Configuration.untrusted
        let tests = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { try tests.setUp($0) }
        return configuration
    }

    @Test(arguments: DatabaseKind.allCases)
    func untrustedConnectionsWork(_ kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind, untrusted())
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.create(table: "t") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("a", .text).indexed()
            }
        }
        try migrator.migrate(writer)
        try writer.write { db in
            try db.execute(sql: "INSERT INTO t(a) VALUES ('x')")
            try db.inSavepoint { .rollback }
            try db.transform(table: "t") { $0.setDefault(ofColumn: "a", to: "") }
            try expectEqual(db.columns(in: "t").count, 2)
        }
        try writer.read { db throws in
            try expectEqual(String.fetchAll(db, sql: "PRAGMA quick_check"), ["ok"])
            try expectEqual(Table("t").fetchCount(db), 1)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func untrustedStatementsAreDenied(_ kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind, untrusted())
        for sql in [
            "ATTACH '/tmp/x' AS x", "DETACH main", "SELECT load_extension('x')",
            "SELECT fts3_tokenizer('simple')", "PRAGMA writable_schema = ON",
            "PRAGMA trusted_schema = ON", "PRAGMA cell_size_check = OFF",
            "PRAGMA journal_mode = DELETE", "PRAGMA schema_version = 5", "PRAGMA mmap_size = 1000",
            "VACUUM INTO '/tmp/x'",
        ] {
            try writer.writeWithoutTransaction { db in
                do {
                    try db.execute(sql: sql)
                    Issue.record("\(sql) was allowed")
                } catch let error as DatabaseError {
                    expectTrue(
                        [.SQLITE_AUTH, .SQLITE_ERROR].contains(error.resultCode),
                        "\(sql): \(error)")
                }
            }
        }
        try writer.read { db in
            expectError(DatabaseError.self) {
                try db.execute(sql: "SELECT " + String(repeating: "(", count: 300) + "1")
            }
            expectError(DatabaseError.self) {
                try Row.fetchAll(db, sql: "SELECT zeroblob(20000000)")
            }
        }
        // Writes to shadow tables.
        try writer.write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE ft USING fts5(a)")
            expectError(DatabaseError.self) {
                try db.execute(sql: "DELETE FROM ft_data")
            }
        }
    }
}
