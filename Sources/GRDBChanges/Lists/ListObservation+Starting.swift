import GRDB

extension ListObservation {
    /// Starts the observation, and delivers changes with the given scheduler.
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
    /// - parameter reader: a queue, a pool, or a snapshot. The observation retains it.
    /// - parameter scheduler: calls the closures.
    /// - parameter onError: called with each error. Errors of fetches don't end the observation:
    ///   see ``ListObservation``.
    /// - parameter onChange: called with each change. The first one inserts all elements.
    /// - returns: the observed list. The observation ends when the list is cancelled or
    ///   deallocated.
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
    ///     // Show the error
    /// } onChange: { change in
    ///     self.players = change.elements
    /// }
    /// ```
    ///
    /// - parameter reader: a queue, a pool, or a snapshot. The observation retains it.
    /// - parameter scheduler: `.mainActor` (the default), `.immediate`, or a custom scheduler.
    /// - parameter onError: called with each error. Errors of fetches don't end the observation:
    ///   see ``ListObservation``.
    /// - parameter onChange: called with each change. The first one inserts all elements.
    /// - returns: the observed list. The observation ends when the list is cancelled or
    ///   deallocated.
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

    /// Starts the observation, and returns the observed list and an asynchronous sequence of its
    /// changes.
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
    /// If you never replace the request, use ``changes(in:scheduling:onFetchError:)`` instead.
    ///
    /// - parameter reader: a queue, a pool, or a snapshot.
    /// - parameter scheduler: passes the changes to the sequence. The default never uses the main
    ///   thread.
    /// - parameter onFetchError: called with errors of fetches, which then don't end the
    ///   observation. If nil, the sequence throws the error and ends.
    /// - returns: the list, and its changes. The sequence ends when the list is cancelled or
    ///   deallocated. The observation ends with the iteration.
    public func startStream(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
        onFetchError: (@Sendable (any Error) -> Void)? = nil
    ) -> (
        list: ObservedList<Element, Change>, changes: AsyncThrowingStream<Change, any Error>
    ) {
        // Unbounded, because each change is relative to the previous one: none can be dropped.
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
    /// Each iteration starts an observation, which ends with the iteration. When the task is
    /// cancelled, the loop ends without an error. The buffer of changes is unbounded.
    ///
    /// - parameter reader: a queue, a pool, or a snapshot.
    /// - parameter scheduler: passes the changes to the sequence. The default never uses the main
    ///   thread.
    /// - parameter onFetchError: called with errors of fetches, which then don't end the iteration.
    ///   If nil, the iteration throws the error and ends.
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

    /// Starts the observation.
    ///
    /// - parameter onFetchError: called with errors that don't end the observation.
    /// - parameter onEnd: called with the error that ends the observation.
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
        let observer = observation.map { tracker.reduce($0) }.observer(
            in: reader, scheduling: scheduler, onError: onEnd,
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
