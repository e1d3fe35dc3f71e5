import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Values of rows by index, name and column, in live and in copied rows.
@Suite(.databases) struct RowValuesTests {
    /// Not `StatementColumnConvertible`: decoded by way of a database value.
    private enum Color: Int, DatabaseValueConvertible {
        case red = 1
        case white
    }

    enum Kind: CaseIterable {
        case live, copied, literal
    }

    /// `a A b n n Été`, with a duplicate name, and one that differs by case.
    private func withRow(_ kind: Kind, _ body: (Row) throws -> Void) throws {
        if kind == .literal {
            try body(["a": 1, "A": 2, "b": 3.5, "n": nil, "n": 4, "Été": "x"])
            return
        }
        try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchCursor(
                db, sql: #"SELECT 1 AS a, 2 AS A, 3.5 AS b, NULL AS n, 4 AS n, 'x' AS "Été""#)
            let row = try unwrap(rows.next())
            try body(kind == .live ? row : row.copy())
        }
    }

    // MARK: - By index

    @Test(arguments: Kind.allCases) func subscriptByIndex(kind: Kind) throws {
        try withRow(kind) { row in
            expectEqual(row[0] as Int, 1)
            expectEqual(row[1] as Int64, 2)
            expectEqual(row[2] as Double, 3.5)
            expectEqual(row[5] as String, "x")
            expectEqual(row[0] as Color, .red)
            expectEqual(row[1] as DatabaseValue, 2.databaseValue)
            expectNil(row[3] as Int?)
            expectNil(row[3] as Color?)
            expectEqual(row[3] as DatabaseValue, .null)
            expectEqual(row[4] as Int?, 4)
        }
    }

    @Test(arguments: Kind.allCases) func untypedSubscriptByIndex(kind: Kind) throws {
        try withRow(kind) { row in
            expectEqual(row[0] as (any DatabaseValueConvertible)? as? Int64, 1)
            expectEqual(row[2] as (any DatabaseValueConvertible)? as? Double, 3.5)
            expectNil(row[3] as (any DatabaseValueConvertible)?)
            expectEqual(row[5] as (any DatabaseValueConvertible)? as? String, "x")
        }
    }

    @Test(arguments: Kind.allCases) func decodeByIndex(kind: Kind) throws {
        try withRow(kind) { row in
            try expectEqual(row.decode(Int.self, atIndex: 0), 1)
            try expectEqual(row.decode(Color.self, atIndex: 1), .white)
            try expectEqual(row.decode(Int?.self, atIndex: 3), nil)
            try expectEqual(row.decode(Color?.self, atIndex: 3), nil)
            let inferred: String = try row.decode(atIndex: 5)
            expectEqual(inferred, "x")
            expectError(RowDecodingError.self) { try row.decode(Int.self, atIndex: 3) }
            expectError(RowDecodingError.self) { try row.decode(Color.self, atIndex: 4) }
            expectError(RowDecodingError.self) { try row.decode(Color?.self, atIndex: 4) }
        }
    }

    @Test(arguments: Kind.allCases) func decodeThrowsWhenTheIndexIsOutOfRange(kind: Kind) throws {
        try withRow(kind) { row in
            for index in [-1, 6, Int.max, Int.min] {
                for decode in [
                    { _ = try row.decode(Int.self, atIndex: index) },
                    { _ = try row.decode(Int?.self, atIndex: index) },
                    { _ = try row.decode(Color.self, atIndex: index) },
                    { _ = try row.withUnsafeData(atIndex: index) { $0 } },
                ] {
                    let error = expectError(RowDecodingError.self) { try decode() }
                    expectEqual(
                        error?.description.hasPrefix("row index out of range: \(index) - "), true)
                }
            }
        }
    }

    @Test(arguments: Kind.allCases) func hasNull(kind: Kind) throws {
        try withRow(kind) { row in
            expectEqual(
                (0..<6).map { row.hasNull(atIndex: $0) },
                [
                    false, false, false, true, false, false,
                ])
        }
    }

    // MARK: - By name

    @Test(arguments: Kind.allCases) func subscriptByName(kind: Kind) throws {
        try withRow(kind) { row in
            expectEqual(row["a"] as Int, 1)
            expectEqual(row["b"] as Double, 3.5)
            expectEqual(row["Été"] as String, "x")
            expectEqual(row["a"] as Color, .red)
            expectEqual(row["b"] as DatabaseValue, 3.5.databaseValue)
            expectEqual(row["n"] as DatabaseValue, .null)
            expectNil(row["n"] as Int?)
            expectNil(row["n"] as Color?)
        }
    }

    @Test(arguments: Kind.allCases) func namesIgnoreTheCaseOfASCIILetters(kind: Kind) throws {
        try withRow(kind) { row in
            // Of names that differ by case, the leftmost one wins.
            expectEqual(row["A"] as Int, 1)
            expectEqual(row["B"] as Double, 3.5)
            expectEqual(row["N"] as DatabaseValue, .null)
            expectEqual(row["ÉTé"] as String?, "x")
            expectNil(row["éTÉ"] as String?)
            expectTrue(row.hasColumn("a") && row.hasColumn("A") && row.hasColumn("B"))
            expectTrue(row.hasColumn("ÉTé") && !row.hasColumn("été"))
            expectTrue(!row.hasColumn("") && !row.hasColumn("aa"))
        }
    }

