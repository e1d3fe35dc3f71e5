#if canImport(Combine)

public import Combine
public import Dispatch

extension ValueObservation {
    /// Returns a publisher of the values.
    ///
    /// ```swift
    /// // DatabasePublishers.Value<[Player]>
    /// let publisher = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .publisher(in: dbQueue)
    /// ```
    ///
    /// Each subscription starts an observation, which ends with the subscription, or with an error.
    ///
    /// - parameter reader: a queue, a pool, a snapshot.
    /// - parameter scheduler: what delivers the values. With `.immediate`, the first one comes with the
    ///   subscription, which must then be made on the main thread.
    public func publisher(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main)
    ) -> DatabasePublishers.Value<Reducer.Value> {
        DatabasePublishers.Value { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}

extension SharedValueObservation {
    /// Returns a publisher of the values. Its subscriptions are clients of the shared observation.
    ///
    /// ```swift
    /// // DatabasePublishers.Value<[Player]>
    /// let publisher = sharedObservation.publisher()
    /// ```
    public func publisher() -> DatabasePublishers.Value<Element> {
        DatabasePublishers.Value { self.start(onError: $0, onChange: $1) }
    }
}

extension DatabaseRegionObservation {
    /// Returns a publisher of the connection that writes, after each transaction that has changed the
    /// region.
    ///
    /// ```swift
    /// // DatabasePublishers.DatabaseRegion
    /// let publisher = DatabaseRegionObservation(tracking: Player.all())
    ///     .publisher(in: dbQueue)
    /// ```
    ///
    /// Values are published on the queue of the connection: don't hand them on to another thread.
    ///
    /// - parameter writer: a queue or a pool.
    public func publisher(in writer: any DatabaseWriter) -> DatabasePublishers.DatabaseRegion {
        DatabasePublishers.DatabaseRegion { onError, onChange in
            start(in: writer, onError: onError, onChange: onChange)
        }
    }
}

extension DatabasePublishers {
    /// A publisher of the values of an observation. It never completes, unless with an error.
    ///
    /// You get one from ``ValueObservation`` or ``SharedValueObservation``.
    public struct Value<Output: Sendable>: Publisher {
        public typealias Failure = any Error

        fileprivate let start: ObservationSubscription<Output>.Start

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == any Error {
            subscriber.receive(
                subscription: ObservationSubscription(
                    start: start, keepsLatest: true,
                    receiveValue: { subscriber.receive($0) },
                    receiveCompletion: { subscriber.receive(completion: $0) }))
        }
    }

    /// A publisher of connections, after transactions that have changed a region. It never completes,
    /// unless with an error.
    ///
    /// You get one from ``DatabaseRegionObservation``.
    public struct DatabaseRegion: Publisher {
        public typealias Output = Database
        public typealias Failure = any Error

        fileprivate let start: ObservationSubscription<Database>.Start

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Database, S.Failure == any Error {
            subscriber.receive(
                subscription: ObservationSubscription(
                    start: start, keepsLatest: false,
                    receiveValue: { subscriber.receive($0) },
                    receiveCompletion: { subscriber.receive(completion: $0) }))
        }
    }
}

/// Observes from the first demand on.
///
/// `@unchecked Sendable`: the state is only used under its lock. The closures belong to the subscriber,
/// and are called where the observation delivers.
private final class ObservationSubscription<Output>: Subscription, @unchecked Sendable {
    typealias Start =
        (
            _ onError: @escaping @Sendable (any Error) -> Void,
            _ onChange: @escaping @Sendable (Output) -> Void
        ) -> AnyDatabaseCancellable

    private enum Phase {
        case waitingForDemand
        case running
        case finished
    }

    private struct State {
        var phase = Phase.waitingForDemand
        var demand = Subscribers.Demand.none
        /// The value that nobody has asked for yet. Those before it are not of interest any more.
        var latest: Output?
        var cancellable: AnyDatabaseCancellable?
    }

    private let start: Start
    private let keepsLatest: Bool
    private let receiveValue: (Output) -> Subscribers.Demand
    private let receiveCompletion: (Subscribers.Completion<any Error>) -> Void
    private let state = Locked(State())

    init(
        start: @escaping Start, keepsLatest: Bool,
        receiveValue: @escaping (Output) -> Subscribers.Demand,
        receiveCompletion: @escaping (Subscribers.Completion<any Error>) -> Void
    ) {
        self.start = start
        self.keepsLatest = keepsLatest
        self.receiveValue = receiveValue
        self.receiveCompletion = receiveCompletion
    }

    func request(_ demand: Subscribers.Demand) {
        let (starts, value): (Bool, Output?) = state.withLock { state in
            guard state.phase != .finished, demand > .none else { return (false, nil) }
            state.demand += demand
            if state.phase == .waitingForDemand {
                state.phase = .running
                return (true, nil)
            }
            guard let value = state.latest else { return (false, nil) }
            state.latest = nil
            state.demand -= 1
            return (false, value)
        }
        if let value {
            add(receiveValue(value))
        }
        guard starts else { return }
        let cancellable = start({ self.finish($0) }, { self.receive($0) })
        let isFinished = state.withLock { state in
            if state.phase == .finished { return true }
            state.cancellable = cancellable
            return false
        }
        if isFinished {
            cancellable.cancel()
        }
    }

    func cancel() {
        let former = state.withLock { state in
            let former = state
            state.phase = .finished
            state.latest = nil
            state.cancellable = nil
            return former
        }
        former.cancellable?.cancel()
    }

    private func receive(_ value: Output) {
        let isWanted = state.withLock { state in
            guard state.phase == .running else { return false }
            guard state.demand > .none else {
                if keepsLatest { state.latest = value }
                return false
            }
            state.demand -= 1
            return true
        }
        if isWanted {
            add(receiveValue(value))
        }
    }

    private func add(_ demand: Subscribers.Demand) {
        state.withLock { $0.demand += demand }
    }

    private func finish(_ error: any Error) {
        let isRunning = state.withLock { state in
            defer {
                state.phase = .finished
                state.latest = nil
            }
            return state.phase == .running
        }
        if isRunning {
            receiveCompletion(.failure(error))
        }
    }
}

#endif
