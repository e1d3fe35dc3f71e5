import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct DatabaseRegionTests {
    private func region(_ sql: String) throws -> DatabaseRegion {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
                    CREATE TABLE u(id INTEGER PRIMARY KEY, tid REFERENCES t(id), "Weird name");
                    CREATE TABLE nopk(x, y);
                    CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;
                    CREATE VIEW vw AS SELECT id, a FROM t;
                    CREATE TEMP TABLE tmp(z);
                    CREATE VIRTUAL TABLE ft USING fts5(title, body);
                    ATTACH ':memory:' AS att;
                    CREATE TABLE att.t(q, r);
                    """)
            return try db.makeStatement(sql: sql).databaseRegion
        }
    }

    // MARK: - Regions of statements

    @Test(arguments: [
        ("SELECT * FROM t", "t(a,b,id)"),
        ("SELECT a FROM t", "t(a)"),
        ("SELECT COUNT(*) FROM t", "t(*)"),
        ("SELECT COUNT(a) FROM t", "t(a)"),
        ("SELECT 1", "empty"),
        ("SELECT 1 FROM t", "t(*)"),
        ("SELECT a FROM t WHERE b = 1 ORDER BY id", "t(a,b,id)"),
        ("SELECT t.a, u.\"Weird name\" FROM t JOIN u ON u.tid = t.id", "t(a,id),u(Weird name,tid)"),
        ("SELECT a FROM vw", "t(a,id),vw(a)"),
        ("SELECT v FROM w", "w(v)"),
        ("SELECT * FROM tmp", "tmp(z)"),
        ("SELECT q FROM att.t", "t(q)"),
        ("SELECT * FROM ft", "ft(body,title)"),
        ("SELECT title FROM ft", "ft(title)"),
        ("SELECT * FROM ft WHERE ft MATCH 'x'", "ft(body,ft,title)"),
        ("WITH c AS (SELECT a FROM t) SELECT * FROM c", "t(a)"),
        ("SELECT * FROM t WHERE id IN (SELECT tid FROM u)", "t(a,b,id),u(tid)"),
        ("SELECT EXISTS (SELECT * FROM t)", "t(a,b,id)"),
        ("SELECT a FROM t UNION SELECT k FROM w", "t(a),w(k)"),
        ("VALUES (1, 2)", "empty"),
        ("PRAGMA user_version", "empty"),
        ("PRAGMA table_info(t)", "empty"),
        ("EXPLAIN SELECT * FROM t", "t(a,b,id)"),
        ("BEGIN", "empty"),
        ("SELECT name FROM sqlite_schema", "sqlite_master(name)"),
        ("INSERT INTO t(a) VALUES (1)", "empty"),
        ("UPDATE t SET a = b WHERE id = 3", "t(b,id)"),
        ("UPDATE nopk SET x = y", "nopk(y)"),
        ("SELECT * FROM T", "t(a,b,id)"),
    ])
    func statementKnowsItsRegion(sql: String, description: String) throws {
        try expectEqual(region(sql).description, description)
    }

    /// Rowids are no column that an update could change without the rest.
    @Test(arguments: [
        "SELECT rowid FROM nopk", "SELECT rowid FROM t", "SELECT oid, _rowid_ FROM nopk",
        "SELECT rowid FROM ft",
    ])
    func rowIDsAreTheWholeTable(sql: String) throws {
        let region = try region(sql)
        for table in ["nopk", "t", "ft"] where sql.hasSuffix(" " + table) {
            expectTrue(region.isModified(byEventsOfKind: .insert(tableName: table)))
            expectTrue(region.isModified(byEventsOfKind: .delete(tableName: table)))
            expectTrue(
                region.isModified(
                    byEventsOfKind: .update(tableName: table, columnNames: ["ROWID"])))
        }
    }

    @Test func aliasOfTheRowIDIsAColumn() throws {
        let region = try region("SELECT id FROM t")
        expectTrue(
            region.isModified(byEventsOfKind: .update(tableName: "t", columnNames: ["id"])))
        expectTrue(
            region.isModified(byEventsOfKind: .update(tableName: "t", columnNames: ["rowid"])))
    }

    @Test func cursorKnowsItsRegion() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a, b)")
            try expectEqual(
                Row.fetchCursor(db, sql: "SELECT * FROM t").databaseRegion.description,
                "t(a,b)")
            try expectEqual(
                Int.fetchCursor(db, sql: "SELECT a FROM t").databaseRegion.description,
                "t(a)")
        }
    }

    @Test func regionIsThatOfTheCurrentSchema() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            expectEqual(statement.databaseRegion.description, "t(a)")
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
            expectEqual(statement.databaseRegion.description, "t(a,b)")
        }
    }

    /// Asking for a region must not execute anything.
    @Test func regionOfAPragmaHasNoEffect() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "PRAGMA foreign_keys = 0")
            try db.execute(sql: "PRAGMA foreign_keys = 1")
            expectTrue(statement.databaseRegion.isEmpty)
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA foreign_keys"), 1)
        }
    }

    @Test func regionDoesNotDisturbTheStatement() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
            let cursor = try Int.fetchCursor(db, sql: "SELECT a FROM t")
            try expectEqual(cursor.next(), 1)
            expectEqual(cursor.databaseRegion.description, "t(a)")
            try expectEqual(cursor.next(), 2)
        }
    }

    // MARK: - Descriptions

    @Test func description() {
        expectEqual(DatabaseRegion().description, "empty")
        expectEqual(DatabaseRegion.fullDatabase.description, "full database")
        expectEqual(DatabaseRegion(table: "t").description, "t(*)")
        expectEqual(DatabaseRegion(table: "t", columns: ["b", "a"]).description, "t(a,b)")
        expectEqual(DatabaseRegion(table: "t", rowIDs: [3, 1, 2]).description, "t(*)[1,2,3]")
        expectEqual(DatabaseRegion(table: "t", rowIDs: []).description, "empty")
    }

    @Test func emptinessAndFullness() {
        expectTrue(DatabaseRegion().isEmpty)
        expectTrue(!DatabaseRegion().isFullDatabase)
        expectTrue(DatabaseRegion.fullDatabase.isFullDatabase)
        expectTrue(!DatabaseRegion.fullDatabase.isEmpty)
        expectTrue(!DatabaseRegion(table: "t").isEmpty)
        expectTrue(DatabaseRegion(table: "t", rowIDs: []).isEmpty)
        expectTrue(DatabaseRegion(table: "t", columns: []).isEmpty)
    }

    // MARK: - Unions

    @Test func unionOfColumns() {
        expectEqual(
            DatabaseRegion(table: "t", columns: ["a"])
                .union(DatabaseRegion(table: "t", columns: ["b"])).description,
            "t(a,b)")
        expectEqual(
            DatabaseRegion(table: "t", columns: ["a"])
                .union(DatabaseRegion(table: "t", columns: ["A"])),
            DatabaseRegion(table: "t", columns: ["a"]))
        expectEqual(
            DatabaseRegion(table: "t", columns: ["a"]).union(DatabaseRegion(table: "t"))
                .description,
            "t(*)")
    }

    @Test func unionOfRows() {
        expectEqual(
            DatabaseRegion(table: "t", rowIDs: [1])
                .union(DatabaseRegion(table: "t", rowIDs: [2])).description,
            "t(*)[1,2]")
        expectEqual(
            DatabaseRegion(table: "t", rowIDs: [1]).union(DatabaseRegion(table: "t"))
                .description,
            "t(*)")
    }

    /// Whatever the two cover, and maybe more.
    @Test func unionOfRowsAndColumns() {
        let union = DatabaseRegion(table: "t", rowIDs: [1])
            .union(DatabaseRegion(table: "t", columns: ["b"]))
        expectEqual(union.description, "t(*)")
    }

    @Test func unionOfTables() {
        expectEqual(
            DatabaseRegion(table: "u", rowIDs: [1])
                .union(DatabaseRegion(table: "t", columns: ["b"])).description,
            "t(b),u(*)[1]")
        expectEqual(
            DatabaseRegion(table: "T").union(DatabaseRegion(table: "t")).description, "T(*)")
    }

    @Test func unionWithNothingAndAll() {
        let region = DatabaseRegion(table: "t", columns: ["a"])
        expectEqual(region.union(DatabaseRegion()), region)
        expectEqual(DatabaseRegion().union(region), region)
        expectTrue(region.union(.fullDatabase).isFullDatabase)
        expectTrue(DatabaseRegion.fullDatabase.union(region).isFullDatabase)
        expectTrue(DatabaseRegion().union(.fullDatabase).isFullDatabase)
        expectTrue(DatabaseRegion().union(DatabaseRegion()).isEmpty)
    }

    /// An empty part of a table adds nothing to a part of it.
    @Test func unionWithAnEmptyTable() {
        let region = DatabaseRegion(table: "t", columns: ["a"])
        expectEqual(region.union(DatabaseRegion(table: "t", rowIDs: [])), region)
        expectEqual(DatabaseRegion(table: "t", rowIDs: []).union(region), region)
    }

    @Test func formUnion() {
        var region = DatabaseRegion()
        region.formUnion(DatabaseRegion(table: "t"))
        region.formUnion(DatabaseRegion(table: "u"))
        expectEqual(region.description, "t(*),u(*)")
    }

    // MARK: - Equality

    @Test func equality() {
        expectEqual(DatabaseRegion(table: "t"), DatabaseRegion(table: "T"))
        #expect(DatabaseRegion(table: "t") != DatabaseRegion(table: "u"))
        #expect(DatabaseRegion(table: "t") != DatabaseRegion(table: "t", columns: ["a"]))
        expectEqual(
            DatabaseRegion(table: "t", columns: ["a"]),
            DatabaseRegion(table: "t", columns: ["A"]))
        #expect(
            DatabaseRegion(table: "t", rowIDs: [1]) != DatabaseRegion(table: "t", rowIDs: [1, 2]))
        expectEqual(DatabaseRegion(), DatabaseRegion(table: "t", rowIDs: []))
        #expect(DatabaseRegion() != .fullDatabase)
        expectEqual(DatabaseRegion.fullDatabase, .fullDatabase)
    }

    // MARK: - Changes

    @Test func insertionsAndDeletionsModifyTheTable() {
        for region in [
            DatabaseRegion(table: "t"), DatabaseRegion(table: "T", columns: ["a"]),
            DatabaseRegion(table: "t", rowIDs: [1]), .fullDatabase,
        ] {
            expectTrue(region.isModified(byEventsOfKind: .insert(tableName: "t")))
            expectTrue(region.isModified(byEventsOfKind: .delete(tableName: "t")))
        }
        for region in [
            DatabaseRegion(table: "u"), DatabaseRegion(), DatabaseRegion(table: "t", rowIDs: []),
        ] {
            expectTrue(!region.isModified(byEventsOfKind: .insert(tableName: "t")))
            expectTrue(!region.isModified(byEventsOfKind: .delete(tableName: "t")))
        }
    }

    @Test func updatesModifyTheirColumns() {
        let region = DatabaseRegion(table: "t", columns: ["a", "b"])
        func isModified(_ columns: Set<String>, of table: String = "t") -> Bool {
            region.isModified(byEventsOfKind: .update(tableName: table, columnNames: columns))
        }
        expectTrue(isModified(["a"]))
        expectTrue(isModified(["A", "c"]))
        expectTrue(isModified(["c", "b"], of: "T"))
        expectTrue(!isModified(["c"]))
        expectTrue(!isModified([]))
        expectTrue(!isModified(["a"], of: "u"))
        let table = DatabaseRegion(table: "t")
        expectTrue(table.isModified(byEventsOfKind: .update(tableName: "t", columnNames: ["zz"])))
    }

    @Test func eventsModifyTheirRow() {
        func isModified(_ region: DatabaseRegion, _ table: String, _ rowID: Int64) -> Bool {
            region.isModified(
                by: DatabaseEvent(
                    kind: .update, databaseName: "main", tableName: table, rowID: rowID))
        }
        let region = DatabaseRegion(table: "t", rowIDs: [1, 2])
        expectTrue(isModified(region, "t", 1))
        expectTrue(isModified(region, "T", 2))
        expectTrue(!isModified(region, "t", 3))
        expectTrue(!isModified(region, "u", 1))
        expectTrue(isModified(DatabaseRegion(table: "t"), "t", 3))
        expectTrue(isModified(.fullDatabase, "t", 3))
        expectTrue(!isModified(DatabaseRegion(), "t", 3))
    }

    @Test func observerMayRelyOnARegion() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let recorder = TransactionRecorder()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)")
            let region = try db.makeStatement(sql: "SELECT a FROM t").databaseRegion
            recorder.filter = { region.isModified(byEventsOfKind: $0) }
            db.add(transactionObserver: recorder)
            try db.execute(sql: "INSERT INTO t VALUES (1, 2, 3)")
            try db.execute(sql: "UPDATE t SET b = 4")
            try db.execute(sql: "UPDATE t SET a = 5")
        }
        expectEqual(
            recorder.lines(),
            [
                "didChange insert main.t 1", "didChange update main.t 1",
                "willCommit", "didCommit",
            ])
    }

    // MARK: - Parts

    @Test func intersectionWithRows() {
        let region = DatabaseRegion(table: "t", columns: ["a"])
            .union(DatabaseRegion(table: "u"))
        expectEqual(region.limiting("T", toRowIDs: [1, 2]).description, "t(a)[1,2],u(*)")
        expectEqual(
            region.limiting("t", toRowIDs: [1, 2]).limiting("t", toRowIDs: [2, 3])
                .description,
            "t(a)[2],u(*)")
        expectEqual(region.limiting("nope", toRowIDs: [1]), region)
        expectEqual(region.limiting("t", toRowIDs: []).description, "u(*)")
    }

    @Test func internalTablesCanBeIgnored() throws {
        let tables = ["t", "sqlite_master", "grdb_migrations", "pragma_table_list", "pragma_own"]
        let region = tables.dropFirst().reduce(DatabaseRegion(table: tables[0])) {
            $0.union(DatabaseRegion(table: $1))
        }
        try DatabaseQueue().write { db in
            // Not a pragma function
            try db.execute(sql: "CREATE TABLE pragma_own(a)")
            expectEqual(region.ignoringInternalTables(db).description, "pragma_own(*),t(*)")
            expectTrue(DatabaseRegion.fullDatabase.ignoringInternalTables(db).isFullDatabase)
        }
    }
}
