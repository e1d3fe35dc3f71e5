// From relations to prepared statements.

extension Relation {
    /// Returns the statement that fetches the rows, and the adapter that adds the scopes of joined
    /// columns.
    func prepare(_ db: Database, forSingleResult isSingleResult: Bool) throws -> PreparedRequest {
        let plan = try plan(of: isSingleResult ? .fetchOne : .fetchAll, db)
        if let statement = plan.statement {
            try ResolvedQuery.check(plan, statement, of: self, db) { query, context in
                query.isSingleResult = isSingleResult
                try query.write(to: context)
                // `PlannedQuery` relies on this.
                assert(context.subqueryCount == 0 && context.literalTexts.isEmpty)
            }
            if !filters.isEmpty, !db.forgoesRegions || db.recordedRegion != nil {
                statement.setRegionRefinement(PlannedQuery(self, plan.parts, db))
            }
            return PreparedRequest(statement: statement, adapter: plan.adapter)
        }
        let query = try ResolvedQuery(self, db, plan.parts)
        query.isSingleResult = isSingleResult
        var request = try query.preparedRequest(plan)
        if hasPrefetches { request.prefetchingQuery = query }
        return request
    }

    /// Fetches the result of a statement that counts the rows, or tests whether there is one.
    func fetchInt(
        _ use: ResolvedQuery.Use, isOrdered: Bool, _ db: Database,
        writing write: (ResolvedQuery, StatementWriter) throws -> Void
    ) throws -> Int? {
        let plan = try plan(of: use, isOrdered: isOrdered, db)
        if let statement = plan.statement {
            try ResolvedQuery.check(plan, statement, of: self, db) { query, context in
                query.isOrdered = isOrdered
                try write(query, context)
            }
            return try Int.fetchOne(statement)
        }
        let query = try ResolvedQuery(self, db, plan.parts)
        query.isOrdered = isOrdered
        return try Int.fetchOne(query.statement(plan) { try write(query, $0) })
    }

    /// Returns the region that the rows depend on, which is limited to some rows of the table if
    /// the filters identify them.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        let forgoesRegions = db.forgoesRegions
        db.forgoesRegions = false
        defer { db.forgoesRegions = forgoesRegions }
        return try prepare(db, forSingleResult: false).statement.checkedRegion
    }
}

extension ResolvedQuery {
    /// Whether rows have columns of joined relations.
    package var isAdapted: Bool { !relation.joins.isEmpty }

    package var hasPrefetches: Bool { relation.hasPrefetches }

    /// The adapter for decoding rows; nil if all their columns belong to the relation.
    package func decodingAdapter(columnCount: Int) throws -> (any RowAdapter)? {
        isAdapted ? try rowAdapter(columnCount: columnCount) : nil
    }

    /// The statement that fetches the rows, and their adapter. The query refines the region of the
    /// statement while the statement has the arguments of the query.
    fileprivate func preparedRequest(_ plan: borrowing WrittenQueryPlan) throws -> PreparedRequest {
        let request = try request(plan, isAdapted: isAdapted, writing: write)
        if !relation.filters.isEmpty || hasPrefetches {
            request.statement.setRegionRefinement(self)
        }
        return request
    }
}

extension ResolvedQuery {
    /// `SELECT EXISTS (SELECT …)`
    func writeExistence(to context: StatementWriter) throws {
        // See `Existence`.
        let skipsDistinctRows = relation.skipsDistinctRows
        context.append(
            sql: skipsDistinctRows ? "SELECT EXISTS (SELECT * FROM (" : "SELECT EXISTS (")
        try context.withSubquery { try write(to: context) }
        context.append(sql: skipsDistinctRows ? "))" : ")")
    }
}
