public import _GRDBSystem

/// Decides how SQLite compares and sorts strings.
///
/// ```swift
/// let collation = DatabaseCollation("localized_standard") { (lhs, rhs) in
///     lhs.localizedStandardCompare(rhs)
/// }
/// db.add(collation: collation)
/// try db.execute(sql: "CREATE TABLE file (name TEXT COLLATE localized_standard)")
/// ```
///
/// Every connection has the collations ``unicodeCompare``, ``caseInsensitiveCompare``,
/// ``localizedCaseInsensitiveCompare``, ``localizedCompare`` and ``localizedStandardCompare``.
///
/// Related SQLite documentation: <https://www.sqlite.org/datatype3.html#collation>
public final class DatabaseCollation: Sendable {
    /// The identity of a collation in SQLite: its name, without ASCII case.
    public struct ID: Hashable, Sendable {
        let name: CaseInsensitiveIdentifier

        public static func == (lhs: ID, rhs: ID) -> Bool {
            lhs.name == rhs.name
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
        }
    }

    /// The identity of the collation.
    public var id: ID { ID(name: CaseInsensitiveIdentifier(name)) }

    /// The name of the collation.
    public let name: String

    /// Compares UTF-8 texts. The result is negative, zero or positive.
    let compare: @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> CInt

    /// Creates a collation.
    ///
    /// - parameter name: the collation name.
    /// - parameter function: compares two strings. Its order must be consistent; otherwise indexes
    ///   become corrupt. It is called on the thread of the connection while a statement runs, and
    ///   must not use the connection.
    public convenience init(
        _ name: String, function: @escaping @Sendable (String, String) -> ComparisonResult
    ) {
        self.init(name) { lhs, rhs in
            CInt(
                function(String(decoding: lhs, as: UTF8.self), String(decoding: rhs, as: UTF8.self))
                    .rawValue)
        }
    }

    package init(
        _ name: String,
        compare:
            @escaping @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> CInt
    ) {
        self.name = name
        self.compare = compare
    }
}

extension DatabaseCollation: Hashable {
    public static func == (lhs: DatabaseCollation, rhs: DatabaseCollation) -> Bool {
        lhs.id == rhs.id
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

extension Database {
    /// Makes a collation available to SQL, replacing one of the same name.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     db.add(collation: DatabaseCollation("reversed") { $1.compare($0) })
    /// }
    /// ```
    ///
    /// If SQLite rejects the collation, the current access throws a ``DatabaseError`` and commits
    /// nothing. If the access can't throw, the next access of the connection does. If the method is
    /// called in `prepareDatabase`, the connection is not opened.
    ///
    /// The name must not contain NUL characters. A collation can't be redefined while a statement
    /// runs. ``tryAdd(collation:)`` throws immediately.
    ///
    /// - precondition: the connection belongs to the current thread.
    public func add(collation: DatabaseCollation) {
        keepingFailure(of: "add collation \(collation.name)") { try tryAdd(collation: collation) }
    }

    /// Adds or redefines a collation like ``add(collation:)``, but throws immediately. Use it if
    /// names are not constants, or memory may be short.
    ///
    /// - throws: a ``DatabaseError``: of code `SQLITE_BUSY` while a statement runs, if the
    ///   collation is already defined; of code `SQLITE_MISUSE` if the name contains a NUL
    ///   character, or if the connection is closed or does not belong to the current thread.
    public func tryAdd(collation: DatabaseCollation) throws {
        try checkAccess()
        try register("collation", collation.name) {
            RawCollation(collation.compare).register(in: $0, name: collation.name)
        }
    }

    /// Removes a collation from the connection, so that statements that use it no longer compile.
    ///
    /// If a statement runs, the current access throws a ``DatabaseError`` of code `SQLITE_BUSY` and
    /// commits nothing. ``tryRemove(collation:)`` throws immediately.
    ///
    /// - precondition: the connection belongs to the current thread.
    public func remove(collation: DatabaseCollation) {
        keepingFailure(of: "remove collation \(collation.name)") {
            try tryRemove(collation: collation)
        }
    }

    /// Removes a collation like ``remove(collation:)``, but throws immediately.
    ///
    /// - throws: a ``DatabaseError``: of code `SQLITE_BUSY` while a statement runs; of code
    ///   `SQLITE_MISUSE` if the name contains a NUL character, or if the connection is closed or
    ///   does not belong to the current thread.
    public func tryRemove(collation: DatabaseCollation) throws {
        try checkAccess()
        try register("collation", collation.name) {
            RawCollation.remove(from: $0, name: collation.name)
        }
    }

    /// Rebuilds all indexes that use a collation.
    ///
    /// ```swift
    /// // REINDEX "swiftLocalizedCompare"
    /// try db.reindex(collation: DatabaseCollation.localizedCompare)
    /// ```
    ///
    /// Call this method after the order of the collation has changed, for example after an update
    /// of the system.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if there is no such collation,
    ///   `SQLITE_READONLY` in a read-only access.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_reindex.html>
    public func reindex(collation: DatabaseCollation) throws {
        try reindex(collation: CollationName(rawValue: collation.name))
    }

    /// Rebuilds all indexes that use a collation.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if there is no such collation,
    ///   `SQLITE_READONLY` in a read-only access.
    public func reindex(collation: CollationName) throws {
        try execute(sql: "REINDEX \(collation.rawValue.quotedDatabaseIdentifier)")
    }
}
