import Foundation
import GRDB
import GRDBTables
import GRDBTestSupport
import Testing

@Suite(.databases) struct FullTextSynchronizationTests {
    enum Engine: CaseIterable {
        case fts4
        case fts5
    }

    private func create(
        _ engine: Engine, _ db: Database, _ table: String = "t", with content: String = "c",
        columns: [String] = ["a", "b"], options: VirtualTableOptions = []
    ) throws {
        switch engine {
        case .fts4:
            try db.create(virtualTable: table, options: options, using: FTS4()) { t in
                t.synchronize(withTable: content)
                for column in columns { t.column(column) }
            }
        case .fts5:
            try db.create(virtualTable: table, options: options, using: FTS5()) { t in
                t.synchronize(withTable: content)
                for column in columns { t.column(column) }
            }
        }
    }

    private func dropTriggers(_ engine: Engine, _ db: Database, _ table: String) throws {
        switch engine {
        case .fts4: try db.dropFTS4SynchronizationTriggers(forTable: table)
        case .fts5: try db.dropFTS5SynchronizationTriggers(forTable: table)
        }
    }

    private func check(_ engine: Engine, _ db: Database, _ table: String = "t") throws {
        switch engine {
        case .fts4: try db.execute(fts3Command: .integrityCheck, on: table)
        case .fts5: try db.execute(fts5Command: .integrityCheck(), on: table)
        }
    }

    private func rowIDs(_ db: Database, _ query: String, _ table: String = "t") throws -> [Int] {
        try Int.fetchAll(
            db, sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH ? ORDER BY rowid",
            arguments: [query])
    }

    // MARK: - SQL

