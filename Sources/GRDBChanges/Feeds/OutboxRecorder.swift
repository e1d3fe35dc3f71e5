import GRDB
import Dispatch

/// Records the changes of one outbox in its table, in the transactions that make them.
///
/// The preupdate hook collects the changes of a transaction. They are written into the table right
/// before `COMMIT` runs, because hooks must not run statements.
///
/// Belongs to the queue of the writer connection, which owns it, except `arrivals`.
final class OutboxRecorder {
    let name: String
    let arrivals: OutboxArrivals
    private var collector: ChangeCollector?
    private var tableNames: [String] = []
    private var limit = DatabaseOutbox.Limit.none
    /// The generation of the schema in which the existence of all tables was checked.
    private var checkedGeneration: Int?

    private init(name: String) {
        self.name = name
        arrivals = OutboxArrivals()
    }

    private struct Recorders {
        /// Names of outboxes are names of tables, which are case-insensitive.
        var byName: [CaseInsensitiveIdentifier: OutboxRecorder] = [:]
        /// Whether the current transaction creates the tables of an outbox, and nothing else.
        var isCreating = false
    }

    private enum StorageKey: DatabaseStorageKey {
        static var defaultValue: Recorders { Recorders() }
    }

    static func recorder(named name: String, _ db: Database) -> OutboxRecorder {
        let key = CaseInsensitiveIdentifier(name)
        if let recorder = db[StorageKey.self].byName[key] { return recorder }
        let recorder = OutboxRecorder(name: name)
        db[StorageKey.self].byName[key] = recorder
        db.add(transactionObserver: ClosingObserver(recorder.arrivals), extent: .databaseLifetime)
        CommitPreparation.install(db)
        return recorder
    }

    /// Writes the changes of the current transaction into all outboxes.
    static func flushAll(_ db: Database) throws {
        if db[StorageKey.self].isCreating { return }
        for recorder in db[StorageKey.self].byName.values.sorted(by: { $0.name < $1.name }) {
            try recorder.flush(db)
        }
    }

    /// Runs a transaction that creates the tables of an outbox.
    ///
    /// The transaction succeeds even if another process has renamed a recorded table, which may be the
    /// reason to open the outbox again.
    static func creating(
        in writer: any DatabaseWriter, _ create: @Sendable (Database) throws -> Void
    ) throws {
        try writer._syncWriteWithoutTransaction { db in
            db[StorageKey.self].isCreating = true
            defer { db[StorageKey.self].isCreating = false }
            try db.inTransaction(.immediate) {
                try create(db)
                return .commit
            }
        }
    }

    /// Wakes the waiting tasks when the database is closed, even if nothing is recorded.
    private final class ClosingObserver: DatabaseClosingObserver, LastingInterestObserver {
        private let arrivals: OutboxArrivals

        init(_ arrivals: OutboxArrivals) { self.arrivals = arrivals }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
        func databaseDidClose() { arrivals.signal() }
    }

    // MARK: - Starting and stopping

