import GRDB

extension DatabaseModule {
    /// A read-only table over a collection, which many connections can share.
    ///
    /// ```swift
    /// let module = DatabaseModule.table("process", of: processes) { t in
    ///     t.column("pid", \.pid, .integer).primaryKey()
    ///     t.column("name", \.name)
    /// }
    /// ```
    ///
    /// - parameter name: the name of the table.
    /// - parameter elements: the rows. Their rowids are their positions, from 1.
    /// - parameter define: adds the columns.
    public static func table<Elements: Collection>(
        _ name: String, of elements: Elements,
        _ define: (CollectionTableDefinition<Elements.Element>) -> Void
    ) -> DatabaseModule where Elements.Element: Sendable {
        make(name, .fixed(CollectionSnapshot(elements)), define)
    }

    /// A read-only table over elements that change.
    ///
    /// - parameter name: the name of the table.
    /// - parameter content: the rows. A statement sees those of the time when it starts, unless another
    ///   statement of the same connection still reads the table: then both see the same rows.
    /// - parameter define: adds the columns.
    public static func table<Element>(
        _ name: String, of content: TableContent<Element>,
        _ define: (CollectionTableDefinition<Element>) -> Void
    ) -> DatabaseModule {
        make(name, .provided { _ in content.snapshot }, define)
    }

    /// A read-only table whose rows a closure returns for each statement.
    ///
    /// ```swift
    /// // SELECT name FROM volume WHERE available < 1000000
    /// let module = DatabaseModule.table("volume", rows: { _ in try mountedVolumes() }) { t in
    ///     t.column("name", \.name)
    ///     t.column("available", \.available)
    /// }
    /// ```
    ///
    /// - parameter name: the name of the table.
    /// - parameter rows: returns the rows when a statement starts to read. The closure runs on the thread of
    ///   the connection, and may run statements. If it throws, the statement throws that error.
    /// - parameter define: adds the columns.
    public static func table<Elements: Collection & SendableMetatype>(
        _ name: String, rows: @escaping @Sendable (Database) throws -> Elements,
        _ define: (CollectionTableDefinition<Elements.Element>) -> Void
    ) -> DatabaseModule where Elements.Element: Sendable {
        make(name, .provided { try CollectionSnapshot(rows($0)) }, define)
    }

    /// A table-valued function.
    ///
    /// ```swift
    /// // SELECT word FROM words('to be or not') ORDER BY word
    /// let module = DatabaseModule.tableFunction(
    ///     "words", parameters: ["text"],
    ///     rows: { _, arguments in
    ///         (String.fromDatabaseValue(arguments[0]) ?? "").split(separator: " ").map(String.init)
    ///     }
    /// ) { t in
    ///     t.column("word", \.self)
    /// }
    /// ```
    ///
    /// Conditions on a parameter that compare with `=` or `IN` give arguments, too: `text = 'a b'` in `WHERE`.
    /// Conditions within branches of `OR` don't, unless all branches compare the same parameter, and nothing
    /// else: SQLite understands `p = 1 OR p = 2` as `p IN (1, 2)`. The function is then called with NULL. Write
    /// `IN`, or several queries:
    ///
    /// ```swift
    /// // Not: SELECT * FROM f WHERE (p = 1 AND q = 2) OR (p = 3 AND q = 4)
    /// // SELECT * FROM f(1, 2) UNION ALL SELECT * FROM f(3, 4)
    /// ```
    ///
    /// - parameter name: the name of the function.
    /// - parameter parameters: the names of the parameters, which are hidden columns of the table.
    /// - parameter rows: returns the rows. Arguments that the SQL does not give are NULL.
    /// - parameter define: adds the columns.
    public static func tableFunction<Elements: Collection & SendableMetatype>(
        _ name: String, parameters: [String],
        rows: @escaping @Sendable (Database, [DatabaseValue]) throws -> Elements,
        _ define: (CollectionTableDefinition<Elements.Element>) -> Void
    ) -> DatabaseModule where Elements.Element: Sendable {
        make(
            name, parameters: parameters, .function { try CollectionSnapshot(rows($0, $1)) },
            define)
    }

    private static func make<Element: Sendable>(
        _ name: String, parameters: [String] = [], _ source: CollectionTableDescription.Source,
        _ define: (CollectionTableDefinition<Element>) -> Void
    ) -> DatabaseModule {
        let definition = CollectionTableDefinition<Element>()
        define(definition)
        return CollectionTableDescription(
            columns: definition.columns, parameters: parameters, source: source,
            estimatedRowCount: definition.rowCount
        ).makeModule(name)
    }
}

