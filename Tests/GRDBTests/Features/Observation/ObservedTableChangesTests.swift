import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Changes of tables that SQLite calls no update hook for, or that have another name when they happen.
@Suite(.databases) struct ObservedTableChangesTests {
    private static let content =
        "SELECT group_concat(a || '=' || b, ' ') FROM (SELECT * FROM t ORDER BY a)"

    private func makeWriter(_ kind: DatabaseKind, _ options: String) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a TEXT PRIMARY KEY, b INTEGER) \(options);
                    INSERT INTO t VALUES ('x', 1), ('y', 2);
                    -- SQLite writes the definition anew.
                    ALTER TABLE t RENAME TO u;
                    ALTER TABLE u RENAME TO t;
                    """)
        }
        return writer
    }

    /// SQLite does not reserve such names.
    @Test(arguments: DatabaseKind.allCases, ["pragma_settings", "pragma_table_info", "Pragma_T"])
    func tableNamedLikeAPragmaFunction(kind: DatabaseKind, table: String) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: "CREATE TABLE \(table)(a)") }
        let sql = "SELECT group_concat(a) FROM \(table)"
        let log = Transcript()
        let cancellable = ValueObservation.tracking { db in
            try String.fetchOne(db, sql: sql) ?? "nothing"
        }
        .start(in: writer, log)
        let regionLog = Transcript()
        let regionCancellable =
            ValueObservation
            .tracking(region: Table(table)) { db in try String.fetchOne(db, sql: sql) ?? "nothing" }
            .start(in: writer, regionLog)
        for (sql, content) in [
            ("INSERT INTO \(table) VALUES (1)", "1"), ("UPDATE \(table) SET a = 2", "2"),
            ("DELETE FROM \(table)", "nothing"),
        ] {
            try writer.write { try $0.execute(sql: sql) }
            log.wait(last: content)
            regionLog.wait(last: content)
        }
        withExtendedLifetime((cancellable, regionCancellable)) {}
    }

    @Test(arguments: DatabaseKind.allCases)
    func tableWithoutRowIDInTheFullDatabase(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind, "WITHOUT ROWID")
        let log = Transcript()
        let cancellable =
            ValueObservation
            .tracking(region: .fullDatabase) { db in
                try String.fetchOne(db, sql: Self.content) ?? "nothing"
            }
            .start(in: writer, log)
        log.wait(last: "x=1 y=2")
        for (sql, content) in [
            ("UPDATE t SET b = 3 WHERE a = 'x'", "x=3 y=2"),
            ("INSERT INTO t VALUES ('z', 1)", "x=3 y=2 z=1"),
            ("REPLACE INTO t VALUES ('z', 2)", "x=3 y=2 z=2"),
            ("INSERT INTO t VALUES ('z', 1) ON CONFLICT DO UPDATE SET b = 4", "x=3 y=2 z=4"),
            ("DELETE FROM t WHERE a = 'x'", "y=2 z=4"),
            ("SAVEPOINT s; DELETE FROM t; RELEASE s", "nothing"),
        ] {
            try writer.write { try $0.execute(sql: sql) }
            log.wait(last: content)
        }
        // One that came later
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE later(a PRIMARY KEY) WITHOUT ROWID")
        }
        log.wait(count: 8)
        try writer.write { try $0.execute(sql: "INSERT INTO later VALUES (1)") }
        log.wait(count: 9)
        // A changeset
        try writer.write { db in
            let session = try db.makeSession()
            try session.attach("t")
            try db.execute(sql: "INSERT INTO t VALUES ('s', 1)")
        }
        log.wait(last: "s=1")
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases, ["", "WITHOUT ROWID"])
    func rowsChangedUnderAnotherName(kind: DatabaseKind, options: String) throws {
        let writer = try makeWriter(kind, options)
        let log = Transcript()
        let cancellables = [
            ValueObservation.tracking { try String.fetchOne($0, sql: Self.content) ?? "nothing" },
            ValueObservation.trackingConstantRegion {
                try String.fetchOne($0, sql: Self.content) ?? "nothing"
            },
        ].map { $0.start(in: writer, log) }
        log.wait(count: 2)
        for (number, sql) in [
            "ALTER TABLE t RENAME TO u; UPDATE u SET b = 10; ALTER TABLE u RENAME TO t",
            "ALTER TABLE t RENAME TO u; DELETE FROM u; ALTER TABLE u RENAME TO t",
            "ALTER TABLE t RENAME TO u; INSERT INTO u VALUES ('w', 1); ALTER TABLE u RENAME TO t",
            "ALTER TABLE t RENAME b TO c; UPDATE t SET c = 5; ALTER TABLE t RENAME c TO b",
        ].enumerated() {
            log.removeAll()
            try writer.write { try $0.execute(sql: sql) }
            let content = try writer.read { try String.fetchOne($0, sql: Self.content) }
            let lines = log.wait(count: 2)
            expectEqual(lines, [content ?? "nothing", content ?? "nothing"], "\(number)")
        }
        // In transactions that are rolled back, and in one that is not
        log.removeAll()
        try writer.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "ALTER TABLE t RENAME TO u; UPDATE u SET b = 6")
                return .rollback
            }
            try db.inTransaction {
                try db.inSavepoint {
                    try db.execute(sql: "ALTER TABLE t RENAME TO u; UPDATE u SET b = 7")
                    return .rollback
                }
                try db.execute(sql: "UPDATE t SET b = 8")
                return .commit
            }
        }
        expectEqual(log.wait(count: 2), ["w=8", "w=8"])
        for cancellable in cancellables { cancellable.cancel() }
    }
}
