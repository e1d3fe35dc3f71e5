import Dispatch
public import Foundation

/// Keeps the files of a database small, and its statistics up to date, while a server runs.
///
/// ```swift
/// var settings = DatabaseMaintenance.Settings()
/// settings.checkpointInterval = 10
/// settings.maximumWALByteCount = 64_000_000
/// let maintenance = try DatabaseMaintenance(dbPool, settings: settings) { report in
///     if let read = report.oldestRead { print("the WAL is held by \(read)") }
/// }
/// maintenance.start()
/// ```
///
/// - The write-ahead log is copied into the database regularly. SQLite does that on its own after 1000
///   pages, but can't start the log anew as long as a read looks into it, and never shrinks the file.
/// - If a read keeps the log from shrinking, a line of ``Database/logError`` and a
///   ``CheckpointReport`` name it: set ``Configuration/metricsCollector``, and label your accesses. Set
///   ``Configuration/maximumReadDuration`` to end such reads.
/// - Statistics are updated when the maintenance starts, and at an interval.
/// - Unused pages are returned to the system, a few at a time, if the database is in that mode.
///
/// Don't use the checkpoints beside Litestream, which runs its own: set
/// ``Settings/checkpointInterval`` to nil.
///
/// All methods may be called from any thread. The maintenance works on the connection that writes, in
/// turns of its own, and keeps the database open until ``stop()``, or until it is released.
///
/// Related SQLite documentation: <https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files>
public final class DatabaseMaintenance: Sendable {
    /// What is done, and when.
    public struct Settings: Sendable {
        /// The time between two looks at the write-ahead log, in seconds; nil for none. The default is
        /// 10.
        public var checkpointInterval: TimeInterval? = 10

        /// The mode of checkpoints. The default is `.truncate`, which empties the file.
        ///
        /// None of them waits for reads: a passive checkpoint comes first, and the others only follow
        /// if no read is in their way.
        public var checkpointMode = Database.CheckpointMode.truncate

        /// The size of the write-ahead log, in bytes, below which it is left alone. The default is 4 MB.
        public var minimumWALByteCount = 4_000_000

        /// The size of the write-ahead log, in bytes, above which whoever keeps it from shrinking is
        /// logged. The default is 64 MB.
        public var maximumWALByteCount = 64_000_000

        /// The size to which SQLite cuts the write-ahead log when it starts it anew, in bytes. Nil, the
        /// default, leaves the size as it is.
        ///
        /// See <https://www.sqlite.org/pragma.html#pragma_journal_size_limit>.
        public var journalSizeLimit: Int?

        /// The number of pages after which SQLite runs a checkpoint on its own, at the end of a commit. 0
        /// for never. Nil, the default, leaves it as it is.
        ///
        /// See <https://www.sqlite.org/pragma.html#pragma_wal_autocheckpoint>.
        public var automaticCheckpointPageCount: Int?

        /// The time between two updates of statistics, in seconds; nil for none. The default is an hour.
        public var optimizationInterval: TimeInterval? = 3600

        /// The time between two slices of vacuuming, in seconds; nil, the default, for none. The database
        /// must have `auto_vacuum = INCREMENTAL`.
        public var vacuumInterval: TimeInterval?

        /// The number of pages of a slice. The default is 200.
        public var vacuumPageCount = 200

        /// Creates the default settings.
        public init() {}
    }

    /// What a checkpoint has done.
    public struct CheckpointReport: Sendable {
        /// The size of the write-ahead log before the checkpoint, in bytes.
        public let formerWALByteCount: Int

        /// The size of the write-ahead log after the checkpoint, in bytes.
        public let walByteCount: Int

        /// The number of frames in the write-ahead log, and of those that were copied to the database.
        public let result: Database.CheckpointResult

        /// Whether a read, of this process or of another one, needs a part of the log.
        public let isBlocked: Bool

        /// The read, or snapshot, of this process that began first, if the checkpoint is blocked. Nil
        /// without ``Configuration/metricsCollector``, and if there is none.
        public let oldestRead: DatabaseMetrics.RunningAccess?
    }

    private struct State {
        var timers: [any DispatchSourceTimer] = []
        var generation = 0
    }

    /// What is done.
    public let settings: Settings

