/// A query on a table, with its conditions, ordering, and associations, written in Swift.
///
/// Requests start from a ``TableRecord`` type, or a ``Table``:
///
/// ```swift
/// struct Player: TableRecord, FetchableRecord, Decodable {
///     enum Columns {
///         static let name = Column("name")
///         static let score = Column("score")
///     }
/// }
///
/// try dbQueue.read { db in
///     // SELECT * FROM "player" WHERE "name" = 'O''Reilly' ORDER BY "score" DESC
///     let request = Player
///         .filter { $0.name == "O'Reilly" }
///         .order(\.score.desc)
///     let players: [Player] = try request.fetchAll(db)
/// }
/// ```
///
/// A request is a value: each method returns a new request. Requests that only differ in their
/// arguments share a prepared statement.
///
/// See <doc:Queries>, and <doc:Cookbook> for common queries.
public struct QueryInterfaceRequest<RowDecoder>: Sendable {
    var relation: Relation

    /// Returns a request with a changed copy of the relation.
    private func with(_ change: (inout Relation) -> Void) -> Self {
        var request = self
        change(&request.relation)
        return request
    }
}

// MARK: - SelectionRequest

extension QueryInterfaceRequest: SelectionRequest {
    public func selectWhenConnected(
        _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        with { $0.selection = .init(selection) }
    }

    public func annotatedWhenConnected(
        with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        with { $0.selection.append(selection) }
    }

    /// Defines the result columns, and the type into which rows are decoded.
    ///
    /// ```swift
    /// // SELECT "id" FROM "player"
    /// let ids = try Player.all()
    ///     .select([Column("id")], as: Int64.self)
    ///     .fetchAll(db) // [Int64]
    /// ```
    public func select<T>(
        _ selection: [any SQLSelectable], as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        QueryInterfaceRequest<T>(
            relation: relation.with { $0.selection = .init(selection) })
    }

    /// Defines the result columns, and the type into which rows are decoded.
    ///
    /// ```swift
    /// // SELECT MAX("score") FROM "player"
    /// let maximumScore = try Player.all()
    ///     .select(max(Column("score")), as: Int.self)
    ///     .fetchOne(db) // Int?
    /// ```
    @_disfavoredOverload  // the overload for typed expressions wins
    public func select<T>(
        _ selection: any SQLSelectable..., as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        select(selection, as: type)
    }

    /// Selects result columns that are written in SQL, and says which type rows are decoded into.
    public func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(),
        as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        select(literal: SQL(sql: sql, arguments: arguments), as: type)
    }

    /// Selects the result columns of an ``SQL`` literal, and says which type rows are decoded into.
    public func select<T>(
        literal sqlLiteral: SQL, as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        select(literal: sqlLiteral).asRequest(of: type)
    }

    /// Selects the primary key.
    ///
    /// ```swift
    /// // SELECT "id" FROM "player"
    /// let ids = try Player.all().selectPrimaryKey(as: Int64.self).fetchSet(db)
    ///
    /// // SELECT "citizenId", "countryCode" FROM "citizenship"
    /// let rows = try Citizenship.all().selectPrimaryKey(as: Row.self).fetchAll(db)
    /// ```
    public func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        let table = relation.tableName
        return selectWhenConnected { db in try db.keyColumns(of: table) }.asRequest(of: type)
    }

    /// Selects the primary key.
    ///
    /// ```swift
    /// // SELECT "id" FROM "player" WHERE "name" IS NOT NULL
    /// let ids = try Player.filter { $0.name != nil }.selectID().fetchSet(db)
    /// ```
    ///
    /// The table must have a primary key of a single column.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID>
    where RowDecoder: Identifiable {
        selectPrimaryKey(as: RowDecoder.ID.self)
    }

    /// Returns a request that performs the same query, but decodes rows into another type.
    ///
    /// ```swift
    /// struct BookInfo: FetchableRecord, Decodable {
    ///     var book: Book
    ///     var author: Author
    /// }
    ///
    /// let bookInfos = try Book
    ///     .including(required: Book.author)
    ///     .asRequest(of: BookInfo.self)
    ///     .fetchAll(db) // [BookInfo]
    /// ```
    public func asRequest<T>(of type: T.Type) -> QueryInterfaceRequest<T> {
        QueryInterfaceRequest<T>(relation: relation)
    }
}

// MARK: - FilteredRequest

extension QueryInterfaceRequest: FilteredRequest {
    public func filterWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        with { $0.filters.append(.init(predicate)) }
    }

    @_documentation(visibility: internal)
    public func _filter(_ condition: SQLExpression) -> Self {
        with { $0.filters.append(.init(condition)) }
    }
}

