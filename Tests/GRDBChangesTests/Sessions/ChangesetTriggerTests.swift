@testable import GRDBChanges
import GRDB
import GRDBTestSupport
import Testing

/// Applying a changeset runs the triggers and the foreign key actions of the database. Undoing runs none:
/// see `UndoHistoryRowsTests`.
@Suite(.databases) struct ChangesetTriggerTests {
    private let schema = """
        CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE note(
            id INTEGER PRIMARY KEY, folder INTEGER REFERENCES folder(id) ON DELETE CASCADE, title TEXT);
        CREATE TABLE log(id INTEGER PRIMARY KEY, title TEXT);
        CREATE TABLE total(id INTEGER PRIMARY KEY, n INTEGER);
        INSERT INTO folder VALUES (1, 'inbox'), (2, 'work');
        INSERT INTO note VALUES (1, 1, 'a'), (2, 2, 'b');
        INSERT INTO total VALUES (1, 2);
        CREATE TRIGGER tr1 AFTER INSERT ON note BEGIN UPDATE total SET n = n + 1; END;
        CREATE TRIGGER tr2 AFTER UPDATE ON note BEGIN INSERT INTO log(title) VALUES (old.title); END;
        CREATE TRIGGER tr3 AFTER DELETE ON note BEGIN UPDATE total SET n = n - 1; END;
        """

    /// Records what SQL changes in one database, and applies it to another one with the same rows.
    private func applying(
        _ sql: String, triggersAtSource: Bool, options: ChangesetApplyOptions = [],
        directOnly: Bool = false, _ body: (Database, ChangesetApplication) throws -> Void
    ) throws {
        let changeset = try TestDatabases.makeQueue().write { db in
            try db.execute(sql: schema)
            if !triggersAtSource {
                try db.execute(sql: "DROP TRIGGER tr1; DROP TRIGGER tr2; DROP TRIGGER tr3")
            }
            return try db.recording(sql)
        }
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: schema)
            let application = try db.apply(
                changeset, filter: { !directOnly || !$0.isIndirect }, options: options
            ) { _ in .omit }
            try body(db, application)
        }
    }

    private let sql = """
        INSERT INTO note VALUES (3, 2, 'c'); UPDATE note SET title = 'bb' WHERE id = 2
        """

    @Test func triggersRunWhenChangesAreApplied() throws {
        try applying(sql, triggersAtSource: false) { db, application in
            expectTrue(application.isComplete)
            expectEqual(try db.lines(of: "note"), ["1|1|\"a\"", "2|2|\"bb\"", "3|2|\"c\""])
            expectEqual(try db.lines(of: "log"), ["1|\"b\""])
            expectEqual(try db.lines(of: "total"), ["1|3"])
        }
    }

    /// The changeset has the changes of the triggers, and the triggers make them again.
    @Test func recordedChangesOfTriggersAreLeftOutByAFilter() throws {
        try applying(sql, triggersAtSource: true) { _, application in
            expectTrue(!application.isComplete)
        }
        try applying(sql, triggersAtSource: true, directOnly: true) { db, application in
            expectTrue(application.conflicts.isEmpty)
            expectEqual(try db.lines(of: "log"), ["1|\"b\""])
            expectEqual(try db.lines(of: "total"), ["1|3"])
        }
    }

    @Test func foreignKeyActionsRunUnlessAnOptionDisablesThem() throws {
        // The note that refers to the folder exists only where the changeset is applied.
        let sql = "UPDATE note SET folder = NULL WHERE id = 1; DELETE FROM folder WHERE id = 1"
        let extra = "INSERT INTO note VALUES (9, 1, 'later')"
        let changeset = try TestDatabases.makeQueue().write { db in
            try db.execute(sql: schema)
            return try db.recording(sql)
        }
        for (options, notes) in [
            (ChangesetApplyOptions(), ["1|NULL|\"a\"", "2|2|\"b\""]),
            (.withoutForeignKeyActions, ["1|NULL|\"a\"", "2|2|\"b\"", "9|1|\"later\""]),
        ] {
            try TestDatabases.makeQueue().inDatabase { db in
                try db.execute(sql: schema + extra)
                var kinds: [ChangesetConflict.Kind] = []
                try db.inTransaction {
                    try db.apply(changeset, filter: { $0.tableName != "log" }, options: options) {
                        kinds.append($0.kind)
                        return .omit
                    }
                    expectEqual(try db.lines(of: "note"), notes)
                    return .rollback
                }
                expectEqual(kinds, options.isEmpty ? [] : [.foreignKey])
            }
        }
    }
}
