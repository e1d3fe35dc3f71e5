// Requests that start from a record type, with conditions, an order, joins…

extension TableRecord {
    // MARK: - Filters

    /// Returns a request for the rows that meet a condition.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" = 'Arthur'
    /// Player.filter(Column("name") == "Arthur")
    /// ```
    ///
    /// If the record type has a nested `Columns` type, prefer a closure, as in
    /// `Player.filter { $0.name == "Arthur" }`: the compiler then finds misspelled columns.
    ///
    /// - parameter predicate: a condition, such as a comparison of a ``Column``.
    public static func filter(
        _ predicate: any SQLSpecificExpressible
    ) -> QueryInterfaceRequest<Self> {
        all().filter(predicate)
    }

    /// Returns a request for the rows that meet a condition.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" = 'Arthur'
    /// Player.filter { $0.name == "Arthur" }
    ///
    /// // SELECT * FROM "player" WHERE ("score" >= 100) AND ("teamId" IS NULL)
    /// Player.filter { $0.score >= 100 && $0.teamId == nil }
    /// ```
    ///
    /// The database is accessed when you fetch the request, not before. Call `filter` again on the result
    /// to add a condition. Rows for which the condition is NULL are left out, so `$0.teamId != 1` finds
    /// no player without a team.
    ///
    /// See <doc:Queries#Conditions> for conditions, with the SQL that they generate.
    ///
    /// - parameter predicate: receives the columns of the record type, its nested `Columns`, and returns a
    ///   condition.
    /// - throws: the error of the closure.
    public static func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().filter(predicate)
    }

    /// Returns a request for the row with the given primary key.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// Player.filter(key: 1)
    /// ```
    public static func filter(key: any DatabaseValueConvertible) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }

    /// Returns a request for the rows with the given primary keys.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// Player.filter(keys: [1, 2, 3])
    /// ```
    public static func filter<Key>(keys: any Collection<Key>) -> QueryInterfaceRequest<Self>
    where Key: DatabaseValueConvertible {
        all().filter(keys: keys)
    }

    /// Returns a request for the row with the given primary or unique key.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "email" = 'arthur@example.com'
    /// Player.filter(key: ["email": "arthur@example.com"])
    /// ```
    public static func filter(
        key: [String: (any DatabaseValueConvertible)?]?
    ) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }

    /// Returns a request for the rows with the given primary or unique keys.
    ///
    /// ```swift
    /// // SELECT * FROM "citizenship"
    /// // WHERE (("citizenId" = 1) AND ("countryCode" = 'FR')) OR (...)
    /// Citizenship.filter(keys: [["citizenId": 1, "countryCode": "FR"], ...])
    /// ```
    public static func filter(
        keys: [[String: (any DatabaseValueConvertible)?]]
    ) -> QueryInterfaceRequest<Self> {
        all().filter(keys: keys)
    }

    /// Returns a request for the rows that meet a condition, given as an SQL string and optional
    /// arguments.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE name = 'Arthur'
    /// Player.filter(sql: "name = ?", arguments: ["Arthur"])
    /// ```
    public static func filter(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().filter(sql: sql, arguments: arguments)
    }

    /// Returns a request for the rows that meet a condition, as an ``SQL`` literal.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE name = 'Arthur'
    /// Player.filter(literal: "name = \("Arthur")")
    /// ```
    public static func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().filter(literal: sqlLiteral)
    }

    // MARK: - Order and limit

    /// Returns a sorted request.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// Player.order(Column("score").desc, Column("name"))
    /// ```
    ///
    /// SQLite sorts NULL before other values: use `ascNullsLast` to have it at the end. Rows with equal
    /// values come in any order, which may differ between two fetches, unless the last term is unique.
    ///
    /// See <doc:Queries#Sort-and-limit>.
    public static func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }

    /// Returns a sorted request.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// Player.order([Column("score").desc, Column("name")])
    /// ```
    ///
    /// See <doc:Queries#Sort-and-limit>.
    public static func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }

    /// Returns a sorted request.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// Player.order { [$0.score.desc, $0.name] }
    /// ```
    ///
    /// See <doc:Queries#Sort-and-limit>.
    public static func order(
        _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(orderings)
    }

    /// Returns a sorted request.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC
    /// Player.order(\.score.desc)
    /// ```
    ///
    /// See <doc:Queries#Sort-and-limit>.
    @_disfavoredOverload  // the compiler tries the array overload first, and stops if it fits
    public static func order(
        _ orderings: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(orderings)
    }

    /// Returns a sorted request.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// Player.order(\.score.desc, \.name)
    /// ```
    ///
    /// See <doc:Queries#Sort-and-limit>.
    public static func order(
        _ ordering: (DatabaseComponents) -> any SQLOrderingTerm,
        _ secondOrdering: (DatabaseComponents) -> any SQLOrderingTerm,
        _ otherOrderings: ((DatabaseComponents) -> any SQLOrderingTerm)...
    ) -> QueryInterfaceRequest<Self> {
        let columns = databaseComponents
        return all().order(
            [ordering(columns), secondOrdering(columns)] + otherOrderings.map { $0(columns) })
    }

    /// Sorts the rows by their primary key.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "id"
    /// Player.orderByPrimaryKey()
    /// ```
    public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> {
        all().orderByPrimaryKey()
    }

    /// Returns a request sorted by an SQL string, with optional arguments.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY score DESC
    /// Player.order(sql: "score DESC")
    /// ```
    public static func order(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().order(sql: sql, arguments: arguments)
    }

    /// Returns a request sorted by an ``SQL`` literal.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY score DESC
    /// Player.order(literal: "score DESC")
    /// ```
    public static func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().order(literal: sqlLiteral)
    }

    /// Limits the number of rows.
    ///
    /// ```swift
    /// // SELECT * FROM "player" LIMIT 10 OFFSET 20
    /// Player.limit(10, offset: 20)
    /// ```
    ///
    /// Order the request, or else SQLite chooses the rows. An offset reads the rows that it skips: for the
    /// pages of a long list, see [`limit(_:after:)`](/documentation/grdbqueries/grdb/queryinterfacerequest/limit(_:after:)).
    ///
    /// See <doc:Queries#Sort-and-limit>.
    public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
        all().limit(limit, offset: offset)
    }

    // MARK: - Names

    /// Returns a request whose table is named, so that other parts of the query can refer to it.
    ///
    /// ```swift
    /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
    /// let alias = TableAlias(name: "p")
    /// Player.aliased(alias).filter(alias[Column("score")] > 10)
    /// ```
    public static func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<Self> {
        all().aliased(alias)
    }

    /// Returns a request whose table is named, so that other parts of the query can refer to it.
    public static func aliased(_ alias: TableAlias<Self>) -> QueryInterfaceRequest<Self> {
        all().aliased(alias)
    }

    /// Adds a common table expression to the `WITH` clause of the query.
    ///
    /// ```swift
    /// // WITH "name" AS (...) SELECT * FROM "player"
    /// Player.with(cte)
    /// ```
    public static func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<Self> {
        all().with(cte)
    }
}
