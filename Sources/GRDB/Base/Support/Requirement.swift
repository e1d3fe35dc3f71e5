/// Traps with a message unless the condition is true. Unlike `precondition`, keeps the message in
/// release builds.
@inlinable
func require(
    _ condition: Bool, _ message: @autoclosure () -> String, file: StaticString = #file,
    line: UInt = #line
) {
    if !condition { fatalError(message(), file: file, line: line) }
}
