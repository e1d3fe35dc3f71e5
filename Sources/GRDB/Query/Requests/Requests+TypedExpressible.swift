// Requests on typed expressions.

extension QueryInterfaceRequest {
    /// Selects an expression, and decodes rows into its type.
    ///
    /// ```swift
    /// // SELECT "score" FROM "player"
    /// let scores = try Player.all().select(Player.Columns.score).fetchAll(db) // [Int]
    /// ```
    public func select<Value>(
        _ selection: some TypedExpressible<Value>
    ) -> QueryInterfaceRequest<Value> {
        select([selection], as: Value.self)
    }
}

extension Table {
    /// Selects an expression, and decodes rows into its type.
    ///
    /// ```swift
    /// // SELECT "score" FROM "player"
    /// let score = TypedColumn<Int>("score")
    /// let scores = try Table("player").select(score).fetchAll(db) // [Int]
    /// ```
    public func select<Value>(
        _ selection: some TypedExpressible<Value>
    ) -> QueryInterfaceRequest<Value> {
        all().select(selection)
    }
}
