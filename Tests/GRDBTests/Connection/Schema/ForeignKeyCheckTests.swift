import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct ForeignKeyCheckTests {
    private func withViolations(_ sql: String, _ body: (Database) throws -> Void) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.foreignKeysEnabled = false
        try TestDatabases.makeQueue(.memory, configuration).writeWithoutTransaction { db in
            try db.execute(sql: sql)
            try body(db)
        }
    }

    @Test func documentedViolation() throws {
        let sql = """
            CREATE TABLE team(id INTEGER PRIMARY KEY);
            CREATE TABLE player(
                id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, name TEXT, score INTEGER);
            INSERT INTO player VALUES (1, 2, 'Barbara', 1000);
            """
        try withViolations(sql) { db throws in
            let violations = try db.foreignKeyViolations()
            let violation = try unwrap(violations.next())
            try expectNil(violations.next())
            expectEqual(violation.originTable, "player")
            expectEqual(violation.originRowID, 1)
            expectEqual(violation.destinationTable, "team")
            expectEqual(violation.foreignKeyId, 0)
            expectEqual(
                violation.description,
                "FOREIGN KEY constraint violation - from player to team, in rowid 1")
            let message = """
                FOREIGN KEY constraint violation - from player(teamId) to team(id), \
                in [id:1 teamId:2 name:"Barbara" score:1000]
                """
            try expectEqual(violation.failureDescription(db), message)
            // The row is private.
            let privateMessage =
                "FOREIGN KEY constraint violation - from player(teamId) to team(id), in rowid 1"
            let error = violation.databaseError(db)
            expectEqual(error.extendedResultCode, .SQLITE_CONSTRAINT_FOREIGNKEY)
            expectEqual(error.message, privateMessage)
            expectEqual(error.sql, nil)
            for check in [
                { try db.checkForeignKeys() }, { try db.checkForeignKeys(in: "PLAYER") },
                { try db.checkForeignKeys(in: "player", in: "main") },
            ] {
                expectError("SQLite error 19: \(privateMessage)") { try check() }
            }
            try db.checkForeignKeys(in: "team")
            let row = try Row.fetchOne(db, sql: "PRAGMA foreign_key_check")!
            try expectEqual(ForeignKeyViolation(row: row).failureDescription(db), message)
        }
    }

    @Test func publicRows() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.foreignKeysEnabled = false
        configuration.publicStatementArguments = true
        try TestDatabases.makeQueue(.memory, configuration).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(id INTEGER PRIMARY KEY);
                    CREATE TABLE player(id INTEGER PRIMARY KEY, teamId REFERENCES team);
                    INSERT INTO player VALUES (1, 2);
                    """)
            expectError(
                """
                SQLite error 19: FOREIGN KEY constraint violation - from player(teamId) to team(id), \
                in [id:1 teamId:2]
                """
            ) {
                try db.checkForeignKeys()
            }
        }
    }

    @Test func otherViolations() throws {
        let sql = """
            CREATE TABLE cpk(a, b, PRIMARY KEY (a, b));
            CREATE TABLE child(rowid TEXT, x, y, FOREIGN KEY (x, y) REFERENCES cpk);
            INSERT INTO child VALUES ('r', 5, 6);
            CREATE TABLE wchild(k PRIMARY KEY, x REFERENCES missing) WITHOUT ROWID;
            INSERT INTO wchild VALUES (1, 2);
            CREATE TABLE full(rowid, oid, _rowid_, x REFERENCES child(rowid));
            """
        try withViolations(sql) { db throws in
            expectError(
                """
                SQLite error 19: FOREIGN KEY constraint violation - from child(x, y) to \
                cpk(a, b), in rowid 1
                """
            ) { try db.checkForeignKeys(in: "child") }
            let violation = try unwrap(db.foreignKeyViolations(in: "wchild").next())
            expectEqual(violation.originRowID, nil)
            expectEqual(
                violation.description,
                "FOREIGN KEY constraint violation - from wchild to missing")
            try expectEqual(
                violation.failureDescription(db),
                "FOREIGN KEY constraint violation - from wchild(x) to missing")
            try db.execute(sql: "DROP TABLE wchild")
            expectError("SQLite error 1: no such table: wchild") {
                try violation.failureDescription(db)
            }
            expectEqual(violation.databaseError(db).message, violation.description)
        }
    }

    @Test func schemas() throws {
        let sql = """
            ATTACH ':memory:' AS att;
            CREATE TABLE parent(id INTEGER PRIMARY KEY);
            CREATE TABLE child(p REFERENCES parent);
            CREATE TABLE att.parent(id INTEGER PRIMARY KEY);
            CREATE TABLE att.child(q REFERENCES parent);
            INSERT INTO att.child VALUES (1);
            CREATE TABLE att.other(q REFERENCES parent);
            INSERT INTO att.other VALUES (1);
            """
        try withViolations(sql) { db throws in
            // The main schema only, not the violations in the attached one.
            try db.checkForeignKeys()
            try db.checkForeignKeys(in: "child")
            let message = """
                SQLite error 19: FOREIGN KEY constraint violation - from child(q) to parent(id), \
                in rowid 1
                """
            expectError(message) { try db.checkForeignKeys(in: "child", in: "att") }
            // The first match in the order of SQLite.
            expectError(message.replacing("child", with: "other")) {
                try db.checkForeignKeys(in: "other")
            }
            for table in ["nope", "", "child\""] {
                expectError("SQLite error 1: no such table: \(table)") {
                    try db.checkForeignKeys(in: table)
                }
            }
            expectError("SQLite error 1: no such schema: nope") {
                try db.foreignKeyViolations(in: "child", in: "nope")
            }
        }
    }
}
