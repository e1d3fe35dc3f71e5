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

    /// The parts that most relations don't have. Behind one reference, because deriving a request
    /// copies the relation.
    private var rare: RareParts?

    init(table: TableName, selection: [SQLSelection]) {
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
        guard let parts = rare?.parts else { return true }
        return parts.prefetches.isEmpty && parts.commonTables.isEmpty && parts.windows.isEmpty
            && parts.groupFilters.isEmpty && parts.ambiguousKey == nil && parts.arguments == nil
    }

    /// Whether no alias refers to the table, and no table is joined to it.
    var isOfOneTable: Bool {
        guard let parts = rare?.parts else { return true }
        return parts.joins.isEmpty && parts.aliases.isEmpty
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

    /// A list of selections. A single selection, the common case, needs no array.
    struct SelectionList: Sendable {
        private enum Part: Sendable {
            case closure(Deferred<[any SQLSelectable]>)
            case ofType(any TableRecord.Type)
            case given([SQLSelection])
            case one(SQLSelection)

            func resolve(_ db: Database) throws -> [SQLSelection] {
                switch self {
                case .closure(let resolve): try resolve(db).map(\.sqlSelection)
                case .ofType(let type): type.databaseSelection.map(\.sqlSelection)
                case .given(let selection): selection
                case .one(let selection): [selection]
                }
            }
        }

        private var first: Part?
        private var others: [Part] = []

        /// Selects nothing.
        init() {}

        init(_ selection: @escaping Deferred<[any SQLSelectable]>) {
            first = .closure(selection)
        }

        init(of recordType: any TableRecord.Type) {
            first = .ofType(recordType)
        }

        init(_ selection: [SQLSelection]) {
            first = .given(selection)
        }

        init(_ selection: SQLSelection) {
            first = .one(selection)
        }

        var isEmpty: Bool { first == nil }

        mutating func append(_ selection: @escaping Deferred<[any SQLSelectable]>) {
            append(.closure(selection))
        }

        private mutating func append(_ part: Part) {
            if first == nil { first = part } else { others.append(part) }
        }

        static func += (lhs: inout SelectionList, rhs: SelectionList) {
            if let first = rhs.first { lhs.append(first) }
            lhs.others += rhs.others
        }

        /// Adds the selection to a shape, without creating an array.
        ///
        /// - returns: the results of closures.
        func append(to shape: inout QueryShapeWriter, _ db: Database) throws -> Resolved {
            func append(_ selection: [any SQLSelectable]) -> Resolved {
                shape.append(selection.count)
                for selectable in selection { shape.append(node: selectable.sqlSelection) }
                return .selectables(selection)
            }
            if others.isEmpty {
                switch first {
                case .closure(let resolve): return try append(resolve(db))
                case .ofType(let type): return append(type.databaseSelection)
                case .one(let selection):
                    shape.append(1)
                    shape.append(node: selection)
                    return .none
                case .given, nil: break
                }
            }
            let selection = try resolve(db)
            shape.append(nodes: selection)
            return .selections(selection)
        }

        /// Adds the selection of a joined relation to a shape, or gives up if it is a closure.
        func appendGiven(to shape: inout QueryShapeWriter) {
            guard let first else { return shape.append(0) }
            shape.append(1 + others.count)
            append(first, to: &shape)
            for part in others { append(part, to: &shape) }
        }

        private func append(_ part: Part, to shape: inout QueryShapeWriter) {
            switch part {
            case .closure: shape.giveUp()
            case .one(let selection):
                shape.append(1)
                shape.append(node: selection)
            case .given(let selection): shape.append(nodes: selection)
            case .ofType(let type):
                let selection = type.databaseSelection
                shape.append(selection.count)
                for selectable in selection { shape.append(node: selectable.sqlSelection) }
            }
        }

        /// The results of closures.
        enum Resolved {
            case none
            case selectables([any SQLSelectable])
            case selections([SQLSelection])

            /// The selection, if closures returned it.
            var selections: [SQLSelection]? {
                switch self {
                case .none: nil
                case .selectables(let selection): selection.map(\.sqlSelection)
                case .selections(let selection): selection
                }
            }
        }

        /// Calls the closures.
        func resolve(_ db: Database) throws -> [SQLSelection] {
            guard let first else { return [] }
            if others.isEmpty { return try first.resolve(db) }
            return try others.reduce(into: first.resolve(db)) { $0 += try $1.resolve(db) }
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
            case closure(Deferred<[any SQLOrderingTerm]>)
            case given(SQLOrdering, others: [SQLOrdering])
            /// The terms that sort rows that are still tied.
            case stable

            fileprivate func resolve(
                _ db: Database, stableTerms: () throws -> [any SQLOrderingTerm]
            ) throws -> [SQLOrdering] {
                switch self {
                case .closure(let terms): try terms(db).map(\.sqlOrdering)
                case .given(let term, let others): [term] + others
                case .stable: try stableTerms().map(\.sqlOrdering)
                }
            }

            fileprivate var isStable: Bool {
                if case .stable = self { true } else { false }
            }
        }

        // The most important terms first. Nearly all relations have no terms, or the terms of one
        // call.
        private var first: Terms?
        private var others: [Terms] = []

        /// Stored, because testing `first` would copy it.
        private(set) var isEmpty = true

        var isReversed = false

        init() {}

        init(_ terms: Terms) { append(terms) }

        /// Whether terms depend on the whole query.
        var isStable: Bool {
            (first?.isStable ?? false) || others.contains(where: \.isStable)
        }

        mutating func append(_ terms: Terms) {
            if isEmpty { first = terms } else { others.append(terms) }
            isEmpty = false
        }

        /// Adds the order of a relation that is not part of another one to a shape.
        ///
        /// - returns: the results of closures; nil if there are no closures.
        func append(to shape: inout QueryShapeWriter, _ db: Database) throws -> [SQLOrdering]? {
            if !isReversed, others.isEmpty, case .given(let term, let otherTerms) = first {
                shape.append(1 + otherTerms.count)
                shape.append(node: term)
                shape.append(nodes: otherTerms)
                return nil
            }
            let orderings = try resolve(db, stableTerms: { [] })
            shape.append(nodes: orderings)
            return orderings
        }

        /// Adds the order of a relation in a query of several tables to a shape. Gives up if it
        /// depends on a closure or on the whole query, or if it is reversed.
        func appendGiven(to shape: inout QueryShapeWriter) {
            if isReversed || !others.isEmpty { return shape.giveUp() }
            switch first {
            case .given(let term, let otherTerms):
                shape.append(1 + otherTerms.count)
                shape.append(node: term)
                shape.append(nodes: otherTerms)
            case .closure, .stable: shape.giveUp()
            case nil: shape.append(0)
            }
        }

        /// - parameters:
        ///     - isQueryReversed: whether the order of the whole query is reversed.
        ///     - stableTerms: returns the terms that sort all rows, which depend on the whole
        ///       query.
        func resolve(
            _ db: Database, isQueryReversed: Bool = false,
            stableTerms: () throws -> [any SQLOrderingTerm]
        ) throws -> [SQLOrdering] {
            guard let first else { return [] }
            var orderings = try first.resolve(db, stableTerms: stableTerms)
            for terms in others {
                orderings += try terms.resolve(db, stableTerms: stableTerms)
            }
            return isReversed != isQueryReversed
                ? try orderings.map { try $0.reversed() } : orderings
        }
    }
}

