// Fetching associated rows after the rows of a relation.

extension ResolvedQuery {
    /// Fetches the associated rows of rows of the query, and stores them in the batch.
    ///
    /// Runs one query per association, for any number of rows.
    func prefetch(for rows: RowBatch) throws {
        if rows.count == 0 { return }
        rows.prefetches = try prefetchPlans().map { try $0.fetch(for: rows, of: self) }
    }

    /// Returns the requests that fetch the associated rows of rows of the query. There must be at
    /// least one row.
    func associatedRequests(for rows: RowBatch) throws -> [AssociatedRequest] {
        try prefetchPlans().map { try $0.request(for: rows, of: self) }
    }

    /// Returns the region that prefetched rows depend on, in addition to the tables of the query.
    package func prefetchedRegion() throws -> DatabaseRegion {
        try prefetchPlans().reduce(into: DatabaseRegion()) { region, plan in
            // Rows that don't exist have no associated rows.
            for table in plan.tables where try possibleRowIDs(ofTableAt: table)?.isEmpty ?? false {
                return
            }
            let associatedRows = AssociatedRows(path: plan.prefetch.path)
            let columns = try associatedRows.columns(db)
            let relation = associatedRows.relation(keyPrefix: prefetchedKeyPrefix) { _ in
                // The keys of prefetched rows are not known. A condition on an expression does not
                // narrow the region.
                columns.map { (Column($0.right) + 0) == 0 }.joined(operator: .and)
            }
            try region.formUnion(relation.databaseRegion(db))
        }
    }

    /// Returns the prefetches of the first table and of joined tables.
    private func prefetchPlans() -> [PrefetchPlan] {
        var plans: [PrefetchPlan] = []
        var count = 0
        func appendPlans(
            of relation: Relation, tables: [Int], basePath: [Join], scopes: [String],
            isInScope: Bool
        ) {
            let tables = tables + [count]
            count += 1
            for prefetch in relation.prefetches {
                plans.append(
                    PrefetchPlan(
                        prefetch: prefetch, tables: tables, basePath: basePath, scopes: scopes,
                        isInScope: isInScope))
            }
            for join in relation.joins {
                appendPlans(
                    of: join.relation, tables: tables, basePath: basePath.leading(to: join),
                    scopes: join.isScope ? scopes + [join.key] : scopes,
                    isInScope: isInScope && join.isScope)
            }
        }
        appendPlans(of: relation, tables: [], basePath: [], scopes: [], isInScope: true)
        return plans
    }
}

/// The request of the associated rows of some rows.
struct AssociatedRequest {
    /// The keys of the associations that lead from the rows to the associated rows.
    var keyPath: [String]

    var relation: Relation

    /// The columns that hold the key of the row that an associated row belongs to. They come after
    /// other columns of the same name.
    var keyColumns: [String]
}

/// The prefix of the additional columns that hold the key of the row that a prefetched row belongs
/// to.
private let prefetchedKeyPrefix = "grdb_"

extension [Join] {
    /// Returns the path extended by a join. The join is removed from the last element, so that it
    /// is not joined twice.
    fileprivate func leading(to join: Join) -> [Join] {
        var path = self
        if !path.isEmpty {
            path[path.count - 1].relation.joins.removeAll { $0.key == join.key }
        }
        return path + [join]
    }
}

extension Join {
    /// Whether fetched rows have a scope for the joined relation.
    fileprivate var isScope: Bool { relation.selectsColumns }
}

extension Relation {
    /// Whether the relation, or a joined one, selects columns.
    fileprivate var selectsColumns: Bool {
        !selection.isEmpty || joins.contains { $0.relation.selectsColumns }
    }
}

/// The prefetch of an association of a relation, or of a relation joined to it.
private struct PrefetchPlan {
    let prefetch: Prefetch

    /// The indexes of the tables that lead to the origin of the association, which is the last
    /// table.
    let tables: [Int]

    /// The joins that lead to the origin of the association.
    let basePath: [Join]

    /// The scopes that lead to the prefetched rows.
    let scopes: [String]

    /// Whether the last scope contains the columns of the origin.
    let isInScope: Bool

    /// Fetches the associated rows of each row of a query.
    func fetch(for rows: RowBatch, of query: ResolvedQuery) throws -> RowGrouping {
        var query = try associatedQuery(for: rows, of: query)
        var associatedRows = RowBatch(shape: .empty)
        var groups: [Int] = []
        if query.numbers.count > 0 {
            associatedRows = try query.relation.prepare(query.db, forSingleResult: false)
                .fetchBatch()
            let indexes = associatedRows.shape.lastIndexes(of: query.keyColumns)
            groups.reserveCapacity(associatedRows.count)
            for index in 0..<associatedRows.count {
                guard let indexes,
                    let group = query.numbers.number(associatedRows.values(at: index), indexes)
                else { throw lostRow(associatedRows.row(at: index)) }
                groups.append(group)
            }
        }
        return RowGrouping(
            path: scopes.map { .scope($0) } + prefetch.keyPath.dropLast().map { .association($0) },
            key: prefetch.key, groups: query.groups, groupCount: query.numbers.count,
            batch: associatedRows, memberGroups: groups)
    }