    /// Records the changes of the given tables, which replace the previously recorded tables.
    func start(
        tables tableNames: [String], limit: DatabaseOutbox.Limit, _ db: Database
    ) throws {
        if let collector, collector.hasChanges {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "The outbox \(name) can't be opened in a transaction that it has recorded")
        }
        for table in tableNames { try checkTable(table, db) }
        stop(db)
        let name = name
        let collector = ChangeCollector(
            DatabaseChangeFeed(tracking: tableNames.map { .table($0) }),
            // A table of another schema that has the same name is another table.
            schemaName: "main",
            willCommit: {
                // Changes recorded before COMMIT have been removed already.
                throw DatabaseOutbox.TransactionRequired(outboxName: name)
            },
            // Waiting tasks find the entries.
            onChange: { [arrivals] _ in arrivals.signal() },
            onEnd: { _ in })
        db.add(transactionObserver: collector)
        self.collector = collector
        self.tableNames = tableNames
        self.limit = limit
        checkedGeneration = db.schemaGeneration
    }

    func stop(_ db: Database) {
        if let collector { db.remove(transactionObserver: collector) }
        collector = nil
        tableNames = []
    }

    private func checkTable(_ table: String, _ db: Database) throws {
        // The hook does not report rows of views and virtual tables. An outbox that records itself would
        // never be empty.
        guard let info = try db.tableOrView(table, in: "main")?.info, info.kind == .table,
            !info.isVirtualTable, !Database.isReservedTableName(table),
            !Database.isGRDBInternalTable(table)
        else {
            throw DatabaseError(
                message: """
                    The outbox \(name) can't record the table \(table): the main database has no such \
                    table, or it is a view, a virtual table, or an internal table
                    """)
        }
    }

    // MARK: - Recording

    /// Writes the changes of the current transaction.
    private func flush(_ db: Database) throws {
        guard let collector else { return }
        if checkedGeneration != db.schemaGeneration {
            // The changes of a renamed table would be lost.
            for table in tableNames { try checkTable(table, db) }
            checkedGeneration = db.schemaGeneration
        }
        guard collector.hasChanges else { return }
        // All or nothing: the application may retry COMMIT after an error.
        try db.inSavepoint {
            try record(collector.changes, db)
            return .commit
        }
        collector.changesWereStored()
    }

    private func record(_ changes: [DatabaseRowChange], _ db: Database) throws {
        let table = DatabaseOutbox.tableName(name).quotedDatabaseIdentifier
        var range = try positions(db)
        if case .refuse(let highWaterMark) = limit, range.count + changes.count > highWaterMark {
            throw DatabaseOutbox.OverflowError(
                outboxName: name, pendingCount: range.count, highWaterMark: highWaterMark)
        }
        let last =
            try Int64.fetchOne(
                db, sql: "SELECT seq FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE",
                arguments: [DatabaseOutbox.tableName(name)]) ?? 0
        let transaction = last + 1
        let date = try db.transactionDate
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO main.\(table)
                ("transaction", date, tableName, kind, old, new) VALUES (?, ?, ?, ?, ?, ?)
                """)
        for change in changes {
            func text(_ values: [DatabaseValue]?) -> String? {
                values.map {
                    OutboxJSON.text(
                        OutboxEntry.Values(columnNames: change.columnNames, values: $0))
                }
            }
            try statement.execute(arguments: [
                transaction, date, change.tableName, "\(change.kind)", text(change.oldValues),
                text(change.newValues),
            ])
        }
        range = try positions(db)
        if case .dropOldest(let highWaterMark) = limit, range.count > highWaterMark {
            let dropped = range.count - max(0, highWaterMark)
            try db.execute(
                sql: "DELETE FROM main.\(table) WHERE position < ?",
                arguments: [range.first + Int64(dropped)])
            try db.execute(
                sql: """
                    UPDATE main.grdb_outbox SET droppedCount = droppedCount + ?
                    WHERE name = ? COLLATE NOCASE
                    """,
                arguments: [dropped, name])
        }
    }

    /// The range of positions in the table, which has no gaps.
    private func positions(_ db: Database) throws -> (first: Int64, count: Int) {
        try DatabaseOutbox.positions(name, db)
    }
}

/// Wakes the tasks that wait for the entries of an outbox.
final class OutboxArrivals: Sendable {
    private struct State {
        var count = 0
        var waiters: [ObjectIdentifier: CheckedContinuation<Void, Never>] = [:]
    }

    /// The identity of a task that waits.
    private final class Waiter: Sendable {
        let isCancelled = Locked(false)
    }

    private let state = Locked(State())

    /// The number of transactions that have added entries.
    var count: Int { state.withLock { $0.count } }

    func signal() {
        let waiters = state.withLock { state in
            state.count += 1
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until the count differs from `count`, the timeout has passed, or the task is
    /// cancelled.
    func wait(while count: Int, timeout: Double?) async {
        let waiter = Waiter()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count != count || waiter.isCancelled.withLock({ $0 }) { return true }
                    state.waiters[ObjectIdentifier(waiter)] = continuation
                    return false
                }
                if isOver { return continuation.resume() }
                guard let timeout else { return }
                Self.queue.asyncAfter(deadline: .now() + timeout) { [weak waiter] in
                    if let waiter { self.end(waiter) }
                }
            }
        } onCancel: {
            waiter.isCancelled.withLock { $0 = true }
            // Never resumes a task on the thread that cancels it.
            Self.queue.async { self.end(waiter) }
        }
    }

    private func end(_ waiter: Waiter) {
        state.withLock { $0.waiters.removeValue(forKey: ObjectIdentifier(waiter)) }?.resume()
    }

    private static let queue = DispatchQueue(label: "GRDB.OutboxArrivals")
}
