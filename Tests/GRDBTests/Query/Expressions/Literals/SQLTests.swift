import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct SQLTests {
    private func build(_ literal: SQL) throws -> String {
        try TestDatabases.makeQueue().write { db in
            let (sql, arguments) = try literal.build(db)
            return arguments.isEmpty ? sql : "\(sql) \(arguments)"
        }
    }

    @Test func initializers() throws {
        try expectEqual(build(SQL("a = \(1)")), "a = ? [1]")
        try expectEqual(build(SQL(sql: "a = ?", arguments: [1])), "a = ? [1]")
        try expectEqual(build(SQL(sql: "a")), "a")
        try expectEqual(build(SQL(Column("a"))), #""a""#)
        try expectEqual(build(SQL(1.databaseValue)), "? [1]")
        try expectEqual(build(SQL(stringLiteral: "x")), "x")
        try expectEqual(build("é"), "é")
        try expectEqual(build(SQL(unicodeScalarLiteral: "x")), "x")
        try expectEqual(build(SQL(extendedGraphemeClusterLiteral: "x")), "x")
    }

    @Test func operators() throws {
        try expectEqual(build("a = \(1)" + " AND b = \(2)"), "a = ? AND b = ? [1, 2]")
        var literal: SQL = "a"
        literal += " b \(1)"
        literal.append(literal: " c \(2)")
        literal.append(sql: " d ?", arguments: [3])
        literal.append(sql: " e")
        try expectEqual(build(literal), "a b ? c ? d ? e [1, 2, 3]")
    }

    @Test func appendingLeavesCopiesAlone() throws {
        let original: SQL = "a"
        var copy = original
        copy += " b"
        try expectEqual(build(original), "a")
        try expectEqual(build(copy), "a b")
    }

    @Test func joined() throws {
        let conditions: [SQL] = ["a = \(1)", "b = \(2)", "c"]
        try expectEqual(
            build(conditions.joined(separator: " AND ")), "a = ? AND b = ? AND c [1, 2]")
        try expectEqual(build(conditions.dropLast().joined()), "a = ?b = ? [1, 2]")
        try expectEqual(
            build(conditions.lazy.reversed().joined(separator: ", ")),
            "c, b = ?, a = ? [2, 1]")
        try expectEqual(
            build(AnySequence(conditions).joined(separator: ";")), "a = ?;b = ?;c [1, 2]")
        try expectEqual(build([SQL]().joined(separator: " AND ")), "")
        try expectEqual(build(["x" as SQL].joined(separator: " AND ")), "x")
        try expectEqual(build(["a" as SQL, "", "b"].joined(separator: ", ")), "a, , b")
    }

    @Test func isEmpty() {
        expectTrue(("" as SQL).isEmpty)
        expectTrue(SQL("").isEmpty)
        expectTrue(SQL(sql: "").isEmpty)
        expectTrue(("\("" as SQL)" as SQL).isEmpty)
        expectTrue(([] as [SQL]).joined().isEmpty)
        expectTrue(("" + "" as SQL).isEmpty)
        expectTrue(!(" " as SQL).isEmpty)
        expectTrue(!("\(1)" as SQL).isEmpty)
        expectTrue(!SQL(Column("a")).isEmpty)
        expectTrue(!(["", ""] as [SQL]).joined(separator: ",").isEmpty)
    }

    @Test func namedArguments() throws {
        let named = SQL(sql: "SELECT :x AS a", arguments: ["x": 1])
        try expectEqual(build(named + ", \(3) AS b"), #"SELECT :x AS a, ? AS b ["x": 1, 3]"#)
        // The same value may be given twice.
        try expectEqual(
            build(named + SQL(sql: ", :x", arguments: ["x": 1])),
            #"SELECT :x AS a, :x ["x": 1]"#)
        let error = expectError(DatabaseError.self) {
            try build(named + SQL(sql: ", :x", arguments: ["x": 2]))
        }
        expectEqual(error?.resultCode, .SQLITE_MISUSE)
        expectEqual(error?.message, "already defined statement argument: x")
        try TestDatabases.makeQueue().write { db in
            let request = SQLRequest(literal: named + ", \(3) AS b")
            try expectEqual(request.fetchOne(db), ["a": 1, "b": 3])
        }
    }

    @Test func literalsAreExpressions() throws {
        let literal: SQL = "a + \(1)"
        try expectEqual(build("\(literal.sqlExpression)"), "a + ? [1]")
        try expectEqual(
            build("\(literal.sqlSelection) \(literal.sqlOrdering)"), "a + ? a + ? [1, 1]")
        let function = DatabaseFunction("f") { _ in nil }
        try expectEqual(build("\(function(literal))"), "f(a + ?) [1]")
    }

    @Test func questionMarks() {
        expectEqual(databaseQuestionMarks(count: 0), "")
        expectEqual(databaseQuestionMarks(count: 1), "?")
        expectEqual(databaseQuestionMarks(count: 3), "?,?,?")
    }

    @Test func longLiterals() throws {
        var literal: SQL = "SELECT 0"
        for index in 0..<5000 {
            literal += ", \(index)"
        }
        // Far beyond what SQLite accepts, but not beyond what a literal can hold.
        let text = try build(literal)
        expectTrue(text.hasPrefix("SELECT 0, ?, ?"))
        expectTrue(text.hasSuffix(", 4998, 4999]"))
    }
}
