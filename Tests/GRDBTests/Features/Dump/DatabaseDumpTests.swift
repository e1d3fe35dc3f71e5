import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseDumpTests {
    private let queue: DatabaseQueue

    init() throws {
        queue = try TestDatabases.makeQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                    INSERT INTO player VALUES (2, 'Barbara', 1000), (1, 'Arthur', 500);
                    CREATE TABLE team (name TEXT);
                    INSERT INTO team VALUES ('Red');
                    """)
        }
    }

    // MARK: - dumpSQL

    @Test func documentedDumpSQL() throws {
        let text = try dumped { stream in
            try queue.read { try $0.dumpSQL("SELECT * FROM player", to: stream) }
        }
        expectEqual(text, "1|Arthur|500\n2|Barbara|1000\n")

        let minScore = 800
        try expectEqual(
            dumped {
                try queue.dumpSQL("SELECT name FROM player WHERE score > \(minScore)", to: $0)
            },
            "Barbara\n")

        try expectEqual(
            dumped { stream in
                try queue.read { db in
                    try db.dumpSQL(
                        "SELECT type, sql FROM sqlite_schema WHERE tbl_name='team'", to: stream)
                }
            },
            "table|CREATE TABLE team (name TEXT)\n")
    }

    @Test func severalStatements() throws {
        let text = try dumped {
            try queue.dumpSQL(
                "SELECT 1 AS a, \(2) AS b; SELECT \(3); SELECT * FROM team WHERE 0", to: $0)
        }
        expectEqual(text, "1|2\n3\n")
        try expectEqual(dumped { try queue.dumpSQL("", to: $0) }, "")
        try expectEqual(dumped { try queue.dumpSQL("-- nothing", format: .json(), to: $0) }, "")
    }

    @Test func errorsFollowWhatIsPrinted() throws {
        let stream = DumpedText()
        let error = try unwrap(
            expectError(DatabaseError.self) {
                try queue.dumpSQL("SELECT 1; FOO", to: stream)
            })
        expectEqual(
            "\(error)", #"SQLite error 1: near "FOO": syntax error - while executing `FOO`"#)
        expectEqual(stream.text, "1\n")
    }

    @Test func statementsAreExecuted() throws {
        _ = try dumped { try queue.dumpSQL("BEGIN; DELETE FROM team; COMMIT", to: $0) }
        try expectEqual(dumped { try queue.dumpSQL("SELECT * FROM team", to: $0) }, "")
        expectFailure(.SQLITE_READONLY) {
            try queue.read { try $0.dumpSQL("DELETE FROM player", to: DumpedText()) }
        }
        try expectEqual(
            dumped {
                try queue.dumpSQL("INSERT INTO team VALUES ('Blue') RETURNING name", to: $0)
            },
            "Blue\n")
    }

    @Test func dumpsAreReentrant() throws {
        let text = try queue.write { db in
            try db.execute(sql: "DELETE FROM player WHERE id = 1")
            return try dumped { try queue.dumpTables(["player"], to: $0) }
        }
        expectEqual(text, "2|Barbara|1000\n")
    }

    // MARK: - dumpRequest

    @Test func requests() throws {
        let request: SQLRequest<Row> = "SELECT * FROM player ORDER BY id DESC"
        let text = "2|Barbara|1000\n1|Arthur|500\n"
        try expectEqual(dumped { try queue.dumpRequest(request, to: $0) }, text)
        try expectEqual(
            dumped { stream in
                try queue.read { try $0.dumpRequest(request, to: stream) }
            },
            text)
        try expectEqual(
            dumped { try queue.dumpRequest(request, format: .json(), to: $0) },
            """
            [{"id":2,"name":"Barbara","score":1000},
            {"id":1,"name":"Arthur","score":500}]

            """)
    }

    @Test func adaptersDoNotApply() throws {
        let request = SQLRequest<Row>(
            sql: "SELECT 1 AS a, 2 AS b", adapter: SuffixRowAdapter(fromIndex: 1))
        try expectEqual(
            dumped { try queue.dumpRequest(request, format: .debug(header: true), to: $0) },
            "a|b\n1|2\n")
    }

    // MARK: - dumpTables

    private func tables(
        _ tables: [String], _ format: some DumpFormat = .debug(),
        _ tableHeader: DumpTableHeaderOptions = .automatic, stableOrder: Bool = false
    ) throws -> String {
        try dumped {
            try queue.dumpTables(
                tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, to: $0)
        }
    }

    @Test func namesOfTables() throws {
        try expectEqual(tables(["team"]), "Red\n")
        try expectEqual(tables(["team"], .debug(), .always), "team\nRed\n")
        try expectEqual(
            tables(["player", "team"], .debug(header: true)),
            """
            player
            id|name|score
            1|Arthur|500
            2|Barbara|1000

            team
            name
            Red

            """)
        try expectEqual(tables([]), "")
        try expectEqual(tables(["PLAYER"]), "1|Arthur|500\n2|Barbara|1000\n")
    }

    @Test func formatsOfTables() throws {
        try queue.write { try $0.execute(sql: "CREATE TABLE empty (a)") }
        try expectEqual(
            tables(["player", "empty", "team"], .line()),
            """
            player
               id = 1
             name = Arthur
            score = 500

               id = 2
             name = Barbara
            score = 1000

            empty

            team
            name = Red

            """)
        try expectEqual(
            tables(["team", "empty", "team"], .json()),
            """
            team
            [{"name":"Red"}]

            empty
            []

            team
            [{"name":"Red"}]

            """)
        try expectEqual(tables(["empty", "team"]), "empty\n\nteam\nRed\n")
    }

    @Test(arguments: [false, true])
    func missingTables(_ stableOrder: Bool) throws {
        let stream = DumpedText()
        let error = try unwrap(
            expectError(DatabaseError.self) {
                try queue.dumpTables(["team", "nope"], stableOrder: stableOrder, to: stream)
            })
        expectEqual(error.message, "no such table: nope")
        expectEqual(stream.text, "team\nRed\n\nnope\n")
        expectFailure(.SQLITE_ERROR) {
            try queue.dumpTables(["main.player"], stableOrder: stableOrder, to: stream)
        }
        // Not left in a transaction.
        try queue.write { _ in }
    }

    @Test(arguments: [
        // The primary key
        ("CREATE TABLE t (a, b, c, PRIMARY KEY (c, a))", "1|5|1\n2|0|1\n1|9|2\n"),
        ("CREATE TABLE t (a, b, c, PRIMARY KEY (b)) WITHOUT ROWID", "2|0|1\n1|5|1\n1|9|2\n"),
        // The rowid
        ("CREATE TABLE t (a, b, c)", "2|0|1\n1|9|2\n1|5|1\n"),
        ("CREATE TABLE t (rowid, oid, _ROWID)", "2|0|1\n1|9|2\n1|5|1\n"),
        ("CREATE TABLE t (\"a\"\"b\", b, c, PRIMARY KEY (\"a\"\"b\", b))", "1|5|1\n1|9|2\n2|0|1\n"),
        ("CREATE TEMP TABLE t (a, b, c)", "2|0|1\n1|9|2\n1|5|1\n"),
        ("CREATE VIRTUAL TABLE t USING fts5(a, b, c)", "2|0|1\n1|9|2\n1|5|1\n"),
        // All columns
        ("CREATE TABLE t (rowid, oid, _rowid_)", "1|5|1\n1|9|2\n2|0|1\n"),
    ])
    func stableOrder(_ sql: String, _ expected: String) throws {
        try queue.write { db in
            try db.execute(sql: "\(sql); INSERT INTO t VALUES (2, 0, 1), (1, 9, 2), (1, 5, 1)")
        }
        try expectEqual(tables(["T"], stableOrder: true), expected)
    }

    @Test func stableOrderOfViews() throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a, b);
                    INSERT INTO t VALUES (2, 'x'), (1, 'z'), (1, 'y'), (NULL, 'n');
                    CREATE VIEW v AS SELECT a, b FROM t;
                    CREATE TEMP VIEW tv AS SELECT b FROM t;
                    """)
        }
        try expectEqual(tables(["v"]), "2|x\n1|z\n1|y\n|n\n")
        try expectEqual(tables(["v"], stableOrder: true), "|n\n1|y\n1|z\n2|x\n")
        try expectEqual(tables(["tv"], stableOrder: true), "n\nx\ny\nz\n")
        try expectTrue(
            tables(["sqlite_master"], stableOrder: true).hasPrefix("table|player|player|"))
    }

    @Test func stableOrderOfAttachedDatabases() throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS other;
                    CREATE TABLE other.z (b);
                    INSERT INTO other.z VALUES (2), (1);
                    CREATE VIEW other.player AS SELECT 1;
                    """)
        }
        try expectEqual(tables(["z"], stableOrder: true), "2\n1\n")
        try expectEqual(tables(["player"], stableOrder: true), "1|Arthur|500\n2|Barbara|1000\n")
    }

    // MARK: - dumpContent and dumpSchema

    @Test func documentedDumpContent() throws {
        let text = """
            sqlite_master
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
            CREATE TABLE team (name TEXT);

            player
            1|Arthur|500
            2|Barbara|1000

            team
            Red

            """
        try expectEqual(dumped { try queue.dumpContent(to: $0) }, text)
        try expectEqual(
            dumped { stream in try queue.read { try $0.dumpContent(to: stream) } }, text)
        try expectEqual(
            dumped { stream in
                try queue.write { try $0.dumpContent(to: stream) }
            },
            text)
        try expectTrue(
            dumped { try queue.dumpContent(format: .json(), to: $0) }.hasSuffix(
                """

                team
                [{"name":"Red"}]

                """))
    }

    @Test func documentedDumpSchema() throws {
        try queue.write { try $0.execute(sql: "CREATE INDEX player_on_score ON player(score)") }
        let text = """
            sqlite_master
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
            CREATE INDEX player_on_score ON player(score);
            CREATE TABLE team (name TEXT);

            """
        try expectEqual(dumped { try queue.dumpSchema(to: $0) }, text)
        try expectEqual(dumped { stream in try queue.read { try $0.dumpSchema(to: stream) } }, text)
    }

    @Test func emptyDatabases() throws {
        let empty = try TestDatabases.makeQueue()
        try expectEqual(dumped { try empty.dumpContent(to: $0) }, "sqlite_master\n")
        try expectEqual(dumped { try empty.dumpSchema(to: $0) }, "sqlite_master\n")
    }

    @Test func schemaObjectsAreSortedWithTheirTable() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE Zed(a);
                    CREATE TABLE empty(a);
                    CREATE TABLE "a""b"(b); CREATE INDEX bi ON "a""b"(b) WHERE b > 1;
                    CREATE TABLE player(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);
                    CREATE VIEW empties AS SELECT a FROM empty;
                    CREATE TRIGGER trg2 AFTER INSERT ON empty BEGIN SELECT 1; END;
                    CREATE TRIGGER TRG1 AFTER INSERT ON empty BEGIN SELECT 1; END;
                    CREATE INDEX i ON player(name);
                    CREATE TEMP TABLE tt(a);
                    INSERT INTO empty VALUES (1);
                    INSERT INTO player (id) VALUES (7);
                    ANALYZE;
                    """)
        }
        try expectEqual(
            dumped { try queue.dumpContent(to: $0) },
            """
            sqlite_master
            CREATE TABLE "a""b"(b);
            CREATE INDEX bi ON "a""b"(b) WHERE b > 1;
            CREATE VIEW empties AS SELECT a FROM empty;
            CREATE TABLE empty(a);
            CREATE TRIGGER TRG1 AFTER INSERT ON empty BEGIN SELECT 1; END;
            CREATE TRIGGER trg2 AFTER INSERT ON empty BEGIN SELECT 1; END;
            CREATE TABLE player(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);
            CREATE INDEX i ON player(name);
            CREATE TABLE Zed(a);

            a"b

            empty
            1

            player
            7|

            Zed

            """)
    }

    @Test func tablesOfTheLibraryAndOfModulesAreLeftOut() throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE ft USING fts5(x);
                    INSERT INTO ft VALUES ('hello');
                    CREATE VIRTUAL TABLE rt USING rtree(id, minX, maxX);
                    INSERT INTO rt VALUES (1, 2, 3);
                    CREATE INDEX migrationIndex ON grdb_migrations(identifier);
                    """)
        }
        try migrator.migrate(queue)
        try expectEqual(
            dumped { try queue.dumpContent(to: $0) },
            """
            sqlite_master
            CREATE VIRTUAL TABLE ft USING fts5(x);
            CREATE VIRTUAL TABLE rt USING rtree(id, minX, maxX);

            ft
            hello

            rt
            1|2.0|3.0

            """)
    }

    @Test func theMainDatabaseIsDumped() throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS other;
                    CREATE TABLE other.z (b);
                    CREATE TEMP TABLE team (temporary); INSERT INTO temp.team VALUES (1);
                    """)
        }
        try expectTrue(dumped { try queue.dumpContent(to: $0) }.hasSuffix("team\nRed\n"))
        try expectEqual(tables(["team"]), "1\n")
    }

    @Test(.disabled(if: TestDatabases.encryptsDatabases, "Writes an image that is not encrypted"))
    func readOnlyDatabases() throws {
        let path = TestDatabases.makePath()
        try queue.vacuum(into: path)
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let reader = try TestDatabases.openQueue(path, configuration)
        let text = try dumped { try reader.dumpContent(to: $0) }
        try expectEqual(text, dumped { try queue.dumpContent(to: $0) })
        try expectEqual(text, dumped { try AnyDatabaseReader(reader).dumpContent(to: $0) })
    }

    @Test(
        .disabled(
            if: TestDatabases.encryptsDatabases, "The source is in memory, and the file encrypted"))
    func tablesAreSeenAtOneMoment() throws {
        // A format that has another connection write while the dump runs.
        struct WritingFormat: DumpFormat {
            let writer: DatabaseQueue

            func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws
            {
                try writer.write { try $0.execute(sql: "DELETE FROM team") }
            }

            func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
                stream.write("\(statement.sql)\n")
            }
        }
        struct CountingFormat: DumpFormat {
            var base: WritingFormat
            var count = 0

            mutating func writeRow(
                _ db: Database, statement: Statement, to stream: inout DumpStream
            ) throws {
                if count == 0 { try base.writeRow(db, statement: statement, to: &stream) }
                count += 1
            }

            mutating func finalize(
                _ db: Database, statement: Statement, to stream: inout DumpStream
            ) {
                stream.write("\(count) rows\n")
            }
        }
        let path = TestDatabases.makePath()
        var configuration = TestDatabases.makeConfiguration()
        configuration.journalMode = .wal
        let reader = try TestDatabases.openQueue(path, configuration)
        let writer = try TestDatabases.openQueue(path, configuration)
        try queue.backup(to: writer)
        let text = try dumped {
            try reader.dumpTables(
                ["player", "team"],
                format: CountingFormat(base: WritingFormat(writer: writer)), to: $0)
        }
        expectEqual(text, "player\n2 rows\n\nteam\n1 rows\n")
    }

    @Test func dumpsAreNotObserved() throws {
        final class Observer: TransactionObserver {
            var count = 0
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { count += 1 }
            func databaseDidCommit(_ db: Database) { count += 1 }
            func databaseDidRollback(_ db: Database) { count += 1 }
        }
        let observer = Observer()
        queue.add(transactionObserver: observer)
        _ = try dumped { try queue.dumpContent(to: $0) }
        expectEqual(observer.count, 0)
        try queue.write { try $0.execute(sql: "DELETE FROM team") }
        expectEqual(observer.count, 2)
    }
}
