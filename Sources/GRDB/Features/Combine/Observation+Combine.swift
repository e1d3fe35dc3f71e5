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

        fileprivate let start: DatabaseSubscription<Output>.Start

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == any Error {
            DatabaseSubscription.begin(start, for: subscriber)
        }
    }

    /// A publisher of connections, after transactions that have changed a region. It only completes
    /// with an error.
    ///
    /// ``DatabaseRegionObservation`` creates it.
    public struct DatabaseRegion: Publisher {
        public typealias Output = Database
        public typealias Failure = any Error

        fileprivate let start: DatabaseSubscription<Database>.Start

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Database, S.Failure == any Error {
            DatabaseSubscription.begin(start, keepsLatest: false, for: subscriber)
        }
    }
}

#endif
