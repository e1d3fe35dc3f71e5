public import Testing

/// An error that tests throw to check how it propagates.
public struct TestError: Error, Hashable, CustomStringConvertible {
    public var name: String

    public init(_ name: String = "") {
        self.name = name
    }

    public var description: String { name.isEmpty ? "TestError" : "TestError \(name)" }
}

/// Expects that the closure throws an error with exactly this description.
///
/// ```swift
/// try dbQueue.write { db in
///     expectError("SQLite error 1: no such table: t - while executing `DROP TABLE t`") {
///         try db.execute(sql: "DROP TABLE t")
///     }
/// }
/// ```
public func expectError<Result>(
    _ description: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Result
) {
    do {
        let result = try body()
        Issue.record(
            "\(result) came out instead of \(description)", sourceLocation: sourceLocation)
    } catch {
        #expect("\(error)" == description, sourceLocation: sourceLocation)
    }
}

/// Expects that the closure throws an error with exactly this description.
public func expectError<Result>(
    _ description: String, sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async {
    do {
        let result = try await body()
        Issue.record(
            "\(result) came out instead of \(description)", sourceLocation: sourceLocation)
    } catch {
        #expect("\(error)" == description, sourceLocation: sourceLocation)
    }
}
