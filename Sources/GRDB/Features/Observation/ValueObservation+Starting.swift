public import Dispatch

extension ValueObservation {
    /// Starts the observation, and delivers values with the given scheduler.
    ///
    /// ```swift
    /// let cancellable = observation.start(
    ///     in: dbQueue,
    ///     scheduling: .async(onQueue: myQueue)
    /// ) { error in
    ///     // Called on myQueue
    /// } onChange: { players in
    ///     // Called on myQueue
    /// }
    /// ```
    ///
    /// The first value is delivered before this method returns if the scheduler asks for it.
    /// Otherwise it is delivered later, and the start does not block the thread.
    ///
    /// - parameter reader: a queue, a pool, or a snapshot. The observation retains it. This method
    ///   can also be called inside one of its accesses.
    /// - parameter scheduler: calls the closures.
    /// - parameter onError: called once, with the error that ends the observation.
    /// - parameter onChange: called with each value.
    /// - returns: a cancellable. The observation ends when it is cancelled or deallocated. After a
    ///   cancellation on the thread or the serial queue of the scheduler, no closure is called.
    @preconcurrency
    public func start(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        start(
            in: DatabaseObservationDriver(reader), scheduling: scheduler, onError: onError,
            onChange: onChange)
    }

    /// Starts the observation, and delivers values on the main actor.
    ///
    /// ```swift
    /// // Values are delivered later.
    /// let cancellable = observation.start(in: dbQueue) { error in
    ///     // Handle error
    /// } onChange: { players in
    ///     self.players = players
    /// }
    ///
    /// // The first value is delivered before `start` returns.
    /// let cancellable = observation.start(in: dbQueue, scheduling: .immediate) { error in
    ///     // Handle error
    /// } onChange: { players in
    ///     self.players = players
    /// }
    /// ```
    ///
    /// - parameter reader: a queue, a pool, or a snapshot. The observation retains it.
    /// - parameter scheduler: `.mainActor` (the default), `.immediate`, or a custom scheduler.
    /// - parameter onError: called once, with the error that ends the observation.
    /// - parameter onChange: called with each value.
    /// - returns: a cancellable. The observation ends when it is cancelled or deallocated. After a
    ///   cancellation on the main actor, no closure is called.
    @preconcurrency @MainActor
    public func start(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
        onError: @escaping @MainActor @Sendable (any Error) -> Void,
        onChange: @escaping @MainActor @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        start(
            in: DatabaseObservationDriver(reader), scheduling: scheduler,
            onError: { error in MainActor.assumeIsolated { onError(error) } },
            onChange: { value in MainActor.assumeIsolated { onChange(value) } })
    }

    /// An observation that has not started yet.
    package func observer(
        in reader: any DatabaseReader, scheduling scheduler: any ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> any StartedObservation {
        ValueObserver(
            self, driver: DatabaseObservationDriver(reader), scheduler: scheduler, onError: onError,
            onChange: onChange)
    }

    func start(
        in driver: any ObservationDriver, scheduling scheduler: any ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        let observer = ValueObserver(
            self, driver: driver, scheduler: scheduler, onError: onError, onChange: onChange)
        observer.start()
        return AnyDatabaseCancellable { observer.cancel() }
    }

    /// Returns an asynchronous sequence of the values.
    ///
    /// ```swift
    /// for try await players in observation.values(in: dbQueue) {
    ///     print("\(players.count) players")
    /// }
    /// ```
    ///
    /// Each iteration starts an observation, which ends with the iteration. When the task is
    /// cancelled, the loop ends without an error.
    ///
    /// - parameter reader: a queue, a pool, or a snapshot.
    /// - parameter scheduler: passes the values to the sequence. The default never uses the main
    ///   thread.
    /// - parameter bufferingPolicy: how values are buffered until the loop consumes them. The
    ///   default buffers all values; `.bufferingNewest(1)` suits slow loops.
    public func values(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Reducer.Value> {
        AsyncValueObservation(bufferingPolicy) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }

    /// Returns an observation that several clients can share: it fetches each value once for all of
    /// them.
    ///
    /// ```swift
    /// let sharedObservation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .shared(in: dbQueue)
    ///
    /// let cancellable = sharedObservation.start { error in
    ///     // Handle error
    /// } onChange: { players in
    ///     print("\(players.count) players")
    /// }
    /// ```
    ///
    /// - parameter reader: a queue, a pool, or a snapshot.
    /// - parameter scheduler: calls the closures of all clients. With `.immediate`, clients must
    ///   start on the main thread.
    /// - parameter extent: how long the database is observed.
    public func shared(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main),
        extent: SharedValueObservationExtent = .whileObserved
    ) -> SharedValueObservation<Reducer.Value> {
        SharedValueObservation(scheduler: scheduler, extent: extent) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}

/// A running observation of values, which other modules can refresh.
package protocol StartedObservation: AnyObject, Sendable {
    func start()
    func refresh()
    func refreshNow<T>(_ body: () throws -> T) throws -> T
    func cancel()
}
