import GRDBQueries
import GRDBTestSupport
import Testing

@testable import GRDB

/// Regions against the truth: when the result of a query changes, the observer of its region knows.
@Suite(.databases) struct RegionTruthTests {
    /// Notes whether something has changed a region.
    private final class RegionObserver: TransactionObserver {
        let region: DatabaseRegion
        var isModified = false

        init(_ region: DatabaseRegion) { self.region = region }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            region.isModified(byEventsOfKind: eventKind)
        }

        func databaseDidChange() { isModified = true }

        func databaseDidChange(with event: DatabaseEvent) {
            if region.isModified(by: event) { isModified = true }
        }

        func databaseWillChange(with event: DatabasePreUpdateEvent) {
            if region.isModified(by: event) { isModified = true }
        }

        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    private static let schema = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b);
        CREATE TABLE u(id INTEGER PRIMARY KEY,
            tid REFERENCES t(id) ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE TABLE v(tid REFERENCES t(id) ON DELETE SET NULL ON UPDATE SET NULL);
        CREATE TABLE w(k INTEGER PRIMARY KEY, v) WITHOUT ROWID;
        CREATE TABLE nopk(x);
        CREATE TABLE log(text);
        CREATE TABLE g(a, s AS (a * 2) STORED, v AS (a + 1) VIRTUAL);
        CREATE TABLE g2(id INTEGER PRIMARY KEY, a, b, x AS (y + 1), y AS (a * 2) STORED,
            z AS (id || 'z'), "n n" AS (length(b)));
        CREATE TABLE r(id INTEGER PRIMARY KEY, a UNIQUE ON CONFLICT REPLACE, b);
        CREATE TABLE t3(x);
        CREATE TRIGGER t4 AFTER UPDATE ON t3 BEGIN
            UPDATE OR REPLACE r SET a = NEW.x WHERE id = OLD.x;
        END;
        CREATE VIEW vw AS SELECT a, tid FROM t LEFT JOIN u ON u.tid = t.id;
        CREATE VIRTUAL TABLE ft USING fts5(x);
        CREATE VIRTUAL TABLE ft4 USING fts4(x);
        CREATE VIRTUAL TABLE rt USING rtree(id, low, high);
        CREATE VIRTUAL TABLE terms5 USING fts5vocab(ft, row);
        CREATE VIRTUAL TABLE instances5 USING "fts5vocab"('ft', 'instance');
        CREATE VIRTUAL TABLE terms4 USING fts4aux("ft4");
        CREATE VIRTUAL TABLE ext5 USING fts5(x, tokenize = 'ascii', content='nopk');
        CREATE VIRTUAL TABLE extView5 USING fts5(a, content = "vw", content_rowid = [tid]);
        CREATE VIRTUAL TABLE ext4 USING fts4(content="nopk", x);
        CREATE VIRTUAL TABLE indexed5 USING fts5(a, content='', contentless_delete=1);
        CREATE VIEW vext AS SELECT rowid AS id, x FROM ext5;
        CREATE TRIGGER t1 AFTER INSERT ON t BEGIN INSERT INTO ft VALUES (NEW.a); END;
        CREATE TRIGGER t2 AFTER DELETE ON t BEGIN INSERT INTO log VALUES (OLD.b); END;
        CREATE TRIGGER t3 INSTEAD OF INSERT ON vw BEGIN
            INSERT OR IGNORE INTO t(a) VALUES (NEW.a);
        END;
        INSERT INTO t(a, b) VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6);
        INSERT INTO u(tid) SELECT id FROM t;
        INSERT INTO v(tid) SELECT id FROM t;
        INSERT INTO w SELECT id, a FROM t;
        INSERT INTO nopk SELECT id FROM t;
        INSERT INTO g(a) SELECT id FROM t;
        INSERT INTO g2(id, a, b) SELECT id, a, b FROM t;
        INSERT INTO r SELECT id, a, b FROM t;
        INSERT INTO t3 SELECT a FROM t;
        INSERT INTO ft4 SELECT a FROM t;
        INSERT INTO rt SELECT id, a, a + 1 FROM t;
        """

    /// Statements with two numbers, that change a few rows each.
    private static let statements = [
        "INSERT OR IGNORE INTO t(a, b) VALUES (?1, ?2)", "REPLACE INTO t VALUES (?1, ?2, 0)",
        "REPLACE INTO t(a, b) VALUES (?1, ?2)",
        "INSERT INTO t VALUES (?1, ?2, 9) ON CONFLICT DO UPDATE SET b = b + 1",
        "UPDATE t SET b = ?2 WHERE id = ?1", "UPDATE t SET a = ?2 WHERE id = ?1",
        "UPDATE t SET id = ?2 WHERE id = ?1",
        "UPDATE t SET rowid = ?2 WHERE rowid = ?1", "DELETE FROM t WHERE a = ?1",
        "DELETE FROM t WHERE ?1 = ?2", "DELETE FROM u WHERE id = ?1",
        "INSERT OR IGNORE INTO u(tid) SELECT id FROM t WHERE id = ?1",
        "REPLACE INTO w VALUES (?1, ?2)", "UPDATE w SET v = ?2 WHERE k = ?1",
        "UPDATE w SET k = ?2 WHERE k = ?1", "DELETE FROM w WHERE k = ?1",
        "UPDATE nopk SET x = ?2 WHERE x = ?1", "UPDATE nopk SET rowid = ?2 WHERE x = ?1",
        "UPDATE nopk SET oid = ?2 WHERE x = ?1", "INSERT INTO nopk VALUES (?1)",
        "INSERT INTO vw(a) VALUES (?1)", "INSERT INTO ft(rowid, x) VALUES (NULL, ?1)",
        "UPDATE ft SET x = ?2 WHERE rowid = ?1", "DELETE FROM ft WHERE rowid = ?1",
        "INSERT INTO ft4 VALUES (?1)", "UPDATE ft4 SET x = ?2 WHERE rowid = ?1",
        "UPDATE rt SET low = ?1, high = ?1 + ?2 WHERE id = ?2", "DELETE FROM rt WHERE id = ?1",
        "UPDATE g SET a = ?2 WHERE a = ?1", "SELECT writes(?1)",
        "UPDATE t SET b = writes(?1) WHERE id = ?1",
        "UPDATE OR REPLACE t SET a = ?2 WHERE id = ?1",
        "UPDATE OR REPLACE t SET id = ?2 WHERE id = ?1",
        "UPDATE OR REPLACE w SET k = ?2 WHERE k = ?1",
        "UPDATE r SET a = ?2 WHERE id = ?1", "INSERT INTO r VALUES (?1, ?2, ?2)",
        "UPDATE t3 SET x = ?2 WHERE x = ?1", "UPDATE g2 SET a = ?2 WHERE id = ?1",
        "UPDATE g2 SET b = ?2 WHERE id = ?1", "UPDATE OR IGNORE g2 SET id = ?2 WHERE id = ?1",
    ]

    /// Statements that are too much for each time.
    private static let truncations = [
        "DELETE FROM t", "DELETE FROM u", "DELETE FROM w", "DELETE FROM nopk", "DELETE FROM log",
        "DELETE FROM ft", "DELETE FROM g", "DELETE FROM ft4",
    ]

    private static let queries = [
        "SELECT * FROM t", "SELECT a FROM t", "SELECT b FROM t WHERE a = 3",
        "SELECT COUNT(*) FROM t", "SELECT id FROM t ORDER BY b", "SELECT rowid FROM t",
        "SELECT COUNT(*), MAX(tid) FROM u", "SELECT tid FROM v", "SELECT * FROM w",
        "SELECT v FROM w ORDER BY v", "SELECT COUNT(*) FROM w", "SELECT x FROM nopk",
        "SELECT rowid FROM nopk",
        "SELECT text FROM log", "SELECT * FROM vw", "SELECT rowid FROM ft WHERE ft MATCH '3'",
        "SELECT x FROM ft", "SELECT COUNT(*) FROM ft4", "SELECT docid FROM ft4 WHERE x MATCH '2'",
        "SELECT id FROM rt WHERE low < 4", "SELECT a, s, v FROM g",
        "SELECT t.b FROM t WHERE id IN (SELECT tid FROM u WHERE tid > 2)",
        "SELECT s FROM g", "SELECT v FROM g", "SELECT x FROM g2 ORDER BY x",
        "SELECT y FROM g2 ORDER BY y",
        "SELECT z FROM g2", "SELECT \"n n\" FROM g2", "SELECT b FROM r", "SELECT id FROM r",
        "SELECT COUNT(b) FROM r", "SELECT id FROM t",
        "SELECT * FROM terms5", "SELECT COUNT(*) FROM instances5",
        "SELECT term, documents FROM terms4",
        "SELECT x FROM ext5", "SELECT COUNT(*) FROM ext5",
        "SELECT rowid FROM ext5", "SELECT rowid, a FROM extView5", "SELECT x FROM ext4",
        "SELECT docid FROM ext4", "SELECT COUNT(*) FROM ext4", "SELECT * FROM vext",
        "SELECT * FROM ext5 WHERE rowid = 3",
        "SELECT COUNT(*) FROM ft_content",
        "SELECT * FROM ft4_content", "SELECT COUNT(*) FROM rt_rowid",
        "SELECT SUM(payload) FROM dbstat",
    ]

    /// Random statements: these seeds notice each negated condition of the sources that twice as many noticed.
    @Test(arguments: 0..<8)
    func noChangeIsMissed(seed: Int) throws {
        var state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 &+ 1
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let writer = try TestDatabases.makeWriter(seed % 2 == 0 ? .queue : .pool)
        try writer.writeWithoutTransaction { [unowned writer] db in
            try db.execute(sql: Self.schema)
            db.add(
                function: DatabaseFunction("writes", argumentCount: 1) { values in
                    try writer.unsafeReentrantWrite { db in
                        try db.execute(
                            sql: "UPDATE nopk SET x = x + 1 WHERE x = ?", arguments: [values[0]])
                    }
                    return values[0]
                })
            var observed: [(name: String, sql: String, observer: RegionObserver)] = []
            for sql in Self.queries {
                let region = try db.makeStatement(sql: sql).databaseRegion
                observed.append((sql, sql, RegionObserver(region)))
            }
            for id in 1...6 {
                let sql = "SELECT * FROM t WHERE id = \(id)"
                observed.append(
                    (
                        "row \(id)", sql,
                        RegionObserver(DatabaseRegion(table: "t", rowIDs: [Int64(id)]))
                    ))
            }
            for observed in observed {
                db.add(transactionObserver: observed.observer)
            }
            let statements = try observed.map { try db.makeStatement(sql: $0.sql) }
            func results() throws -> [[Row]] {
                try statements.map { try Row.fetchAll($0) }
            }
            var former = try results()
            for number in 0..<150 {
                let isTruncation = random(40) == 0
                let sql =
                    isTruncation
                    ? Self.truncations[random(Self.truncations.count)]
                    : Self.statements[random(Self.statements.count)]
                let numbers = [random(8), random(8)]
                do {
                    let statement = try db.cachedStatement(sql: sql)
                    statement.setUncheckedArguments(StatementArguments(numbers))
                    if number % 3 == 0 {
                        // Held, and then released.
                        try db.inTransaction {
                            try db.inSavepoint {
                                try statement.execute()
                                return .commit
                            }
                            return .commit
                        }
                    } else {
                        try statement.execute()
                    }
                } catch is DatabaseError {
                    // A constraint.
                }
                let latter = try results()
                for (index, observed) in observed.enumerated() {
                    if former[index] != latter[index] {
                        expectTrue(
                            observed.observer.isModified,
                            "\(sql) \(numbers) has changed \(observed.name), seed \(seed)")
                    }
                    observed.observer.isModified = false
                }
                former = latter
            }
        }
    }

    // MARK: - Exactness

    /// Whether a statement wakes the observer of a region.
    private func isModified(_ region: DatabaseRegion, _ sql: String) throws -> Bool {
        let dbQueue = try TestDatabases.makeQueue()
        let observer = RegionObserver(region)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: Self.schema)
            db.add(transactionObserver: observer)
            try db.execute(sql: sql)
        }
        return observer.isModified
    }

    @Test(
        arguments: [
            ("UPDATE t SET b = 9 WHERE id = 1", true), ("UPDATE t SET b = 9 WHERE id = 2", false),
            ("DELETE FROM t WHERE id = 1", true), ("DELETE FROM t WHERE id > 1", false),
            ("INSERT INTO t VALUES (7, 7, 7)", false), ("REPLACE INTO t VALUES (7, 1, 7)", true),
            ("REPLACE INTO t VALUES (7, 2, 7)", false), ("UPDATE t SET id = 7 WHERE id = 1", true),
            ("UPDATE t SET rowid = 7 WHERE id = 1", true),
            ("UPDATE t SET id = 7 WHERE id = 2", false), ("DELETE FROM u", false),
        ])
    func rowsAreExact(sql: String, isModified: Bool) throws {
        try expectEqual(self.isModified(DatabaseRegion(table: "t", rowIDs: [1]), sql), isModified)
    }

    @Test(
        arguments: [
            ("UPDATE t SET b = 9", true), ("UPDATE t SET a = a + 10", false),
            ("UPDATE t SET rowid = 9 WHERE id = 1", true), ("DELETE FROM t WHERE id = 1", true),
            ("DELETE FROM t", true), ("INSERT INTO t DEFAULT VALUES", true),
            ("DELETE FROM u", false), ("DELETE FROM t WHERE id = 99", false),
        ])
    func columnsAreExact(sql: String, isModified: Bool) throws {
        try expectEqual(
            self.isModified(DatabaseRegion(table: "t", columns: ["B"]), sql), isModified)
    }

    @Test(
        arguments: [
            ("UPDATE OR REPLACE t SET a = 2 WHERE id = 1", "SELECT b FROM t", true),
            ("UPDATE OR REPLACE t SET a = 2 WHERE id = 1", "SELECT tid FROM u", true),
            ("UPDATE OR IGNORE t SET a = 2 WHERE id = 1", "SELECT b FROM t", false),
            ("UPDATE OR ABORT t SET a = 12 WHERE id = 1", "SELECT b FROM t", false),
            ("UPDATE OR REPLACE t SET b = 2 WHERE id = 1", "SELECT a FROM t", false),
            ("UPDATE t SET b = replace(b, 1, 2)", "SELECT a FROM t", false),
            ("UPDATE r SET a = 2 WHERE id = 1", "SELECT b FROM r", true),
            ("UPDATE r SET b = 2 WHERE id = 1", "SELECT a FROM r", false),
            ("UPDATE t3 SET x = 2 WHERE x = 1", "SELECT b FROM r", true),
            ("UPDATE t3 SET x = 2 WHERE x = 1", "SELECT b FROM t", false),
            ("UPDATE g2 SET a = 9", "SELECT x FROM g2", true),
            ("UPDATE g2 SET b = 9", "SELECT x FROM g2", false),
            ("UPDATE g2 SET b = 9", "SELECT \"N N\" FROM g2", true),
            ("UPDATE g2 SET a = 9", "SELECT \"N N\" FROM g2", false),
        ])
    func otherColumnsAndRowsThatDepend(
        sql: String, query: String, isModified: Bool
    ) throws {
        let dbQueue = try TestDatabases.makeQueue()
        let region = try dbQueue.write { db in
            try db.execute(sql: Self.schema)
            return try db.makeStatement(sql: query).databaseRegion
        }
        try expectEqual(self.isModified(region, sql), isModified)
    }

    /// A row that an update removes to make room for another one.
    @Test(arguments: DatabaseKind.allCases)
    func rowThatIsReplacedByAnUpdateIsObserved(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        let log = Log<String>()
        try writer.write { try $0.execute(sql: Self.schema) }
        let cancellable = DatabaseRegionObservation(
            tracking: Table("t").filter(key: 2).select(Column("b"))
        ).start(in: writer, onError: { log.append("\($0)") }, onChange: { _ in log.append("2") })
        try writer.write { try $0.execute(sql: "UPDATE t SET a = 20 WHERE id = 1") }
        expectEqual(log.elements, [])
        try writer.write { try $0.execute(sql: "UPDATE OR REPLACE t SET a = 2 WHERE id = 1") }
        expectEqual(log.elements, ["2"])
        cancellable.cancel()
    }

    @Test func unionsAreModifiedByEither() throws {
        let region = DatabaseRegion(table: "t", rowIDs: [1])
            .union(DatabaseRegion(table: "w", columns: ["v"]))
        try expectTrue(isModified(region, "DELETE FROM t WHERE id = 1"))
        try expectTrue(isModified(region, "UPDATE w SET v = 9"))
        try expectTrue(!isModified(region, "DELETE FROM t WHERE id = 2"))
        try expectTrue(!isModified(region, "DELETE FROM nopk"))
        try expectTrue(!isModified(DatabaseRegion(), "DELETE FROM nopk"))
        try expectTrue(isModified(.fullDatabase, "DELETE FROM nopk"))
    }

    @Test func intersectionsAreModifiedByBoth() throws {
        let region = DatabaseRegion(table: "t", rowIDs: [1, 2])
            .limiting("T", toRowIDs: [2, 3])
        try expectTrue(!isModified(region, "DELETE FROM t WHERE id IN (1, 3)"))
        try expectTrue(isModified(region, "DELETE FROM t WHERE id = 2"))
    }

    /// An update that writes the same value changes nothing. Before, only the hook knows.
    @Test func sameValuesAreNoChangeBefore() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let region = DatabaseRegion(table: "t", columns: ["b"])
        let recorder = TransactionRecorder()
        var answers: [Bool] = []
        recorder.onWillChange = { answers.append(region.isModified(by: $0)) }
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: Self.schema)
            db.add(transactionObserver: recorder)
            try db.execute(sql: "UPDATE t SET b = b WHERE id = 1")
            try db.execute(sql: "UPDATE t SET b = 9 WHERE id = 1")
        }
        expectEqual(answers, [false, true])
    }

    /// Virtual tables are changed by way of the tables in which they keep their content.
    @Test func contentOfVirtualTables() throws {
        let region = DatabaseRegion(table: "ft", columns: ["x"])
        try expectTrue(isModified(region, "INSERT INTO ft VALUES ('x')"))
        try expectTrue(isModified(region, "INSERT INTO t(a) VALUES ('trigger')"))
        try expectTrue(!isModified(region, "INSERT INTO ft4 VALUES ('x')"))
    }
}
