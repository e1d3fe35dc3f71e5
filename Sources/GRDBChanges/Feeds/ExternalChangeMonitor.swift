import GRDB
import Dispatch
public import _GRDBSystem

/// Detects the changes that other processes, and other connections of this process, commit to a
/// database file.
///
/// SQLite does not report the changes of other connections, but it has a version number that they
/// increase (`PRAGMA data_version`). A monitor reads this number on demand, at regular intervals,
/// and when the system reports a write to the file. If the number has changed, the monitor calls
/// ``/GRDB/Database/notifyChanges(in:)``: value observations and other transaction observers of the
/// database are then notified as if this database had made the changes.
///
/// ```swift
/// let monitor = try ExternalChangeMonitor(dbPool)
/// monitor.start { db in
///     print("another process has written")
/// }
/// ```
///
/// SQLite does not report which tables have changed. By default, the monitor assumes that all
/// tables have. If you know the region that other processes change, pass it, so that other
/// observations are not notified:
///
/// ```swift
/// let monitor = try ExternalChangeMonitor(dbPool, notifying: Player.all())
/// ```
///
/// All processes that write can also announce the tables that they change:
///
/// ```swift
/// let monitor = try ExternalChangeMonitor(dbPool, announcesTables: true)
/// ```
///
/// Each transaction then stores the names of its changed tables in a table of the library, and only
/// the observers of these tables are notified. All tables count as changed after a write that
/// announces nothing: the write of another program, a statement outside a transaction, a change of
/// the schema, and the transaction that follows it. The database must be in WAL mode. In other
/// modes, the option has no effect.
///
/// The monitor covers the main database, but no attached databases. An in-memory database has no
/// other connections.
///
/// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_data_version>
public final class ExternalChangeMonitor: Sendable {
    private struct State {
        /// The version number that observers have been notified of.
        var version: Int64?
        /// The announcements that observers have been notified of; nil if they are not known.
        var announced: AnnouncedChanges?
        /// The version number that observers are notified of in the current transaction. The
        /// notification takes effect when the transaction commits.
        var uncommittedVersion: Int64?
        /// Counts calls of `start` and `stop`, so that pending work can detect that it is obsolete.
        var generation = 0
        var timer: (any DispatchSourceTimer)?
        var fileEvents: FileEventSource?
        /// Whether a check waits for the connection.
        var isScheduled = false
    }

