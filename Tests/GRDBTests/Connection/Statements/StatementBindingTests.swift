import GRDBQueries
import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// Arguments of statements: how they are matched with parameters, and what is told when they are
/// not.
@Suite(.databases) struct StatementBindingTests {
    // MARK: - Values

    /// Parameters keep their memory for the next value, in some cases.
    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func valuesReplaceOneAnother(encoding: String) throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE t(a)")
            let long = String(repeating: "é", count: 10_000)
            let values: [DatabaseValue] = [
                "a".databaseValue, long.databaseValue, "".databaseValue, "é\0ü".databaseValue,
                1.databaseValue, Data([1, 0, 255]).databaseValue, Data().databaseValue, .null,
                Data(repeating: 7, count: 10_000).databaseValue, 1.5.databaseValue,
                String(repeating: "b", count: 1024).databaseValue, Int64.min.databaseValue,
                String(repeating: "c", count: 1025).databaseValue, "d".databaseValue,
            ]
            let statement = try db.makeStatement(sql: "SELECT ?1, ?1 || '', typeof(?1)")
            for value in values + values.reversed() {
                let row = try unwrap(Row.fetchOne(statement, arguments: [value]))
                let live = try Row.fetchCursor(statement)
                let liveRow = try unwrap(live.next())
                for row in [row, liveRow] {
                    expectEqual(row[0] as DatabaseValue, value)
                    switch value.storage {
                    case .string(let text): expectEqual(row[1] as String, text)
                    case .int64(let number): expectEqual(row[1] as String, "\(number)")
                    case .double(let number): expectEqual(row[1] as String, "\(number)")
                    case .blob(let data): expectEqual(row[0] as Data, data)
                    case .null: expectNil(row[1] as String?)
                    }
                }
            }
            try expectEqual(Double?.fetchOne(statement, arguments: [Double.nan]), .some(nil))
            // Blobs of zeros have no memory until they are read.
            let zeros = try Row.fetchCursor(db, sql: "SELECT zeroblob(3), CAST('é' AS BLOB), 12")
            let row = try unwrap(zeros.next())
            expectEqual(row[0] as Data, Data(count: 3))
            expectEqual(row[1] as Data, (encoding == "UTF-8" ? Data([0xC3, 0xA9]) : row[1]))
            expectEqual(row[2] as String, "12")
            expectEqual(row[2] as Data, Data("12".utf8))
        }
    }

    // MARK: - Matching

    @Test(
        arguments: [
            ("SELECT :a, :b", [1, 2], "[:a:1 :b:2]"),
            ("SELECT :a, :a, :b", [1, 2], "[:a:1 :a:1 :b:2]"),
            ("SELECT ?, :a, ?", [1, 2] + ["a": "x"], #"[?:1 :a:"x" ?:2]"#),
            ("SELECT ?, :a", [1] + ["a": "x", "b": 2], #"[?:1 :a:"x"]"#),
            ("SELECT ?2, ?1", ["a", "b"], #"[?2:"b" ?1:"a"]"#),
            ("SELECT ?3", ["a", "b", "c"], #"[?3:"c"]"#),
            ("SELECT @a, $b, :c", ["a": 1, "b": 2, "c": 3], "[@a:1 $b:2 :c:3]"),
            ("SELECT :a, @a", ["a": 1], "[:a:1 @a:1]"),
            ("SELECT ?1", ["1": "x"], #"[?1:"x"]"#),
            ("SELECT :a", ["a": nil], "[:a:NULL]"),
            ("SELECT :a", ["a": 1, "b": 2], "[:a:1]"),
            ("SELECT 1", ["b": 2], "[1:1]"),
            ("SELECT 1", [], "[1:1]"),
        ] as [(String, StatementArguments, String)])
    func parametersTakeTheirArguments(
        sql: String, arguments: StatementArguments, row: String
    ) throws {
        try TestDatabases.makeQueue().write { db in
            // The first time, the statement compiles; then it comes from the cache.
            for _ in 0..<2 {
                try expectEqual(
                    Row.fetchOne(db, sql: sql, arguments: arguments)?.description,
                    row)
            }
            let statement = try db.makeStatement(sql: sql)
            try statement.validateArguments(arguments)
            try statement.setArguments(arguments)
            expectEqual(statement.arguments, arguments)
            try expectEqual(Row.fetchOne(statement)?.description, row)
        }
    }

    @Test(
        arguments: [
            ("SELECT ?, ?", [1], "wrong number of statement arguments: 1, expected 2"),
            ("SELECT ?", [], "wrong number of statement arguments: 0, expected 1"),
            ("SELECT ?", [1, 2], "wrong number of statement arguments: 2, expected 1"),
            ("SELECT 1", [1], "wrong number of statement arguments: 1, expected 0"),
            ("SELECT :a, :b", ["a": 1], "missing statement argument: b"),
            ("SELECT :a, :b", [], "missing statement argument: a"),
            ("SELECT ?", ["a": 1], "wrong number of statement arguments: 0, expected 1"),
            ("SELECT :a, :a", [1, 2], "wrong number of statement arguments: 2, expected 1"),
            (
                "SELECT ?, :a, ?", [1] + ["a": 2],
                "wrong number of statement arguments: 1, expected 2"
            ),
            ("SELECT ?, :a, ?", [1, 2], "wrong number of statement arguments: 2, expected 3"),
            (
                "SELECT ?, :a", [1, 2] + ["a": 3],
                "wrong number of statement arguments: 2, expected 1"
            ),
            ("SELECT ?3", ["a"], "wrong number of statement arguments: 1, expected 3"),
            ("SELECT :a", ["A": 1], "missing statement argument: a"),
            ("SELECT :a", [":a": 1], "missing statement argument: a"),
        ] as [(String, StatementArguments, String)])
    func argumentsThatDoNotFitThrow(
        sql: String, arguments: StatementArguments, message: String
    ) throws {
        try TestDatabases.makeQueue().write { db in
            let statement = try db.makeStatement(sql: sql)
            for use in [
                { _ = try Row.fetchOne(db, sql: sql, arguments: arguments) },
                { _ = try Row.fetchCursor(statement, arguments: arguments) },
                { try statement.validateArguments(arguments) },
                { try statement.setArguments(arguments) },
                { try statement.execute(arguments: arguments) },
            ] as [() throws -> Void] {
                let error = expectError(DatabaseError.self) { try use() }
                expectEqual(error?.resultCode, .SQLITE_MISUSE)
                expectEqual(error?.message, message)
                expectEqual(error?.sql, sql)
                expectNil(error?.arguments)
                expectEqual(
                    error?.description, "SQLite error 21: \(message) - while executing `\(sql)`")
            }
        }
    }

    @Test func missingArgumentsAreToldWhenTheStatementRuns() throws {
        try TestDatabases.makeQueue().write { db in
            let positional = try db.makeStatement(sql: "SELECT ?")
            let named = try db.makeStatement(sql: "SELECT :a")
            for (statement, message) in [
                (positional, "wrong number of statement arguments: 0, expected 1"),
                (named, "missing statement argument: a"),
            ] {
                for use in [
                    { try statement.execute() },
                    { _ = try Row.fetchOne(statement) },
                    { _ = try Row.fetchAll(statement) },
                    { _ = try Row.fetchCursor(statement) },
                    { _ = try Int.fetchCursor(statement) },
                ] as [() throws -> Void] {
                    let error = expectError(DatabaseError.self) { try use() }
                    expectEqual(error?.message, message)
                }
            }
        }
    }

    @Test func refusedArgumentsLeaveTheFormerOnes() throws {
        try TestDatabases.makeQueue().write { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?")
            try statement.setArguments([1, 2])
            for arguments in [[1], [1, 2, 3], ["a": 1]] as [StatementArguments] {
                expectError(DatabaseError.self) { try statement.setArguments(arguments) }
                expectError(DatabaseError.self) { try statement.validateArguments(arguments) }
                expectEqual(statement.arguments, [1, 2])
                try expectEqual(Row.fetchOne(statement)?.description, "[?:1 ?:2]")
            }
        }
    }

    /// A value may be too long for SQLite, which tells so when the others are bound.
    @Test func aValueThatIsTooLongThrows() throws {
        try TestDatabases.makeQueue().write { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?")
            try statement.setArguments([1, "a"])
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 100)
            let long = String(repeating: "x", count: 101)
            for value in [long, Data(long.utf8)] as [any DatabaseValueConvertible] {
                let error = expectError(DatabaseError.self) {
                    try statement.setArguments([2, value])
                }
                expectEqual(error?.resultCode, .SQLITE_TOOBIG)
                expectEqual(error?.sql, "SELECT ?, ?")
                // The former arguments are unchanged.
                expectEqual(statement.arguments, [1, "a"])
                try expectEqual(Row.fetchOne(statement)?.description, #"[?:1 ?:"a"]"#)
            }
            expectError(DatabaseError.self) { try statement.execute(values: 1, long) }
            try expectEqual(Row.fetchOne(statement, arguments: [3, "b"])?[1], "b")
        }
    }

    @Test func setArgumentsTraps() async {
        await #expect(processExitsWith: .failure) {
            try DatabaseQueue().write { db in
                try db.makeStatement(sql: "SELECT ?").arguments = [1, 2]
            }
        }
    }

    // MARK: - Unchecked

    @Test func uncheckedArguments() throws {
        try TestDatabases.makeQueue().write { db in
            let statement = try db.makeStatement(sql: "SELECT ?, :b")
            for (arguments, row) in [
                ([7], "[?:7 :b:NULL]"), ([7, 8, 9], "[?:7 :b:8]"), (["z": 1], "[?:NULL :b:NULL]"),
                ([7] + ["b": 1], "[?:7 :b:1]"), ([], "[?:NULL :b:NULL]"),
            ] as [(StatementArguments, String)] {
                statement.setUncheckedArguments(arguments)
                expectEqual(statement.arguments, arguments)
                try expectEqual(Row.fetchOne(statement)?.description, row)
            }
        }
    }

    // MARK: - Values

    private enum Color: Int, DatabaseValueConvertible {
        case red = 1
    }

    @Test func valuesOfAllKinds() throws {
        let values: [((any DatabaseValueConvertible)?, String)] = [
            (nil, "NULL"), (true, "1"), (Int8(-1), "-1"), (UInt16(2), "2"),
            (Int64.max, "\(Int64.max)"),
            (1.5, "1.5"), (Float(0.5), "0.5"), ("it's", #""it\'s""#), ("", #""""#),
            (Data([1, 2]), "Data(2 bytes)"), (Data(), "Data(0 bytes)"),
            (Date(timeIntervalSince1970: 0), #""1970-01-01 00:00:00.000""#),
            (UUID(), "Data(16 bytes)"), (URL(string: "http://a")!, #""http://a""#),
            (Color.red, "1"), (DatabaseValue.null, "NULL"), (3.databaseValue, "3"),
            (Double.nan, "NULL"), (Double.infinity, "inf"),
            (
                DatabaseDateComponents(DateComponents(year: 2024, month: 2, day: 29), format: .YMD),
                #""2024-02-29""#
            ),
        ]
        try TestDatabases.makeQueue().write { db in
            for (value, description) in values {
                let fetched = try DatabaseValue.fetchOne(db, sql: "SELECT ?", arguments: [value])
                expectEqual(fetched?.description, description)
            }
        }
    }

    @Test func textMayHoldNUL() throws {
        try TestDatabases.makeQueue().write { db in
            let text = "a\0b"
            try expectEqual(String.fetchOne(db, sql: "SELECT ?", arguments: [text]), text)
            try expectEqual(Int.fetchOne(db, sql: "SELECT octet_length(?)", arguments: [text]), 3)
            let statement = try db.makeStatement(sql: "SELECT ?")
            try statement.setArguments([text])
            let rows = try Row.fetchCursor(statement)
            try expectEqual(rows.next()?[0], text)
        }
    }

    // MARK: - Literals

    @Test func executeLiterals() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a, b, c)")
            let sql = "INSERT INTO t VALUES (?, :b, ?)"
            let statement = try db.makeStatement(sql: sql)
            try statement.execute(arguments: [1, "x", 1.5])
            expectEqual(statement.arguments, [1, "x", 1.5])
            try statement.execute(arguments: [nil, Color.red, Data([1])])
            expectEqual(statement.arguments, [nil, 1, Data([1])])
            // Arguments that were set stay.
            try statement.execute()
            try statement.execute(arguments: ["b": "named"] + [2, 3])
            for value in [true, nil] {
                try db.execute(sql: sql, arguments: [value, DatabaseValue.null, "y"])
            }
            try db.execute(sql: sql, arguments: [UInt8(1), "z", Date?.none])
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM t").map(\.description),
                [
                    #"[a:1 b:"x" c:1.5]"#, "[a:NULL b:1 c:Data(1 bytes)]",
                    "[a:NULL b:1 c:Data(1 bytes)]", #"[a:2 b:"named" c:3]"#,
                    #"[a:1 b:NULL c:"y"]"#, #"[a:NULL b:NULL c:"y"]"#, #"[a:1 b:"z" c:NULL]"#,
                ])
            try db.execute(sql: "DELETE FROM t", arguments: [])
            try db.execute(
                sql: "INSERT INTO t(a) VALUES (?); INSERT INTO t(a) VALUES (?)", arguments: [1, 2])
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [1, 2])
        }
    }

    @Test func literalsThatDoNotFit() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.publicStatementArguments = true
        try TestDatabases.makeQueue(.memory, configuration).write { db in
            try db.execute(sql: "CREATE TABLE t(a UNIQUE, b)")
            let sql = "INSERT INTO t VALUES (?, ?)"
            let statement = try db.makeStatement(sql: sql)
            func message(_ execute: () throws -> Void) -> String? {
                expectError(DatabaseError.self) { try execute() }?.description
            }
            try statement.execute(arguments: [1, "a"])
            // What errors tell is the same for literals and other arguments.
            for values in [[1], [1, 2, 3], [1, UInt64.max], [1, "b"]]
                as [[(any DatabaseValueConvertible)?]]
            {
                let expected = message {
                    try statement.execute(arguments: StatementArguments(values))
                }
                expectTrue(expected != nil)
                for _ in 0..<2 {
                    switch values.count {
                    case 1:
                        expectTrue(message { try statement.execute(arguments: [1]) } == expected)
                        expectTrue(message { try db.execute(sql: sql, arguments: [1]) } == expected)
                    case 3:
                        expectTrue(
                            message { try statement.execute(arguments: [1, 2, 3]) } == expected)
                    default:
                        let value = values[1]
                        expectTrue(
                            message { try statement.execute(arguments: [1, value]) } == expected)
                        expectTrue(
                            message { try db.execute(sql: sql, arguments: [1, value]) } == expected)
                    }
                }
            }
            // Arguments that could not be set leave the former ones.
            try statement.execute(arguments: [2, "c"])
            expectTrue(message { try statement.execute(arguments: [3, UInt64.max]) } != nil)
            expectEqual(statement.arguments, [2, "c"])
            expectTrue(message { try statement.execute() } != nil)
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [1, 2])
        }
    }

    // MARK: - Packs

    @Test func executeValues() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a, b, c)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?, ?)")
            try statement.execute(values: 1, "x", 1.5)
            try statement.execute(values: Int?.none, Color.red, Data([1]))
            try statement.execute(values: DatabaseValue.null, String?.some("y"), true)
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM t").map(\.description),
                [
                    #"[a:1 b:"x" c:1.5]"#, "[a:NULL b:1 c:Data(1 bytes)]", #"[a:NULL b:"y" c:1]"#,
                ])
        }
    }

    @Test func executeValuesWantsOneValueAParameter() throws {
        try TestDatabases.makeQueue().write { db in
            let statement = try db.makeStatement(sql: "SELECT ?, :a")
            func message(_ execute: () throws -> Void) -> String? {
                let error = expectError(DatabaseError.self) { try execute() }
                expectEqual(error?.resultCode, .SQLITE_MISUSE)
                expectEqual(error?.sql, "SELECT ?, :a")
                return error?.message
            }
            let wrongNumber = "wrong number of statement arguments: "
            expectTrue(
                message { try statement.execute(values: 1) } == wrongNumber + "1, expected 2")
            expectTrue(
                message { try statement.execute(values: 1, 2, 3) } == wrongNumber + "3, expected 2")
            expectTrue(
                message { try statement.execute(values: 1, 2, 3, 4) } == wrongNumber
                    + "4, expected 2")
            try statement.execute(values: 1, 2)
            // Values that went to SQLite directly are those of the statement.
            try expectEqual(Row.fetchOne(statement)?.description, "[?:1 :a:2]")
        }
    }
}
