import GRDB
import GRDBSchema
import GRDBTestSupport
import Testing

/// Foreign keys and indexes.
@Suite(.databases) struct IndexProblemTests {
    private func problems(_ sql: String, in table: String? = nil) throws -> [String] {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: sql) }
        return try dbQueue.read { db in
            try db.indexProblems(in: table).map { "\($0.kind) \($0)" }
        }
    }

    private let parent = "CREATE TABLE parent(a INTEGER PRIMARY KEY, b, c, UNIQUE(b, c));"

    @Test func foreignKeysNeedIndexes() throws {
        let unindexed =
            "unindexedForeignKey child(x): no index: each deletion in parent reads the whole table"
        expectEqual(try problems(parent + "CREATE TABLE child(x REFERENCES parent)"), [unindexed])
        for index in [
            "CREATE INDEX i ON child(x)", "CREATE INDEX i ON child(x, y)",
            "CREATE INDEX i ON child(x) WHERE x IS NOT NULL",
        ] {
            expectEqual(
                try problems(parent + "CREATE TABLE child(x REFERENCES parent, y); " + index), [])
        }
        for index in ["CREATE INDEX i ON child(y, x)", "CREATE INDEX i ON child(x) WHERE y = 1"] {
            expectEqual(
                try problems(parent + "CREATE TABLE child(x REFERENCES parent, y); " + index),
                [unindexed])
        }
        for key in ["x INTEGER PRIMARY KEY REFERENCES parent", "x UNIQUE REFERENCES parent"] {
            expectEqual(try problems(parent + "CREATE TABLE child(\(key))"), [])
        }
        expectEqual(
            try problems(
                parent + "CREATE TABLE child(x REFERENCES parent, PRIMARY KEY (x)) WITHOUT ROWID"),
            [])
        // Keys of two columns, in any order
        let child = "CREATE TABLE child(x, y, FOREIGN KEY (x, y) REFERENCES parent(b, c));"
        expectEqual(
            try problems(parent + child),
            [
                "unindexedForeignKey child(x, y): no index: each deletion in parent reads the whole table"
            ])
        expectEqual(try problems(parent + child + "CREATE INDEX i ON child(y, x)"), [])
    }

    @Test func foreignKeysNeedParents() throws {
        expectEqual(
            try problems("CREATE TABLE child(x UNIQUE REFERENCES missing)"),
            ["key child(x): the table missing that the foreign key refers to does not exist"])
        expectEqual(
            try problems(parent + "CREATE TABLE child(x UNIQUE REFERENCES parent(b))"),
            [
                """
                key child: foreign key mismatch - "child" referencing "parent": the columns that the \
                foreign key refers to are not unique
                """
            ])
    }

    @Test func indexesThatAreNotNeeded() throws {
        let table = "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c, d, UNIQUE(c, d));"
        func redundant(_ columns: String, _ rest: String) -> String {
            "redundantIndex t(\(columns)): the index i \(rest)"
        }
        for (index, problem) in [
            ("i ON t(a)", redundant("a", "repeats the primary key")),
            ("i ON t(b)", redundant("b", "is the beginning of the index of a key(b)")),
            ("i ON t(c)", redundant("c", "is the beginning of the index of a key(c, d)")),
        ] {
            expectEqual(try problems(table + "CREATE INDEX \(index)"), [problem])
        }
        expectEqual(
            try problems(table + "CREATE UNIQUE INDEX i ON t(c, d)"),
            [redundant("c, d", "is the beginning of the index of a key(c, d)")])
        // One of two equal indexes remains.
        expectEqual(
            try problems(table + "CREATE INDEX i ON t(d); CREATE INDEX h ON t(d)"),
            [redundant("d", "is the beginning of the index h(d)")])
        expectEqual(
            try problems(table + "CREATE INDEX i ON t(d); CREATE UNIQUE INDEX j ON t(d)"),
            [redundant("d", "is the beginning of the index j(d)")])
        for needed in [
            "INDEX i ON t(d)", "INDEX i ON t(c COLLATE NOCASE)", "INDEX i ON t(c DESC)",
            "INDEX i ON t(lower(c))",
            "INDEX i ON t(c) WHERE d > 1", "INDEX i ON t(c, a)", "UNIQUE INDEX i ON t(c)",
        ] {
            expectEqual(try problems(table + "CREATE \(needed)"), [])
        }
    }

    @Test func tablesAreCheckedAloneOrTogether() throws {
        let sql =
            parent + """
                CREATE TABLE child1(x REFERENCES parent);
                CREATE TABLE "child 2"(x REFERENCES parent);
                CREATE VIRTUAL TABLE ft USING fts5(a);
                CREATE VIEW v AS SELECT 1;
                """
        expectEqual(try problems(sql).count, 2)
        expectEqual(try problems(sql, in: "CHILD 2").count, 1)
        expectEqual(try problems(sql, in: "parent"), [])
        expectError(DatabaseError.self) { try problems(sql, in: "missing") }
        expectEqual(try problems(""), [])
    }

    /// A table of an attached database has its own parents.
    @Test func attachedTables() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let path = TestDatabases.makePath()
        let problems = try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE parent(a PRIMARY KEY)")
            try db.attach(path, as: "other")
            try db.execute(sql: "CREATE TABLE other.child(x UNIQUE REFERENCES parent)")
            return try db.indexProblems(in: "child").map { "\($0)" }
        }
        expectEqual(
            problems, ["child(x): the table parent that the foreign key refers to does not exist"])
    }
}
