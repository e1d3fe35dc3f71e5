/// A difference between a record type and its table, or a defect of keys and indexes.
///
/// See ``GRDB/Database/problems(of:samples:)``.
public struct SchemaProblem: Hashable, Sendable, CustomStringConvertible {
    /// What a problem is about.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The columns of the record are not known: the check needs samples.
        case unknownColumns
        /// The table, or a column of the record, does not exist, or can't be written.
        case missingColumn
        /// A column can't be NULL, and the record may leave it NULL or out.
        case notNull
        /// A column changes or rejects values of the record.
        case type
        /// The primary key, or the key of another table that is referred to.
        case key
        /// No index supports a foreign key.
        case unindexedForeignKey
        /// Another index, or the primary key, serves the same queries.
        case redundantIndex
    }

    /// What doesn't fit.
    public let kind: Kind

    /// The name of the table.
    public let table: String

    /// The columns that are concerned.
    public let columns: [String]

    /// The problem, in one sentence.
    public let message: String

    /// The table, its columns, and the message.
    public var description: String {
        columns.isEmpty
            ? "\(table): \(message)" : "\(table)(\(columns.joined(separator: ", "))): \(message)"
    }
}
