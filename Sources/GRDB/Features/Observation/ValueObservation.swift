/// Tracks the changes in the result of database requests, and delivers fresh values.
///
/// ```swift
/// let observation = ValueObservation.tracking { db in
///     try Player.fetchAll(db)
/// }
///
/// let cancellable = observation.start(in: dbQueue) { error in
///     // The observation has ended.
/// } onChange: { (players: [Player]) in
///     print("\(players.count) players")
/// }
/// ```
///
/// An observation delivers a first value, and then a fresh one after each transaction that may have
/// changed it: through this library, on the same queue or pool, by SQL, records, foreign keys or
/// triggers alike. What counts are the tables, columns and rows that the request looks into, not the
/// value: see ``removeDuplicates()``. Some transactions may share one value. Only what is committed is
/// delivered, in the order of the commits, and the last value delivered is always up to date.
///
/// When the definition of a table or view that the value depends on changes, a fresh value is
/// delivered, or the error that there is now.
///
/// An observation ends when it is cancelled, when its cancellable is deallocated, with its first error,
/// or with an error of code `SQLITE_MISUSE` when the database is closed. Until then, it keeps the
/// connection alive.
///
/// Changes by other connections and processes are not seen: see ``Database/notifyChanges(in:)``.
/// Snapshots and read-only connections deliver one value.
///
/// ### Where things happen
///
/// - A queue fetches with its one connection, right after the commit, before its next access.
/// - A pool does the same when each fetch may look into another region (``tracking(_:)``). When the
///   region is known to be constant (``trackingConstantRegion(_:)``, ``tracking(region:_:fetch:)``), it
///   fetches with another connection, while the writer goes on.
/// - What ``map(_:)`` and ``removeDuplicates()`` do runs on a queue of the observation.
/// - The callbacks are called by the scheduler: see ``ValueObservationScheduler``.
public struct ValueObservation<Reducer: ValueReducer>: Sendable {
    var trackingMode: ObservationTracking
    var events = ObservationEvents()
    let makeReducer: @Sendable () -> Reducer

    /// Whether the closure that fetches may write.
    ///
    /// ```swift
    /// var observation = ValueObservation.tracking { db in
    ///     try Player.fetchCount(db)
    /// }
    /// observation.requiresWriteAccess = true
    /// ```
    ///
    /// False by default: attempts to write are then errors of code `SQLITE_READONLY`. If true, the
    /// closure is run by the connection that writes, in a savepoint. What it changes itself does not
    /// wake the observation.
    public var requiresWriteAccess = false
}

/// How an observation knows what to track.
enum ObservationTracking: Sendable {
    /// A region that was given.
    case regions(@Sendable (Database) throws -> DatabaseRegion)
    /// Whatever the first fetch looks into, or each one.
    case recorded(isVarying: Bool)

    var isVarying: Bool {
        if case .recorded(isVarying: true) = self { true } else { false }
    }
}

/// The handlers of the events of an observation, in the order of their calls.
struct ObservationEvents: Sendable {
    var willStart: [@Sendable () -> Void] = []
    var willTrackRegion: [@Sendable (DatabaseRegion) -> Void] = []
    var databaseDidChange: [@Sendable () -> Void] = []
    var didFail: [@Sendable (any Error) -> Void] = []
    var didCancel: [@Sendable () -> Void] = []
}

extension ValueObservation {
    // MARK: - Creating

    /// Observes the value of a closure, and tracks the region that each call reads.
    ///
    /// ```swift
    /// // Tracks the player table
    /// let observation = ValueObservation.tracking { db in
    ///     try Player.fetchAll(db)
    /// }
    ///
    /// // Tracks one row of the player table, and then maybe one of the team table
    /// let observation = ValueObservation.tracking { db -> Team? in
    ///     guard let player = try Player.fetchOne(db, id: 42) else { return nil }
    ///     return try Team.fetchOne(db, id: player.teamID)
    /// }
    /// ```
    ///
    /// The connection that writes fetches all values but the first one, so that no change of what was
    /// not tracked before is missed. When the closure always looks into the same tables, columns and
    /// rows, ``trackingConstantRegion(_:)`` does not keep a pool from writing.
    ///
    /// - parameter fetch: fetches the value. It must depend on nothing but the database: see
    ///   ``Database/registerAccess(to:)`` for what no statement shows.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(.recorded(isVarying: true), fetch)
    }

    /// Observes the value of a closure, and what its first call looks into.
    ///
    /// ```swift
    /// // Right: always the full table
    /// let observation = ValueObservation.trackingConstantRegion { db in
    ///     try Player.fetchAll(db)
    /// }
    ///
    /// // Wrong: the team of the first call is tracked, others are not.
    /// let observation = ValueObservation.trackingConstantRegion { db -> Team? in
    ///     guard let player = try Player.fetchOne(db, id: 42) else { return nil }
    ///     return try Team.fetchOne(db, id: player.teamID)
    /// }
    /// ```
    ///
    /// A pool fetches values while it goes on writing. When several transactions are committed during a
    /// fetch, one value follows for all of them.
    ///
    /// - precondition: each call of the closure looks into the same tables, columns and rows. Otherwise
    ///   changes are missed: take ``tracking(_:)``, or ``tracking(regions:fetch:)``.
    /// - parameter fetch: fetches the value.
    @preconcurrency
    public static func trackingConstantRegion<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(.recorded(isVarying: false), fetch)
    }

    /// Observes the value of a closure, which is fetched after changes of the given regions.
    ///
    /// ```swift
    /// // Fetches the player when its score changes, whatever else does.
    /// let observation = ValueObservation.tracking(
    ///     region: Player.select(\.score).filter(id: 1),
    ///     fetch: { db in try Player.fetchOne(db, id: 1) })
    /// ```
    ///
    /// A pool fetches values while it goes on writing.
    ///
    /// - parameter region: a region, or a request, a table.
    /// - parameter otherRegions: more of them.
    /// - parameter fetch: fetches the value.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        region: any DatabaseRegionConvertible, _ otherRegions: any DatabaseRegionConvertible...,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        tracking(regions: [region] + otherRegions, fetch: fetch)
    }

    /// Observes the value of a closure, which is fetched after changes of the given regions.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking(
    ///     regions: [Player.all(), Team.all()],
    ///     fetch: { db in try HallOfFame.fetch(db) })
    /// ```
    ///
    /// A pool fetches values while it goes on writing.
    ///
    /// - parameter regions: regions, requests, tables. When it is empty, the first value is the only
    ///   one.
    /// - parameter fetch: fetches the value.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        regions: [any DatabaseRegionConvertible],
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(.regions { try DatabaseRegion.union(of: regions, $0) }, fetch)
    }

    private init<Value: Sendable>(
        _ trackingMode: ObservationTracking,
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) where Reducer == ValueReducers.Fetch<Value> {
        self.init(trackingMode: trackingMode, makeReducer: { ValueReducers.Fetch(fetch) })
    }
}

extension DatabaseRegion {
    static func union(
        of regions: [any DatabaseRegionConvertible], _ db: Database
    ) throws -> DatabaseRegion {
        try regions.reduce(into: DatabaseRegion()) { union, region in
            union.formUnion(try region.databaseRegion(db))
        }
    }
}
