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
            start: DatabaseSubscription.access(receiveOn: scheduler) { [self] completion in
                asyncRead { result in
                    completion(Result { try value(result.get()) })
                }
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
            start: DatabaseSubscription.access(receiveOn: scheduler) { [self] completion in
                asyncWrite(updates) { _, result in completion(result) }
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
            start: DatabaseSubscription.access(receiveOn: scheduler) { [self] completion in
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

        fileprivate let start: DatabaseSubscription<Output>.Start

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == any Error {
            DatabaseSubscription.begin(start, for: subscriber)
        }
    }

    /// A publisher that writes to the database. It publishes one value, and then completes.
    ///
    /// See ``DatabaseWriter/writePublisher(receiveOn:updates:)``.
    public struct Write<Output>: Publisher {
        public typealias Failure = any Error

        fileprivate let start: DatabaseSubscription<Output>.Start

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == any Error {
            DatabaseSubscription.begin(start, for: subscriber)
        }
    }
}

#endif
