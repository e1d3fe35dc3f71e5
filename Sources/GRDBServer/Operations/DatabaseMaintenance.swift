import GRDB
import Dispatch
public import _GRDBSystem

/// A background task that keeps the files of a database small, and its statistics up to date, in a
/// long-running process.
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
/// - The write-ahead log is copied into the database regularly. SQLite also runs checkpoints
///   automatically after 1000 pages, but can't reset the log while a read uses it, and never
///   shrinks the file.
/// - A read that prevents the log from shrinking is named in ``/GRDB/Database/logError`` and in a
///   ``CheckpointReport``: set ``GRDB/Configuration/metricsCollector``, and label your accesses. Set
///   ``/GRDB/Configuration/maximumReadDuration`` to end such reads.
/// - Statistics are updated when the maintenance starts, and regularly after that.
/// - Unused pages are returned to the file system, a few at a time, if the database has
///   `auto_vacuum = INCREMENTAL` and ``Settings/vacuumInterval`` is set.
///
/// Litestream runs its own checkpoints. If you use it, set ``Settings/checkpointInterval`` to nil.
///
/// All methods may be called from any thread. The maintenance runs in separate accesses of the
/// writer connection, and retains the database until it is released.
///
/// Related SQLite documentation: <https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files>
public final class DatabaseMaintenance: Sendable {
    /// Settings of the maintenance.
    public struct Settings: Sendable {
        /// The interval between checks of the write-ahead log, in seconds; nil for no checkpoints.
        /// The default is 10.
        public var checkpointInterval: TimeInterval? = 10

        /// The mode of checkpoints. The default is `.truncate`, which empties the file.
        ///
        /// Checkpoints never wait for reads: a passive checkpoint runs first, and the other modes
        /// only follow if no read blocks them.
        public var checkpointMode = Database.CheckpointMode.truncate

        /// The size of the write-ahead log, in bytes, below which no checkpoint runs. The default
        /// is 4 MB.
        public var minimumWALByteCount = 4_000_000

        /// The size of the write-ahead log, in bytes, above which a read that prevents it from
        /// shrinking is logged. The default is 64 MB.
        public var maximumWALByteCount = 64_000_000

        /// The size to which SQLite truncates the write-ahead log when it resets the log, in bytes.
        /// Nil, the default, keeps the current limit.
        ///
        /// See <https://www.sqlite.org/pragma.html#pragma_journal_size_limit>.
        public var journalSizeLimit: Int?

        /// The number of pages after which SQLite automatically runs a checkpoint at the end of a
        /// commit; 0 for never. Nil, the default, keeps the current setting.
        ///
        /// See <https://www.sqlite.org/pragma.html#pragma_wal_autocheckpoint>.
        public var automaticCheckpointPageCount: Int?

        /// The interval between updates of statistics, in seconds; nil for none. The default is one
        /// hour.
        public var optimizationInterval: TimeInterval? = 3600

        /// The interval between slices of vacuuming, in seconds; nil, the default, for none. The
        /// database must have `auto_vacuum = INCREMENTAL`.
        public var vacuumInterval: TimeInterval?

        /// The number of pages per slice. The default is 200.
        public var vacuumPageCount = 200

        /// Creates settings with default values.
        public init() {}
    }

    /// The result of a checkpoint.
    public struct CheckpointReport: Sendable {
        /// The size of the write-ahead log before the checkpoint, in bytes.
        public let formerWALByteCount: Int

        /// The size of the write-ahead log after the checkpoint, in bytes.
        public let walByteCount: Int

        /// The number of frames in the write-ahead log, and the number of frames copied to the
        /// database.
        public let result: Database.CheckpointResult

        /// Whether a read, in this process or another one, still needs a part of the log.
        public let isBlocked: Bool

        /// The oldest running read or snapshot of this process, if the checkpoint is blocked. Nil
        /// if another process blocks it, or without a ``GRDB/Configuration/metricsCollector``.
        public let oldestRead: DatabaseMetrics.RunningAccess?
    }

    private struct State {
        var timers: [any DispatchSourceTimer] = []
        var generation = 0
    }

    /// The settings of the maintenance.
    public let settings: Settings

    private let writer: any DatabaseWriter
    private let onCheckpoint: @Sendable (CheckpointReport) -> Void
    private let onError: @Sendable (any Error) -> Void
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "GRDB.DatabaseMaintenance")

    /// Creates the maintenance of a database. It only runs after ``start()``.
    ///
    /// - parameters:
    ///   - writer: the database.
    ///   - settings: the settings.
    ///   - onCheckpoint: called after each checkpoint, in an access of the database.
    ///   - onError: called in an access of the database when the maintenance fails, for example
    ///     with `SQLITE_BUSY`. It is tried again after the next interval.
    /// - throws: a ``/GRDB/DatabaseError``.
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

    /// Starts the maintenance, or restarts it.
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

    /// Stops the maintenance. A running step is not interrupted.
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
        // Dispatch traps if the number of nanoseconds is too large.
        let period = min(max(0.001, interval), 1e9)
        timer.schedule(deadline: .now() + period, repeating: period)
        timer.setEventHandler { body() }
        timer.resume()
        state.withLock { $0.timers.append(timer) }
    }

    /// Runs the closure in an access of the writer, unless the maintenance was stopped in the
    /// meantime.
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

    /// Copies the write-ahead log into the database now, regardless of its size.
    ///
    /// ```swift
    /// let report = try maintenance.checkpoint()
    /// print(report.isBlocked, report.walByteCount)
    /// ```
    ///
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_MISUSE` if called in an access of the
    ///   database.
    @discardableResult
    public func checkpoint() throws -> CheckpointReport {
        var report: CheckpointReport?
        try writer._syncWriteWithoutTransaction { report = try checkpoint($0) }
        return report!
    }

    private func checkpoint(_ db: Database) throws -> CheckpointReport {
        let formerByteCount = FileSize.ofWAL(writer.path)
        // A passive checkpoint never waits.
        var result = try db.checkpointResult(.passive)
        if settings.checkpointMode != .passive,
            result.checkpointedFrameCount == result.walFrameCount
        {
            // Don't wait: a new read may block the checkpoint, and writes would wait behind this
            // access.
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
                "\($0) has held it for \(($0.age * 10).rounded() / 10) s"
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
