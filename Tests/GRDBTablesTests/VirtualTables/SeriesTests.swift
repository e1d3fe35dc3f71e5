@testable import GRDBTables
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct SeriesTests {
    private func makeWriter(_ kind: DatabaseKind = .queue) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(module: .series)
        return try TestDatabases.makeWriter(kind, configuration)
    }

    @Test(arguments: DatabaseKind.allCases) func values(kind: DatabaseKind) throws {
        let expected: [(String, [Int64])] = [
            ("1, 3", [1, 2, 3]), ("5, 20, 5", [5, 10, 15, 20]), ("0, 7, 3", [0, 3, 6]),
            ("3, 1, -1", [3, 2, 1]), ("3, 1", []), ("1, 3, -1", []), ("1, 1, 0", [1]),
            ("NULL, 3", []), ("1, 3, NULL", []), ("2.0, '3'", [2, 3]),
            ("9223372036854775806, 9223372036854775807", [.max - 1, .max]),
            (
                "-9223372036854775808, 9223372036854775807, 9223372036854775807",
                [.min, -1, .max - 1]
            ),
            (
                "9223372036854775807, -9223372036854775808, -9223372036854775808",
                [.max, -1]
            ),
        ]
        try makeWriter(kind).read { db throws in
            for (arguments, values) in expected {
                let sql = "SELECT value FROM generate_series(\(arguments))"
                try expectEqual(Int64.fetchAll(db, sql: sql), values, "\(arguments)")
                for (order, sorted) in [
                    ("ASC", values.sorted()), ("DESC", values.sorted().reversed()),
                ] {
                    try expectEqual(
                        Int64.fetchAll(db, sql: "\(sql) ORDER BY value \(order)"),
                        sorted)
                }
            }
        }
    }

    /// The same rows as a condition that SQLite can't give to the table.
    @Test func conditions() throws {
        try makeWriter().read { db throws in
            for series in ["-7, 20, 3", "20, -7, -3", "0, 5", "4, 4"] {
                for bound in [
                    "-8", "-7", "0", "1", "2.5", "14", "20", "21", "'2'", "NULL", "1e300",
                ] {
                    for comparison in ["=", "<", "<=", ">", ">=", "<>", "IS"] {
                        let sql = "SELECT value FROM generate_series(\(series)) WHERE "
                        let given = try Int64.fetchAll(
                            db, sql: "\(sql) value \(comparison) \(bound)")
                        let checked = try Int64.fetchAll(
                            db,
                            sql: "SELECT v FROM (SELECT value AS v FROM "
                                + "generate_series(\(series)) LIMIT -1 OFFSET 0) "
                                + "WHERE v \(comparison) \(bound)")
                        expectEqual(given, checked, "\(series) \(comparison) \(bound)")
                    }
                }
            }
        }
    }

    /// Neither takes four billion steps.
    @Test func longSeriesAreNotCounted() throws {
        try makeWriter().read { db throws in
            try expectEqual(
                Int64.fetchAll(db, sql: "SELECT value FROM generate_series(7) LIMIT 2"),
                [7, 8])
            try expectEqual(
                Int64.fetchAll(
                    db,
                    sql: """
                        SELECT value FROM generate_series(1, 9223372036854775807) \
                        WHERE value BETWEEN 4000000000000 AND 4000000000001
                        """),
                [4_000_000_000_000, 4_000_000_000_001])
        }
    }

    @Test func requests() throws {
        try makeWriter().read { db throws in
            let request = TableFunction.series(from: 1, through: 10, by: 4).all()
            try expectEqual(request.fetchAll(db), [1, 5, 9])
            try expectEqual(
                request.makePreparedRequest(db).statement.sql,
                #"SELECT * FROM "generate_series"(?, ?, ?)"#)
            let nested = TableFunction.series(from: 1, through: Column("value"))
            let pairs = TableFunction.series(from: 1, through: 2)
            let rows = try Row.fetchAll(
                db, pairs.all().annotated(withRequired: pairs.association(to: nested)))
            expectEqual(
                rows.map { Array($0.databaseValues).description },
                [
                    "[1, 1]", "[2, 1]", "[2, 2]",
                ])
        }
    }

    @Test func errors() throws {
        try makeWriter().read { db throws in
            for (arguments, message) in [
                ("", "generate_series: the first argument is missing"),
                ("'a', 2", "generate_series: the first argument is not an integer: \"a\""),
                ("1, 2.5", "generate_series: the last argument is not an integer: 2.5"),
                ("1, 2, x'00'", nil),
            ] {
                let error = expectError(DatabaseError.self) {
                    try Int64.fetchAll(db, sql: "SELECT value FROM generate_series(\(arguments))")
                }
                if let message { expectEqual(error?.message, message) }
            }
        }
    }
}
