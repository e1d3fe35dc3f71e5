@testable import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseChangeFeedTests {
    let log = Log<String>()
    private let schema = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b);
        CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(
            id INTEGER PRIMARY KEY,
            parentId REFERENCES parent(id) ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE TABLE audit(text);
        CREATE TRIGGER tr AFTER UPDATE ON parent BEGIN
            INSERT INTO audit VALUES (OLD.id || ' is ' || NEW.id);
        END;
        """

    func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.writeWithoutTransaction { try $0.execute(sql: schema) }
        return writer
    }

    func start(
        _ feed: DatabaseChangeFeed, in writer: some DatabaseWriter
    ) -> AnyDatabaseCancellable {
        feed.start(in: writer) { [log] error in
            log.append("error: \(error)")
        } onChange: { [log] transaction in
            log.append(transaction.changes.map(\.description).joined(separator: "; "))
        }
    }

    /// The changes of a script, one line a transaction, which a queue and a pool tell alike.
    private func lines(
        _ sql: String, feed: DatabaseChangeFeed = DatabaseChangeFeed()
    ) throws -> [String] {
        let lines = try DatabaseKind.allCases.map { kind in
            let writer = try makeWriter(kind)
            let subscription = start(feed, in: writer)
            writer.writeWithoutTransaction { db in
                for sql in sql.split(separator: ";") {
                    try? db.execute(sql: String(sql))
                }
            }
            subscription.cancel()
            return log.removeAll()
        }
        expectEqual(lines[0], lines[1])
        return lines[0]
    }

    // MARK: - Changes

    @Test func changesHaveOldAndNewValues() throws {
        try expectEqual(
            lines(
                """
                INSERT INTO t VALUES (1, 'x', 2.5);
                BEGIN;
                UPDATE t SET a = 'y';
                UPDATE t SET id = 7, b = NULL;
                COMMIT;
                DELETE FROM t
                """),
            [
                #"insert main.t [id:1 a:"x" b:2.5]"#,
                #"""
                update main.t [id:1 a:"x" → "y" b:2.5]; \#
                update main.t [id:1 → 7 a:"y" b:2.5 → NULL]
                """#,
                #"delete main.t [id:7 a:"y" b:NULL]"#,
            ])
    }

    @Test func valuesAreReadByName() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: schema + "INSERT INTO t VALUES (1, 'x', 2)") }
        let changes = Log<DatabaseRowChange>()
        let subscription = DatabaseChangeFeed().start(in: dbQueue) {
            for change in $0.changes { changes.append(change) }
        }
        try dbQueue.write { db in
            try db.execute(sql: "UPDATE t SET a = 'y'; DELETE FROM t; INSERT INTO t(b) VALUES (5)")
        }
        subscription.cancel()
        let (update, delete, insert) = (
            changes.elements[0], changes.elements[1], changes.elements[2]
        )
        expectEqual(update.kind, .update)
        expectEqual(update.columnNames, ["id", "a", "b"])
        expectEqual(update.oldValue(forColumn: "A"), "x".databaseValue)
        expectEqual(update.newValue(forColumn: "a"), "y".databaseValue)
        expectEqual(update.oldValue(forColumn: "nope"), nil)
        expectEqual(update.changedColumnNames, ["a"])
        expectEqual(update.oldRowID, 1)
        expectEqual(update.newRow, ["id": 1, "a": "y", "b": 2])
        expectEqual(delete.kind, .delete)
        expectEqual(delete.newValue(forColumn: "a"), nil)
        expectEqual(delete.oldRow, ["id": 1, "a": "y", "b": 2])
        expectEqual(delete.newRow, nil)
        expectEqual(delete.newRowID, nil)
        expectEqual(insert.kind, .insert)
        expectEqual(insert.oldRow, nil)
        expectEqual(insert.newValue(forColumn: "a"), .null)
        expectEqual(insert.changedColumnNames, ["id", "a", "b"])
        expectEqual(insert, insert)
        #expect(insert != update)
    }

    @Test func updatesThatChangeNothingAreNoChanges() throws {
        try expectEqual(
            lines("INSERT INTO t VALUES (1, 'x', 2); UPDATE t SET a = 'x', b = 2").count,
            1)
        try expectEqual(lines("BEGIN; COMMIT; CREATE TABLE n(a); DELETE FROM t"), [])
    }

    @Test func rowsWithoutRowIDs() throws {
        try expectEqual(
            lines(
                """
                INSERT INTO w VALUES ('k', 1), ('l', 2);
                UPDATE w SET v = 3 WHERE k = 'k';
                UPDATE w SET k = 'm' WHERE k = 'l';
                REPLACE INTO w VALUES ('k', 4);
                DELETE FROM w
                """),
            [
                #"insert main.w [k:"k" v:1]; insert main.w [k:"l" v:2]"#,
                #"update main.w [k:"k" v:1 → 3]"#,
                #"update main.w [k:"l" → "m" v:2]"#,
                #"delete main.w [k:"k" v:3]; insert main.w [k:"k" v:4]"#,
                #"delete main.w [k:"k" v:4]; delete main.w [k:"m" v:2]"#,
            ])
        let dbQueue = try makeWriter(.queue)
        let subscription = DatabaseChangeFeed().start(in: dbQueue) { [log] in
            log.append("\($0.changes.map { [$0.oldRowID, $0.newRowID] })")
        }
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO w VALUES ('k', 1); UPDATE w SET v = 2")
        }
        subscription.cancel()
        expectEqual(log.elements, ["[[nil, nil]]", "[[nil, nil]]"])
    }

    @Test func replacedRowsAreDeleted() throws {
        try expectEqual(
            lines(
                """
                INSERT INTO t VALUES (1, 'x', 0), (2, 'y', 0);
                INSERT OR REPLACE INTO t VALUES (3, 'x', 1);
                UPDATE OR REPLACE t SET a = 'y' WHERE id = 3
                """),
            [
                #"insert main.t [id:1 a:"x" b:0]; insert main.t [id:2 a:"y" b:0]"#,
                #"delete main.t [id:1 a:"x" b:0]; insert main.t [id:3 a:"x" b:1]"#,
                #"delete main.t [id:2 a:"y" b:0]; update main.t [id:3 a:"x" → "y" b:1]"#,
            ])
    }

    @Test func triggersAndForeignKeysAreTold() throws {
        try expectEqual(
            lines(
                """
                INSERT INTO parent VALUES (1);
                INSERT INTO child VALUES (5, 1);
                UPDATE parent SET id = 2;
                DELETE FROM parent
                """),
            [
                "insert main.parent [id:1]",
                "insert main.child [id:5 parentId:1]",
                #"""
                update main.parent [id:1 → 2]; update main.child [id:5 parentId:1 → 2]; \#
                insert main.audit [text:"1 is 2"]
                """#,
                "delete main.parent [id:2]; delete main.child [id:5 parentId:2]",
            ])
    }

    @Test func depthIsThatOfTriggers() throws {
        let writer = try makeWriter(.queue)
        let subscription = DatabaseChangeFeed().start(in: writer) { [log] in
            log.append("\($0.changes.map { "\($0.tableName) \($0.triggerDepth)" })")
        }
        try writer.write { db in
            try db.execute(
                sql: "INSERT INTO parent VALUES (1); UPDATE parent SET id = 2")
        }
        subscription.cancel()
        expectEqual(log.elements, [#"["parent 0", "parent 0", "audit 1"]"#])
    }

    @Test func generatedColumns() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE g(
                        id INTEGER PRIMARY KEY, v AS (a + 1) VIRTUAL, a, s AS (a * 2) STORED)
                    """)
        }
        let subscription = start(DatabaseChangeFeed(), in: dbQueue)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO g(a) VALUES (1); UPDATE g SET a = 2; DELETE FROM g")
        }
        subscription.cancel()
        expectEqual(
            log.elements,
            [
                "insert main.g [id:1 a:1 s:2]", "update main.g [id:1 a:1 → 2 s:2 → 4]",
                "delete main.g [id:1 a:2 s:4]",
            ])
    }

    // MARK: - Tables and columns

    @Test func tablesAreChosen() throws {
        try expectEqual(
            lines(
                """
                BEGIN; INSERT INTO t VALUES (1, 'x', 2); INSERT INTO w VALUES ('k', 1); COMMIT;
                INSERT INTO parent VALUES (1);
                INSERT INTO audit VALUES ('x')
                """,
                feed: DatabaseChangeFeed(tracking: .table("W"), .table("parent"))),
            [
                #"insert main.w [k:"k" v:1]"#, "insert main.parent [id:1]",
            ])
    }

    @Test func columnsAreChosen() throws {
        try expectEqual(
            lines(
                """
                INSERT INTO t VALUES (1, 'x', 2);
                UPDATE t SET a = 'y';
                UPDATE t SET b = 3;
                UPDATE OR REPLACE t SET a = 'z';
                INSERT INTO t VALUES (2, 'w', 4);
                UPDATE OR REPLACE t SET a = 'w' WHERE id = 1;
                DELETE FROM t
                """,
                feed: DatabaseChangeFeed(tracking: .table("t", columns: ["B", "id"]))),
            [
                "insert main.t [id:1 b:2]", "update main.t [id:1 b:2 → 3]",
                "insert main.t [id:2 b:4]", "delete main.t [id:2 b:4]",
                "delete main.t [id:1 b:3]",
            ])
    }

    private struct W: TableRecord {
        static let databaseTableName = "w"
    }

    @Test func sourcesOfOneTableAreJoined() throws {
        let sql = "INSERT INTO w VALUES ('k', 1); UPDATE w SET v = 2"
        try expectEqual(
            lines(
                sql,
                feed: DatabaseChangeFeed(
                    tracking: .table("w", columns: ["k"]), .table(of: W.self, columns: ["v"]))),
            [#"insert main.w [k:"k" v:1]"#, #"update main.w [k:"k" v:1 → 2]"#])
        try expectEqual(
            lines(
                sql, feed: DatabaseChangeFeed(tracking: [.table(of: W.self, columns: ["k"])])),
            [#"insert main.w [k:"k"]"#])
    }

    @Test func missingColumnIsAnError() throws {
        let writer = try makeWriter(.queue)
        let subscription = start(
            DatabaseChangeFeed(tracking: .table("t", columns: ["nope"])), in: writer)
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x', 2)") }
        subscription.cancel()
        expectEqual(
            log.elements,
            [
                """
                error: SQLite error 1: A change feed tracks the column nope, which the table t does \
                not have
                """
            ])
    }

    @Test(.disabled(if: TestDatabases.encryptsDatabases, "Opens its file without a key"))
    func readOnlyConnectionIsAnError() throws {
        let dbQueue = try TestDatabases.makeQueue(.file)
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        var configuration = Configuration()
        configuration.readonly = true
        let reader = try TestDatabases.openQueue(dbQueue.path, configuration)
        let subscription = start(DatabaseChangeFeed(), in: reader)
        try reader.read { _ in }
        subscription.cancel()
        expectEqual(log.elements.count, 1)
        expectEqual(log.elements.first?.hasPrefix("error: SQLite error 8: "), true)
    }

    /// The tables of virtual tables and of migrations are nobody's business.
    @Test func internalTablesAreLeftOut() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let subscription = start(DatabaseChangeFeed(), in: dbQueue)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE doc(id INTEGER PRIMARY KEY AUTOINCREMENT, text);
                    CREATE VIRTUAL TABLE ft USING fts5(text);
                    """)
        }
        try migrator.migrate(dbQueue)
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO ft VALUES ('x'); INSERT INTO doc(text) VALUES ('y')")
        }
        subscription.cancel()
        expectEqual(log.elements, [#"insert main.doc [id:1 text:"y"]"#])
    }

    @Test func shadowTableCanBeTrackedByItsName() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: "CREATE VIRTUAL TABLE ft USING fts5(text)") }
        let subscription = start(
            DatabaseChangeFeed(tracking: .table("ft_content")), in: dbQueue)
        try dbQueue.write { try $0.execute(sql: "INSERT INTO ft VALUES ('x')") }
        subscription.cancel()
        expectEqual(log.elements, [#"insert main.ft_content [id:1 c0:"x"]"#])
    }

    @Test func columnsFollowTheSchema() throws {
        try expectEqual(
            lines(
                """
                INSERT INTO audit VALUES ('x');
                BEGIN;
                UPDATE audit SET text = 'y';
                ALTER TABLE audit ADD COLUMN n DEFAULT 3;
                UPDATE audit SET text = 'z';
                ALTER TABLE audit RENAME COLUMN text TO "long text";
                UPDATE audit SET n = 4;
                COMMIT;
                ALTER TABLE audit DROP COLUMN n;
                DELETE FROM audit
                """),
            [
                #"insert main.audit [text:"x"]"#,
                #"""
                update main.audit [text:"x" → "y"]; \#
                update main.audit [text:"y" → "z" n:3]; \#
                update main.audit [long text:"z" n:3 → 4]
                """#,
                #"delete main.audit [long text:"z"]"#,
            ])
    }

    @Test func attachedTablesOfTheSameName() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS other;
                    CREATE TABLE t(a, b); CREATE TABLE other.t(c); CREATE TEMP TABLE u(d)
                    """)
        }
        let subscription = start(DatabaseChangeFeed(), in: dbQueue)
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO main.t VALUES (1, 2); INSERT INTO other.t VALUES (3);
                    INSERT INTO main.t VALUES (4, 5); INSERT INTO u VALUES (6)
                    """)
        }
        subscription.cancel()
        expectEqual(
            log.elements,
            [
                """
                insert main.t [a:1 b:2]; insert other.t [c:3]; insert main.t [a:4 b:5]; \
                insert temp.u [d:6]
                """
            ])
    }

    // MARK: - What is undone

    @Test func rollbacksAreNotTold() throws {
        try expectEqual(
            lines(
                """
                BEGIN; INSERT INTO audit VALUES (1); ROLLBACK;
                BEGIN; INSERT INTO audit VALUES (2);
                SAVEPOINT a; INSERT INTO audit VALUES (3);
                SAVEPOINT b; INSERT INTO audit VALUES (4); ROLLBACK TO b; RELEASE b;
                INSERT INTO audit VALUES (5);
                RELEASE a; COMMIT
                """),
            [
                "insert main.audit [text:2]; insert main.audit [text:3]; "
                    + "insert main.audit [text:5]"
            ])
    }

    /// SQLite undoes what a statement did before it failed.
    @Test func statementsThatFailAreNotTold() throws {
        try expectEqual(
            lines(
                """
                INSERT INTO t VALUES (1, 'x', 0);
                BEGIN;
                INSERT INTO t VALUES (2, 'y', 0);
                INSERT INTO t VALUES (3, 'z', 0), (4, 'x', 0);
                UPDATE t SET a = 'q';
                DELETE FROM t WHERE id = 2;
                COMMIT
                """),
            [
                #"insert main.t [id:1 a:"x" b:0]"#,
                #"insert main.t [id:2 a:"y" b:0]; delete main.t [id:2 a:"y" b:0]"#,
            ])
    }

    @Test func statementsThatFailInASavepointAreNotTold() throws {
        try expectEqual(
            lines(
                """
                BEGIN; SAVEPOINT s;
                INSERT INTO t VALUES (2, 'y', 0);
                INSERT INTO t VALUES (3, 'z', 0), (4, 'y', 0);
                RELEASE s; COMMIT
                """),
            [#"insert main.t [id:2 a:"y" b:0]"#])
    }

    /// `OR FAIL` keeps what came before the failure.
    @Test func statementsThatFailHalfwayAreToldInPart() throws {
        try expectEqual(
            lines(
                """
                INSERT OR FAIL INTO t VALUES (1, 'x', 0), (2, 'x', 0);
                BEGIN;
                INSERT OR FAIL INTO t VALUES (3, 'y', 0), (4, 'x', 0);
                COMMIT;
                BEGIN;
                INSERT OR ROLLBACK INTO t VALUES (5, 'z', 0), (6, 'x', 0);
                INSERT OR IGNORE INTO t VALUES (7, 'x', 0), (8, 'w', 0)
                """),
            [
                #"insert main.t [id:1 a:"x" b:0]"#, #"insert main.t [id:3 a:"y" b:0]"#,
                #"insert main.t [id:8 a:"w" b:0]"#,
            ])
    }

    /// Foreign keys are checked when the statement has run.
    @Test func violatedForeignKeyIsNotTold() throws {
        try expectEqual(
            lines(
                "BEGIN; INSERT INTO child VALUES (1, 99); INSERT INTO parent VALUES (5); COMMIT"),
            ["insert main.parent [id:5]"])
    }

    /// A function that writes, in a statement that fails: what it wrote is undone as well.
    @Test func statementsInsideOfStatementsThatFailAreNotTold() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: schema) }
        dbQueue.writeWithoutTransaction { [unowned dbQueue] db in
            db.add(
                function: DatabaseFunction("writes", argumentCount: 1) { values in
                    try dbQueue.unsafeReentrantWrite { db in
                        try db.execute(
                            sql: "INSERT INTO audit VALUES (?)", arguments: [values[0]])
                    }
                    return values[0]
                })
        }
        let subscription = start(
            DatabaseChangeFeed(tracking: .table("audit")), in: dbQueue)
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, writes('a'), 0)")
            expectError(DatabaseError.self) {
                try db.execute(
                    sql: "INSERT INTO t VALUES (2, writes('b'), 0), (3, writes('a'), 0)")
            }
            let texts = try String.fetchAll(db, sql: "SELECT text FROM audit")
            expectEqual(texts, ["a"])
        }
        subscription.cancel()
        expectEqual(log.elements, [#"insert main.audit [text:"a"]"#])
    }

    /// All kinds of statements, at random: the changes lead from the first content to the last.
    @Test(arguments: 0..<40)
    func changesLeadFromOneStateToTheNext(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let writer = try makeWriter(seed % 2 == 0 ? .queue : .pool)
        let copy = Log<[String: [[DatabaseValue]]]>()
        copy.append([:])
        let subscription = DatabaseChangeFeed().start(in: writer) { transaction in
            var tables = copy.removeAll()[0]
            for change in transaction.changes {
                var rows = tables[change.tableName] ?? []
                if let old = change.oldValues {
                    let index = rows.firstIndex(of: old)
                    expectTrue(index != nil, "unknown row in \(change)")
                    if let index { rows.remove(at: index) }
                }
                if let new = change.newValues { rows.append(new) }
                tables[change.tableName] = rows
            }
            copy.append(tables)
        }
        let scripts: [(inout SplitMix64) -> String] = [
            { "INSERT OR \($0.word) INTO t VALUES (\($0.number), \($0.number), \($0.number))" },
            {
                """
                INSERT OR \($0.word) INTO t VALUES (NULL, \($0.number), 0), (NULL, \($0.number), 1)
                """
            },
            { "UPDATE OR \($0.word) t SET a = \($0.number) WHERE b < \($0.number)" },
            { "UPDATE OR \($0.word) t SET id = id + \($0.number)" },
            { "DELETE FROM t WHERE a < \($0.number)" },
            { "REPLACE INTO w VALUES (\($0.number), \($0.number))" },
            { "UPDATE OR \($0.word) w SET k = \($0.number) WHERE v > \($0.number)" },
            { "INSERT OR \($0.word) INTO parent VALUES (\($0.number))" },
            { "INSERT OR \($0.word) INTO child VALUES (NULL, \($0.number))" },
            { "UPDATE OR \($0.word) parent SET id = \($0.number) WHERE id > \($0.number)" },
            { "DELETE FROM parent WHERE id < \($0.number)" },
            { _ in "DELETE FROM audit" },
            { _ in "SAVEPOINT s" }, { _ in "SAVEPOINT r" }, { _ in "ROLLBACK TO s" },
            { _ in "RELEASE s" }, { _ in "RELEASE r" }, { _ in "BEGIN" }, { _ in "COMMIT" },
            { _ in "ROLLBACK" }, { _ in "COMMIT" },
        ]
        try writer.writeWithoutTransaction { db in
            for _ in 0..<300 {
                let sql = scripts.randomElement(using: &random)!(&random)
                try? db.execute(sql: sql)
            }
            if db.isInsideTransaction { try? db.execute(sql: "COMMIT") }
            if db.isInsideTransaction { try db.rollback() }
            for table in ["t", "w", "parent", "child", "audit"] {
                let rows = try Row.fetchAll(db, sql: "SELECT * FROM \(table)")
                    .map { Array($0.databaseValues) }
                let copied = copy.elements[0][table] ?? []
                expectTrue(
                    rows.map { "\($0)" }.sorted() == copied.map { "\($0)" }.sorted(),
                    "table \(table), seed \(seed)")
            }
        }
        subscription.cancel()
    }
}

extension SplitMix64 {
    fileprivate var number: Int {
        mutating get { Int.random(in: 0..<12, using: &self) }
    }

    fileprivate var word: String {
        mutating get {
            ["ABORT", "FAIL", "IGNORE", "REPLACE", "ROLLBACK"].randomElement(using: &self)!
        }
    }
}
