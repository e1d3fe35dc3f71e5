import Dispatch
@testable import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseRegionObservationTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
                    CREATE TABLE u(a);
                    INSERT INTO t VALUES (1, 1, 1), (2, 2, 2);
                    """)
        }
        return writer
    }

    @Test(arguments: DatabaseKind.allCases)
    func transactionsAreTold(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        func observe(_ name: String, _ observation: DatabaseRegionObservation)
            -> AnyDatabaseCancellable
        {
            observation.start(
                in: writer, onError: { log.append("\(name) error \($0)") },
                onChange: { db in
                    expectTrue(!db.isInsideTransaction)
                    log.append(name)
                })
        }
        let cancellables = [
            observe("t.a", DatabaseRegionObservation(tracking: Table("t").select(Column("a")))),
            observe("t 1", DatabaseRegionObservation(tracking: Table("t").filter(key: 1))),
            observe("u", DatabaseRegionObservation(tracking: [Table("u")])),
            observe("t u", DatabaseRegionObservation(tracking: Table("t"), Table("u"))),
            observe("all", DatabaseRegionObservation(tracking: .fullDatabase)),
        ]
        func told(_ sql: String) throws -> [String] {
            try writer.write { try $0.execute(sql: sql) }
            return log.removeAll()
        }
        try expectEqual(told("UPDATE t SET a = 2 WHERE id = 2"), ["t.a", "t u", "all"])
        try expectEqual(told("UPDATE t SET b = 2 WHERE id = 1"), ["t 1", "t u", "all"])
        try expectEqual(told("INSERT INTO u VALUES (1); DELETE FROM u"), ["u", "t u", "all"])
        try expectEqual(told("SELECT * FROM t"), [])
        try? writer.write { db in
            try db.execute(sql: "DELETE FROM t")
            throw TestError()
        }
        expectEqual(log.all, [])
        try writer.write { try $0.notifyChanges(in: Table("u")) }
        expectEqual(log.removeAll(), ["u", "t u", "all"])
        cancellables[4].cancel()
        cancellables[3].cancel()
        try expectEqual(told("DELETE FROM u"), [])
        try expectEqual(told("DELETE FROM t"), ["t.a", "t 1"])
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test(arguments: DatabaseKind.allCases)
    func startsInATransaction(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        var cancellable: AnyDatabaseCancellable?
        try writer.write { db in
            cancellable = DatabaseRegionObservation(tracking: Table("u")).start(
                in: writer, onError: { log.append("\($0)") }, onChange: { _ in log.append("u") })
            try db.execute(sql: "INSERT INTO u VALUES (1)")
        }
        expectEqual(log.all, ["u"])
        cancellable?.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func errorsOfTheRegion(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Transcript()
        let cancellable = DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "nonsense"))
            .start(in: writer, onError: { log.append("\($0)") }, onChange: { _ in })
        expectEqual(
            log.all,
            [
                """
                SQLite error 1: near "nonsense": syntax error - while executing `nonsense`
                """
            ])
        cancellable.cancel()
    }

    /// A table is all of its columns, whenever they and the table come into being. A view is what it
    /// reads.
    @Test(arguments: DatabaseKind.allCases)
    func tablesThatComeLater(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let regions = try writer.read { db in
            try ["t", "nope", "sqlite_schema", "sqlite_master"].map {
                try Table($0).databaseRegion(db)
            }
        }
        expectEqual(regions[0].description, "t(*)")
        expectEqual(regions[1].description, "nope(*)")
        expectEqual(regions[2], regions[3])
        let log = Transcript()
        let cancellable = DatabaseRegionObservation(tracking: Table("late")).start(
            in: writer, onError: { log.append("\($0)") }, onChange: { _ in log.append("changed") })
        try writer.write { try $0.execute(sql: "UPDATE t SET a = 9") }
        try writer.write { try $0.notifyChanges(in: Table("nope")) }
        expectEqual(log.removeAll(), [])
        try writer.write { try $0.notifyChanges(in: Table("late")) }
        expectEqual(log.removeAll(), ["changed"])
        try writer.write { try $0.execute(sql: "CREATE TABLE late(a)") }
        expectEqual(log.removeAll(), ["changed"])
        try writer.write { try $0.execute(sql: "INSERT INTO late VALUES (1)") }
        expectEqual(log.removeAll(), ["changed"])
        try writer.write { try $0.execute(sql: "ALTER TABLE late ADD COLUMN b") }
        log.removeAll()
        try writer.write { try $0.execute(sql: "UPDATE late SET b = 2") }
        expectEqual(log.removeAll(), ["changed"])
        cancellable.cancel()
    }

    @Test func viewsAreWhatTheyRead() throws {
        let writer = try makeWriter(.queue)
        try writer.write { db in
            try db.execute(sql: "CREATE VIEW seen AS SELECT a FROM t")
            try expectEqual(Table("seen").databaseRegion(db).description, "seen(a),t(a)")
        }
    }
}
