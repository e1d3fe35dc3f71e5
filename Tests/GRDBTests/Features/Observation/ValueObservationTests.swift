import Dispatch
import Foundation
@testable import GRDB
import GRDBTestSupport
import Testing

/// What is tracked, fetched and delivered, and in which order.
@Suite(.databases) struct ValueObservationTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER);
                    CREATE TABLE u(b INTEGER);
                    INSERT INTO t VALUES (1, 1), (2, 10);
                    INSERT INTO u VALUES (100);
                    """)
        }
        return writer
    }

    @Sendable private static func sum(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT SUM(a) FROM t") ?? 0
    }

    // MARK: - Order of events

    @Test func eventsOfAQueue() throws {
        let dbQueue = try makeWriter(.queue)
        for isConstant in [false, true] {
            try dbQueue.write { try $0.execute(sql: "UPDATE t SET a = 1 WHERE id = 1") }
            let log = Transcript()
            let observation: ValueObservation<ValueReducers.Fetch<Int>> =
                isConstant ? .trackingConstantRegion(Self.sum) : .tracking(Self.sum)
            let cancellable = observation.traced(log, showsQueues: true)
                .start(in: dbQueue, log, name: "onChange ")
            let main = currentQueueLabel()
            expectEqual(
                log.removeAll(),
                [
                    "[\(main)] willStart",
                    "[GRDB.DatabaseQueue] willFetch",
                    "[GRDB.DatabaseQueue] willTrackRegion t(a)",
                    "[GRDB.ValueObservation] didReceiveValue 11",
                    "onChange 11",
                ])
            try dbQueue.write { try $0.execute(sql: "UPDATE t SET a = 2 WHERE id = 1") }
            log.wait(last: "onChange 12")
            expectEqual(
                log.removeAll(),
                [
                    "[GRDB.DatabaseQueue] databaseDidChange",
                    "[GRDB.DatabaseQueue] willFetch",
                    "[GRDB.ValueObservation] didReceiveValue 12",
                    "onChange 12",
                ])
            cancellable.cancel()
            cancellable.cancel()
            expectEqual(log.removeAll(), ["[\(main)] didCancel"])
        }
    }

    @Test func eventsOfAPool() throws {
        let dbPool = try makeWriter(.pool)
        for isConstant in [false, true] {
            try dbPool.write { try $0.execute(sql: "UPDATE t SET a = 1 WHERE id = 1") }
            let log = Transcript()
            let observation: ValueObservation<ValueReducers.Fetch<Int>> =
                isConstant ? .trackingConstantRegion(Self.sum) : .tracking(Self.sum)
            let cancellable = observation.traced(log, showsQueues: true)
                .start(in: dbPool, log, name: "onChange ")
            let main = currentQueueLabel()
            // The first value comes from a reader. Nothing was committed before the writer begins to
            // track, which asks for no other one.
            let tracks = "[GRDB.DatabasePool.writer] willTrackRegion t(a)"
            log.wait(count: 5)
            expectEqual(
                log.removeAll().filter { $0 != tracks },
                [
                    "[\(main)] willStart",
                    "[GRDB.DatabasePool.reader.1] willFetch",
                    "[GRDB.ValueObservation] didReceiveValue 11",
                    "onChange 11",
                ])
            try dbPool.write { try $0.execute(sql: "UPDATE t SET a = 2 WHERE id = 1") }
            log.wait(last: "onChange 12")
            let connection = isConstant ? "reader.1" : "writer"
            expectEqual(
                log.removeAll(),
                [
                    "[GRDB.DatabasePool.writer] databaseDidChange",
                    "[GRDB.DatabasePool.\(connection)] willFetch",
                    "[GRDB.ValueObservation] didReceiveValue 12",
                    "onChange 12",
                ])
            cancellable.cancel()
            expectEqual(log.removeAll(), ["[\(main)] didCancel"])
        }
    }

    @Test func printedLines() throws {
        final class Stream: TextOutputStream {
            let log: Transcript
            init(_ log: Transcript) { self.log = log }
            func write(_ string: String) { log.append(string) }
        }
        let dbQueue = try makeWriter(.queue)
        let log = Transcript()
        let cancellable = ValueObservation.tracking(Self.sum)
            .print("first", to: Stream(log))
            .map { "v\($0)" }
            .print(to: Stream(log))
            .start(in: dbQueue, Transcript())
        try dbQueue.write { try $0.execute(sql: "UPDATE t SET a = 2 WHERE id = 1") }
        log.wait(last: "value: v12")
        cancellable.cancel()
        expectEqual(
            log.all,
            [
                "first: start", "start", "fetch", "first: fetch", "first: tracked region: t(a)",
                "tracked region: t(a)", "first: value: 11", "value: v11",
                "first: database did change", "database did change", "fetch", "first: fetch",
                "first: value: 12", "value: v12", "first: cancel", "cancel",
            ])
    }

    @Test(arguments: DatabaseKind.allCases)
    func asynchronousStart(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let queue = DispatchQueue(label: "values")
        let cancellable = ValueObservation.tracking(Self.sum).start(
            in: writer, scheduling: .async(onQueue: queue), onError: { log.append("\($0)") },
            onChange: { log.append("[\(currentQueueLabel())] \($0)") })
        log.wait(last: "[values] 11")
        waitForWriter(writer)
        try writer.write { try $0.execute(sql: "UPDATE t SET a = 2 WHERE id = 1") }
        log.wait(last: "[values] 12")
        cancellable.cancel()
        expectEqual(log.all, ["[values] 11", "[values] 12"])
    }

    // MARK: - What wakes

    @Test(arguments: DatabaseKind.allCases)
    func onlyCommittedChangesOfTheRegionWake(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let cancellable = ValueObservation.tracking(Self.sum).start(in: writer, log)
        waitForWriter(writer)
        try writer.write { db in
            try db.execute(sql: "UPDATE u SET b = 1; CREATE TABLE other(a)")
            try db.execute(sql: "UPDATE t SET id = 3 WHERE id = 2")
            try db.inSavepoint {
                try db.execute(sql: "UPDATE t SET a = 0")
                return .rollback
            }
        }
        try writer.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM t")
                return .rollback
            }
        }
        try writer.write { try $0.execute(sql: "DELETE FROM t WHERE id = 1") }
        log.wait(last: "10")
        try writer.write { try $0.notifyChanges(in: Table("t")) }
        log.wait(count: 3)
        try writer.write { try $0.execute(sql: "DELETE FROM t") }
        log.wait(last: "0")
        cancellable.cancel()
        expectEqual(log.all, ["11", "10", "10", "0"])
    }

    /// Each of the observations of one row is woken by changes of that row alone, also by those that
    /// SQLite's update hook does not tell of.
    @Test(arguments: DatabaseKind.allCases)
    func oneRowWakesItsObservations(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE r(id INTEGER PRIMARY KEY, a INTEGER UNIQUE)")
            for id in 1...100 {
                try db.execute(sql: "INSERT INTO r VALUES (?, ?)", arguments: [id, id])
            }
        }
        let log = Transcript()
        let wakes = Log<Int>()
        let cancellables = (1...100).map { id in
            ValueObservation
                .tracking { db in
                    try Int.fetchOne(db, Table("r").filter(key: id).select(Column("a"))) ?? 0
                }
                .handleEvents(databaseDidChange: { wakes.append(id) })
                .start(in: writer, log, name: "\(id): ")
        }
        waitForWriter(writer)

        func woken(_ sql: String, count: Int) throws -> [String] {
            log.removeAll()
            // Observations are woken before this returns.
            try writer.write { try $0.execute(sql: sql) }
            expectEqual(wakes.removeAll().count, count)
            return log.wait(count: count).sorted()
        }
        try expectEqual(woken("UPDATE r SET a = -7 WHERE id = 7", count: 1), ["7: -7"])
        try expectEqual(woken("DELETE FROM r WHERE id = 7", count: 1), ["7: 0"])
        try expectEqual(woken("INSERT INTO r VALUES (7, 7)", count: 1), ["7: 7"])
        try expectEqual(woken("UPDATE r SET id = 200 WHERE id = 8", count: 1), ["8: 0"])
        try expectEqual(woken("REPLACE INTO r VALUES (9, 10)", count: 2), ["10: 0", "9: 10"])
        try expectEqual(woken("INSERT INTO r VALUES (300, 300)", count: 0), [])
        // Rows that make room for others.
        try expectEqual(
            woken("UPDATE OR REPLACE r SET a = 12 WHERE id = 11", count: 2),
            ["11: 12", "12: 0"])
        try expectEqual(
            woken("UPDATE OR REPLACE r SET rowid = 14 WHERE rowid = 13", count: 2),
            ["13: 0", "14: 13"])
        try expectEqual(
            woken(
                "INSERT INTO r VALUES (15, 999) ON CONFLICT(id) DO UPDATE SET id = 400", count: 1),
            ["15: 0"])
        // By a trigger, in statements of which one was compiled before.
        let delete = "DELETE FROM u"
        try expectEqual(woken(delete, count: 0), [])
        try writer.write { db in
            try db.execute(
                sql: """
                    INSERT INTO u VALUES (1), (2);
                    CREATE TRIGGER replace BEFORE DELETE ON u WHEN old.b = 2 BEGIN
                        INSERT OR REPLACE INTO r VALUES (16, 17);
                        DELETE FROM r WHERE id = 18;
                    END;
                    """)
        }
        try expectEqual(woken(delete, count: 3), ["16: 17", "17: 0", "18: 0"])
        for cancellable in cancellables { cancellable.cancel() }
    }

    /// Rowids have other names in tables of the same name.
    @Test(arguments: DatabaseKind.allCases)
    func aRowOfAnAttachedDatabase(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE r(id INTEGER PRIMARY KEY, a INTEGER);
                    ATTACH ':memory:' AS att;
                    CREATE TABLE att.r(k INTEGER PRIMARY KEY, a INTEGER);
                    INSERT INTO att.r VALUES (1, 1), (2, 2);
                    """)
        }
        let wakes = Log<Int>()
        let region = DatabaseRegion(table: "r", rowIDs: [1])
        let cancellable = ValueObservation.tracking(region: region, fetch: { _ in 0 })
            .handleEvents(databaseDidChange: { wakes.append(1) })
            .start(in: writer, Transcript())
        waitForWriter(writer)
        try writer.write { try $0.execute(sql: "UPDATE att.r SET a = 3 WHERE k = 2") }
        expectEqual(wakes.removeAll(), [])
        try writer.write { try $0.execute(sql: "UPDATE att.r SET k = 3 WHERE k = 1") }
        expectEqual(wakes.removeAll(), [1])
        cancellable.cancel()
    }

    /// A database of temporary objects would be locked in each transaction.
    @Test(arguments: DatabaseKind.allCases)
    func noTemporaryDatabaseIsCreated(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        func schemas() throws -> [String] {
            try writer.writeWithoutTransaction { db in
                try Row.fetchAll(db, sql: "PRAGMA database_list").map { $0["name"] }
            }
        }
        let log = Transcript()
        let cancellable = ValueObservation.tracking(Self.sum).start(in: writer, log)
        waitForWriter(writer)
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE other(a)")
            try expectTrue(db.tableExists("t"))
            try expectEqual(db.primaryKey("t").columns, ["id"])
            try expectTrue(!db.tableExists("tmp"))
            try db.notifyChanges(in: .fullDatabase)
        }
        log.wait(count: 2)
        try expectEqual(schemas(), ["main"])
        try writer.write { db in
            try db.execute(sql: "CREATE TEMP TABLE tmp(a INTEGER PRIMARY KEY)")
            try expectTrue(db.tableExists("tmp"))
            try expectEqual(db.primaryKey("tmp").columns, ["a"])
        }
        try expectEqual(schemas(), ["main", "temp"])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func tablesWithoutRowIDAndTriggers(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE w(k TEXT PRIMARY KEY, a INTEGER) WITHOUT ROWID;
                    CREATE TRIGGER copy AFTER INSERT ON u BEGIN
                        INSERT INTO w VALUES (new.b, new.b);
                    END;
                    CREATE TABLE parent(id INTEGER PRIMARY KEY);
                    CREATE TABLE child(id INTEGER PRIMARY KEY,
                        parent REFERENCES parent ON DELETE CASCADE);
                    INSERT INTO parent VALUES (1);
                    INSERT INTO child VALUES (1, 1);
                    """)
        }
        let log = Transcript()
        let cancellables = ["w", "child"].map { table in
            ValueObservation.tracking { try Table(table).fetchCount($0) }
                .start(in: writer, log, name: "\(table) ")
        }
        waitForWriter(writer)
        expectEqual(log.removeAll(), ["w 0", "child 1"])
        try writer.write { try $0.execute(sql: "INSERT INTO u VALUES (1)") }
        log.wait(last: "w 1")
        try writer.write { try $0.execute(sql: "DELETE FROM w") }
        log.wait(last: "w 0")
        try writer.write { try $0.execute(sql: "DELETE FROM parent") }
        log.wait(last: "child 0")
        expectEqual(log.all, ["w 1", "w 0", "child 0"])
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test(arguments: DatabaseKind.allCases)
    func trackingFollowsTheFetch(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let cancellable =
            ValueObservation
            .tracking { db -> String in
                let sum = try Self.sum(db)
                if sum == 11 { return "\(sum)" }
                return try "\(sum) \(Int.fetchOne(db, sql: "SELECT SUM(b) FROM u") ?? 0)"
            }
            .handleEvents(willTrackRegion: { log.append("region \($0)") })
            .start(in: writer, log)
        waitForWriter(writer)
        log.wait(count: 2)
        expectEqual(Set(log.removeAll()), ["region t(a)", "11"])
        try writer.write { try $0.execute(sql: "UPDATE u SET b = 101") }
        try writer.write { try $0.execute(sql: "UPDATE t SET a = 2 WHERE id = 1") }
        log.wait(last: "12 101")
        try writer.write { try $0.execute(sql: "UPDATE u SET b = 102") }
        log.wait(last: "12 102")
        try writer.write { try $0.execute(sql: "UPDATE t SET a = 1 WHERE id = 1") }
        log.wait(last: "11")
        try writer.write { try $0.execute(sql: "UPDATE u SET b = 103") }
        expectEqual(log.all, ["region t(a),u(b)", "12 101", "12 102", "region t(a)", "11"])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func givenRegions(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let cancellables = [
            ValueObservation.tracking(region: Table("u"), fetch: Self.sum)
                .start(in: writer, log, name: "u "),
            ValueObservation.tracking(region: Table("u"), Table("t"), fetch: Self.sum)
                .start(in: writer, log, name: "ut "),
            ValueObservation.tracking(regions: [], fetch: Self.sum)
                .start(in: writer, log, name: "none "),
            ValueObservation.tracking(region: .fullDatabase, fetch: Self.sum)
                .start(in: writer, log, name: "all "),
        ]
        waitForWriter(writer)
        expectEqual(log.removeAll(), ["u 11", "ut 11", "none 11", "all 11"])
        try writer.write { try $0.execute(sql: "UPDATE t SET a = 2 WHERE id = 1") }
        log.wait(count: 2)
        expectEqual(log.removeAll().sorted(), ["all 12", "ut 12"])
        try writer.write { try $0.execute(sql: "UPDATE u SET b = 2") }
        log.wait(count: 3)
        expectEqual(log.removeAll().sorted(), ["all 12", "u 12", "ut 12"])
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test(arguments: DatabaseKind.allCases)
    func registeredAccess(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let cancellable =
            ValueObservation
            .trackingConstantRegion { db -> String in
                try db.registerAccess(to: Table("u"))
                return "value"
            }
            .start(in: writer, log)
        waitForWriter(writer)
        try writer.write { try $0.execute(sql: "UPDATE t SET a = 2") }
        try writer.write { try $0.execute(sql: "UPDATE u SET b = 2") }
        log.wait(count: 2)
        expectEqual(log.all, ["value", "value"])
        cancellable.cancel()
    }

    // MARK: - Operators

    @Test(arguments: DatabaseKind.allCases)
    func operators(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let cancellables = [
            ValueObservation.tracking(Self.sum).map { $0 / 10 }.removeDuplicates()
                .start(in: writer, log, name: "a "),
            ValueObservation.tracking(Self.sum).removeDuplicates(by: { $0 % 2 == $1 % 2 })
                .start(in: writer, log, name: "b "),
        ]
        waitForWriter(writer)
        for value in [3, 4, 11] {
            try writer.write {
                try $0.execute(sql: "UPDATE t SET a = ? WHERE id = 1", arguments: [value])
            }
        }
        log.wait { $0.contains("a 2") && $0.contains("b 21") }
        expectEqual(log.all.filter { $0.hasPrefix("a") }, ["a 1", "a 2"])
        expectEqual(log.all.filter { $0.hasPrefix("b") }, ["b 11", "b 14", "b 21"])
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test func reducersHaveNames() throws {
        let observation: ValueObservation<ValueReducers.Fetch<Int>> = .tracking(Self.sum)
        let mapped: ValueObservation<ValueReducers.Map<ValueReducers.Fetch<Int>, String>> =
            observation.map { "\($0)" }
        let distinct:
            ValueObservation<
                ValueReducers.RemoveDuplicates<
                    ValueReducers.Map<ValueReducers.Fetch<Int>, String>
                >
            > = mapped.removeDuplicates()
        let traced: ValueObservation<ValueReducers.Trace<ValueReducers.Fetch<Int>>> =
            observation.print()
        func first<R: ValueReducer>(
            _ observation: ValueObservation<R>, _ reader: any DatabaseReader
        ) -> R.Value? {
            let value = Locked<R.Value?>(nil)
            _ = observation.start(
                in: reader, scheduling: EagerScheduler(), onError: { _ in },
                onChange: { new in value.withLock { $0 = new } })
            return value.withLock { $0 }
        }
        let dbQueue = try makeWriter(.queue)
        expectEqual(first(distinct, dbQueue), "11")
        expectEqual(first(traced, dbQueue), 11)
    }

    // MARK: - Write access

    @Test(arguments: DatabaseKind.allCases)
    func writeAccess(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        var observation = ValueObservation.tracking { db -> Int in
            try db.execute(sql: "UPDATE t SET a = a + 1 WHERE id = 1")
            return try Self.sum(db)
        }
        let refused = observation.start(in: writer, log)
        expectEqual(
            log.removeAll(),
            [
                """
                error SQLite error 8: attempt to write a readonly database - while executing \
                `UPDATE t SET a = a + 1 WHERE id = 1`
                """
            ])
        refused.cancel()

        observation.requiresWriteAccess = true
        let cancellable = observation.start(in: writer, log)
        try writer.write { try $0.execute(sql: "UPDATE t SET a = 20 WHERE id = 2") }
        log.wait(last: "23")
        // What the fetch itself writes does not wake it.
        try writer.write { try $0.execute(sql: "UPDATE t SET a = 30 WHERE id = 2") }
        log.wait(last: "34")
        expectEqual(log.all, ["12", "23", "34"])
        cancellable.cancel()
    }

    /// Rows change in tables only. Views are tracked because they can be dropped.
    @Test(arguments: DatabaseKind.allCases)
    func trackedRegionHasNoViews(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE VIEW v AS SELECT a FROM t;
                    CREATE VIEW w AS SELECT a FROM v;
                    CREATE VIEW constant AS SELECT 1 AS a;
                    """)
        }
        for (sql, region) in [
            ("SELECT SUM(a) FROM v", "t("), ("SELECT SUM(a) FROM W", "t("),
            ("SELECT SUM(v.a) FROM v, t", "t("), ("SELECT SUM(a) FROM constant", "empty"),
        ] {
            let log = Transcript()
            let cancellable = ValueObservation.tracking { try Int.fetchOne($0, sql: sql)! }
                .handleEvents(willTrackRegion: { log.append("\($0)") })
                .start(in: writer, Transcript())
            let lines = log.wait(count: 1)
            expectTrue(lines.count == 1 && lines[0].hasPrefix(region), "\(sql): \(lines)")
            expectTrue(!lines[0].contains("v(") && !lines[0].contains("w("), "\(sql): \(lines)")
            waitForWriter(writer)
            cancellable.cancel()
        }
    }

    /// A view that hides a table of the same name.
    @Test func tableThatAViewHidesIsTracked() throws {
        let writer = try makeWriter(.queue)
        try writer.write { db in
            try db.execute(sql: "CREATE TEMP VIEW t AS SELECT a FROM main.t")
        }
        let log = Transcript()
        let cancellable = ValueObservation.tracking {
            try Int.fetchOne($0, sql: "SELECT SUM(a) FROM t")!
        }
        .handleEvents(willTrackRegion: { log.append("\($0)") })
        .start(in: writer, Transcript())
        let lines = log.wait(count: 1)
        expectTrue(lines.count == 1 && lines[0].hasPrefix("t("), "\(lines)")
        cancellable.cancel()
    }
}
