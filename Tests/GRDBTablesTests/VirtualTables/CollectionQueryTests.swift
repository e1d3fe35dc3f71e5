@testable import GRDBTables
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Random queries of a table over a collection have the results of an ordinary table.
@Suite(.databases) struct CollectionQueryTests {
    private struct Element: Sendable {
        var id: Int
        var number: Double
        var text: String?
        var mixed: DatabaseValue
    }

    /// SQLite sees NULL, which is nowhere among the numbers.
    @Test(arguments: DatabaseKind.allCases)
    func notANumberIsNull(kind: DatabaseKind) throws {
        let numbers: [Double] = [3, .nan, 1, -.nan, 2, .infinity, .nan, -.infinity, 0, .nan]
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(table: "number", of: numbers) { t in t.column("n", \.self).indexed() }
        configuration.add(table: "small", of: numbers.map { Float($0) }) { t in
            t.column("n", \.self).indexed()
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.read { db throws in
            for table in ["number", "small"] {
                func values(_ tail: String) throws -> [Double?] {
                    try Double?.fetchAll(db, sql: "SELECT n FROM \(table) \(tail)")
                }
                let sorted: [Double] = [-.infinity, 0, 1, 2, 3, .infinity]
                try expectEqual(values("ORDER BY n"), [nil, nil, nil, nil] + sorted)
                try expectEqual(values("WHERE n > 0.5 ORDER BY n"), [1, 2, 3, .infinity])
                try expectEqual(values("WHERE n BETWEEN 1 AND 2 ORDER BY n DESC"), [2, 1])
                try expectEqual(values("WHERE n IS NULL").count, 4)
                try expectEqual(values("WHERE n = 2"), [2])
                try expectEqual(
                    Double?.fetchAll(db, sql: "SELECT DISTINCT n FROM \(table)").count,
                    7)
            }
        }
    }

    @Test func distinctValuesOfSomeRowIDs() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.read { db throws in
            db.add(table: "t", of: [1, 1, 2, 2, 3]) { t in t.column("n", \.self).indexed() }
            for (condition, expected) in [
                ("rowid > 1", [1, 2, 3]), ("rowid % 2 = 0", [1, 2]),
                ("rowid IN (2, 4, 5)", [1, 2, 3]),
                ("n > 1 AND abs(rowid) <> 3", [2, 3]),
            ] {
                try expectEqual(
                    Int.fetchAll(db, sql: "SELECT DISTINCT n FROM t WHERE \(condition)"), expected,
                    "\(condition)")
            }
        }
    }

    @Test(arguments: [Int.min, -1, 0, Int.max])
    func estimatesOfRows(count: Int) throws {
        try TestDatabases.makeQueue().read { db throws in
            db.add(
                module: .table("t", rows: { _ in [1, 2, 3] }) { t in
                    t.column("n", \.self).indexed()
                    t.estimatedRowCount(count)
                })
            for (condition, expected) in [
                ("1", [1, 2, 3]), ("n = 2", [2]), ("n > 1", [2, 3]), ("n IN (3)", [3]),
            ] {
                try expectEqual(
                    Int.fetchAll(db, sql: "SELECT n FROM t WHERE \(condition)"), expected)
            }
        }
    }

    @Test func declaredTypesConvertValues() throws {
        try TestDatabases.makeQueue().read { db throws in
            db.add(table: "t", of: ["10", "9", "x", "1e1", " 7"]) { t in
                t.column("n", \.self, .integer).indexed()
                t.column("s", .text) { $0.count }.indexed()
            }
            try expectEqual(
                DatabaseValue.fetchAll(db, sql: "SELECT n FROM t ORDER BY n"),
                [7, 9, 10, 10].map(\.databaseValue) + ["x".databaseValue])
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM t WHERE n = 10"), [1, 4])
            try expectEqual(
                Int.fetchAll(db, sql: "SELECT rowid FROM t WHERE n > 8 AND n < 11"),
                [
                    2, 1, 4,
                ])
            try expectEqual(String.fetchAll(db, sql: "SELECT DISTINCT typeof(s) FROM t"), ["text"])
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM t WHERE s = '3'"), [4])
        }
    }

    @Test(arguments: ["INTEGER", "NUMERIC", "REAL", "TEXT", "BLOB", ""])
    func valuesAreThoseOfOrdinaryColumns(type: String) throws {
        struct Sample {
            var int = 2
            var small: Int8 = 3
            var flag = true
            var double = 4.0
            var float: Float = 0.5
            var text = "5"
            var optionalInt: Int? = 6
            var optionalDouble: Double? = 7
            var optionalText: String? = "8"
            var none: Int?
        }
        let values: StatementArguments = [2, 3, true, 4.0, 0.5, "5", 6, 7.0, "8", nil]
        try TestDatabases.makeQueue().write { db throws in
            db.add(table: "t", of: [Sample()]) { t in
                let type = Database.ColumnType(rawValue: type)
                t.column("c0", \.int, type)
                t.column("c1", \.small, type)
                t.column("c2", \.flag, type)
                t.column("c3", \.double, type)
                t.column("c4", \.float, type)
                t.column("c5", \.text, type)
                t.column("c6", \.optionalInt, type)
                t.column("c7", \.optionalDouble, type)
                t.column("c8", \.optionalText, type)
                t.column("c9", \.none, type)
            }
            let names = (0..<10).map { "c\($0)" }
            try db.execute(
                sql: "CREATE TABLE plain(\(names.map { "\($0) \(type)" }.joined(separator: ", ")))")
            try db.execute(
                sql: "INSERT INTO plain VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))",
                arguments: values)
            let selection = names.map { "typeof(\($0)) || ' ' || quote(\($0))" }
                .joined(separator: " || ', ' || ")
            try expectEqual(
                String.fetchOne(db, sql: "SELECT \(selection) FROM t"),
                String.fetchOne(db, sql: "SELECT \(selection) FROM plain"))
        }
    }

