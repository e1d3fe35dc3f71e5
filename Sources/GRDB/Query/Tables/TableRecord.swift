import _GRDBSystem

/// A type that represents a database table, and builds requests for its rows.
///
/// Its static methods build and run requests:
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
/// Most record types conform through ``MutablePersistableRecord`` or ``PersistableRecord``, which
/// provide persistence methods.
///
/// See <doc:Records> and <doc:Queries>.
public protocol TableRecord: SendableMetatype {
    /// The type that defines the columns of the table.
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

    /// The type of the value that provides columns to closures. Do not customize it: define
    /// `Columns`.
    associatedtype DatabaseComponents = Columns.Type

    /// The value that provides columns to closures. Do not customize it.
    static var databaseComponents: DatabaseComponents { get }

    /// The name of the table in queries of this type.
    ///
    /// The default is the name of the type, with its leading uppercase letters in lowercase:
    ///
    /// - Player: "player"
    /// - Place: "place"
    /// - PostalAddress: "postalAddress"
    /// - HTTPRequest: "httpRequest"
    /// - TOC: "toc"
    static var databaseTableName: String { get }

    /// The columns that requests select. The default is all columns.
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
    /// The type of the columns. Closures access its static members.
    public static var databaseComponents: Columns.Type { Columns.self }
}

extension SQLSelectable where Self == Column {
    /// The hidden column `rowid`.
    public static var rowID: Column { Column.rowID }
}

extension TableRecord {
    public static var databaseTableName: String { DefaultTableNames.name(for: Self.self) }

    public static var databaseSelection: [any SQLSelectable] { DefaultSelection.allColumns }

    /// Returns the number of columns that requests select.
    ///
    /// - throws: a ``DatabaseError`` if the table does not exist.
    public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
        try ResolvedQuery(all().relation, db).selectedColumnCounts().reduce(0, +)
    }

    /// The selection, as SQL nodes.
    static var sqlSelection: [SQLSelection] { databaseSelection.map(\.sqlSelection) }
}

private enum DefaultSelection {
    /// A single array for all types. It is allocated once, and compares equal to itself without a
    /// comparison of elements. `nonisolated(unsafe)` because the type of the array is not sendable.
    /// Its element is.
    nonisolated(unsafe) static let allColumns: [any SQLSelectable] = [AllColumns()]
}

/// The default names of tables, derived from type names.
enum DefaultTableNames {
    /// The names that a thread has used. A cache per thread, because each operation on a record asks for the
    /// name: threads would contend for a common lock.
    private final class Cache {
        private var entries = [(type: ObjectIdentifier, name: String)?](repeating: nil, count: 64)

        func name(for type: Any.Type) -> String {
            let id = ObjectIdentifier(type)
            // The lowest bits of addresses are equal.
            let index = Int(bitPattern: UInt(bitPattern: id) >> 4) & 63
            if let entry = entries[index], entry.type == id { return entry.name }
            let name = DefaultTableNames.name(forTypeName: "\(type)")
            entries[index] = (id, name)
            return name
        }
    }

    private static let cache = ThreadLocalPointer { Unmanaged<Cache>.fromOpaque($0).release() }

    static func name(for type: Any.Type) -> String {
        guard let pointer = cache.value else {
            let names = Cache()
            cache.value = Unmanaged.passRetained(names).toOpaque()
            return names.name(for: type)
        }
        return Unmanaged<Cache>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.name(for: type) }
    }

    /// Lowercases the leading uppercase letters, except a letter that starts the next word.
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
