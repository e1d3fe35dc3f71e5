/// Statement arguments that are written as an array literal: `[1, "Arthur"]`.
///
/// Methods that take ``StatementArguments`` have an overload for literals when it is worth it. The
/// values then go to SQLite as they are.
public struct _ArgumentsLiteral: ExpressibleByArrayLiteral {
    let elements: [(any DatabaseValueConvertible)?]

    /// Creates the arguments of a literal.
    public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
        self.elements = elements
    }
}
