/// A request whose result columns can be selected.
public protocol SelectionRequest {
    /// Defines result columns that depend on the database.
    ///
    /// Any previous selection is replaced.
    func selectWhenConnected(
        _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self

    /// Appends result columns that depend on the database.
    func annotatedWhenConnected(
        with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self
}

extension SelectionRequest {
    /// Replaces the selection of the request.
    ///
    /// ```swift
    /// // SELECT "id", "score" FROM "player"
    /// let request = Player.all().select([Column("id"), Column("score")])
    /// ```
    ///
    /// Any previous selection is replaced.
    ///
    /// Rows are still decoded into the type of the request, which must find its columns. To fetch something
    /// else, such as the strings of one column, use the variant with `as:`.
    ///
    /// See <doc:Queries#Select-columns-and-expressions>.
    public func select(_ selection: [any SQLSelectable]) -> Self {
        let selection = selection.map(\.sqlSelection)
        return selectWhenConnected { _ in selection }
    }

    /// Replaces the selection of the request.
    ///
    /// ```swift
    /// // SELECT "id", "score" FROM "player"
    /// let request = Player.all().select(Column("id"), Column("score"))
    /// ```
    ///
    /// Any previous selection is replaced.
    ///
    /// See <doc:Queries#Select-columns-and-expressions>.
    @_disfavoredOverload  // the overload for typed expressions wins
    public func select(_ selection: any SQLSelectable...) -> Self {
        select(selection)
    }

    /// Selects result columns that are written in SQL.
    ///
    /// ```swift
    /// // SELECT IFNULL(name, 'Anonymous') FROM "player"
    /// let request = Player.all().select(sql: "IFNULL(name, ?)", arguments: ["Anonymous"])
    /// ```
    ///
    /// Any previous selection is replaced.
    public func select(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> Self {
        select(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Selects the expressions of an ``SQL`` literal.
    ///
    /// ```swift
    /// // SELECT IFNULL(name, 'Anonymous') FROM "player"
    /// let request = Player.all().select(literal: "IFNULL(name, \("Anonymous"))")
    /// ```
    ///
    /// Any previous selection is replaced.
    public func select(literal sqlLiteral: SQL) -> Self {
        // Don't convert the literal to an expression: it may contain several columns.
        selectWhenConnected { _ in [sqlLiteral] }
    }

    /// Appends result columns.
    ///
    /// ```swift
    /// // SELECT *, ("score" + "bonus") AS "total" FROM "player"
    /// let request = Player.all().annotated(with: [
    ///     (Column("score") + Column("bonus")).forKey("total")
    /// ])
    /// ```
    ///
    /// The decoded type reads the added values by name, so name expressions with `forKey`.
    ///
    /// See <doc:Queries#Select-columns-and-expressions>.
    public func annotated(with selection: [any SQLSelectable]) -> Self {
        let selection = selection.map(\.sqlSelection)
        return annotatedWhenConnected { _ in selection }
    }

    /// Appends result columns.
    ///
    /// ```swift
    /// // SELECT *, ("score" + "bonus") AS "total" FROM "player"
    /// let request = Player.all().annotated(
    ///     with: (Column("score") + Column("bonus")).forKey("total"))
    /// ```
    ///
    /// See <doc:Queries#Select-columns-and-expressions>.
    public func annotated(with selection: any SQLSelectable...) -> Self {
        annotated(with: selection)
    }
}
