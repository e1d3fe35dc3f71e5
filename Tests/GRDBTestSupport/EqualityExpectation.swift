import Testing

/// Expects that two values are equal.
///
/// Like `#expect(actual == expected)`, which takes the compiler ten times as long: it tries all operators `==`, of
/// which the query interface has many, and expands a macro with three closures.
public func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ comment: @autoclosure () -> String = "",
    file: String = #filePath, line: Int = #line
) {
    if actual == expected { return }
    recordIssue(
        "\(String(reflecting: actual)) came out instead of \(String(reflecting: expected)) \(comment())",
        file: file, line: line)
}

/// Expects that a value is nil, which may be of a type that is not `Equatable`.
public func expectNil<Value>(
    _ value: Value?, _ comment: @autoclosure () -> String = "",
    file: String = #filePath, line: Int = #line
) {
    guard let value else { return }
    recordIssue(
        "\(String(reflecting: value)) came out instead of nil \(comment())", file: file, line: line)
}

/// Expects that a condition holds.
///
/// Use this instead of `#expect` for conditions that contain closures: see ``expectError(_:_:file:line:_:)``.
public func expectTrue(
    _ condition: Bool, _ comment: @autoclosure () -> String = "A condition doesn't hold",
    file: String = #filePath, line: Int = #line
) {
    if !condition { recordIssue("\(comment())", file: file, line: line) }
}

/// Returns a value that must not be nil.
///
/// Use this instead of `#require` for values that are found by closures: see
/// ``expectError(_:_:file:line:_:)``.
public func unwrap<Value>(
    _ value: Value?, file: String = #filePath, line: Int = #line
) throws -> Value {
    if let value { return value }
    recordIssue("A value of type \(Value.self) is missing", file: file, line: line)
    throw TestError("missing value")
}

/// Records a failure at the call, or at the given place.
///
/// The defaults of all expectations are these literals instead of `#_sourceLocation`: the compiler expands this macro at
/// each call, which takes it longer than the rest of the call. A helper whose callers are in its own file needs only the
/// line.
public func recordIssue(_ text: String, file: String = #filePath, line: Int = #line) {
    // The last two components of a path have the form of an identifier: a folder instead of the module, and a name.
    let fileID = file.split(separator: "/").suffix(2).joined(separator: "/")
    let place = SourceLocation(fileID: fileID, filePath: file, line: line, column: 1)
    Issue.record("\(text)", sourceLocation: place)
}
