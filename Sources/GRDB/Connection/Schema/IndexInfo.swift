/// Information on an index.
///
/// See ``Database/indexes(on:in:)``.
///
/// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_index_list>
public struct IndexInfo: Hashable, Sendable {
    /// The origin of an index.
    ///
    /// Its database value is the one that the pragma returns:
    ///
    /// ```swift
    /// let origins = try IndexInfo.Origin.fetchAll(
    ///     db, sql: "SELECT origin FROM pragma_index_list('player')")
    /// ```
    public struct Origin: RawRepresentable, DatabaseValueConvertible, Hashable, Sendable {
        public var rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The index was created by a `CREATE INDEX` statement.
        public static let createIndex = Origin(rawValue: "c")
        /// The index was created by a `UNIQUE` constraint.
        public static let uniqueConstraint = Origin(rawValue: "u")
        /// The index was created by a `PRIMARY KEY` constraint.
        public static let primaryKeyConstraint = Origin(rawValue: "pk")
    }

    /// The name of the index.
    public let name: String

    /// The indexed columns.
    public let columns: [String]

    /// Whether the index is unique.
    public let isUnique: Bool

    /// Whether the index contains only the rows that meet a condition.
    public let isPartial: Bool

    /// The origin of the index.
    public let origin: Origin
}

/// An index on columns.
struct TableIndex {
    let info: IndexInfo

    /// Whether the index ends with the rowid. It does not in a table WITHOUT ROWID.
    let endsWithRowID: Bool
}
