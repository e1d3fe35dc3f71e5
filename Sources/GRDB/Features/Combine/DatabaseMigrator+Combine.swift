#if canImport(Combine)

public import Combine
public import Dispatch

extension DatabaseMigrator {
    /// Returns a publisher that migrates a database.
    ///
    /// ```swift
    /// // DatabasePublishers.Migrate
    /// let publisher = migrator.migratePublisher(dbQueue)
    ///
    /// let cancellable = publisher.sink(
    ///     receiveCompletion: { completion in print(completion) },
    ///     receiveValue: { print("migrated") })
    /// ```
    ///
    /// Migrations run on each subscription, when the subscriber first wants a value. They go on
    /// when the subscription is cancelled, but it is then told nothing.
    ///
    /// - parameter writer: the database to migrate.
    /// - parameter scheduler: where the publisher delivers its value and its completion. The
    ///   default is the main dispatch queue.
    public func migratePublisher(
        _ writer: any DatabaseWriter,
        receiveOn scheduler: some Scheduler = DispatchQueue.main
    ) -> DatabasePublishers.Migrate {
        DatabasePublishers.Migrate(migrator: self, writer: writer) { action in
            scheduler.schedule(action)
        }
    }
}

extension DatabasePublishers {
    /// A publisher that migrates a database. It publishes one value, and completes.
    ///
    /// See ``DatabaseMigrator/migratePublisher(_:receiveOn:)``.
    public struct Migrate: Publisher {
        public typealias Output = Void
        public typealias Failure = any Error

        fileprivate let migrator: DatabaseMigrator
        fileprivate let writer: any DatabaseWriter
        fileprivate let schedule: (_ action: @escaping () -> Void) -> Void

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Void, S.Failure == any Error {
            let subscription = MigrationSubscription(
                publisher: self, receiveValue: { _ = subscriber.receive(()) },
                receiveCompletion: { subscriber.receive(completion: $0) })
            subscriber.receive(subscription: subscription)
        }
    }
}

/// Starts the migrations on demand, and tells the subscriber of their end.
///
/// `@unchecked Sendable`: the state is only used under its lock. What belongs to the subscriber and
/// to the scheduler, which may be bound to a thread, is only handed on to the scheduler.
private final class MigrationSubscription: Subscription, @unchecked Sendable {
    private enum State {
        case waitingForDemand
        case running
        case finished
    }

    private let publisher: DatabasePublishers.Migrate
    private let receiveValue: () -> Void
    private let receiveCompletion: (Subscribers.Completion<any Error>) -> Void
    private let state = Locked(State.waitingForDemand)

    init(
        publisher: DatabasePublishers.Migrate,
        receiveValue: @escaping () -> Void,
        receiveCompletion: @escaping (Subscribers.Completion<any Error>) -> Void
    ) {
        self.publisher = publisher
        self.receiveValue = receiveValue
        self.receiveCompletion = receiveCompletion
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none, advance(from: .waitingForDemand, to: .running) else { return }
        publisher.migrator.asyncMigrate(publisher.writer) { result in
            let error: (any Error)? =
                switch result {
                case .success: nil
                case .failure(let error): error
                }
            self.publisher.schedule { self.finish(error) }
        }
    }

    func cancel() {
        state.withLock { $0 = .finished }
    }

    /// Delivers the value and the completion together: a scheduler may run what it gets in any
    /// order.
    private func finish(_ error: (any Error)?) {
        guard advance(from: .running, to: .finished) else { return }
        if let error {
            receiveCompletion(.failure(error))
        } else {
            receiveValue()
            receiveCompletion(.finished)
        }
    }

    private func advance(from oldState: State, to newState: State) -> Bool {
        state.withLock { state in
            guard state == oldState else { return false }
            state = newState
            return true
        }
    }
}

#endif
