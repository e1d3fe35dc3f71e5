import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Functions whose argument and result types come from a closure.
@Suite(.databases) struct TypedDatabaseFunctionTests {
    private func row(_ function: DatabaseFunction, _ sql: String) throws -> Row? {
        try TestDatabases.makeQueue().write { db in
            db.add(function: function)
            return try Row.fetchOne(db, sql: sql)
        }
    }

    private enum Color: String, DatabaseValueConvertible {
        case red, white
    }

    @Test func argumentsOfAnyCount() throws {
        let zero = DatabaseFunction("f") { () in "zero" }
        try expectEqual(row(zero, "SELECT f() AS r"), ["r": "zero"])
        let one = DatabaseFunction("f") { (a: Int) in a + 1 }
        try expectEqual(row(one, "SELECT f(1) AS r"), ["r": 2])
        let two = DatabaseFunction("f") { (text: String, limit: Int) in text.count > limit }
        try expectEqual(row(two, "SELECT f('Arthur', 3) AS r"), ["r": true])
        let three = DatabaseFunction("f") { (a: Int, b: Double, c: String) in "\(a) \(b) \(c)" }
        try expectEqual(row(three, "SELECT f(1, 2.5, 'x') AS r"), ["r": "1 2.5 x"])
        let four = DatabaseFunction("f") { (a: Int, b: Int, c: Int, d: Int) in [a, b, c, d].max() }
        try expectEqual(row(four, "SELECT f(1, 4, 3, 2) AS r"), ["r": 4])
        let five = DatabaseFunction("f") { (a: Int, b: Int, c: Int, d: Int, e: Int) in
            a + b + c + d + e
        }
        try expectEqual(row(five, "SELECT f(1, 2, 3, 4, 5) AS r"), ["r": 15])
    }

    @Test func theCountOfArgumentsIsThatOfTheClosure() throws {
        let two = DatabaseFunction("f") { (a: Int, b: Int) in a + b }
        expectEqual(two.id, DatabaseFunction("f", argumentCount: 2) { _ in nil }.id)
        expectError(
            "SQLite error 1: wrong number of arguments to function f() - while executing "
                + "`SELECT f(1)`"
        ) {
            try row(two, "SELECT f(1)")
        }
    }

    @Test func optionalsTakeAndReturnNull() throws {
        let function = DatabaseFunction("f") { (a: Int?, b: String?) -> String? in
            guard let a else { return b }
            return b.map { "\(a) \($0)" }
        }
        try expectEqual(row(function, "SELECT f(1, 'x') AS r"), ["r": "1 x"])
        try expectEqual(row(function, "SELECT f(NULL, 'x') AS r"), ["r": "x"])
        try expectEqual(row(function, "SELECT f(1, NULL) AS r"), ["r": nil])
        try expectEqual(row(function, "SELECT f(NULL, NULL) AS r"), ["r": nil])
    }

    @Test func anyConvertibleType() throws {
        let function = DatabaseFunction("f") { (color: Color, date: Date, data: Data) in
            color == .red ? date.addingTimeInterval(TimeInterval(data.count)) : nil
        }
        try expectEqual(
            row(function, "SELECT f('red', '1970-01-01', x'0102') AS r"),
            ["r": "1970-01-01 00:00:02.000"])
        try expectEqual(row(function, "SELECT f('white', '1970-01-01', x'') AS r"), ["r": nil])
        let value = DatabaseFunction("f") { (dbValue: DatabaseValue) in dbValue }
        try expectEqual(row(value, "SELECT f(NULL) AS r"), ["r": nil])
        let color = DatabaseFunction("f") { (isRed: Bool) -> Color in isRed ? .red : .white }
        try expectEqual(row(color, "SELECT f(0) AS r"), ["r": "white"])
    }

    @Test func argumentsOfOtherTypesAreMismatches() throws {
        let function = DatabaseFunction("f") { (a: Int, b: Color?) in a }
        for (sql, message) in [
            ("SELECT f(NULL, NULL)", "could not decode Int from argument 1, NULL"),
            ("SELECT f('x', NULL)", #"could not decode Int from argument 1, "x""#),
            ("SELECT f(1, 'blue')", #"could not decode Optional<Color> from argument 2, "blue""#),
        ] {
            let error = expectError(DatabaseError.self) { try row(function, sql) }
            expectEqual(error?.resultCode, .SQLITE_MISMATCH)
            expectEqual(error?.message, "function f: " + message)
            expectEqual(error?.sql, sql)
        }
    }

    @Test func functionsThrow() throws {
        let function = DatabaseFunction("f") { (a: Int) throws -> Int in
            if a < 0 { throw TestError("negative") }
            return a
        }
        try expectEqual(row(function, "SELECT f(1) AS r"), ["r": 1])
        expectError(TestError("negative")) { try row(function, "SELECT f(-1)") }
    }

    @Test func pureTypedFunctionsMayBeUsedInIndexes() throws {
        try TestDatabases.makeQueue().write { db in
            db.add(function: DatabaseFunction("twice", pure: true) { (a: Int) in a * 2 })
            try db.execute(sql: "CREATE TABLE t(a); CREATE INDEX i ON t(twice(a))")
            db.add(function: DatabaseFunction("impure") { (a: Int) in a * 2 })
            expectError(DatabaseError.self) {
                try db.execute(sql: "CREATE INDEX j ON t(impure(a))")
            }
        }
    }

    /// Closures on arrays of database values are not typed, whatever the spelling.
    @Test func untypedClosures() throws {
        try expectEqual(row(DatabaseFunction("f") { _ in 1 }, "SELECT f(1, 2) AS r"), ["r": 1])
        try expectEqual(row(DatabaseFunction("f") { $0.count }, "SELECT f(1, 2) AS r"), ["r": 2])
        let explicit = DatabaseFunction("f") { (values: [DatabaseValue]) in values.count }
        try expectEqual(row(explicit, "SELECT f(1, 2) AS r"), ["r": 2])
        try expectEqual(row(DatabaseFunction("f") { _ in nil }, "SELECT f(1) AS r"), ["r": nil])
    }
}
