import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct RowDecodingErrorTests {
    private enum Color: Int, DatabaseValueConvertible {
        case red = 1
    }

    private func description(_ body: () throws -> Void) -> String? {
        #expect(throws: RowDecodingError.self, performing: body)?.description
    }

    // MARK: - Rows

    @Test func rowsThatAreNotLive() {
        let row: Row = ["n": nil, "s": "foo", "i": 300]
        let rest = #"row: [n:NULL s:"foo" i:300]"#
        let null =
            #"could not decode Int from database value NULL - column: "n", column index: 0, "#
        #expect(description { _ = try row.decode(Int.self, atIndex: 0) } == null + rest)
        #expect(description { _ = try row.decode(Int.self, forColumn: "n") } == null + rest)
        #expect(description { _ = try row.decode(Int.self, forColumn: Column("N")) } == null + rest)
        #expect(
            description { _ = try row.decode(Int.self, forColumn: "missing") }
                == #"column not found: "missing" - "# + rest)
        #expect(
            description { _ = try row.decode(Color.self, forColumn: Column("missing")) }
                == #"column not found: "missing" - "# + rest)
        #expect(
            description { _ = try row.decode(Int8.self, forColumn: "I") }
                == #"could not decode Int8 from database value 300 - column: "i", "#
                + "column index: 2, " + rest)
        for (type, decode) in [
            ("Int", { _ = try row.decode(Int.self, forColumn: "s") }),
            ("Date", { _ = try row.decode(Date.self, forColumn: "s") }),
            ("Color", { _ = try row.decode(Color.self, forColumn: "s") }),
            ("Optional<Int>", { _ = try row.decode(Int?.self, forColumn: "s") }),
            ("Optional<Color>", { _ = try row.decode(Color?.self, forColumn: "s") }),
        ] as [(String, () throws -> Void)] {
            #expect(
                description(decode)
                    == #"could not decode \#(type) from database value "foo" - column: "s", "#
                    + "column index: 1, " + rest)
        }
    }

    @Test func adaptedRows() throws {
        try TestDatabases.makeQueue().write { db in
            let row = try #require(
                try Row.fetchOne(
                    db, sql: "SELECT 1 AS a, 'x' AS b, 'y' AS c",
                    adapter: SuffixRowAdapter(fromIndex: 1)))
            #expect(
                description { _ = try row.decode(Int.self, forColumn: "c") }
                    == #"could not decode Int from database value "y" - column: "c", "#
                    + #"column index: 2, row: [a:1 b:"x" c:"y"]"#)
            #expect(
                description { _ = try row.decode(Int.self, forColumn: "a") }
                    == #"column not found: "a" - row: [b:"x" c:"y"]"#)
        }
    }

    // MARK: - Live rows

    @Test(arguments: [false, true]) func liveRowsTellTheirSQL(isPublic: Bool) throws {
        var config = TestDatabases.makeConfiguration()
        config.publicStatementArguments = isPublic
        try TestDatabases.makeQueue(.memory, config).write { db in
            let rows = try Row.fetchCursor(
                db, sql: "SELECT NULL AS n, ? AS s, 300 AS i", arguments: ["foo"])
            let row = try #require(try rows.next())
            let rest =
                #"row: [n:NULL s:"foo" i:300], sql: `SELECT NULL AS n, ? AS s, 300 AS i`"#
                + (isPublic ? #", arguments: ["foo"]"# : "")
            #expect(
                description { _ = try row.decode(Int.self, atIndex: 0) }
                    == #"could not decode Int from database value NULL - column: "n", "#
                    + "column index: 0, " + rest)
            #expect(
                description { _ = try row.decode(Int8.self, forColumn: "i") }
                    == #"could not decode Int8 from database value 300 - column: "i", "#
                    + "column index: 2, " + rest)
            #expect(
                description { _ = try row.decode(Color.self, forColumn: "s") }
                    == #"could not decode Color from database value "foo" - column: "s", "#
                    + "column index: 1, " + rest)
            #expect(
                description { _ = try row.decode(Color.self, forColumn: "missing") }
                    == #"column not found: "missing" - "# + rest)
            // A copy knows nothing of its statement.
            #expect(
                description { _ = try row.copy().decode(Int.self, atIndex: 0) }
                    == #"could not decode Int from database value NULL - column: "n", "#
                    + #"column index: 0, row: [n:NULL s:"foo" i:300]"#)
        }
    }

    // MARK: - Values

    @Test(arguments: [false, true]) func fetchedValues(isPublic: Bool) throws {
        var config = TestDatabases.makeConfiguration()
        config.publicStatementArguments = isPublic
        let noArguments = isPublic ? ", arguments: []" : ""
        try TestDatabases.makeQueue(.memory, config).write { db in
            let null =
                #"could not decode Int from database value NULL - column: "1", column index: 0, "#
                + "row: [1:NULL], sql: `SELECT 1 UNION ALL SELECT NULL`" + noArguments
            let sql = "SELECT 1 UNION ALL SELECT NULL"
            #expect(description { _ = try Int.fetchAll(db, sql: sql) } == null)
            #expect(description { _ = try Int.fetchSet(db, sql: sql) } == null)
            #expect(
                description { _ = try Color.fetchAll(db, sql: "SELECT 1 UNION ALL SELECT 2") }
                    == #"could not decode Color from database value 2 - column: "1", "#
                    + "column index: 0, row: [1:2], sql: `SELECT 1 UNION ALL SELECT 2`"
                    + noArguments)
            #expect(
                description {
                    _ = try Color.fetchOne(db, sql: "SELECT ? AS a", arguments: ["x"])
                }
                    == #"could not decode Optional<Color> from database value "x" - column: "a", "#
                    + #"column index: 0, row: [a:"x"], sql: `SELECT ? AS a`"#
                    + (isPublic ? #", arguments: ["x"]"# : ""))
            // The raw row, and the index in it.
            #expect(
                description {
                    _ = try Color.fetchAll(
                        db, sql: "SELECT 1, 'foo' AS x", adapter: SuffixRowAdapter(fromIndex: 1))
                }
                    == #"could not decode Color from database value "foo" - column: "x", "#
                    + #"column index: 1, row: [1:1 x:"foo"], sql: `SELECT 1, 'foo' AS x`"#
                    + noArguments)
        }
    }

    @Test func aCursorGoesOnAfterADecodingError() throws {
        try TestDatabases.makeQueue().write { db in
            let values = try Color.fetchCursor(
                db, sql: "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 1")
            try #expect(values.next() == .red)
            #expect(throws: RowDecodingError.self) { try values.next() }
            try #expect(values.next() == .red)
        }
    }
}