    @Test(arguments: Kind.allCases) func untypedSubscriptByName(kind: Kind) throws {
        try withRow(kind) { row in
            expectEqual(row["A"] as (any DatabaseValueConvertible)? as? Int64, 1)
            expectNil(row["n"] as (any DatabaseValueConvertible)?)
            expectNil(row["missing"] as (any DatabaseValueConvertible)?)
            expectEqual(row[Column("b")] as (any DatabaseValueConvertible)? as? Double, 3.5)
        }
    }

    @Test(arguments: Kind.allCases) func missingColumnsAreNilForOptionals(kind: Kind) throws {
        try withRow(kind) { row in
            expectNil(row["missing"] as Int?)
            expectNil(row["missing"] as Color?)
            // Unlike NULL, which is a database value.
            expectNil(row["missing"] as DatabaseValue?)
            expectEqual(row["n"] as DatabaseValue?, .some(.null))
            expectNil(row[Column("missing")] as Int?)
            try expectEqual(row.decode(Int?.self, forColumn: "missing"), nil)
            try expectEqual(row.decode(Color?.self, forColumn: Column("missing")), nil)
            expectError(RowDecodingError.self) {
                try row.decode(Int.self, forColumn: "missing")
            }
            expectError(RowDecodingError.self) {
                try row.decode(Color.self, forColumn: Column("missing"))
            }
            expectError(RowDecodingError.self) {
                try row.decode(DatabaseValue.self, forColumn: "missing")
            }
        }
    }

    @Test(arguments: Kind.allCases) func decodeByName(kind: Kind) throws {
        try withRow(kind) { row in
            try expectEqual(row.decode(Int.self, forColumn: "A"), 1)
            try expectEqual(row.decode(Color.self, forColumn: "a"), .red)
            try expectEqual(row.decode(Int?.self, forColumn: "n"), nil)
            let inferred: String = try row.decode(forColumn: "Été")
            expectEqual(inferred, "x")
            expectError(RowDecodingError.self) { try row.decode(Int.self, forColumn: "n") }
            expectError(RowDecodingError.self) { try row.decode(Color.self, forColumn: "b") }
        }
    }

    // MARK: - By column

    private enum Columns: String, ColumnExpression {
        case a, missing
    }

    @Test(arguments: Kind.allCases) func valuesByColumn(kind: Kind) throws {
        try withRow(kind) { row in
            expectEqual(row[Column("A")] as Int, 1)
            expectEqual(row[Column("a")] as Color, .red)
            expectEqual(row[Columns.a] as Int, 1)
            expectNil(row[Columns.missing] as Int?)
            try expectEqual(row.decode(Int.self, forColumn: Columns.a), 1)
            try expectEqual(row.decode(Color.self, forColumn: Columns.a), .red)
            try expectEqual(row.withUnsafeData(at: Column("Été")) { $0 }, Data("x".utf8))
        }
    }

    // MARK: - Coalescing

    @Test(arguments: Kind.allCases) func coalesceTakesTheFirstValueThatIsNotNull(
        kind: Kind
    ) throws {
        try withRow(kind) { row in
            expectEqual(row.coalesce(["n", "a"]) as Int?, 1)
            expectEqual(row.coalesce(["missing", "b"]) as Double?, 3.5)
            expectEqual(row.coalesce(["N", "B", "a"]) as Double?, 3.5)
            expectEqual(row.coalesce(["a", "b"]) as Color?, .red)
            expectNil(row.coalesce(["n", "missing"]) as Int?)
            expectNil(row.coalesce([String]()) as Int?)
            expectEqual(row.coalesce([Column("missing"), Column("n"), Column("a")]) as Int?, 1)
            let columns: [any ColumnExpression] = [Column("n"), Columns.a]
            expectEqual(row.coalesce(columns) as Int?, 1)
        }
    }

    // MARK: - Traps

    @Test func indexOutOfRangeTraps() async {
        await #expect(processExitsWith: .failure) { _ = (["a": 1] as Row)[1] as Int? }
        await #expect(processExitsWith: .failure) { _ = (["a": 1] as Row)[-1] as Int }
        await #expect(processExitsWith: .failure) {
            _ = (["a": 1] as Row)[1] as (any DatabaseValueConvertible)?
        }
        await #expect(processExitsWith: .failure) { _ = Row().hasNull(atIndex: 0) }
    }

    @Test func trapsTellWhatDecodeThrows() async throws {
        let missing = try await unwrap(
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = (["a": 1] as Row)["b"] as Int
            })
        expectTrue(message(missing).contains(#"column not found: "b" - row: [a:1]"#))

        let mismatch = try await unwrap(
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = (["a": "x"] as Row)["a"] as Int?
            })
        expectTrue(
            message(mismatch).contains(
                #"could not decode Optional<Int> from database value "x" - column: "a", "#
                    + #"column index: 0, row: [a:"x"]"#))

        let outOfRange = try await unwrap(
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = (["a": "x"] as Row)[7] as Int
            })
        expectTrue(message(outOfRange).contains("row index out of range"))
    }

    private func message(_ result: ExitTest.Result) -> String {
        String(decoding: result.standardErrorContent, as: UTF8.self)
    }
}
