import GRDBServer
import GRDB
import GRDBTestSupport
import Testing

/// Tables whose module or tokenizer is not available do not hide the other tables.
@Suite(.databases) struct MissingModuleTests {
    /// A database with a table whose tokenizer is missing, a table whose module is missing, and two
    /// ordinary tables, one of which has a problem.
    private func makeQueue(withProblem: Bool = true) throws -> DatabaseQueue {
        let path = TestDatabases.makePath()
        let dbQueue = try TestDatabases.openQueue(path)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE a (x);
                    INSERT INTO a VALUES (1);
                    CREATE VIRTUAL TABLE book USING fts5(title, tokenize='porter');
                    INSERT INTO book VALUES ('moby dick');
                    CREATE TABLE z (x CHECK (x > 0));
                    INSERT INTO z VALUES (1);
                    PRAGMA writable_schema = 1;
                    UPDATE sqlite_master SET sql = replace(sql, 'porter', 'lacking');
                    INSERT INTO sqlite_master VALUES
                        ('table', 'strange', 'strange', 0, 'CREATE VIRTUAL TABLE strange USING absent(a)');
                    PRAGMA writable_schema = 0;
                    """)
            if withProblem {
                try db.execute(
                    sql: "PRAGMA ignore_check_constraints = 1; INSERT INTO z VALUES (-1)")
            }
        }
        try dbQueue.close()
        return try TestDatabases.openQueue(path)
    }

    private let lacking = [
        "table strange can't be checked: no such module: absent",
        "table book can't be checked: no such tokenizer: lacking",
    ]

    @Test func integrityOfOtherTablesIsChecked() async throws {
        let dbQueue = try makeQueue()
        for quick in [false, true] {
            let problems = try await dbQueue.read { try $0.integrityProblems(quick: quick) }
            expectEqual(problems, ["CHECK constraint failed in z"] + lacking)
        }
        let problems = try await dbQueue.integrityProblems()
        expectEqual(problems, ["CHECK constraint failed in z"] + lacking)
        try await dbQueue.read { db in
            for limit in 0...4 {
                try expectEqual(
                    db.integrityProblems(limit: limit), Array(problems.prefix(max(1, limit))))
            }
        }
        expectError("SQLite error 11: CHECK constraint failed in z") {
            try dbQueue.read { try $0.checkIntegrity() }
        }
        expectError("SQLite error 1: \(lacking[0])") {
            try makeQueue(withProblem: false).read { try $0.checkIntegrity() }
        }
    }

    /// SQLite skips a table whose module is missing.
    @Test func aMissingModuleIsNamedBesideSoundTables() throws {
        let path = TestDatabases.makePath()
        let dbQueue = try TestDatabases.openQueue(path)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE sound USING fts5(title);
                    CREATE VIRTUAL TABLE old USING fts4(title);
                    PRAGMA writable_schema = 1;
                    UPDATE sqlite_master SET sql = replace(sql, '(title)', '(title, tokenize=none)')
                    WHERE name = 'old';
                    INSERT INTO sqlite_master VALUES
                        ('table', 'strange', 'strange', 0, 'CREATE VIRTUAL TABLE strange USING absent(a)');
                    PRAGMA writable_schema = 0;
                    """)
        }
        try dbQueue.close()
        for schema in [nil, "main"] {
            let problems = try TestDatabases.openQueue(path).read {
                try $0.integrityProblems(in: schema)
            }
            expectEqual(
                problems,
                [
                    "table old can't be checked: unknown tokenizer: none",
                    "table strange can't be checked: no such module: absent",
                ])
        }
    }

    @Test func tablesOfOneNameAreToldApart() throws {
        let (path, other) = (TestDatabases.makePath(), TestDatabases.makePath())
        for (path, definition) in [(path, "absent(title)"), (other, "fts5(title)")] {
            let dbQueue = try TestDatabases.openQueue(path)
            try dbQueue.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        CREATE VIRTUAL TABLE doc USING fts5(title); INSERT INTO doc VALUES ('a');
                        PRAGMA writable_schema = 1;
                        UPDATE sqlite_master
                        SET sql = 'CREATE VIRTUAL TABLE doc USING \(definition)' WHERE name = 'doc';
                        UPDATE sqlite_master SET sql = replace(sql, 'title)', 'title, tokenize=none)')
                        WHERE sql LIKE '%fts5(title)';
                        PRAGMA writable_schema = 0;
                        """)
            }
            try dbQueue.close()
        }
        try TestDatabases.openQueue(path).writeWithoutTransaction { db in
            try db.execute(sql: TestDatabases.attachment(other, as: "other"))
            try expectEqual(
                db.integrityProblems().sorted(),
                [
                    "table doc can't be checked: no such module: absent",
                    "table doc can't be checked: no such tokenizer: none",
                ])
        }
    }

    private final class Output: TextOutputStream {
        var text = ""
        func write(_ string: String) { text += string }
    }

    @Test func otherTablesAreDumped() throws {
        let output = Output()
        try makeQueue().read { try $0.dumpContent(format: .list(), to: output) }
        let sections = output.text.split(separator: "\n\n").map(String.init)
        expectTrue(sections.contains("a\n1"))
        // Reading rows does not need the tokenizer.
        expectTrue(sections.contains("book\nmoby dick"))
        expectTrue(sections.contains("strange\n-- no such module: absent"))
        expectEqual(sections.last, "z\n1\n-1\n")
    }
}
