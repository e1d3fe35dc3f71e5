/// Traps with the message unless the condition holds, like `precondition`, which loses its message in
/// release builds.
@inlinable
@inline(__always)
func require(
    _ condition: Bool, _ message: @autoclosure () -> String, file: StaticString = #file,
    line: UInt = #line
) {
    if !condition { fatalError(message(), file: file, line: line) }
}