// MARK: - AggregatingRequest

extension QueryInterfaceRequest: AggregatingRequest {
    public func groupWhenConnected(
        _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
    ) -> Self {
        with { $0.grouping = expressions }
    }

    public func havingWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        with { $0.groupFilters.append(.init(predicate)) }
    }
}

// MARK: - OrderedRequest

extension QueryInterfaceRequest: OrderedRequest {
    public func orderWhenConnected(
        _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
    ) -> Self {
        with { $0.ordering = .init(orderings) }
    }

    @_documentation(visibility: internal)
    public func _order(_ ordering: SQLOrdering, _ others: [SQLOrdering]) -> Self {
        with { $0.ordering = .init(ordering, others) }
    }

    public func reversed() -> Self {
        with { $0.ordering.isReversed.toggle() }
    }

    public func unordered() -> Self {
        with { $0.removeOrder() }
    }

    public func withStableOrder() -> Self {
        with { $0.stabilizeOrder() }
    }
}

// MARK: - Limits

extension QueryInterfaceRequest {
    /// Limits the number of rows.
    ///
    /// ```swift
    /// // SELECT * FROM "player" LIMIT 10
    /// let request = Player.all().limit(10)
    ///
    /// // SELECT * FROM "player" LIMIT 10 OFFSET 20
    /// let request = Player.all().limit(10, offset: 20)
    /// ```
    ///
    /// Any previous limit is replaced.
    ///
    /// Order the request, or else SQLite chooses the rows. An offset reads the rows that it skips: for the
    /// pages of a long list, see [`limit(_:after:)`](/documentation/grdbqueries/grdb/queryinterfacerequest/limit(_:after:)).
    ///
    /// See <doc:Queries#Sort-and-limit>.
    public func limit(_ limit: Int, offset: Int? = nil) -> Self {
        with { $0.limit = Relation.Limit(count: limit, offset: offset) }
    }
}

// MARK: - TableRequest and JoinableRequest

extension QueryInterfaceRequest: TableRequest {
    /// The name of the requested table.
    public var databaseTableName: String { relation.table }

    public var _databaseSchemaName: String? { relation.tableName.schema }

    public func _aliased(_ alias: TableAliasBase) -> Self {
        with { $0.aliases.append(alias) }
    }

    /// Keeps the rows with the given primary keys.
    ///
    /// Overloads the method of all table requests, which would create a closure for the key.
    @_documentation(visibility: internal)
    public func filter(key: any DatabaseValueConvertible) -> Self {
        guard !_StrategyKey.areFound(in: type(of: key)), let value = key._storableDatabaseValue,
            !value.isNull
        else { return filterByKey(key) }
        return with { $0.filters.append(.init(key: value)) }
    }
}

extension QueryInterfaceRequest: JoinableRequest {
    public func _joining(_ join: _RelationJoin) -> Self {
        with(join.add)
    }
}

// MARK: - DerivableRequest

extension QueryInterfaceRequest: DerivableRequest {
    public func distinct() -> Self {
        with { $0.isDistinct = true }
    }

    public func with<T>(_ cte: CommonTableExpression<T>) -> Self {
        with { $0.commonTables.define(cte.definition) }
    }
}

// MARK: - FetchRequest

extension QueryInterfaceRequest: FetchRequest {
    public var sqlSubquery: SQLSubquery { SQLSubquery(SelectQuery(relation: relation)) }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        try relation.prepare(db, forSingleResult: singleResult)
    }

    public func fetchCount(_ db: Database) throws -> Int {
        // The order does not affect the number of rows.
        try relation.fetchInt(.count, isOrdered: false, db) { try $0.writeCount(to: $1) } ?? 0
    }

    /// Returns whether the request matches no row.
    ///
    /// ```swift
    /// // SELECT EXISTS (SELECT * FROM "player" WHERE "name" = 'Arthur')
    /// let isEmpty = try Player.filter { $0.name == "Arthur" }.isEmpty(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public func isEmpty(_ db: Database) throws -> Bool {
        try relation.fetchInt(.exist, isOrdered: true, db) { try $0.writeExistence(to: $1) } != 1
    }

    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try relation.databaseRegion(db)
    }
}

extension QueryInterfaceRequest {
    /// The request for all rows.
    package func withoutLimit() -> Self {
        QueryInterfaceRequest(relation: relation.with { $0.limit = nil })
    }

    /// The terms of the order, for pages; nil if they depend on the whole query.
    package func orderings(_ db: Database) throws -> [SQLOrdering]? {
        relation.ordering.isStable ? nil : try relation.ordering.resolve(db) { [] }
    }
}
