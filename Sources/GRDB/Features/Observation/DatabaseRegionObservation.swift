/// An observation that reports each transaction that changes a region of the database.
///
/// ```swift
/// let observation = DatabaseRegionObservation(tracking: Player.all())
///
/// let cancellable = observation.start(in: dbQueue) { error in
///     // The observation has ended.
/// } onChange: { db in
///     print("Players have changed")
/// }
/// ```
///
/// Every transaction is reported, and the closure runs before the next write. If you only need the
/// latest values, use ``ValueObservation``: it costs the database less.
///
/// The observation does not detect changes by other connections and processes: see
/// ``Database/notifyChanges(in:)``.
public struct DatabaseRegionObservation: Sendable {
    private let regions: [any DatabaseRegionConvertible]

    /// Creates an observation of the union of some regions.
    ///
    /// ```swift
    /// let observation = DatabaseRegionObservation(
    ///     tracking: Table("player"), Team.select(\.name))
    /// let observation = DatabaseRegionObservation(tracking: .fullDatabase)
    /// ```
    public init(tracking regions: any DatabaseRegionConvertible...) {
        self.init(tracking: regions)
    }

    /// Creates an observation of the union of some regions.
    public init(tracking regions: [any DatabaseRegionConvertible]) {
        self.regions = regions
    }

    /// Starts the observation.
    ///
    /// The observation reports transactions that are committed after this method returns, and the
    /// current transaction when it is called inside one. This method waits for the writer.
    ///
    /// - parameter writer: a queue or a pool. The observation retains it.
    /// - parameter onError: called once, when the observation ends: with the error of a region that
    ///   can't be computed, or with an error of code `SQLITE_MISUSE` when the database is closed.
    /// - parameter onChange: called after each transaction that has changed the region. It runs on
    ///   the queue of the writer connection, receives that connection, and runs outside of a
    ///   transaction.
    /// - returns: a cancellable. The observation ends when it is cancelled or deallocated.
    @preconcurrency
    public func start(
        in writer: any DatabaseWriter, onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) -> AnyDatabaseCancellable {
        let observer = RegionObserver(
            regions, DatabaseObservationDriver(writer), onError: onError, onChange: onChange)
        writer.unsafeReentrantWrite { observer.track($0) }
        return AnyDatabaseCancellable { observer.cancel() }
    }
}

/// One running observation of a region.
///
/// `@unchecked Sendable`: a lock guards `state`. The other properties are constants, or are only
/// used on the queue of the writer connection.
private final class RegionObserver: RegionTracker, @unchecked Sendable {
    private struct State {
        var driver: (any ObservationDriver)?
        var onError: (@Sendable (any Error) -> Void)?
        var onChange: (@Sendable (Database) -> Void)?
    }

    private let regions: [any DatabaseRegionConvertible]
    private let state: Locked<State>

    init(
        _ regions: [any DatabaseRegionConvertible], _ driver: any ObservationDriver,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) {
        self.regions = regions
        state = Locked(State(driver: driver, onError: onError, onChange: onChange))
    }

    func track(_ db: Database) {
        do {
            try db.checkAccess()
            let region = try DatabaseRegion.union(of: regions, db)
            if db.configuration.readonly { return }
            RegionHub.of(db).track(region, by: self, db)
        } catch {
            fail(error)
        }
    }

    override func regionDidChange(_ db: Database, isSchemaChanged: Bool) {
        if isSchemaChanged {
            track(db)
        }
        state.withLock { $0.onChange }?(db)
    }

    override func databaseDidClose() {
        fail(Database.closedError)
    }

    private func fail(_ error: any Error) {
        end().onError?(error)
    }

    func cancel() {
        _ = end()
    }

    private func end() -> State {
        let former = state.withLock { state in
            defer { state = State() }
            return state
        }
        if let driver = former.driver, driver.access != .once {
            driver.asyncWrite { RegionHub.existing($0)?.remove(self, $0) }
        }
        return former
    }
}
