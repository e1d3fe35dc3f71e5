/// The options of a `CREATE TABLE` statement.
///
/// ```swift
/// // CREATE TEMPORARY TABLE IF NOT EXISTS "player" (...)
/// try db.create(table: "player", options: [.temporary, .ifNotExists]) { t in ... }
/// ```
public struct TableOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Does nothing if a table of this name exists, even if its columns are different.
    public static let ifNotExists = TableOptions(rawValue: 1 << 0)

    /// Creates a table that only this connection sees, and that is deleted when the connection is
    /// closed.
    public static let temporary = TableOptions(rawValue: 1 << 1)

    /// Creates a table without rowids. See <https://www.sqlite.org/withoutrowid.html>.
    public static let withoutRowID = TableOptions(rawValue: 1 << 2)

    /// Creates a table whose columns accept only values of their type. See
    /// <https://www.sqlite.org/stricttables.html>.
    public static let strict = TableOptions(rawValue: 1 << 3)
}

/// The options of a `CREATE INDEX` statement.
public struct IndexOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Does nothing if an index of this name exists, even if its columns are different.
    public static let ifNotExists = IndexOptions(rawValue: 1 << 0)

    /// Creates a unique index.
    public static let unique = IndexOptions(rawValue: 1 << 1)
}

/// The options of a `CREATE VIEW` statement.
public struct ViewOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Does nothing if a view of this name exists, even if its query is different.
    public static let ifNotExists = ViewOptions(rawValue: 1 << 0)

    /// Creates a view that only this connection sees, and that is deleted when the connection is
    /// closed.
    public static let temporary = ViewOptions(rawValue: 1 << 1)
}

/// Options for the creation of a virtual table.
public struct VirtualTableOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Does nothing if a table of this name exists, even if its columns are different.
    public static let ifNotExists = VirtualTableOptions(rawValue: 1 << 0)

    /// Creates a table that only this connection sees, and that is deleted when the connection is
    /// closed.
    public static let temporary = VirtualTableOptions(rawValue: 1 << 1)
}

/// Options of the methods that drop tables, indexes, views and triggers.
public struct DropOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Does nothing if there is no such object.
    public static let ifExists = DropOptions(rawValue: 1 << 0)
}
