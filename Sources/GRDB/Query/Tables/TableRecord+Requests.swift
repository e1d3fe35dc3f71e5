// Requests that start from a record type.

extension TableRecord {
    /// Returns the request for all rows of the table. The other methods refine it.
    ///
    /// ```swift
    /// // SELECT * FROM "player"
    /// let request = Player.all()
    /// ```
    ///
    /// The request selects ``databaseSelection``.
    public static func all() -> QueryInterfaceRequest<Self> {
        QueryInterfaceRequest(
            relation: Relation(table: .init(databaseTableName), selectionOf: Self.self))
    }

    /// Returns a request that fetches no row.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE 0
    /// let request = Player.none()
    /// ```
    public static func none() -> QueryInterfaceRequest<Self> {
        all().none()
    }

    // MARK: - Selection

    /// Returns a request with the selected columns.
    ///
    /// ```swift
    /// // SELECT "id", "score" FROM "player"
    /// Player.select([Column("id"), Column("score")])
    /// ```
    ///
    /// Rows are still decoded into the type of the request, which must find its columns. To fetch something
    /// else, such as the strings of one column, use the variant with `as:`.
    ///
    /// See <doc:Queries#Select-columns-and-expressions>.
    public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }

    /// Returns a request with the selected columns.
    ///
    /// ```swift
    /// // SELECT "id", "score" FROM "player"
    /// Player.select(Column("id"), Column("score"))
    /// ```
    ///
    /// See <doc:Queries#Select-columns-and-expressions>.
    @_disfavoredOverload  // the overload for typed expressions wins
    public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }

    /// Returns a request whose selection is an SQL string, with optional arguments.
    ///
    /// ```swift
    /// // SELECT IFNULL(name, 'Anonymous') FROM "player"
    /// Player.select(sql: "IFNULL(name, ?)", arguments: ["Anonymous"])
    /// ```
    public static func select(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().select(sql: sql, arguments: arguments)
    }

    /// Returns a request with the selected columns, as an ``SQL`` literal.
    ///
    /// ```swift
    /// // SELECT IFNULL(name, 'Anonymous') FROM "player"
    /// Player.select(literal: "IFNULL(name, \("Anonymous"))")
    /// ```
    public static func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().select(literal: sqlLiteral)
    }

    /// Returns a request with the selected columns, decoded into a type.
    ///
    /// ```swift
    /// // SELECT "score" FROM "player"
    /// Player.select([Column("score")], as: Int.self)
    /// ```
    public static func select<T>(
        _ selection: [any SQLSelectable], as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }

    /// Returns a request with the selected columns, decoded into a type.
    ///
    /// ```swift
    /// // SELECT MAX("score") FROM "player"
    /// Player.select(max(Column("score")), as: Int.self)
    /// ```
    @_disfavoredOverload  // the overload for typed expressions wins
    public static func select<T>(
        _ selection: any SQLSelectable..., as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }

    /// Returns a request with the selected columns, as an SQL string, decoded into a type.
    public static func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(sql: sql, arguments: arguments, as: type)
    }

    /// Returns a request with the selected columns, as an ``SQL`` literal, decoded into a type.
    public static func select<T>(
        literal sqlLiteral: SQL, as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(literal: sqlLiteral, as: type)
    }

    /// Returns a request with the selected columns.
    ///
    /// ```swift
    /// // SELECT "id", "score" FROM "player"
    /// Player.select { [$0.id, $0.score] }
    /// ```
    ///
    /// See <doc:Queries#Select-columns-and-expressions>.
    public static func select(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }

    /// Returns a request with the selected column.
    ///
    /// ```swift
    /// // SELECT "score" FROM "player"
    /// Player.select { $0.score }
    /// ```
    ///
    /// See <doc:Queries#Select-columns-and-expressions>.
    @_disfavoredOverload  // the overload for typed expressions wins
    public static func select(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }

    /// Returns a request with the selected columns, decoded into a type.
    public static func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }

    /// Returns a request with the selected column, decoded into a type.
    ///
    /// ```swift
    /// // SELECT MAX("score") FROM "player"
    /// Player.select({ max($0.score) }, as: Int.self)
    /// ```
    @_disfavoredOverload  // the overload for typed expressions wins
    public static func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }

    /// Selects the primary key instead of ``databaseSelection``.
    ///
    /// ```swift
    /// // SELECT "id" FROM "player"
    /// Player.selectPrimaryKey(as: Int64.self)
    /// ```
    public static func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        all().selectPrimaryKey(as: type)
    }

    /// Returns a request with more result columns.
    ///
    /// ```swift
    /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
    /// Player.annotated(with: [(Column("score") + Column("bonus")).forKey("total")])
    /// ```
    public static func annotated(
        with selection: [any SQLSelectable]
    ) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }

    /// Returns a request with more result columns.
    ///
    /// ```swift
    /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
    /// Player.annotated(with: (Column("score") + Column("bonus")).forKey("total"))
    /// ```
    public static func annotated(
        with selection: any SQLSelectable...
    ) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }

    /// Returns a request with more result columns.
    public static func annotated(
        with selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }

    /// Returns a request with one more result column.
    ///
    /// ```swift
    /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
    /// Player.annotated { ($0.score + $0.bonus).forKey("total") }
    /// ```
    @_disfavoredOverload  // the compiler tries the array overload first, and stops if it fits
    public static func annotated(
        with selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }
}

extension TableRecord where Self: Identifiable {
    /// Selects the primary key instead of ``databaseSelection``.
    ///
    /// ```swift
    /// // SELECT "id" FROM "player"
    /// let request = Player.selectID()
    /// ```
    public static func selectID() -> QueryInterfaceRequest<ID> {
        all().selectID()
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// Returns a request for the row with the given primary key.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// let request = Player.filter(id: 1)
    /// ```
    public static func filter(id: ID) -> QueryInterfaceRequest<Self> {
        all().filter(id: id)
    }

    /// Returns a request for the rows with the given primary keys.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// let request = Player.filter(ids: [1, 2, 3])
    /// ```
    public static func filter(ids: any Collection<ID>) -> QueryInterfaceRequest<Self> {
        all().filter(ids: ids)
    }
}

extension TableRecord where Self: Identifiable {
    /// Returns a request for the rows with the given primary keys, if the `id` of the record type
    /// is optional.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// let ids: [Int64] = [1, 2, 3]
    /// let request = Player.filter(ids: ids)
    /// ```
    @_disfavoredOverload  // the other overload wins for an empty array, and an array with nil
    public static func filter<Key>(ids: any Collection<Key>) -> QueryInterfaceRequest<Self>
    where ID == Key?, Key: DatabaseValueConvertible {
        all().filter(ids: ids)
    }
}
