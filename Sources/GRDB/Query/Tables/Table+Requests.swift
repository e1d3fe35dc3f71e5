// Requests that start from a table.

extension Table {
    /// Returns a request that fetches no row.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE 0
    /// let request = Table("player").none()
    /// ```
    public func none() -> QueryInterfaceRequest<RowDecoder> {
        all().none()
    }

    // MARK: - Selection

    /// Returns a request with the selected columns.
    ///
    /// ```swift
    /// // SELECT "id", "score" FROM "player"
    /// Table("player").select([Column("id"), Column("score")])
    /// ```
    public func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }

    /// Returns a request with the selected columns.
    ///
    /// ```swift
    /// // SELECT "id", "score" FROM "player"
    /// Table("player").select(Column("id"), Column("score"))
    /// ```
    @_disfavoredOverload  // the overload for typed expressions wins
    public func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }

    /// Returns a request whose selection is an SQL string, with optional arguments.
    ///
    /// ```swift
    /// // SELECT IFNULL(name, 'Anonymous') FROM "player"
    /// Table("player").select(sql: "IFNULL(name, ?)", arguments: ["Anonymous"])
    /// ```
    public func select(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().select(sql: sql, arguments: arguments)
    }

    /// Returns a request with the selected columns, as an ``SQL`` literal.
    ///
    /// ```swift
    /// // SELECT IFNULL(name, 'Anonymous') FROM "player"
    /// Table("player").select(literal: "IFNULL(name, \("Anonymous"))")
    /// ```
    public func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().select(literal: sqlLiteral)
    }

    /// Returns a request with the selected columns, decoded into a type.
    ///
    /// ```swift
    /// // SELECT "score" FROM "player"
    /// Table("player").select([Column("score")], as: Int.self)
    /// ```
    public func select<T>(
        _ selection: [any SQLSelectable], as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }

    /// Returns a request with the selected columns, decoded into a type.
    ///
    /// ```swift
    /// // SELECT MAX("score") FROM "player"
    /// Table("player").select(max(Column("score")), as: Int.self)
    /// ```
    @_disfavoredOverload  // the overload for typed expressions wins
    public func select<T>(
        _ selection: any SQLSelectable..., as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }

    /// Returns a request with the selected columns, as an SQL string, decoded into a type.
    public func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(sql: sql, arguments: arguments, as: type)
    }

    /// Returns a request with the selected columns, as an ``SQL`` literal, decoded into a type.
    public func select<T>(
        literal sqlLiteral: SQL, as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(literal: sqlLiteral, as: type)
    }

    /// Selects the primary key instead of all columns.
    ///
    /// ```swift
    /// // SELECT "id" FROM "player"
    /// Table("player").selectPrimaryKey(as: Int64.self)
    /// ```
    public func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        all().selectPrimaryKey(as: type)
    }

    /// Returns a request with more result columns.
    ///
    /// ```swift
    /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
    /// Table("player").annotated(with: [(Column("score") + Column("bonus")).forKey("total")])
    /// ```
    public func annotated(
        with selection: [any SQLSelectable]
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }

    /// Returns a request with more result columns.
    ///
    /// ```swift
    /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
    /// Table("player").annotated(with: (Column("score") + Column("bonus")).forKey("total"))
    /// ```
    public func annotated(
        with selection: any SQLSelectable...
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }

    // MARK: - Filters

    /// Returns a request for the rows that meet a condition.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" = 'Arthur'
    /// Table("player").filter(Column("name") == "Arthur")
    /// ```
    public func filter(
        _ predicate: any SQLSpecificExpressible
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(predicate)
    }

    /// Returns a request for the row with the given primary key.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// Table("player").filter(key: 1)
    /// ```
    public func filter(key: any DatabaseValueConvertible) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }

    /// Returns a request for the rows with the given primary keys.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// Table("player").filter(keys: [1, 2, 3])
    /// ```
    public func filter<Key>(keys: any Collection<Key>) -> QueryInterfaceRequest<RowDecoder>
    where Key: DatabaseValueConvertible {
        all().filter(keys: keys)
    }

    /// Returns a request for the row with the given primary or unique key.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "email" = 'arthur@example.com'
    /// Table("player").filter(key: ["email": "arthur@example.com"])
    /// ```
    public func filter(
        key: [String: (any DatabaseValueConvertible)?]?
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }

    /// Returns a request for the rows with the given primary or unique keys.
    ///
    /// ```swift
    /// // SELECT * FROM "citizenship"
    /// // WHERE (("citizenId" = 1) AND ("countryCode" = 'FR')) OR (...)
    /// Table("citizenship").filter(keys: [["citizenId": 1, "countryCode": "FR"], ...])
    /// ```
    public func filter(
        keys: [[String: (any DatabaseValueConvertible)?]]
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(keys: keys)
    }

    /// Returns a request for the rows that meet a condition, given as an SQL string and optional
    /// arguments.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE name = 'Arthur'
    /// Table("player").filter(sql: "name = ?", arguments: ["Arthur"])
    /// ```
    public func filter(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(sql: sql, arguments: arguments)
    }

    /// Returns a request for the rows that meet a condition, as an ``SQL`` literal.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE name = 'Arthur'
    /// Table("player").filter(literal: "name = \("Arthur")")
    /// ```
    public func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(literal: sqlLiteral)
    }

    // MARK: - Order and limit

    /// Returns a sorted request.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// Table("player").order(Column("score").desc, Column("name"))
    /// ```
    public func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }

    /// Returns a sorted request.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// Table("player").order([Column("score").desc, Column("name")])
    /// ```
    public func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }

    /// Sorts the rows by their primary key.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "id"
    /// Table("player").orderByPrimaryKey()
    /// ```
    public func orderByPrimaryKey() -> QueryInterfaceRequest<RowDecoder> {
        all().orderByPrimaryKey()
    }

    /// Returns a request sorted by an SQL string, with optional arguments.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY score DESC
    /// Table("player").order(sql: "score DESC")
    /// ```
    public func order(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().order(sql: sql, arguments: arguments)
    }

    /// Returns a request sorted by an ``SQL`` literal.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY score DESC
    /// Table("player").order(literal: "score DESC")
    /// ```
    public func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().order(literal: sqlLiteral)
    }

    /// Limits the number of rows.
    ///
    /// ```swift
    /// // SELECT * FROM "player" LIMIT 10 OFFSET 20
    /// Table("player").limit(10, offset: 20)
    /// ```
    public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<RowDecoder> {
        all().limit(limit, offset: offset)
    }

    // MARK: - Names

    /// Returns a request whose table is named, so that other parts of the query can refer to it.
    ///
    /// ```swift
    /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
    /// let alias = TableAlias(name: "p")
    /// Table("player").aliased(alias).filter(alias[Column("score")] > 10)
    /// ```
    public func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<RowDecoder> {
        all().aliased(alias)
    }

    /// Returns a request whose table is named, so that other parts of the query can refer to it.
    public func aliased(_ alias: TableAlias<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
        all().aliased(alias)
    }

    /// Adds a common table expression to the `WITH` clause of the query.
    ///
    /// ```swift
    /// // WITH "name" AS (...) SELECT * FROM "player"
    /// Table("player").with(cte)
    /// ```
    public func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<RowDecoder> {
        all().with(cte)
    }
}

extension Table where RowDecoder: Identifiable {
    /// Selects the primary key instead of all columns.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> {
        all().selectID()
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// Returns a request for the row with the given primary key.
    public func filter(id: RowDecoder.ID) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(id: id)
    }

    /// Returns a request for the rows with the given primary keys.
    public func filter(
        ids: any Collection<RowDecoder.ID>
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(ids: ids)
    }
}

extension Table where RowDecoder: Identifiable {
    /// Returns a request for the rows with the given primary keys, if the `id` of the record type
    /// is optional.
    @_disfavoredOverload  // the other overload wins for an empty array, and an array with nil
    public func filter<Key>(ids: any Collection<Key>) -> QueryInterfaceRequest<RowDecoder>
    where RowDecoder.ID == Key?, Key: DatabaseValueConvertible {
        all().filter(ids: ids)
    }
}
