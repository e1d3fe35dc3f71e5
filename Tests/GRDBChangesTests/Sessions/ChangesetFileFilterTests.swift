@testable import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Applying some of the changes of a file.
@Suite(.databases) struct ChangesetFileFilterTests {
    /// Writes the changes of SQL into a file, and undoes them.
    private func makeFile(_ db: Database, _ sql: String) throws -> URL {
        let url = URL(fileURLWithPath: TestDatabases.makePath("changes"))
        try db.inSavepoint {
            let session = try db.makeSession()
            try session.attachAllTables()
            try db.execute(sql: sql)
            try session.changeset().data.write(to: url)
            return .rollback
        }
        return url
    }

    private func withFile(_ body: (Database, URL) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, a);
                    CREATE TABLE u (id INTEGER PRIMARY KEY, a);
                    INSERT INTO t VALUES (1, 'one'), (2, 'two');
                    """)
            let url = try makeFile(
                db, "UPDATE t SET a = 'new'; INSERT INTO u VALUES (1, 'new')")
            try body(db, url)
        }
    }

    @Test func changesAreSelected() throws {
        try withFile { db, url in
            var seen: [String] = []
            let application = try db.apply(contentsOf: url) { change in
                seen.append("\(change.tableName) \(change.primaryKey[0])")
                return change.tableName == "t" && change.primaryKey[0] == 2.databaseValue
            }
            expectEqual(seen.sorted(), ["t 1", "t 2", "u 1"])
            expectEqual(application.appliedCount, 1)
            expectEqual(application.filteredCount, 2)
            expectTrue(!application.isComplete)
            try expectEqual(
                String.fetchAll(db, sql: "SELECT a FROM t ORDER BY id"),
                ["one", "new"])
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM u"), 0)
        }
    }

    @Test func excludedTablesNeedNotExist() throws {
        try withFile { db, url in
            try db.execute(sql: "DROP TABLE u")
            try db.apply(contentsOf: url) { $0.tableName == "t" }
            try expectEqual(
                String.fetchAll(db, sql: "SELECT a FROM t ORDER BY id"),
                ["new", "new"])
        }
    }

    @Test func errorsOfTheFilterUndoTheApplication() throws {
        try withFile { db, url in
            expectError("TestError filter") {
                try db.apply(contentsOf: url) { change in
                    if change.tableName == "u" { throw TestError("filter") }
                    return true
                }
            }
            try expectEqual(
                String.fetchAll(db, sql: "SELECT a FROM t ORDER BY id"),
                ["one", "two"])
        }
    }

    @Test func conflictsOfSelectedChangesAbort() throws {
        try withFile { db, url in
            try db.execute(sql: "UPDATE t SET a = 'other' WHERE id = 1")
            let error = expectError(ChangesetConflictError.self) {
                try db.apply(contentsOf: url) { $0.tableName == "t" }
            }
            expectEqual(error?.conflict.kind, .data)
            let application = try db.apply(contentsOf: url) {
                $0.tableName == "t"
            } onConflict: { _ in
                .replace
            }
            expectEqual(application.conflicts.map(\.resolution), [.replace])
            try expectEqual(
                String.fetchAll(db, sql: "SELECT a FROM t ORDER BY id"),
                ["new", "new"])
        }
    }
}
