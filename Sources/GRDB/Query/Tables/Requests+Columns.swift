// The methods of requests whose closures receive the columns of the record type.
//
// ```swift
// // SELECT * FROM "player" WHERE "score" > 0
// Player.filter { $0.score > 0 }
// ```

// MARK: - Selection

extension SelectionRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type that provides the columns of the record type to closures.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Replaces the selection of the request.
    ///
    /// ```swift
    /// // SELECT "id", "score" FROM "player"
    /// let request = Player.all().select { [$0.id, $0.score] }
    /// ```
    ///
    /// The selection replaces the previous selection.
    ///
    /// Rows are still decoded into the type of the request, which must find its columns. To fetch something
    /// else, such as the strings of one column, use the variant with `as:`.
    ///
    /// See <doc:Queries#Select-columns-and-expressions>.
    public func select(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> Self {
        try select(selection(RowDecoder.databaseComponents))
    }

    /// Replaces the selection of the request by one column or expression.
    ///
    /// ```swift
    /// // SELECT "score" FROM "player"
    /// let request = Player.all().select { $0.score }
    /// ```
    ///
    /// The selection replaces the previous selection.
    @_disfavoredOverload  // the overload for typed expressions wins
    public func select(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> Self {
        try select(selection(RowDecoder.databaseComponents))
    }

    /// Appends result columns.
    ///
    /// ```swift
    /// // SELECT *, "score" + "bonus" AS "total", "score" * 2 AS "double" FROM "player"
    /// let request = Player.all().annotated {
    ///     [($0.score + $0.bonus).forKey("total"), ($0.score * 2).forKey("double")]
    /// }
    /// ```
    ///
    /// The decoded type reads the added values by name, so name expressions with `forKey`.
    ///
    /// See <doc:Queries#Select-columns-and-expressions>.
    public func annotated(
        with selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> Self {
        try annotated(with: selection(RowDecoder.databaseComponents))
    }

    /// Appends a result column.
    ///
    /// ```swift
    /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
    /// let request = Player.all().annotated { ($0.score + $0.bonus).forKey("total") }
    /// ```
    @_disfavoredOverload  // the compiler tries the array overload first, and stops if it fits
    public func annotated(
        with selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> Self {
        try annotated(with: selection(RowDecoder.databaseComponents))
    }
}

// MARK: - Filters

extension FilteredRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type that provides the columns of the record type to closures.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Keeps the rows that meet a condition. The closure receives the `Columns` of the record type.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" = 'Arthur'
    /// let request = Player.all().filter { $0.name == "Arthur" }
    ///
    /// // SELECT * FROM "player" WHERE ("score" >= 100) AND ("teamId" IS NULL)
    /// let request = Player.all().filter { $0.score >= 100 && $0.teamId == nil }
    ///
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// let request = Player.all().filter { [1, 2, 3].contains($0.id) }
    /// ```
    ///
    /// Swift values become arguments of the statement, never SQL text. Several calls are combined
    /// with `AND`, so that you can add conditions one at a time:
    ///
    /// ```swift
    /// var request = Player.all()
    /// if let minimum { request = request.filter { $0.score >= minimum } }
    /// if onlyFree { request = request.filter { $0.teamId == nil } }
    /// ```
    ///
    /// Dates and UUIDs are compared in their default format. If the record type stores them in
    /// another format, convert the value: see <doc:RecordFormats#Dates-and-UUIDs>.
    ///
    /// In an association, the condition is a part of the join: see
    /// <doc:JoinedRequests#Filter-by-the-other-table>. See <doc:Queries#Operators> for the operators
    /// of conditions.
    public func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
    ) rethrows -> Self {
        try filter(predicate(RowDecoder.databaseComponents).sqlExpression)
    }
}

// MARK: - Groups

extension AggregatingRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type that provides the columns of the record type to closures.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Groups rows by the given expressions.
    ///
    /// ```swift
    /// // SELECT "team", "year", MAX("score") FROM "player" GROUP BY "team", "year"
    /// let request = Player
    ///     .select { [$0.team, $0.year, max($0.score)] }
    ///     .group { [$0.team, $0.year] }
    /// ```
    ///
    /// The new groups replace the previous groups.
    public func group(
        _ expressions: (DatabaseComponents) throws -> [any SQLExpressible]
    ) rethrows -> Self {
        try group(expressions(RowDecoder.databaseComponents))
    }

    /// Groups rows by the given expression.
    ///
    /// ```swift
    /// // SELECT "team", MAX("score") FROM "player" GROUP BY "team"
    /// let request = Player.select { [$0.team, max($0.score)] }.group(\.team)
    /// ```
    ///
    /// The new groups replace the previous groups.
    @_disfavoredOverload  // the compiler tries the array overload first, and stops if it fits
    public func group(
        _ expression: (DatabaseComponents) throws -> any SQLExpressible
    ) rethrows -> Self {
        try group([expression(RowDecoder.databaseComponents)])
    }

    /// Filters groups with a condition.
    ///
    /// ```swift
    /// // SELECT "team", MAX("score") FROM "player" GROUP BY "team" HAVING MIN("score") >= 1000
    /// let request = Player
    ///     .select { [$0.team, max($0.score)] }
    ///     .group(\.team)
    ///     .having { min($0.score) >= 1000 }
    /// ```
    ///
    /// Conditions add up: all conditions must be met.
    public func having(
        _ predicate: (DatabaseComponents) throws -> any SQLExpressible
    ) rethrows -> Self {
        try having(predicate(RowDecoder.databaseComponents).sqlExpression)
    }
}