    private let writer: any DatabaseWriter
    private let region: any DatabaseRegionConvertible
    private let announcesTables: Bool
    /// The path of the database file; empty for an in-memory database.
    private let path: String
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "GRDB.ExternalChangeMonitor")

    /// Creates a monitor for the changes from now on.
    ///
    /// - parameters:
    ///   - writer: the database, which the monitor keeps open. Observers are not notified if it is
    ///     read-only, but ``check()`` and the callback of `start` work.
    ///   - region: the region that other connections may change. The default is the full database.
    ///   - announcesTables: whether the transactions of this database announce the tables that they
    ///     change, from now on until the database is closed, and whether the monitor uses the
    ///     announcements of other processes.
    /// - throws: a ``/GRDB/DatabaseError``.
    public init(
        _ writer: any DatabaseWriter,
        notifying region: any DatabaseRegionConvertible = DatabaseRegion.fullDatabase,
        announcesTables: Bool = false
    ) throws {
        self.writer = writer
        self.region = region
        self.announcesTables = announcesTables
        let (path, version, announced) = try writer.unsafeReentrantWrite { db in
            let path = try String.fetchOne(
                db, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'")
            if announcesTables { try TableChangeAnnouncer.start(db) }
            // What is committed after this is another version.
            let version = try Self.version(db)
            let announced = announcesTables ? try AnnouncedChanges.read(db, since: nil).state : nil
            return (path ?? "", version, announced)
        }
        self.path = path
        state.withLock {
            $0.version = version
            $0.announced = announced
        }
    }

    deinit { stop() }

    private static func version(_ db: Database) throws -> Int64? {
        try Int64.fetchOne(db, sql: "PRAGMA main.data_version")
    }

    // MARK: - On demand

    /// Checks for changes made by other connections since the last check, and notifies observers.
    ///
    /// ```swift
    /// if try monitor.check() {
    ///     print("another process has written")
    /// }
    /// ```
    ///
    /// A check costs about as much as a small read. This method may be called from any thread, and
    /// in an access that can write. A transaction does not see later changes of other connections:
    /// in a transaction, observers are notified when it is committed. If it is rolled back, the
    /// next call notifies observers.
    ///
    /// - returns: whether there were changes.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_MISUSE` in a read-only access of the writer
    ///   connection, which can't notify observers; or the error of the region. The next call then
    ///   notifies observers.
    @discardableResult
    public func check() throws -> Bool {
        try writer.unsafeReentrantWrite { try check($0) }
    }

    private func check(_ db: Database) throws -> Bool {
        let isReadOnlyDatabase = db.configuration.readonly
        guard isReadOnlyDatabase || !db.isReadOnly else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "ExternalChangeMonitor can't notify observers in a read-only access")
        }
        let version = try Self.version(db)
        let isKnown = state.withLock {
            version == $0.version || (version != nil && version == $0.uncommittedVersion)
        }
        if isKnown { return false }
        if isReadOnlyDatabase {
            state.withLock { $0.version = version }
            return true
        }
        db.noteSchemaChangesOfOthers(isInTransaction: !db.raw.isInAutocommitMode)
        let (changedRegion, announced) = try changesOfOthers(db)
        // The version is read before observers are notified. The next check detects changes made in
        // between.
        if db.isInsideTransaction {
            try db.notifyChanges(in: changedRegion)
            state.withLock {
                $0.uncommittedVersion = version
                $0.announced = nil
            }
            db.afterNextTransaction(
                onCommit: { [weak self] _ in self?.transactionDidEnd(version) },
                onRollback: { [weak self] _ in self?.transactionDidEnd(nil) })
        } else {
            // The commit notifies observers. The transaction is deferred, so it does not wait for
            // other writers.
            try db.inTransaction(.deferred) {
                try db.notifyChanges(in: changedRegion)
                return .commit
            }
            state.withLock {
                $0.version = version
                $0.announced = announced
            }
        }
        return true
    }

    /// The region that others have changed since the last check, and what is announced now.
    private func changesOfOthers(
        _ db: Database
    ) throws -> (region: DatabaseRegion, announced: AnnouncedChanges?) {
        let region = try region.databaseRegion(db)
        guard announcesTables else { return (region, nil) }
        let former = state.withLock { $0.announced }
        let (announced, names) = try AnnouncedChanges.read(db, since: former)
        guard let names else { return (region, announced) }
        guard let tables = region.tables else {
            let changed = names.reduce(DatabaseRegion()) { $0.union(DatabaseRegion(table: $1)) }
            return (changed, announced)
        }
        let changedNames = Set(names.map { CaseInsensitiveIdentifier($0) })
        let changed = tables.keys
            .filter { !changedNames.contains($0) }
            .reduce(region) { $0.removing(table: $1.rawValue) }
        return (changed, announced)
    }

    /// Handles the end of a transaction in which observers were notified.
    ///
    /// - parameter version: the version number that observers have been notified of; nil if the
    ///   transaction was rolled back.
    private func transactionDidEnd(_ version: Int64?) {
        state.withLock { state in
            state.uncommittedVersion = nil
            if let version { state.version = version }
        }
    }

    // MARK: - Regular checks

    /// Checks for changes at regular intervals, and when the system reports a write to the file,
    /// until ``stop()`` is called, or the monitor is deallocated. A second call replaces the first
    /// one.
    ///
    /// ```swift
    /// monitor.start(interval: 5) { db in
    ///     print("another process has written")
    /// }
    /// ```
    ///
    /// File events are supported on Linux for all databases, and on Apple systems for databases in
    /// WAL mode. They report a change within a fraction of a second. Without file events, and on
    /// network file systems, changes are only detected at each interval.
    ///
    /// - parameters:
    ///   - interval: the number of seconds between two checks. Nil checks only after file events.
    ///   - usesFileEvents: whether to observe file events.
    ///   - onChange: called with the writer connection, outside a transaction, after observers were
    ///     notified.
    ///   - onError: called when a check fails, for example with `SQLITE_BUSY`. The monitor continues,
    ///     unless the database is closed.
    /// - precondition: the interval is positive.
    public func start(
        interval: TimeInterval? = 1, usesFileEvents: Bool = true,
        onChange: @escaping @Sendable (Database) -> Void = { _ in },
        onError: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        if let interval { precondition(interval > 0, "The interval must be positive") }
        stop()
        let generation = state.withLock { $0.generation }
        let look: @Sendable () -> Void = { [weak self] in
            self?.schedule(generation, onError: onError, onChange: onChange)
        }
        var timer: (any DispatchSourceTimer)?
        if let interval {
            // Dispatch traps if the number of nanoseconds is too large.
            let interval = min(interval, 1e9)
            let source = DispatchSource.makeTimerSource(queue: queue)
            source.schedule(deadline: .now() + interval, repeating: interval)
            source.setEventHandler { [weak self] in
                look()
                self?.state.withLock { $0.fileEvents }?.renew()
            }
            source.resume()
            timer = source
        }
        var fileEvents: FileEventSource?
        if usesFileEvents, !path.isEmpty {
            let queue = queue
            fileEvents = FileEventSource(path: path, queue: queue) {
                look()
                // SQLite writes the file before the change is committed. In WAL mode, the last
                // write goes to shared memory, which is not a file event.
                for delay in [0.02, 0.1] {
                    queue.asyncAfter(deadline: .now() + delay, execute: look)
                }
            }
        }
        let isLate = state.withLock { state in
            if state.generation != generation { return true }
            state.timer = timer
            state.fileEvents = fileEvents
            return false
        }
        if isLate {
            timer?.cancel()
            fileEvents?.cancel()
        } else {
            // Check for changes since the last check.
            look()
        }
    }

    /// Stops the monitoring that ``start(interval:usesFileEvents:onChange:onError:)`` began. A
    /// running callback is not interrupted.
    public func stop() {
        let (timer, fileEvents) = state.withLock { state in
            defer {
                state.timer = nil
                state.fileEvents = nil
            }
            state.generation += 1
            state.isScheduled = false
            return (state.timer, state.fileEvents)
        }
        timer?.cancel()
        fileEvents?.cancel()
    }

    /// Schedules a check when the connection is free, unless a check is scheduled already.
    private func schedule(
        _ generation: Int, onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) {
        let isFirst = state.withLock { state in
            if state.generation != generation || state.isScheduled { return false }
            state.isScheduled = true
            return true
        }
        guard isFirst else { return }
        writer.asyncWriteWithoutTransaction { [weak self] db in
            guard let self else { return }
            let isWanted = state.withLock { state in
                if state.generation != generation { return false }
                state.isScheduled = false
                return true
            }
            guard isWanted else { return }
            do {
                if try check(db) { onChange(db) }
            } catch {
                if db.sqliteConnection == nil { stop() }
                onError(error)
            }
        }
    }
}