// MARK: - Rare parts

extension Relation {
    /// `@unchecked Sendable`: changed only by a relation that has the only reference to it.
    private final class RareParts: @unchecked Sendable {
        struct Parts: Sendable {
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

        var parts: Parts

        init(_ parts: Parts) { self.parts = parts }
    }

    private var rareParts: RareParts.Parts {
        get { rare?.parts ?? RareParts.Parts() }
        _modify {
            if rare == nil {
                rare = RareParts(RareParts.Parts())
            } else if !isKnownUniquelyReferenced(&rare) {
                rare = RareParts(rare!.parts)
            }
            yield &rare!.parts
        }
    }

    /// The aliases with which other parts of the query refer to the table.
    var aliases: [TableAliasBase] {
        get { rare?.parts.aliases ?? [] }
        _modify { yield &rareParts.aliases }
    }

    var grouping: Deferred<[any SQLExpressible]>? {
        get { rare?.parts.grouping }
        _modify { yield &rareParts.grouping }
    }

    /// The conditions on groups. All of them must be satisfied.
    var groupFilters: Rope<DeferredCondition> {
        get { rare?.parts.groupFilters ?? [] }
        _modify { yield &rareParts.groupFilters }
    }

    /// The named windows.
    var windows: [NamedWindow] {
        get { rare?.parts.windows ?? [] }
        _modify { yield &rareParts.windows }
    }

