import GRDB

// Requests with typed expressions.

extension FilteredRequest {
    /// Filters rows by a Boolean column or expression.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "isActive"
    /// let request = Player.all().filter(Player.Columns.isActive)
    /// ```
    @_disfavoredOverload  // the overloads for other conditions win
    public func filter(_ predicate: any TypedExpressible<Bool>) -> Self {
        filter(predicate.untyped)
    }
}

extension QueryInterfaceRequest {
    /// Selects an expression, and decodes rows into the type of the expression.
    ///
    /// ```swift
    /// // SELECT "score" FROM "player"
    /// let scores = try Player.all().select(Player.Columns.score).fetchAll(db) // [Int]
    /// ```
    public func select<Value>(
        _ selection: any TypedExpressible<Value>
    ) -> QueryInterfaceRequest<Value> {
        select([selection], as: Value.self)
    }
}

extension Table {
    /// Selects an expression, and decodes rows into the type of the expression.
    ///
    /// ```swift
    /// // SELECT "score" FROM "player"
    /// let score = TypedColumn<Int>("score")
    /// let scores = try Table("player").select(score).fetchAll(db) // [Int]
    /// ```
    public func select<Value>(
        _ selection: any TypedExpressible<Value>
    ) -> QueryInterfaceRequest<Value> {
        all().select(selection)
    }

    /// Returns a request for the rows that satisfy a condition.
    @_disfavoredOverload  // the overloads for other conditions win
    public func filter(
        _ predicate: any TypedExpressible<Bool>
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(predicate)
    }
}