/// The rows of a table, which can be replaced while connections use the table.
///
/// ```swift
/// let processes = TableContent(runningProcesses())
/// var config = Configuration()
/// config.add(table: "process", of: processes) { t in
///     t.column("pid", \.pid).primaryKey()
///     t.column("name", \.name)
/// }
/// let dbPool = try DatabasePool(path: path, configuration: config)
///
/// processes.elements = runningProcesses()
/// try dbPool.write { try $0.notifyChanges(in: Table("process")) }
/// ```
///
/// Observations of the table are notified by ``/GRDB/Database/notifyChanges(in:)``. Any thread may use a
/// content. All connections share its indexes, which live until the next change.
public final class TableContent<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element]
        var snapshot: CollectionSnapshot?
    }

    private let state: Locked<State>

    /// Creates a content.
    public init(_ elements: some Sequence<Element>) {
        state = Locked(State(elements: Array(elements)))
    }

    /// The rows, in the order of their rowids.
    public var elements: [Element] {
        get { state.withLock { $0.elements } }
        set { update { $0 = newValue } }
    }

    /// Changes the rows while no other thread reads or changes them.
    ///
    /// - throws: the error of the closure. The rows are then as the closure has left them.
    public func update<Result, Failure: Error>(
        _ body: (inout [Element]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { (state) throws(Failure) in
            state.snapshot = nil
            return try body(&state.elements)
        }
    }

    var snapshot: CollectionSnapshot {
        state.withLock { state in
            if let snapshot = state.snapshot { return snapshot }
            let snapshot = CollectionSnapshot(state.elements)
            state.snapshot = snapshot
            return snapshot
        }
    }
}

extension Database {
    /// Adds a read-only table over a collection.
    ///
    /// ```swift
    /// try dbQueue.read { db in
    ///     db.add(table: "process", of: processes) { t in
    ///         t.column("pid", \.pid, .integer).primaryKey()
    ///         t.column("name", \.name)
    ///     }
    ///     // SELECT * FROM "process" WHERE "name" = 'sh'
    ///     try Table("process").filter(Column("name") == "sh").fetchAll(db)
    /// }
    /// ```
    ///
    /// The table has no file, and no `CREATE` statement: this connection has it until it is closed.
    /// ``Configuration/add(table:of:_:)-(_,Elements,_)`` adds it to all connections of a pool.
    ///
    /// If SQLite refuses the table, the access throws, as ``add(module:)`` says.
    ///
    /// - parameter name: the name of the table.
    /// - parameter elements: the rows. Their rowids are their positions, from 1.
    /// - parameter define: adds the columns.
    /// - precondition: the connection belongs to the current thread.
    public func add<Elements: Collection>(
        table name: String, of elements: Elements,
        _ define: (CollectionTableDefinition<Elements.Element>) -> Void
    ) where Elements.Element: Sendable {
        add(module: .table(name, of: elements, define))
    }

    /// Adds a read-only table over elements that change.
    ///
    /// - parameter name: the name of the table.
    /// - parameter content: the rows. A statement sees those of the time when it starts, unless another
    ///   statement of the same connection still reads the table: then both see the same rows.
    /// - parameter define: adds the columns.
    /// - precondition: the connection belongs to the current thread.
    public func add<Element>(
        table name: String, of content: TableContent<Element>,
        _ define: (CollectionTableDefinition<Element>) -> Void
    ) {
        add(module: .table(name, of: content, define))
    }
}

extension Configuration {
    /// Adds a module to all connections.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.add(module: .environment())
    /// ```
    public mutating func add(module: DatabaseModule) {
        prepareDatabase { try $0.tryAdd(module: module) }
    }

    /// Adds a read-only table over a collection to all connections.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.add(table: "process", of: processes) { t in
    ///     t.column("pid", \.pid).primaryKey()
    ///     t.column("name", \.name)
    /// }
    /// ```
    ///
    /// Connections share the rows and their indexes.
    public mutating func add<Elements: Collection>(
        table name: String, of elements: Elements,
        _ define: (CollectionTableDefinition<Elements.Element>) -> Void
    ) where Elements.Element: Sendable {
        add(module: .table(name, of: elements, define))
    }

    /// Adds a read-only table over elements that change to all connections.
    ///
    /// See ``TableContent``.
    public mutating func add<Element>(
        table name: String, of content: TableContent<Element>,
        _ define: (CollectionTableDefinition<Element>) -> Void
    ) {
        add(module: .table(name, of: content, define))
    }
}
