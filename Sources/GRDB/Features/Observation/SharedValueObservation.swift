/// The lifetime of the database observation of a ``SharedValueObservation``.
public enum SharedValueObservationExtent: Sendable {
    /// From the first client until the shared observation and its last client are released. An
    /// error ends the observation permanently: later clients receive the same error.
    case observationLifetime

    /// While there are clients. When there are no clients left, or after an error, the next client
    /// starts a new observation.
    case whileObserved
}

/// An observation that several clients share: each value is fetched once for all of them.
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
/// A client that starts later first receives the latest value.
///
/// A shared observation can be used from any thread.
public final class SharedValueObservation<Element: Sendable>: Sendable {
    typealias Start = AsyncValueObservation<Element>.Start

    /// A client: the callbacks of one call to `start`.
    private final class Client: Sendable {
        let onError: @Sendable (any Error) -> Void
        let onChange: @Sendable (Element) -> Void
        /// Whether a value or an error was delivered.
        let isServed = Locked(false)
        let isCancelled = Locked(false)

        init(
            onError: @escaping @Sendable (any Error) -> Void,
            onChange: @escaping @Sendable (Element) -> Void
        ) {
            self.onError = onError
            self.onChange = onChange
        }
    }

    private enum Running {
        case no
        case starting
        case yes(AnyDatabaseCancellable)
    }

    /// A class, because the functions that copy such a structure take 3 KB.
    private final class State {
        /// The clients, in the order of their start.
        var clients: [Client] = []
        var running = Running.no
        /// Incremented with each database observation. Values of former observations are ignored.
        var runCount = 0
        /// The latest value, or the error that has ended the observation permanently.
        var latest: Result<Element, any Error>?
    }

    private let state = Locked(State())
    private let scheduler: any ValueObservationScheduler
    private let extent: SharedValueObservationExtent
    private let startObservation: Start

    init(
        scheduler: any ValueObservationScheduler, extent: SharedValueObservationExtent,
        start: @escaping Start
    ) {
        self.scheduler = scheduler
        self.extent = extent
        startObservation = start
    }

    /// Starts delivering values to a client, with the scheduler of the shared observation.
    ///
    /// - parameter onError: called once, with the error that ends the observation.
    /// - parameter onChange: called with each value.
    /// - returns: a cancellable, which retains the shared observation. The client is removed when
    ///   it is cancelled or deallocated.
    @preconcurrency
    public func start(
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable {
        let client = Client(onError: onError, onChange: onChange)
        let isImmediate = scheduler.immediateInitialValue()
        let (run, isKnown) = state.withLock { state in
            state.clients.append(client)
            return (beginRun(&state), state.latest != nil)
        }
        if let run {
            observe(run)
        } else if isKnown {
            if isImmediate {
                serve(client)
            } else {
                scheduler.schedule { self.serve(client) }
            }
        }
        return AnyDatabaseCancellable {
            client.isCancelled.withLock { $0 = true }
            self.remove(client)
        }
    }

    /// Returns an asynchronous sequence of the values.
    ///
    /// ```swift
    /// let sharedObservation = observation.shared(in: dbQueue, scheduling: .task)
    /// for try await players in sharedObservation.values() {
    ///     print("\(players.count) players")
    /// }
    /// ```
    ///
    /// - parameter bufferingPolicy: how values are buffered until the iteration consumes them.
    public func values(
        bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Element> {
        AsyncValueObservation(bufferingPolicy) { self.start(onError: $0, onChange: $1) }
    }

    // MARK: - Observing the database

    /// - returns: the number of the observation to start; nil if there is already an observation.
    private func beginRun(_ state: inout State) -> Int? {
        guard case .no = state.running else { return nil }
        // An error has ended the observation permanently.
        if state.latest != nil { return nil }
        state.running = .starting
        state.runCount += 1
        return state.runCount
    }

    private func observe(_ run: Int) {
        // The observation must not retain this object: releasing it and all clients ends the
        // observation.
        let cancellable = startObservation(
            { [weak self] in self?.receive(.failure($0), run) },
            { [weak self] in self?.receive(.success($0), run) })
        let isWanted = state.withLock { state in
            guard state.runCount == run, case .starting = state.running else { return false }
            state.running = .yes(cancellable)
            return true
        }
        if !isWanted {
            cancellable.cancel()
        }
    }

    private func receive(_ result: Result<Element, any Error>, _ run: Int) {
        // Clients receive the values in the order in which the scheduler calls this method.
        let clients: [Client] = state.withLock { state in
            guard state.runCount == run else { return [] }
            guard case .failure = result else {
                state.latest = result
                return state.clients
            }
            state.running = .no
            state.runCount += 1
            state.latest = extent == .observationLifetime ? result : nil
            defer { state.clients = [] }
            return state.clients
        }
        for client in clients {
            deliver(result, to: client)
        }
    }

    // MARK: - Clients

    /// Delivers the latest value to a client that has started after it was received.
    private func serve(_ client: Client) {
        if client.isServed.withLock({ $0 }) { return }
        let latest = state.withLock { state in
            state.clients.contains { $0 === client } ? state.latest : nil
        }
        guard let latest else { return }
        deliver(latest, to: client)
    }

    private func deliver(_ result: Result<Element, any Error>, to client: Client) {
        switch result {
        case .success(let value):
            // The callback of another client may just have cancelled this client.
            guard state.withLock({ $0.clients.contains { $0 === client } }) else { return }
            client.isServed.withLock { $0 = true }
            client.onChange(value)
        case .failure(let error):
            remove(client)
            // The callback of another client may just have cancelled this client.
            if client.isCancelled.withLock({ $0 }) { return }
            client.isServed.withLock { $0 = true }
            client.onError(error)
        }
    }

    private func remove(_ client: Client) {
        let cancellable: AnyDatabaseCancellable? = state.withLock { state in
            guard let index = state.clients.firstIndex(where: { $0 === client }) else { return nil }
            state.clients.remove(at: index)
            guard state.clients.isEmpty, extent == .whileObserved else { return nil }
            defer {
                state.running = .no
                state.runCount += 1
                state.latest = nil
            }
            // If the observation is still starting, `observe` cancels it once it has started.
            guard case .yes(let cancellable) = state.running else { return nil }
            return cancellable
        }
        cancellable?.cancel()
    }
}
