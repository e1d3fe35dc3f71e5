@testable import GRDB
import GRDBTestSupport
import Testing

/// `Database.notifyChanges(in:)`
@Suite(.databases) struct NotifyChangesTests {
    private let dbQueue: DatabaseQueue
    private let recorder = TransactionRecorder(nil, [.observes, .others])

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
                    CREATE TABLE u(id INTEGER PRIMARY KEY);
                    CREATE TABLE w(k PRIMARY KEY) WITHOUT ROWID;
                    CREATE TEMP TABLE tmp(a);
                    """)
        }
        dbQueue.add(transactionObserver: recorder)
    }

    /// The region of a request.
    private struct Reading: DatabaseRegionConvertible {
        var sql: String

        func databaseRegion(_ db: Database) throws -> DatabaseRegion {
            try db.makeStatement(sql: sql).databaseRegion
        }
    }

    /// The answers to the questions, and what was told, in a write.
    private func lines(_ region: some DatabaseRegionConvertible) throws -> [String] {
        try dbQueue.write { db in
            try db.notifyChanges(in: region)
            return recorder.lines()
        }
    }

    @Test func observersOfTheRegionAreToldOnce() throws {
        for region in [Reading(sql: "SELECT * FROM t"), Reading(sql: "SELECT COUNT(*) FROM t, u")] {
            let lines = try lines(region)
            expectEqual(lines.filter { $0 == "didChange" }, ["didChange"])
            expectEqual(lines.last, "didChange")
            _ = recorder.lines()
        }
    }

    @Test func changesAreNotifiedAtEachCall() throws {
        let recorder = TransactionRecorder()
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { db in
            try db.notifyChanges(in: .fullDatabase)
            try db.execute(sql: "INSERT INTO t(id) VALUES (1)")
            try db.notifyChanges(in: Reading(sql: "SELECT a FROM t"))
        }
        expectEqual(
            recorder.lines(),
            [
                "didChange", "didChange insert main.t 1", "didChange", "willCommit", "didCommit",
            ])
    }

    @Test func notificationIsNoTransaction() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.notifyChanges(in: .fullDatabase)
            expectTrue(!db.isInsideTransaction)
        }
        expectEqual(recorder.lines().last, "didChange")
    }

    /// The notification tells of something that has happened outside of the savepoint.
    @Test func savepointsDoNotHoldNotifications() throws {
        let recorder = TransactionRecorder()
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.notifyChanges(in: .fullDatabase)
                expectEqual(recorder.lines(), ["didChange"])
                return .rollback
            }
        }
        expectEqual(recorder.lines(), ["willCommit", "didCommit"])
    }

    @Test func emptyRegionIsNoChange() throws {
        try expectEqual(lines(DatabaseRegion()), [])
        _ = recorder.lines()
        try expectEqual(lines(Reading(sql: "SELECT 1")), [])
    }

    @Test func observersOfOtherRegionsAreNotTold() throws {
        recorder.filter = { $0.tableName == "u" }
        let lines = try lines(Reading(sql: "SELECT * FROM t"))
        expectEqual(
            Set(lines),
            [
                "observes insert(t): no", "observes delete(t): no",
                "observes update(t, a b id): no",
            ])
    }

    @Test func columnsOfTheRegionAreAskedAbout() throws {
        recorder.filter = { _ in false }
        try expectTrue(
            lines(Reading(sql: "SELECT a FROM t")).contains("observes update(t, a): no"))
        _ = recorder.lines()
        recorder.filter = { kind in
            if case .update(_, let columns) = kind { columns.contains("a") } else { false }
        }
        try expectEqual(lines(Reading(sql: "SELECT a FROM t")).last, "didChange")
        _ = recorder.lines()
        #expect(try lines(Reading(sql: "SELECT b FROM t")).last != "didChange")
    }

    @Test func fullDatabaseIsAllTables() throws {
        recorder.filter = { _ in false }
        let tables = Set(
            try lines(.fullDatabase).map {
                $0.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" && $0 != "," }
            })
        expectEqual(tables, ["t", "u", "w", "tmp"])
    }

    @Test(arguments: ["t", "u", "w", "tmp"])
    func observersOfOneTableAreToldOfTheFullDatabase(table: String) throws {
        recorder.filter = { $0.tableName == table }
        try expectEqual(lines(.fullDatabase).last, "didChange")
    }

    /// Every connection has a temporary schema. It is no news as long as nothing is in it.
    @Test func emptyTemporarySchemaIsNoChange() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let recorder = TransactionRecorder(nil, [.observes, .others])
        dbQueue.add(transactionObserver: recorder)
        for table in ["sqlite_temp_master", "sqlite_temp_schema", "temp.sqlite_master"] {
            try dbQueue.write { db in
                try db.notifyChanges(in: Reading(sql: "SELECT * FROM \(table)"))
            }
            expectEqual(recorder.lines(), ["willCommit", "didCommit"])
        }
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TEMP TABLE tmp(a)")
            _ = recorder.lines()
            try db.notifyChanges(in: Reading(sql: "SELECT name FROM sqlite_temp_master"))
            expectEqual(recorder.lines(), ["observes insert(sqlite_temp_master)", "didChange"])
            try db.notifyChanges(in: Reading(sql: "SELECT name FROM sqlite_master"))
            expectEqual(recorder.lines(), ["observes insert(sqlite_master)", "didChange"])
        }
    }

    @Test func regionIsConverted() throws {
        let region = AnyDatabaseRegionConvertible { db in
            expectTrue(db.isInsideTransaction)
            return try db.makeStatement(sql: "SELECT * FROM u").databaseRegion
        }
        recorder.filter = { $0.tableName == "u" }
        try expectEqual(lines(region).last, "didChange")
        _ = recorder.lines()
        recorder.filter = { $0.tableName == "t" }
        #expect(try lines(AnyDatabaseRegionConvertible(region)).last != "didChange")
    }

    @Test func errorOfTheRegionIsThrown() throws {
        expectError("SQLite error 1: no such table: nope - while executing `SELECT * FROM nope`") {
            try dbQueue.write { db in
                try db.notifyChanges(in: Reading(sql: "SELECT * FROM nope"))
            }
        }
    }

    /// SQLite reports no change of such tables. The app can.
    @Test func changesWithoutRowIDCanBeNotified() throws {
        let recorder = TransactionRecorder()
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO w VALUES ('k')")
            try db.notifyChanges(in: Reading(sql: "SELECT * FROM w"))
        }
        expectEqual(recorder.lines(), ["didChange", "willCommit", "didCommit"])
    }

    // MARK: - Names

    /// The spelling of the schema, which observers compare with.
    @Test func namesAreThoseOfTheSchema() throws {
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE artists(ID INTEGER PRIMARY KEY, Name)")
        }
        recorder.filter = { $0.tableName == "artists" }
        for sql in ["SELECT NAME FROM ARTISTS", "SELECT name FROM \"Artists\""] {
            _ = recorder.lines()
            try expectEqual(lines(Reading(sql: sql)).last, "didChange")
        }
        _ = recorder.lines()
        let lines = try lines(Table("ARTISTS"))
        expectEqual(lines.last, "didChange")
        recorder.filter = { kind in
            if case .update("artists", let columns) = kind {
                columns == ["ID", "Name"]
            } else {
                false
            }
        }
        _ = recorder.lines()
        try expectEqual(self.lines(Table("ARTISTS")).last, "didChange")
        // Tables that are not there keep their names.
        recorder.filter = { $0.tableName == "Nothing" }
        _ = recorder.lines()
        try expectEqual(self.lines(DatabaseRegion(table: "Nothing")).last, "didChange")
    }

    // MARK: - Attached databases

    @Test func fullDatabaseHasAttachedDatabases() throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS att;
                    CREATE TABLE att.x(a); CREATE TABLE att.T(a, c); CREATE VIEW att.y AS SELECT 1;
                    """)
        }
        for table in ["x", "t", "T", "u", "tmp"] {
            recorder.filter = { $0.tableName == table }
            _ = recorder.lines()
            try expectEqual(lines(.fullDatabase).last, "didChange", "\(table)")
        }
        // A table of several databases has the columns of all of them.
        for table in ["t", "T"] {
            recorder.filter = { kind in
                if case .update(table, let columns) = kind {
                    columns == (table == "t" ? ["id", "a", "b"] : ["a", "c"])
                } else {
                    false
                }
            }
            _ = recorder.lines()
            try expectEqual(lines(.fullDatabase).last, "didChange", "\(table)")
            try expectEqual(lines(Table("t")).last, "didChange", "\(table)")
        }
        _ = recorder.lines()
        try dbQueue.writeWithoutTransaction { try $0.execute(sql: "DETACH att") }
        recorder.filter = { $0.tableName == "x" }
        _ = recorder.lines()
        #expect(try lines(.fullDatabase).last != "didChange")
    }

    @Test(arguments: DatabaseKind.allCases)
    func valueOfAnAttachedDatabaseIsFetchedAgain(kind: DatabaseKind) throws {
        let path = TestDatabases.makePath()
        let other = try TestDatabases.openQueue(path)
        try other.write { try $0.execute(sql: "CREATE TABLE x(a)") }
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            try db.execute(sql: TestDatabases.attachment(path, as: "att"))
        }
        let writer: any DatabaseWriter =
            switch kind {
            case .queue: try TestDatabases.makeQueue(.file, configuration)
            case .pool: try TestDatabases.makePool(configuration)
            }
        let transcript = Transcript()
        let cancellable = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM att.x") ?? -1
        }.start(in: writer, transcript)
        transcript.wait(last: "0")
        waitForWriter(writer)
        try other.write { try $0.execute(sql: "INSERT INTO x VALUES (1)") }
        try writer.write { try $0.notifyChanges(in: .fullDatabase) }
        transcript.wait(last: "1")
        cancellable.cancel()
    }

    @Test func nothingHappensInReadOnlyAccesses() throws {
        let recorder = TransactionRecorder()
        dbQueue.add(transactionObserver: recorder)
        try dbQueue.read { try $0.notifyChanges(in: .fullDatabase) }
        try dbQueue.writeWithoutTransaction { db in
            try db.readOnly { try db.notifyChanges(in: .fullDatabase) }
        }
        expectTrue(!recorder.lines().contains("didChange"))
    }
}
