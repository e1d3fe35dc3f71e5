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
    /// Migrations run for each subscription, when the subscriber first requests a value. They
    /// continue when the subscription is cancelled, but the subscriber then receives no result.
    ///
    /// - parameter writer: the database to migrate.
    /// - parameter scheduler: the scheduler of the value and the completion. The default is the
    ///   main dispatch queue.
    public func migratePublisher(
        _ writer: any DatabaseWriter,
        receiveOn scheduler: some Scheduler = DispatchQueue.main
    ) -> DatabasePublishers.Migrate {
        DatabasePublishers.Migrate(
            start: DatabaseSubscription.access(receiveOn: scheduler) { completion in
                asyncMigrate(writer) { result in completion(result.map { _ in }) }
            })
    }
}

extension DatabasePublishers {
    /// The publisher of ``DatabaseMigrator/migratePublisher(_:receiveOn:)``. It publishes one
    /// value, and then completes.
    ///
    /// See ``DatabaseMigrator/migratePublisher(_:receiveOn:)``.
    public struct Migrate: Publisher {
        public typealias Output = Void
        public typealias Failure = any Error

        fileprivate let start: DatabaseSubscription<Void>.Start

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Void, S.Failure == any Error {
            DatabaseSubscription.begin(start, for: subscriber)
        }
    }
}

#endif
