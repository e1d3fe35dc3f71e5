/// Keeps a value up to date: fetches it, and fetches it again after each transaction that may have
/// changed it.
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
/// changed it. It detects all changes made through the same queue or pool, whether by SQL, records,
/// foreign keys or triggers. A transaction triggers a fetch if it changes the tables, columns or
/// rows that the request reads, even if the value stays the same: see ``removeDuplicates()``.
/// Several transactions may share one value. Only committed values are delivered, in the order of
/// the commits, and the last delivered value is always up to date.
///
/// When the definition of a table or view that the value depends on changes, the observation
/// fetches again, and delivers a fresh value or the error of that fetch.
///
/// An observation ends when it is cancelled, when its cancellable is deallocated, with its first
/// error, or with an error of code `SQLITE_MISUSE` when the database is closed. Until then, it
/// retains the queue or pool.
///
/// Changes by other connections and processes are not detected: see
/// ``Database/notifyChanges(in:)``. Snapshots and read-only connections deliver one value.
///
/// ### Threads and queues
///
/// - A queue fetches with its only connection, right after the commit and before its next access.
/// - A pool does the same with its writer if each fetch may read a different region
///   (``tracking(_:)``). If the region is known to be constant (``trackingConstantRegion(_:)``,
///   ``tracking(region:_:fetch:)``), it fetches with a reader connection, concurrently with the
///   writer.
/// - ``map(_:)`` and ``removeDuplicates()`` run on a queue of the observation.
/// - The scheduler calls the callbacks: see ``ValueObservationScheduler``.
///
/// See <doc:Observation>.
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
    /// False by default: attempts to write throw errors of code `SQLITE_READONLY`. If true, the
    /// writer connection runs the closure in a savepoint. Changes by the closure don't trigger the
    /// observation.
    public var requiresWriteAccess = false
}

/// How an observation determines the region to track.
enum ObservationTracking: Sendable {
    /// An explicit region.
    case regions(@Sendable (Database) throws -> DatabaseRegion)
    /// The region that the first fetch reads, or each fetch.
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
    /// // Tracks one row of the player table, and one row of the team table if there is a player
    /// let observation = ValueObservation.tracking { db -> Team? in
    ///     guard let player = try Player.fetchOne(db, id: 42) else { return nil }
    ///     return try Team.fetchOne(db, id: player.teamID)
    /// }
    /// ```
    ///
    /// The writer connection fetches all values but the first one, so that no change in a newly
    /// tracked region is missed. If the closure always reads the same tables, columns and rows,
    /// prefer ``trackingConstantRegion(_:)``, which does not block the writer of a pool.
    ///
    /// - parameter fetch: fetches the value. It must depend on nothing but the database. Use
    ///   ``Database/registerAccess(to:)`` for dependencies that no statement reveals.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(.recorded(isVarying: true), fetch)
    }

    /// Observes the value of a closure, and tracks the region that its first call reads.
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
    /// A pool fetches values concurrently with writes. If several transactions are committed during
    /// a fetch, one value is delivered for all of them.
    ///
    /// - precondition: each call of the closure reads the same tables, columns and rows. Otherwise
    ///   changes are missed: use ``tracking(_:)``, or ``tracking(regions:fetch:)``.
    /// - parameter fetch: fetches the value.
    @preconcurrency
    public static func trackingConstantRegion<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(.recorded(isVarying: false), fetch)
    }

    /// Observes the value of a closure, which is fetched after changes in the given regions.
    ///
    /// ```swift
    /// // Fetches the player only when its score changes.
    /// let observation = ValueObservation.tracking(
    ///     region: Player.select(\.score).filter(id: 1),
    ///     fetch: { db in try Player.fetchOne(db, id: 1) })
    /// ```
    ///
    /// A pool fetches values concurrently with writes.
    ///
    /// - parameter region: a region, a request, or a table.
    /// - parameter otherRegions: additional regions.
    /// - parameter fetch: fetches the value.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        region: any DatabaseRegionConvertible, _ otherRegions: any DatabaseRegionConvertible...,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        tracking(regions: [region] + otherRegions, fetch: fetch)
    }

    /// Observes the value of a closure, which is fetched after changes in the given regions.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking(
    ///     regions: [Player.all(), Team.all()],
    ///     fetch: { db in try HallOfFame.fetch(db) })
    /// ```
    ///
    /// A pool fetches values concurrently with writes.
    ///
    /// - parameter regions: regions, requests, or tables. If empty, only the first value is
    ///   delivered.
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
