import GRDBQueries
import GRDBServer
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseAuthorizerTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE user(name TEXT, password TEXT);
                    CREATE TABLE log(text TEXT);
                    CREATE VIEW v AS SELECT password FROM user;
                    CREATE TRIGGER r AFTER DELETE ON user BEGIN INSERT INTO log VALUES (OLD.name); END;
                    INSERT INTO user VALUES ('a', 'secret');
                    """)
        }
        return writer
    }

    private func reading(
        _ authorization: Database.Authorization
    ) -> Database.AuthorizationDecision {
        switch authorization.action {
        case .select, .function: .allow
        case .read(table: "user", column: "password"): .ignore
        case .read(table: "user", _), .read(table: "v", _): .allow
        default: .deny
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func documentedAuthorizer(_ kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.writeWithoutTransaction { db in
            let sql = "SELECT name, password FROM user"
            // Cached statements are asked about, too.
            let statement = try db.cachedStatement(sql: sql)
            try expectEqual(
                Row.fetchOne(statement)?.description, "[name:\"a\" password:\"secret\"]")
            try db.withAuthorizer(reading) {
                try expectEqual(
                    Row.fetchOne(db, sql: sql)?.description,
                    "[name:\"a\" password:NULL]")
                try expectEqual(Row.fetchOne(statement)?.description, "[name:\"a\" password:NULL]")
                try expectEqual(
                    Row.fetchOne(db, sql: "SELECT * FROM v")?.description,
                    "[password:NULL]")
                for sql in [
                    "DELETE FROM user", "UPDATE user SET name = 'b'", "SELECT * FROM log",
                    "INSERT INTO user VALUES ('c', 'd')", "DROP TABLE user", "PRAGMA user_version",
                    "CREATE TABLE t(a)", "ATTACH ':memory:' AS x", "BEGIN",
                ] {
                    do {
                        try db.execute(sql: sql)
                        Issue.record("\(sql) was allowed")
                    } catch let error as DatabaseError {
                        expectEqual(error.resultCode, .SQLITE_AUTH, "\(sql)")
                    }
                }
            }
            try expectEqual(
                Row.fetchOne(db, sql: sql)?.description,
                "[name:\"a\" password:\"secret\"]")
            try db.execute(sql: "DELETE FROM user")
            try expectEqual(String.fetchOne(db, sql: "SELECT text FROM log"), "a")
        }
    }

    @Test func actions() throws {
        try makeWriter(.queue).writeWithoutTransaction { db in
            func actions(_ sql: String) throws -> [Database.Authorization] {
                var result: [Database.Authorization] = []
                try db.withAuthorizer {
                    result.append($0)
                    return .allow
                } operations: {
                    try db.execute(sql: sql)
                }
                return result
            }
            let deletion = try actions("DELETE FROM user WHERE name = lower('A')")
            expectTrue(deletion.map(\.action).contains(.delete(table: "user")))
            expectTrue(deletion.map(\.action).contains(.function(name: "lower")))
            expectTrue(deletion.map(\.action).contains(.read(table: "user", column: "name")))
            let inner = deletion.first { $0.action == .insert(table: "log") }
            expectEqual(inner?.accessor, "r")
            expectEqual(inner?.schemaName, "main")
            try expectTrue(
                actions("CREATE INDEX i ON user(name)").map(\.action).contains(
                    .create(.index, name: "i", table: "user", isTemporary: false)))
            try expectTrue(
                actions("CREATE TEMP VIEW w AS SELECT 1").map(\.action).contains(
                    .create(.view, name: "w", table: nil, isTemporary: true)))
            try expectTrue(
                actions("ALTER TABLE log ADD b").map(\.action).contains(.alter(table: "log")))
            try expectTrue(actions("REINDEX i").map(\.action).contains(.reindex(name: "i")))
            try expectTrue(actions("ANALYZE log").map(\.action).contains(.analyze(table: "log")))
            try expectTrue(
                actions("DROP INDEX i").map(\.action).contains(
                    .drop(.index, name: "i", table: "user", isTemporary: false)))
            try expectTrue(
                actions("CREATE VIRTUAL TABLE ft USING fts5(a)").map(\.action).contains(
                    .createVirtualTable(name: "ft", module: "fts5")))
            try expectTrue(
                actions("PRAGMA user_version = 3").map(\.action).contains(
                    .pragma(name: "user_version", argument: "3")))
            try expectTrue(
                actions("ATTACH ':memory:' AS x").map(\.action).contains(
                    .attach(path: ":memory:")))
            try expectTrue(actions("DETACH x").map(\.action).contains(.detach(schema: "x")))
            try expectTrue(
                actions("SAVEPOINT s").map(\.action).contains(
                    .savepoint(operation: "BEGIN", name: "s")))
            try expectTrue(
                actions("RELEASE s").map(\.action).contains(
                    .savepoint(operation: "RELEASE", name: "s")))
            try expectTrue(
                actions("BEGIN").map(\.action).contains(.transaction(operation: "BEGIN")))
            try db.rollback()
        }
    }

    /// The transactions of the library are not the business of the authorizer.
    @Test(arguments: DatabaseKind.allCases)
    func transactionsEndDespiteDenial(_ kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.write { db in
            try db.execute(sql: "INSERT INTO log VALUES ('x')")
            try db.withAuthorizer { _ in
                .deny
            } operations: {
                try db.inSavepoint { .commit }
                try db.inSavepoint { .rollback }
                expectError(DatabaseError.self) { try db.execute(sql: "SELECT 1") }
            }
        }
        try expectEqual(writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM log") }, 1)
        try writer.writeWithoutTransaction { db throws in
            expectError(DatabaseError.self) {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO log VALUES ('y')")
                    try db.withAuthorizer { _ in
                        .deny
                    } operations: {
                        try db.execute(sql: "INSERT INTO log VALUES ('z')")
                    }
                    return .commit
                }
            }
            expectTrue(!db.isInsideTransaction)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM log"), 1)
        }
    }

    @Test func nestedAuthorizersAllDecide() throws {
        try makeWriter(.queue).write { db in
            let sql = "SELECT name, password FROM user"
            try db.withAuthorizer(reading) {
                try db.withAuthorizer { authorization in
                    authorization.action == .read(table: "user", column: "name") ? .ignore : .allow
                } operations: { () throws in
                    try expectEqual(
                        Row.fetchOne(db, sql: sql)?.description,
                        "[name:NULL password:NULL]")
                    expectError(DatabaseError.self) { try db.execute(sql: "DELETE FROM user") }
                }
                try expectEqual(
                    Row.fetchOne(db, sql: sql)?.description, "[name:\"a\" password:NULL]")
            }
        }
    }

    /// What can't be ignored is denied: SQLite would delete the rows, or not report that it did nothing.
    @Test func ignoredChangesAreDenied() throws {
        try makeWriter(.queue).write { db in
            for sql in ["DELETE FROM user", "INSERT INTO user VALUES ('x', 'y')"] {
                try db.withAuthorizer { authorization in
                    switch authorization.action {
                    case .delete, .insert: .ignore
                    default: .allow
                    }
                } operations: {
                    _ = expectError(DatabaseError.self) { try db.execute(sql: sql) }
                }
            }
            try db.withAuthorizer {
                $0.action == .update(table: "user", column: "password") ? .ignore : .allow
            } operations: {
                try db.execute(sql: "UPDATE user SET name = 'b', password = 'c'")
            }
            try expectEqual(
                Row.fetchOne(db, sql: "SELECT * FROM user")?.description,
                "[name:\"b\" password:\"secret\"]")
        }
    }

    /// Observations track what statements read, and are notified of all deletions.
    @Test(arguments: DatabaseKind.allCases)
    func observationsStayRight(_ kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let values = Log<Int>()
        let cancellable = ValueObservation.tracking { db in
            try db.withAuthorizer { authorization in
                if case .read(table: "user", column: "password") = authorization.action {
                    return .ignore
                }
                return .allow
            } operations: {
                try Row.fetchAll(db, sql: "SELECT password FROM user").count
            }
        }.start(in: writer, scheduling: .async(onQueue: .global())) {
            Issue.record($0)
        } onChange: {
            values.append($0)
        }
        values.wait(forCount: 1)
        try writer.write { try $0.execute(sql: "UPDATE user SET password = 'x'") }
        values.wait(forCount: 2)
        try writer.write { db in
            try db.withAuthorizer { _ in
                .allow
            } operations: {
                try db.execute(sql: "DELETE FROM user")
            }
        }
        expectEqual(values.wait(forCount: 3), [1, 1, 0])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func configuredAuthorizer(_ kind: DatabaseKind) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.authorizer = { authorization in
            if case .drop(.table, _, _, _) = authorization.action { return .deny }
            return .allow
        }
        try TestDatabases.makeWriter(kind, configuration).write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            expectError(
                "SQLite error 23: not authorized - while executing `DROP TABLE t`"
            ) {
                try db.execute(sql: "DROP TABLE t")
            }
        }
    }
}
