import GRDB

// Distances between vectors as expressions, and the requests that sort by them.

extension SQLSpecificExpressible {
    /// The distance to a vector.
    ///
    /// ```swift
    /// // vector_distance_cosine("embedding", ?)
    /// Column("embedding").distance(to: vector, by: VectorMetric.cosine)
    /// ```
    ///
    /// The distance to NULL is NULL. The statement fails with an error of code `SQLITE_ERROR` if a value
    /// is not a blob, if the vectors have different numbers of dimensions, or if the distance is NaN.
    ///
    /// - parameter vector: a vector of the same type as the expression.
    /// - parameter metric: the distance metric.
    public func distance<Vector: DatabaseVector>(
        to vector: Vector, by metric: Vector.Metric
    ) -> SQLExpression {
        .distance(sqlExpression, vector.sqlExpression, Vector.self, metric)
    }

    /// The distance between two expressions.
    ///
    /// ```swift
    /// // vector_distance_l2("embedding", "center")
    /// Column("embedding").distance(to: Column("center"), as: FloatVector.self, by: .l2)
    /// ```
    ///
    /// - parameter other: an expression.
    /// - parameter type: the type of both vectors.
    /// - parameter metric: the distance metric.
    public func distance<Vector: DatabaseVector>(
        to other: some SQLSpecificExpressible, as type: Vector.Type, by metric: Vector.Metric
    ) -> SQLExpression {
        .distance(sqlExpression, other.sqlExpression, type, metric)
    }
}

extension TypedExpressible where Value: DatabaseVector {
    /// The distance to a vector.
    ///
    /// ```swift
    /// // SELECT vector_distance_cosine("embedding", ?) FROM "document"
    /// let distances = try Document
    ///     .select { $0.embedding.distance(to: vector, by: .cosine) }
    ///     .fetchAll(db) // [Double]
    /// ```
    ///
    /// The statement fails with an error of code `SQLITE_ERROR` if a value is not a blob, if the vectors
    /// have different numbers of dimensions, or if the distance is NaN.
    public func distance(to vector: Value, by metric: Value.Metric) -> TypedExpression<Double> {
        TypedExpression(
            SQLExpression.distance(untyped, vector.sqlExpression, Value.self, metric))
    }

    /// The distance between two expressions.
    public func distance(
        to other: some TypedExpressible<Value>, by metric: Value.Metric
    ) -> TypedExpression<Double> {
        TypedExpression(SQLExpression.distance(untyped, other.untyped, Value.self, metric))
    }
}

extension TypedExpressible {
    /// The distance to a vector; NULL if the expression is NULL.
    public func distance<Vector: DatabaseVector>(
        to vector: Vector, by metric: Vector.Metric
    ) -> TypedExpression<Double?> where Value == Vector? {
        TypedExpression(
            SQLExpression.distance(untyped, vector.sqlExpression, Vector.self, metric))
    }
}

extension SQLExpression {
    fileprivate static func distance<Vector: DatabaseVector>(
        _ left: SQLExpression, _ right: SQLExpression, _ type: Vector.Type,
        _ metric: Vector.Metric
    ) -> SQLExpression {
        .function(Vector._distanceFunction(metric), left, right)
    }
}

extension QueryInterfaceRequest {
    /// Returns the rows whose vectors are nearest to a vector, nearest first.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "embedding" IS NOT NULL
    /// // ORDER BY vector_distance_cosine("embedding", ?) LIMIT 10
    /// let documents = try Document.all()
    ///     .nearest(to: vector, in: Column("embedding"), count: 10, by: .cosine)
    ///     .fetchAll(db)
    ///
    /// // SELECT *, vector_distance_cosine("embedding", ?) AS "distance" FROM "document"
    /// // WHERE "embedding" IS NOT NULL ORDER BY "distance" LIMIT 10
    /// let rows = try Document.all()
    ///     .nearest(
    ///         to: vector, in: Column("embedding"), count: 10, by: .cosine,
    ///         distanceKey: "distance")
    ///     .asRequest(of: Row.self)
    ///     .fetchAll(db)
    /// ```
    ///
    /// The search is exact: it computes the distance of each row that passes the filters of the
    /// request. Rows without a vector are excluded. The ordering and the limit of the request are
    /// replaced.
    ///
    /// The statement fails with an error of code `SQLITE_ERROR` if a value is not a blob, if the vectors
    /// have different numbers of dimensions, or if a distance is NaN; with an error of code
    /// `SQLITE_MISUSE` if the count is negative.
    ///
    /// - parameter vector: a vector of the same type as the expression.
    /// - parameter expression: the vectors of the rows, such as a column.
    /// - parameter count: the maximum number of rows.
    /// - parameter metric: the distance metric.
    /// - parameter distanceKey: the name of the distance in the fetched rows; nil to omit it. If it is the name of
    ///   another selected column, rows are still ordered by the distance, which is the last column of that name.
    /// - complexity: one distance per row; the memory of `count` rows.
    public func nearest<Vector: DatabaseVector>(
        to vector: Vector, in expression: some SQLSpecificExpressible, count: Int,
        by metric: Vector.Metric, distanceKey: String? = nil
    ) -> Self {
        nearest(expression.sqlExpression, vector, count, metric, distanceKey)
    }

