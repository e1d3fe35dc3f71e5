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
    private let reader: any DatabaseReader

    /// The reader, if it can write.
    private let writer: (any DatabaseWriter)?

    /// The writer, if values can be fetched beside it.
    private let pool: DatabasePool?

    init(_ reader: any DatabaseReader) {
        let reader = reader._underlyingReader
        self.reader = reader
        writer = reader.configuration.readonly ? nil : reader as? any DatabaseWriter
        pool = writer as? DatabasePool
    }

    var configuration: Configuration { reader.configuration }

    var access: ObservationAccess {
        if pool != nil { return .concurrent }
        return writer == nil ? .once : .serialized
    }

    func read(_ body: (Database) throws -> Void) throws {
        // Inside a write, fetch the committed value, which excludes the uncommitted changes of the write.
        if let pool, pool.currentReader == nil { return try pool.syncRead(body) }
        try reader.unsafeReentrantRead { db in
            try db.inReadTransactionIfNeeded { try body(db) }
        }
    }

    func asyncRead(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        reader.asyncRead(body)
    }

    func write(_ body: (Database) throws -> Void) throws {
        try usedWriter.unsafeReentrantWrite { db in
            try db.checkAccess()
            try body(db)
        }
    }

    func asyncWrite(_ body: @escaping @Sendable (Database) -> Void) {
        usedWriter.asyncWriteWithoutTransaction(body)
    }

    private var usedWriter: any DatabaseWriter {
        guard let writer else { preconditionFailure("This reader can't write") }
        return writer
    }

    func concurrentRead() -> ConcurrentRead? { pool?.concurrentReadWithoutWaiting() }

    func async(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }

    func observeArrivals(
        _ onArrival: @escaping @Sendable () -> Void
    ) -> AnyDatabaseCancellable? {
        guard writer == nil, let reader = reader as? any ArrivingReader else { return nil }
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
