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
        try Int.fetchOne(db.cachedStatement(CountQuery(relation: self))) ?? 0
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
        let context = StatementWriter(db)
        try write(to: context)
        context.settleNames()
        holdsQueries = context.subqueryCount > 0
        literalTexts = context.literalTexts
        let statement = try db.cachedStatement(sql: context.sql)
        try statement.setArguments(context.arguments)
        if !relation.filters.isEmpty || relation.hasPrefetches {
            statement.setRegionRefinement(self)
        }
        return statement
    }
}
