import Foundation

/// A type that stands for one table of the database, from which requests can be made.
///
/// Its static methods make requests, and run them:
///
/// ```swift
/// struct Player: TableRecord {
///     static let databaseTableName = "player"
/// }
///
/// try dbQueue.write { db in
///     try Player.deleteAll(db)
///     let count = try Player.fetchCount(db) // 0
/// }
/// ```
///
/// Most record types get this conformance through ``MutablePersistableRecord`` or
/// ``PersistableRecord``, which provide persistence methods.
public protocol TableRecord: SendableMetatype {
    /// The type that holds the columns of the table.
    ///
    /// ```swift
    /// extension Player: TableRecord {
    ///     enum Columns {
    ///         static let name = Column("name")
    ///         static let score = Column("score")
    ///     }
    /// }
    /// ```
    associatedtype Columns = Never

    /// The type of the value that gives columns to closures. Do not customize: define `Columns`.
    associatedtype DatabaseComponents = Columns.Type

    /// The value that gives columns to closures. Do not customize.
    static var databaseComponents: DatabaseComponents { get }

    /// The table that the queries of this type name.
    ///
    /// The default is the name of the type, with its first letters in lower case:
    ///
    /// - Player: "player"
    /// - Place: "place"
    /// - PostalAddress: "postalAddress"
    /// - HTTPRequest: "httpRequest"
    /// - TOC: "toc"
    static var databaseTableName: String { get }

    /// The columns selected by the record. All of them by default.
    ///
    /// ```swift
    /// struct Player: TableRecord {
    ///     // SELECT *, "rowid" FROM "player"
    ///     static var databaseSelection: [any SQLSelectable] {
    ///         [.allColumns, .rowID]
    ///     }
    /// }
    /// ```
    static var databaseSelection: [any SQLSelectable] { get }
}

extension TableRecord where DatabaseComponents == Columns.Type {
    /// The type of the columns, whose static members the closures receive.
    public static var databaseComponents: Columns.Type { Columns.self }
}

extension SQLSelectable where Self == Column {
    /// The hidden column `rowid`.
    public static var rowID: Column { Column.rowID }
}

extension TableRecord {
    public static var databaseTableName: String { DefaultTableNames.name(for: Self.self) }

    public static var databaseSelection: [any SQLSelectable] { DefaultSelection.allColumns }

    /// Returns the number of columns selected by the record.
    ///
    /// - throws: a ``DatabaseError`` if the table does not exist.
    public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
        try ResolvedQuery(all().relation, db).selectedColumnCounts().reduce(0, +)
    }

    /// The selection, as SQL nodes.
    static var sqlSelection: [SQLSelection] { databaseSelection.map(\.sqlSelection) }
}

private enum DefaultSelection {
    /// One array for all types: it is allocated once, and is known to equal itself.
    // `nonisolated(unsafe)` because the type of the array is not sendable. Its element is.
    nonisolated(unsafe) static let allColumns: [any SQLSelectable] = [AllColumns()]
}

/// The names of tables, made from those of types.
enum DefaultTableNames {
    private static let names = Locked<[ObjectIdentifier: String]>([:])

    static func name(for type: Any.Type) -> String {
        names.withLock { names in
            let id = ObjectIdentifier(type)
            if let name = names[id] { return name }
            let name = name(forTypeName: "\(type)")
            names[id] = name
            return name
        }
    }

    /// Puts the first upper-case letters in lower case, but for the one that starts the next word.
    static func name(forTypeName typeName: String) -> String {
        let name = typeName.prefix { $0 != "<" }
        guard let start = name.firstIndex(where: \.isUppercase) else { return String(name) }
        let end = name[start...].firstIndex { !$0.isUppercase } ?? name.endIndex
        let run = name[start..<end]
        let isWord = run.count == 1 || end == name.endIndex
        let lowercased = isWord ? run.lowercased() : run.dropLast().lowercased() + run.suffix(1)
        return name[..<start] + lowercased + name[end...]
    }
}
