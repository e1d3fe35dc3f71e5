import GRDB
import GRDBTestSupport
import Testing

/// Backups that are driven by hand.
@Suite(.databases) struct DatabaseBackupTests {
    private let source: DatabaseQueue
    private let destination: DatabaseQueue

    init() throws {
        source = try TestDatabases.makeQueue()
        destination = try TestDatabases.makeQueue()
        // 13 pages
        try source.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 11)
                    INSERT INTO t SELECT zeroblob(4000) FROM n;
                    """)
        }
    }

    private func withConnections(_ body: (Database, Database) throws -> Void) throws {
        try source.unsafeRead { sourceDb in
            try destination.writeWithoutTransaction { try body(sourceDb, $0) }
        }
    }

    private func rowCount(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
    }

    private func tableCount(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master")
    }

    @Test func stepsCopyPages() throws {
        try withConnections { sourceDb, destinationDb in
            let backup = try DatabaseBackup(from: sourceDb, to: destinationDb)
            expectTrue(!backup.isCompleted)
            var remaining: [Int] = []
            while try backup.step(pages: 5) {
                expectEqual(backup.pageCount, 13)
                expectTrue(!backup.isCompleted)
                remaining.append(backup.remainingPageCount)
            }
            expectEqual(remaining, [8, 3])
            expectTrue(backup.isCompleted)
            expectEqual(backup.remainingPageCount, 0)
            expectEqual(backup.progress.completedPageCount, 13)
            expectTrue(backup.progress.isCompleted)
            try backup.finish()
            try expectEqual(rowCount(destinationDb), 11)
        }
    }

    @Test func stepCopiesAllByDefault() throws {
        try withConnections { sourceDb, destinationDb in
            let backup = try DatabaseBackup(from: sourceDb, to: destinationDb)
            try expectEqual(backup.step(), false)
            // More steps do nothing.
            try expectEqual(backup.step(), false)
            try backup.finish()
            try backup.finish()
            try expectEqual(rowCount(destinationDb), 11)
        }
    }

    @Test func stepAfterTheEndIsAnError() throws {
        try withConnections { sourceDb, destinationDb in
            let backup = try DatabaseBackup(from: sourceDb, to: destinationDb)
            _ = try backup.step(pages: 5)
            try backup.finish()
            expectError("SQLite error 21: Backup is finished") { try backup.step() }
        }
    }

    @Test func finishingEarlyLeavesTheDestinationAsItWas() throws {
        try withConnections { sourceDb, destinationDb in
            try destinationDb.execute(sql: "CREATE TABLE old(a)")
            let backup = try DatabaseBackup(from: sourceDb, to: destinationDb)
            _ = try backup.step(pages: 5)
            try backup.finish()
            let tables = try String.fetchAll(
                destinationDb, sql: "SELECT name FROM sqlite_master")
            expectEqual(tables, ["old"])
        }
    }

    @Test func abandonedBackupIsUndone() throws {
        try withConnections { sourceDb, destinationDb in
            try destinationDb.execute(sql: "CREATE TABLE old(a)")
            do {
                let backup = try DatabaseBackup(from: sourceDb, to: destinationDb)
                _ = try backup.step(pages: 5)
            }
            let tables = try String.fetchAll(
                destinationDb, sql: "SELECT name FROM sqlite_master")
            expectEqual(tables, ["old"])
            try sourceDb.execute(sql: "DELETE FROM t")
        }
        try source.close()
        try destination.close()
    }

    @Test func destinationCanNotBeUsedBeforeTheEnd() throws {
        let used = "SQLite error 21: Database can't be used while a backup writes to it"
        try withConnections { sourceDb, destinationDb in
            let backup = try DatabaseBackup(from: sourceDb, to: destinationDb)
            expectError(used) { try destinationDb.execute(sql: "SELECT 1") }
            while try backup.step(pages: 5) {
                expectError(used) { try destinationDb.execute(sql: "SELECT 1") }
            }
            expectError(used) { try destinationDb.execute(sql: "SELECT 1") }
            try backup.finish()
            try destinationDb.execute(sql: "SELECT 1")
        }
    }

    @Test func destinationHasOneBackupAtATime() throws {
        try withConnections { sourceDb, destinationDb in
            let backup = try DatabaseBackup(from: sourceDb, to: destinationDb)
            expectError(DatabaseError.self) {
                try DatabaseBackup(from: sourceDb, to: destinationDb)
            }
            _ = try backup.step()
            try backup.finish()
            try expectEqual(rowCount(destinationDb), 11)
        }
    }

    @Test func attachedDatabaseCanBeCopied() throws {
        try withConnections { sourceDb, destinationDb in
            try sourceDb.execute(
                sql: "ATTACH ':memory:' AS att; CREATE TABLE att.u(a); CREATE TABLE att.v(a)")
            try destinationDb.execute(sql: "ATTACH ':memory:' AS copy")
            let backup = try DatabaseBackup(
                from: sourceDb, schema: "att", to: destinationDb, schema: "copy")
            while try backup.step() {}
            try backup.finish()
            try expectEqual(tableCount(destinationDb), 0)
            try expectEqual(
                Int.fetchOne(destinationDb, sql: "SELECT COUNT(*) FROM copy.sqlite_master"),
                2)
            try sourceDb.execute(sql: "DETACH att")
        }
    }

    @Test func unknownSchemaIsAnError() throws {
        try withConnections { sourceDb, destinationDb in
            expectError("SQLite error 1: unknown database nope") {
                try DatabaseBackup(from: sourceDb, schema: "nope", to: destinationDb)
            }
            // The failure leaves nothing behind.
            try destinationDb.execute(sql: "SELECT 1")
        }
    }

    @Test func lockedStepCanBeTriedAgain() throws {
        let file = try TestDatabases.makeQueue(.file)
        try file.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        let holder = try TestDatabases.openQueue(file.path)
        try file.unsafeRead { sourceDb in
            try destination.writeWithoutTransaction { destinationDb in
                let backup = try DatabaseBackup(from: sourceDb, to: destinationDb)
                try holder.inTransaction(.exclusive) { _ in
                    let error = expectError(DatabaseError.self) { try backup.step() }
                    expectEqual(error?.resultCode, .SQLITE_BUSY)
                    return .commit
                }
                try expectEqual(backup.step(), false)
                try backup.finish()
                try expectEqual(rowCount(destinationDb), 1)
            }
        }
    }

    @Test func closingWaitsForTheEndOfABackup() throws {
        try withConnections { sourceDb, destinationDb in
            let backup = try DatabaseBackup(from: sourceDb, to: destinationDb)
            _ = try backup.step(pages: 5)
            let error = expectError(DatabaseError.self) { try source.close() }
            expectEqual(error?.resultCode, .SQLITE_MISUSE)
            try backup.finish()
        }
        try destination.close()
        try source.close()
    }

    /// SQLite closes the destination of a backup, and the source goes on writing to it.
    @Test(arguments: [false, true]) func aBackupEndsWithItsAccesses(closes: Bool) throws {
        var backup: DatabaseBackup?
        try withConnections { sourceDb, destinationDb in
            backup = try DatabaseBackup(from: sourceDb, to: destinationDb)
            try expectEqual(backup?.step(pages: 5), true)
        }
        if closes { try destination.close() }
        try source.write { try $0.execute(sql: "CREATE TABLE later(a)") }
        if !closes {
            // Left as it was, and usable.
            try expectEqual(destination.write { try tableCount($0) }, 0)
            try destination.write { try $0.execute(sql: "CREATE TABLE other(a)") }
        }
        try backup?.finish()
        try withExtendedLifetime(backup) { try source.close() }
    }

    @Test func aCompleteBackupNeedNotBeFinished() throws {
        var backup: DatabaseBackup?
        try withConnections { sourceDb, destinationDb in
            backup = try DatabaseBackup(from: sourceDb, to: destinationDb)
            while try backup?.step() == true {}
        }
        expectEqual(backup?.isCompleted, true)
        try expectEqual(destination.read { try tableCount($0) }, source.read { try tableCount($0) })
    }
}
