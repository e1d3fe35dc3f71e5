#if canImport(Combine)

import Combine

/// A namespace for Combine publishers of the database.
public enum DatabasePublishers {}

/// A subscription that starts its observation or access at the first demand.
///
/// A subscriber may retain its subscription. To avoid retain cycles, the subscription releases the
/// subscriber and the database when it ends.
///
/// `@unchecked Sendable`: the state is only used under its lock. The closures of the subscriber are
/// called where the observation or the scheduler delivers.
final class DatabaseSubscription<Output>: Subscription, @unchecked Sendable {
    /// Starts an observation, or an access. Both end with an error; only an access ends without one.
    typealias Start =
        (
            _ onEnd: @escaping @Sendable ((any Error)?) -> Void,
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

    private init(keepsLatest: Bool, client: Client) {
        self.keepsLatest = keepsLatest
        state = Locked(State(client: client))
    }

    /// Gives a subscriber its subscription.
    static func begin<S: Subscriber>(
        _ start: @escaping Start, keepsLatest: Bool = true, for subscriber: S
    ) where S.Input == Output, S.Failure == any Error {
        subscriber.receive(
            subscription: DatabaseSubscription(
                keepsLatest: keepsLatest,
                client: Client(
                    start: start, receiveValue: { subscriber.receive($0) },
                    receiveCompletion: { subscriber.receive(completion: $0) })))
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

    private func finish(_ error: (any Error)?) {
        end().client?.receiveCompletion(error.map { .failure($0) } ?? .finished)
    }

    /// - returns: the former state, so that its objects are not released under the lock.
    private func end() -> State {
        state.withLock { state in
            defer { state = State(client: nil) }
            return state
        }
    }
}

extension DatabaseSubscription {
    /// Returns how to start an access that ends with one value.
    ///
    /// - parameter access: starts the access, and returns immediately.
    static func access(
        receiveOn scheduler: some Scheduler,
        _ access:
            @escaping (_ completion: @escaping @Sendable (Result<Output, any Error>) -> Void) ->
            Void
    ) -> Start {
        // The closures of the subscriber, which may be bound to a thread, are only called by the scheduler.
        nonisolated(unsafe) let schedule: (_ action: @escaping () -> Void) -> Void = { action in
            scheduler.schedule(action)
        }
        return { onEnd, onChange in
            access { result in
                // The value and the completion together, because a scheduler may run its actions in any order.
                schedule {
                    switch result {
                    case .success(let value):
                        onChange(value)
                        onEnd(nil)
                    case .failure(let error):
                        onEnd(error)
                    }
                }
            }
            return AnyDatabaseCancellable {}
        }
    }
}

#endif
