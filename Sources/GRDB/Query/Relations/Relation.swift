/// The query of a request on a table, with its joined relations: a `SELECT` query before its tables
/// are named.
///
/// A value type: deriving a request changes a copy. Parts that depend on the database, such as the
/// columns of the primary key, are determined when the query is written.
struct Relation: Sendable {
    typealias Deferred<Value> = @Sendable (Database) throws -> Value

    var tableName: TableName

    /// The selected columns, to which annotations are appended.
    var selection: SelectionList

    var isDistinct = false

    /// The conditions on rows. All of them must be satisfied.
    var filters = Filters()

    var ordering = Ordering()

    var limit: Limit?

    private var rare = RareParts<Rare>()

    init(table: TableName, selection: [any SQLSelectable]) {
        tableName = table
        self.selection = SelectionList(selection)
    }

    /// - parameter recordType: the type that provides the selection whenever the relation is
    ///   fetched, unless another selection replaces it.
    init(table: TableName, selectionOf recordType: any TableRecord.Type) {
        tableName = table
        self.selection = SelectionList(of: recordType)
    }

    /// The name of the table, without its schema.
    var table: String { tableName.name }

    /// Whether the relation, apart from its joins, consists of parts that shapes support.
    var mayHaveShape: Bool {
        rare.isEmpty
            || prefetches.isEmpty && commonTables.isEmpty && windows.isEmpty
                && groupFilters.isEmpty && ambiguousKey == nil && arguments == nil
    }

    /// Whether no alias refers to the table, and no table is joined to it.
    var isOfOneTable: Bool {
        rare.isEmpty || joins.isEmpty && aliases.isEmpty
    }

    /// The name of a table, a view, or a common table expression.
    struct TableName: Hashable, Sendable {
        var name: String

        /// The schema of an attached database; nil for the first schema that has the table.
        var schema: String?

        init(_ name: String, schema: String? = nil) {
            self.name = name
            self.schema = schema
        }
    }

    /// A list of selections.
    struct SelectionList: Sendable {
        enum Part: Sendable {
            case closure(Deferred<[any SQLSelectable]>)
            case given(SQLSelection)
        }

        /// The type that provides the first selections. Not a part, because nearly all relations
        /// have no other selection, and then allocate no array.
        private(set) var recordType: (any TableRecord.Type)?

        private(set) var parts: [Part] = []

        /// Whether no part is a closure.
        private(set) var areGiven = true

        /// Selects nothing.
        init() {}

        init(_ selection: @escaping Deferred<[any SQLSelectable]>) {
            append(selection)
        }

        init(of recordType: any TableRecord.Type) {
            self.recordType = recordType
        }

        init(_ selection: [any SQLSelectable]) {
            parts = selection.map { .given($0.sqlSelection) }
        }

        var isEmpty: Bool { recordType == nil && parts.isEmpty }

        mutating func append(_ selection: @escaping Deferred<[any SQLSelectable]>) {
            parts.append(.closure(selection))
            areGiven = false
        }

        /// Calls the closures.
        func resolve(_ db: Database) throws -> [any SQLSelectable] {
            var result = recordType?.databaseSelection ?? []
            for part in parts {
                switch part {
                case .closure(let resolve):
                    let selection = try resolve(db)
                    if result.isEmpty { result = selection } else { result += selection }
                case .given(let selection): result.append(selection)
                }
            }
            return result
        }
    }

    /// A maximum number of rows.
    struct Limit: Sendable {
        var count: Int
        var offset: Int?
    }

    /// The order of rows.
    struct Ordering: Sendable {
        enum Term: Sendable {
            case closure(Deferred<[any SQLOrderingTerm]>)
            case given(SQLOrdering)
            /// The terms that sort rows that are still tied.
            case stable
        }

        /// The most important terms first.
        private(set) var terms: [Term] = []

        /// Whether no term depends on the database, or on the whole query.
        private(set) var areGiven = true

        /// Whether terms depend on the whole query.
        private(set) var isStable = false

        /// Whether the order of rows is reversed, including joined rows, even if they are joined later. Another
        /// order cancels the reversal.
        var isReversed = false

        init() {}

        init(_ terms: @escaping Deferred<[any SQLOrderingTerm]>) {
            self.terms = [.closure(terms)]
            areGiven = false
        }

        init(_ term: SQLOrdering, _ others: [SQLOrdering]) {
            terms.reserveCapacity(1 + others.count)
            terms.append(.given(term))
            for term in others { terms.append(.given(term)) }
        }

        var isEmpty: Bool { terms.isEmpty }

        mutating func stabilize() {
            terms.append(.stable)
            areGiven = false
            isStable = true
        }

        /// - parameters:
        ///     - isQueryReversed: whether the order of the whole query is reversed.
        ///     - stableTerms: returns the terms that sort all rows, which depend on the whole
        ///       query.
        @inline(__always)
        func resolve(
            _ db: Database, isQueryReversed: Bool = false,
            stableTerms: () throws -> [any SQLOrderingTerm]
        ) throws -> [SQLOrdering] {
            try resolve(db, isQueryReversed, isStable ? stableTerms() : [])
        }

