/// A type that changes the columns that the rows of a statement present: it selects some of them,
/// renames them, or groups them in scopes.
///
/// ```swift
/// // Fetch a 'produced' column, and consume a 'consumed' column:
/// let adapter = ColumnMapping(["consumed": "produced"])
/// let row = try Row.fetchOne(db, sql: "SELECT 'Hello' AS produced", adapter: adapter)!
/// row["consumed"] // "Hello"
/// row["produced"] // nil
/// ```
///
/// A custom adapter selects and renames columns of a layout:
///
/// ```swift
/// /// Removes the prefix of column names.
/// struct UnprefixAdapter: RowAdapter {
///     var prefix: String
///
///     func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
///         _AppliedAdapter(columns: source._columns.compactMap { index, name in
///             name.hasPrefix(prefix) ? (index, String(name.dropFirst(prefix.count))) : nil
///         })
///     }
/// }
/// ```
///
/// See <doc:RowsAndValues#Split-a-row-into-records>.
public protocol RowAdapter: Sendable {
    /// Applies the adapter to the columns of a statement, or to the columns of another adapter.
    ///
    /// - throws: an error when the layout lacks a column that the adapter needs.
    func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter
}

/// The columns that an adapter can select from.
public protocol _RowColumns {
    /// The columns, from left to right: their index in the raw row, and their name.
    var _columns: [(Int, String)] { get }

    /// Returns the position in `_columns` of the leftmost column with the name, ignoring ASCII
    /// case.
    func _position(ofColumn name: String) -> Int?
}

/// An adapter that has been applied to the columns of a statement.
public protocol _LayoutedRowAdapter: _RowColumns, Sendable {
    /// The columns of adapted rows.
    var _selection: _ColumnSelection { get }

    /// The scopes of adapted rows.
    var _scopes: [String: any _LayoutedRowAdapter] { get }
}

extension _LayoutedRowAdapter {
    public var _columns: [(Int, String)] { _selection._columns }

    public func _position(ofColumn name: String) -> Int? {
        _selection._position(ofColumn: name)
    }
}

/// The indexes of the columns of adapted rows in the raw row, and their names.
public struct _ColumnSelection: _RowColumns, Sendable {
    let columnIndexes: [CInt]
    let layout: RowLayout

    public init(_ columns: some Collection<(Int, String)>) {
        columnIndexes = columns.map { CInt(clamping: $0.0) }
        layout = RowLayout(names: columns.map { $0.1 })
    }

    public var _columns: [(Int, String)] {
        zip(columnIndexes, layout.names).map { (Int($0), $1) }
    }

    public func _position(ofColumn name: String) -> Int? {
        layout.index(of: name)
    }
}

/// The result of all built-in adapters.
public struct _AppliedAdapter: _LayoutedRowAdapter {
    public var _selection: _ColumnSelection
    public var _scopes: [String: any _LayoutedRowAdapter]

    init(selection: _ColumnSelection, scopes: [String: any _LayoutedRowAdapter] = [:]) {
        _selection = selection
        _scopes = scopes
    }

    init(_ adapter: any _LayoutedRowAdapter) {
        self.init(selection: adapter._selection, scopes: adapter._scopes)
    }

    public init(
        columns: some Collection<(Int, String)>,
        scopes: [String: any _LayoutedRowAdapter] = [:]
    ) {
        self.init(selection: _ColumnSelection(columns), scopes: scopes)
    }
}

extension RowLayout: _RowColumns {
    @usableFromInline package var _columns: [(Int, String)] {
        names.enumerated().map { ($0.offset, $0.element) }
    }

    @usableFromInline
    package func _position(ofColumn name: String) -> Int? {
        index(of: name)
    }
}

extension RowAdapter {
    /// Applies the adapter to the columns of a statement.
    ///
    /// - throws: an error when the adapter does not fit. Custom adapters may select columns that
    ///   don't exist.
    func checkedAdapter(for layout: RowLayout) throws -> any _LayoutedRowAdapter {
        func check(_ adapter: any _LayoutedRowAdapter) throws {
            let count = layout.names.count
            for index in adapter._selection.columnIndexes where !(0..<count ~= Int(index)) {
                throw DatabaseError(
                    misuse: "Row adapter references missing column \(index): "
                        + "the row has \(count) columns")
            }
            for (_, scope) in adapter._scopes {
                try check(scope)
            }
        }
        let adapter = try _applied(to: layout)
        try check(adapter)
        return adapter
    }

    /// Applies the adapter to the columns of a statement. Returns nil if the adapter changes
    /// nothing.
    func effectiveAdapter(for layout: RowLayout) throws -> (any _LayoutedRowAdapter)? {
        let adapter = try checkedAdapter(for: layout)
        let mapping = adapter._selection
        let isIdentity =
            adapter._scopes.isEmpty && mapping.layout.names.hasSameBytes(as: layout.names)
            && mapping.columnIndexes.enumerated().allSatisfy { $0.offset == Int($0.element) }
        return isIdentity ? nil : adapter
    }

    /// Returns an adapter based on this one, which also defines scopes.
    ///
    /// ```swift
    /// let adapter = RangeRowAdapter(0..<2)
    ///     .addingScopes(["remainder": SuffixRowAdapter(fromIndex: 2)])
    /// let sql = "SELECT 0 AS a, 1 AS b, 2 AS c, 3 AS d"
    /// let row = try Row.fetchOne(db, sql: sql, adapter: adapter)!
    /// row                     // [a:0 b:1]
    /// row.scopes["remainder"] // [c:2 d:3]
    /// ```
    ///
    /// Scopes of the same name are replaced.
    public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
        if scopes.isEmpty { return self }
        return ScopeAdapter(base: self, scopes: scopes)
    }
}
