import GRDBFunctions
import GRDB
import GRDBTestSupport
import Testing

/// Expects that an expression makes some SQL, arguments included, and that SQLite computes a value
/// from it.
///
/// The columns are those of one row: `a` is 1, `b` is -2.5, `s` is the text 'Arthur', `x` is a blob
/// of two bytes, and `n` is NULL.
///
/// ```swift
/// // What is checked as SELECT ABS("b") FROM "t"
/// try expect(abs(Column("b")), sql: #"ABS("b")"#, 2.5)
/// ```
func expect(
    _ expression: some SQLSpecificExpressible, sql: String,
    _ expected: (any DatabaseValueConvertible)?, file: String = #filePath, line: Int = #line
) throws {
    let expected = expected?.databaseValue ?? .null
    try TestDatabases.makeQueue(.memory, .withRegularExpressions).write { db in
        try db.execute(
            sql: """
                CREATE TABLE t (a, b, s, x, n);
                INSERT INTO t VALUES (1, -2.5, 'Arthur', X'00FF', NULL)
                """)
        var value: DatabaseValue?
        try expectSQL("SELECT \(sql) FROM \"t\" LIMIT 1", file: file, line: line) {
            value = try Table("t").select(expression, as: DatabaseValue.self).fetchOne(db)
        }
        expectEqual(value, expected, file: file, line: line)
        expectEqual(value?.storage, expected.storage, file: file, line: line)
    }
}

/// Expects that SQLite computes NULL from an expression.
func expectNull(
    _ expression: some SQLSpecificExpressible, sql: String,
    file: String = #filePath, line: Int = #line
) throws {
    try expect(expression, sql: sql, nil, file: file, line: line)
}

/// Expects that computing an expression fails with an error.
func expectFailure(
    _ expression: some SQLSpecificExpressible, _ message: String,
    file: String = #filePath, line: Int = #line
) throws {
    try TestDatabases.makeQueue(.memory, .withRegularExpressions).write { db in
        try db.execute(
            sql: """
                CREATE TABLE t (a, b, s, x, n);
                INSERT INTO t VALUES (1, -2.5, 'Arthur', X'00FF', NULL)
                """)
        let error = expectError(DatabaseError.self, file: file, line: line) {
            try Table("t").select(expression, as: DatabaseValue.self).fetchAll(db)
        }
        expectEqual(error?.message, message, file: file, line: line)
    }
}

extension Configuration? {
    fileprivate static var withRegularExpressions: Configuration? {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in db.add(function: .regexp) }
        return configuration
    }
}
