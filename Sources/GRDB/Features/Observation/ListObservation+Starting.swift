extension ListObservation {
    /// Starts the observation, and delivers changes by the given scheduler.
    ///
    /// ```swift
    /// let list = observation.start(
    ///     in: dbQueue, scheduling: .async(onQueue: myQueue)
    /// ) { error in
    ///     // Called on myQueue
    /// } onChange: { change in
    ///     // Called on myQueue
    /// }
    /// ```
    ///
    /// - parameter reader: a queue, a pool, a snapshot. It is kept alive as long as the observation is.
    /// - parameter scheduler: what calls the closures.
    /// - parameter onError: called with each error. Those of fetches don't end the observation: see
    ///   ``ListObservation``.
    /// - parameter onChange: called with each change. The first one inserts all elements.
    /// - returns: the observed list. The observation ends when it is cancelled, or deallocated.
    public func start(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Change) -> Void
    ) -> ObservedList<Element, Change> {
        start(
            in: reader, scheduling: scheduler, onFetchError: onError, onEnd: onError,
            onChange: onChange)
    }

    /// Starts the observation, and delivers changes on the main actor.
    ///
    /// ```swift
    /// // The first change is delivered before `start` returns.
    /// let list = observation.start(in: dbQueue, scheduling: .immediate) { error in
    ///     // Tell that there is an error
    /// } onChange: { change in
    ///     self.players = change.elements
    /// }
    /// ```
    ///
    /// - parameter reader: a queue, a pool, a snapshot. It is kept alive as long as the observation is.
    /// - parameter scheduler: `.mainActor` (the default), `.immediate`, or one of the app.
    /// - parameter onError: called with each error. Those of fetches don't end the observation: see
    ///   ``ListObservation``.
    /// - parameter onChange: called with each change. The first one inserts all elements.
    /// - returns: the observed list. The observation ends when it is cancelled, or deallocated.
    @MainActor
    public func start(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
        onError: @escaping @MainActor @Sendable (any Error) -> Void,
        onChange: @escaping @MainActor @Sendable (Change) -> Void
    ) -> ObservedList<Element, Change> {
        start(
            in: reader, scheduling: scheduler as any ValueObservationScheduler,
            onFetchError: { error in MainActor.assumeIsolated { onError(error) } },
            onEnd: { error in MainActor.assumeIsolated { onError(error) } },
            onChange: { change in MainActor.assumeIsolated { onChange(change) } })
    }

    /// Starts the observation, and returns the observed list together with the sequence of its changes.
    ///
    /// ```swift
    /// let (list, changes) = observation.startStream(in: dbQueue) { error in
    ///     print("Could not fetch players: \(error)")
    /// }
    /// for try await change in changes {
    ///     print("\(change.elements.count) players")
    /// }
    ///
    /// // Meanwhile
    /// list.setRequest(Player.order(\.score.desc))
    /// ```
    ///
    /// When the request does not need to be replaced, see
    /// ``changes(in:scheduling:onFetchError:)``.
    ///
    /// - parameter reader: a queue, a pool, a snapshot.
    /// - parameter scheduler: what hands the changes to the sequence. The default never uses the main
    ///   thread.
    /// - parameter onFetchError: called with the errors of fetches, which don't end the observation. When it
    ///   is nil, they are thrown by the sequence, and end it.
    /// - returns: the list, and its changes. Cancelling the list ends the sequence; when it is
    ///   deallocated, too. When the iteration ends, the observation does.
    public func startStream(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
        onFetchError: (@Sendable (any Error) -> Void)? = nil
    ) -> (
        list: ObservedList<Element, Change>, changes: AsyncThrowingStream<Change, any Error>
    ) {
        // None can be left out: each is the difference to the one before.
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Change.self, throwing: (any Error).self, bufferingPolicy: .unbounded)
        let list = start(
            in: reader, scheduling: scheduler,
            onFetchError: onFetchError ?? { continuation.finish(throwing: $0) },
            onEnd: { continuation.finish(throwing: $0) },
            onChange: { continuation.yield($0) }, onCancel: { continuation.finish() })
        continuation.onTermination = { [weak list] _ in list?.cancel() }
        return (list, stream)
    }

    /// Returns an asynchronous sequence of the changes.
    ///
    /// ```swift
    /// for try await change in observation.changes(in: dbQueue) {
    ///     print("\(change.elements.count) players")
    /// }
    /// ```
    ///
    /// Each iteration starts an observation, which is cancelled when the iteration ends, or when its
    /// task is cancelled: the loop then ends without an error. All changes are kept until they are asked
    /// for.
    ///
    /// - parameter reader: a queue, a pool, a snapshot.
    /// - parameter scheduler: what hands the changes to the sequence. The default never uses the main
    ///   thread.
    /// - parameter onFetchError: called with the errors of fetches, which don't end the iteration. When it
    ///   is nil, they are thrown, and end it.
    public func changes(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
        onFetchError: (@Sendable (any Error) -> Void)? = nil
    ) -> AsyncValueObservation<Change> {
        AsyncValueObservation(.unbounded) { onEnd, onChange in
            AnyDatabaseCancellable(
                start(
                    in: reader, scheduling: scheduler, onFetchError: onFetchError ?? onEnd,
                    onEnd: onEnd, onChange: onChange))
        }
    }

    /// - parameter onFetchError: called with errors that don't end the observation.
    /// - parameter onEnd: called with the error that ends it.
    /// - parameter onCancel: called when the list is cancelled or deallocated.
    private func start(
        in reader: any DatabaseReader, scheduling scheduler: any ValueObservationScheduler,
        onFetchError: @escaping @Sendable (any Error) -> Void,
        onEnd: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Change) -> Void,
        onCancel: @escaping @Sendable () -> Void = {}
    ) -> ObservedList<Element, Change> {
        let tracker = ListTracker(self)
        let fetch: @Sendable (Database) throws -> ListTracker<Element, Change>.Fetched = {
            tracker.fetch($0)
        }
        let observation: ValueObservation<ValueReducers.Fetch> =
            isRegionVarying ? .tracking(fetch) : .trackingConstantRegion(fetch)
        let observer = ValueObserver(
            observation.map { tracker.reduce($0) }, driver: DatabaseObservationDriver(reader),
            scheduler: scheduler, onError: onEnd,
            onChange: { delivery in
                switch delivery.flatMap(tracker.deliver) {
                case .success(let change): onChange(change)
                case .failure(let error): onFetchError(error)
                case nil: break
                }
            })
        tracker.setRefresh { [weak observer] in observer?.refresh() }
        observer.start()
        return ObservedList(
            tracker, refresh: { observer.refresh() },
            refreshNow: { try observer.refreshNow { try tracker.takeLatest() } },
            cancel: {
                observer.cancel()
                onCancel()
            })
    }
}
