/// What a request asks a table for, and what it joins to it: a `SELECT` query before its tables got
/// their names.
///
/// A value: deriving a request changes a copy. What depends on the database, such as the columns of
/// the primary key, is known when the query is written.
struct Relation: Sendable {
    typealias Deferred<Value> = @Sendable (Database) throws -> Value

    var tableName: TableName

    /// What other parts of the query call the table.
    var aliases: [TableAliasBase] = []

    /// The selected columns. They add up.
    var selection: [Deferred<[any SQLSelectable]>]

    var isDistinct = false

    /// All must be met. Not an array, because each derived request would copy all of them.
    var filters: Rope<Deferred<any SQLExpressible>> = []

    var grouping: Deferred<[any SQLExpressible]>?

    /// The conditions on groups. All must be met.
    var groupFilters: Rope<Deferred<any SQLExpressible>> = []

    /// The windows that have a name.
    var windows: [NamedWindow] = []

    var ordering = Ordering()

    var limit: Limit?

    /// The joined relations.
    var joins: [Join] = []

    /// The rows that are fetched after those of the relation.
    var prefetches: [Prefetch] = []

    /// A key that was given to different associations.
    var ambiguousKey: String?

    var commonTables: [CommonTable] = []

    init(table: TableName, selection: [SQLSelection]) {
        self.init(table: table) { _ in selection }
    }

    /// - parameter selection: asked for whenever the relation is fetched, and not at all when
    ///   something else is selected.
    init(table: TableName, selection: @escaping Deferred<[any SQLSelectable]>) {
        tableName = table
        self.selection = [selection]
    }

    /// The name of the table, without its schema.
    var table: String { tableName.name }

    /// The name of a table, a view, or a common table expression.
    struct TableName: Hashable, Sendable {
        var name: String

        /// The schema of an attached database; nil for the first one that has the table.
        var schema: String?

        init(_ name: String, schema: String? = nil) {
            self.name = name
            self.schema = schema
        }
    }

    /// A maximum number of rows.
    struct Limit: Sendable {
        var count: Int
        var offset: Int?
    }

    /// The order of rows.
    struct Ordering: Sendable {
        enum Terms: Sendable {
            case given(Deferred<[any SQLOrderingTerm]>)
            /// What sorts the rows that are still tied.
            case stable
        }

        /// The terms, the most important first.
        var terms: [Terms] = []

        var isReversed = false

        /// Whether terms depend on the whole query.
        var isStable: Bool {
            terms.contains { if case .stable = $0 { true } else { false } }
        }

        /// - parameters:
        ///     - isQueryReversed: whether the order of the whole query is reversed.
        ///     - stableTerms: what sorts all rows. It depends on the whole query.
        func resolve(
            _ db: Database, isQueryReversed: Bool = false,
            stableTerms: () throws -> [any SQLOrderingTerm]
        ) throws -> [SQLOrdering] {
            if terms.isEmpty { return [] }
            let orderings = try terms.flatMap { terms in
                switch terms {
                case .given(let terms): try terms(db).map(\.sqlOrdering)
                case .stable: try stableTerms().map(\.sqlOrdering)
                }
            }
            return isReversed != isQueryReversed
                ? try orderings.map { try $0.reversed() } : orderings
        }
    }
}

/// `WITH "name" AS (…)`
struct CommonTable: Sendable {
    enum Materialization: String, Sendable {
        case materialized = "MATERIALIZED "
        case notMaterialized = "NOT MATERIALIZED "
    }

    var name: String

    /// The names of the columns; nil for those of the query.
    var columns: [String]?

    var isRecursive: Bool
    var materialization: Materialization?
    var query: SQLSubquery

    /// The text of the query, if it is written already.
    var writtenQuery: StatementWriter.Written?

    init(
        name: String, columns: [String]?, isRecursive: Bool, materialization: Materialization?,
        query: SQLSubquery
    ) {
        self.name = name
        self.columns = columns?.isEmpty == true ? nil : columns
        self.isRecursive = isRecursive
        self.materialization = materialization
        self.query = query
    }
}

/// The common table expressions that a query may use.
struct CommonTables {
    var tables: [CommonTable] = []

    /// Their `WITH` clause, once it is written.
    var sql = ""

    subscript(_ name: String) -> CommonTable? {
        tables.first { ASCIICase.equal($0.name, name) }
    }
}

// MARK: - Resolution

extension Relation {
    /// Calls the closures of the filters.
    func resolvedFilters(_ db: Database) throws -> [SQLExpression] {
        try filters.array.map { try $0(db).sqlExpression }
    }

    /// Calls the closures of the selection.
    func resolvedSelection(_ db: Database) throws -> [SQLSelection] {
        if selection.count == 1 { return try selection[0](db).map { $0.sqlSelection } }
        return try selection.flatMap { try $0(db).map { $0.sqlSelection } }
    }
}

// MARK: - Derivation

extension Relation {
    /// Calls the closure with a copy of the value, and returns the copy.
    func with(_ change: (inout Relation) -> Void) -> Relation {
        var relation = self
        change(&relation)
        return relation
    }

    /// Puts a common table expression in the place of the one with the same name.
    mutating func add(_ commonTable: CommonTable) {
        commonTables.removeAll { ASCIICase.equal($0.name, commonTable.name) }
        commonTables.append(commonTable)
    }

    /// Puts a window in the place of the one with the same name.
    mutating func add(_ window: NamedWindow) {
        windows.removeAll { ASCIICase.equal($0.name, window.name) }
        windows.append(window)
    }

    mutating func order(_ terms: @escaping Deferred<[any SQLOrderingTerm]>) {
        ordering = Ordering(terms: [.given(terms)])
    }

    /// Reverses the order of rows, joined ones included, whenever they are joined. Another order
    /// takes it back.
    mutating func reverseOrder() {
        ordering.isReversed.toggle()
    }

    /// Forgets the order of rows, joined and prefetched ones included.
    mutating func removeOrder() {
        ordering = Ordering()
        updateAssociations { $0.removeOrder() }
    }

    /// Makes the order of rows fully defined, joined and prefetched ones included: rows that are
    /// still tied are sorted by primary key.
    mutating func stabilizeOrder() {
        ordering.terms.append(.stable)
        updateAssociations { $0.stabilizeOrder() }
    }

    /// Changes the relations that are joined, and those that lead to prefetched rows.
    private mutating func updateAssociations(_ update: (inout Relation) -> Void) {
        for index in joins.indices { update(&joins[index].relation) }
        for index in prefetches.indices {
            for step in prefetches[index].path.indices {
                update(&prefetches[index].path[step].relation)
            }
        }
    }
}

extension Database {
    /// The columns of the primary key of a table.
    ///
    /// - throws: a ``DatabaseError`` if there is no such table, or if it is a view.
    func keyColumns(of table: Relation.TableName) throws -> [Column] {
        try primaryKey(table.name, in: table.schema).columns.map { Column($0) }
    }
}
