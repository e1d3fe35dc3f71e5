// Where joined columns stand in fetched rows.

extension Relation {
    /// The adapter that shows the columns of the relation, with a scope for each joined relation
    /// that has selected columns.
    ///
    /// - parameter columnCount: the number of columns of the statement.
    func rowAdapter(_ db: Database, columnCount: Int) throws -> (any RowAdapter)? {
        let counts = SelectionCounts(db: db, total: columnCount)
        try counts.count(self)
        var position = 0
        let node = try node(&position, counts)
        return node.isWholeRow(columnCount) ? nil : node.adapter
    }

    /// The numbers of columns that the relation and the joined ones select, in the order of the
    /// statement.
    func selectedColumnCounts(_ db: Database) throws -> [Int] {
        let counts = SelectionCounts(db: db, total: nil)
        try counts.count(self)
        return try counts.all()
    }

    /// The number of selected columns before the first one of another table, which may have the name
    /// of a column of this table; nil if there is none of another table.
    func ownColumnCount(_ db: Database) throws -> Int? {
        if joins.isEmpty { return nil }
        var own: [SQLSelection] = []
        for part in selection {
            for selectable in try part(db) {
                if let node = selectable.sqlSelection.node as? QualifiedNode,
                    !aliases.contains(where: { $0 === node.alias })
                {
                    let selection = own
                    let relation = with { relation in
                        relation.selection = [{ _ in selection }]
                        relation.joins = []
                    }
                    return try relation.selectedColumnCounts(db)[0]
                }
                own.append(selectable.sqlSelection)
            }
        }
        return nil
    }

    /// The columns and the scopes of the relation. Columns come in the order in which they are
    /// selected: those of the relation, then those of the joined ones.
    private func node(
        _ position: inout Int, _ counts: SelectionCounts
    ) throws -> AdapterNode {
        let start = position
        position += try counts.next()
        var node = AdapterNode(columns: start..<position)
        for join in joins {
            try node.scopes.append((join.key, join.relation.node(&position, counts)))
        }
        return node
    }
}

/// The columns of a relation in the rows of a statement.
private struct AdapterNode {
    var columns: Range<Int>
    var scopes: [(key: String, node: AdapterNode)] = []

    /// Whether any column is selected.
    var isEmpty: Bool { columns.isEmpty && scopes.allSatisfy(\.node.isEmpty) }

    /// Whether there is nothing to adapt.
    func isWholeRow(_ columnCount: Int) -> Bool {
        columns == 0..<columnCount && scopes.allSatisfy(\.node.isEmpty)
    }

    var adapter: any RowAdapter {
        let base: any RowAdapter = columns.isEmpty ? EmptyRowAdapter() : RangeRowAdapter(columns)
        var adapters: [String: any RowAdapter] = [:]
        for (key, node) in scopes where !node.isEmpty {
            adapters[key] = node.adapter
        }
        return base.addingScopes(adapters)
    }
}

/// The numbers of columns that relations select, in the order of the statement.
private final class SelectionCounts {
    private let db: Database
    /// The number of columns of the statement, if it is known.
    private let total: Int?
    private var counts: [Int?] = []
    private var index = 0

    init(db: Database, total: Int?) {
        self.db = db
        self.total = total
    }

    /// Counts the columns of a relation, and of those that are joined to it.
    func count(_ relation: Relation) throws {
        let query = Query(root: relation, commonTables: relation.allCommonTables)
        try count(relation, in: query)
        if let total, !counts.contains(nil), counts.reduce(0, { $0 + ($1 ?? 0) }) != total {
            throw unknownCount
        }
        let unknownCount = counts.count { $0 == nil }
        if let total, unknownCount == 1 {
            // The remaining columns belong to the one selection whose number is not known.
            let known = counts.reduce(0) { $0 + ($1 ?? 0) }
            counts = counts.map { $0 ?? total - known }
        }
    }

    /// What the columns of a selection depend on.
    private struct Query {
        let root: Relation
        let commonTables: [CommonTable]
    }

    private func count(_ relation: Relation, in query: Query) throws {
        var sum: Int? = 0
        for part in relation.selection {
            for selectable in try part(db) {
                let count = try columnCount(selectable.sqlSelection.node, relation, in: query)
                sum = count.flatMap { count in sum.map { $0 + count } }
            }
        }
        counts.append(sum)
        for join in relation.joins {
            try count(join.relation, in: query)
        }
    }

    /// The numbers of columns of all relations.
    func all() throws -> [Int] {
        try counts.map { _ in try next() }
    }

    /// The number of columns of the next relation.
    func next() throws -> Int {
        defer { index += 1 }
        guard let count = counts[index] else { throw unknownCount }
        return count
    }

    private var unknownCount: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                Selection literals don't know how many columns they contain. To resolve this error, \
                select one or several expressions instead.
                """)
    }

    private func columnCount(
        _ node: any SQLNode, _ relation: Relation, in query: Query
    ) throws -> Int? {
        let table = relation.tableName
        switch node {
        case let node as QualifiedNode:
            // All columns are those of the table that the alias stands for.
            return try columnCount(
                node.base, query.root.relation(calledBy: node.alias) ?? relation, in: query)
        case is AllColumnsNode:
            if let commonTable = query.commonTables.first(where: {
                ASCIICase.equal($0.name, table.name)
            }) {
                return try columnCount(commonTable, among: query.commonTables)
            }
            return try db.columns(in: table.name, in: table.schema).count
        case let node as AllColumnsExcludingNode:
            return try node.columns(
                amongst: db.columns(in: table.name, in: table.schema).map(\.name)
            )
            .count
        case is SQL:
            return nil
        default:
            return 1
        }
    }

    private func columnCount(
        _ commonTable: CommonTable, among commonTables: [CommonTable]
    ) throws -> Int {
        if let columns = commonTable.columns { return columns.count }
        let relation = Relation(
            table: .init(commonTable.name), selection: [AllColumns().sqlSelection]
        ).with { $0.commonTables = commonTables }
        return try db.cachedStatement(SelectQuery(relation: relation)).columnCount
    }
}

extension Relation {
    /// The relation that an alias stands for: this one, or a joined one.
    func relation(calledBy alias: TableAliasBase) -> Relation? {
        if aliases.contains(where: { $0 === alias }) { return self }
        for join in joins {
            if let relation = join.relation.relation(calledBy: alias) { return relation }
        }
        return nil
    }

    var allCommonTables: [CommonTable] {
        commonTables + joins.flatMap(\.relation.allCommonTables)
    }
}
