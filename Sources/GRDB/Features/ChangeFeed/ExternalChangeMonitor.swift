import Dispatch
public import Foundation

/// Notices what other processes, and other connections of this one, commit to a database file.
///
/// SQLite does not report the changes of other connections. It counts them, though
/// (`PRAGMA data_version`), and a monitor looks at the count: when it is asked to, regularly, and when
/// the system says that the file was written. If the count has moved, the monitor calls
/// ``Database/notifyChanges(in:)``: value observations and other transaction observers of the database
/// are then notified, as if the database had been changed here.
///
/// ```swift
/// let monitor = try ExternalChangeMonitor(dbPool)
/// monitor.start { db in
///     print("another process has written")
/// }
/// ```
///
/// Nothing says what has changed: by default, all tables may have. Name the region that other processes
/// write, if you know it, so that other observations are left alone:
///
/// ```swift
/// let monitor = try ExternalChangeMonitor(dbPool, notifying: Player.all())
/// ```
///
/// Or let all processes that write tell which tables they change:
///
/// ```swift
/// let monitor = try ExternalChangeMonitor(dbPool, announcesTables: true)
/// ```
///
/// Each transaction then stores the names of the tables that it changes in a table of the library, and
/// only the observers of those tables are notified. All tables count as changed if somebody has written
/// who announces nothing: another program, a statement outside of a transaction, a change of the schema
/// and the transaction after it. The database must be in WAL mode; otherwise, nothing is different.
///
/// The count is that of the main database: attached ones are not looked at. A database in memory has no
/// other connections.
///
/// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_data_version>
public final class ExternalChangeMonitor: Sendable {
    private struct State {
        /// The count of the commits of others that observers know about.
        var version: Int64?
        /// What was announced until then; nil if this is not known.
        var announced: AnnouncedChanges?
        /// The count that the current transaction has notified observers of. They learn of it when the
        /// transaction commits.
        var uncommittedVersion: Int64?
        /// Counts calls of `start` and `stop`, so that what is under way knows that it is late.
        var generation = 0
        var timer: (any DispatchSourceTimer)?
        var fileEvents: FileEventSource?
        /// Whether a look at the count waits for the connection.
        var isScheduled = false
    }

    private let writer: any DatabaseWriter
    private let region: any DatabaseRegionConvertible
    private let announcesTables: Bool
    /// The database file; empty if there is none.
    private let path: String
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "GRDB.ExternalChangeMonitor")

    /// Creates a monitor that knows of all changes until now.
    ///
    /// - parameters:
    ///   - writer: the database, which the monitor keeps open. Observers are not notified if it is
    ///     read-only, but ``check()`` and the callback of `start` work.
    ///   - region: the region that others may have changed. The full database by default.
    ///   - announcesTables: whether the transactions of this database announce, from now on and until it
    ///     is closed, which tables they change, and whether the monitor heeds what others announce.
    /// - throws: a ``DatabaseError``.
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

    /// Checks for changes by other connections since the last check, and notifies observers of
    /// them.
    ///
    /// ```swift
    /// if try monitor.check() {
    ///     print("another process has written")
    /// }
    /// ```
    ///
    /// Costs about as much as a small read. May be called from any thread, also from inside an
    /// access that can write: inside a transaction, which does not see later changes of others,
    /// observers are notified when it is committed. If it is rolled back, observers are notified by
    /// the next call.
    ///
    /// - returns: whether there were changes.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` in a read-only access of the
    ///   connection that writes, from which observers can't be notified; or the error of the
    ///   region. Observers are then notified by the next call.
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
        // The version is read before observers are notified: the next look finds a change in
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
            // Observers learn from the commit that there is something to do. It is deferred, and so
            // does not wait for the others who write.
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
    /// - parameter version: the count that observers know about now; nil if the transaction was rolled
    ///   back.
    private func transactionDidEnd(_ version: Int64?) {
        state.withLock { state in
            state.uncommittedVersion = nil
            if let version { state.version = version }
        }
    }

    // MARK: - Regularly

    /// Looks for changes regularly, and when the system says that the file was written, until
    /// ``stop()``, or until the monitor is freed. A second call replaces the first one.
    ///
    /// ```swift
    /// monitor.start(interval: 5) { db in
    ///     print("another process has written")
    /// }
    /// ```
    ///
    /// File events are known to Linux, for all databases, and to Apple systems, for databases in WAL
    /// mode. They make a change known within a fraction of a second. Where there are none, and on
    /// network file systems, the interval decides.
    ///
    /// - parameters:
    ///   - interval: the number of seconds between two looks. Nil looks after file events only.
    ///   - usesFileEvents: whether to listen to the file system.
    ///   - onChange: called with the connection that writes, outside of a transaction, after observers
    ///     were notified.
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
                // A file is written before the change is committed, and what comes last, in WAL mode,
                // is written to shared memory, which is no file event.
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
            // What has happened since the last look.
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

    /// Looks at the count as soon as the connection is free, unless somebody else will.
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
