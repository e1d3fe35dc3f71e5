/// Information on a foreign key.
///
/// See ``Database/foreignKeys(on:in:)``.
///
/// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_foreign_key_list>
public struct ForeignKeyInfo: Sendable {
    /// The number of the foreign key in its table: `id` in `PRAGMA foreign_key_list`.
    public var id: Int

    /// The name of the destination table, as spelled in the foreign key.
    public let destinationTable: String

    /// The mapping from origin columns to destination columns.
    public let mapping: [(origin: String, destination: String)]

    /// The action on referencing rows when the referenced row is deleted; nil for no action.
    public let deleteAction: Database.ForeignKeyAction?

    /// The action on referencing rows when the key of the referenced row changes; nil for no
    /// action.
    public let updateAction: Database.ForeignKeyAction?

    /// The origin columns.
    public var originColumns: [String] { mapping.map(\.origin) }

    /// The destination columns.
    public var destinationColumns: [String] { mapping.map(\.destination) }
}

/// A foreign key as declared by a table. Its destination may not exist.
package struct ForeignKeyDeclaration {
    var id: Int
    package var destinationTable: String
    var originColumns: [String]

    /// Nil if the foreign key refers to the primary key.
    var destinationColumns: [String]?

    var deleteAction: Database.ForeignKeyAction?
    var updateAction: Database.ForeignKeyAction?
}
