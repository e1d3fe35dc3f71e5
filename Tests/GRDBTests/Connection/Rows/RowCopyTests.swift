import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct RowCopyTests {
    private static let sql = "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y'"

    @Test func theRowOfACursorIsLive() throws {
        try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchCursor(db, sql: Self.sql)
            let first = try unwrap(rows.next())
            let copy = first.copy()
            let second = try unwrap(rows.next())
            #expect(first === second)
            #expect(copy !== first)
            expectEqual(first, ["a": 2, "b": "y"])
            expectEqual(copy, ["a": 1, "b": "x"])

            // Past the end, a live row has no value; its copy keeps them.
            try expectEqual(rows.next(), nil)
            expectNil(first["a"] as Int?)
            expectEqual(copy["a"] as Int?, 1)
        }
    }

    @Test func aCopyOutlivesItsDatabase() throws {
        let row = try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchCursor(db, sql: Self.sql)
            return try rows.next()?.copy()
        }
        expectEqual(row, ["a": 1, "b": "x"])
    }

    @Test func aLiveRowOutlivesItsCursor() throws {
        try TestDatabases.makeQueue().write { db in
            let row = try Row.fetchCursor(db, sql: Self.sql).next()
            expectEqual(row, ["a": 1, "b": "x"])
        }
    }

    @Test func copyOfACopyIsItself() throws {
        let row: Row = ["a": 1]
        #expect(row.copy() === row)
        try TestDatabases.makeQueue().write { db in
            let fetched = try unwrap(Row.fetchOne(db, sql: Self.sql))
            #expect(fetched.copy() === fetched)
        }
    }

    @Test func fetchedRowsAreCopies() throws {
        let (all, set, one) = try TestDatabases.makeQueue().write { db in
            try (
                Row.fetchAll(db, sql: Self.sql), Row.fetchSet(db, sql: Self.sql),
                Row.fetchOne(db, sql: Self.sql)
            )
        }
        expectEqual(all, [["a": 1, "b": "x"], ["a": 2, "b": "y"]])
        expectEqual(set, [["a": 1, "b": "x"], ["a": 2, "b": "y"]])
        expectEqual(one, ["a": 1, "b": "x"])
    }

    @Test func mappedRowsAreLiveUntilCopied() throws {
        try TestDatabases.makeQueue().write { db in
            let rows = try Array(Row.fetchCursor(db, sql: Self.sql).map { $0.copy() })
            expectEqual(rows, [["a": 1, "b": "x"], ["a": 2, "b": "y"]])
        }
    }

    @Test func copiesKeepTheirAdapter() throws {
        try TestDatabases.makeQueue().write { db in
            let adapter = RangeRowAdapter(0..<1).addingScopes(["s": SuffixRowAdapter(fromIndex: 1)])
            let rows = try Row.fetchCursor(db, sql: Self.sql, adapter: adapter)
            let live = try unwrap(rows.next())
            let copy = live.copy()
            let scopeCopy = live.scopes["s"]?.copy()
            let unadaptedCopy = live.unadapted.copy()
            expectEqual(copy, live)
            _ = try rows.next()
            #expect(copy != live)
            expectEqual(copy, copy.copy())
            expectEqual(Array(copy.columnNames), ["a"])
            expectEqual(copy.scopes["s"], ["b": "x"])
            expectEqual(copy.unadapted, ["a": 1, "b": "x"])
            expectEqual(scopeCopy, ["b": "x"])
            expectEqual(scopeCopy?.unadapted, ["a": 1, "b": "x"])
            expectEqual(unadaptedCopy, ["a": 1, "b": "x"])
        }
    }

    @Test func aCopyHasTheValuesAsSQLiteStoresThem() throws {
        try TestDatabases.makeQueue().write { db in
            let sql = "SELECT 1 AS i, 1.0 AS d, 'a' || char(0) || 'b' AS s, x'00ff' AS x, NULL AS n"
            let rows = try Row.fetchCursor(db, sql: sql)
            let row = try unwrap(rows.next()?.copy())
            expectEqual(
                row.databaseValues.map(\.storage),
                [
                    .int64(1), .double(1), .string("a\0b"), .blob(.init([0, 0xff])), .null,
                ])
        }
    }

    /// Rows of one result share memory. A row that outlives the others keeps its values.
    @Test(arguments: [0, 1, 2, 5, 6, 85, 86, 500])
    func copiesOfManyRowsOutliveOneAnother(count: Int) throws {
        let rows = try TestDatabases.makeQueue().write { db in
            try Row.fetchAll(
                db,
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ?)
                    SELECT i, 'a text that is allocated apart: ' || i AS s, NULL AS n FROM n LIMIT ?
                    """, arguments: [count, count])
        }
        expectEqual(rows.count, count)
        var kept: [Int: Row] = [:]
        for (index, row) in rows.enumerated() where index % 7 == 0 { kept[index + 1] = row }
        _ = consume rows
        for (number, row) in kept {
            expectEqual(
                row,
                ["i": number, "s": "a text that is allocated apart: \(number)", "n": nil])
        }
    }

    /// Short texts and blobs are stored behind the values of their row, long ones apart, and a storage has
    /// room for rows of the size of its first one.
    @Test(arguments: [1, 2, 3])
    func copiesHaveTextsAndBlobsOfAnyLength(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let lengths = (0..<300).map { _ in
            [0, 1, 15, 16, 40, 1023, 1024, 5000].randomElement(using: &generator)!
        }
        let expected = lengths.map { length in
            (
                String(repeating: "é", count: length / 2),
                Data(repeating: UInt8(length % 251), count: length)
            )
        }
        let rows = try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (i INTEGER PRIMARY KEY, s TEXT, x BLOB, d DOUBLE)")
            for (text, data) in expected {
                try db.execute(
                    sql: "INSERT INTO t (s, x, d) VALUES (?, ?, ?)", arguments: [text, data, 0.5])
            }
            return try Row.fetchAll(db, sql: "SELECT s, x, i, d, NULL AS n FROM t ORDER BY i")
        }
        expectEqual(rows.count, expected.count)
        for (index, (row, (text, data))) in zip(rows, expected).enumerated() {
            expectEqual(row, ["s": text, "x": data, "i": index + 1, "d": 0.5, "n": nil])
            expectEqual(row["s"] as String, text)
            expectEqual(row["x"] as Data?, data)
        }
    }

    @Test func copiesOfAdaptedRowsOutliveOneAnother() throws {
        let adapter = SuffixRowAdapter(fromIndex: 1)
            .addingScopes(["first": RangeRowAdapter(0..<1)])
        var rows = try TestDatabases.makeQueue().write { db in
            try Row.fetchAll(
                db,
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                    SELECT i, -i AS j FROM n
                    """, adapter: adapter)
        }
        let last = try unwrap(rows.last)
        let scope = try unwrap(last.scopes["first"])
        rows = []
        expectEqual(Array(last).map(\.0), ["j"])
        expectEqual(last["j"], -300)
        expectEqual(scope, ["i": 300])
        expectEqual(last.unadapted, ["i": 300, "j": -300])
    }

    @Test func rowsWithoutColumnsAreCopied() throws {
        expectEqual(Row(), Row())
        expectEqual(Row().copy().count, 0)
        try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchAll(db, sql: "SELECT 1", adapter: EmptyRowAdapter())
            expectEqual(rows, [Row()])
        }
    }
}