    /// The joined relations.
    var joins: [Join] {
        get { rare?.parts.joins ?? [] }
        _modify { yield &rareParts.joins }
    }

    /// The prefetches, which fetch rows after the rows of the relation.
    var prefetches: [Prefetch] {
        get { rare?.parts.prefetches ?? [] }
        _modify { yield &rareParts.prefetches }
    }

    /// A key that different associations have in common.
    var ambiguousKey: String? {
        get { rare?.parts.ambiguousKey }
        _modify { yield &rareParts.ambiguousKey }
    }

    var commonTables: [CommonTable] {
        get { rare?.parts.commonTables ?? [] }
        _modify { yield &rareParts.commonTables }
    }

    /// The arguments of a table-valued function; nil for all other tables.
    var arguments: [SQLExpression]? {
        get { rare?.parts.arguments }
        _modify { yield &rareParts.arguments }
    }
}

/// `WITH "name" AS (…)`
struct CommonTable: Sendable {
    enum Materialization: String, Sendable {
        case materialized = "MATERIALIZED "
        case notMaterialized = "NOT MATERIALIZED "
    }

    var name: String

    /// The names of the columns; nil for the column names of the query.
    var columns: [String]?

    var isRecursive: Bool
    var materialization: Materialization?
    var query: SQLSubquery

    /// The text of the query, if it was already written.
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
        try filters.map { try $0.resolve(db, onTable: tableName) }
    }

    /// Calls the closures of the selection.
    func resolvedSelection(_ db: Database) throws -> [SQLSelection] {
        try selection.resolve(db)
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

    /// Adds a common table expression, which replaces another one with the same name.
    mutating func add(_ commonTable: CommonTable) {
        commonTables.removeAll { ASCIICase.equal($0.name, commonTable.name) }
        commonTables.append(commonTable)
    }

    /// Adds a window, which replaces another one with the same name.
    mutating func add(_ window: NamedWindow) {
        windows.removeAll { ASCIICase.equal($0.name, window.name) }
        windows.append(window)
    }

    mutating func order(_ terms: @escaping Deferred<[any SQLOrderingTerm]>) {
        ordering = Ordering(.closure(terms))
    }

    /// Reverses the order of rows, including joined rows, even if they are joined later. Another
    /// order cancels the reversal.
    mutating func reverseOrder() {
        ordering.isReversed.toggle()
    }

    /// Removes the order of rows, including joined and prefetched rows.
    mutating func removeOrder() {
        ordering = Ordering()
        updateAssociations { $0.removeOrder() }
    }

    /// Makes the order of rows deterministic, including joined and prefetched rows: rows that are
    /// still tied are sorted by primary key.
    mutating func stabilizeOrder() {
        ordering.append(.stable)
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
