/// Information on the primary key of a table.
///
/// See ``Database/primaryKey(_:in:)``.
///
/// Every table has a primary key, which may be the hidden rowid:
///
/// ```swift
/// // CREATE TABLE item (name TEXT)
/// let pk = try db.primaryKey("item")
/// pk.columns     // ["rowid"]
/// pk.rowIDColumn // nil
/// pk.isRowID     // true
///
/// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)
/// let pk = try db.primaryKey("player")
/// pk.columns     // ["id"]
/// pk.rowIDColumn // "id"
/// pk.isRowID     // true
///
/// // CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT)
/// let pk = try db.primaryKey("country")
/// pk.columns     // ["code"]
/// pk.rowIDColumn // nil
/// pk.isRowID     // false
///
/// // CREATE TABLE citizenship (
/// //   citizenID INTEGER NOT NULL REFERENCES citizen(id),
/// //   countryCode TEXT NOT NULL REFERENCES country(code),
/// //   PRIMARY KEY (citizenID, countryCode)
/// // )
/// let pk = try db.primaryKey("citizenship")
/// pk.columns     // ["citizenID", "countryCode"]
/// pk.rowIDColumn // nil
/// pk.isRowID     // false
/// ```
public struct PrimaryKeyInfo: Hashable, Sendable {
    private enum Kind: Hashable {
        /// There is no declared primary key.
        case hiddenRowID
        /// A column is an alias of the rowid.
        case rowIDAlias
        /// The columns are the key of a table with or without a rowid, or of a view.
        case columns(hasRowID: Bool)
    }

    private let kind: Kind

    /// The columns of the primary key. Never empty.
    public let columns: [String]

    static let hiddenRowID = hiddenRowID(named: "rowid")

    /// - parameter name: a name of the rowid that is not the name of a column.
    static func hiddenRowID(named name: String) -> PrimaryKeyInfo {
        PrimaryKeyInfo(kind: .hiddenRowID, columns: [name])
    }

    static func rowIDAlias(_ column: String) -> PrimaryKeyInfo {
        PrimaryKeyInfo(kind: .rowIDAlias, columns: [column])
    }

    static func columns(_ columns: [String], hasRowID: Bool) -> PrimaryKeyInfo {
        PrimaryKeyInfo(kind: .columns(hasRowID: hasRowID), columns: columns)
    }

    /// The name of the `INTEGER PRIMARY KEY` column, or nil.
    public var rowIDColumn: String? { kind == .rowIDAlias ? columns[0] : nil }

    /// Whether the primary key is the rowid, hidden or declared.
    public var isRowID: Bool { kind == .rowIDAlias || kind == .hiddenRowID }

    /// Whether the table has no declared primary key.
    var isHiddenRowID: Bool { kind == .hiddenRowID }

    /// Whether the rows have a rowid, even if it is not the primary key.
    var tableHasRowID: Bool {
        if case .columns(let hasRowID) = kind { hasRowID } else { true }
    }
}
