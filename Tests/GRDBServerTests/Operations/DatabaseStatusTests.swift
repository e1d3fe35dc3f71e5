import GRDBQueries
import GRDB
import GRDBServer
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseStatusTests {
    @Test(arguments: DatabaseKind.allCases)
    func connectionsCountPages(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.writeWithoutTransaction { db in
            let before = try db.status
            try db.execute(sql: "CREATE TABLE t(a)")
            try db.execute(sql: "INSERT INTO t VALUES (zeroblob(100000))")
            _ = try Int.fetchAll(db, sql: "SELECT length(a) FROM t")
            let status = try db.status
            #expect(status.cacheByteCount > 0)
            #expect(status.schemaByteCount > before.schemaByteCount)
            #expect(status.statementByteCount > 0)
            #expect(status.cacheHitCount > before.cacheHitCount)
            expectEqual(status.cacheSpillCount, 0)
            #expect(status.lookaside.highestUsedCount >= status.lookaside.usedCount)
            expectTrue(!status.hasForeignKeyViolations)
            if kind == .pool { #expect(status.cacheWriteCount > before.cacheWriteCount) }
        }
    }

    @Test func violationsOfDeferredForeignKeys() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE p(id INTEGER PRIMARY KEY);
                    CREATE TABLE c(p REFERENCES p DEFERRABLE INITIALLY DEFERRED);
                    """)
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO c VALUES (1)")
                try expectTrue(db.status.hasForeignKeyViolations)
                return .rollback
            }
            try expectTrue(!db.status.hasForeignKeyViolations)
        }
    }

    /// SQLite does not count the memory of the process unless it is asked to.
    @Test func memoryIsNotCountedByDefault() {
        expectEqual(Database.memoryStatus, nil)
    }

    @Test func closedConnectionsHaveNoStatus() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.close()
        expectError(DatabaseError.self) { try dbQueue.read { try $0.status } }
    }

    @Test func statementsCountTheirWork() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (2), (1), (3)")
            let statement = try db.makeStatement(sql: "SELECT a FROM t WHERE a > 0 ORDER BY a")
            expectEqual(statement.counters.runCount, 0)
            for count in 1...2 {
                _ = try Int.fetchAll(statement)
                let counters = statement.counters
                expectEqual(counters.runCount, count)
                expectEqual(counters.sortCount, count)
                expectEqual(counters.fullScanStepCount, 2 * count)
                #expect(counters.virtualMachineStepCount > 0)
                #expect(counters.byteCount > 0)
            }
            try db.execute(sql: "CREATE INDEX i ON t(a)")
            _ = try Int.fetchAll(statement)
            expectEqual(statement.counters.recompilationCount, 1)
            expectEqual(statement.counters.fullScanStepCount, 4)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func tablesHaveSizes(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE large(a);
                    CREATE INDEX largeIndex ON large(a);
                    CREATE TABLE small(a);
                    INSERT INTO large VALUES (zeroblob(100000));
                    ATTACH ':memory:' AS "other one";
                    CREATE TABLE "other one".t(a);
                    """)
            let sizes = try db.tableSizes()
            expectEqual(sizes.map(\.tableName), ["large", "small", "sqlite_schema"])
            let large = sizes[0]
            #expect(large.rows.byteCount > 100_000)
            #expect(large.rows.largestPayloadByteCount >= 100_000)
            expectEqual(large.indexes.keys.sorted(), ["largeIndex"])
            #expect(large.total.byteCount > 200_000)
            expectEqual(
                large.total.pageCount,
                large.rows.pageCount
                    + large.indexes["largeIndex"]!.pageCount)
            expectEqual(sizes[1].total.payloadByteCount, 0)
            let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size")!
            expectTrue(sizes[1].rows.byteCount == pageSize && sizes[1].rows.pageCount == 1)
            try expectEqual(
                db.tableSizes(in: "OTHER ONE").map(\.tableName), ["sqlite_schema", "t"])
            expectError(DatabaseError.self) { try db.tableSizes(in: "nothing") }
        }
    }
}
