@testable import GRDBChanges
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

/// Undoing restores exactly the rows of a group, or gives the group up.
@Suite(.databases) struct UndoHistoryRowsTests {
    struct Scenario: CustomTestStringConvertible {
        let name: String
        let schema: String
        var index: VirtualTableKind? = nil
        let group: String
        var interference = ""
        var tables: [String]? = nil
        var isGivenUp = false

        var testDescription: String { name }
    }

    enum VirtualTableKind { case fts4, fts5 }

    private static let notes = """
        CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        CREATE TABLE note(
          id INTEGER PRIMARY KEY, folder INTEGER REFERENCES folder(id) ON DELETE CASCADE, title TEXT, modified);
        CREATE TABLE log(text TEXT);
        CREATE TABLE counter(id INTEGER PRIMARY KEY, n);
        INSERT INTO folder VALUES (1, 'a'), (2, 'b');
        INSERT INTO counter VALUES (1, 2);
        """

    private static let rows = """
        INSERT INTO note VALUES (1, 1, 'elm', 0), (2, 2, 'oak fir', 0), (3, NULL, 'ash', 0);
        """

    private static let children = """
        CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        CREATE TABLE note(
          id INTEGER PRIMARY KEY, title TEXT,
          folder TEXT REFERENCES folder(name) ON DELETE CASCADE ON UPDATE CASCADE);
        INSERT INTO folder VALUES (1, 'a'), (2, 'b');
        """

