import GRDB

/// A request that combines several requests with `UNION`, `UNION ALL`, `INTERSECT` or `EXCEPT`.
///
/// ```swift
/// // SELECT "name" FROM "player" UNION SELECT "name" FROM "coach" ORDER BY "name"
/// let players = Table("player").select(Column("name"), as: String.self)
/// let coaches = Table("coach").select(Column("name"))
/// let names = try players.union(coaches).order(Column("name")).fetchAll(db) // [String]
/// ```
///
/// All requests must select the same number of columns. The first request determines the column
/// names, and how rows are decoded. Associations that it includes with `including(all:)` are
/// fetched for all rows.
///
/// Requests are evaluated from left to right, and all operators have the same precedence. For
/// another grouping, pass a compound request to an operator:
///
/// ```swift
/// a.union(b).except(c)   // (a ∪ b) ∖ c
/// a.union(b.except(c))   // a ∪ (b ∖ c)
/// ```
///
/// A compound request can be used as a subquery, and in common table expressions:
///
/// ```swift
/// // WITH RECURSIVE "counter"("x") AS (
/// //   VALUES (1) UNION ALL SELECT "x" + 1 FROM "counter" WHERE "x" < 10)
/// // SELECT * FROM "counter"
/// let counter = CommonTableExpression<Int>(
///     recursive: true, named: "counter", columns: ["x"],
///     request: SQLRequest<Int>("VALUES (1)")
///         .unionAll(Table("counter").select(Column("x") + 1).filter(Column("x") < 10)))
/// let numbers = try counter.all().with(counter).fetchAll(db)
/// ```
///
/// See <doc:TypedQueries#Compound-requests>.
///
/// Related SQLite documentation:
/// <https://www.sqlite.org/lang_select.html#compound_select_statements>
public struct CompoundRequest<RowDecoder>: Sendable {
    var query: CompoundQuery

    fileprivate let decoding: RowDecoding

    /// Returns a request with a changed copy of the query.
    private func with(_ change: (inout CompoundQuery) -> Void) -> Self {
        var request = self
        change(&request.query)
        return request
    }

    /// Limits the number of rows.
    ///
    /// ```swift
    /// // SELECT * FROM "a" UNION SELECT * FROM "b" LIMIT 10 OFFSET 20
    /// a.union(b).limit(10, offset: 20)
    /// ```
    ///
    /// Any previous limit is replaced.
    public func limit(_ limit: Int, offset: Int? = nil) -> Self {
        with { $0.limit = (limit, offset) }
    }

    /// Defines a common table expression, which all requests may use.
    ///
    /// ```swift
    /// // WITH "best" AS (…) SELECT * FROM "a" EXCEPT SELECT * FROM "best"
    /// a.except(best.all()).with(best)
    /// ```
    ///
    /// A common table expression with the same name is replaced.
    public func with<T>(_ cte: CommonTableExpression<T>) -> Self {
        with { $0.commonTables = $0.commonTables.replaced(by: [cte.definition]) }
    }

    /// Returns a request that performs the same query, but decodes rows into another type.
    public func asRequest<T>(of type: T.Type) -> CompoundRequest<T> {
        CompoundRequest<T>(query: query, decoding: decoding)
    }
}

// MARK: - Operators

extension FetchRequest where Self: Sendable {
    /// Returns a request for the rows of both requests, without duplicates.
    ///
    /// ```swift
    /// // SELECT "name" FROM "player" UNION SELECT "name" FROM "coach"
    /// players.union(coaches)
    /// ```
    ///
    /// A request with an order, a limit or common table expressions becomes a subquery.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/lang_select.html#compound_select_statements>
    public func union(_ other: some SQLSubqueryable) -> CompoundRequest<RowDecoder> {
        compound(.union, other.sqlSubquery)
    }

    /// Returns a request for all rows of both requests.
    ///
    /// ```swift
    /// // SELECT "name" FROM "player" UNION ALL SELECT "name" FROM "coach"
    /// players.unionAll(coaches)
    /// ```
    ///
    /// A request with an order, a limit or common table expressions becomes a subquery.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/lang_select.html#compound_select_statements>
    public func unionAll(_ other: some SQLSubqueryable) -> CompoundRequest<RowDecoder> {
        compound(.unionAll, other.sqlSubquery)
    }

    /// Returns a request for the rows that are in both requests, without duplicates.
    ///
    /// ```swift
    /// // SELECT "name" FROM "player" INTERSECT SELECT "name" FROM "coach"
    /// players.intersect(coaches)
    /// ```
    ///
    /// A request with an order, a limit or common table expressions becomes a subquery.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/lang_select.html#compound_select_statements>
    public func intersect(_ other: some SQLSubqueryable) -> CompoundRequest<RowDecoder> {
        compound(.intersect, other.sqlSubquery)
    }

    /// Returns a request for the rows of this request that are not in the other one, without
    /// duplicates.
    ///
    /// ```swift
    /// // SELECT "name" FROM "player" EXCEPT SELECT "name" FROM "coach"
    /// players.except(coaches)
    /// ```
    ///
    /// A request with an order, a limit or common table expressions becomes a subquery.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/lang_select.html#compound_select_statements>
    public func except(_ other: some SQLSubqueryable) -> CompoundRequest<RowDecoder> {
        compound(.except, other.sqlSubquery)
    }