        // Receives no closure, because each would have a copy of 2 KB.
        @inline(never)
        private func resolve(
            _ db: Database, _ isQueryReversed: Bool, _ stableTerms: [any SQLOrderingTerm]
        ) throws -> [SQLOrdering] {
            var orderings: [SQLOrdering] = []
            for term in terms {
                switch term {
                case .closure(let terms): orderings += try terms(db).map(\.sqlOrdering)
                case .given(let term): orderings.append(term)
                case .stable: orderings += stableTerms.map(\.sqlOrdering)
                }
            }
            return isReversed != isQueryReversed
                ? try orderings.map { try $0.reversed() } : orderings
        }
    }
}

// MARK: - Rare parts

extension Relation {
    private struct Rare: RarePartsContent {
        var aliases: [TableAliasBase] = []
        var grouping: Deferred<[any SQLExpressible]>?
        var groupFilters: Rope<DeferredCondition> = []
        var windows: [NamedWindow] = []
        var joins: [Join] = []
        var prefetches: [Prefetch] = []
        var ambiguousKey: String?
        var commonTables: [CommonTable] = []
        var arguments: [SQLExpression]?
    }

    /// The aliases with which other parts of the query refer to the table.
    var aliases: [TableAliasBase] {
        get { rare.box?.parts.aliases ?? [] }
        _modify { yield &rare.parts.aliases }
    }

    var grouping: Deferred<[any SQLExpressible]>? {
        get { rare.box?.parts.grouping }
        _modify { yield &rare.parts.grouping }
    }

    /// The conditions on groups. All of them must be satisfied.
    var groupFilters: Rope<DeferredCondition> {
        get { rare.box?.parts.groupFilters ?? [] }
        _modify { yield &rare.parts.groupFilters }
    }

    /// The named windows.
    var windows: [NamedWindow] {
        get { rare.box?.parts.windows ?? [] }
        _modify { yield &rare.parts.windows }
    }

    /// The joined relations.
    var joins: [Join] {
        get { rare.box?.parts.joins ?? [] }
        _modify { yield &rare.parts.joins }
    }

    /// The prefetches, which fetch rows after the rows of the relation.
    var prefetches: [Prefetch] {
        get { rare.box?.parts.prefetches ?? [] }
        _modify { yield &rare.parts.prefetches }
    }

    /// A key that different associations have in common.
    var ambiguousKey: String? {
        get { rare.box?.parts.ambiguousKey }
        _modify { yield &rare.parts.ambiguousKey }
    }

    var commonTables: [CommonTable] {
        get { rare.box?.parts.commonTables ?? [] }
        _modify { yield &rare.parts.commonTables }
    }

    /// The arguments of a table-valued function; nil for all other tables.
    var arguments: [SQLExpression]? {
        get { rare.box?.parts.arguments }
        _modify { yield &rare.parts.arguments }
    }
}

/// `WITH "name" AS (…)`
package struct CommonTable: Sendable {
    var name: String

    /// The names of the columns; nil for the column names of the query.
    var columns: [String]?

    var isRecursive: Bool
    var isMaterialized: Bool?
    var query: SQLSubquery

    /// The text of the query, if it was already written.
    private(set) var writtenQuery: StatementWriter.Written?

    /// Writes the query once, because its text is needed several times, and its closures must be
    /// called only once.
    package mutating func writeQuery(_ context: StatementWriter) throws {
        writtenQuery = try context.fragment { try query.write(to: $0) }.written
    }
}

extension [CommonTable] {
    /// Adds a common table expression, which replaces another one with the same name.
    @inline(never)  // 2 KB
    mutating func define(_ commonTable: CommonTable) {
        self = replaced(by: [commonTable])
    }

    /// The common table expressions, except those shadowed by `others`.
    package func replaced(by others: [CommonTable]) -> [CommonTable] {
        filter { table in !others.contains { ASCIICase.equal($0.name, table.name) } } + others
    }
}

/// The common table expressions that a query may use.
package struct CommonTables {
    package internal(set) var tables: [CommonTable] = []

    /// Their `WITH` clause, once it is written.
    package internal(set) var sql = ""

    package init() {}

    subscript(_ name: String) -> CommonTable? {
        tables.first { ASCIICase.equal($0.name, name) }
    }
}

// MARK: - Resolution

extension Relation {
    /// Calls the closures of the filters.
    func resolvedFilters(_ db: Database) throws -> [SQLExpression] {
        try filters.conditions.array.map { try $0.resolve(db, onTable: tableName) }
    }

    /// Calls the closures of the selection.
    func resolvedSelection(_ db: Database) throws -> [SQLSelection] {
        try selection.resolve(db).map(\.sqlSelection)
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

    /// Adds a window, which replaces another one with the same name.
    mutating func add(_ window: NamedWindow) {
        windows.removeAll { ASCIICase.equal($0.name, window.name) }
        windows.append(window)
    }

    /// Removes the order of rows, including joined and prefetched rows.
    @inline(never)  // Inlined in itself, ten times, it took 8 KB.
    mutating func removeOrder() {
        ordering = Ordering()
        updateAssociations { $0.removeOrder() }
    }

    /// Makes the order of rows deterministic, including joined and prefetched rows: rows that are
    /// still tied are sorted by primary key.
    @inline(never)
    mutating func stabilizeOrder() {
        ordering.stabilize()
        updateAssociations { $0.stabilizeOrder() }
    }

    /// Updates the joined relations, and the relations that lead to prefetched rows.
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
