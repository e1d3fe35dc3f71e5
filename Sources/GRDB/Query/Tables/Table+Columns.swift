// Requests that start from a table with a record type.

extension Table where RowDecoder: TableRecord {
    /// The type that provides the columns of the record type to closures.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Returns a request with the selected columns.
    ///
    /// ```swift
    /// // SELECT "id", "score" FROM "player"
    /// Table("player").select { [$0.id, $0.score] }
    /// ```
    public func select(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }

    /// Returns a request with the selected column.
    ///
    /// ```swift
    /// // SELECT "score" FROM "player"
    /// Table("player").select { $0.score }
    /// ```
    @_disfavoredOverload  // the overload for typed expressions wins
    public func select(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }

    /// Returns a request with the selected columns, decoded into a type.
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }

    /// Returns a request with the selected column, decoded into a type.
    ///
    /// ```swift
    /// // SELECT MAX("score") FROM "player"
    /// Table("player").select({ max($0.score) }, as: Int.self)
    /// ```
    @_disfavoredOverload  // the overload for typed expressions wins
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }

    /// Returns a request with more result columns.
    public func annotated(
        with selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }

    /// Returns a request with one more result column.
    ///
    /// ```swift
    /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
    /// Table("player").annotated { ($0.score + $0.bonus).forKey("total") }
    /// ```
    @_disfavoredOverload  // the compiler tries the array overload first, and stops if it fits
    public func annotated(
        with selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }

    /// Returns a request for the rows that meet a condition.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" = 'Arthur'
    /// Table("player").filter { $0.name == "Arthur" }
    /// ```
    public func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().filter(predicate)
    }

    /// Returns a sorted request.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// Table("player").order { [$0.score.desc, $0.name] }
    /// ```
    public func order(
        _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(orderings)
    }

    /// Returns a sorted request.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC
    /// Table("player").order(\.score.desc)
    /// ```
    @_disfavoredOverload  // the compiler tries the array overload first, and stops if it fits
    public func order(
        _ orderings: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(orderings)
    }

    /// Returns a sorted request.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// Table<Player>("player").order(\.score.desc, \.name)
    /// ```
    public func order(
        _ ordering: (DatabaseComponents) -> any SQLOrderingTerm,
        _ secondOrdering: (DatabaseComponents) -> any SQLOrderingTerm,
        _ otherOrderings: ((DatabaseComponents) -> any SQLOrderingTerm)...
    ) -> QueryInterfaceRequest<RowDecoder> {
        let columns = RowDecoder.databaseComponents
        return all().order(
            [ordering(columns), secondOrdering(columns)] + otherOrderings.map { $0(columns) })
    }
}
