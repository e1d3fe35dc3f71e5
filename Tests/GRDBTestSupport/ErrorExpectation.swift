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
        expectEqual("\(error)", description, sourceLocation: sourceLocation)
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
        expectEqual("\(error)", description, sourceLocation: sourceLocation)
    }
}

/// Expects that the closure throws an error of a type, and returns the error.
///
/// Use this instead of `#expect(throws:)`: where a closure contains both a macro with a closure and other closures, the
/// compiler (6.3) gives two of them one name, and calls the wrong one.
@discardableResult
public func expectError<E: Error, Result>(
    _ type: E.Type, _ comment: @autoclosure () -> String = "",
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) -> E? {
    do {
        let result = try body()
        recordMissing("\(type)", result, comment(), sourceLocation)
    } catch {
        return checked(error, type, comment(), sourceLocation)
    }
    return nil
}

/// Expects that the closure throws an error of a type, and returns the error.
@discardableResult
public func expectError<E: Error, Result>(
    _ type: E.Type, _ comment: @autoclosure () -> String = "",
    sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async -> E? {
    do {
        let result = try await body()
        recordMissing("\(type)", result, comment(), sourceLocation)
    } catch {
        return checked(error, type, comment(), sourceLocation)
    }
    return nil
}

/// Expects that the closure throws this error.
public func expectError<E: Error & Equatable, Result>(
    _ expected: E, _ comment: @autoclosure () -> String = "",
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) {
    let error = expectError(E.self, comment(), sourceLocation: sourceLocation, body)
    if let error { expectEqual(error, expected, sourceLocation: sourceLocation) }
}

/// Expects that the closure throws this error.
public func expectError<E: Error & Equatable, Result>(
    _ expected: E, _ comment: @autoclosure () -> String = "",
    sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async {
    let error = await expectError(
        E.self, comment(), sourceLocation: sourceLocation, isolation: isolation, body)
    if let error { expectEqual(error, expected, sourceLocation: sourceLocation) }
}

/// Expects that the closure throws nothing.
public func expectNoError<Result>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) {
    do { _ = try body() } catch {
        Issue.record("\(error) was thrown", sourceLocation: sourceLocation)
    }
}

/// Expects that the closure throws nothing.
public func expectNoError<Result>(
    sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async {
    do { _ = try await body() } catch {
        Issue.record("\(error) was thrown", sourceLocation: sourceLocation)
    }
}

private func recordMissing(
    _ expected: String, _ result: Any, _ comment: String, _ sourceLocation: SourceLocation
) {
    Issue.record(
        "\(result) came out instead of an error \(expected) \(comment)",
        sourceLocation: sourceLocation)
}

private func checked<E: Error>(
    _ error: any Error, _ type: E.Type, _ comment: String, _ sourceLocation: SourceLocation
) -> E? {
    if let error = error as? E { return error }
    Issue.record(
        "\(String(reflecting: error)) was thrown instead of an error \(type) \(comment)",
        sourceLocation: sourceLocation)
    return nil
}
