import Dispatch
import Foundation

/// Lets one thread at a time use a connection: all accesses run on a serial dispatch queue.
///
/// Ends every access as it began: without a transaction, unless the configuration allows it.
///
/// `@unchecked Sendable`: `db` is only used on `queue`, and `suspensionObservers` does not change after
/// `init`.
final class SerializedDatabase: @unchecked Sendable {
    let configuration: Configuration
    let path: String
    private let db: Database
    private let queue: DispatchQueue

    /// Known apart from the database, since any thread may interrupt.
    private let raw: RawConnection

    init(
        path: String, configuration: Configuration, defaultLabel: String,
        purpose: String? = nil, isReader: Bool = false,
        opensForWriting: Bool? = nil, setUp: ((Database) throws -> Void)? = nil
    ) throws {
        self.path = path
        self.configuration = configuration
        let label = configuration.queueLabel(default: defaultLabel, purpose: purpose)
        queue =
            isReader
            ? configuration.makeReaderQueue(label: label)
            : configuration.makeWriterQueue(label: label)
        db = try Database(
            path: path, configuration: configuration, defaultLabel: label,
            opensForWriting: opensForWriting ?? !configuration.readonly)
        raw = db.raw
        do {
            try queue.sync {
                try access { db in
                    try db.setUp()
                    try setUp?(db)
                }
            }
        } catch {
            // `deinit` does not run for an object that could not be made.
            db.closeFromAnyThread()
            throw error
        }
        if let suspension = db.suspension {
            observeSuspension(suspension)
        }
    }

    deinit {
        suspensionObservers.forEach(NotificationCenter.default.removeObserver)
        // The last reference: no other thread can be using the connection.
        db.closeFromAnyThread()
    }

    // MARK: - Suspension

    private var suspensionObservers: [any NSObjectProtocol] = []

    private func observeSuspension(_ suspension: Suspension) {
        let center = NotificationCenter.default
        suspensionObservers = [
            center.addObserver(
                forName: Database.suspendNotification, object: nil, queue: nil
            ) { [weak raw] _ in
                suspension.suspend()
                // Whatever runs may hold a lock for long.
                raw?.interrupt()
            },
            center.addObserver(
                forName: Database.resumeNotification, object: nil, queue: nil
            ) { _ in suspension.resume() },
        ]
    }

    // MARK: - Synchronous accesses

    /// Runs the closure on the queue.
    ///
    /// - throws: the error of the closure; a ``DatabaseError`` of code `SQLITE_MISUSE` in a
    ///   re-entrant call, on a closed connection, or when a transaction is left open.
    ///
    /// Not generic: the result of the closure would go through unspecialized code at each level.
    /// Callers catch it in a variable.
    func sync(_ body: (Database) throws -> Void) throws {
        if raw.isOwnedByCurrentThread {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: Self.reentrancyMessage)
        }
        var failure: (any Error)?
        queue.sync {
            do {
                try access { db in
                    try db.checkAccess()
                    try body(db)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Runs the closure on the queue, for API that only throws what the closure throws.
    func syncOrTrap<T>(_ body: (Database) throws -> T) rethrows -> T {
        if raw.isOwnedByCurrentThread {
            fatalError(Self.reentrancyMessage)
        }
        return try queue.sync {
            raw.beginAccess()
            defer { raw.endAccess() }
            let result: T
            do {
                result = try body(db)
            } catch {
                // The first error is the one that matters.
                try? endTransaction()
                throw error
            }
            preconditionNoTransaction()
            return result
        }
    }

    /// Runs the closure on the queue, or right now if the thread is in an access already.
    /// For API that only throws what the closure throws.
    func reentrantSyncOrTrap<T>(_ body: (Database) throws -> T) rethrows -> T {
        if raw.isOwnedByCurrentThread { return try body(db) }
        return try syncOrTrap(body)
    }

    /// Runs the closure if the thread is in an access.
    func execute<T>(_ body: (Database) throws -> T) throws -> T {
        guard raw.isOwnedByCurrentThread else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "Database was not used on the correct thread.")
        }
        return try body(db)
    }

    /// Whether the current thread is in an access.
    var isOwnedByCurrentThread: Bool { raw.isOwnedByCurrentThread }

    // MARK: - Asynchronous accesses

    /// Runs the closure on the queue, and returns at once.
    func async(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        queue.async {
            self.raw.beginAccess()
            defer { self.raw.endAccess() }
            defer { self.preconditionNoTransaction() }
            do {
                try self.db.checkAccess()
            } catch {
                body(.failure(error))
                return
            }
            body(.success(self.db))
        }
    }

    /// Runs the closure on the queue, and returns at once, also if the connection is closed:
    /// whatever the closure does with it then throws.
    func asyncIgnoringClosure(_ body: @escaping @Sendable (Database) -> Void) {
        queue.async {
            self.raw.beginAccess()
            defer { self.raw.endAccess() }
            defer { self.preconditionNoTransaction() }
            body(self.db)
        }
    }

    /// Runs the closure on the queue, and waits for its result without blocking a thread.
    ///
    /// When the task is cancelled, running statements are interrupted, those that follow fail, and
    /// this throws `CancellationError`.
    func execute<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        let cancellation = AccessCancellation(raw)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(
                        with: Result { try self.access(cancellation, body) })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    // MARK: - Accesses

    /// Runs the closure as the owner of the connection.
    private func access<T>(_ body: (Database) throws -> T) throws -> T {
        raw.beginAccess()
        defer { raw.endAccess() }
        let result: T
        do {
            result = try body(db)
        } catch {
            // The first error is the one that matters.
            try? endTransaction()
            throw error
        }
        try endTransaction()
        return result
    }

    /// Runs the closure as the owner of the connection, until it is cancelled.
    private func access<T>(
        _ cancellation: AccessCancellation, _ body: (Database) throws -> T
    ) throws -> T {
        do {
            return try access { db in
                try db.checkAccess()
                try cancellation.begin()
                db.cancellation = cancellation
                // Before the transaction ends: what ends it must not be interrupted.
                defer {
                    cancellation.end()
                    db.cancellation = nil
                }
                return try body(db)
            }
        } catch let error as DatabaseError where error.isInterruptionError {
            throw cancellation.isCancelled ? CancellationError() : error
        }
    }

    /// Rolls back a transaction that was left open, and says so.
    private func endTransaction() throws {
        db.endCursors()
        if configuration.allowsUnsafeTransactions || raw.isInAutocommitMode { return }
        db.rollbackAfterError()
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE, message: Self.openTransactionMessage)
    }

    private func preconditionNoTransaction() {
        db.endCursors()
        if configuration.allowsUnsafeTransactions || raw.isInAutocommitMode { return }
        fatalError(Self.openTransactionMessage)
    }

    static let reentrancyMessage = "Database methods are not reentrant."

    private static let openTransactionMessage =
        "A transaction has been left opened at the end of a database access"

    // MARK: - Closing and interrupting

    /// Closes the connection.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_BUSY` if something prevents it.
    func close() throws {
        if raw.isOwnedByCurrentThread {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: Self.reentrancyMessage)
        }
        try queue.sync {
            raw.beginAccess()
            defer { raw.endAccess() }
            try db.close()
        }
    }

    func interrupt() {
        raw.interrupt()
    }
}

extension Database {
    /// Closes the connection, when no other thread can be using it.
    fileprivate func closeFromAnyThread() {
        raw.beginAccess()
        discard()
        raw.orphan()
        raw.endAccess()
    }
}