    fileprivate func nearest<Vector: DatabaseVector>(
        _ expression: SQLExpression, _ vector: Vector, _ count: Int, _ metric: Vector.Metric,
        _ distanceKey: String?
    ) -> Self {
        let distance = SQLExpression.distance(
            expression, vector.sqlExpression, Vector.self, metric)
        let request = filter(expression != nil).limit(count).checkingCount(count)
        guard let distanceKey else { return request.order(distance) }
        // Order by the name of the column: SQLite would compute the expression twice, because each
        // occurrence has its own parameter. But the name may be the one of another selected column.
        return
            request
            .annotated(with: distance.forKey(distanceKey))
            .orderWhenConnected { db in
                let names = try? request.unordered().makePreparedRequest(db).statement.columnNames
                let isFree = names?.contains { ASCIICase.equal($0, distanceKey) } == false
                return [isFree ? Column(distanceKey).detached : distance]
            }
    }

    /// Throws for a negative count, because SQLite treats a negative limit as no limit.
    func checkingCount(_ count: Int) -> Self {
        if count >= 0 { return self }
        return filterWhenConnected { _ in
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the count of nearest rows is negative: \(count)")
        }
    }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// Returns the rows whose vectors are nearest to a vector, nearest first. See
    /// ``nearest(to:in:count:by:distanceKey:)-(_,SQLSpecificExpressible,_,_,_)``.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "language" = 'en' AND "embedding" IS NOT NULL
    /// // ORDER BY vector_distance_cosine("embedding", ?) LIMIT 10
    /// let documents = try Document
    ///     .filter { $0.language == "en" }
    ///     .nearest(to: vector, in: \.embedding, count: 10, by: .cosine)
    ///     .fetchAll(db)
    /// ```
    public func nearest<Vector: DatabaseVector>(
        to vector: Vector,
        in expression: (RowDecoder.DatabaseComponents) throws -> any SQLSpecificExpressible,
        count: Int, by metric: Vector.Metric, distanceKey: String? = nil
    ) rethrows -> Self {
        let expression = try expression(RowDecoder.databaseComponents).sqlExpression
        return nearest(expression, vector, count, metric, distanceKey)
    }

    /// Returns the rows whose vectors are nearest to a vector, nearest first, by a typed column.
    public func nearest<Vector: DatabaseVector>(
        to vector: Vector,
        in column: (RowDecoder.DatabaseComponents) throws -> TypedColumn<Vector>,
        count: Int, by metric: Vector.Metric, distanceKey: String? = nil
    ) rethrows -> Self {
        let column = try column(RowDecoder.databaseComponents).untyped
        return nearest(column, vector, count, metric, distanceKey)
    }

    /// Returns the rows whose vectors are nearest to a vector, nearest first, by a typed column
    /// that may be NULL.
    public func nearest<Vector: DatabaseVector>(
        to vector: Vector,
        in column: (RowDecoder.DatabaseComponents) throws -> TypedColumn<Vector?>,
        count: Int, by metric: Vector.Metric, distanceKey: String? = nil
    ) rethrows -> Self {
        let column = try column(RowDecoder.databaseComponents).untyped
        return nearest(column, vector, count, metric, distanceKey)
    }
}

extension TableRecord {
    /// Returns a request for the rows whose vectors are nearest to a vector, nearest first. See
    /// ``QueryInterfaceRequest/nearest(to:in:count:by:distanceKey:)-(_,SQLSpecificExpressible,_,_,_)``.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "embedding" IS NOT NULL
    /// // ORDER BY vector_distance_cosine("embedding", ?) LIMIT 10
    /// let documents = try Document
    ///     .nearest(to: vector, in: \.embedding, count: 10, by: .cosine)
    ///     .fetchAll(db)
    /// ```
    public static func nearest<Vector: DatabaseVector>(
        to vector: Vector,
        in expression: (DatabaseComponents) throws -> any SQLSpecificExpressible,
        count: Int, by metric: Vector.Metric, distanceKey: String? = nil
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().nearest(
            to: vector, in: expression, count: count, by: metric, distanceKey: distanceKey)
    }

    /// Returns a request for the rows whose vectors are nearest to a vector, by a typed column.
    public static func nearest<Vector: DatabaseVector>(
        to vector: Vector, in column: (DatabaseComponents) throws -> TypedColumn<Vector>,
        count: Int, by metric: Vector.Metric, distanceKey: String? = nil
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().nearest(
            to: vector, in: column, count: count, by: metric, distanceKey: distanceKey)
    }

    /// Returns a request for the rows whose vectors are nearest to a vector, by a typed column that may
    /// be NULL.
    public static func nearest<Vector: DatabaseVector>(
        to vector: Vector, in column: (DatabaseComponents) throws -> TypedColumn<Vector?>,
        count: Int, by metric: Vector.Metric, distanceKey: String? = nil
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().nearest(
            to: vector, in: column, count: count, by: metric, distanceKey: distanceKey)
    }
}