// MARK: - Order

extension OrderedRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type that provides the columns of the record type to closures.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Sorts rows.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// let request = Player.all().order { [$0.score.desc, $0.name] }
    /// ```
    ///
    /// The new ordering replaces the previous ordering.
    ///
    /// SQLite sorts NULL before other values: use `ascNullsLast` to have it at the end. Rows with equal
    /// values come in any order, which may differ between two fetches, unless the last term is unique.
    ///
    /// See <doc:Queries#Sort-and-limit>.
    public func order(
        _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> Self {
        try order(orderings(RowDecoder.databaseComponents))
    }

    /// Sorts rows.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC
    /// let request = Player.all().order(\.score.desc)
    /// ```
    ///
    /// The new ordering replaces the previous ordering.
    ///
    /// See <doc:Queries#Sort-and-limit>.
    @_disfavoredOverload  // the compiler tries the array overload first, and stops if it fits
    public func order(
        _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> Self {
        try _order(ordering(RowDecoder.databaseComponents).sqlOrdering, [])
    }

    /// Sorts rows.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// let request = Player.all().order(\.score.desc, \.name)
    /// ```
    ///
    /// The new ordering replaces the previous ordering.
    ///
    /// See <doc:Queries#Sort-and-limit>.
    public func order(
        _ ordering: (DatabaseComponents) -> any SQLOrderingTerm,
        _ secondOrdering: (DatabaseComponents) -> any SQLOrderingTerm,
        _ otherOrderings: ((DatabaseComponents) -> any SQLOrderingTerm)...
    ) -> Self {
        let columns = RowDecoder.databaseComponents
        return order(
            [ordering(columns), secondOrdering(columns)] + otherOrderings.map { $0(columns) })
    }
}

// MARK: - Types of results

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// The type that provides the columns of the record type to closures.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Defines the result columns and the type into which they are decoded.
    ///
    /// ```swift
    /// // SELECT "id", "score" FROM "player"
    /// let rows = try Player.all()
    ///     .select({ [$0.id, $0.score] }, as: Row.self)
    ///     .fetchAll(db) // [Row]
    /// ```
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable],
        as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try select(selection(RowDecoder.databaseComponents), as: type)
    }

    /// Defines the result column and the type into which it is decoded.
    ///
    /// ```swift
    /// // SELECT MAX("score") FROM "player"
    /// let maximumScore = try Player.all()
    ///     .select({ max($0.score) }, as: Int.self)
    ///     .fetchOne(db) // Int?
    /// ```
    @_disfavoredOverload  // the overload for typed expressions wins
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable,
        as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try select([selection(RowDecoder.databaseComponents)], as: type)
    }
}
