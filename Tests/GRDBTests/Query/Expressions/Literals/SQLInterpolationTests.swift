import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct SQLInterpolationTests {
    /// The SQL text and the arguments of a literal.
    private func build(_ literal: SQL) throws -> String {
        try TestDatabases.makeQueue().write { db in
            let (sql, arguments) = try literal.build(db)
            return arguments.isEmpty ? sql : "\(sql) \(arguments)"
        }
    }

    private enum Color: Int, DatabaseValueConvertible {
        case red = 1
    }

    // MARK: - Values

    @Test func values() throws {
        try expectEqual(build("no interpolation"), "no interpolation")
        try expectEqual(build("a = \(1)"), "a = ? [1]")
        try expectEqual(
            build("\(1.5), \(true), \(Int8(2)), \(UInt64(3)), \(UInt(4))"),
            "?, ?, ?, ?, ? [1.5, 1, 2, 3, 4]")
        try expectEqual(build("\("it's")"), #"? ["it\'s"]"#)
        try expectEqual(build("\("abc".dropFirst())"), #"? ["bc"]"#)
        try expectEqual(build("\(Data([1]))"), "? [Data(1 bytes)]")
        try expectEqual(
            build("\(Date(timeIntervalSince1970: 0))"),
            #"? ["1970-01-01 00:00:00.000"]"#)
        try expectEqual(build("\(UUID())"), "? [Data(16 bytes)]")
        try expectEqual(build("\(URL(string: "http://a")!)"), #"? ["http://a"]"#)
        try expectEqual(build("\(Color.red)"), "? [1]")
        try expectEqual(build("\(1.databaseValue), \(DatabaseValue.null)"), "?, NULL [1]")
        try expectEqual(build("\(NSNull())"), "NULL")
    }

    @Test func optionals() throws {
        try expectEqual(build("\(Int?.some(3)), \(Int?.none)"), "?, NULL [3]")
        try expectEqual(build("\(String?.some("x")), \(String?.none)"), #"?, NULL ["x"]"#)
        try expectEqual(build("\(Data?.some(Data([1]))), \(Data?.none)"), "?, NULL [Data(1 bytes)]")
        try expectEqual(build("\(Date?.none), \(UUID?.none)"), "NULL, NULL")
        try expectEqual(build("\(Color?.some(.red)), \(Color?.none)"), "?, NULL [1]")
        try expectEqual(
            build("\(DatabaseValue?.some(1.databaseValue)), \(DatabaseValue?.none)"),
            "?, NULL [1]")
    }

    @Test func existentials() throws {
        let value: any DatabaseValueConvertible = 1
        let optional: (any DatabaseValueConvertible)? = "x"
        let none: (any DatabaseValueConvertible)? = nil
        try expectEqual(build("\(value), \(optional), \(none)"), #"?, ?, NULL [1, "x"]"#)
        let expressible: any SQLExpressible = Column("a")
        let optionalExpressible: (any SQLExpressible)? = nil
        try expectEqual(build("\(expressible), \(optionalExpressible)"), #""a", NULL"#)
        let specific: any SQLSpecificExpressible = Column("a")
        try expectEqual(build("\(specific)"), #""a""#)
        let selectable: any SQLSelectable = Column("a")
        let ordering: any SQLOrderingTerm = Column("b")
        try expectEqual(build("\(selectable) \(ordering)"), #""a" "b""#)
    }

    // MARK: - Sequences

    @Test func sequences() throws {
        try expectEqual(build("a IN \([1, 2, 3])"), "a IN (?,?,?) [1, 2, 3]")
        try expectEqual(build("a IN \(["x"])"), #"a IN (?) ["x"]"#)
        try expectEqual(build("a IN \(Set([7]))"), "a IN (?) [7]")
        try expectEqual(build("a IN \(1...3)"), "a IN (?,?,?) [1, 2, 3]")
        try expectEqual(build("a IN \([1, nil, 3])"), "a IN (?,NULL,?) [1, 3]")
        try expectEqual(
            build("a IN \([Data([1]), Data()])"),
            "a IN (?,?) [Data(1 bytes), Data(0 bytes)]")
        try expectEqual(build("a IN \([Color.red])"), "a IN (?) [1]")
        try expectEqual(
            build("a IN \(["a", "b"].lazy.map { $0 + "x" })"),
            #"a IN (?,?) ["ax", "bx"]"#)
        try expectEqual(build("a IN \(AnySequence([1, 2]))"), "a IN (?,?) [1, 2]")
        try expectEqual(build("\([Column("a"), Column("b")])"), #"("a","b")"#)
        try expectEqual(
            build("a IN \([1, "x", Column("b")] as [any SQLExpressible])"),
            #"a IN (?,?,"b") [1, "x"]"#)
        try expectEqual(build("a IN \(["\(1) + \(2)", "x"] as [SQL])"), "a IN (? + ?,x) [1, 2]")
    }

    @Test func emptySequences() throws {
        try expectEqual(build("a IN \([Int]())"), "a IN (SELECT NULL WHERE NULL)")
        try expectEqual(build("a IN \(Set<String>())"), "a IN (SELECT NULL WHERE NULL)")
        try expectEqual(build("a IN \([any SQLExpressible]())"), "a IN (SELECT NULL WHERE NULL)")
        try TestDatabases.makeQueue().write { db in
            let none: SQLRequest<Bool> = "SELECT 1 IN \([Int]())"
            try expectEqual(none.fetchOne(db), false)
            let all: SQLRequest<Bool> = "SELECT 1 NOT IN \([Int]())"
            try expectEqual(all.fetchOne(db), true)
            // Even of NULL.
            let null: SQLRequest<Bool> = "SELECT \(Int?.none) IN \([Int]())"
            try expectEqual(null.fetchOne(db), false)
        }
    }

    /// `Data` is a sequence of integers, and a string one of characters.
    @Test func valuesThatAreSequences() throws {
        try expectEqual(build("a = \(Data([1, 2]))"), "a = ? [Data(2 bytes)]")
        try expectEqual(build("a = \("xy")"), #"a = ? ["xy"]"#)
        try expectEqual(build("a IN \([UInt8(1), 2])"), "a IN (?,?) [1, 2]")
        try expectEqual(build("a IN \("xy".map(String.init))"), #"a IN (?,?) ["x", "y"]"#)
    }

    // MARK: - SQL

    @Test func rawSQL() throws {
        try expectEqual(build("SELECT \(sql: "a, b")"), "SELECT a, b")
        let arguments: StatementArguments = [1, "x"]
        try expectEqual(
            build("\(sql: "a = ? AND b = ?", arguments: arguments)"),
            #"a = ? AND b = ? [1, "x"]"#)
        try expectEqual(
            build("\(sql: "a = :n", arguments: ["n": 1]), \(2)"),
            #"a = :n, ? ["n": 1, 2]"#)
        try expectEqual(build("\(1) \(sql: "?", arguments: [2]) \(3)"), "? ? ? [1, 2, 3]")
    }

    @Test func literals() throws {
        let condition: SQL = "a = \(1)"
        try expectEqual(build("b AND \(condition)"), "b AND a = ? [1]")
        try expectEqual(build("b AND \(literal: condition)"), "b AND a = ? [1]")
        try expectEqual(
            build("\(literal: "a = \(1)") OR \("b = \(2)" as SQL)"),
            "a = ? OR b = ? [1, 2]")
        let nested: SQL = "(\("(\("\(1)" as SQL))" as SQL))"
        try expectEqual(build(nested), "((?)) [1]")
    }

    @Test func identifiers() throws {
        try expectEqual(
            build("SELECT \(identifier: "order") FROM \(identifier: "my table")"),
            #"SELECT "order" FROM "my table""#)
        try expectEqual(build("\(identifier: #"na"me"#)"), #""na""me""#)
        try TestDatabases.makeQueue().write { db in
            let name = #"a "table"; DROP TABLE t"#
            try db.execute(literal: "CREATE TABLE \(identifier: name) (\(identifier: name))")
            try db.execute(literal: "INSERT INTO \(identifier: name) VALUES (\(1))")
            let request: SQLRequest<Row> = "SELECT * FROM \(identifier: name)"
            let row: Row = [name: 1]
            try expectEqual(request.fetchOne(db), row)
        }
    }

    @Test func collations() throws {
        try expectEqual(
            build("a COLLATE \(Database.CollationName.nocase)"),
            #"a COLLATE "NOCASE""#)
        try expectEqual(build("a COLLATE \(.nocase)"), #"a COLLATE "NOCASE""#)
        try expectEqual(
            build("a COLLATE \(DatabaseCollation.unicodeCompare)"),
            #"a COLLATE "swiftCompare""#)
        try TestDatabases.makeQueue().write { db in
            let request: SQLRequest<Bool> =
                "SELECT 'É' = 'é' COLLATE \(DatabaseCollation.caseInsensitiveCompare)"
            try expectEqual(request.fetchOne(db), true)
            let nocase: SQLRequest<Bool> = "SELECT 'A' = 'a' COLLATE \(.nocase)"
            try expectEqual(nocase.fetchOne(db), true)
        }
    }

    // MARK: - Columns and expressions

    private enum Columns: String, ColumnExpression {
        case name
    }

    @Test func columns() throws {
        try expectEqual(build("SELECT \(Column("na me"))"), #"SELECT "na me""#)
        try expectEqual(build("SELECT \(Column(#"a"b"#))"), #"SELECT "a""b""#)
        try expectEqual(build("SELECT \(Column.rowID), \(Column.rank)"), #"SELECT "rowid", "rank""#)
        try expectEqual(build("SELECT \(Columns.name)"), #"SELECT "name""#)
        try expectEqual(build("\(Column?.some(Column("a"))), \(Column?.none)"), #""a", NULL"#)
        let column: any ColumnExpression = Column("a")
        try expectEqual(build("\(column)"), #""a""#)
    }

    @Test func expressions() throws {
        let reverse = DatabaseFunction("reverse", argumentCount: 1) { $0[0] }
        try expectEqual(build("\(reverse(Column("a")))"), #"reverse("a")"#)
        try expectEqual(build("\(reverse("x"))"), #"reverse(?) ["x"]"#)
        let odd = DatabaseFunction("a b", argumentCount: 2) { $0[0] }
        try expectEqual(build("\(odd(1, Column("x")))"), #""a b"(?, "x") [1]"#)
        let expression: SQLExpression = reverse(reverse(1))
        try expectEqual(build("\(expression)"), "reverse(reverse(?)) [1]")
        try expectEqual(build("\(SQLExpression?.none)"), "NULL")
    }

    // MARK: - Coding keys

    private enum CodingKeys: String, CodingKey {
        case id
        case name = "full name"
    }

    private enum ColumnKeys: String, CodingKey, ColumnExpression {
        case id
    }

    @Test func codingKeys() throws {
        try expectEqual(
            build("SELECT \(CodingKeys.id), \(CodingKeys.name)"),
            #"SELECT "id", "full name""#)
        try expectEqual(build("SELECT \(ColumnKeys.id)"), #"SELECT "id""#)
        let key: any CodingKey = CodingKeys.name
        try expectEqual(build("SELECT \(key)"), #"SELECT "full name""#)
    }

    // MARK: - Subqueries

    @Test func subqueries() throws {
        let request: SQLRequest<Int> = "SELECT a FROM t WHERE b = \(1)"
        // Parentheses are those of the literal.
        try expectEqual(
            build("SELECT * FROM u WHERE id IN (\(request))"),
            "SELECT * FROM u WHERE id IN (SELECT a FROM t WHERE b = ?) [1]")
        try expectEqual(
            build("SELECT EXISTS (\(request))"),
            "SELECT EXISTS (SELECT a FROM t WHERE b = ?) [1]")
        let any: any FetchRequest = request
        try expectEqual(build("(\(any))"), "(SELECT a FROM t WHERE b = ?) [1]")
        try expectEqual(build("(\(request.sqlSubquery))"), "(SELECT a FROM t WHERE b = ?) [1]")
        try expectEqual(build("(\(AnyFetchRequest(request)))"), "(SELECT a FROM t WHERE b = ?) [1]")

        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (5, 1)")
            let exists: SQLRequest<Bool> = "SELECT EXISTS (\(request))"
            try expectEqual(exists.fetchOne(db), true)
            let inclusion: SQLRequest<Bool> = "SELECT 5 IN (\(request))"
            try expectEqual(inclusion.fetchOne(db), true)
            let source: SQLRequest<Int> = "SELECT SUM(a) FROM (\(request) UNION ALL SELECT 2)"
            try expectEqual(source.fetchOne(db), 7)
            let common: SQLRequest<Int> = "WITH c AS (\(request)) SELECT a + \(1) FROM c"
            try expectEqual(common.fetchOne(db), 6)
        }
    }

    // MARK: - Injection

    @Test func valuesNeverBecomeSQL() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE student(name)")
            let name = "Robert'; DROP TABLE student; --"
            try db.execute(literal: "INSERT INTO student VALUES (\(name))")
            let request: SQLRequest<String> = "SELECT name FROM student WHERE name = \(name)"
            try expectEqual(request.fetchAll(db), [name])
        }
    }
}
