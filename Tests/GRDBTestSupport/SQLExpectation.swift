public import GRDB
public import Testing

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
    _ expected: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) rethrows {
    let sql = try TestDatabases.sql(of: body)
    expectSameSQL(sql, expected, sourceLocation)
}

/// Expects that the closure runs exactly the given SQL on the connections of the test.
public func expectSQL(
    _ expected: String, sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async rethrows {
    let sql = try await TestDatabases.sql(of: body)
    expectSameSQL(sql, expected, sourceLocation)
}

/// Expects that two SQL texts are equal, ignoring the number of blanks.
public func expectSQL(
    _ actual: String, equals expected: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    expectEqual(normalizedSQL(actual), normalizedSQL(expected), sourceLocation: sourceLocation)
}

private func expectSameSQL(
    _ actual: [String], _ expected: String, _ sourceLocation: SourceLocation
) {
    let expected = expected.split(separator: "\n").map { normalizedSQL(String($0)) }
    expectEqual(actual.map(normalizedSQL), expected, sourceLocation: sourceLocation)
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
