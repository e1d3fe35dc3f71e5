public import Testing

/// Expects that two values are equal.
///
/// Like `#expect(actual == expected)`, which takes the compiler ten times as long: it tries all operators `==`, of
/// which the query interface has many, and expands a macro with three closures.
public func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
) {
    if actual == expected { return }
    Issue.record(
        "\(String(reflecting: actual)) came out instead of \(String(reflecting: expected))",
        sourceLocation: sourceLocation)
}
