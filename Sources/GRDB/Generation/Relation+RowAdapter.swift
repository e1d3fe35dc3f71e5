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

    /// The columns and the scopes of the relation. Columns come in the order in which they are
    /// selected: those of the relation, then those of the joined ones.
    private func node(
        _ position: inout Int, _ counts: SelectionCounts
    ) throws -> AdapterNode {
        let start = position
        position += try counts.next()
        var node = AdapterNode(columns: start..<position)
        for join in joins {
            let child = try join.relation.node(&position, counts)
            if join.isAnnotation {
                node.annotations.append((join.key, child))
            } else {
                node.scopes.append((join.key, child))
            }
        }
        return node
    }
}

/// The columns of a relation in the rows of a statement.
private struct AdapterNode {
    var columns: Range<Int>
    var annotations: [(key: String, node: AdapterNode)] = []
    var scopes: [(key: String, node: AdapterNode)] = []

    /// Whether any column is selected.
    var isEmpty: Bool {
        columns.isEmpty && annotations.allSatisfy(\.node.isEmpty)
            && scopes.allSatisfy(\.node.isEmpty)
    }

    /// Whether there is nothing to adapt.
    func isWholeRow(_ columnCount: Int) -> Bool {
        columns == 0..<columnCount && annotations.allSatisfy(\.node.isEmpty)
            && scopes.allSatisfy(\.node.isEmpty)
    }

    /// The scopes alone, also those of annotations.
    private var withoutColumns: AdapterNode {
        var node = self
        node.columns = 0..<0
        node.annotations = annotations.map { ($0.key, $0.node.withoutColumns) }
        return node
    }

    /// Its own columns, and those of its annotations.
    var allColumns: [Range<Int>] { [columns] + annotations.flatMap(\.node.allColumns) }

    var adapter: any RowAdapter {
        let ranges = allColumns.filter { !$0.isEmpty }
        let base: any RowAdapter =
            switch ranges.count {
            case 0: EmptyRowAdapter()
            case 1: RangeRowAdapter(ranges[0])
            default: RangesRowAdapter(ranges: ranges)
            }
        var adapters: [String: any RowAdapter] = [:]
        for (key, node) in scopes where !node.isEmpty {
            adapters[key] = node.adapter
        }
        for (key, node) in annotations where adapters[key] == nil {
            // Its columns are those of the row. What it includes stays below its key.
            let node = node.withoutColumns
            if !node.isEmpty {
                adapters[key] = node.adapter
            }
        }
        return base.addingScopes(adapters)
    }
}

/// An adapter that exposes several ranges of columns, one after the other.
private struct RangesRowAdapter: RowAdapter {
    let ranges: [Range<Int>]

    func _layoutedAdapter(from layout: some _RowLayout) throws -> any _LayoutedRowAdapter {
        let columns = layout._layoutColumns
        return _LayoutedAdapter(columns: ranges.flatMap { columns[$0] })
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
        try count(relation, commonTables: relation.allCommonTables)
        let unknownCount = counts.count { $0 == nil }
        if let total, unknownCount == 1 {
            // What is left belongs to the only selection that is not known.
            let known = counts.reduce(0) { $0 + ($1 ?? 0) }
            counts = counts.map { $0 ?? total - known }
        }
    }

    private func count(_ relation: Relation, commonTables: [CommonTable]) throws {
        var sum: Int? = 0
        for part in relation.selection {
            for selectable in try part(db) {
                let count = try columnCount(
                    selectable.sqlSelection, relation, commonTables: commonTables)
                sum = count.flatMap { count in sum.map { $0 + count } }
            }
        }
        counts.append(sum)
        for join in relation.joins {
            try count(join.relation, commonTables: commonTables)
        }
    }

    /// The numbers of columns of all relations.
    func all() throws -> [Int] {
        try counts.map { _ in try next() }
    }

    /// The number of columns of the next relation.
    func next() throws -> Int {
        defer { index += 1 }
        guard let count = counts[index] else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    Selection literals don't know how many columns they contain. To resolve \
                    this error, select one or several expressions instead.
                    """)
        }
        return count
    }

    private func columnCount(
        _ selection: SQLSelection, _ relation: Relation, commonTables: [CommonTable]
    ) throws -> Int? {
        var node = selection.node
        if let qualified = node as? QualifiedNode { node = qualified.base }
        switch node {
        case is AllColumnsNode:
            let table = relation.tableName
            if let commonTable = commonTables.first(where: {
                ASCIICase.equal($0.name, table.name)
            }) {
                return try columnCount(commonTable, among: commonTables)
            }
            return try db.columns(in: table.name, in: table.schema).count
        case let node as AllColumnsExcludingNode:
            return try node.selection(ofTable: relation.tableName, db).count
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
    var allCommonTables: [CommonTable] {
        commonTables + joins.flatMap(\.relation.allCommonTables)
    }
}
