public import GRDB

/// Expects that the closure runs exactly the given SQL, including arguments, on the connections of
/// the test.
///
/// ```swift
/// try expectSQL(
///     """
///     BEGIN IMMEDIATE TRANSACTION
///     COMMIT TRANSACTION
///     """
/// ) {
///     try dbQueue.write { _ in }
/// }
/// ```
///
/// - parameter expected: one statement per line. Consecutive blanks are equivalent to a single one.
public func expectSQL(
    _ expected: String, file: String = #filePath, line: Int = #line,
    _ body: () throws -> Void
) rethrows {
    let sql = try TestDatabases.sql(of: body)
    expectSameSQL(sql, expected, file, line)
}

/// Expects that the closure runs exactly the given SQL on the connections of the test.
public func expectSQL(
    _ expected: String, file: String = #filePath, line: Int = #line,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async rethrows {
    let sql = try await TestDatabases.sql(of: body)
    expectSameSQL(sql, expected, file, line)
}

/// Expects that two SQL texts are equal, ignoring the number of blanks.
public func expectSQL(
    _ actual: String, equals expected: String, file: String = #filePath, line: Int = #line
) {
    expectEqual(normalizedSQL(actual), normalizedSQL(expected), file: file, line: line)
}

private func expectSameSQL(
    _ actual: [String], _ expected: String, _ file: String, _ line: Int
) {
    let expected = expected.split(separator: "\n").map { normalizedSQL(String($0)) }
    expectEqual(actual.map(normalizedSQL), expected, file: file, line: line)
}

private func normalizedSQL(_ sql: String) -> String {
    sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
}

extension Database {
    /// Returns the SQL that the closure runs, without the statements that read the schema.
    public func statements(of body: () throws -> Void) rethrows -> [String] {
        try TestDatabases.sql(of: body).filter { sql in
            !sql.hasPrefix("PRAGMA") && !sql.hasSuffix("_master")
        }
    }
}
