#if canImport(Combine)

public import Combine
public import Dispatch

extension DatabaseReader {
    /// Returns a publisher of the result of one database access.
    ///
    /// ```swift
    /// // DatabasePublishers.Read<Int>
    /// let publisher = reader.readPublisher { db in
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// }
    /// ```
    ///
    /// Each subscription accesses the database once, when the subscriber first requests a value.
    /// See ``asyncRead(_:)`` for the access itself.
    ///
    /// - parameter scheduler: the scheduler of the value and the completion. The default is the
    ///   main dispatch queue.
    /// - parameter value: a closure that reads from the database.
    public func readPublisher<Output>(
        receiveOn scheduler: some Scheduler = DispatchQueue.main,
        value: @escaping @Sendable (Database) throws -> Output
    ) -> DatabasePublishers.Read<Output> {
        DatabasePublishers.Read(
            access: OneValueAccess { [self] completion in
                asyncRead { result in
                    completion(Result { try value(result.get()) })
                }
            } schedule: { action in
                scheduler.schedule(action)
            })
    }
}

extension DatabaseWriter {
    /// Returns a publisher of the result of one database access.
    ///
    /// ```swift
    /// // DatabasePublishers.Write<Int>
    /// let publisher = writer.writePublisher { db in
    ///     try db.execute(sql: "INSERT INTO player ...")
    ///     return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// }
    /// ```
    ///
    /// Each subscription accesses the database once, when the subscriber first requests a value.
    /// See ``asyncWrite(_:completion:)`` for the access itself. The access continues when the
    /// subscription is cancelled, but the subscriber then receives no result.
    ///
    /// - parameter scheduler: the scheduler of the value and the completion. The default is the
    ///   main dispatch queue.
    /// - parameter updates: a closure that writes to the database.
    public func writePublisher<Output>(
        receiveOn scheduler: some Scheduler = DispatchQueue.main,
        updates: @escaping @Sendable (Database) throws -> Output
    ) -> DatabasePublishers.Write<Output> {
        DatabasePublishers.Write(
            access: OneValueAccess { [self] completion in
                asyncWrite(updates) { _, result in completion(result) }
            } schedule: { action in
                scheduler.schedule(action)
            })
    }

    /// Returns a publisher that writes, and then reads from the state that the write has committed.
    ///
    /// ```swift
    /// // DatabasePublishers.Write<Int>
    /// let publisher = writer.writePublisher { db in
    ///     try db.execute(sql: "INSERT INTO player ...")
    /// } thenRead: { db, _ in
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// }
    /// ```
    ///
    /// The read sees exactly the state that the write has committed. In a pool, it does not block
    /// other writes: see ``spawnConcurrentRead(_:)``.
    ///
    /// - parameter scheduler: the scheduler of the value and the completion. The default is the
    ///   main dispatch queue.
    /// - parameter updates: a closure that writes to the database.
    /// - parameter value: a closure that reads from the database, and receives the result of
    ///   `updates`.
    public func writePublisher<T: Sendable, Output>(
        receiveOn scheduler: some Scheduler = DispatchQueue.main,
        updates: @escaping @Sendable (Database) throws -> T,
        thenRead value: @escaping @Sendable (Database, T) throws -> Output
    ) -> DatabasePublishers.Write<Output> {
        DatabasePublishers.Write(
            access: OneValueAccess { [self] completion in
                asyncWriteWithoutTransaction { db in
                    do {
                        let updated = try db.inTransaction(returning: { try updates(db) })
                        self.spawnConcurrentRead { result in
                            completion(Result { try value(result.get(), updated) })
                        }
                    } catch {
                        completion(.failure(error))
                    }
                }
            } schedule: { action in
                scheduler.schedule(action)
            })
    }
}

extension DatabasePublishers {
    /// The publisher of ``DatabaseReader/readPublisher(receiveOn:value:)``. It publishes one value,
    /// and then completes.
    ///
    /// See ``DatabaseReader/readPublisher(receiveOn:value:)``.
    public struct Read<Output>: Publisher {
        public typealias Failure = any Error

        fileprivate let access: OneValueAccess<Output>

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == any Error {
            access.receive(subscriber)
        }
    }

    /// A publisher that writes to the database. It publishes one value, and then completes.
    ///
    /// See ``DatabaseWriter/writePublisher(receiveOn:updates:)``.
    public struct Write<Output>: Publisher {
        public typealias Failure = any Error

        fileprivate let access: OneValueAccess<Output>

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == any Error {
            access.receive(subscriber)
        }
    }
}

/// The database access of a publisher of one value, made for each subscription.
struct OneValueAccess<Output> {
    /// Starts the access, and returns immediately.
    let start: (_ completion: @escaping @Sendable (Result<Output, any Error>) -> Void) -> Void
    let schedule: (_ action: @escaping () -> Void) -> Void

    func receive<S: Subscriber>(
        _ subscriber: S
    ) where S.Input == Output, S.Failure == any Error {
        subscriber.receive(
            subscription: OneValueSubscription(
                access: self,
                client: OneValueSubscription.Client(
                    receiveValue: { _ = subscriber.receive($0) },
                    receiveCompletion: { subscriber.receive(completion: $0) })))
    }
}

/// Starts the access on demand, and notifies the subscriber when it ends.
///
/// A subscriber may retain its subscription. To avoid retain cycles, the subscription releases the
/// subscriber and the database after its last event.
///
/// `@unchecked Sendable`: the state is only used under its lock. The closures of the subscriber,
/// which may be bound to a thread, are only called by the scheduler.
private final class OneValueSubscription<Output>: Subscription, @unchecked Sendable {
    /// The subscriber.
    struct Client {
        let receiveValue: (Output) -> Void
        let receiveCompletion: (Subscribers.Completion<any Error>) -> Void
    }

    private enum State {
        case waitingForDemand(OneValueAccess<Output>, Client)
        case running(Client)
        case finished
    }

    private let schedule: (_ action: @escaping () -> Void) -> Void
    private let state: Locked<State>

    init(access: OneValueAccess<Output>, client: Client) {
        schedule = access.schedule
        state = Locked(.waitingForDemand(access, client))
    }

    func request(_ demand: Subscribers.Demand) {
        let access: OneValueAccess<Output>? = state.withLock { state in
            guard demand > .none, case .waitingForDemand(let access, let client) = state else {
                return nil
            }
            state = .running(client)
            return access
        }
        access?.start { result in
            self.schedule { self.finish(result) }
        }
    }

    func cancel() {
        _ = end()
    }

    /// Delivers the value and the completion together, because a scheduler may run its actions in
    /// any order.
    private func finish(_ result: Result<Output, any Error>) {
        guard case .running(let client) = end() else { return }
        switch result {
        case .success(let value):
            client.receiveValue(value)
            client.receiveCompletion(.finished)
        case .failure(let error):
            client.receiveCompletion(.failure(error))
        }
    }

    /// - returns: the former state, so that its objects are not released under the lock.
    private func end() -> State {
        state.withLock { state in
            defer { state = .finished }
            return state
        }
    }
}

#endif
