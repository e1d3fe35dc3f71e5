/// A row of a result: values by the name or the position of their column.
///
/// ```swift
/// try dbQueue.read { db in
///     let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
///     while let row = try rows.next() {
///         let id: Int64 = row["id"]
///         let name: String = row["name"]
///     }
/// }
/// ```
///
/// The rows of a cursor are *live*: they read the current row of its statement, and the cursor
/// returns the same object at each step. Call ``copy()`` to keep a row. Rows returned by
/// `fetchAll`, `fetchSet` and `fetchOne` are already copies.
///
/// A row may be used by one thread at a time, and a live row only inside its database access.
///
/// See <doc:RowsAndValues#Read-a-row>.
public final class Row {
    // A row has one of two backings:
    //
    // - a statement that is on a row, when `liveStatement` is not nil;
    // - `values`, the copied values of all columns of the statement, or of a dictionary.
    //
    // Adapted rows share the backing of their base row. `columnIndexes` then maps a column of the
    // row to its index in the backing.
    //
    // Arrays hold many copied rows, so copies are small: properties shared by all rows of a
    // statement are stored in `shape`, and properties that few rows have in separate objects.

    @usableFromInline let liveStatement: SQLiteStatement?

    /// Undefined in a live row.
    @usableFromInline
    @exclusivity(unchecked)
    private(set) var values: UnsafePointer<CopiedValue>

    /// Owns the memory that `values` points to.
    @exclusivity(unchecked)
    private(set) var storage: RowStorage?

    /// Owns the memory that `columnIndexes` points to.
    let shape: RowShape

    @usableFromInline let columnIndexes: UnsafePointer<CInt>?

    /// The count of columns.
    public let count: Int

    /// Keeps `liveStatement` on its row.
    private let execution: Execution?

    /// Keeps the statement of a live row alive.
    private final class Execution {
        let statement: Statement

        /// Keeps the statement on its row, even after the cursor was deallocated.
        let stepper: _StatementStepper?

        init(statement: Statement, stepper: _StatementStepper?) {
            self.statement = statement
            self.stepper = stepper
        }
    }

    /// The rows in scopes and the prefetched rows of a row.
    private final class Related {
        @exclusivity(unchecked)
        var prefetches = PrefetchedRowsView()

        /// The rows in scopes that were accessed. An array, because comparing a few names is faster
        /// than hashing.
        @exclusivity(unchecked)
        var scopeRows: [(name: String, row: Row)] = []

        /// The results of lookups in the tree of scopes, which repeat the same few names. The rows
        /// belong to `scopeRows` of this row, or of one of its scopes.
        @exclusivity(unchecked)
        var treeRows: [(name: String, row: Unmanaged<Row>?)] = []
    }

    @exclusivity(unchecked)
    private var related: Related?

    /// Predicts the column of a name, in live rows.
    ///
    /// The requested name is kept: the next request usually passes the same string instance, which
    /// compares in a few instructions.
    @usableFromInline
    @exclusivity(unchecked)
    var prediction = Prediction<NamedColumn>()

    @usableFromInline
    struct NamedColumn {
        @usableFromInline var name: String
        @usableFromInline var index: Int
        /// The index of the column in the statement.
        @usableFromInline var column: CInt
    }

    /// A cache of a higher layer, which speeds up decoding the next row.
    @exclusivity(unchecked)
    var decodingCache: AnyObject?

    /// The column after the last one found by name, which a copied row tries first.
    @exclusivity(unchecked)
    private var nextColumnHint = 0

    private init(
        liveStatement: SQLiteStatement?, execution: Execution?,
        values: UnsafePointer<CopiedValue>, storage: RowStorage?, shape: RowShape
    ) {
        self.liveStatement = liveStatement
        self.execution = execution
        self.values = values
        self.storage = storage
        self.shape = shape
        columnIndexes = shape.columnIndexes
        count = shape.layout.names.count
    }

    /// Creates a live row.
    ///
    /// - parameter stepper: keeps the statement on the row.
    convenience init(
        statement: Statement, stepper: _StatementStepper? = nil,
        adapter: (any _LayoutedRowAdapter)? = nil
    ) {
        self.init(
            liveStatement: statement.sqliteStatement,
            execution: Execution(statement: statement, stepper: stepper),
            values: Self.noValues, storage: nil,
            shape: RowShape(statement.rowLayout, adapter: adapter))
    }

