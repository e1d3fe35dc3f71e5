/// A relation that is about to be written as a statement, or as a part of a statement.
///
/// Its tables have names, and its closures are called at most once: the text of the statement, the
/// row adapter, the region, and the prefetches all use their results.
///
/// Use it where the database connection may be used, for one statement.
package final class ResolvedQuery {
    /// A table of the query.
    final class Table: SourceName {
        let relation: Relation

        /// How the table is joined to a table before it. Nil for the first table.
        let join: (join: Join, parent: Int)?

        /// The reference of the query itself to the table.
        let reference: TableAliasBase

        /// Whether the columns of the table are always qualified.
        fileprivate(set) var qualifiesColumns = false

        /// The number of queries around the query of the table.
        var depth = 0

        /// - parameter isReferred: whether the query itself refers to the table by an alias.
        fileprivate init(
            _ relation: Relation, join: (join: Join, parent: Int)?, isReferred: Bool
        ) throws {
            self.relation = relation
            self.join = join
            reference =
                relation.aliases.first
                ?? (isReferred ? TableAliasBase(name: nil) : Self.noReference)
            let givenName = try relation.aliasName()
            qualifiesColumns = givenName != nil
            super.init(givenName ?? relation.table)
        }

        /// The shared reference of tables that nothing refers to.
        private static let noReference = TableAliasBase(name: nil)

        /// The qualifier of the columns of the table in the query.
        var columnQualifier: SQLWriter.Qualifier {
            qualifiesColumns ? .name(self) : .nameIfChanged(self)
        }

        /// Whether the name comes from an alias.
        var hasGivenName: Bool { relation.aliases.contains { $0.name != nil } }

        /// Whether an alias refers to the table.
        func isCalled(_ alias: AnyObject) -> Bool {
            reference === alias || relation.aliases.contains { $0 === alias }
        }

        fileprivate var knownFilters: [SQLExpression]?
        fileprivate var knownSelection: [SQLSelection]?

        /// The filters.
        func filters(_ db: Database) throws -> [SQLExpression] {
            if let knownFilters { return knownFilters }
            let filters = try relation.resolvedFilters(db)
            knownFilters = filters
            return filters
        }

        /// The selection.
        func selection(_ db: Database) throws -> [SQLSelection] {
            if let knownSelection { return knownSelection }
            let selection = try relation.resolvedSelection(db)
            knownSelection = selection
            return selection
        }
    }

    let db: Database
    let relation: Relation

    /// The table of the relation, then the joined tables, each before the tables that are joined to
    /// it.
    private(set) var tables: [Table] = []

    private(set) var isDistinct: Bool

    /// Selected after the columns of all tables.
    private(set) var addedSelection: [SQLSelection] = []
    private(set) var windows: [NamedWindow]

    /// Whether the rows have the order of the relation.
    var isOrdered = true

    /// Whether only the first row matters.
    var isSingleResult = false

    /// Whether the statement around the query defines the common table expressions of the relation.
    var inheritsCommonTables = false

    /// The common table expressions of the query, and those written before it. Known once the query
    /// is written.
    var commonTables = CommonTables()

    /// Whether the statement contains other queries, which may read the same tables. Known once the
    /// statement is written.
    var holdsQueries = true

    /// The literals of the statement, once it is written.
    var literalTexts: [String] = []

    private var knownGrouping: [SQLExpression]?
    private var knownOrderings: [SQLOrdering]?

    /// - parameter parts: the results of closures of the relation that were already called.
    init(_ relation: Relation, _ db: Database, _ parts: WrittenQueryPlan.Parts = .init()) throws {
        self.db = db
        self.relation = relation
        isDistinct = relation.isDistinct
        windows = relation.windows
        try append(relation, join: nil)
        // The columns of a single table need no qualifier, unless the table was given a name.
        if tables.count > 1 {
            for table in tables { table.qualifiesColumns = true }
            try numberNames()
        }
        tables[0].knownFilters = parts.filters
        tables[0].knownSelection = parts.selection?.map(\.sqlSelection)
        knownGrouping = parts.grouping
        knownOrderings = parts.orderings
    }

    private func append(_ relation: Relation, join: (join: Join, parent: Int)?) throws {
        try relation.checkJoins(isJoined: join != nil)
        let index = tables.count
        try tables.append(
            Table(relation, join: join, isReferred: join != nil || !relation.joins.isEmpty))
        for child in relation.joins {
            try append(child.relation, join: (child, index))
        }
    }

    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if an alias refers to several tables.
    private func checkAliases() throws {
        var aliases: Set<TableAliasBase> = []
        for table in tables {
            for alias in Set(table.relation.aliases) where !aliases.insert(alias).inserted {
                throw DatabaseError(
                    misuse: "A TableAlias must not be used to refer to multiple tables")
            }
        }
    }

    /// Numbers the tables that would have the same name.
    private func numberNames() throws {
        try checkAliases()
        var indexes: [CaseInsensitiveIdentifier: [Int]] = [:]
        for (index, table) in tables.enumerated() {
            indexes[CaseInsensitiveIdentifier(table.text), default: []].append(index)
        }
        for (name, indexes) in indexes where indexes.count > 1 {
            if indexes.count(where: { tables[$0].hasGivenName }) > 1 {
                throw DatabaseError(misuse: "ambiguous alias: \(name.rawValue)")
            }
            var number = 0
            // Given names are kept.
            for index in indexes where !tables[index].hasGivenName {
                repeat {
                    number += 1
                } while tables.contains {
                    ASCIICase.equal($0.text, "\(name.rawValue)\(number)")
                }
                tables[index].text += "\(number)"
            }
        }
    }

    // MARK: - Results of closures

    /// The terms of `GROUP BY`.
    func grouping() throws -> [SQLExpression] {
        if let knownGrouping { return knownGrouping }
        let grouping = try relation.grouping?(db).map { $0.sqlExpression } ?? []
        knownGrouping = grouping
        return grouping
    }

    /// The terms of `ORDER BY` of the only table; nil if they depend on the whole query.
    func knownOrdering() throws -> [SQLOrdering]? {
        if let knownOrderings { return knownOrderings }
        let ordering = relation.ordering
        if ordering.isStable || tables.count > 1 { return nil }
        let orderings = try ordering.resolve(db, stableTerms: { [] })
        knownOrderings = orderings
        return orderings
    }

    /// Replaces the selection with one expression, over all rows.
    func select(_ expression: SQLExpression) {
        tables[0].knownSelection = [expression.sqlSelection]
        windows = []
        isDistinct = false
    }

    // MARK: - Keys

    /// Replaces the selection with the key of the table.
    func select(onlyKey key: [Column]) {
        for table in tables { table.knownSelection = [] }
        tables[0].knownSelection = key.map(\.sqlSelection)
        isDistinct = false
    }

    /// Adds the key of the table to the selection, under the names of ``keyName(_:)``.
    func select(alsoKey key: [Column]) {
        addedSelection = key.enumerated().map { $0.element.forKey(Self.keyName($0.offset)) }
    }

    static func keyName(_ index: Int) -> String { "grdb_key\(index + 1)" }

    /// Whether the first rows may be others if other columns are selected: because of `DISTINCT`, or
    /// because `ORDER BY` may refer to selected columns, by name or by number.
    func selectionDeterminesRows() throws -> Bool {
        if isDistinct { return true }
        var isOrdered = false
        for table in tables {
            let ordering = table.relation.ordering
            if ordering.isEmpty { continue }
            isOrdered = true
            // The rows of views are sorted by their selected columns.
            if ordering.isStable, tables.count > 1 { return true }
            let terms = try knownOrdering() ?? ordering.resolve(db, stableTerms: { [] })
            if terms.contains(where: { $0.node.mayReferToSelection }) { return true }
        }
        // The columns of several tables are qualified, so that they don't refer to selected columns.
        if !isOrdered || tables.count > 1 { return false }
        return try tables[0].selection(db).contains {
            $0.node.contains(.named) || $0.node.contains(.opaque)
        }
    }

    /// Whether at most one row of the table has given values in the selected columns.
    @inline(never)  // 7 KB
    func selectsUniqueKey() throws -> Bool {
        let relation = tables[0].relation
        var names: [String] = []
        for selection in try tables[0].selection(db) {
            if case .ofTable(let excluded) = selection.node.selectedColumns,
                selection.node.tableAlias.map(tables[0].isCalled) ?? true
            {
                names += try db.columns(in: relation.table, in: relation.tableName.schema)
                    .map(\.name).filter { !excluded.contains(CaseInsensitiveIdentifier($0)) }
            } else if let name = selection.node.selectedExpression?.node.columnName(
                aliases: relation.aliases)
            {
                names.append(name)
            }
        }
        return try db.identifiesRows(names, in: relation.tableName)
    }
}

