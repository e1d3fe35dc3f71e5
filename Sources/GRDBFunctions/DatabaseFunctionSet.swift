import GRDB

/// A set of functions and collations that an app adds together.
///
/// ```swift
/// var config = Configuration()
/// config.prepareDatabase { db in
///     db.add(functions: .uuid)
///     db.add(functions: .decimal)
/// }
/// ```
///
/// Add the set to each connection that needs it. If a schema uses a function, for example in an
/// index, every connection that opens the database needs this function.
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
    /// If SQLite rejects a function, the current access throws an error: see ``/GRDB/Database/add(function:)``.
    ///
    /// - precondition: the connection belongs to the current thread.
    public func add(functions set: DatabaseFunctionSet) {
        set.functions.forEach(add(function:))
        set.collations.forEach(add(collation:))
    }

    /// Adds a set of functions and collations like ``GRDB/Database/add(functions:)``, but throws immediately.
    ///
    /// - throws: the errors of ``/GRDB/Database/tryAdd(function:)`` and ``/GRDB/Database/tryAdd(collation:)``.
    public func tryAdd(functions set: DatabaseFunctionSet) throws {
        try set.functions.forEach(tryAdd(function:))
        try set.collations.forEach(tryAdd(collation:))
    }
}