    private func schema(
        _ engine: Engine, _ contentTable: String, _ content: String, columns: [String] = ["a"]
    ) throws -> [String] {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: contentTable)
            try create(engine, db, with: content, columns: columns)
            return try String.fetchAll(
                db,
                sql:
                    "SELECT sql FROM sqlite_master WHERE name = 't' OR type = 'trigger' ORDER BY rowid"
            )
        }
    }

    @Test func fts4Triggers() throws {
        try expectEqual(
            schema(
                .fts4, "CREATE TABLE c(id INTEGER PRIMARY KEY, a, b)", "c", columns: ["a", "b"]),
            [
                """
                CREATE VIRTUAL TABLE "t" USING fts4(a, b, content="c")
                """,
                """
                CREATE TRIGGER "__t_bu" BEFORE UPDATE OF "a", "b", "id", "rowid", "oid", "_rowid_" ON "c" BEGIN
                    DELETE FROM "t" WHERE docid=old."id";
                END
                """,
                """
                CREATE TRIGGER "__t_bd" BEFORE DELETE ON "c" BEGIN
                    DELETE FROM "t" WHERE docid=old."id";
                END
                """,
                """
                CREATE TRIGGER "__t_au" AFTER UPDATE OF "a", "b", "id", "rowid", "oid", "_rowid_" ON "c" BEGIN
                    INSERT INTO "t"("docid", "a", "b") VALUES(new."id", new."a", new."b");
                END
                """,
                """
                CREATE TRIGGER "__t_ai" AFTER INSERT ON "c" BEGIN
                    INSERT INTO "t"("docid", "a", "b") VALUES(new."id", new."a", new."b");
                END
                """,
            ])
    }

    @Test func fts5Triggers() throws {
        try expectEqual(
            schema(
                .fts5, "CREATE TABLE c(id INTEGER PRIMARY KEY, a, b)", "c", columns: ["a", "b"]),
            [
                """
                CREATE VIRTUAL TABLE "t" USING fts5(a, b, content='c', content_rowid='id')
                """,
                """
                CREATE TRIGGER "__t_ai" AFTER INSERT ON "c" BEGIN
                    INSERT INTO "t"("rowid", "a", "b") VALUES (new."id", new."a", new."b");
                END
                """,
                """
                CREATE TRIGGER "__t_ad" AFTER DELETE ON "c" BEGIN
                    INSERT INTO "t"("t", "rowid", "a", "b") VALUES('delete', old."id", old."a", old."b");
                END
                """,
                """
                CREATE TRIGGER "__t_au" AFTER UPDATE OF "a", "b", "id", "rowid", "oid", "_rowid_" ON "c" BEGIN
                    INSERT INTO "t"("t", "rowid", "a", "b") VALUES('delete', old."id", old."a", old."b");
                    INSERT INTO "t"("rowid", "a", "b") VALUES (new."id", new."a", new."b");
                END
                """,
            ])
    }

    @Test func tablesWithAHiddenRowID() throws {
        let table = "CREATE TABLE e(id TEXT PRIMARY KEY, a TEXT)"
        let fts4 = try schema(.fts4, table, "e")
        expectEqual(fts4[0], #"CREATE VIRTUAL TABLE "t" USING fts4(a, content="e")"#)
        expectTrue(fts4[1].contains(#"docid=old."rowid""#))
        let fts5 = try schema(.fts5, table, "e")
        expectEqual(fts5[0], "CREATE VIRTUAL TABLE \"t\" USING fts5(a, content='e')")
        expectTrue(fts5[1].contains(#"VALUES (new."rowid", new."a")"#))
    }

    /// A column that is called `rowid` is not the rowid.
    @Test func hiddenRowIDsThatAreHidden() throws {
        let table = "CREATE TABLE m(rowid TEXT, a TEXT); INSERT INTO m VALUES ('x', 'hello')"
        let sql = try schema(.fts5, table, "m")
        expectEqual(
            sql[0],
            "CREATE VIRTUAL TABLE \"t\" USING fts5(a, content='m', content_rowid='oid')")
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: table)
            try create(.fts5, db, with: "m", columns: ["a", "rowid"].filter { $0 == "a" })
            try db.execute(
                sql: "INSERT INTO m VALUES ('y', 'hello'); DELETE FROM m WHERE rowid = 'x'")
            try expectEqual(rowIDs(db, "hello"), [2])
            try check(.fts5, db)
        }
    }

    /// An FTS4 table without columns has those of its content table, all of which are filled.
    @Test func columnsOfTheContentTable() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE c(id INTEGER PRIMARY KEY, a TEXT, b TEXT, lid INTEGER);
                    INSERT INTO c VALUES (1, 'hello', 'world', 0);
                    """)
            try db.create(virtualTable: "t", using: FTS4()) { t in
                t.synchronize(withTable: "c")
                t.column("lid").asLanguageId()
            }
            try expectEqual(db.columns(in: "t").map(\.name), ["id", "a", "b"])
            try db.execute(sql: "INSERT INTO c VALUES (2, 'hello', 'moon', 0)")
            try expectEqual(rowIDs(db, "hello"), [1, 2])
            try expectEqual(rowIDs(db, "moon"), [2])
            try check(.fts4, db)
        }
    }

    // MARK: - Content

    @Test(arguments: DatabaseKind.allCases, Engine.allCases)
    func changesAreIndexed(_ kind: DatabaseKind, _ engine: Engine) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE c(id INTEGER PRIMARY KEY, a TEXT, b TEXT, n INTEGER);
                    INSERT INTO c VALUES (10, 'hello', 'world', 1);
                    """)
            try create(engine, db)
            // What the table already had
            try expectEqual(rowIDs(db, "hello"), [10])

            try db.execute(sql: "INSERT INTO c VALUES (20, 'hello', 'moon', 2)")
            try expectEqual(rowIDs(db, "hello"), [10, 20])
            try db.execute(sql: "UPDATE c SET b = 'sun' WHERE id = 20")
            try expectEqual(rowIDs(db, "moon"), [])
            try expectEqual(rowIDs(db, "sun"), [20])
            try db.execute(sql: "UPDATE c SET n = 3")
            try db.execute(sql: "UPDATE c SET id = 30 WHERE id = 20")
            try expectEqual(rowIDs(db, "sun"), [30])
            try db.execute(
                sql: """
                    INSERT INTO c VALUES (30, 'bye', 'moon', 2)
                    ON CONFLICT DO UPDATE SET a = excluded.a, b = excluded.b
                    """)
            try expectEqual(rowIDs(db, "moon"), [30])
            try db.execute(sql: "DELETE FROM c WHERE id = 10")
            try expectEqual(rowIDs(db, "hello"), [])
            try expectEqual(
                String.fetchAll(db, sql: "SELECT a FROM t WHERE t MATCH 'moon'"), ["bye"])
            try db.execute(sql: "INSERT INTO c(a) VALUES (NULL)")
            try check(engine, db)
            try db.execute(sql: "DELETE FROM c")
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
            try check(engine, db)
        }
        try writer.read { db throws in
            try expectEqual(rowIDs(db, "moon"), [])
        }
    }

    /// What the index doesn't depend on costs nothing.
    @Test(arguments: Engine.allCases)
    func onlyUpdatesOfTheIndexRunTriggers(_ engine: Engine) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent(k TEXT PRIMARY KEY);
                    CREATE TABLE c(
                        id INTEGER PRIMARY KEY, a TEXT, n INTEGER, base TEXT, u TEXT,
                        middle TEXT AS ('m' || base), b TEXT AS (middle || 'x') STORED,
                        p TEXT REFERENCES parent(k) ON UPDATE CASCADE);
                    INSERT INTO parent VALUES ('old');
                    INSERT INTO c(id, a, n, base, u, p) VALUES (10, 'hello', 1, 'one', 'u', 'old');
                    """)
            switch engine {
            case .fts4:
                try db.create(virtualTable: "t", using: FTS4()) { t in
                    t.synchronize(withTable: "c")
                    for column in ["a", "b", "p"] { t.column(column) }
                    t.column("u").notIndexed()
                }
            case .fts5:
                try db.create(virtualTable: "t", using: FTS5()) { t in
                    t.synchronize(withTable: "c")
                    for column in ["a", "b", "p"] { t.column(column) }
                    t.column("u").notIndexed()
                }
            }
            func changes(_ sql: String) throws -> Int {
                let before = db.totalChangesCount
                try db.execute(sql: sql)
                let after = db.totalChangesCount
                try check(engine, db)
                return after - before
            }
            try expectEqual(changes("UPDATE c SET n = n + 1, u = 'v'"), 1)
            for (sql, word) in [
                ("UPDATE c SET a = 'moon'", "moon"), ("UPDATE c SET base = 'two'", "mtwox"),
                ("UPDATE parent SET k = 'new'", "new"),
            ] {
                #expect(try changes(sql) > 1)
                try expectEqual(rowIDs(db, word), [10], "\(sql)")
            }
            for (number, name) in ["id", "rowid", "oid", "_ROWID_"].enumerated() {
                #expect(try changes("UPDATE c SET \(name) = \(20 + number)") > 1)
                try expectEqual(rowIDs(db, "moon"), [20 + number], "\(name)")
            }
            // SQLite keeps the names up to date.
            try db.execute(sql: "ALTER TABLE c RENAME COLUMN n TO m; ALTER TABLE c RENAME TO d")
            try db.execute(sql: "UPDATE d SET m = 1")
            let triggers = try triggers(db).joined()
            expectTrue(triggers.contains("UPDATE OF \"a\"") && triggers.contains("ON \"d\""))
        }
    }

    @Test(arguments: Engine.allCases)
    func triggersOfFormerVersionsAreRenewed(_ engine: Engine) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE c (id INTEGER PRIMARY KEY, a TEXT, b TEXT, n INTEGER);
                    INSERT INTO c VALUES (1, 'one', 'x', 0);
                    """)
            try create(engine, db)
            let expected = try triggers(db)
            let updates = expected.filter { $0.contains("UPDATE OF") }
            for (index, sql) in updates.enumerated() {
                let name = engine == .fts4 && index == 1 ? "__t_bu" : "__t_au"
                let list = sql.range(of: " OF .* ON", options: .regularExpression)!
                try db.execute(
                    sql: "DROP TRIGGER \(name); " + sql.replacingCharacters(in: list, with: "  ON"))
            }
            try db.execute(sql: "UPDATE c SET n = 1, a = 'two'")
            try check(engine, db)
            let statements = try db.statements {
                try create(engine, db, options: .ifNotExists)
            }
            expectTrue(!statements.contains { $0.contains("rebuild") })
            try expectEqual(triggers(db), expected)
            try db.execute(sql: "UPDATE c SET a = 'three'")
            try check(engine, db)
            // Triggers of the app under these names stay.
            try db.execute(
                sql:
                    "DROP TRIGGER __t_au; CREATE TRIGGER __t_au AFTER UPDATE ON c BEGIN SELECT 1; END"
            )
            let other = try triggers(db)
            try create(engine, db, options: .ifNotExists)
            try expectEqual(triggers(db), other)
        }
    }

    @Test(arguments: Engine.allCases)
    func temporaryTables(_ engine: Engine) throws {
        try TestDatabases.makeQueue().write { db in
            // Each in its schema, under the same names.
            try db.execute(
                sql: """
                    CREATE TABLE main.c(id INTEGER PRIMARY KEY, a TEXT, b TEXT);
                    CREATE TABLE temp.c(id INTEGER PRIMARY KEY, a TEXT, b TEXT);
                    """)
            try create(engine, db)
            try create(engine, db, options: .temporary)
            try db.execute(
                sql: """
                    INSERT INTO main.c VALUES (1, 'hello', 'main');
                    INSERT INTO temp.c VALUES (2, 'hello', 'temp');
                    """)
            for (schema, rowID) in [("main", 1), ("temp", 2)] {
                try expectEqual(
                    Int.fetchAll(
                        db, sql: "SELECT rowid FROM \(schema).t WHERE t MATCH 'hello'"),
                    [rowID])
            }
        }
    }

    @Test func attachedDatabasesAreCommandedByName() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS att;
                    CREATE VIRTUAL TABLE att.t USING fts5(a);
                    CREATE VIRTUAL TABLE t USING fts5(a, content='');
                    """)
            try db.execute(fts5Command: .rebuild, on: "t", in: "att")
            expectError(DatabaseError.self) { try db.execute(fts5Command: .rebuild, on: "t") }
        }
    }

    // MARK: - Dropping

    @Test(arguments: Engine.allCases)
    func droppingTriggers(_ engine: Engine) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE c(id INTEGER PRIMARY KEY, a TEXT, b TEXT)")
            try create(engine, db)
            try db.drop(table: "t")
            // The triggers are still there.
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO c(a) VALUES ('x')")
            }
            expectEqual(error?.message, "no such table: main.t")

            try dropTriggers(engine, db, "T")
            try expectTrue(db.triggers(on: "c").isEmpty)
            try db.execute(sql: "INSERT INTO c(a) VALUES ('x')")
            // None is left to drop.
            try dropTriggers(engine, db, "t")

            try create(engine, db)
            try expectEqual(rowIDs(db, "x"), [1])
            try db.drop(table: "c")
            try expectTrue(db.schemaObjects(ofType: .trigger).isEmpty)
        }
    }

    /// Whoever made them: their names count.
    @Test func droppingTriggersOfAnotherName() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE book(title);
                    CREATE TRIGGER __book_ai AFTER INSERT ON book BEGIN SELECT 1; END;
                    CREATE TRIGGER __book_ad AFTER DELETE ON book BEGIN SELECT 1; END;
                    CREATE TRIGGER __book_au AFTER UPDATE ON book BEGIN SELECT 1; END;
                    CREATE TRIGGER __book_bu BEFORE UPDATE ON book BEGIN SELECT 1; END;
                    CREATE TRIGGER book_ai AFTER INSERT ON book BEGIN SELECT 1; END;
                    """)
            try db.dropFTS5SynchronizationTriggers(forTable: "book")
            try expectEqual(db.triggers(on: "book").map(\.name), ["__book_bu", "book_ai"])
            try db.dropFTS4SynchronizationTriggers(forTable: "book")
            try expectEqual(db.triggers(on: "book").map(\.name), ["book_ai"])
        }
    }

    // MARK: - Errors

    @Test(arguments: Engine.allCases)
    func tablesThatCannotBeSynchronized(_ engine: Engine) throws {
        func expectFailure(_ message: String, _ content: String, _ columns: [String]) throws {
            try expectSchemaError(
                "SQLite error 1: \(message)",
                "CREATE TABLE w(a TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE c(a)"
            ) { db in try create(engine, db, with: content, columns: columns) }
        }
        try expectFailure(
            "full-text tables can't index table w, which has no rowid", "w", ["a"])
        try expectFailure("database view aView has no primary key", "aView", ["id"])
        try expectFailure("no such column: c.zz", "c", ["a", "zz"])
        try expectFailure("no such table: zz", "zz", ["a"])
    }

    /// A trigger of the same name exists: neither the table nor other triggers are left behind.
    @Test(arguments: Engine.allCases)
    func failuresChangeNothing(_ engine: Engine) throws {
        try expectSchemaError(
            "SQLite error 1: trigger \"__t_ai\" already exists - while executing `\(triggerSQL(engine))`",
            """
            CREATE TABLE c(id INTEGER PRIMARY KEY, a);
            CREATE TRIGGER __t_ai AFTER INSERT ON c BEGIN SELECT 1; END;
            """
        ) { db in try create(engine, db, columns: ["a"]) }
    }

    // MARK: - Tables that exist

    private func triggers(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
    }

    @Test(arguments: DatabaseKind.allCases, Engine.allCases)
    func missingTriggersArePutBack(_ kind: DatabaseKind, _ engine: Engine) throws {
        let writer = try TestDatabases.makeWriter(kind)
        let expected = try writer.write { db in
            try db.execute(sql: "CREATE TABLE c (id INTEGER PRIMARY KEY, a TEXT, b TEXT)")
            try create(engine, db)
            return try triggers(db)
        }
        let names = try writer.read { db in
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'")
        }
        // Each of them, and all
        for missing in names.map({ [$0] }) + [names] {
            try writer.write { db in
                try db.execute(
                    sql: """
                        DELETE FROM c;
                        INSERT INTO c VALUES (1, 'one', 'x'), (2, 'two', 'y'), (3, 'three', 'z');
                        """)
                for name in missing { try db.execute(sql: "DROP TRIGGER \(name)") }
                // None of the changes may lack in the index.
                try db.execute(
                    sql: """
                        INSERT INTO c VALUES (4, 'four', 'x');
                        UPDATE c SET a = 'second' WHERE id = 2;
                        DELETE FROM c WHERE id = 3;
                        """)
                try create(engine, db, options: .ifNotExists)
                try expectEqual(triggers(db), expected)
                try check(engine, db)
                try expectEqual(rowIDs(db, "four"), [4])
                try expectEqual(rowIDs(db, "second"), [2])
                try expectEqual(rowIDs(db, "two OR three"), [])
                try db.execute(sql: "UPDATE c SET a = 'last' WHERE id = 1")
                try check(engine, db)
                try expectEqual(rowIDs(db, "last"), [1])
            }
        }
    }

    /// As in migrations that make the content table anew: its triggers go with it.
    @Test(arguments: Engine.allCases)
    func triggersOfAContentTableThatWasMadeAnew(_ engine: Engine) throws {
        let path = TestDatabases.makePath()
        let first = try TestDatabases.openQueue(path)
        try first.write { db in
            try db.execute(sql: "CREATE TABLE c (id INTEGER PRIMARY KEY, a TEXT, b TEXT)")
            try create(engine, db)
            try db.execute(
                sql: """
                    CREATE TABLE new (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
                    DROP TABLE c;
                    ALTER TABLE new RENAME TO c;
                    INSERT INTO c VALUES (1, 'one', 'x');
                    """)
            try expectEqual(triggers(db), [])
        }
        try first.close()
        let second = try TestDatabases.openQueue(path)
        try second.write { db in
            try create(engine, db, options: .ifNotExists)
            try expectEqual(triggers(db).count, (engine == .fts4 ? 4 : 3))
            try expectEqual(rowIDs(db, "one"), [1])
        }
        try second.close()
    }

    @Test(arguments: Engine.allCases)
    func nothingIsDoneWhenAllTriggersExist(_ engine: Engine) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE c (id INTEGER PRIMARY KEY, a TEXT, b TEXT)")
            try create(engine, db)
            let statements = try db.statements {
                try create(engine, db, options: .ifNotExists)
            }
            expectTrue(!statements.contains { $0.contains("rebuild") || $0.contains("TRIGGER") })
        }
    }

    /// Triggers of a table that was defined otherwise would fail, and each change with them.
    @Test(arguments: Engine.allCases)
    func tablesOfAnotherDefinitionAreLeftAlone(_ engine: Engine) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE c (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
                    CREATE VIRTUAL TABLE t USING \(engine == .fts4 ? "fts4" : "fts5")(a);
                    """)
            try create(engine, db, options: .ifNotExists)
            try expectEqual(triggers(db), [])
            try db.execute(sql: "INSERT INTO c VALUES (1, 'one', 'x'); UPDATE c SET a = 'y'")
        }
    }

    private func triggerSQL(_ engine: Engine) -> String {
        switch engine {
        case .fts4:
            """
            CREATE TRIGGER main."__t_ai" AFTER INSERT ON "c" BEGIN
                INSERT INTO "t"("docid", "a") VALUES(new."id", new."a");
            END
            """
        case .fts5:
            """
            CREATE TRIGGER main."__t_ai" AFTER INSERT ON "c" BEGIN
                INSERT INTO "t"("rowid", "a") VALUES (new."id", new."a");
            END
            """
        }
    }
}
