import GRDB

extension QueryInterfaceRequest {
    /// Returns the rows that are best by a full-text index and by their vectors together, best first:
    /// reciprocal rank fusion.
    ///
    /// ```swift
    /// let documents = try Document
    ///     .filter { $0.language == "en" }
    ///     .hybridSearch(
    ///         matching: FTS5Pattern(matchingAnyTokenIn: text), in: "document_ft",
    ///         nearestTo: vector, in: Column("embedding"), by: VectorMetric.cosine, count: 10)
    ///     .fetchAll(db)
    /// ```
    ///
    /// The rows that pass the filters of the request are ranked twice, from 1: those that match the pattern by the
    /// column `rank` of the full-text table, and those with a vector by their distance. Equal rows have
    /// equal ranks. The score of a row is the sum of `1 / (rankConstant + rank)` over the rankings that the row is
    /// in, so ranks, and not the values behind them, are added. Rows that are in none are left out.
    ///
    /// The search is exact: no ranking is cut. Rows with equal scores are ordered by their rowids. The ordering and the
    /// limit of the request are replaced.
    ///
    /// The statement fails as ``nearest(to:in:count:by:distanceKey:)-(_,SQLSpecificExpressible,_,_,_)``
    /// does.
    ///
    /// - parameter pattern: a pattern; nil if the vectors alone decide.
    /// - parameter fullTextTable: the name of an FTS5 table with the rowids of the requested table, such as one that
    ///   is synchronized with it.
    /// - parameter vector: a vector of the same type as the expression.
    /// - parameter expression: the vectors of the rows, such as a column.
    /// - parameter metric: the distance metric.
    /// - parameter count: the maximum number of rows.
    /// - parameter rankConstant: the greater it is, the less the first ranks matter.
    /// - parameter scoreKey: the name of the score in the fetched rows; nil to omit it.
    /// - complexity: one distance per row; both rankings are sorted.
    public func hybridSearch<Vector: DatabaseVector>(
        matching pattern: FTS5Pattern?, in fullTextTable: String,
        nearestTo vector: Vector, in expression: some SQLSpecificExpressible,
        by metric: Vector.Metric, count: Int, rankConstant: Double = 60, scoreKey: String? = nil
    ) -> Self {
        func rank(by ordering: some SQLOrderingTerm) -> SQLExpression {
            SQLExpression.function("RANK")
                .calling(over: ["(ORDER BY ", .ordering(ordering.sqlOrdering), ")"])
        }
        let (id, place, score) = (Column("id"), Column("place"), Column("score"))
        let candidates = withoutLimit().unordered()
        let byText = Table(fullTextTable).matching(pattern)
            .filter(candidates.select(Column.rowID).contains(Column.rowID))
            .select(
                Column.rowID.forKey("id"), rank(by: Column("rank")).forKey("place"))
        let byVector = candidates.filter(expression.sqlExpression != nil)
            .select(
                Column.rowID.forKey("id"),
                rank(by: expression.distance(to: vector, by: metric)).forKey("place"))
        let places = CommonTableExpression<Row>(
            named: "hybridPlace", literal: "\(byText) UNION ALL \(byVector)")
        let scores = CommonTableExpression<Row>(
            named: "hybridScore",
            request: places.all().with(places)
                .select(id, sum(1.0 / (place + rankConstant)).forKey("score"))
                .group(id))
        let alias = TableAlias<Row>()
        let association = JoinAssociation(to: scores.all()) {
            (row: TableAlias<RowDecoder>, scored) in
            row[Column.rowID] == scored[id]
        }
        let request = candidates.with(scores)
            .joining(required: association.aliased(alias))
            .order(alias[score].desc, Column.rowID)
            .limit(count).checkingCount(count)
        return scoreKey.map { request.annotated(with: alias[score].forKey($0)) } ?? request
    }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// Returns the rows that are best by a full-text index and by their vectors together, best first. See
    /// ``hybridSearch(matching:in:nearestTo:in:by:count:rankConstant:scoreKey:)-(_,_,_,SQLSpecificExpressible,_,_,_,_)``.
    public func hybridSearch<Vector: DatabaseVector>(
        matching pattern: FTS5Pattern?, in fullTextTable: String, nearestTo vector: Vector,
        in expression: (RowDecoder.DatabaseComponents) throws -> any SQLExpressible,
        by metric: Vector.Metric, count: Int, rankConstant: Double = 60, scoreKey: String? = nil
    ) rethrows -> Self {
        let expression = try expression(RowDecoder.databaseComponents).sqlExpression
        return hybridSearch(
            matching: pattern, in: fullTextTable, nearestTo: vector, in: expression, by: metric,
            count: count, rankConstant: rankConstant, scoreKey: scoreKey)
    }
}
