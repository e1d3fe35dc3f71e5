import GRDBSQLite
import GRDBTestSupport
import Testing

@testable import GRDB

/// Evaluates an SQL expression in a private database, and reads the column of the result.
///
/// Independent of the statements of the library, so that the conversions stand alone.
///
/// - parameter arguments: bound by their own means. A result code other than SQLITE_OK is thrown.
func withColumn<Result>(
    _ expression: String, _ arguments: any StatementBinding...,
    body: (SQLiteStatement) throws -> Result
) throws -> Result {
    var connection: OpaquePointer?
    try check(sqlite3_open(":memory:", &connection))
    defer { sqlite3_close(connection) }
    var handle: OpaquePointer?
    try check(sqlite3_prepare_v2(connection, "SELECT \(expression)", -1, &handle, nil))
    defer { sqlite3_finalize(handle) }
    let statement = try unwrap(handle)
    for (index, argument) in arguments.enumerated() {
        try check(argument.bind(to: statement, at: CInt(index + 1)))
    }
    expectEqual(sqlite3_step(statement), SQLITE_ROW)
    return try body(statement)
}

struct UnexpectedResultCode: Error, Equatable {
    var code: CInt
}

private func check(_ code: CInt) throws {
    guard code == SQLITE_OK else { throw UnexpectedResultCode(code: code) }
}

/// What a live column gives.
func column<Value: StatementColumnConvertible>(
    _ expression: String, as type: Value.Type = Value.self
) throws -> Value? {
    try withColumn(expression) { Value.fromStatement($0, atUncheckedIndex: 0) }
}

/// What a copied column gives.
func copiedColumn<Value: DatabaseValueConvertible>(
    _ expression: String, as type: Value.Type = Value.self
) throws -> Value? {
    try Value.fromDatabaseValue(databaseValue(expression))
}

/// What SQLite makes of an expression.
func databaseValue(_ expression: String) throws -> DatabaseValue {
    try withColumn(expression) { DatabaseValue(sqliteStatement: $0, index: 0) }
}

/// What SQLite makes of a bound value.
func boundValue(_ value: any StatementBinding) throws -> DatabaseValue {
    try withColumn("?", value) { DatabaseValue(sqliteStatement: $0, index: 0) }
}

/// Checks that a value survives SQLite, bound by its own means and as a database value, read from
/// a live column and from a copied one.
func expectRoundTrip<Value>(
    _ value: Value, file: String = #filePath, line: Int = #line
) throws where Value: DatabaseValueConvertible & StatementColumnConvertible & Equatable {
    for argument in [value as any StatementBinding, value.databaseValue] {
        try withColumn("?", argument) { statement in
            expectEqual(
                Value.fromStatement(statement, atUncheckedIndex: 0), value, file: file, line: line)
            let dbValue = DatabaseValue(sqliteStatement: statement, index: 0)
            expectEqual(Value.fromDatabaseValue(dbValue), value, file: file, line: line)
            expectEqual(dbValue.storage, value.databaseValue.storage, file: file, line: line)
        }
    }
}
