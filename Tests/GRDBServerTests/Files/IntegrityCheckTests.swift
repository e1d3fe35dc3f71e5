import GRDB
import GRDBServer
import GRDBTestSupport
import Testing

@Suite(.databases) struct IntegrityCheckTests {
    @Test func soundDatabase() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a NOT NULL); INSERT INTO t VALUES (1)")
            try expectEqual(db.integrityProblems(), [])
            try expectEqual(db.integrityProblems(quick: true), [])
            try db.checkIntegrity(in: "main")
            expectError("SQLite error 1: no such schema: nope") {
                try db.checkIntegrity(in: "nope")
            }
        }
    }

    @Test func damagedDatabase() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a, b); INSERT INTO t VALUES (1, NULL), (NULL, NULL);
                    PRAGMA writable_schema = 1;
                    UPDATE sqlite_master SET sql = 'CREATE TABLE t(a NOT NULL, b NOT NULL)';
                    PRAGMA writable_schema = RESET;
                    """)
            try expectEqual(db.integrityProblems().count, 3)
            try expectEqual(db.integrityProblems(limit: 2).count, 2)
            try expectEqual(db.integrityProblems(limit: -1).count, 1)
            expectError("SQLite error 11: NULL value in t.b") { try db.checkIntegrity() }
        }
    }
}
