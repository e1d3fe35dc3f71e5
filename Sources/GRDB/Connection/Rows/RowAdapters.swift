/// An adapter that hides all columns.
public struct EmptyRowAdapter: RowAdapter {
    /// Creates the adapter.
    public init() {}

    public func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
        _AppliedAdapter(columns: [])
    }
}

/// An adapter that renames columns, and hides the columns that it doesn't mention.
///
/// ```swift
/// // [newName:"Hello"]
/// let adapter = ColumnMapping(["newName": "oldName"])
/// let row = try Row.fetchOne(db, sql: "SELECT 'Hello' AS oldName", adapter: adapter)!
/// ```
///
/// If a raw column does not exist, fetching rows throws an `SQLITE_MISUSE` error.
public struct ColumnMapping: RowAdapter {
    /// The raw column names, by adapted name.
    let mapping: [String: String]

    /// Creates an adapter whose columns are the keys of `mapping`. Each of them has the value of
    /// the raw column that `mapping` associates with it.
    public init(_ mapping: [String: String]) {
        self.mapping = mapping
    }

    public func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
        let baseColumns = source._columns
        let columns =
            try mapping
            .map { mappedName, baseName -> (position: Int, name: String) in
                guard let position = source._position(ofColumn: baseName) else {
                    let names = baseColumns.map(\.1)
                    throw DatabaseError(
                        misuse: """
                            Mapping references missing column \(baseName). \
                            Valid column names are: \(names.joined(separator: ", ")).
                            """)
                }
                return (position, mappedName)
            }
            // Sorted like the raw row, because the order of a dictionary changes between runs.
            .ordered { ($0.position, $0.name) < ($1.position, $1.name) }
            .map { (baseColumns[$0.position].0, $0.name) }
        return _AppliedAdapter(columns: columns)
    }
}

/// An adapter that hides the first columns.
///
/// ```swift
/// // [b:1 c:2]
/// let adapter = SuffixRowAdapter(fromIndex: 1)
/// let row = try Row.fetchOne(db, sql: "SELECT 0 AS a, 1 AS b, 2 AS c", adapter: adapter)!
/// ```
public struct SuffixRowAdapter: RowAdapter {
    let index: Int

    /// Creates an adapter that hides the columns before the given index.
    ///
    /// - precondition: the index is not negative.
    public init(fromIndex index: Int) {
        require(index >= 0, "Negative column index is out of range")
        self.index = index
    }

    public func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
        _AppliedAdapter(columns: source._columns.dropFirst(index))
    }
}

/// An adapter that only exposes a range of columns.
///
/// ```swift
/// // [b:1]
/// let adapter = RangeRowAdapter(1..<2)
/// let row = try Row.fetchOne(db, sql: "SELECT 0 AS a, 1 AS b, 2 AS c", adapter: adapter)!
/// ```
///
/// If the raw row does not contain the range, fetching rows throws an `SQLITE_MISUSE` error.
public struct RangeRowAdapter: RowAdapter {
    let range: CountableRange<Int>

    /// Creates an adapter that exposes the columns of the range.
    ///
    /// - precondition: the lower bound is not negative.
    public init(_ range: CountableRange<Int>) {
        require(range.lowerBound >= 0, "Negative column index is out of range")
        self.range = range
    }

    /// Creates an adapter that exposes the columns of the range.
    ///
    /// - precondition: the lower bound is not negative.
    public init(_ range: CountableClosedRange<Int>) {
        require(range.upperBound < Int.max, "Column index is out of range")
        self.init(range.lowerBound..<(range.upperBound + 1))
    }

    public func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
        let columns = source._columns
        guard range.upperBound <= columns.count else {
            throw DatabaseError(
                misuse: "Column range \(range) is out of bounds: "
                    + "the row has \(columns.count) columns")
        }
        return _AppliedAdapter(columns: columns[range])
    }
}

/// An adapter that defines row scopes, and leaves the columns as they are.
///
/// ```swift
/// let adapter = ScopeAdapter([
///     "left": RangeRowAdapter(0..<2),
///     "right": RangeRowAdapter(2..<4)])
/// let sql = "SELECT 0 AS a, 1 AS b, 2 AS c, 3 AS d"
/// let row = try Row.fetchOne(db, sql: sql, adapter: adapter)!
/// row                 // [a:0 b:1 c:2 d:3]
/// row.scopes["left"]  // [a:0 b:1]
/// row.scopes["right"] // [c:2 d:3]
/// ```
public struct ScopeAdapter: RowAdapter {
    let base: any RowAdapter
    let scopes: [String: any RowAdapter]

    /// Creates an adapter of the raw row with scopes.
    public init(_ scopes: [String: any RowAdapter]) {
        self.init(base: UnchangedColumns(), scopes: scopes)
    }

    /// Creates an adapter based on the base adapter, with scopes. Scopes see the raw row.
    public init(base: some RowAdapter, scopes: [String: any RowAdapter]) {
        self.base = base
        self.scopes = scopes
    }

    public func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
        var result = _AppliedAdapter(try base._applied(to: source))
        try result._scopes.merge(scopes.mapValues { try $0._applied(to: source) }) { $1 }
        return result
    }
}

/// The base adapter of scopes when there is no other one.
private struct UnchangedColumns: RowAdapter {
    func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
        _AppliedAdapter(columns: source._columns)
    }
}

/// An adapter that transforms the column names.
///
/// ```swift
/// // [foobar:1]
/// let adapter = RenameColumnAdapter { $0 + "bar" }
/// let row = try Row.fetchOne(db, sql: "SELECT 1 AS foo", adapter: adapter)!
/// ```
public struct RenameColumnAdapter: RowAdapter {
    let transform: @Sendable (String) -> String

    /// Creates an adapter from a function.
    ///
    /// - parameter transform: returns the new name of a column.
    public init(_ transform: @escaping @Sendable (String) -> String) {
        self.transform = transform
    }

    public func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
        _AppliedAdapter(columns: source._columns.map { ($0.0, transform($0.1)) })
    }
}

/// Returns adapters that split a row into consecutive groups of columns, and a last adapter for
/// the remaining columns.
///
/// ```swift
/// let adapters = splittingRowAdapters(columnCounts: [2, 1])
/// adapters.count // 3
/// // [a:0 b:1], [c:2] and [d:3 e:4] for "SELECT 0 AS a, 1 AS b, 2 AS c, 3 AS d, 4 AS e"
/// ```
///
/// - precondition: no count is negative.
public func splittingRowAdapters(columnCounts: [Int]) -> [any RowAdapter] {
    var adapters: [any RowAdapter] = []
    var start = 0
    for count in columnCounts {
        adapters.append(RangeRowAdapter(start..<(start + count)))
        start += count
    }
    adapters.append(SuffixRowAdapter(fromIndex: start))
    return adapters
}
