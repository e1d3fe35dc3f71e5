import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct RowDecodingErrorTests {
    private enum Color: Int, DatabaseValueConvertible {
        case red = 1
    }

    private func description(_ body: () throws -> Void) -> String? {
        expectError(RowDecodingError.self) { try body() }?.description
    }

    // MARK: - Rows

    @Test func rowsThatAreNotLive() {
        let row: Row = ["n": nil, "s": "foo", "i": 300]
        let rest = #"row: [n:NULL s:"foo" i:300]"#
        let null =
            #"could not decode Int from database value NULL - column: "n", column index: 0, "#
        expectEqual(description { _ = try row.decode(Int.self, atIndex: 0) }, null + rest)
        expectEqual(description { _ = try row.decode(Int.self, forColumn: "n") }, null + rest)
        expectEqual(
            description { _ = try row.decode(Int.self, forColumn: Column("N")) }, null + rest)
        expectEqual(
            description { _ = try row.decode(Int.self, forColumn: "missing") },
            #"column not found: "missing" - "# + rest)
        expectEqual(
            description { _ = try row.decode(Color.self, forColumn: Column("missing")) },
            #"column not found: "missing" - "# + rest)
        expectEqual(
            description { _ = try row.decode(Int8.self, forColumn: "I") },
            #"could not decode Int8 from database value 300 - column: "i", "#
                + "column index: 2, " + rest)
        for (type, decode) in [
            ("Int", { _ = try row.decode(Int.self, forColumn: "s") }),
            ("Date", { _ = try row.decode(Date.self, forColumn: "s") }),
            ("Color", { _ = try row.decode(Color.self, forColumn: "s") }),
            ("Optional<Int>", { _ = try row.decode(Int?.self, forColumn: "s") }),
            ("Optional<Color>", { _ = try row.decode(Color?.self, forColumn: "s") }),
        ] as [(String, () throws -> Void)] {
            expectEqual(
                description(decode),
                #"could not decode \#(type) from database value "foo" - column: "s", "#
                    + "column index: 1, " + rest)
        }
    }

    @Test func adaptedRows() throws {
        try TestDatabases.makeQueue().write { db in
            let row = try unwrap(
                Row.fetchOne(
                    db, sql: "SELECT 1 AS a, 'x' AS b, 'y' AS c",
                    adapter: SuffixRowAdapter(fromIndex: 1)))
            let sql = "sql: `SELECT 1 AS a, 'x' AS b, 'y' AS c`"
            expectEqual(
                description { _ = try row.decode(Int.self, forColumn: "c") },
                #"could not decode Int from database value "y" - column: "c", "#
                    + "column index: 2, \(sql)")
            expectEqual(
                description { _ = try row.decode(Int.self, forColumn: "a") },
                #"column not found: "a" - available columns: ["b", "c"] - \#(sql)"#)
        }
    }

    @Test func adaptedRowsOfPublicArguments() throws {
        var config = TestDatabases.makeConfiguration()
        config.publicStatementArguments = true
        try TestDatabases.makeQueue(.memory, config).write { db in
            let row = try unwrap(
                Row.fetchOne(
                    db, sql: "SELECT 1 AS a, 'x' AS b, 'y' AS c",
                    adapter: SuffixRowAdapter(fromIndex: 1)))
            let sql = "sql: `SELECT 1 AS a, 'x' AS b, 'y' AS c`"
            expectEqual(
                description { _ = try row.decode(Int.self, forColumn: "c") },
                #"could not decode Int from database value "y" - column: "c", "#
                    + #"column index: 2, row: [a:1 b:"x" c:"y"], \#(sql)"#)
            expectEqual(
                description { _ = try row.decode(Int.self, forColumn: "a") },
                #"column not found: "a" - row: [b:"x" c:"y"], \#(sql)"#)
        }
    }

    @Test func tablesOfColumns() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id, name);
                    CREATE TABLE player (name, teamId);
                    CREATE VIEW roster AS
                        SELECT team.name AS team, player.name AS player, 1 AS one
                        FROM team JOIN player ON teamId = team.id;
                    INSERT INTO team VALUES (1, NULL);
                    INSERT INTO player VALUES (NULL, 1);
                    """)
            let sql = "SELECT team, player AS p, NULL FROM roster"
            let rows = try Row.fetchCursor(db, sql: sql)
            let live = try unwrap(rows.next())
            for row in [live, live.copy()] {
                for (index, place) in [
                    #"table: "team", column: "team""#, #"table: "player", column: "p""#,
                    #"column: "NULL""#,
                ].enumerated() {
                    expectEqual(
                        description { _ = try row.decode(Int.self, atIndex: index) },
                        "could not decode Int from database value NULL - \(place), "
                            + "column index: \(index), sql: `\(sql)`")
                }
            }
        }
    }

    /// The statement is compiled again, and its columns are others.
    @Test func changesOfTheSchema() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE a (x); CREATE VIEW v AS SELECT x FROM a")
            try db.execute(sql: "CREATE TABLE b (x); INSERT INTO b VALUES (NULL)")
            let statement = try db.makeStatement(sql: "SELECT * FROM v")
            try expectEqual(Int.fetchAll(statement), [])
            try db.execute(sql: "DROP VIEW v; CREATE VIEW v AS SELECT x FROM b")
            expectError(
                #"could not decode Int from database value NULL - table: "b", column: "x", "#
                    + "column index: 0, sql: `SELECT * FROM v`"
            ) {
                try Int.fetchAll(statement)
            }
        }
    }

    @Test func blobs() {
        let uuid = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        for (data, text) in [
            (Data(), "X''"), (Data([0, 0xff]), "X'00FF'"),
            (Data(repeating: 1, count: 32), "X'\(String(repeating: "01", count: 32))'"),
            (Data(repeating: 1, count: 33), "Data(33 bytes)"),
            (UUID(uuidString: uuid)!.databaseValue.storage.value as! Data, uuid),
        ] {
            let row: Row = ["a": data]
            expectEqual(
                description { _ = try row.decode(Int.self, forColumn: "a") },
                #"could not decode Int from database value \#(text) - column: "a", "#
                    + "column index: 0, row: [a:\(text)]")
        }
    }

    /// Rows of changes belong to a database, whose arguments may be private.
    @Test func rowsOfChanges() throws {
        final class Observer: TransactionObserver {
            var row: Row?
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseWillChange(with event: DatabasePreUpdateEvent) {
                row = event.copy().finalRow
            }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let observer = Observer()
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (name, secret)")
            db.add(transactionObserver: observer)
            try db.execute(sql: "INSERT INTO player VALUES ('a', 'b')")
        }
        let row = try unwrap(observer.row)
        expectEqual(
            description { _ = try row.decode(Int.self, forColumn: "name") },
            #"could not decode Int from database value "a" - column: "name", "#
                + "column index: 0")
        expectEqual(
            description { _ = try row.decode(Int.self, forColumn: "score") },
            #"column not found: "score" - available columns: ["name", "secret"]"#)
    }

    // MARK: - Live rows

    @Test(arguments: [false, true]) func liveRowsTellTheirSQL(isPublic: Bool) throws {
        var config = TestDatabases.makeConfiguration()
        config.publicStatementArguments = isPublic
        try TestDatabases.makeQueue(.memory, config).write { db in
            let rows = try Row.fetchCursor(
                db, sql: "SELECT NULL AS n, ? AS s, 300 AS i", arguments: ["foo"])
            let row = try unwrap(rows.next())
            let rest =
                (isPublic ? #"row: [n:NULL s:"foo" i:300], "# : "")
                + "sql: `SELECT NULL AS n, ? AS s, 300 AS i`"
            let live = rest + (isPublic ? #", arguments: ["foo"]"# : "")
            expectEqual(
                description { _ = try row.decode(Int.self, atIndex: 0) },
                #"could not decode Int from database value NULL - column: "n", "#
                    + "column index: 0, " + live)
            expectEqual(
                description { _ = try row.decode(Int8.self, forColumn: "i") },
                #"could not decode Int8 from database value 300 - column: "i", "#
                    + "column index: 2, " + live)
            expectEqual(
                description { _ = try row.decode(Color.self, forColumn: "s") },
                #"could not decode Color from database value "foo" - column: "s", "#
                    + "column index: 1, " + live)
            expectEqual(
                description { _ = try row.decode(Color.self, forColumn: "missing") },
                #"column not found: "missing" - "#
                    + (isPublic ? "" : #"available columns: ["n", "s", "i"] - "#) + live)
            // A copy does not know the arguments.
            expectEqual(
                description { _ = try row.copy().decode(Int.self, atIndex: 0) },
                #"could not decode Int from database value NULL - column: "n", "#
                    + "column index: 0, " + rest)
        }
    }

    // MARK: - Values

    @Test(arguments: [false, true]) func fetchedValues(isPublic: Bool) throws {
        var config = TestDatabases.makeConfiguration()
        config.publicStatementArguments = isPublic
        let noArguments = isPublic ? ", arguments: []" : ""
        func row(_ row: String) -> String { isPublic ? "row: \(row), " : "" }
        try TestDatabases.makeQueue(.memory, config).write { db in
            let null =
                #"could not decode Int from database value NULL - column: "1", column index: 0, "#
                + row("[1:NULL]") + "sql: `SELECT 1 UNION ALL SELECT NULL`" + noArguments
            let sql = "SELECT 1 UNION ALL SELECT NULL"
            expectEqual(description { _ = try Int.fetchAll(db, sql: sql) }, null)
            expectEqual(description { _ = try Int.fetchSet(db, sql: sql) }, null)
            expectEqual(
                description { _ = try Color.fetchAll(db, sql: "SELECT 1 UNION ALL SELECT 2") },
                #"could not decode Color from database value 2 - column: "1", "#
                    + "column index: 0, " + row("[1:2]") + "sql: `SELECT 1 UNION ALL SELECT 2`"
                    + noArguments)
            expectEqual(
                description {
                    _ = try Color.fetchOne(db, sql: "SELECT ? AS a", arguments: ["x"])
                },
                #"could not decode Optional<Color> from database value "x" - column: "a", "#
                    + "column index: 0, " + row(#"[a:"x"]"#) + "sql: `SELECT ? AS a`"
                    + (isPublic ? #", arguments: ["x"]"# : ""))
            // The raw row, and the index in it.
            expectEqual(
                description {
                    _ = try Color.fetchAll(
                        db, sql: "SELECT 1, 'foo' AS x", adapter: SuffixRowAdapter(fromIndex: 1))
                },
                #"could not decode Color from database value "foo" - column: "x", "#
                    + "column index: 1, " + row(#"[1:1 x:"foo"]"#) + "sql: `SELECT 1, 'foo' AS x`"
                    + noArguments)
        }
    }

    @Test func aCursorGoesOnAfterADecodingError() throws {
        try TestDatabases.makeQueue().write { db in
            let values = try Color.fetchCursor(
                db, sql: "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 1")
            try expectEqual(values.next(), .red)
            expectError(RowDecodingError.self) { try values.next() }
            try expectEqual(values.next(), .red)
        }
    }
}