    private let writer: any DatabaseWriter
    private let onCheckpoint: @Sendable (CheckpointReport) -> Void
    private let onError: @Sendable (any Error) -> Void
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "GRDB.DatabaseMaintenance")

    /// Prepares the maintenance of a database. Nothing happens before ``start()``.
    ///
    /// - parameters:
    ///   - writer: the database.
    ///   - settings: what to do.
    ///   - onCheckpoint: called after each checkpoint, in an access of the database.
    ///   - onError: called when something fails, in an access of the database, for example with
    ///     `SQLITE_BUSY`. The next turn tries again.
    /// - throws: a ``DatabaseError``.
    public init(
        _ writer: any DatabaseWriter, settings: Settings = Settings(),
        onCheckpoint: @escaping @Sendable (CheckpointReport) -> Void = { _ in },
        onError: @escaping @Sendable (any Error) -> Void = { _ in }
    ) throws {
        self.writer = writer
        self.settings = settings
        self.onCheckpoint = onCheckpoint
        self.onError = onError
        try writer._syncWriteWithoutTransaction { db in
            if let limit = settings.journalSizeLimit {
                try db.execute(sql: "PRAGMA main.journal_size_limit = \(limit)")
            }
            if let count = settings.automaticCheckpointPageCount {
                try db.execute(sql: "PRAGMA wal_autocheckpoint = \(count)")
            }
        }
    }

    deinit { stop() }

    // MARK: - Running

    /// Starts the maintenance. A second call starts it anew.
    public func start() {
        stop()
        if settings.optimizationInterval != nil {
            perform { try $0.optimize(.allTables) }
        }
        every(settings.checkpointInterval) { [weak self] in
            guard let self, FileSize.ofWAL(writer.path) >= settings.minimumWALByteCount else {
                return
            }
            perform { [weak self] in _ = try self?.checkpoint($0) }
        }
        every(settings.optimizationInterval) { [weak self] in
            self?.perform { try $0.optimize() }
        }
        every(settings.vacuumInterval) { [weak self] in
            guard let self else { return }
            let count = max(1, settings.vacuumPageCount)
            perform { db in
                guard try Int.fetchOne(db, sql: "PRAGMA main.freelist_count") ?? 0 > 0 else {
                    return
                }
                _ = try Row.fetchAll(db, sql: "PRAGMA main.incremental_vacuum(\(count))")
            }
        }
    }

    /// Stops the maintenance. What is running is not interrupted.
    public func stop() {
        let timers = state.withLock { state in
            state.generation += 1
            defer { state.timers = [] }
            return state.timers
        }
        timers.forEach { $0.cancel() }
    }

    private func every(_ interval: TimeInterval?, _ body: @escaping @Sendable () -> Void) {
        guard let interval else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let period = max(0.001, interval)
        timer.schedule(deadline: .now() + period, repeating: period)
        timer.setEventHandler { body() }
        timer.resume()
        state.withLock { $0.timers.append(timer) }
    }

    /// Runs the closure when it is the turn of the maintenance.
    private func perform(_ body: @escaping @Sendable (Database) throws -> Void) {
        let generation = state.withLock { $0.generation }
        writer.asyncWriteWithoutTransaction { [weak self] db in
            guard let self, generation == state.withLock({ $0.generation }) else { return }
            do {
                try db.checkAccess()
                try body(db)
            } catch {
                if db.sqliteConnection == nil { stop() }
                onError(error)
            }
        }
    }

    // MARK: - Checkpoints

    /// Copies the write-ahead log into the database now, whatever its size.
    ///
    /// ```swift
    /// let report = try maintenance.checkpoint()
    /// print(report.isBlocked, report.walByteCount)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` from inside of an access of the database.
    @discardableResult
    public func checkpoint() throws -> CheckpointReport {
        var report: CheckpointReport?
        try writer._syncWriteWithoutTransaction { report = try checkpoint($0) }
        return report!
    }

    private func checkpoint(_ db: Database) throws -> CheckpointReport {
        let formerByteCount = FileSize.ofWAL(writer.path)
        // It waits for nobody.
        var result = try db.checkpointResult(.passive)
        if settings.checkpointMode != .passive,
            result.checkpointedFrameCount == result.walFrameCount
        {
            // A read may have come meanwhile, and others would wait for it behind this access.
            try db.setBusyMode(.immediateError)
            defer { try? db.setBusyMode(db.configuration.busyMode) }
            result = try db.checkpointResult(settings.checkpointMode)
        }
        let isBlocked =
            result.isBusy || result.checkpointedFrameCount < result.walFrameCount
        let report = CheckpointReport(
            formerWALByteCount: formerByteCount, walByteCount: FileSize.ofWAL(writer.path),
            result: result, isBlocked: isBlocked,
            oldestRead: isBlocked ? db.configuration.metricsCollector?.metrics.oldestRead : nil)
        if isBlocked, report.walByteCount > settings.maximumWALByteCount { log(report, db) }
        onCheckpoint(report)
        return report
    }

    private func log(_ report: CheckpointReport, _ db: Database) {
        let holder =
            report.oldestRead.map {
                "\($0) has held it for \(String(format: "%.1f", $0.age)) s"
            }
            ?? (db.configuration.metricsCollector == nil
                ? "set Configuration.metricsCollector to learn which read holds it"
                : "another process holds it")
        RawLog.write(
            ResultCode.SQLITE_NOTICE.rawValue,
            """
            \(db.description): the WAL file has \(report.walByteCount) bytes and can't be reset: \
            \(holder)
            """)
    }
}
