@testable import GRDBChanges
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct ChangesetApplicationTests {
    let dbQueue: DatabaseQueue

    private static let schema = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b CHECK (b < 1000));
        CREATE TABLE child(id INTEGER PRIMARY KEY, t REFERENCES t(id));
        INSERT INTO t VALUES (1, 'one', 1), (2, 'two', 2), (3, 'three', 3);
        INSERT INTO child VALUES (1, 3);
        """

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: Self.schema) }
    }

    // MARK: - Conflicts

    private struct Case {
        var name: String
        /// What is recorded.
        var changes: String
        /// What is done before the changes are applied.
        var ahead: String
        var kind: ChangesetConflict.Kind
        /// The table after the answers omit and replace; the latter is nil if it is none.
        var omitted: [String]
        var replaced: [String]?
        var conflictingRow: [String]?
    }

    private static let cases = [
        Case(
            name: "update of another value", changes: "UPDATE t SET b = 10 WHERE id = 1",
            ahead: "UPDATE t SET b = 5 WHERE id = 1", kind: .data,
            omitted: ["1|\"one\"|5", "2|\"two\"|2"], replaced: ["1|\"one\"|10", "2|\"two\"|2"],
            conflictingRow: ["1", "\"one\"", "5"]),
        Case(
            name: "deletion of another value", changes: "DELETE FROM t WHERE id = 1",
            ahead: "UPDATE t SET b = 5 WHERE id = 1", kind: .data,
            omitted: ["1|\"one\"|5", "2|\"two\"|2"], replaced: ["2|\"two\"|2"],
            conflictingRow: ["1", "\"one\"", "5"]),
        Case(
            name: "update of no row", changes: "UPDATE t SET b = 10 WHERE id = 1",
            ahead: "DELETE FROM t WHERE id = 1", kind: .notFound, omitted: ["2|\"two\"|2"]),
        Case(
            name: "deletion of no row", changes: "DELETE FROM t WHERE id = 1",
            ahead: "DELETE FROM t WHERE id = 1", kind: .notFound, omitted: ["2|\"two\"|2"]),
        Case(
            name: "insertion of a key", changes: "INSERT INTO t VALUES (9, 'nine', 9)",
            ahead: "DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (9, 'neuf', 0)",
            kind: .conflict, omitted: ["2|\"two\"|2", "9|\"neuf\"|0"],
            replaced: ["2|\"two\"|2", "9|\"nine\"|9"], conflictingRow: ["9", "\"neuf\"", "0"]),
        Case(
            name: "insertion of a unique value", changes: "INSERT INTO t VALUES (9, 'nine', 9)",
            ahead: "DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (8, 'nine', 0)",
            kind: .constraint, omitted: ["2|\"two\"|2", "8|\"nine\"|0"]),
        Case(
            name: "update to a unique value", changes: "UPDATE t SET a = 'nine' WHERE id = 1",
            ahead: "INSERT INTO t VALUES (8, 'nine', 0)", kind: .constraint,
            omitted: ["1|\"one\"|1", "2|\"two\"|2", "8|\"nine\"|0"]),
    ]

    @Test(arguments: cases.indices, [false, true])
    func conflictsAreResolved(index: Int, isFile: Bool) throws {
        let test = Self.cases[index]
        try dbQueue.write { db in
            try db.execute(sql: "DELETE FROM child; DELETE FROM t WHERE id = 3")
            let changeset = try db.changeset(of: test.changes)
            try db.execute(sql: test.ahead)
            let before = try db.lines(of: "t")
            let url = URL(fileURLWithPath: TestDatabases.makePath("changes"))
            try changeset.data.write(to: url)
            func apply(
                _ answer: ChangesetConflict.Resolution, _ options: ChangesetApplyOptions = []
            ) throws -> ChangesetApplication {
                let onConflict = { (conflict: ChangesetConflict) in
                    expectEqual(conflict.kind, test.kind)
                    expectEqual(conflict.change?.tableName, "t")
                    expectEqual(conflict.change?.columnNames, ["id", "a", "b"])
                    expectEqual(conflict.conflictingValues?.map(\.description), test.conflictingRow)
                    expectEqual(
                        conflict.conflictingValue(forColumn: "ID")?.description,
                        test.conflictingRow?[0])
                    expectEqual(conflict.canReplace, (test.replaced != nil))
                    expectEqual(conflict.foreignKeyViolationCount, 0)
                    return answer
                }
                return try isFile
                    ? db.apply(contentsOf: url, options: options, onConflict: onConflict)
                    : db.apply(changeset, options: options, onConflict: onConflict)
            }

            try db.inSavepoint {
                let omitted = try apply(.omit)
                try expectEqual(db.lines(of: "t"), test.omitted)
                expectTrue(!omitted.isComplete)
                expectEqual(omitted.omittedCount, 1)
                expectEqual(omitted.appliedCount, 0)
                expectEqual(omitted.conflicts.count, 1)
                expectTrue(!omitted.resolutions.isEmpty)
                return .rollback
            }
            if let replaced = test.replaced {
                try db.inSavepoint {
                    let application = try apply(.replace)
                    try expectEqual(db.lines(of: "t"), replaced)
                    expectTrue(application.isComplete)
                    expectEqual(application.conflicts.map(\.resolution), [.replace])
                    expectEqual(application.appliedCount, 1)
                    return .rollback
                }
            } else {
                expectError(
                    """
                    SQLite error 21: A conflict of the kind \(test.kind) can't be answered with \
                    replace
                    """
                ) {
                    try apply(.replace)
                }
            }
            let error = expectError(ChangesetConflictError.self) { try apply(.abort) }
            expectEqual(error?.conflict.kind, test.kind)
            try expectEqual(db.lines(of: "t"), before)
            expectError(ChangesetConflictError.self) { try db.apply(changeset) }
            expectError(ChangesetConflictError.self) {
                try apply(.abort, .withoutSavepoint)
            }
            try expectEqual(db.lines(of: "t"), before)
        }
    }

    @Test func patchsetsHaveNoConflictsOfValues() throws {
        try dbQueue.write { db in
            let patchset = try db.patchset(of: "UPDATE t SET b = 10 WHERE id = 1")
            try db.execute(sql: "UPDATE t SET b = 5 WHERE id = 1")
            let application = try db.apply(patchset)
            expectTrue(application.isComplete)
            expectTrue(application.resolutions.isEmpty)
            try expectEqual(db.lines(of: "t")[0], "1|\"one\"|10")
        }
    }

    @Test func foreignKeyConflicts() throws {
        try dbQueue.write { db in
            try db.execute(sql: "DELETE FROM child")
            let changeset = try db.changeset(of: "DELETE FROM t WHERE id = 3")
            try db.execute(sql: "INSERT INTO child VALUES (1, 3)")
            let error = expectError(ChangesetConflictError.self) { try db.apply(changeset) }
            expectEqual(error?.conflict.kind, .foreignKey)
            expectEqual(error?.conflict.change, nil)
            expectEqual(error?.conflict.conflictingValues, nil)
            expectEqual(error?.conflict.foreignKeyViolationCount, 1)
            expectEqual(
                error.map { "\($0)" },
                "The changeset was not applied. foreignKey: 1 violations")
            expectCode(.SQLITE_MISUSE) {
                try db.apply(changeset) { _ in .replace }
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 3)
            let application = try db.apply(changeset) { _ in .omit }
            expectEqual(application.appliedCount, 1)
            expectEqual(application.omittedCount, 0)
            expectEqual(application.conflicts.count, 1)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 2)
            // The order of changes does not matter.
            let both = try db.recording(
                "INSERT INTO t VALUES (7, 7, 7); INSERT INTO child VALUES (7, 7)")
            try db.apply(both, options: .inverted)
            try db.apply(both)
        }
        try expectTrue(dbQueue.read { try $0.foreignKeyViolations().next() } != nil)
    }

    /// SQLite would forget the violations that wait for the end of the transaction.
    @Test func violationsOfTheTransactionAreNotForgotten() throws {
        try dbQueue.writeWithoutTransaction { db in
            let changeset = try db.changeset(of: "UPDATE t SET b = 10 WHERE id = 1")
            for fails in [false, true] {
                expectCode(.SQLITE_CONSTRAINT_FOREIGNKEY) {
                    try db.inTransaction {
                        try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
                        try db.execute(sql: "INSERT INTO child VALUES (5, 55)")
                        if fails { try db.execute(sql: "DELETE FROM t WHERE id = 1") }
                        if fails {
                            expectError(ChangesetConflictError.self) { try db.apply(changeset) }
                            expectError(ChangesetConflictError.self) {
                                try db.apply(changeset, options: .withoutSavepoint)
                            }
                        } else {
                            // The violations of others are no conflicts.
                            try db.apply(changeset)
                        }
                        // Still deferred.
                        try db.execute(sql: "INSERT INTO child VALUES (6, 66)")
                        return .commit
                    }
                }
                try db.inTransaction {
                    try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
                    try db.execute(sql: "INSERT INTO child VALUES (5, 55)")
                    try db.apply(changeset)
                    try db.execute(sql: "DELETE FROM child WHERE id = 5")
                    return .commit
                }
                try db.apply(changeset, options: .inverted)
            }
        }
    }

    /// SQLite knows this error by its primary code, which connections don't return.
    @Test func valuesMayBeSwapped() throws {
        try dbQueue.write { db in
            let swap = """
                UPDATE t SET a = 'x' WHERE id = 1;
                UPDATE t SET a = 'one' WHERE id = 2;
                UPDATE t SET a = 'two' WHERE id = 1
                """
            let changeset = try db.changeset(of: swap)
            // A table that hides the other one.
            try db.execute(sql: "CREATE TEMP TABLE t(id INTEGER PRIMARY KEY, a, b)")
            for options in [ChangesetApplyOptions(), .withoutSavepoint] {
                try db.apply(changeset, options: options)
                try expectEqual(db.lines(of: "main.t")[..<2], ["1|\"two\"|1", "2|\"one\"|2"])
                try expectEqual(db.lines(of: "temp.t"), [])
                try db.apply(changeset, options: options.union(.inverted))
            }
        }
    }

    @Test(
        .disabled(
            if: Database.sqliteLibVersionNumber >= 3_054_000, "SQLite 3.54 reports another conflict"
        )) func constraintsThatNoOrderSatisfiesAreConflicts() throws
    {
        try dbQueue.write { db in
            let changeset = try db.changeset(
                of: """
                    UPDATE t SET a = 'x' WHERE id = 1;
                    UPDATE t SET a = 'one' WHERE id = 2;
                    UPDATE t SET a = 'two' WHERE id = 1
                    """)
            // SQLite's last resort.
            try db.execute(
                sql: """
                    CREATE TRIGGER tr BEFORE INSERT ON t BEGIN
                      SELECT RAISE(ABORT, 'no');
                    END
                    """)
            for options in [ChangesetApplyOptions(), .withoutSavepoint] {
                let application = try db.apply(changeset, options: options) { conflict in
                    expectEqual(conflict.kind, .constraint)
                    return .omit
                }
                #expect(application.omittedCount > 0)
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 3)
            }
            expectTrue(db.isInsideTransaction)
        }
    }

    // MARK: - Options

    @Test func noopsMayBeIgnored() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE "a table"(id INTEGER PRIMARY KEY, "a column", "select");
                    INSERT INTO "a table" VALUES (1, 1, 1), (2, 2, 2)
                    """)
            let changeset = try db.recording(
                """
                UPDATE "a table" SET "select" = 5 WHERE id = 1;
                DELETE FROM "a table" WHERE id = 2;
                INSERT INTO "a table" VALUES (3, 3, 3)
                """)
            expectError(ChangesetConflictError.self) { try db.apply(changeset) }
            let application = try db.apply(changeset, options: .ignoringNoops)
            expectTrue(application.conflicts.isEmpty)
            expectEqual(application.appliedCount, 3)
            try expectEqual(db.lines(of: "\"a table\""), ["1|1|5", "3|3|3"])
        }
    }

    @Test func withoutSavepointChangesStay() throws {
        try dbQueue.write { db in
            let changeset = try db.changeset(
                of: "INSERT INTO t VALUES (8, 8, 8); INSERT INTO t VALUES (9, 9, 9)")
            // Whatever the order, the second one fails.
            let calls = Log<Int>()
            db.add(
                function: DatabaseFunction("fails", argumentCount: 0) { _ in
                    calls.append(1)
                    if calls.elements.count == 2 { throw TestError() }
                    return false
                })
            try db.execute(
                sql: """
                    CREATE TEMP TRIGGER tr BEFORE INSERT ON t BEGIN SELECT fails(); END
                    """)
            expectError(TestError()) { try db.apply(changeset) }
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 3)
            calls.removeAll()
            expectError(TestError()) { try db.apply(changeset, options: .withoutSavepoint) }
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 4)
            try db.execute(sql: "DELETE FROM t WHERE id > 3")
        }
        // Outside of a transaction, the changes are one.
        try dbQueue.writeWithoutTransaction { db in
            let changeset = try db.changeset(
                of: "INSERT INTO t VALUES (7, 7, 7); UPDATE t SET b = 5 WHERE id = 1")
            try db.execute(sql: "UPDATE t SET b = 6 WHERE id = 1")
            expectError(ChangesetConflictError.self) {
                try db.apply(changeset, options: .withoutSavepoint)
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 3)
            expectTrue(!db.isInsideTransaction)
        }
    }

    @Test func foreignKeyActionsMayBeLeftOut() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE leaf(
                      id INTEGER PRIMARY KEY, t REFERENCES t(id) ON DELETE SET NULL);
                    DELETE FROM child;
                    INSERT INTO leaf VALUES (1, 1)
                    """)
            let changeset = try db.changeset(of: "DELETE FROM leaf; DELETE FROM t WHERE id = 1")
            var kinds: [ChangesetConflict.Kind] = []
            try db.inSavepoint {
                // If the parent goes first, the child is another one.
                try db.apply(changeset) {
                    kinds.append($0.kind); return .replace
                }
                return .rollback
            }
            try db.apply(changeset, options: .withoutForeignKeyActions)
            try expectEqual(db.lines(of: "leaf"), [])
            try db.execute(sql: "INSERT INTO leaf VALUES (2, 2); DELETE FROM t WHERE id = 2")
            try expectEqual(db.lines(of: "leaf"), ["2|NULL"])
        }
    }

    // MARK: - Filters and tables

    @Test func filterChoosesChanges() throws {
        try dbQueue.write { db in
            let changeset = try db.changeset(
                of: """
                    UPDATE t SET b = 10 WHERE id = 1; UPDATE t SET b = 20 WHERE id = 2;
                    DELETE FROM child
                    """)
            let application = try db.apply(
                changeset,
                filter: {
                    $0.tableName == "t" && $0.newValue(forColumn: "b") == 20.databaseValue
                })
            expectEqual(application.filteredCount, 2)
            expectEqual(application.appliedCount, 1)
            expectTrue(!application.isComplete)
            try expectEqual(db.lines(of: "t")[..<2], ["1|\"one\"|1", "2|\"two\"|20"])
            try expectEqual(db.lines(of: "child"), ["1|3"])
        }
    }

    @Test func tablesThatDoNotFitAreErrors() throws {
        let changeset = try dbQueue.write { db in
            try db.changeset(
                of: """
                    UPDATE t SET b = 10 WHERE id = 1; DELETE FROM child; INSERT INTO child VALUES (8, 1)
                    """)
        }
        let other = try TestDatabases.makeQueue()
        try other.write { db in
            try db.execute(sql: "CREATE TABLE child(id INTEGER PRIMARY KEY, t)")
            try db.execute(sql: "INSERT INTO child VALUES (1, 3)")
            expectError("SQLite error 17: no such table: t") { try db.apply(changeset) }
            try expectEqual(db.lines(of: "child"), ["1|3"])
            // A filter may do without the table.
            let filtered = try db.apply(changeset, filter: { $0.tableName == "child" })
            expectEqual(filtered.filteredCount, 1)
            expectEqual(filtered.appliedCount, 2)
            expectTrue(filtered.mismatchedTables.isEmpty)
            expectError("SQLite error 17: no such table: t") {
                try db.apply(changeset, filter: { _ in true })
            }
            expectError(TestError()) {
                try db.apply(changeset, filter: { _ in throw TestError() })
            }
            try db.apply(changeset, filter: { $0.tableName == "child" }, options: .inverted)

            let skipped = try db.apply(changeset, options: .skippingMismatchedTables)
            expectEqual(skipped.appliedCount, 2)
            expectEqual(skipped.mismatchedTables.map(\.tableName), ["t"])
            expectEqual(skipped.mismatchedTables.map(\.reason), [.missing])
            expectEqual(skipped.mismatchedTables.map(\.changeCount), [1])
            expectTrue(!skipped.isComplete)

            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
            expectError("SQLite error 17: The table t has 2 columns; the changeset has 3") {
                try db.apply(changeset)
            }
            try db.execute(sql: "DROP TABLE t; CREATE TABLE t(id, a PRIMARY KEY, b)")
            expectError(
                "SQLite error 17: The table t has another primary key than the changeset"
            ) {
                try db.apply(changeset)
            }
            // More columns are none of the changeset.
            try db.execute(
                sql: """
                    DROP TABLE t; CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c DEFAULT 7);
                    INSERT INTO t VALUES (1, 'one', 1, 2); DELETE FROM child;
                    INSERT INTO child VALUES (1, 3)
                    """)
            try expectTrue(db.apply(changeset).isComplete)
            try expectEqual(db.lines(of: "t"), ["1|\"one\"|10|2"])
        }
    }

    // MARK: - Accesses

    @Test(arguments: DatabaseKind.allCases) func readOnlyAccessesRefuse(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        let changeset = try writer.write { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
            return try db.changeset(of: "INSERT INTO t VALUES (1)")
        }
        try writer.read { db in
            expectError("SQLite error 8: attempt to write a readonly database") {
                try db.apply(changeset)
            }
        }
        try writer.write { db in
            try db.readOnly {
                expectCode(.SQLITE_READONLY) { try db.apply(changeset) }
            }
            try db.apply(changeset)
        }
        try writer.close()
    }

    @Test func closedConnectionRefuses() throws {
        let db = try dbQueue.write { SessionBox($0) }
        expectError("SQLite error 21: Database was not used on the correct thread.") {
            try db.value?.apply(Changeset())
        }
        db.value = nil
    }

    @Test func timeLimitsInterrupt() throws {
        try dbQueue.write { db in
            let changeset = try db.changeset(of: "UPDATE t SET b = 10")
            expectCode(.SQLITE_INTERRUPT) {
                try db.withTimeLimit(0) { try db.apply(changeset) }
            }
        }
    }
}
