@testable import GRDBChanges
import GRDBTestSupport
import Testing

@testable import GRDB

/// Keys and values that differ, and that SQLite compares as equal.
@Suite(.databases) struct SessionKeyTests {
    @Test(
        arguments: [
            ("k TEXT COLLATE NOCASE PRIMARY KEY, v", "'a'", "'A'"),
            ("k TEXT COLLATE RTRIM PRIMARY KEY, v", "'a'", "'a  '"),
            ("k PRIMARY KEY, v", "1", "1.0"),
            ("k REAL PRIMARY KEY, v", "1", "1.0"),
            ("k TEXT COLLATE NOCASE, l, v, PRIMARY KEY (l, k)", "'a'", "'A'"),
        ], ["", " WITHOUT ROWID"])
    func changesOfEqualKeys(key: (columns: String, former: String, new: String), option: String)
        throws
    {
        let statements = [
            "UPDATE t SET k = \(key.new) WHERE k = \(key.former)",
            "UPDATE t SET k = \(key.new), v = 2 WHERE k = \(key.former)",
            "DELETE FROM t; INSERT INTO t(k, v) VALUES (\(key.new), 3)",
            "UPDATE t SET k = \(key.new); UPDATE t SET k = \(key.former)",
            "UPDATE t SET k = \(key.new); UPDATE t SET k = \(key.former), v = 4",
            "UPDATE t SET k = \(key.new); DELETE FROM t",
            "DELETE FROM t; INSERT INTO t(k, v) VALUES (\(key.former), 3); UPDATE t SET k = \(key.new)",
        ]
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            for withL in [false, true] where !withL || key.columns.contains("l,") {
                try db.execute(
                    sql: """
                        DROP TABLE IF EXISTS t; CREATE TABLE t(\(key.columns))\(option);
                        INSERT INTO t(k, v) VALUES (\(key.former), 1)
                        """.replacingOccurrences(
                            of: "INSERT INTO t(k, v) VALUES (",
                            with: key.columns.contains("l,")
                                ? "INSERT INTO t(l, k, v) VALUES (7, "
                                : "INSERT INTO t(k, v) VALUES ("))
                for sql in statements {
                    let sql =
                        key.columns.contains("l,")
                        ? sql.replacingOccurrences(
                            of: "t(k, v) VALUES (", with: "t(l, k, v) VALUES (7, ") : sql
                    let before = try db.lines(of: "t")
                    let changeset = try db.recording(sql)
                    let after = try db.lines(of: "t")
                    _ = try Changeset(data: changeset.data)
                    for _ in 0..<2 {
                        try db.apply(changeset.inverted())
                        try expectEqual(db.lines(of: "t"), before, "\(sql)")
                        try db.apply(changeset)
                        try expectEqual(db.lines(of: "t"), after, "\(sql)")
                    }
                    try db.apply(changeset, options: .inverted)
                    try expectEqual(db.lines(of: "t"), before, "\(sql)")
                }
            }
        }
    }

    /// The values of REAL columns are stored as integers.
    @Test func rowsWithRealKeysAreKnownByOneKey() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(k REAL PRIMARY KEY, v)")
            let changeset = try db.recording("INSERT INTO t VALUES (1, 1); UPDATE t SET v = 2")
            expectEqual(changeset.lines, ["insert t [0:1.0 1:2]"])
            try expectEqual(db.recording("UPDATE t SET k = 2; UPDATE t SET v = 3").changeCount, 2)
        }
    }

    @Test func equalKeysStayConflicts() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(k TEXT COLLATE NOCASE PRIMARY KEY, v)")
            let changeset = try db.changeset(of: "INSERT INTO t VALUES ('A', 1)")
            try db.execute(sql: "INSERT INTO t VALUES ('a', 2)")
            var kinds: [ChangesetConflict.Kind] = []
            try db.apply(changeset) { conflict in
                kinds.append(conflict.kind)
                return .replace
            }
            expectEqual(kinds, [.conflict])
            try expectEqual(db.lines(of: "t"), ["\"A\"|1"])
        }
    }

    @Test func differencesOfEqualValuesAreFound() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ':memory:' AS other")
            for (schema, rows, value) in [
                ("main", "('A', 'X', 1.0), ('b', 'y', 2), ('C', 'Z', 3)", "A"),
                ("other", "('a', 'x', 1), ('b', 'Y', 2.0), ('C', 'Z', 3)", "a"),
            ] {
                try db.execute(
                    sql: """
                        CREATE TABLE \(schema).t(
                          k TEXT COLLATE NOCASE PRIMARY KEY, g AS (a || 1), a COLLATE NOCASE, b,
                          h AS (b + 1) STORED);
                        INSERT INTO \(schema).t VALUES \(rows);
                        CREATE TABLE \(schema).u(a COLLATE NOCASE, g AS (a || 1));
                        INSERT INTO \(schema).u VALUES ('\(value)')
                        """)
            }
            let session = try db.makeSession(options: .rowIDs)
            try session.diff(from: "other", table: "t")
            try session.diff(from: "other", table: "u")
            let changeset = try session.changeset()
            expectEqual(
                changeset.lines,
                [
                    "delete t [0:\"a\" 1:\"x\" 2:1]", "insert t [0:\"A\" 1:\"X\" 2:1.0]",
                    "update t [0:\"b\" 1:\"Y\" → \"y\" 2:2.0 → 2]",
                    "update u [0:1 1:\"a\" → \"A\"]",
                ])
            try db.apply(changeset, options: .inverted)
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM t ORDER BY k")
            try expectEqual(rows, Row.fetchAll(db, sql: "SELECT * FROM other.t ORDER BY k"))
        }
    }

    @Test func closuresMustNotReleaseOuterSavepoints() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1)")
            let changeset = try db.changeset(of: "UPDATE t SET a = 2; INSERT INTO t VALUES (2, 2)")
            for sql in ["COMMIT", "RELEASE outer", "ROLLBACK TO outer"] {
                try db.execute(
                    sql:
                        "SAVEPOINT outer; UPDATE t SET a = 1 WHERE id = 1; INSERT INTO t VALUES (2, 0)"
                )
                expectError((any Error).self) {
                    try db.apply(changeset) { _ in
                        // Its own savepoints are no matter.
                        try db.execute(
                            sql: "SAVEPOINT inner; ROLLBACK TO inner; RELEASE inner; \(sql)")
                        return .omit
                    }
                }
                try? db.execute(sql: "ROLLBACK")
                try expectEqual(db.lines(of: "t"), ["1|1"], "\(sql)")
            }
        }
    }
}
