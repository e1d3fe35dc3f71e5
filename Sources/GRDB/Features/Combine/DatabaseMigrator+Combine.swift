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
    /// when the subscription is cancelled, but the subscriber receives no result.
    ///
    /// - parameter writer: the database to migrate.
    /// - parameter scheduler: where the publisher delivers its value and its completion. The
    ///   default is the main dispatch queue.
    public func migratePublisher(
        _ writer: any DatabaseWriter,
        receiveOn scheduler: some Scheduler = DispatchQueue.main
    ) -> DatabasePublishers.Migrate {
        DatabasePublishers.Migrate(
            access: OneValueAccess { completion in
                asyncMigrate(writer) { result in completion(result.map { _ in }) }
            } schedule: { action in
                scheduler.schedule(action)
            })
    }
}

extension DatabasePublishers {
    /// A publisher that migrates a database. It publishes one value, and completes.
    ///
    /// See ``DatabaseMigrator/migratePublisher(_:receiveOn:)``.
    public struct Migrate: Publisher {
        public typealias Output = Void
        public typealias Failure = any Error

        fileprivate let access: OneValueAccess<Void>

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Void, S.Failure == any Error {
            access.receive(subscriber)
        }
    }
}

#endif
