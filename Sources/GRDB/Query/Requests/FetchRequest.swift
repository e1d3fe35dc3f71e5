/// A query, and the type into which its rows are decoded.
///
/// ```swift
/// let request: SQLRequest<String> = "SELECT name FROM player WHERE score > \(1000)"
/// let names = try dbQueue.read { db in
///     try request.fetchAll(db)
/// }
/// ```
public protocol FetchRequest<RowDecoder>: DatabaseRegionConvertible, SQLSubqueryable {
    /// The type into which rows are decoded: a record, a value, or ``Row``.
    associatedtype RowDecoder

    /// Compiles the request, and returns what is needed to run it.
    ///
    /// - parameter db: the connection that will run it.
    /// - parameter singleResult: a hint that a single row will be consumed.
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool
    ) throws -> PreparedRequest

    /// Counts the rows of the request, in SQL.
    ///
    /// Distinct values of a column are counted including NULL. `COUNT(DISTINCT …)` ignores NULL, so
    /// it is only used if the schema excludes NULL:
    ///
    /// ```swift
    /// // SELECT COUNT(*) FROM (SELECT DISTINCT "teamId" FROM "player")
    /// let count = try Player.select(\.teamId).distinct().fetchCount(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    func fetchCount(_ db: Database) throws -> Int
}

extension FetchRequest {
    /// Compiles the request, and returns what is needed to run it.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public func makePreparedRequest(_ db: Database) throws -> PreparedRequest {
        try makePreparedRequest(db, forSingleResult: false)
    }

    /// Returns the database region that the request reads.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if a table or column does not exist.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        let forgoesRegions = db.forgoesRegions
        db.forgoesRegions = false
        defer { db.forgoesRegions = forgoesRegions }
        return try makePreparedRequest(db, forSingleResult: false).statement.checkedRegion
    }

    /// Returns a request whose rows are adapted.
    ///
    /// ```swift
    /// // [value:1]
    /// let request = SQLRequest<Row>(sql: "SELECT 1 AS a")
    ///     .adapted { _ in ColumnMapping(["value": "a"]) }
    /// ```
    public func adapted(
        _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
    ) -> AdaptedFetchRequest<Self> {
        AdaptedFetchRequest(base: self, adapter: adapter)
    }
}

extension FetchRequest {
    /// Prepares the request for a fetch that ends before its statement can be asked for its region.
    /// The information to narrow the region then need not be kept.
    @usableFromInline
    func prepareToFetch(_ db: Database, forSingleResult isSingleResult: Bool) throws
        -> PreparedRequest
    {
        let forgoesRegions = db.forgoesRegions
        db.forgoesRegions = true
        defer { db.forgoesRegions = forgoesRegions }
        return try makePreparedRequest(db, forSingleResult: isSingleResult)
    }
}

/// A request as a compiled statement, with the adapter of its rows.
public struct PreparedRequest {
    /// A prepared statement with its arguments.
    public var statement: Statement

    /// An optional adapter of the rows of the statement.
    public var adapter: (any RowAdapter)?

    /// The query whose associated rows are fetched after the rows of the statement.
    package var prefetchingQuery: ResolvedQuery?

    package init(statement: Statement, adapter: (any RowAdapter)? = nil) {
        self.statement = statement
        self.adapter = adapter
    }

    /// Whether associated rows are prefetched, so that rows must be fetched with
    /// ``fetchBatch(onlyFirst:)``.
    @usableFromInline
    var hasPrefetches: Bool { prefetchingQuery != nil }

    /// Returns all rows, or the first one, with their associated rows.
    func fetchBatch(onlyFirst: Bool = false) throws -> RowBatch {
        let batch = try Row.fetchBatch(statement, adapter: adapter, onlyFirst: onlyFirst)
        try prefetchingQuery?.prefetch(for: batch)
        return batch
    }

    /// Returns the requests that fetch the associated rows for rows of the statement. Empty if
    /// there are no rows.
    ///
    /// - parameter rows: copies of the rows.
    func associatedRequests(for rows: [Row]) throws -> [AssociatedRequest] {
        guard let prefetchingQuery, !rows.isEmpty else { return [] }
        return try prefetchingQuery.associatedRequests(for: RowBatch(rows))
    }

    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if associated rows must be prefetched,
    ///   which a cursor can't do because it needs all rows.
    func checkCursor() throws {
        if !hasPrefetches { return }
        throw DatabaseError(
            misuse: """
                A cursor can't prefetch associations. Use fetchAll, fetchSet or fetchOne with \
                including(all:).
                """)
    }
}

/// A request whose rows are adapted.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
    public typealias RowDecoder = Base.RowDecoder

    let base: Base
    let adapter: @Sendable (Database) throws -> any RowAdapter

    public var sqlSubquery: SQLSubquery { base.sqlSubquery }

    public func fetchCount(_ db: Database) throws -> Int {
        try base.fetchCount(db)
    }

    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try base.databaseRegion(db)
    }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        var request = try base.makePreparedRequest(db, forSingleResult: singleResult)
        let adapter = try adapter(db)
        request.adapter =
            request.adapter.map { ChainedAdapter(first: $0, second: adapter) } ?? adapter
        return request
    }
}

extension AdaptedFetchRequest: Sendable where Base: Sendable {}

/// An adapter applied to the result of another one.
private struct ChainedAdapter: RowAdapter {
    let first: any RowAdapter
    let second: any RowAdapter

    func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
        try second._applied(to: first._applied(to: source))
    }
}

/// A request that hides the type of another one.
public struct AnyFetchRequest<RowDecoder>: FetchRequest {
    private let base: any FetchRequest

    /// Creates a request that forwards to another one.
    public init(_ request: some FetchRequest<RowDecoder>) {
        base = request
    }

    private init(base: any FetchRequest) {
        self.base = base
    }

    public var sqlSubquery: SQLSubquery { base.sqlSubquery }

    /// Returns a request that decodes its rows as another type.
    public func asRequest<T>(of type: T.Type) -> AnyFetchRequest<T> {
        AnyFetchRequest<T>(base: base)
    }

    public func fetchCount(_ db: Database) throws -> Int {
        try base.fetchCount(db)
    }

    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try base.databaseRegion(db)
    }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        try base.makePreparedRequest(db, forSingleResult: singleResult)
    }
}
