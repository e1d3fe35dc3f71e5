/// What the schema says of one foreign key.
///
/// See ``Database/foreignKeys(on:in:)``.
///
/// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_foreign_key_list>
public struct ForeignKeyInfo: Sendable {
    /// The number that identifies the foreign key in its table: `id` in `PRAGMA
    /// foreign_key_list`.
    public var id: Int

    /// The name of the destination table, as the foreign key spells it.
    public let destinationTable: String

    /// The column to column mapping.
    public let mapping: [(origin: String, destination: String)]

    /// What happens to referencing rows when the row they refer to is deleted; nil for nothing.
    public let deleteAction: Database.ForeignKeyAction?

    /// What happens to referencing rows when the key of the row they refer to changes; nil for
    /// nothing.
    public let updateAction: Database.ForeignKeyAction?

    /// The origin columns.
    public var originColumns: [String] { mapping.map(\.origin) }

    /// The destination columns.
    public var destinationColumns: [String] { mapping.map(\.destination) }
}

/// A foreign key as a table declares it, whether or not its destination exists.
struct ForeignKeyDeclaration {
    var id: Int
    var destinationTable: String
    var originColumns: [String]

    /// Nil when the foreign key refers to the primary key.
    var destinationColumns: [String]?

    var deleteAction: Database.ForeignKeyAction?
    var updateAction: Database.ForeignKeyAction?
}