    /// Compared with a column of numbers, the text `9` is a number, and precedes the text that this column holds.
    @Test func textsAreComparedAsNumbers() throws {
        try TestDatabases.makeQueue().write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE number(n NUMERIC); INSERT INTO number VALUES ('+'), ('5x'), (7);
                    CREATE TABLE plain(a TEXT, b); INSERT INTO plain
                    SELECT value, value FROM json_each('["10", "9", "x", "+", "", " 7", "5x", "1e1"]')
                    """)
            let texts = try String.fetchAll(db, sql: "SELECT a FROM plain")
            db.add(table: "texts", of: texts) { t in
                t.column("a", \.self).indexed()
                t.column("b", .init(rawValue: "")) { $0 }.indexed()
            }
            for column in ["a", "b"] {
                for comparison in ["<", "<=", ">", ">=", "=", "IS", "<>"] {
                    let condition = "\(column) \(comparison) n ORDER BY 1, 2"
                    func pairs(_ table: String) throws -> String {
                        let rows = try Row.fetchAll(
                            db,
                            sql: "SELECT a, n FROM \(table), number WHERE \(condition)")
                        return "\(condition): \(rows)"
                    }
                    try expectEqual(pairs("texts"), pairs("plain"))
                }
            }
        }
    }

    /// The type `HIDDEN` is none.
    @Test func parametersKeepTheirValues() throws {
        try TestDatabases.makeQueue().read { db throws in
            db.add(
                module: .tableFunction("f", parameters: ["p"], rows: { $1 }) { t in
                    t.column("v", \.self)
                    t.column("h", .init(rawValue: "VARCHAR(9)")) { $0 }
                })
            let row = try Row.fetchOne(db, sql: "SELECT v, h, p, p < 'a', typeof(p) FROM f('01')")
            expectEqual(
                row.map { $0.databaseValues.map(\.description) },
                [#""01""#, #""01""#, #""01""#, "1", #""text""#])
            // The type is behind, since it may have parentheses.
            db.add(table: "hidden", of: [1, 2]) { t in
                t.column("v", \.self)
                t.column("h", .init(rawValue: "VARCHAR(9)")) { $0 * 2 }.hidden()
            }
            try expectEqual(Row.fetchOne(db, sql: "SELECT * FROM hidden WHERE h = '4'"), ["v": 2])
        }
    }

    /// SQLite found no order of the join if the plan for IN also took values of another table.
    @Test func functionsInJoins() throws {
        try TestDatabases.makeQueue().read { db throws in
            db.add(
                module: .tableFunction("f", parameters: ["p"], rows: { _, _ in [1, 2, 3] }) { t in
                    t.column("h") { $0 * 2 }.hidden()
                    t.column("v", \.self).indexed()
                })
            try expectEqual(
                Int.fetchOne(
                    db,
                    sql: """
                        SELECT count(*) FROM f a
                        WHERE EXISTS (SELECT 1 FROM f b WHERE a.v = b.v AND b.p = 1) AND a.p IN (0, 2)
                        """),
                6)
            // The argument is the one of the parameter.
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT *, h, p FROM f('x') WHERE v > 2"),
                [["v": 3, "h": 6, "p": "x"]])
        }
    }

    @Test func argumentsInBranchesOfORAreNull() throws {
        try TestDatabases.makeQueue().read { db throws in
            db.add(
                module: .tableFunction(
                    "f", parameters: ["p", "q"],
                    rows: { _, arguments in ["\(arguments[0]) \(arguments[1])"] }
                ) { t in t.column("v", \.self) })
            for (query, expected) in [
                ("f WHERE p = 1 OR p = 2", ["1 NULL", "2 NULL"]),
                ("f WHERE p IN (1, 2)", ["1 NULL", "2 NULL"]),
                ("f WHERE (p = 1 OR p = 2) AND (q = 3 OR q = 4)", ["1 3", "1 4", "2 3", "2 4"]),
                ("f WHERE p = 1 OR q = 2", []),
                ("f WHERE (p = 1 AND q = 2) OR (p = 3 AND q = 4)", []),
                ("f WHERE p = 1 OR v > 'N'", ["NULL NULL"]),
                ("f(1) WHERE q = 2 OR v > 'N'", []),
                ("f(1) WHERE q = 2 OR v > '1 N'", ["1 NULL"]),
                ("f(1, 2) UNION ALL SELECT v FROM f(3, 4)", ["1 2", "3 4"]),
            ] {
                let rows = try String.fetchAll(db, sql: "SELECT v FROM \(query) ORDER BY v")
                expectEqual(rows, expected, "\(query)")
            }
        }
    }

    /// The collation BINARY compares bytes, and those of UTF-16 have another order.
    @Test func textsInUTF16() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA encoding = 'UTF-16le'") }
        let texts = ["a", "ā", "b", "\u{FF5E}", "😀", "Ā", "z"]
        configuration.add(table: "fast", of: texts) { t in
            t.column("n", \.self).indexed()
        }
        try TestDatabases.makeQueue(.memory, configuration).write { db throws in
            try db.execute(sql: "CREATE TABLE slow(n TEXT); INSERT INTO slow SELECT n FROM fast")
            for tail in [
                "ORDER BY n", "ORDER BY n DESC", "WHERE n < 'b' ORDER BY +n",
                "WHERE n BETWEEN 'Ā' AND 'a' ORDER BY +n", "WHERE n = 'ā'", "ORDER BY rowid DESC",
            ] {
                let found = try ["fast", "slow"].map {
                    try String.fetchAll(db, sql: "SELECT n FROM \($0) \(tail)")
                }
                expectTrue(found[0] == found[1] && !found[0].isEmpty, "\(tail)")
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func randomQueries(kind: DatabaseKind) throws {
        var random = SplitMix64(seed: 29)
        func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }
        let texts = [nil, "", "a", "A", "b", "12", "1e1", "é", "e\u{301}", "z\0a"]
        let values: [DatabaseValue] = [
            .null, 0.databaseValue, 1.databaseValue, 1.5.databaseValue, "1".databaseValue,
            "a".databaseValue, Data([1]).databaseValue, (-3).databaseValue, 12.databaseValue,
        ]
        let elements = (0..<60).map { id in
            Element(
                id: id, number: pick([0, 1, 1.5, -2, .nan, .infinity, 1e300]), text: pick(texts),
                mixed: pick(values))
        }
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(table: "fast", of: elements) { t in
            t.column("id", \.id).primaryKey()
            t.column("number", \.number).indexed()
            t.column("text", \.text).indexed()
            t.column("mixed") { $0.mixed }.indexed()
            t.column("other") { $0.id % 3 }
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE slow(id INTEGER, number REAL, text TEXT, mixed, other);
                    INSERT INTO slow SELECT * FROM fast;
                    """)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM slow"), 60)
        }
        var rowCount = 0
        try writer.read { db throws in
            for _ in 0..<600 {
                var sql = pick(["SELECT", "SELECT DISTINCT"])
                let columns = ["id", "number", "text", "mixed", "other"]
                let selected = columns.shuffled(using: &random).prefix(pick([1, 1, 2, 5]))
                sql += " " + selected.joined(separator: ", ") + " FROM TABLE_NAME"
                var conditions: [String] = []
                var arguments: [DatabaseValue] = []
                for _ in 0..<pick([0, 1, 1, 2, 3]) {
                    let column = pick(columns + ["rowid"])
                    let operands = values + texts.map(\.databaseValue)
                    switch pick([0, 1, 2, 3]) {
                    case 0:
                        let list = (0..<pick([1, 3])).map { _ in pick(operands) }
                        arguments += list
                        conditions.append(
                            "\(column) IN (\(list.map { _ in "?" }.joined(separator: ", ")))")
                    case 1:
                        arguments += [pick(operands), pick(operands)]
                        conditions.append("\(column) BETWEEN ? AND ?")
                    default:
                        arguments.append(pick(operands))
                        let operation = pick(["=", "<", "<=", ">", ">=", "<>", "IS", "IS NOT"])
                        let collation = pick(["", "", "", " COLLATE NOCASE"])
                        conditions.append("\(column) \(operation) ?\(collation)")
                    }
                }
                if !conditions.isEmpty {
                    sql +=
                        " WHERE " + conditions.joined(separator: pick([" AND ", " AND ", " OR "]))
                }
                let isOrdered = pick([true, false])
                if isOrdered {
                    // All columns, so that there is one order.
                    let first = selected.first!
                    let terms = [first] + selected.dropFirst()
                    sql +=
                        " ORDER BY "
                        + terms.map { $0 + pick(["", " DESC"]) }.joined(separator: ", ")
                    if pick([true, false]) {
                        sql += " LIMIT \(pick([0, 1, 5, -1])) OFFSET \(pick([0, 1, 7, 100, -2]))"
                    }
                }
                func rows(_ table: String) throws -> [String] {
                    let rows = try Row.fetchAll(
                        db, sql: sql.replacingOccurrences(of: "TABLE_NAME", with: table),
                        arguments: StatementArguments(arguments)
                    ).map { row in row.databaseValues.map(\.dumpText).joined(separator: ", ") }
                    return isOrdered ? rows : rows.sorted()
                }
                let found = try rows("fast")
                try expectEqual(found, rows("slow"), "\(sql) \(arguments)")
                rowCount += found.count
            }
        }
        #expect(rowCount > 2000)
    }
}
