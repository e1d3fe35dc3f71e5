/// An object of a database schema: a table, an index, a trigger or a view.
///
/// ``Database/schemaObjects(ofType:in:)`` and ``Database/triggers(on:in:)`` return instances.
///
/// Related SQLite documentation: <https://www.sqlite.org/schematab.html>
public struct SchemaObjectInfo: Hashable, Sendable {
    /// The type of a schema object.
    public enum Kind: String, Hashable, Sendable {
        /// A table, including virtual tables.
        case table

        /// An index.
        case index

        /// A trigger.
        case trigger

        /// A view.
        case view
    }

    /// The type of the object.
    public let kind: Kind

    /// The name of the object.
    public let name: String

    /// The table or view of an index or trigger; otherwise, the name of the object itself.
    public let tableName: String

    /// The SQL text that defines the object; nil for the indexes that SQLite creates for unique and
    /// primary keys.
    public let sql: String?

    /// Whether this is a virtual table.
    public var isVirtualTable: Bool {
        // SQLite itself writes the beginning of the text.
        kind == .table && sql?.utf8.starts(with: "CREATE VIRTUAL".utf8) == true
    }
}
