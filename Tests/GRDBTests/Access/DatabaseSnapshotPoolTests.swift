import Dispatch
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct DatabaseSnapshotPoolTests {
    private let dbPool: DatabasePool

    init() throws {
        dbPool = try TestDatabases.makePool()
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    }

    private func values(_ reader: any DatabaseReader) throws -> [Int] {
        try reader.read { try Int.fetchAll($0, sql: "SELECT a FROM t ORDER BY a") }
    }

    private func insert(_ value: Int) throws {
        try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value]) }
    }

    @Test func snapshotOfARead() throws {
        let snapshot = try dbPool.read { db in
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            try insert(2)
            return try DatabaseSnapshotPool(db)
        }
        try insert(3)
        try expectEqual(values(snapshot), [1])
        expectEqual(snapshot.path, dbPool.path)
    }

    @Test func snapshotOfAConnectionWithoutTransaction() throws {
        let snapshots = try dbPool.writeWithoutTransaction { db in
            let first = try DatabaseSnapshotPool(db)
            expectTrue(!db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            return try [first, DatabaseSnapshotPool(db)]
        }
        try insert(3)
        try expectEqual(snapshots.map(values), [[1], [1, 2]])
    }

    @Test func snapshotOfASnapshot() throws {
        let first = try dbPool.makeSnapshot()
        try insert(2)
        let second = try first.read { try DatabaseSnapshotPool($0) }
        let third = try second.read { try DatabaseSnapshotPool($0) }
        try first.close()
        try second.close()
        try expectEqual(values(third), [1])
    }

    @Test func snapshotOfChangesIsRefused() throws {
        try dbPool.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            expectError("SQLite error 1: No snapshot can be taken of the database") {
                try DatabaseSnapshotPool(db)
            }
        }
    }

    @Test func snapshotOfAPath() throws {
        let snapshot = try DatabaseSnapshotPool(
            path: dbPool.path, configuration: TestDatabases.makeConfiguration())
        try insert(2)
        try expectEqual(values(snapshot), [1])
    }

    @Test func snapshotNeedsTheWALMode() throws {
        let dbQueue = try TestDatabases.makeQueue(.file)
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let error = "SQLite error 1: No snapshot can be taken of the database"
        expectError(error) {
            try DatabaseSnapshotPool(
                path: dbQueue.path, configuration: TestDatabases.makeConfiguration())
        }
        expectError(error) { try dbQueue.read { try DatabaseSnapshotPool($0) } }
        expectError(error) { try TestDatabases.makeQueue().read { try DatabaseSnapshotPool($0) } }
        // The file is free again.
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    @Test func configurationIsThatOfTheConnectionByDefault() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = 2
        configuration.label = "S"
        let snapshots = try dbPool.read { db in
            try [
                DatabaseSnapshotPool(db), DatabaseSnapshotPool(db, configuration: configuration),
            ]
        }
        expectEqual(snapshots.map(\.configuration.maximumReaderCount), [5, 2])
        expectEqual(snapshots.map(\.configuration.label), [nil, "S"])
        expectTrue(snapshots.allSatisfy { $0.configuration.readonly })
        let descriptions = try snapshots.map { try $0.read(\.description) }
        expectEqual(descriptions, ["GRDB.DatabaseSnapshotPool.reader.1", "S.reader.1"])
    }

    @Test func readsRunInParallelUpToTheLimit() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.maximumReaderCount = 3
        let other = try TestDatabases.openPool(dbPool.path, configuration)
        let snapshot = try other.makeSnapshotPool()
        try insert(2)
        let names = Log<String>()
        let place = MeetingPlace()
        let group = DispatchGroup()
        for _ in 0..<9 {
            Thread.detach(in: group) {
                do {
                    try snapshot.read { db throws in
                        names.append(db.description)
                        place.meet(3)
                        try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 1)
                    }
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
        group.wait()
        expectEqual(place.maximumCount, 3)
        expectEqual(Set(names.elements).count, 3)
    }

    @Test func closingWithALivingStatementIsAnError() throws {
        let snapshot = try dbPool.makeSnapshotPool()
        var statement: Statement? = try snapshot.read { db in
            try Living(db.makeStatement(sql: "SELECT * FROM t"))
        }.value
        expectError(
            "SQLite error 5: unable to close due to unfinalized statements or unfinished backups"
        ) {
            try snapshot.close()
        }
        expectTrue(statement != nil)
        try insert(2)
        try expectEqual(values(snapshot), [1])
        statement = nil
        try snapshot.close()
        expectError("SQLite error 21: Connection is closed") { try values(snapshot) }
    }

    // MARK: - WALSnapshot

    @Test func snapshotsAreCompared() throws {
        let first = try dbPool.read { try WALSnapshot($0) }
        let again = try dbPool.read { try WALSnapshot($0) }
        try insert(2)
        let second = try dbPool.read { try WALSnapshot($0) }
        expectTrue(first.isSame(as: again))
        expectTrue(!first.isOlder(than: again))
        expectTrue(first.isOlder(than: second))
        expectTrue(!second.isOlder(than: first))
        expectTrue(!second.isSame(as: first))
    }

    @Test func snapshotIsOpenedUntilACheckpointOverwritesIt() throws {
        let snapshot = try dbPool.read { try WALSnapshot($0) }
        try insert(2)
        try dbPool.read { db throws in
            try snapshot.open(in: db)
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [1])
        }
        try dbPool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try insert(3)
        try dbPool.read { db throws in
            let error = expectError(DatabaseError.self) { try snapshot.open(in: db) }
            expectEqual(error?.extendedResultCode, .SQLITE_ERROR_SNAPSHOT)
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [1, 2, 3])
        }
    }
}
