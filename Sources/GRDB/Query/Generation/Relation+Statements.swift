// From relations to prepared statements.

extension Relation {
    /// The statement that fetches the rows, and the adapter that gives joined columns their scopes.
    func prepare(_ db: Database, forSingleResult isSingleResult: Bool) throws -> PreparedRequest {
        let query = try ResolvedQuery(self, db)
        query.isSingleResult = isSingleResult
        let statement = try query.statement()
        if joins.isEmpty, prefetches.isEmpty { return PreparedRequest(statement: statement) }
        var request = try PreparedRequest(
            statement: statement,
            adapter: query.decodingAdapter(columnCount: statement.columnCount))
        if hasPrefetches { request.prefetchingQuery = query }
        return request
    }

    /// The number of rows.
    func fetchCount(_ db: Database) throws -> Int {
        let query = try ResolvedQuery(self, db)
        // The order has no influence on the number of rows.
        query.isOrdered = false
        return try Int.fetchOne(
            query.statement(query.shape(of: .count), writing: query.writeCount)) ?? 0
    }

    /// Whether there is a row.
    func isEmpty(_ db: Database) throws -> Bool {
        let query = try ResolvedQuery(self, db)
        let statement = try query.statement(
            query.shape(of: .exist), writing: query.writeExistence)
        return try !(Bool.fetchOne(statement) ?? false)
    }

    /// The region that the rows depend on: some rows of the table when the filters tell which.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try ResolvedQuery(self, db).statement().checkedRegion
    }
}

extension ResolvedQuery {
    /// The adapter for decoding rows; nil if all their columns are those of the relation.
    func decodingAdapter(columnCount: Int) throws -> (any RowAdapter)? {
        relation.joins.isEmpty ? nil : try rowAdapter(columnCount: columnCount)
    }

    /// The statement that fetches the rows. It knows the region of the query as long as it has the
    /// arguments of the query.
    func statement() throws -> Statement {
        let statement = try statement(
            shape(of: isSingleResult ? .fetchOne : .fetchAll), writing: write)
        if !relation.filters.isEmpty || relation.hasPrefetches {
            statement.setRegionRefinement(self)
        }
        return statement
    }
}

extension ResolvedQuery {
    /// `SELECT EXISTS (SELECT …)`
    fileprivate func writeExistence(to context: StatementWriter) throws {
        // See `Existence`.
        let skipsDistinctRows = relation.isDistinct && relation.limit?.offset != nil
        context.append(
            sql: skipsDistinctRows ? "SELECT EXISTS (SELECT * FROM (" : "SELECT EXISTS (")
        try context.withSubquery { try write(to: context) }
        context.append(sql: skipsDistinctRows ? "))" : ")")
    }
}
