import Dispatch

/// The database operations that an observation of values needs.
///
/// Observations don't depend on concrete reader types: only `DatabaseObservationDriver` does. Tests
/// use another driver, which controls when each step runs.
protocol ObservationDriver: Sendable {
    var configuration: Configuration { get }

    var access: ObservationAccess { get }

    /// Runs the closure in a read-only transaction, on the current thread, even from inside another
    /// access.
    func read(_ body: (Database) throws -> Void) throws

    /// Schedules the closure in a read-only transaction, and returns immediately.
    func asyncRead(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Runs the closure with the writer connection, on the current thread, even from inside another
    /// access.
    ///
    /// - precondition: `access` is not `.once`.
    func write(_ body: (Database) throws -> Void) throws

    /// Schedules the closure with the writer connection, and returns immediately. The connection may
    /// be closed.
    ///
    /// - precondition: `access` is not `.once`.
    func asyncWrite(_ body: @escaping @Sendable (Database) -> Void)

    /// Begins a read that sees the writer's last commit.
    ///
    /// Must be called from an access that writes, outside of transactions.
    ///
    /// - returns: nil if the writer would have to wait for a connection.
    func concurrentRead() -> ConcurrentRead?

    /// Schedules the work that follows a fetch, and returns immediately.
    func async(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void)

    /// Calls the function when another program has changed the database.
    ///
    /// - returns: nil unless the reader detects such changes, and `access` is `.once`.
    func observeArrivals(
        _ onArrival: @escaping @Sendable () -> Void
    ) -> AnyDatabaseCancellable?
}

extension ObservationDriver {
    func observeArrivals(
        _ onArrival: @escaping @Sendable () -> Void
    ) -> AnyDatabaseCancellable? { nil }
}

/// How the values of a reader are observed.
enum ObservationAccess {
    /// The values don't change, or transaction observers can't detect the changes. See
    /// `ObservationDriver.observeArrivals(_:)`.
    case once
    /// The same connection fetches and writes.
    case serialized
    /// Values can be fetched while another connection writes.
    case concurrent
}

/// A read that has begun, and whose operations are not known yet.
struct ConcurrentRead: Sendable {
    /// Runs the closure on the queue of the connection, ends the read, and returns immediately. Must
    /// be called exactly once, because it makes the connection available again.
    let run: @Sendable (_ body: @escaping @Sendable (Database) -> Void) -> Void
}

/// Observes the readers of the library, and readers implemented by apps.
struct DatabaseObservationDriver: ObservationDriver {
    private enum Source {
        case reader(any DatabaseReader)
        case writer(any DatabaseWriter)
        case pool(DatabasePool)
    }

    private let source: Source

    init(_ reader: any DatabaseReader) {
        let reader = reader._underlyingReader
        source =
            switch reader {
            case _ where reader.configuration.readonly: .reader(reader)
            case let pool as DatabasePool: .pool(pool)
            case let writer as any DatabaseWriter: .writer(writer)
            default: .reader(reader)
            }
    }

    var configuration: Configuration {
        switch source {
        case .reader(let reader): reader.configuration
        case .writer(let writer): writer.configuration
        case .pool(let pool): pool.configuration
        }
    }

    var access: ObservationAccess {
        switch source {
        case .reader: .once
        case .writer: .serialized
        case .pool: .concurrent
        }
    }

    func read(_ body: (Database) throws -> Void) throws {
        switch source {
        case .reader(let reader):
            try reader.unsafeReentrantRead { db in
                try db.inReadTransactionIfNeeded { try body(db) }
            }
        case .writer(let writer):
            try writer.unsafeReentrantRead { db in
                try db.inReadTransactionIfNeeded { try body(db) }
            }
        case .pool(let pool):
            // Inside a write, fetch the committed value, which excludes the uncommitted changes of the write.
            guard pool.currentReader == nil else {
                return try pool.unsafeReentrantRead { db in
                    try db.inReadTransactionIfNeeded { try body(db) }
                }
            }
            try pool.syncRead(body)
        }
    }

    func asyncRead(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        switch source {
        case .reader(let reader): reader.asyncRead(body)
        case .writer(let writer): writer.asyncRead(body)
        case .pool(let pool): pool.asyncRead(body)
        }
    }

    func write(_ body: (Database) throws -> Void) throws {
        try writer.unsafeReentrantWrite { db in
            try db.checkAccess()
            try body(db)
        }
    }

    func asyncWrite(_ body: @escaping @Sendable (Database) -> Void) {
        writer.asyncWriteWithoutTransaction(body)
    }

    private var writer: any DatabaseWriter {
        switch source {
        case .reader: preconditionFailure("This reader can't write")
        case .writer(let writer): writer
        case .pool(let pool): pool
        }
    }

    func concurrentRead() -> ConcurrentRead? {
        guard case .pool(let pool) = source else { return nil }
        return pool.concurrentReadWithoutWaiting()
    }

    func async(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }

    func observeArrivals(
        _ onArrival: @escaping @Sendable () -> Void
    ) -> AnyDatabaseCancellable? {
        guard case .reader(let reader as any ArrivingReader) = source else { return nil }
        return reader.observeArrivals(onArrival)
    }
}

extension DatabasePool {
    /// Begins a read that sees the writer's last commit, if a connection is available now.
    fileprivate func concurrentReadWithoutWaiting() -> ConcurrentRead? {
        guard !writer.isInTransactionOfCurrentThread, let reader = readers.borrowIdle() else {
            return nil
        }
        do {
            try reader.beginIsolatedRead()
        } catch {
            readers.giveBack(reader)
            return nil
        }
        let readers = readers
        return ConcurrentRead { body in
            reader.asyncIsolatedRead(completion: { readers.giveBack(reader) }, body)
        }
    }
}
