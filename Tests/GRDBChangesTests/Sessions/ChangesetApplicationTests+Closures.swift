@testable import GRDBChanges
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

/// Closures that choose changes, and resolve conflicts.
extension ChangesetApplicationTests {
    @Test func errorsOfClosuresAreThrown() throws {
        try dbQueue.write { db in
            let changeset = try db.changeset(of: "UPDATE t SET b = 10; DELETE FROM child")
            let before = try db.lines(of: "t")
            expectError(TestError("filter")) {
                try db.apply(changeset, filter: { _ in throw TestError("filter") })
            }
            var count = 0
            expectError(TestError("filter")) {
                try db.apply(
                    changeset,
                    filter: { _ in
                        count += 1
                        if count == 3 { throw TestError("filter") }
                        return true
                    })
            }
            expectEqual(count, 3)
            try db.execute(sql: "UPDATE t SET b = 5 WHERE id = 2")
            expectError(TestError("conflict")) {
                try db.apply(changeset) { _ in throw TestError("conflict") }
            }
            try db.execute(sql: "UPDATE t SET b = 2 WHERE id = 2")
            try expectEqual(db.lines(of: "t"), before)
            try expectEqual(db.lines(of: "child"), ["1|3"])
        }
    }

    @Test func closuresReadAndDoNotWrite() throws {
        try dbQueue.write { db in
            let changeset = try db.changeset(of: "UPDATE t SET b = 10 WHERE id = 1")
            try db.execute(sql: "UPDATE t SET b = 5 WHERE id = 1")
            func use() throws {
                try expectEqual(Int.fetchOne(db, sql: "SELECT b FROM t WHERE id = 1"), 5)
                expectCode(.SQLITE_READONLY) {
                    try db.execute(sql: "DELETE FROM t")
                }
                expectCode(.SQLITE_READONLY) { try db.apply(changeset) }
                try db.inSavepoint { () throws in
                    try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 3)
                    return .commit
                }
            }
            try db.apply(
                changeset,
                filter: { _ in
                    try use(); return true
                }
            ) { _ in
                try use()
                return .replace
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT b FROM t WHERE id = 1"), 10)
            try db.execute(sql: "UPDATE t SET b = 6 WHERE id = 2")
        }
        try dbQueue.read { db throws in
            try expectEqual(Int.fetchOne(db, sql: "SELECT b FROM t WHERE id = 2"), 6)
        }
    }

    @Test(arguments: ["ROLLBACK", "COMMIT"]) func closuresMustNotEndTheTransaction(sql: String)
        throws
    {
        let changeset = try dbQueue.write { db in
            try db.changeset(of: "UPDATE t SET b = 10; INSERT INTO t VALUES (7, 7, 7)")
        }
        try dbQueue.writeWithoutTransaction { db in
            let before = try db.lines(of: "t")
            var count = 0
            expectError(
                sql == "COMMIT"
                    ? "SQLite error 21: The transaction can't be committed while a changeset is applied"
                    : "SQLite error 4: Transaction was aborted by a change of the changeset"
            ) {
                try db.apply(
                    changeset,
                    filter: { _ in
                        count += 1
                        // After the first change.
                        if count == 2 { try db.execute(sql: sql) }
                        return true
                    })
            }
            try expectEqual(db.lines(of: "t"), before)
            expectTrue(!db.isInsideTransaction)
            // It can be written again.
            try db.execute(sql: "UPDATE t SET b = b")
        }
    }

    /// SQLite would go on, and commit each of the changes that follow.
    @Test func rollbacksByConstraintsEndAll() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE r(id INTEGER PRIMARY KEY, a UNIQUE ON CONFLICT ROLLBACK);
                    INSERT INTO r VALUES (100, 100)
                    """)
            let recorder = TransactionRecorder()
            let changeset = try db.changeset(
                of: (1...20).map { "INSERT INTO r VALUES (\($0), \($0))" }.joined(separator: ";"))
            db.add(transactionObserver: recorder)
            try db.execute(sql: "INSERT INTO r VALUES (50, 10)")
            _ = recorder.lines()
            for isInTransaction in [false, true] {
                if isInTransaction { try db.beginTransaction() }
                expectError(
                    "SQLite error 4: Transaction was aborted by a change of the changeset"
                ) {
                    try db.apply(changeset) { _ in .omit }
                }
                expectTrue(!db.isInsideTransaction)
                try expectEqual(db.lines(of: "r"), ["50|10", "100|100"])
                expectEqual(recorder.lines().last, "didRollback")
            }
            try db.execute(sql: "DELETE FROM r")
            try db.apply(changeset)
        }
    }

    @Test func errorsOfFunctionsAreThrown() throws {
        try dbQueue.write { db in
            db.add(
                function: DatabaseFunction("fails", argumentCount: 1) { values in
                    if values[0] == 20.databaseValue { throw TestError("function") }
                    return 0
                })
            let changeset = try db.changeset(of: "UPDATE t SET b = id * 10")
            try db.execute(
                sql: "CREATE TEMP TRIGGER tr AFTER UPDATE ON t BEGIN SELECT fails(NEW.b); END")
            expectError(TestError("function")) { try db.apply(changeset) }
            try expectEqual(Int.fetchOne(db, sql: "SELECT MAX(b) FROM t"), 3)
        }
    }
}
