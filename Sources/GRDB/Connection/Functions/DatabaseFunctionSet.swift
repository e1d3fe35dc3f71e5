/// Functions and collations that belong together, and that an app adds at once.
///
/// ```swift
/// var config = Configuration()
/// config.prepareDatabase { db in
///     db.add(functions: .uuid)
///     db.add(functions: .decimal)
/// }
/// ```
///
/// No connection has them unless it adds them. A schema that uses a function, in an index for example,
/// needs it in every connection that opens the database.
public struct DatabaseFunctionSet: Sendable {
    /// The functions of the set.
    public var functions: [DatabaseFunction]

    /// The collations of the set.
    public var collations: [DatabaseCollation]

    /// Creates a set.
    public init(functions: [DatabaseFunction] = [], collations: [DatabaseCollation] = []) {
        self.functions = functions
        self.collations = collations
    }
}

extension Database {
    /// Adds a set of functions and collations.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     db.add(functions: .uuid)
    /// }
    /// ```
    ///
    /// If SQLite refuses a function, the current access throws, as ``add(function:)`` says.
    ///
    /// - precondition: the connection belongs to the current thread.
    public func add(functions set: DatabaseFunctionSet) {
        set.functions.forEach(add(function:))
        set.collations.forEach(add(collation:))
    }

    /// Adds a set of functions and collations, as ``add(functions:)`` does, or throws.
    ///
    /// - throws: what ``tryAdd(function:)`` and ``tryAdd(collation:)`` throw.
    public func tryAdd(functions set: DatabaseFunctionSet) throws {
        try set.functions.forEach(tryAdd(function:))
        try set.collations.forEach(tryAdd(collation:))
    }
}