extension SQLNode {
    /// Whether the node may be the number or the name of a selected column.
    fileprivate var mayReferToSelection: Bool {
        traits.contains(.opaque) || self is Keyword || self is DetachedColumnNode
            || children.contains { $0.mayReferToSelection }
    }
}

extension Relation {
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the relation can't be written.
    fileprivate func checkJoins(isJoined: Bool) throws {
        if let ambiguousKey {
            throw DatabaseError(
                misuse: """
                    The association key "\(ambiguousKey)" is ambiguous. Use the \
                    Association.forKey(_:) method in order to disambiguate.
                    """)
        }
        if !isJoined { return }
        if isDistinct {
            throw DatabaseError(misuse: "Can't join an association that selects DISTINCT rows")
        }
        if grouping != nil || !groupFilters.isEmpty {
            throw DatabaseError(
                misuse: "Can't join an association with a GROUP BY or HAVING clause")
        }
    }

    /// The name that aliases give to the table.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if there are several.
    func aliasName() throws -> String? {
        var result: String?
        for alias in aliases {
            guard let name = alias.name else { continue }
            if let other = result, !other.hasSameBytes(as: name) {
                throw DatabaseError(
                    misuse: "the table \(table) has two aliases: \(other) and \(name)")
            }
            result = name
        }
        return result
    }
}
