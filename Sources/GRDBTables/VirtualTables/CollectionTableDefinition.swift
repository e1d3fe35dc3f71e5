import GRDB

/// Defines the columns of a table over a collection: see ``GRDB/Database/add(table:of:_:)-(_,Elements,_)``.
public struct CollectionTableDefinition<Element: Sendable> {
    /// A column of a table over a collection. Its methods refine it.
    public final class Column {
        fileprivate var column: CollectionColumn

        fileprivate init(_ column: CollectionColumn) {
            self.column = column
        }

        /// Has the table look up values of the column without visiting all rows.
        ///
        /// `=` and `IN` use a hash table, `<`, `>`, `BETWEEN`, `ORDER BY` and `DISTINCT` a sorted list. Each
        /// is built when a statement first needs it, and shared by all connections. Comparisons with
        /// another collation than `BINARY` visit all rows. Table-valued functions have no indexes, because their
        /// rows are read once.
        @discardableResult
        public func indexed() -> Self {
            column.isIndexed = true
            return self
        }

        /// Makes the column the primary key, which `find`, `fetchOne(_:key:)` and associations use. The
        /// column is indexed. It is up to the collection that values are unique and not null.
        @discardableResult
        public func primaryKey() -> Self {
            column.isIndexed = true
            column.isPrimaryKey = true
            return self
        }

        /// Leaves the column out of `SELECT *`.
        @discardableResult
        public func hidden() -> Self {
            column.isHidden = true
            return self
        }
    }

    private final class Columns {
        var columns: [Column] = []
    }

    private let added = Columns()

    /// How many rows the query planner expects before the collection is known.
    private final class Estimate {
        var rowCount: Int?
    }

    private let estimate = Estimate()

    /// Adds a column that a key path leads to.
    ///
    /// ```swift
    /// try db.add(table: "process", of: processes) { t in
    ///     t.column("pid", \.pid, .integer).indexed()
    ///     t.column("name", \.name)
    /// }
    /// ```
    ///
    /// The stored properties of structures are read fastest, without a call of the key path.
    ///
    /// - parameter name: the name of the column.
    /// - parameter keyPath: the value. NULL if it is nil.
    /// - parameter type: the declared type. By default, it is the type of the values.
    @discardableResult
    public func column<Value: DatabaseValueConvertible & SendableMetatype>(
        _ name: String, _ keyPath: KeyPath<Element, Value> & Sendable,
        _ type: Database.ColumnType? = nil
    ) -> Column {
        add(
            CollectionColumn(
                name: name, type: type?.rawValue ?? CollectionColumn.declaredType(of: Value.self),
                reader: .init(keyPath)))
    }

    /// Adds a column whose values a closure computes.
    ///
    /// ```swift
    /// t.column("initial", .text) { $0.name.first.map(String.init) }
    /// ```
    ///
    /// - parameter name: the name of the column.
    /// - parameter type: the declared type, or nil for none.
    /// - parameter value: returns the value of a row. If it throws, the statement throws that error.
    @discardableResult
    public func column(
        _ name: String, _ type: Database.ColumnType? = nil,
        value: @escaping @Sendable (Element) throws -> (any DatabaseValueConvertible)?
    ) -> Column {
        add(
            CollectionColumn(
                name: name, type: type?.rawValue ?? "",
                reader: .init(computed: { (element: Element) in
                    let value = try value(element)
                    guard let dbValue = value.map(\._storableDatabaseValue) ?? .null else {
                        throw RefusedValue(description: "\(value!)").error()
                    }
                    return dbValue
                })))
    }

    /// Has the query planner expect a number of rows. By default, it is the number when the rows were last
    /// read. A negative number is 0.
    public func estimatedRowCount(_ count: Int) {
        estimate.rowCount = count
    }

    private func add(_ column: CollectionColumn) -> Column {
        let column = Column(column)
        added.columns.append(column)
        return column
    }

    var columns: [CollectionColumn] { added.columns.map(\.column) }

    var rowCount: Int? { estimate.rowCount }
}

/// A column of a table over a collection.
struct CollectionColumn: Sendable {
    let name: String
    let type: String
    let reader: ElementReader
    let affinity: RawAffinity
    var isIndexed = false
    var isPrimaryKey = false
    var isHidden = false

    init(name: String, type: String, reader: ElementReader) {
        self.name = name
        self.type = type
        self.reader = reader
        affinity = RawAffinity(declaredType: type)
    }

    /// The value as SQLite sees it.
    func value(at element: UnsafeRawPointer) throws -> DatabaseValue {
        affinity.stored(try reader.value(at: element))
    }

    var declaration: String {
        var words = [name.quotedDatabaseIdentifier]
        // In front: it can't follow a type with parentheses.
        if isHidden { words.append("HIDDEN") }
        if !type.isEmpty { words.append(type) }
        return words.joined(separator: " ")
    }

    static func declaredType(of type: any DatabaseValueConvertible.Type) -> String {
        switch type {
        case is any BinaryInteger.Type, is Bool.Type: return "INTEGER"
        case is any BinaryFloatingPoint.Type: return "REAL"
        case is String.Type: return "TEXT"
        default:
            guard let wrapping = type as? any WrappingColumnValue.Type else { return "" }
            return declaredType(of: wrapping.wrappedType)
        }
    }
}

extension RawAffinity {
    /// The value that a column has after another one was stored in it.
    func stored(_ value: DatabaseValue) -> DatabaseValue {
        switch value.storage {
        case _ where self == .blob: value
        case .null, .blob: value
        case .int64 where isNumeric && self != .real: value
        case .double where self == .real: value
        case .string where self == .text: value
        case .int64(let number): withStored(number) { DatabaseValue(rawValue: $0) }
        case .double(let number): withStored(number) { DatabaseValue(rawValue: $0) }
        case .string(let text): withStored(text) { DatabaseValue(rawValue: $0) }
        }
    }
}

private protocol WrappingColumnValue {
    static var wrappedType: any DatabaseValueConvertible.Type { get }
}

extension Optional: WrappingColumnValue where Wrapped: DatabaseValueConvertible {
    static var wrappedType: any DatabaseValueConvertible.Type { Wrapped.self }
}
