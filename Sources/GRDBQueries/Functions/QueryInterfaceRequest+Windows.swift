import GRDB

extension QueryInterfaceRequest {
    /// Defines a named window, which several window functions can share.
    ///
    /// ```swift
    /// // SELECT "name", RANK() OVER "byScore", LAG("name") OVER "byScore"
    /// // FROM "player" WINDOW "byScore" AS (ORDER BY "score" DESC)
    /// let request = Player.all()
    ///     .select {
    ///         [
    ///             $0.name, rank().over(.named("byScore")),
    ///             lag($0.name).over(.named("byScore")),
    ///         ]
    ///     }
    ///     .window(named: "byScore", SQLWindow(orderBy: [Column("score").desc]))
    /// ```
    ///
    /// A window with the same name is replaced. Columns refer to the table of the request.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/windowfunctions.html#window_chaining>
    public func window(named name: String, _ window: SQLWindow) -> Self {
        adding(windowNamed: name, window.definition)
    }
}

extension Table {
    /// Defines a named window, which several window functions can share.
    ///
    /// ```swift
    /// // SELECT *, RANK() OVER "byScore" FROM "player" WINDOW "byScore" AS (ORDER BY "score")
    /// let request = Table("player")
    ///     .window(named: "byScore", SQLWindow(orderBy: [Column("score")]))
    ///     .annotated(with: rank().over(.named("byScore")))
    /// ```
    public func window(
        named name: String, _ window: SQLWindow
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().window(named: name, window)
    }
}
