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
    _ description: String, file: String = #filePath, line: Int = #line,
    _ body: () throws -> Result
) {
    do {
        let result = try body()
        recordIssue("\(result) came out instead of \(description)", file: file, line: line)
    } catch {
        expectEqual("\(error)", description, file: file, line: line)
    }
}

/// Expects that the closure throws an error with exactly this description.
public func expectError<Result>(
    _ description: String, file: String = #filePath, line: Int = #line,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async {
    do {
        let result = try await body()
        recordIssue("\(result) came out instead of \(description)", file: file, line: line)
    } catch {
        expectEqual("\(error)", description, file: file, line: line)
    }
}

/// Expects that the closure throws an error of a type, and returns the error.
///
/// Use this instead of `#expect(throws:)`: where a closure contains both a macro with a closure and other closures, the
/// compiler (6.3) gives two of them one name, and calls the wrong one.
@discardableResult
public func expectError<E: Error, Result>(
    _ type: E.Type, _ comment: @autoclosure () -> String = "",
    file: String = #filePath, line: Int = #line, _ body: () throws -> Result
) -> E? {
    do {
        let result = try body()
        recordMissing("\(type)", result, comment(), file, line)
    } catch {
        return checked(error, type, comment(), file, line)
    }
    return nil
}

/// Expects that the closure throws an error of a type, and returns the error.
@discardableResult
public func expectError<E: Error, Result>(
    _ type: E.Type, _ comment: @autoclosure () -> String = "",
    file: String = #filePath, line: Int = #line,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async -> E? {
    do {
        let result = try await body()
        recordMissing("\(type)", result, comment(), file, line)
    } catch {
        return checked(error, type, comment(), file, line)
    }
    return nil
}

/// Expects that the closure throws this error.
public func expectError<E: Error & Equatable, Result>(
    _ expected: E, _ comment: @autoclosure () -> String = "",
    file: String = #filePath, line: Int = #line, _ body: () throws -> Result
) {
    let error = expectError(E.self, comment(), file: file, line: line, body)
    if let error { expectEqual(error, expected, file: file, line: line) }
}

/// Expects that the closure throws this error.
public func expectError<E: Error & Equatable, Result>(
    _ expected: E, _ comment: @autoclosure () -> String = "",
    file: String = #filePath, line: Int = #line,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async {
    let error = await expectError(
        E.self, comment(), file: file, line: line, isolation: isolation, body)
    if let error { expectEqual(error, expected, file: file, line: line) }
}

/// Expects that the closure throws nothing.
public func expectNoError<Result>(
    file: String = #filePath, line: Int = #line, _ body: () throws -> Result
) {
    do { _ = try body() } catch {
        recordIssue("\(error) was thrown", file: file, line: line)
    }
}

/// Expects that the closure throws nothing.
public func expectNoError<Result>(
    file: String = #filePath, line: Int = #line,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async {
    do { _ = try await body() } catch {
        recordIssue("\(error) was thrown", file: file, line: line)
    }
}

private func recordMissing(
    _ expected: String, _ result: Any, _ comment: String, _ file: String, _ line: Int
) {
    recordIssue(
        "\(result) came out instead of an error \(expected) \(comment)", file: file, line: line)
}

private func checked<E: Error>(
    _ error: any Error, _ type: E.Type, _ comment: String, _ file: String, _ line: Int
) -> E? {
    if let error = error as? E { return error }
    recordIssue(
        "\(String(reflecting: error)) was thrown instead of an error \(type) \(comment)",
        file: file, line: line)
    return nil
}
