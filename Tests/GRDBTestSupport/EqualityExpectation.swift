public import Testing

/// Expects that two values are equal.
///
/// Like `#expect(actual == expected)`, which takes the compiler ten times as long: it tries all operators `==`, of
/// which the query interface has many, and expands a macro with three closures.
public func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ comment: @autoclosure () -> String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    if actual == expected { return }
    Issue.record(
        "\(String(reflecting: actual)) came out instead of \(String(reflecting: expected)) \(comment())",
        sourceLocation: sourceLocation)
}

/// Expects that a value is nil, which may be of a type that is not `Equatable`.
public func expectNil<Value>(
    _ value: Value?, _ comment: @autoclosure () -> String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    guard let value else { return }
    Issue.record(
        "\(String(reflecting: value)) came out instead of nil \(comment())",
        sourceLocation: sourceLocation)
}

/// Expects that a condition holds.
///
/// Use this instead of `#expect` for conditions that contain closures: see ``expectError(_:_:sourceLocation:_:)``.
public func expectTrue(
    _ condition: Bool, _ comment: @autoclosure () -> String = "A condition doesn't hold",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    if !condition { Issue.record("\(comment())", sourceLocation: sourceLocation) }
}

/// Returns a value that must not be nil.
///
/// Use this instead of `#require` for values that are found by closures: see
/// ``expectError(_:_:sourceLocation:_:)``.
public func unwrap<Value>(
    _ value: Value?, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Value {
    if let value { return value }
    Issue.record("A value of type \(Value.self) is missing", sourceLocation: sourceLocation)
    throw TestError("missing value")
}
