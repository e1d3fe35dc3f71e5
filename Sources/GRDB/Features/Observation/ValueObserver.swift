import Dispatch

/// One running observation of values. It fetches, reduces and delivers the values.
///
/// A value is fetched on the queue of a connection, reduced on a queue of the observation, and
/// delivered by the scheduler. Values keep the order of the commits throughout:
///
/// - A writer connection never fetches concurrently with another fetch.
/// - Reader connections run one fetch at a time. All commits during a fetch share one additional
///   fetch after it, so that many writes cost few fetches, and the last value is never stale. If
///   the writer has to fetch after all, the result of a concurrent fetch is dropped.
///
/// `@unchecked Sendable`: a lock guards `state`. `reducer` is only used by the thread that reduces,
/// and the other variables on the queue of the writer connection.
final class ValueObserver<Reducer: ValueReducer>: RegionTracker, StartedObservation,
    @unchecked Sendable
{
    typealias Fetched = Reducer.Fetched

    private enum Phase {
        case active
        /// Nothing is fetched anymore. The remaining values, and then an error, will be delivered.
        case failing
        case ended
    }

    private struct State {
        var phase = Phase.active
        /// The connections, which the observation retains.
        var driver: (any ObservationDriver)?
        var onError: (@Sendable (any Error) -> Void)?
        var onChange: (@Sendable (Reducer.Value) -> Void)?

        /// The number of the fetch that runs concurrently with the writer, if any.
        var currentFetch: Int?
        var fetchCount = 0
        /// Whether something was committed since the fetch started.
        var needsFetch = false

        /// - returns: the number of the fetch.
        mutating func beginFetch() -> Int {
            fetchCount += 1
            currentFetch = fetchCount
            return fetchCount
        }

        /// The fetched values that wait to be reduced: a slice, whose first element is removed in constant time.
        var results: ArraySlice<Result<Fetched, any Error>> = []
        var isReducing = false

        /// Signaled when the first value was fetched, if the start waits for it.
        var firstResult: DispatchSemaphore?

        /// Whether the observer was removed from the writer.
        var isRemoved = false

        /// The subscription to changes by other programs.
        var arrivals: AnyDatabaseCancellable?
    }

    private let state: Locked<State>
    private let tracking: ObservationTracking
    private let fetchValue: @Sendable (Database) throws -> Fetched
    private let events: ObservationEvents
    private let requiresWriteAccess: Bool
    private let scheduler: any ValueObservationScheduler
    private let reducingQueue: DispatchQueue
    private var reducer: Reducer

    /// Whether the region is known and needs no new fetch to determine it. Only used on the queue
    /// of the writer connection, like the following properties.
    private var isRegionKnown = false
    private var hasRegion = false
    private var isFetchingInWriter = false

    init(
        _ observation: ValueObservation<Reducer>, driver: any ObservationDriver,
        scheduler: any ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) {
        reducer = observation.makeReducer()
        fetchValue = reducer._makeFetcher()
        tracking = observation.trackingMode
        events = observation.events
        requiresWriteAccess = observation.requiresWriteAccess
        self.scheduler = scheduler
        let configuration = driver.configuration
        reducingQueue = DispatchQueue(
            label: configuration.queueLabel(default: "GRDB", purpose: "ValueObservation"),
            qos: configuration.qos)
        state = Locked(State(driver: driver, onError: onError, onChange: onChange))
    }

    /// The connections, until the observation ends.
    private var driver: (any ObservationDriver)? {
        state.withLock { $0.phase == .active ? $0.driver : nil }
    }

    // MARK: - Starting

    package func start() {
        events.willStart.forEach { $0() }
        guard let driver else { return }
        let isImmediate = scheduler.immediateInitialValue()
        if let timed = scheduler as? TimedImmediateValueObservationScheduler {
            // The value is fetched on another thread while this one waits.
            let semaphore = DispatchSemaphore(value: 0)
            state.withLock {
                $0.isReducing = true
                $0.firstResult = semaphore
            }
            begin(driver, false)
            return waitForFirstValue(semaphore, timed)
        }
        if isImmediate {
            // Values that are fetched in the meantime wait until the first value is delivered.
            state.withLock { $0.isReducing = true }
        }
        begin(driver, isImmediate)
        if isImmediate {
            deliverFirstValue()
        }
    }

    /// Delivers the first value if it is fetched in time. Otherwise the scheduler delivers it
    /// later.
    private func waitForFirstValue(
        _ semaphore: DispatchSemaphore, _ scheduler: TimedImmediateValueObservationScheduler
    ) {
        _ = semaphore.wait(timeout: scheduler.deadline)
        let isKnown = state.withLock { state in
            state.firstResult = nil
            if state.results.isEmpty {
                state.isReducing = false
                return false
            }
            return true
        }
        if isKnown { deliverFirstValue() }
    }

    private func begin(_ driver: any ObservationDriver, _ isImmediate: Bool) {
        switch driver.access {
        case .once:
            // Subscribe before the first fetch, so that no arrival is missed.
            observeArrivals(driver) ? fetchArrival(isImmediate) : startOnce(driver, isImmediate)
        case .concurrent where !requiresWriteAccess:
            startBesideWriter(driver, isImmediate)
        case .serialized, .concurrent:
            fetchInWriter(driver, isImmediate)
        }
    }

    /// Calls the closure with a connection that reads, before this method returns or asynchronously.
    private func read(
        _ driver: any ObservationDriver, _ isImmediate: Bool,
        _ body: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        guard isImmediate else { return driver.asyncRead(body) }
        do {
            try driver.read { body(.success($0)) }
        } catch {
            body(.failure(error))
        }
    }

    /// Fetches the only value of a database that never changes.
    private func startOnce(_ driver: any ObservationDriver, _ isImmediate: Bool) {
        read(driver, isImmediate) { result in
            guard self.isActive else { return }
            self.enqueue(Result { try self.fetch(result.get()).value })
        }
    }

    /// Fetches a value whenever another program has changed the database.
    ///
    /// - returns: false if the reader can't detect such changes.
    private func observeArrivals(_ driver: any ObservationDriver) -> Bool {
        let arrivals = driver.observeArrivals { [weak self] in
            guard let self, isActive else { return }
            events.databaseDidChange.forEach { $0() }
            fetchArrival(false)
        }
        guard let arrivals else { return false }
        let isEnded = state.withLock { state in
            if state.phase == .ended { return true }
            state.arrivals = arrivals
            return false
        }
        if isEnded { arrivals.cancel() }
        return true
    }

    /// Fetches the current value. If a fetch is running, another one will follow it.
    private func fetchArrival(_ isImmediate: Bool) {
        guard let driver, let fetch = beginFetch() else { return }
        read(driver, isImmediate) { self.finish(fetch, $0) }
    }

    /// Fetches a value with the writer, and starts tracking its region in the same access.
    private func fetchInWriter(_ driver: any ObservationDriver, _ isImmediate: Bool) {
        if isImmediate {
            do {
                try driver.write { self.fetchAndTrack($0) }
            } catch {
                enqueue(.failure(error))
            }
        } else {
            driver.asyncWrite { db in
                guard self.isActive else { return }
                do {
                    try db.checkAccess()
                    self.isRegionKnown = false
                    self.fetchAndTrack(db)
                } catch {
                    self.enqueue(.failure(error))
                }
            }
        }
    }

    /// Fetches the first value without waiting for the writer, and starts tracking when the writer
    /// is free.
    private func startBesideWriter(_ driver: any ObservationDriver, _ isImmediate: Bool) {
        read(driver, isImmediate) { [self] result in
            guard isActive else { return }
            do {
                let db = try result.get()
                // Nil if the WAL file is empty, for instance.
                let snapshot = try? WALSnapshot(db)
                let (value, region) = try fetch(db, findsRegion: true)
                state.withLock { append(.success(value), &$0) }
                // Schedule the tracking before the value is delivered, so that changes made in
                // response to the value are tracked.
                driver.asyncWrite { self.track(region!, since: snapshot, $0) }
                reduceResults()
            } catch {
                enqueue(.failure(error))
            }
        }
    }

    /// Starts tracking the region of the first value, which another connection has fetched.
    private func track(_ region: DatabaseRegion, since snapshot: WALSnapshot?, _ db: Database) {
        guard isActive else { return }
        do {
            try db.checkAccess()
            // A refresh may already have determined a newer region.
            if !isRegionKnown, let snapshot, !db.isInsideTransaction,
                let current = try? WALSnapshot(db),
                current.isSame(as: snapshot)
            {
                setRegion(region, db)
                return
            }
            // There may have been a commit since the first fetch.
            events.databaseDidChange.forEach { $0() }
            fetchAndTrack(db)
        } catch {
            enqueue(.failure(error))
        }
    }

    // MARK: - Fetching

    /// Fetches a value in an isolated transaction.
    ///
    /// - parameter findsRegion: whether to return the region to track from now on.
    private func fetch(
        _ db: Database, findsRegion: Bool = false
    ) throws -> (value: Fetched, region: DatabaseRegion?) {
        try isolated(db) {
            guard findsRegion else { return (try fetchValue(db), nil) }
            switch tracking {
            case .regions(let regions):
                let region = try regions(db)
                return (try fetchValue(db), region)
            case .recorded:
                return try db.recordingRegion { try fetchValue(db) }
            }
        }
    }

    private func isolated<T>(_ db: Database, _ body: () throws -> T) throws -> T {
        if requiresWriteAccess, !db.isReadOnly {
            isFetchingInWriter = true
            defer { isFetchingInWriter = false }
            var result: T?
            try db.inSavepoint {
                result = try body()
                return .commit
            }
            return result!
        }
        return try db.isInsideTransaction ? db.readOnly(body) : db.inReadOnlyTransaction(body)
    }

    /// Fetches with the writer connection, and tracks the region that the fetch has read.
    private func fetchAndTrack(_ db: Database) {
        // The result of a running concurrent fetch will be stale.
        state.withLock { state in
            state.currentFetch = nil
            state.needsFetch = false
        }
        let isUncertain = db.isInsideTransaction
        do {
            let (value, region) = try fetch(db, findsRegion: !isRegionKnown || tracking.isVarying)
            if let region {
                setRegion(region, isUncertain: isUncertain, db)
            }
            enqueue(.success(value))
        } catch {
            enqueue(.failure(error))
        }
    }

    private func setRegion(
        _ region: DatabaseRegion, isUncertain: Bool = false, _ db: Database
    ) {
        let isNew = !hasRegion || region != self.region
        hasRegion = true
        isRegionKnown = true
        RegionHub.of(db).track(region, by: self, isUncertain: isUncertain, db)
        if isNew, !events.willTrackRegion.isEmpty {
            let region = region.ignoringInternalTables(db)
            let shownRegion = (try? region.ignoringViews(db)) ?? region
            events.willTrackRegion.forEach { $0(shownRegion) }
        }
        // The observation may have been cancelled before the tracker was registered.
        if !isActive {
            RegionHub.of(db).remove(self, db)
        }
    }

    override func regionDidChange(_ db: Database, isSchemaChanged: Bool) {
        guard !isFetchingInWriter, let driver else { return }
        events.databaseDidChange.forEach { $0() }
        if isSchemaChanged {
            isRegionKnown = false
        }
        let isConcurrent = driver.access == .concurrent && !requiresWriteAccess
        if isConcurrent, isRegionKnown, !tracking.isVarying {
            fetchBesideWriter(driver)
        } else {
            fetchAndTrack(db)
        }
    }

    /// Fetches concurrently with the writer.
    private func fetchBesideWriter(_ driver: any ObservationDriver) {
        guard let fetch = beginFetch() else { return }
        if let read = driver.concurrentRead() {
            read.run { self.finish(fetch, .success($0)) }
        } else {
            // Fetch the latest value instead of the value of this commit.
            driver.asyncRead { self.finish(fetch, $0) }
        }
    }

    /// - returns: nil if a fetch is running.
    private func beginFetch() -> Int? {
        state.withLock { state in
            if state.currentFetch != nil {
                state.needsFetch = true
                return nil
            }
            return state.beginFetch()
        }
    }

    private func finish(_ fetch: Int, _ result: Result<Database, any Error>) {
        guard isActive else { return }
        let value = Result { try self.fetch(result.get()).value }
        let driver: (any ObservationDriver)? = state.withLock { state in
            guard state.currentFetch == fetch else { return nil }
            state.currentFetch = nil
            append(value, &state)
            guard state.needsFetch, state.phase == .active else { return nil }
            state.needsFetch = false
            _ = state.beginFetch()
            return state.driver
        }
        reduceResults()
        driver?.asyncRead { self.finish(fetch + 1, $0) }
    }

    // MARK: - Refreshing

    /// Schedules another fetch, which determines the tracked region again.
    package func refresh() {
        guard let driver else { return }
        if driver.access == .once {
            let noticesArrivals = state.withLock { $0.arrivals != nil }
            noticesArrivals ? fetchArrival(false) : startOnce(driver, false)
        } else {
            fetchInWriter(driver, false)
        }
    }

    /// Fetches again, determines the tracked region again, and reduces all fetched values. The
    /// values are delivered later.
    ///
    /// - parameter body: runs after that, on the reducing queue.
    /// - throws: a `DatabaseError` when the observation has ended, or the database can't be accessed.
    package func refreshNow<T>(_ body: () throws -> T) throws -> T {
        guard let driver else {
            throw DatabaseError(misuse: "The observation has ended")
        }
        if driver.access == .once {
            try driver.read { enqueue(.success(try fetch($0).value)) }
        } else {
            try driver.write { db in
                if db.isInsideTransaction {
                    throw DatabaseError(
                        misuse: "An observation can't be refreshed inside of a transaction")
                }
                isRegionKnown = false
                fetchAndTrack(db)
            }
        }
        return try reducingQueue.sync {
            reducePendingResults()
            return try body()
        }
    }

    // MARK: - Reducing

    private func enqueue(_ result: Result<Fetched, any Error>) {
        state.withLock { append(result, &$0) }
        reduceResults()
    }

    private func append(_ result: Result<Fetched, any Error>, _ state: inout State) {
        guard state.phase == .active else { return }
        state.results.append(result)
        state.firstResult?.signal()
        if case .failure = result {
            state.phase = .failing
        }
    }

    /// Reduces the pending results on the reducing queue, unless they are already being reduced.
    private func reduceResults() {
        let driver: (any ObservationDriver)? = state.withLock { state in
            guard !state.isReducing, !state.results.isEmpty else { return nil }
            state.isReducing = true
            return state.driver
        }
        driver?.async(on: reducingQueue) {
            self.reducePendingResults()
        }
    }

    private func reducePendingResults() {
        while let result = nextResult() {
            do {
                if let value = try reducer._value(result.get()) {
                    scheduler.schedule { self.deliver(value) }
                }
            } catch {
                fail()
                scheduler.schedule { self.deliver(error) }
            }
        }
    }

    private func nextResult() -> Result<Fetched, any Error>? {
        state.withLock { state in
            if let result = state.results.popFirst() { return result }
            // Frees the results that were removed.
            state.results = []
            state.isReducing = false
            return nil
        }
    }

    /// Stops fetching and reducing.
    private func fail() {
        state.withLock { state in
            if state.phase == .active { state.phase = .failing }
            state.results = []
        }
        removeTracker()
    }

    // MARK: - Delivering

    private var isActive: Bool { state.withLock { $0.phase == .active } }

    /// Reduces and delivers the value that the start has fetched, on the current thread.
    private func deliverFirstValue() {
        let result = state.withLock { $0.results.popFirst() }
        do {
            if let result,
                let value = try reducingQueue.sync(execute: { try reducer._value(result.get()) })
            {
                deliver(value)
            }
        } catch {
            fail()
            deliver(error)
        }
        state.withLock { $0.isReducing = false }
        reduceResults()
    }

    private func deliver(_ value: Reducer.Value) {
        let onChange = state.withLock { $0.onChange }
        onChange?(value)
    }

    private func deliver(_ error: any Error) {
        guard let onError = end() else { return }
        events.didFail.forEach { $0(error) }
        onError(error)
    }

    // MARK: - Ending

    override func databaseDidClose() {
        enqueue(.failure(Database.closedError))
    }

    package func cancel() {
        if end() != nil { events.didCancel.forEach { $0() } }
    }

    /// Ends the observation, and releases the connections and the callbacks.
    ///
    /// - returns: the error callback; nil if the observation had already ended.
    private func end() -> (@Sendable (any Error) -> Void)? {
        removeTracker()
        // Deallocated objects may call this method again, so they are released outside of the lock.
        let former = state.withLock { state in
            let former = state
            state.phase = .ended
            state.driver = nil
            state.onError = nil
            state.onChange = nil
            state.results = []
            state.arrivals = nil
            return former
        }
        former.arrivals?.cancel()
        return former.onError
    }

    private func removeTracker() {
        let driver: (any ObservationDriver)? = state.withLock { state in
            defer { state.isRemoved = true }
            return state.isRemoved ? nil : state.driver
        }
        guard let driver, driver.access != .once else { return }
        driver.asyncWrite { db in
            RegionHub.existing(db)?.remove(self, db)
        }
    }
}