    /// Returns the request of the associated rows of all rows of a query.
    func request(for rows: RowBatch, of query: ResolvedQuery) throws -> AssociatedRequest {
        let query = try associatedQuery(for: rows, of: query)
        return AssociatedRequest(
            keyPath: scopes + prefetch.displayedKeyPath, relation: query.relation,
            keyColumns: query.keyColumns)
    }

    private func associatedQuery(
        for rows: RowBatch, of query: ResolvedQuery
    ) throws -> AssociatedQuery {
        let db = query.db
        let associatedRows = AssociatedRows(path: prefetch.path)
        let columns = try associatedRows.columns(db)
        if isInScope {
            // Joined rows all have the same tree of scopes.
            let count = try query.ownColumnCount(ofTableAt: tables[tables.count - 1])
            let shape = rows.shape.shape(inScopes: scopes)
            if let indexes = shape?.indexes(of: columns.map(\.left), among: count) {
                return try AssociatedQuery(db, associatedRows, columns, for: rows, indexes)
            }
        }
        // The origin is joined, but not all of its key columns are fetched: start from the row
        // itself.
        if !basePath.isEmpty {
            let associatedRows = AssociatedRows(path: basePath + prefetch.path)
            let columns = try associatedRows.columns(db)
            let count = try query.ownColumnCount(ofTableAt: 0)
            if let indexes = rows.shape.indexes(of: columns.map(\.left), among: count) {
                return try AssociatedQuery(db, associatedRows, columns, for: rows, indexes)
            }
        }
        throw DatabaseError(
            misuse: """
                Can't prefetch the association "\(prefetch.key)": the request does not select \
                \(columns.map(\.left).joined(separator: ", "))
                """)
    }

    /// Returns the error for a row whose key only SQLite considers equal to a key of the request.
    private func lostRow(_ row: Row) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISMATCH,
            message: """
                Can't prefetch the association "\(prefetch.key)": the key of \(row) is compared by \
                the types or the collation of columns in a way that is not supported
                """)
    }
}

/// The query of the associated rows of some rows.
private struct AssociatedQuery {
    let db: Database

    /// The names of the columns that join both tables, in the rows and in the associated rows.
    let columns: [(left: String, right: String)]

    /// Numbers the keys of rows.
    var numbers: PrefetchKeyNumbers

    /// The number of the key of each row; nil for rows without associated rows.
    let groups: [Int?]

    private let associatedRows: AssociatedRows

    /// - parameter indexes: the indexes of the left columns in the statement of the rows.
    init(
        _ db: Database, _ associatedRows: AssociatedRows,
        _ columns: [(left: String, right: String)], for origins: RowBatch, _ indexes: [Int]
    ) throws {
        self.db = db
        self.associatedRows = associatedRows
        self.columns = columns
        let target = associatedRows.path[0].relation.tableName
        var numbers = PrefetchKeyNumbers(
            try columns.map { try db.keyComparison(ofColumn: $0.right, in: target) })
        groups = (0..<origins.count).map { numbers.insert(origins.values(at: $0), indexes) }
        self.numbers = numbers
    }

    /// The columns that hold the key of the row that an associated row belongs to.
    var keyColumns: [String] { columns.map { prefetchedKeyPrefix + $0.right } }

    var relation: Relation {
        let columns = columns.map(\.right)
        let values = numbers.sortedKeys()
        return associatedRows.relation(keyPrefix: prefetchedKeyPrefix) { _ in
            keyCondition(columns, values)
        }
    }
}

extension RowShape {
    /// Returns the shape of the rows in nested scopes. Nil if there is no such scope.
    fileprivate func shape(inScopes scopes: [String]) -> RowShape? {
        if scopes.isEmpty { return self }
        var adapter = adapter
        for scope in scopes { adapter = adapter?._scopes[scope] }
        return adapter.map { RowShape(base, adapter: $0) }
    }

    /// Returns the indexes of columns in the statement; nil if one of them is missing.
    ///
    /// - parameter count: the number of columns to look at; nil for all.
    fileprivate func indexes(of columns: [String], among count: Int?) -> [Int]? {
        let names = layout.names.prefix(count ?? .max)
        let indexes = columns.compactMap { column in
            names.firstIndex { ASCIICase.equal($0, column) }
        }
        return indexes.count == columns.count ? indexes.map(baseIndex) : nil
    }

    /// Returns the indexes of the last columns with the names; nil if one of them is missing.
    fileprivate func lastIndexes(of columns: [String]) -> [Int]? {
        let indexes = columns.compactMap { column in
            layout.names.lastIndex { ASCIICase.equal($0, column) }
        }
        return indexes.count == columns.count ? indexes.map(baseIndex) : nil
    }

    private func baseIndex(_ index: Int) -> Int {
        columnIndexes.map { Int($0[index]) } ?? index
    }
}