    private func compound(
        _ sqlOperator: CompoundQuery.Operator, _ other: SQLSubquery
    ) -> CompoundRequest<RowDecoder> {
        let first = sqlSubquery
        var query =
            (first.node as? CompoundQuery).flatMap { $0.isOpen ? $0 : nil }
            ?? CompoundQuery(first: first, others: [])
        query.others.append((sqlOperator, other))
        return CompoundRequest(
            query: query,
            decoding: (self as? any FirstRequest)?.decoding ?? .ofRequest(makePreparedRequest))
    }
}

/// How the rows of a compound request are decoded: like the rows of its first request.
private enum RowDecoding: Sendable {
    /// Like the rows of the first query, which is known once it is written.
    case ofFirstQuery

    case adapter((any RowAdapter)?)

    /// Like the rows of the first request, which is known once it is prepared.
    case ofRequest(@Sendable (Database, _ forSingleResult: Bool) throws -> PreparedRequest)

    /// Decodes the rows of a request like the rows of the first one.
    ///
    /// - parameter firstQuery: the query of the first request.
    func apply(to request: inout PreparedRequest, _ firstQuery: ResolvedQuery?, _ db: Database)
        throws
    {
        switch self {
        case .ofFirstQuery:
            guard let firstQuery else { return }
            request.adapter = try firstQuery.decodingAdapter(
                columnCount: request.statement.columnCount)
            if firstQuery.hasPrefetches { request.prefetchingQuery = firstQuery }
        case .adapter(let adapter):
            request.adapter = adapter
        case .ofRequest(let prepare):
            let first = try prepare(db, false)
            request.adapter = first.adapter
            request.prefetchingQuery = first.prefetchingQuery
        }
    }
}

/// Adds the prefetched region of the first request to the region of a compound request.
private final class PrefetchedRegion: RegionRefinement {
    private let query: ResolvedQuery

    init(query: ResolvedQuery) {
        self.query = query
    }

    func refine(_ region: DatabaseRegion) throws -> DatabaseRegion {
        try region.union(query.prefetchedRegion())
    }
}

/// A request for which the decoding of rows is known before it is prepared.
private protocol FirstRequest {
    var decoding: RowDecoding { get }
}

extension QueryInterfaceRequest: FirstRequest {
    fileprivate var decoding: RowDecoding { .ofFirstQuery }
}

extension SQLRequest: FirstRequest {
    fileprivate var decoding: RowDecoding { .adapter(adapter) }
}

extension CompoundRequest: FirstRequest {}

// MARK: - OrderedRequest

extension CompoundRequest: TypedRequest, OrderedRequest {
    /// Sorts rows by terms that depend on the database.
    ///
    /// Rows can only be sorted by result columns: by name, or by number with
    /// ``/GRDB/SQLExpression/resultColumn(_:)``. SQLite throws an error for other expressions.
    public func orderWhenConnected(
        _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
    ) -> Self {
        with { $0.ordering = CompoundQuery.Ordering(terms: orderings) }
    }

    public func reversed() -> Self {
        with { $0.ordering.isReversed.toggle() }
    }

    public func unordered() -> Self {
        with { $0.ordering = CompoundQuery.Ordering() }
    }

    /// Makes the order of rows deterministic: rows that compare equal in the current ordering are
    /// sorted by all columns.
    public func withStableOrder() -> Self {
        with { $0.ordering.isStable = true }
    }
}

// MARK: - FetchRequest

extension CompoundRequest: FetchRequest {
    public var sqlSubquery: SQLSubquery { SQLSubquery(query) }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        var query = query
        query.isSingleResult = singleResult
        let context = StatementWriter(db)
        let firstQuery = try query.writeResolving(to: context, commonTables: CommonTables())
        context.settleNames()
        // The adapter depends on the number of columns.
        let statement =
            try firstQuery?.isAdapted == true
            ? db.cachedStatementOfCurrentSchema(sql: context.sql)
            : db.cachedStatement(sql: context.sql)
        try statement.setArguments(context.arguments)
        var request = PreparedRequest(statement: statement)
        try decoding.apply(to: &request, firstQuery, db)
        if let query = request.prefetchingQuery {
            statement.setRegionRefinement(PrefetchedRegion(query: query))
        } else {
            try checkPrefetches()
        }
        return request
    }

    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` if any request but the first
    ///   prefetches associated rows, because only the associations of the first request are
    ///   fetched.
    private func checkPrefetches() throws {
        for (_, other) in query.others where other.node.hasPrefetches {
            throw DatabaseError(
                misuse: """
                    Can't prefetch associations for a request that another one comes before. Use \
                    including(all:) in the first request.
                    """)
        }
    }

    public func fetchCount(_ db: Database) throws -> Int {
        // Counting does not depend on the order of rows.
        let query = unordered().query
        let context = StatementWriter(db)
        context.append(sql: "SELECT COUNT(*) FROM (")
        try context.withSubquery {
            _ = try query.writeResolving(to: context, commonTables: CommonTables())
        }
        context.append(sql: ")")
        context.settleNames()
        return try Int.fetchOne(db, sql: context.sql, arguments: context.arguments) ?? 0
    }

    /// Returns whether the request matches no row.
    ///
    /// ```swift
    /// // SELECT EXISTS (SELECT * FROM "a" INTERSECT SELECT * FROM "b")
    /// let isEmpty = try a.intersect(b).isEmpty(db)
    /// ```
    ///
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public func isEmpty(_ db: Database) throws -> Bool {
        try SQLRequest<Int>("SELECT \(unordered().exists())").fetchOne(db) != 1
    }
}