    /// Creates a copied row.
    @inline(__always)
    convenience init(
        values: UnsafePointer<CopiedValue>, in storage: RowStorage, shape: RowShape
    ) {
        self.init(
            liveStatement: nil, execution: nil, values: values, storage: storage, shape: shape)
    }

    /// Creates a row that belongs to no statement.
    package convenience init(values: [DatabaseValue], layout: RowLayout) {
        let storage = RowStorage.make(values)
        self.init(values: storage.start, in: storage, shape: RowShape(layout))
    }

    /// The placeholder address of rows without values.
    private static var noValues: UnsafePointer<CopiedValue> {
        UnsafePointer(bitPattern: MemoryLayout<CopiedValue>.alignment).unsafelyUnwrapped
    }

    deinit {
        prediction.deallocate()
    }

    /// Whether the values come from a database, rather than from code that created the row.
    var isFetched: Bool { baseLayout.isFetched }

    // MARK: - Creating rows

    /// Creates a row without columns.
    public convenience init() {
        self.init(values: [], layout: .empty)
    }

    /// Creates a row that belongs to no statement, with a column for each key, in no particular
    /// order.
    ///
    /// - precondition: SQLite can store the values: no unsigned integer is above `Int64.max`. See
    ///   ``init(storing:)`` for an initializer that throws.
    public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(
            values: dictionary.values.map { $0?.databaseValue ?? .null },
            layout: RowLayout(names: Array(dictionary.keys)))
    }

    /// Creates a row that belongs to no statement, with a column for each key, in no particular
    /// order.
    ///
    /// ```swift
    /// // Throws SQLite error 20: column "a": value can't be stored in a database: 18446744073709551615
    /// let row = try Row(storing: ["a": UInt64.max])
    /// ```
    ///
    /// - parameter dictionary: the values by the name of their column.
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISMATCH` if SQLite can't store a value.
    public convenience init(
        storing dictionary: [String: (any DatabaseValueConvertible)?]
    ) throws {
        let values = try dictionary.map { name, value in
            guard let value else { return DatabaseValue.null }
            if let dbValue = value._storableDatabaseValue { return dbValue }
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH,
                message:
                    "column \(String(reflecting: name)): value can't be stored in a database: \(value)"
            )
        }
        self.init(values: values, layout: RowLayout(names: Array(dictionary.keys)))
    }

    /// Creates a row from columns and their values.
    ///
    /// - returns: nil unless all keys are strings and all values can be stored in a database.
    public convenience init?(_ dictionary: [AnyHashable: Any]) {
        var names: [String] = []
        var values: [DatabaseValue] = []
        for (key, value) in dictionary {
            guard let name = key as? String, let dbValue = DatabaseValue(value: value) else {
                return nil
            }
            names.append(name)
            values.append(dbValue)
        }
        self.init(values: values, layout: RowLayout(names: names))
    }

    // MARK: - Copying a row

    /// Returns a row that stays as it is when the cursor advances: a copy, or the row itself if it
    /// is not live.
    ///
    /// - complexity: O(*n*), where *n* is the number of columns of the statement.
    public func copy() -> Row {
        guard let statement else { return self }
        var copier = RowCopier(statement, shape: shape)
        let row = copier.row()
        row.prefetches = prefetches
        return row
    }

    // MARK: - Reading

    /// Notifies a live row that its statement is on another row.
    @inline(__always)
    func statementDidStep() {
        prediction.restart()
        if let related {
            // By index: an iterator would retain the array and the names.
            for index in related.scopeRows.indices {
                related.scopeRows[index].row.statementDidStep()
            }
        }
    }

    /// Moves a copied row, which must have no other reference, to another row of its shape.
    ///
    /// - parameter prefetches: the prefetched rows; nil if nothing is prefetched.
    /// - returns: whether its scopes, at any depth, have the same row objects as before, which then
    ///   have moved, too.
    @discardableResult
    @inline(__always)
    func move(
        to values: UnsafePointer<CopiedValue>, in storage: Unmanaged<RowStorage>,
        prefetches: PrefetchedRowsView?
    ) -> Bool {
        self.values = values
        let storage = storage.takeUnretainedValue()
        if self.storage !== storage { self.storage = storage }
        nextColumnHint = 0
        if let prefetches { self.prefetches = prefetches }
        guard let related, !related.scopeRows.isEmpty else { return true }
        return moveScopes(related, prefetches)
    }

    private func moveScopes(_ related: Related, _ prefetches: PrefetchedRowsView?) -> Bool {
        let storage = storage.unsafelyUnwrapped
        var areSame = true
        for index in related.scopeRows.indices {
            let prefetches = prefetches?.scoped(on: related.scopeRows[index].name)
            if isKnownUniquelyReferenced(&related.scopeRows[index].row) {
                let row = related.scopeRows[index].row
                if !row.move(to: values, in: .passUnretained(storage), prefetches: prefetches) {
                    areSame = false
                }
            } else {
                // The row has other references.
                let keptRow = related.scopeRows[index].row
                let row = Row(values: values, in: storage, shape: keptRow.shape)
                if let prefetches { row.prefetches = prefetches }
                row.takeDecoder(of: keptRow)
                related.scopeRows[index].row = row
                areSame = false
            }
        }
        if !areSame { related.treeRows = [] }
        return areSame
    }

    /// Takes over the decoder of another row.
    func takeDecoder(of other: Row) {
        decodingCache = other.decodingCache
        other.decodingCache = nil
    }

    /// Returns the index of a column of the row in its backing.
    @inlinable
    @inline(__always)
    func backingIndex(_ index: Int) -> CInt {
        if let columnIndexes { return columnIndexes[index] }
        return CInt(truncatingIfNeeded: index)
    }

    /// Returns the index of the leftmost column with the given name, ignoring ASCII case; -1 if
    /// there is none.
    @inlinable
    @inline(__always)
    func columnIndex(_ name: String) -> Int {
        if let column = expectedColumn(name) { return column.pointee.index }
        return searchedColumnIndex(name)
    }

    /// Returns the column that is predicted to be requested next, if it has the given name. Copied
    /// rows predict none.
    @inlinable
    @inline(__always)
    func expectedColumn(_ name: String) -> UnsafeMutablePointer<NamedColumn>? {
        let expected = prediction.expected
        prediction.advance()
        guard let expected, expected.pointee.name.hasSameBytes(as: name) else { return nil }
        return expected
    }

    @usableFromInline
    func searchedColumnIndex(_ name: String) -> Int {
        if liveStatement != nil {
            let index = layout.index(of: name) ?? -1
            if index >= 0 { learn(name, index: index) }
            return index
        }
        guard let index = layout.index(of: name, hint: nextColumnHint) else { return -1 }
        nextColumnHint = index + 1
        return index
    }

    /// Remembers the result of the search for an access that was not predicted.
    private func learn(_ name: String, index: Int) {
        prediction.learn(
            NamedColumn(name: name, index: index, column: backingIndex(index)),
            at: prediction.position - 1, limit: 2 * count)
    }

    /// The value at an index that is known to be valid.
    func databaseValue(uncheckedIndex index: Int) -> DatabaseValue {
        access(index).databaseValue
    }

    @inlinable
    @inline(__always)
    func checkIndex(_ index: Int) {
        // A single unsigned comparison also detects negative indexes.
        if UInt(bitPattern: index) >= UInt(bitPattern: count) {
            rowIndexOutOfRange()
        }
    }

    @usableFromInline
    func rowIndexOutOfRange() -> Never {
        fatalError("row index out of range")
    }

    @inlinable
    @inline(__always)
    func validateIndex(_ index: Int) throws {
        if UInt(bitPattern: index) >= UInt(bitPattern: count) { throw indexOutOfRange(index) }
    }

    @usableFromInline
    func indexOutOfRange(_ index: Int) -> any Error {
        RowDecodingError(indexOutOfRange: index, in: self)
    }

    // MARK: - Parts

    /// The statement of a live row.
    var statement: Statement? { execution?.statement }

    var layout: RowLayout { shape.layout }

    /// The layout of the backing, before any adapter.
    var baseLayout: RowLayout { shape.base }

    /// The adapter of the row, when it has one.
    var adapter: (any _LayoutedRowAdapter)? { shape.adapter }

    var prefetches: PrefetchedRowsView {
        get { related?.prefetches ?? PrefetchedRowsView() }
        set {
            if related == nil, newValue.isEmpty { return }
            let related = related ?? Related()
            related.prefetches = newValue
            self.related = related
        }
    }

    // MARK: - Row information

    /// The column names, leftmost first. Names may repeat.
    public var columnNames: LazyMapCollection<Row, String> {
        lazy.map { $0.0 }
    }

    /// The values of all columns, leftmost first.
    public var databaseValues: LazyMapCollection<Row, DatabaseValue> {
        lazy.map { $0.1 }
    }

    /// Whether one of the columns has the name. ASCII case is ignored.
    public func hasColumn(_ columnName: String) -> Bool {
        layout.index(of: columnName) != nil
    }

    /// Whether the value at an index is NULL, without decoding it.
    ///
    /// - precondition: the index is in `0..<count`.
    public func hasNull(atIndex index: Int) -> Bool {
        checkIndex(index)
        return access(index).isNull
    }

    /// Whether the row, or one of its scopes, contains a value that is not NULL, or has prefetched
    /// rows.
    public var containsNonNullValue: Bool {
        for index in 0..<count where !hasNull(atIndex: index) {
            return true
        }
        for (_, row) in scopes where row.containsNonNullValue {
            return true
        }
        return prefetches.containsRow
    }

    // MARK: - Scopes and prefetched rows

    /// The rows that `including(all:)` has fetched, by the key of their association.
    public var prefetchedRows: PrefetchedRowsView { prefetches }

    /// The scopes that the adapter of the row defines. Empty without an adapter.
    public var scopes: ScopesView { ScopesView(row: self, scopes: adapter?._scopes ?? [:]) }

    /// The scopes of the row, the scopes of its scopes, and so on: finds a scope by name at any
    /// depth.
    public var scopesTree: ScopesTreeView { ScopesTreeView(scopes: scopes) }

    /// The row, without any scope or prefetched rows.
    public var unscoped: Row {
        guard let adapter, !adapter._scopes.isEmpty || !prefetches.isEmpty else {
            return prefetches.isEmpty ? self : replacing(adapter: adapter)
        }
        return replacing(adapter: _AppliedAdapter(selection: adapter._selection))
    }

    /// The row as SQLite returned it, with the columns that adapters hide.
    public var unadapted: Row {
        adapter == nil ? self : replacing(adapter: nil)
    }

    /// A row on the same backing, seen through another adapter.
    private func replacing(adapter: (any _LayoutedRowAdapter)?) -> Row {
        Row(
            liveStatement: liveStatement, execution: execution, values: values, storage: storage,
            shape: RowShape(baseLayout, adapter: adapter))
    }

    func row(inScope name: String, adapter scopeAdapter: any _LayoutedRowAdapter) -> Row {
        let related = related ?? Related()
        self.related = related
        for (knownName, row) in related.scopeRows where knownName == name { return row }
        let row = replacing(adapter: scopeAdapter)
        row.prefetches = prefetches.scoped(on: name)
        related.scopeRows.append((name, row))
        return row
    }

    /// Returns the row in a scope, at any depth.
    func row(inScopesTree name: String) -> Row? {
        if let related {
            for (knownName, row) in related.treeRows where knownName == name {
                return row?.takeUnretainedValue()
            }
        }
        if adapter == nil { return nil }
        let row = scopesTree[name]
        let related = related ?? Related()
        self.related = related
        related.treeRows.append((name, row.map { .passUnretained($0) }))
        return row
    }

    /// Replaces the prefetched rows, including those of scopes that were accessed before.
    func setPrefetches(_ prefetches: PrefetchedRowsView) {
        self.prefetches = prefetches
        related?.scopeRows = []
        related?.treeRows = []
    }
}

// See `Database`.
@available(*, unavailable)
extension Row: Sendable {}
