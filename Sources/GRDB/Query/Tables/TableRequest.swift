/// A request for the rows of a table.
public protocol TableRequest {
    /// The name of the requested table.
    var databaseTableName: String { get }

    /// The schema of the table; nil for the first schema that contains the table.
    var _databaseSchemaName: String? { get }

    /// Internal. `aliased(_:)` calls it.
    func _aliased(_ alias: TableAliasBase) -> Self
}

extension TableRequest {
    public var _databaseSchemaName: String? { nil }

    fileprivate var tableName: Relation.TableName {
        .init(databaseTableName, schema: _databaseSchemaName)
    }

    /// Names the table, so that other parts of the query can refer to it.
    ///
    /// ```swift
    /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
    /// let alias = TableAlias(name: "p")
    /// let request = Player.all()
    ///     .aliased(alias)
    ///     .filter(alias[Column("score")] > 10)
    /// ```
    public func aliased(_ alias: TableAlias<Void>) -> Self {
        _aliased(alias)
    }
}

extension TableRequest where Self: TypedRequest {
    /// Names the table, so that other parts of the query can refer to it.
    ///
    /// ```swift
    /// // SELECT * FROM "team"
    /// // WHERE EXISTS (SELECT * FROM "player" WHERE "teamId" = "team"."id")
    /// let teamAlias = TableAlias<Team>()
    /// let player = Player.filter { $0.teamId == teamAlias.id }
    /// let teams = Team.all().aliased(teamAlias).filter(player.exists())
    /// ```
    public func aliased(_ alias: TableAlias<RowDecoder>) -> Self {
        _aliased(alias)
    }
}

// MARK: - Keys

extension TableRequest where Self: FilteredRequest {
    /// Keeps the rows with the given primary keys.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// let request = Player.all().filter(key: 1)
    /// ```
    ///
    /// Fetching throws a ``DatabaseError`` of code `SQLITE_MISUSE` if the primary key has several
    /// columns.
    public func filter(key: any DatabaseValueConvertible) -> Self { filterByKey(key) }

    func filterByKey(_ key: some DatabaseValueConvertible) -> Self { filter(keys: [key]) }

    /// Keeps the rows with the given primary keys.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// let request = Player.all().filter(keys: [1, 2, 3])
    /// ```
    ///
    /// Fetching throws a ``DatabaseError`` of code `SQLITE_MISUSE` if the primary key has several
    /// columns.
    public func filter<Key>(keys: any Collection<Key>) -> Self
    where Key: DatabaseValueConvertible {
        let keys = Array(keys)
        let values = Result { try keys.map { try $0.storedValue() } }
        let table = tableName
        if _StrategyKey.areFound(in: Key.self),
            let encoding = (Self.self as? any TypedRequest.Type)?.keyEncoding
        {
            let strategyKeys = keys.map { _StrategyKey($0) }
            return filterWhenConnected { db in
                let column = try db.primaryKey(table.name, in: table.schema).columns[0]
                let values = try zip(strategyKeys, values.get()).map { key, value in
                    try key.map { try encoding._encode($0, forColumn: column) } ?? value
                }
                return try db.keyCondition(values, onTable: table)
            }
        }
        return filterWhenConnected { db in
            try db.keyCondition(values.get(), onTable: table)
        }
    }

    /// Keeps the rows with the given primary or unique keys.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "email" = 'arthur@example.com'
    /// let request = Player.all().filter(key: ["email": "arthur@example.com"])
    ///
    /// // SELECT * FROM "citizenship" WHERE ("citizenId" = 1) AND ("countryCode" = 'FR')
    /// let request = Citizenship.all().filter(key: ["citizenId": 1, "countryCode": "FR"])
    /// ```
    ///
    /// Fetching throws a ``DatabaseError`` of code `SQLITE_MISUSE` if these columns don't form a
    /// unique key.
    ///
    /// - parameter key: the values of the columns; nil matches no row.
    public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> Self {
        guard let key else { return none() }
        return filter(keys: [key])
    }

    /// Keeps the rows with the given primary or unique keys.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE ("email" = 'arthur@example.com') OR ("email" = …)
    /// let request = Player.all().filter(keys: [
    ///     ["email": "arthur@example.com"], ["email": "barbara@example.com"]
    /// ])
    /// ```
    ///
    /// Fetching throws a ``DatabaseError`` of code `SQLITE_MISUSE` if these columns don't form a
    /// unique key.
    public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> Self {
        let keys = Result { try keys.map { try $0.mapValues { try $0?.storedValue() ?? .null } } }
        let table = tableName
        return filterWhenConnected { db in
            try db.uniqueKeyCondition(keys.get(), onTable: table)
        }
    }
}

extension TableRequest where Self: FilteredRequest & TypedRequest {
    /// Keeps the rows with the given primary keys.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// let request = Player.all().filter(id: 1)
    /// ```
    public func filter(id: RowDecoder.ID) -> Self
    where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
        filter(key: id)
    }

    /// Keeps the rows with the given primary keys.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// let request = Player.all().filter(ids: [1, 2, 3])
    /// ```
    public func filter(ids: any Collection<RowDecoder.ID>) -> Self
    where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
        filter(keys: ids)
    }

    /// Filters by primary key, if the `id` of the record type is optional.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// let ids: [Int64] = [1, 2, 3]
    /// let request = Player.all().filter(ids: ids)
    /// ```
    @_disfavoredOverload  // the other overload wins for an empty array, and an array with nil
    public func filter<Key>(ids: any Collection<Key>) -> Self
    where RowDecoder: Identifiable, RowDecoder.ID == Key?, Key: DatabaseValueConvertible {
        filter(keys: ids)
    }
}

extension TableRequest where Self: AggregatingRequest {
    /// Groups rows by primary key.
    ///
    /// ```swift
    /// // SELECT * FROM "player" GROUP BY "id"
    /// let request = Player.all().groupByPrimaryKey()
    /// ```
    public func groupByPrimaryKey() -> Self {
        let table = tableName
        return groupWhenConnected { db in try db.rowKeyColumns(of: table) }
    }
}

extension TableRequest where Self: OrderedRequest {
    /// Sorts rows by primary key.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "id"
    /// let request = Player.all().orderByPrimaryKey()
    /// ```
    public func orderByPrimaryKey() -> Self {
        let table = tableName
        return orderWhenConnected { db in try db.keyColumns(of: table) }
    }
}
