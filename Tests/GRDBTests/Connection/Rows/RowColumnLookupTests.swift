import GRDB
import GRDBTestSupport
import Testing

/// Live rows guess where columns are from the accesses to the former row. No order of accesses may
/// show.
@Suite(.databases) struct RowColumnLookupTests {
    private static let sql = """
        SELECT n AS a, n * 10 AS b, n * 100 AS c, n * 1000 AS d
        FROM (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4)
        """

    private static let factors = ["a": 1, "b": 10, "c": 100, "d": 1000]

    /// Asks each row for other names, which must be all right.
    private func expectNames(_ names: [[String]]) throws {
        try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchCursor(db, sql: Self.sql)
            var number = 0
            while let row = try rows.next() {
                number += 1
                for name in names[(number - 1) % names.count] {
                    let factor = Self.factors[name.lowercased()]
                    expectTrue(row[name] as Int? == factor.map { $0 * number })
                }
            }
            expectEqual(number, 4)
        }
    }

    @Test func inOrder() throws {
        try expectNames([["a", "b", "c", "d"]])
    }

    @Test func inAnotherOrderAtEachRow() throws {
        try expectNames([
            ["a", "b", "c", "d"], ["d", "c", "b", "a"], ["b", "d", "a", "c"], ["c", "a", "d", "b"],
        ])
    }

    @Test func moreOrLessNamesAtEachRow() throws {
        try expectNames([["d"], ["a", "b"], ["b"], ["c", "d", "a", "b"]])
        try expectNames([["a", "b", "c", "d"], [], ["c"], ["b", "b"]])
    }

    @Test func theSameNameSeveralTimes() throws {
        try expectNames([Array(repeating: "c", count: 30), ["a", "c"], ["c", "a"]])
    }

    @Test func namesThatDifferByCase() throws {
        try expectNames([["a", "B"], ["A", "b"], ["A", "a", "B", "b"], ["b", "A"]])
    }

    @Test func missingColumns() throws {
        try expectNames([["x", "a"], ["a", "x"], ["x", "x", "b", "x", "a"], ["b", "a", "x"]])
    }

    @Test func moreAccessesThanGuesses() throws {
        let names = ["a", "b", "c", "d"]
        try expectNames([(0..<50).map { names[$0 % 4] }, (0..<50).map { names[$0 * 3 % 4] }])
    }

    @Test func namesAskedConditionally() throws {
        try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchCursor(db, sql: Self.sql)
            var values: [Int] = []
            while let row = try rows.next() {
                if (row["a"] as Int).isMultiple(of: 2) {
                    values.append(row["b"])
                }
                values.append(row["c"])
            }
            expectEqual(values, [100, 20, 200, 300, 40, 400])
        }
    }

    @Test func twoCursorsStepInTurns() throws {
        try TestDatabases.makeQueue().write { db in
            let first = try Row.fetchCursor(
                db, sql: "SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, 4")
            let second = try Row.fetchCursor(
                db, sql: "SELECT 5 AS b, 6 AS a UNION ALL SELECT 7, 8")
            var values: [[Int]] = []
            while let lhs = try first.next(), let rhs = try second.next() {
                values.append([lhs["a"], rhs["a"], lhs["b"], rhs["b"]])
            }
            expectEqual(values, [[1, 6, 2, 5], [3, 8, 4, 7]])
        }
    }

    @Test func nestedCursorsOfTheSameSQL() throws {
        try TestDatabases.makeQueue().write { db in
            let sql = "SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, 4"
            var values: [[Int]] = []
            let outer = try Row.fetchCursor(db, sql: sql)
            while let outerRow = try outer.next() {
                let a: Int = outerRow["a"]
                let inner = try Row.fetchCursor(db, sql: sql)
                while let innerRow = try inner.next() {
                    values.append([a, innerRow["b"], innerRow["a"], outerRow["b"]])
                }
            }
            expectEqual(values, [[1, 2, 1, 2], [1, 4, 3, 2], [3, 2, 1, 4], [3, 4, 3, 4]])
        }
    }

    @Test func scopesOfALiveRowFollowItsSteps() throws {
        try TestDatabases.makeQueue().write { db in
            let adapter = ScopeAdapter(["l": RangeRowAdapter(0..<2), "r": RangeRowAdapter(2..<4)])
            let rows = try Row.fetchCursor(db, sql: Self.sql, adapter: adapter)
            let first = try unwrap(rows.next())
            let left = try unwrap(first.scopes["l"])
            let right = try unwrap(first.scopes["r"])
            let unadapted = first.unadapted
            expectEqual(left["b"] as Int, 10)
            expectEqual(left["a"] as Int, 1)
            expectNil(left["c"] as Int?)
            expectEqual(right["d"] as Int, 1000)

            let second = try unwrap(rows.next())
            expectEqual(left["a"] as Int, 2)
            expectEqual(left["b"] as Int, 20)
            expectNil(left["c"] as Int?)
            expectEqual(right["c"] as Int, 200)
            expectEqual(right["d"] as Int, 2000)
            expectEqual(unadapted["d"] as Int, 2000)
            expectEqual(second.scopes["r"]?["c"], 200)
        }
    }

    /// Wide rows have another way of finding names.
    @Test(arguments: [3, 16, 17, 40]) func duplicatesOfWideRows(width: Int) throws {
        try TestDatabases.makeQueue().write { db in
            let columns = (2..<width).map { "\($0) AS c\($0)" }
            let sql = "SELECT 0 AS \"name\", " + columns.joined(separator: ", ") + ", 1 AS NAME"
            let rows = try Row.fetchCursor(db, sql: sql)
            let live = try unwrap(rows.next())
            for row in [live, live.copy()] {
                expectEqual(row.count, width)
                for name in ["NAME", "name", "Name"] {
                    expectEqual(row[name] as Int, 0)
                    expectTrue(row.hasColumn(name))
                }
                expectEqual(row["c2"] as Int?, (width > 2 ? 2 : nil))
                expectEqual(row["C\(width - 1)"] as Int?, width - 1)
                expectNil(row["c\(width)"] as Int?)
            }
        }
    }

    /// SQLite compares the bytes of names: a letter with an accent may be spelled in two ways,
    /// which make two names.
    @Test(arguments: [2, 30]) func namesOfOtherNormalizationForms(width: Int) throws {
        let composed = "\u{e9}"
        let decomposed = "e\u{301}"
        try TestDatabases.makeQueue().write { db in
            let others = (2..<width).map { ", 0 AS c\($0)" }.joined()
            let rows = try Row.fetchCursor(
                db, sql: "SELECT 1 AS \(composed), 2 AS \(decomposed)" + others)
            let live = try unwrap(rows.next())
            for row in [live, live.copy()] {
                expectEqual(row[composed] as Int, 1)
                expectEqual(row[decomposed] as Int, 2)
                expectEqual(row[composed] as Int, 1)
            }
        }
    }

    @Test func rowsOfTheGreatestWidth() throws {
        try TestDatabases.makeQueue().write { db in
            let width = 2000
            let columns = (0..<width).map { "n + \($0) AS column\($0)" }.joined(separator: ", ")
            let rows = try Row.fetchCursor(
                db, sql: "SELECT \(columns) FROM (SELECT 0 AS n UNION ALL SELECT 1)")
            for n in 0..<2 {
                let live = try unwrap(rows.next())
                for row in [live, live.copy()] {
                    for index in 0..<width {
                        // Each column once, in an order of its own for each row.
                        let index = (index * (7 + 4 * n) + n) % width
                        expectEqual(row["COLUMN\(index)"], n + index)
                    }
                    expectTrue(!row.hasColumn("column\(width)"))
                }
            }
        }
    }

    @Test func oddNames() throws {
        let names = [
            "", " ", "a\"b", "'", "日本", "select", "1 + 1", String(repeating: "x", count: 300),
        ]
        try TestDatabases.makeQueue().write { db in
            let columns = names.enumerated()
                .map { "\($0.offset) AS \($0.element.quotedDatabaseIdentifier)" }
            let rows = try Row.fetchCursor(db, sql: "SELECT " + columns.joined(separator: ", "))
            let live = try unwrap(rows.next())
            for row in [live, live.copy()] {
                for (index, name) in names.enumerated() {
                    expectEqual(row[name] as Int?, index)
                    expectEqual(row[Column(name)] as Int?, index)
                }
                expectEqual(Array(row.columnNames), names)
            }
        }
    }

    @Test func copiedRowsInAnyOrder() throws {
        let row: Row = ["a": 1, "b": 2, "c": 3]
        for names in [["a", "b", "c"], ["c", "b", "a"], ["b", "b", "a"], ["c", "c", "x", "a"]] {
            for name in names {
                let expected = ["a": 1, "b": 2, "c": 3][name]
                expectEqual(row[name] as Int?, expected)
            }
        }
    }
}
