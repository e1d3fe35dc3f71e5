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
    /// Each subscription starts an observation, which ends with the subscription or an error.
    ///
    /// - parameter reader: a queue, a pool, or a snapshot.
    /// - parameter scheduler: delivers the values. With `.immediate`, the first value is delivered
    ///   at the first demand, which must then be made on the main thread.
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
    /// Returns a publisher of the writer connection, after each transaction that has changed the
    /// region.
    ///
    /// ```swift
    /// // DatabasePublishers.DatabaseRegion
    /// let publisher = DatabaseRegionObservation(tracking: Player.all())
    ///     .publisher(in: dbQueue)
    /// ```
    ///
    /// Values are published on the queue of the connection: don't pass them to another thread.
    ///
    /// - parameter writer: a queue or a pool.
    public func publisher(in writer: any DatabaseWriter) -> DatabasePublishers.DatabaseRegion {
        DatabasePublishers.DatabaseRegion { onError, onChange in
            start(in: writer, onError: onError, onChange: onChange)
        }
    }
}

extension DatabasePublishers {
    /// A publisher of the values of an observation. It only completes with an error.
    ///
    /// ``ValueObservation`` and ``SharedValueObservation`` create it.
    public struct Value<Output: Sendable>: Publisher {
        public typealias Failure = any Error

        fileprivate let start: ObservationSubscription<Output>.Start

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == any Error {
            subscriber.receive(
                subscription: ObservationSubscription(
                    keepsLatest: true,
                    client: ObservationSubscription.Client(
                        start: start, receiveValue: { subscriber.receive($0) },
                        receiveCompletion: { subscriber.receive(completion: $0) })))
        }
    }

    /// A publisher of connections, after transactions that have changed a region. It only completes
    /// with an error.
    ///
    /// ``DatabaseRegionObservation`` creates it.
    public struct DatabaseRegion: Publisher {
        public typealias Output = Database
        public typealias Failure = any Error

        fileprivate let start: ObservationSubscription<Database>.Start

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Database, S.Failure == any Error {
            subscriber.receive(
                subscription: ObservationSubscription(
                    keepsLatest: false,
                    client: ObservationSubscription.Client(
                        start: start, receiveValue: { subscriber.receive($0) },
                        receiveCompletion: { subscriber.receive(completion: $0) })))
        }
    }
}

/// A subscription that starts its observation at the first demand.
///
/// A subscriber may retain its subscription. To avoid retain cycles, the subscription releases the
/// subscriber and the database when it ends.
///
/// `@unchecked Sendable`: the state is only used under its lock. The closures of the subscriber are
/// called where the observation delivers.
private final class ObservationSubscription<Output>: Subscription, @unchecked Sendable {
    typealias Start =
        (
            _ onError: @escaping @Sendable (any Error) -> Void,
            _ onChange: @escaping @Sendable (Output) -> Void
        ) -> AnyDatabaseCancellable

    /// The subscriber, and the observation that it subscribes to.
    struct Client {
        let start: Start
        let receiveValue: (Output) -> Subscribers.Demand
        let receiveCompletion: (Subscribers.Completion<any Error>) -> Void
    }

    private struct State {
        /// The client; nil after the end of the subscription.
        var client: Client?
        var isStarted = false
        var demand = Subscribers.Demand.none
        /// The latest value, while there is no demand for it. Earlier values are dropped.
        var latest: Output?
        var cancellable: AnyDatabaseCancellable?
    }

    private let keepsLatest: Bool
    private let state: Locked<State>

    init(keepsLatest: Bool, client: Client) {
        self.keepsLatest = keepsLatest
        state = Locked(State(client: client))
    }

    func request(_ demand: Subscribers.Demand) {
        let (client, value): (Client?, Output?) = state.withLock { state in
            guard let client = state.client, demand > .none else { return (nil, nil) }
            state.demand += demand
            if !state.isStarted {
                state.isStarted = true
                return (client, nil)
            }
            guard let value = state.latest else { return (nil, nil) }
            state.latest = nil
            state.demand -= 1
            return (client, value)
        }
        guard let client else { return }
        if let value {
            add(client.receiveValue(value))
        } else {
            start(client)
        }
    }

    private func start(_ client: Client) {
        let cancellable = client.start({ self.finish($0) }, { self.receive($0) })
        let isRunning = state.withLock { state in
            guard state.client != nil else { return false }
            state.cancellable = cancellable
            return true
        }
        if !isRunning {
            cancellable.cancel()
        }
    }

    func cancel() {
        end().cancellable?.cancel()
    }

    private func receive(_ value: Output) {
        let client: Client? = state.withLock { state in
            guard let client = state.client else { return nil }
            guard state.demand > .none else {
                if keepsLatest { state.latest = value }
                return nil
            }
            state.demand -= 1
            return client
        }
        if let client {
            add(client.receiveValue(value))
        }
    }

    private func add(_ demand: Subscribers.Demand) {
        state.withLock { $0.demand += demand }
    }

    private func finish(_ error: any Error) {
        end().client?.receiveCompletion(.failure(error))
    }

    /// - returns: the former state, so that its objects are not released under the lock.
    private func end() -> State {
        state.withLock { state in
            defer { state = State(client: nil) }
            return state
        }
    }
}

#endif