    static let scenarios =
        [VirtualTableKind.fts4, .fts5].flatMap { index in
            [
                Scenario(
                    name: "moved rows", schema: notes + rows, index: index,
                    group: "INSERT INTO folder VALUES (9, 'z'); UPDATE note SET folder = 9"),
                Scenario(
                    name: "swapped unique names",
                    schema: children + "INSERT INTO note VALUES (1, 'elm', 'a'), (2, 'oak', 'b')",
                    index: index,
                    group: """
                        UPDATE folder SET name = 'x' WHERE id = 1; UPDATE folder SET name = 'a' WHERE id = 2;
                        UPDATE folder SET name = 'b' WHERE id = 1
                        """),
                Scenario(
                    name: "swapped keys", schema: notes + rows, index: index,
                    group: """
                        UPDATE note SET folder = NULL; UPDATE folder SET id = 9 WHERE id = 1;
                        UPDATE folder SET id = 1 WHERE id = 2; UPDATE folder SET id = 2 WHERE id = 9;
                        UPDATE note SET folder = 3 - id WHERE id < 3
                        """),
                Scenario(
                    name: "a trigger that changes the row",
                    schema: notes + """
                        CREATE TRIGGER tr AFTER UPDATE OF title ON note BEGIN
                          UPDATE note SET modified = modified + 1 WHERE id = new.id;
                        END;
                        """ + rows, index: index,
                    group: "UPDATE note SET title = 'pine' WHERE id = 1"),
                Scenario(
                    name: "a trigger that deletes other rows",
                    schema: notes + """
                        CREATE TRIGGER tr AFTER DELETE ON note BEGIN DELETE FROM folder WHERE id = 2; END;
                        """ + rows + "INSERT INTO note VALUES (9, NULL, 'elm', 0)",
                    index: index, group: "INSERT INTO note VALUES (4, 2, 'oak', 0)"),
                Scenario(
                    name: "an audit log without a key",
                    schema: notes + """
                        CREATE TRIGGER tr1 AFTER UPDATE ON note BEGIN INSERT INTO log VALUES (old.title); END;
                        CREATE TRIGGER tr2 AFTER DELETE ON note BEGIN DELETE FROM log WHERE rowid = 1; END;
                        INSERT INTO log VALUES ('one'), ('two');
                        """ + rows, index: index,
                    group: "UPDATE note SET title = 'larch'; DELETE FROM note WHERE id = 2"),
                Scenario(
                    name: "a unique value that a trigger has inserted",
                    schema: """
                        CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT UNIQUE);
                        CREATE TRIGGER tr AFTER UPDATE ON note BEGIN INSERT INTO note(title) VALUES (old.title); END;
                        INSERT INTO note VALUES (1, 'elm');
                        """, index: index, group: "UPDATE note SET title = 'oak'"),
                Scenario(
                    name: "a temporary trigger",
                    schema: notes + """
                        CREATE TEMP TRIGGER tr AFTER UPDATE ON note BEGIN INSERT INTO log VALUES (old.title); END;
                        """ + rows, index: index, group: "UPDATE note SET title = 'larch'"),
                Scenario(
                    name: "counters outside of the tables",
                    schema: notes + """
                        CREATE TRIGGER tr AFTER DELETE ON note BEGIN UPDATE counter SET n = n - 1; END;
                        """ + rows, index: index, group: "DELETE FROM folder", tables: ["folder"]),
                Scenario(
                    name: "keys that are texts",
                    schema: """
                        CREATE TABLE note(id TEXT PRIMARY KEY COLLATE NOCASE, title TEXT);
                        INSERT INTO note VALUES ('a', 'elm'), ('b', 'oak'), ('c', 'elm oak');
                        """, index: index,
                    group:
                        "UPDATE note SET id = 'A', title = 'fir' WHERE id = 'a'; DELETE FROM note WHERE id = 'b'"
                ),
                Scenario(
                    name: "a dropped column", schema: notes + rows, index: index,
                    group: "UPDATE folder SET name = name || '!'",
                    interference: """
                        ALTER TABLE folder RENAME TO f; CREATE TABLE folder(id INTEGER PRIMARY KEY, other TEXT);
                        INSERT INTO folder SELECT * FROM f; DROP TABLE f
                        """, isGivenUp: true),
                Scenario(
                    name: "tables that exchange names",
                    schema: """
                        CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT);
                        CREATE TABLE plant(id INTEGER PRIMARY KEY, a, b); INSERT INTO plant VALUES (1, 1, 1);
                        CREATE TABLE animal(id INTEGER PRIMARY KEY, a, b); INSERT INTO animal VALUES (1, 2, 3);
                        """, index: index, group: "UPDATE plant SET a = 2",
                    interference: """
                        ALTER TABLE plant RENAME TO x; ALTER TABLE animal RENAME TO plant;
                        ALTER TABLE x RENAME TO animal
                        """, isGivenUp: true),
                Scenario(
                    name: "a unique value that replaces rows",
                    schema: """
                        CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT);
                        CREATE TABLE u(id INTEGER PRIMARY KEY, a UNIQUE ON CONFLICT REPLACE);
                        INSERT INTO u VALUES (1, 1), (2, 2);
                        """, index: index, group: "DELETE FROM u WHERE id = 1",
                    interference: "INSERT INTO u VALUES (3, 1)", isGivenUp: true),
                Scenario(
                    name: "columns that convert values",
                    schema: """
                        CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT);
                        CREATE TABLE u(id INTEGER PRIMARY KEY, a); INSERT INTO u VALUES (1, 1);
                        """, index: index, group: "UPDATE u SET a = '1'",
                    interference: """
                        PRAGMA writable_schema = 1;
                        UPDATE sqlite_master SET sql = 'CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT)' WHERE name = 'u';
                        PRAGMA writable_schema = RESET
                        """, isGivenUp: true),
            ]
        } + [
            Scenario(
                name: "rowids that VACUUM changes",
                schema:
                    "CREATE TABLE log(text); INSERT INTO log VALUES (1), (2), (3), (4); DELETE FROM log WHERE rowid < 3",
                group: "UPDATE log SET text = 5", interference: "VACUUM", isGivenUp: true)
        ]

