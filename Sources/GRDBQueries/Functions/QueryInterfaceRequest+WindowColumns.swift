import GRDB

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// Names a window, so that several window functions can share it.
    ///
    /// ```swift
    /// // SELECT *, RANK() OVER "byScore" FROM "player"
    /// // WINDOW "byScore" AS (PARTITION BY "team" ORDER BY "score" DESC)
    /// let request = Player.all()
    ///     .annotated(with: rank().over(.named("byScore")).forKey("rank"))
    ///     .window(named: "byScore") {
    ///         SQLWindow(partitionBy: [$0.team], orderBy: [$0.score.desc])
    ///     }
    /// ```
    ///
    /// A window of the same name is replaced.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/windowfunctions.html#window_chaining>
    public func window(
        named name: String, _ window: (DatabaseComponents) throws -> SQLWindow
    ) rethrows -> Self {
        try self.window(named: name, window(RowDecoder.databaseComponents))
    }
}

extension TableRecord {
    /// Returns a request with a named window, so that several window functions can share it. See
    /// `window(named:_:)` of requests.
    ///
    /// ```swift
    /// // SELECT *, RANK() OVER "byScore" FROM "player" WINDOW "byScore" AS (ORDER BY "score")
    /// let request = Player
    ///     .window(named: "byScore", SQLWindow(orderBy: [Column("score")]))
    ///     .annotated(with: rank().over(.named("byScore")))
    /// ```
    public static func window(
        named name: String, _ window: SQLWindow
    ) -> QueryInterfaceRequest<Self> {
        all().window(named: name, window)
    }

    /// Returns a request with a named window, so that several window functions can share it.
    ///
    /// ```swift
    /// // SELECT *, RANK() OVER "byScore" FROM "player" WINDOW "byScore" AS (ORDER BY "score")
    /// let request = Player
    ///     .window(named: "byScore") { SQLWindow(orderBy: [$0.score]) }
    ///     .annotated(with: rank().over(.named("byScore")))
    /// ```
    public static func window(
        named name: String, _ window: (DatabaseComponents) throws -> SQLWindow
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().window(named: name, window)
    }
}
