public import Dispatch

extension ValueObservation {
    /// Starts the observation, and delivers values by the given scheduler.
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
    /// The first value is delivered before this returns when the scheduler asks for that, and else
    /// soon. It blocks no thread then.
    ///
    /// - parameter reader: a queue, a pool, a snapshot. It is kept alive as long as the observation is.
    ///   This can also be called from inside one of its accesses.
    /// - parameter scheduler: what calls the closures.
    /// - parameter onError: called once, with the error that ends the observation.
    /// - parameter onChange: called with each value.
    /// - returns: what cancels the observation, also by being deallocated. When it has returned on the
    ///   thread or the serial queue of the scheduler, none of the closures is called any more.
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
    /// // Values come later.
    /// let cancellable = observation.start(in: dbQueue) { error in
    ///     // Handle error
    /// } onChange: { players in
    ///     self.players = players
    /// }
    ///
    /// // The first value is there before `start` returns.
    /// let cancellable = observation.start(in: dbQueue, scheduling: .immediate) { error in
    ///     // Handle error
    /// } onChange: { players in
    ///     self.players = players
    /// }
    /// ```
    ///
    /// - parameter reader: a queue, a pool, a snapshot. It is kept alive as long as the observation is.
    /// - parameter scheduler: `.mainActor` (the default), `.immediate`, or one of the app.
    /// - parameter onError: called once, with the error that ends the observation.
    /// - parameter onChange: called with each value.
    /// - returns: what cancels the observation, also by being deallocated. None of the closures is
    ///   called after a cancellation on the main actor.
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
    /// Each iteration starts an observation, which is cancelled when the iteration ends, or when its
    /// task is cancelled: the loop then ends without an error.
    ///
    /// - parameter reader: a queue, a pool, a snapshot.
    /// - parameter scheduler: what hands the values to the sequence. The default never uses the main
    ///   thread.
    /// - parameter bufferingPolicy: which values are kept until they are asked for. The default is all
    ///   of them; `.bufferingNewest(1)` is good for slow loops.
    public func values(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Reducer.Value> {
        AsyncValueObservation(bufferingPolicy) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }

    /// Returns an observation that several parts of an app can share: it fetches each value once for all
    /// of them.
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
    /// - parameter reader: a queue, a pool, a snapshot.
    /// - parameter scheduler: what calls the closures of all clients. With `.immediate`, clients must
    ///   start on the main thread.
    /// - parameter extent: when the database is observed.
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