    @Test(arguments: scenarios) func rowsAreRestored(_ scenario: Scenario) throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { db in
            let statements = scenario.schema.range(of: "INSERT INTO note").map {
                [
                    String(scenario.schema[..<$0.lowerBound]),
                    String(scenario.schema[$0.lowerBound...]),
                ]
            }
            let (tables, rows) = (statements?[0] ?? scenario.schema, statements?[1] ?? "")
            try db.execute(sql: scenario.name.contains("trigger has") ? scenario.schema : tables)
            switch scenario.index {
            case .fts4?:
                try db.create(virtualTable: "ft", using: FTS4()) { t in
                    t.synchronize(withTable: "note")
                    t.column("title")
                }
            case .fts5?:
                try db.create(virtualTable: "ft", using: FTS5()) { t in
                    t.synchronize(withTable: "note")
                    t.column("title")
                }
            case nil: break
            }
            if !scenario.name.contains("trigger has") { try db.execute(sql: rows) }
        }
        let history = try UndoHistory(queue, tables: scenario.tables)
        func contents() throws -> [String] {
            try queue.write { db in
                if scenario.index != nil {
                    let rank = scenario.index == .fts5 ? ("(ft, rank)", ", 1") : ("(ft)", "")
                    try db.execute(
                        sql: "INSERT INTO ft\(rank.0) VALUES ('integrity-check'\(rank.1))")
                }
                let tables = try String.fetchAll(
                    db,
                    sql: """
                        SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
                        AND name NOT LIKE 'sqlite_%' ORDER BY name
                        """)
                let lines = try tables.flatMap { name in
                    try db.lines(of: name).map { "\(name) \($0)" }
                }
                let words = ["elm", "oak", "fir", "ash", "pine", "larch"]
                return try lines.sorted()
                    + (scenario.index == nil ? [] : words).map { word in
                        let found = try String.fetchAll(
                            db,
                            sql:
                                "SELECT title FROM note WHERE rowid IN (SELECT rowid FROM ft WHERE ft MATCH ?) ORDER BY 1",
                            arguments: [word])
                        return "\(word): \(found)"
                    }
            }
        }
        let before = try contents()
        try history.record("Group") { try $0.execute(sql: scenario.group) }
        let after = try contents()
        if scenario.isGivenUp {
            try queue.writeWithoutTransaction { try $0.execute(sql: scenario.interference) }
            let interfered = try contents()
            let outcome = try history.undo()
            guard case .givenUp = outcome else { Issue.record("\(outcome)"); return }
            try expectEqual(contents(), interfered)
            return
        }
        for _ in 0..<2 {
            for (move, expected) in [
                ({ try history.undo() }, before), ({ try history.redo() }, after),
            ] {
                let outcome: UndoHistory.Outcome = try move()
                guard case .done = outcome else { Issue.record("\(outcome)"); return }
                try expectEqual(contents(), expected)
            }
        }
    }

    // MARK: - Refused groups

    @Test func groupsThatCannotBeUndoneAreRefused() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(k TEXT PRIMARY KEY, a);
                    CREATE VIRTUAL TABLE r USING rtree(id, x1, x2);
                    CREATE TABLE place(id INTEGER PRIMARY KEY, x);
                    CREATE TRIGGER tr AFTER INSERT ON place BEGIN INSERT INTO r VALUES (new.id, new.x, new.x); END
                    """)
        }
        let history = try UndoHistory(queue)
        for (sql, reason) in [
            (
                "INSERT INTO t VALUES (NULL, 1)",
                "a row of the table t whose primary key contains NULL"
            ),
            ("DROP TABLE t", "that the table t is dropped or altered"),
            ("ALTER TABLE t RENAME TO u", "that the table t is dropped or altered"),
            (
                "INSERT INTO place VALUES (1, 1)",
                "changes of the virtual table r. Write to it, and to tables whose triggers write to it, elsewhere"
            ),
        ] {
            expectError("SQLite error 21: A history can't record \(reason)") {
                try history.record("Group") { try $0.execute(sql: sql) }
            }
        }
        try expectEqual(queue.read { try $0.lines(of: "t") + $0.lines(of: "place") }, [])
        expectTrue(!history.state.canUndo)
        // What others do in the same transaction does not matter, and temporary tables don't either.
        try UndoHistory(queue, tables: ["t"]).record("Group") { db in
            try db.execute(
                sql:
                    "INSERT INTO place VALUES (1, 1); CREATE TEMP TABLE x(a); DROP TABLE x; CREATE TABLE y(a)"
            )
        }
        for (table, message) in [
            ("tt", "1: no such table: tt"),
            (
                "r",
                "21: A history can't record r: it is a view, a virtual table, or an internal table"
            ),
        ] {
            expectError("SQLite error \(message)") { try UndoHistory(queue, tables: ["t", table]) }
        }
    }

    // MARK: - Tables of the library

    @Test func tablesOfTheLibraryAreNotRecorded() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)") }
        let outbox = try queue.outbox(named: "sync", tables: ["t"])
        let first = try UndoHistory(queue, storage: .table("first"))
        let second = try UndoHistory(queue, storage: .table("second"))
        try first.record("A") { db in
            try second.record("B", in: db) { try db.execute(sql: "INSERT INTO t VALUES (1, 1)") }
            try db.execute(
                sql:
                    "CREATE TABLE grdb_migrations(identifier); INSERT INTO grdb_migrations VALUES (1)"
            )
        }
        try first.undo()
        expectEqual(second.state.undoName, "B")
        try expectEqual(
            queue.read { try $0.lines(of: "t") + $0.lines(of: "grdb_migrations") }, ["1"])
        guard case .givenUp = try second.undo() else { Issue.record("not given up"); return }
        try expectEqual(queue.read { try outbox.pendingCount($0) }, 2)
        let changeset = try queue.write { db in
            try db.recording(
                "INSERT INTO first(name, isUndone, changeset) VALUES (1, 0, ''); INSERT INTO t VALUES (2, 2)"
            )
        }
        expectEqual(changeset.tableNames, ["t"])
    }

    @Test func theStateFollowsTheTable() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)") }
        let first = try UndoHistory(queue, storage: .table("undo"))
        let second = try UndoHistory(queue, storage: .table("undo"))
        try first.record("A") { try $0.execute(sql: "INSERT INTO t VALUES (1, 1)") }
        expectEqual(second.state.undoName, "A")
        try second.record("B") { db in
            try first.record("C", in: db) { try db.execute(sql: "INSERT INTO t VALUES (2, 2)") }
        }
        expectEqual(first.state.undoGroups.map(\.name), ["B", "A"])
        try queue.write { try $0.execute(sql: "DELETE FROM undo") }
        expectEqual(first.state, UndoHistory.State())
        expectEqual(second.state, UndoHistory.State())
    }

    @Test func groupsOfEarlierVersionsAreGivenUp() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a);
                    CREATE TABLE undo(
                      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, isUndone INTEGER NOT NULL,
                      changeset BLOB NOT NULL)
                    """)
            let changeset = try db.recording("INSERT INTO t VALUES (1, 1)")
            try db.execute(
                sql: "INSERT INTO undo(name, isUndone, changeset) VALUES ('A', 0, ?)",
                arguments: [changeset.data])
        }
        let history = try UndoHistory(queue, storage: .table("undo"))
        guard case .givenUp = try history.undo() else { Issue.record("not given up"); return }
        try history.record("B") { try $0.execute(sql: "DELETE FROM t") }
        guard case .done = try history.undo() else { Issue.record("not done"); return }
    }

    // MARK: - Foreign keys

    @Test(arguments: [false, true]) func openViolationsOfOtherTablesRemain(isDeferred: Bool) throws
    {
        let queue = try TestDatabases.makeQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1);
                    CREATE TABLE p(id INTEGER PRIMARY KEY, q REFERENCES p(id) \
                    \(isDeferred ? "DEFERRABLE INITIALLY DEFERRED" : ""));
                    """)
        }
        let history = try UndoHistory(queue)
        try history.record("A") { try $0.execute(sql: "UPDATE t SET a = 2") }
        try queue.write { db in
            if !isDeferred { try db.execute(sql: "PRAGMA defer_foreign_keys = ON") }
            try db.execute(sql: "INSERT INTO p VALUES (1, 2)")
            guard case .done = try history.undo(in: db) else { Issue.record("not done"); return }
            try db.apply(db.changeset(of: "UPDATE t SET a = 3"))
            try db.execute(sql: "INSERT INTO p VALUES (2, 1)")
        }
        try expectEqual(queue.read { try $0.lines(of: "t") }, ["1|3"])
        // Others are conflicts.
        try history.record("B") { try $0.execute(sql: "INSERT INTO p VALUES (3, NULL)") }
        expectCode(.SQLITE_CONSTRAINT_FOREIGNKEY) {
            try queue.write { db in
                if !isDeferred { try db.execute(sql: "PRAGMA defer_foreign_keys = ON") }
                try db.execute(sql: "UPDATE p SET q = 3 WHERE id = 2; INSERT INTO p VALUES (5, 6)")
                guard case .givenUp = try history.undo(in: db) else {
                    Issue.record("not given up"); return
                }
            }
        }
    }
}
