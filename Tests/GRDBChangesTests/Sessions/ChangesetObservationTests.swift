@testable import GRDBChanges
import Dispatch
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

/// What observers are told of changesets that are applied.
@Suite(.databases) struct ChangesetObservationTests {
    private static let schema = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b);
        CREATE TABLE child(id INTEGER PRIMARY KEY, t REFERENCES t(id) ON DELETE CASCADE);
        CREATE TABLE log(id INTEGER PRIMARY KEY, text);
        CREATE TRIGGER tr AFTER UPDATE OF b ON t BEGIN
          INSERT INTO log(text) VALUES (NEW.b);
        END;
        INSERT INTO t VALUES (1, 'one', 1), (2, 'two', 2), (3, 'three', 3);
        """

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: Self.schema) }
        return writer
    }

    @Test(arguments: DatabaseKind.allCases) func observersAreTold(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.writeWithoutTransaction { db in
            let changeset = try db.changeset(
                of: "UPDATE t SET b = 10 WHERE id = 1", in: "t")
            let recorder = TransactionRecorder(nil, [.others, .willChange])
            db.add(transactionObserver: recorder)
            try db.apply(changeset)
            expectEqual(
                recorder.lines(),
                [
                    "willChange update main.t 1", "didChange update main.t 1",
                    "willChange insert main.log 1", "didChange insert main.log 1",
                    "willCommit", "didCommit",
                ])
            // In a transaction, after the savepoint.
            try db.inTransaction {
                try db.apply(changeset) { _ in .replace }
                recorder.mark("applied")
                return .commit
            }
            expectEqual(
                recorder.lines(),
                [
                    "willChange update main.t 1", "didChange update main.t 1",
                    "willChange insert main.log 2", "didChange insert main.log 2",
                    "applied", "willCommit", "didCommit",
                ])
        }
    }

    @Test func observersAreToldOfCascadesAndReplacements() throws {
        let writer = try makeWriter(.queue)
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO child VALUES (7, 2)")
            let recorder = TransactionRecorder()
            recorder.filter = { $0.tableName == "child" }
            db.add(transactionObserver: recorder)
            let deletion = try db.changeset(of: "DELETE FROM t WHERE id = 2")
            _ = recorder.lines()
            try db.apply(deletion, filter: { $0.tableName == "t" })
            expectEqual(
                recorder.lines(),
                ["didChange delete main.child 7", "willCommit", "didCommit"])

            recorder.filter = { $0.tableName == "t" }
            let insertion = try db.changeset(of: "INSERT INTO t VALUES (9, 'nine', 9)")
            try db.execute(sql: "INSERT INTO t VALUES (9, 'neuf', 9)")
            _ = recorder.lines()
            try db.apply(insertion) { _ in .replace }
            expectEqual(
                recorder.lines(),
                [
                    "didChange delete main.t 9", "didChange insert main.t 9", "willCommit",
                    "didCommit",
                ])
        }
    }

    @Test func observersAreNotToldOfWhatIsUndone() throws {
        let writer = try makeWriter(.queue)
        try writer.writeWithoutTransaction { db in
            let changeset = try db.changeset(
                of: "UPDATE t SET b = 10 WHERE id IN (1, 2); INSERT INTO t VALUES (7, 7, 7)",
                in: "t")
            try db.execute(sql: "UPDATE t SET b = 5 WHERE id = 2")
            let recorder = TransactionRecorder(nil, [.others, .willChange])
            db.add(transactionObserver: recorder)
            try db.inTransaction {
                expectError(ChangesetConflictError.self) { try db.apply(changeset) }
                try db.execute(sql: "UPDATE t SET b = 1 WHERE id = 3")
                return .commit
            }
            expectEqual(
                recorder.lines(),
                [
                    "willChange update main.t 3", "didChange update main.t 3",
                    "willChange insert main.log 2", "didChange insert main.log 2",
                    "willCommit", "didCommit",
                ])
            expectError(ChangesetConflictError.self) { try db.apply(changeset) }
            expectEqual(recorder.lines().last, "didRollback")
            recorder.onWillCommit = { throw TestError() }
            expectError(TestError()) { try db.apply(changeset) { _ in .omit } }
            try expectEqual(db.lines(of: "t")[0], "1|\"one\"|1")
        }
    }

    /// Values that are swapped need a deletion and an insertion, in a savepoint of SQLite.
    @Test(
        .disabled(
            if: Database.sqliteLibVersionNumber >= 3_054_000, "SQLite 3.54 swaps values by updates")
    ) func observersAreToldOfSwappedValues() throws {
        let writer = try makeWriter(.queue)
        try writer.writeWithoutTransaction { db in
            let changeset = try db.changeset(
                of: """
                    UPDATE t SET a = 'x' WHERE id = 1;
                    UPDATE t SET a = 'one' WHERE id = 2;
                    UPDATE t SET a = 'two' WHERE id = 1
                    """)
            let recorder = TransactionRecorder()
            db.add(transactionObserver: recorder)
            try db.apply(changeset)
            let lines = recorder.lines()
            expectEqual(lines.count, 5)
            expectEqual(
                Set(lines.prefix(3).map { $0.prefix(16) }),
                [
                    "didChange delete", "didChange update", "didChange insert",
                ])
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func observationsFetchAgain(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let changeset = try writer.write {
            try $0.changeset(of: "UPDATE t SET b = 10 WHERE id = 1", in: "t")
        }
        let queue = DispatchQueue(label: "values")
        let log = Log<String>()
        let values = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT SUM(b) FROM t") ?? 0
        }.start(in: writer, scheduling: .async(onQueue: queue)) { error in
            log.append("\(error)")
        } onChange: {
            log.append("\($0)")
        }
        let others = ValueObservation.tracking { db in
            try String.fetchAll(db, sql: "SELECT a FROM t ORDER BY id").joined()
        }.start(in: writer, scheduling: .async(onQueue: queue)) { error in
            log.append("\(error)")
        } onChange: {
            log.append($0)
        }
        let regions = DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT * FROM log"))
            .start(in: writer) {
                log.append("\($0)")
            } onChange: { _ in
                log.append("log")
            }
        let feed = DatabaseChangeFeed(tracking: .table("t")).start(in: writer) {
            log.append("\($0)")
        } onChange: {
            log.append($0.changes.map(\.description).joined())
        }
        expectEqual(log.wait(forCount: 2).sorted(), ["6", "onetwothree"])
        log.removeAll()
        _ = try writer.write { try $0.apply(changeset) }
        // No column of the other observation has changed.
        expectEqual(
            log.wait(forCount: 3).sorted(),
            [
                "15", "log", "update main.t [id:1 a:\"one\" b:1 → 10]",
            ])
        log.removeAll()
        let url = URL(fileURLWithPath: TestDatabases.makePath("changes"))
        try changeset.data.write(to: url)
        _ = try writer.write { try $0.apply(contentsOf: url, options: .inverted) }
        expectEqual(
            log.wait(forCount: 3).sorted(),
            [
                "6", "log", "update main.t [id:1 a:\"one\" b:10 → 1]",
            ])
        for cancellable in [values, others, regions, feed] { cancellable.cancel() }
    }

    @Test func changesAreRecordedBySessions() throws {
        let writer = try makeWriter(.queue)
        try writer.write { db in
            let changeset = try db.changeset(of: "UPDATE t SET a = upper(a)")
            let again = try db.recording { try db.apply(changeset) }
            expectEqual(again.lines, changeset.lines)
        }
    }

    /// A plan is made for all tables of the changeset, which a closure must not disturb.
    @Test func closuresMayRunStatements() throws {
        let writer = try makeWriter(.queue)
        try writer.writeWithoutTransaction { db in
            let changeset = try db.changeset(of: "UPDATE t SET b = 10", in: "t")
            let recorder = TransactionRecorder()
            recorder.filter = { $0.tableName == "t" }
            db.add(transactionObserver: recorder)
            try db.apply(
                changeset,
                filter: { _ in
                    _ = try Row.fetchAll(db, sql: "SELECT * FROM t")
                    expectError(DatabaseError.self) {
                        try db.execute(sql: "DELETE FROM log")
                    }
                    return true
                })
            expectEqual(recorder.lines().count, 5)
        }
    }
}
