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
    private unowned let database: Database
    private var collector: ChangeCollector?
    private var tableNames: [String] = []
    private var limit = DatabaseOutbox.Limit.none
    /// The generation of the schema in which the existence of all tables was checked.
    private var checkedGeneration: Int?

    /// The recorded tables that the replaced content does not have. They may be created later.
    private var absentTables: Set<CaseInsensitiveIdentifier> = []

    /// The tables that the current transaction has dropped or renamed, and the number of changes before that.
    private var replacedTables: [String: Int] = [:]

    /// The same tables, until the transaction ends. SQLite may compile a declared statement again, which is not
    /// declared a second time.
    private var declaredReplacements: Set<CaseInsensitiveIdentifier> = []

    /// Whether the outbox was opened, and not removed.
    private var isOpen = false

    /// Whether the content was replaced, and the outbox must begin again.
    private var mustRenew = false

    /// Whether the current transaction has done that.
    private var hasRenewed = false

    /// The position of the last entry of the current transaction.
    private var uncommittedPosition: Int64 = 0

    private init(name: String, _ db: Database) {
        self.name = name
        database = db
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
        let recorder = OutboxRecorder(name: name, db)
        db[StorageKey.self].byName[key] = recorder
        db.add(transactionObserver: Observer(recorder), extent: .databaseLifetime)
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

    /// Called before a statement drops or renames a table.
    static func willReplaceTable(_ table: String, _ db: Database) throws {
        for recorder in db[StorageKey.self].byName.values {
            try recorder.willReplaceTable(table, db)
        }
    }

    /// Observes what is neither a change of a row nor the work of a statement.
    private final class Observer: DatabaseClosingObserver, LastingInterestObserver {
        private unowned let recorder: OutboxRecorder

        init(_ recorder: OutboxRecorder) { self.recorder = recorder }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() throws { try recorder.willCommit() }
        func databaseDidCommit(_ db: Database) { recorder.didCommit(db) }
        func databaseDidRollback(_ db: Database) { recorder.didRollback(db) }

        func contentWasReplaced(in schemaName: String?, _ db: Database) {
            if isMain(schemaName) { recorder.contentWasReplaced(db) }
        }

        /// Wakes the waiting tasks, even if nothing is recorded.
        func databaseDidClose() { recorder.arrivals.signal() }
    }

    // MARK: - The tables of the outbox

    private var table: String { "main.\(DatabaseOutbox.tableName(name).quotedDatabaseIdentifier)" }

    /// Creates the outbox if it does not exist.
    func open(_ db: Database) throws {
        try create(db)
        isOpen = true
    }

    /// Creates the tables in a transaction of their own.
    ///
    /// The transaction succeeds even if another process has renamed a recorded table, which may be the
    /// reason to open the outbox again.
    private func create(_ db: Database) throws {
        db[StorageKey.self].isCreating = true
        defer { db[StorageKey.self].isCreating = false }
        try db.inTransaction(.immediate) {
            try prepare(db)
            return .commit
        }
        mustRenew = false
    }

    /// Creates the tables unless they exist, and begins again if they are those of other content.
    private func prepare(_ db: Database) throws {
        let isNew = try !db.hasTable(DatabaseOutbox.tableName(name), in: "main")
        // Even if the tables exist, this makes SQLite compile all earlier statements again. One that C code keeps may
        // drop a recorded table, which is noted then. See `undeclaredReplacements`.
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS main.grdb_outbox(
                    name TEXT PRIMARY KEY NOT NULL,
                    droppedCount INTEGER NOT NULL DEFAULT 0);
                CREATE TABLE IF NOT EXISTS \(table)(
                    position INTEGER PRIMARY KEY AUTOINCREMENT,
                    "transaction" INTEGER NOT NULL,
                    date TEXT NOT NULL,
                    tableName TEXT NOT NULL,
                    kind TEXT NOT NULL,
                    old TEXT,
                    new TEXT)
                """)
        try db.execute(
            sql: """
                INSERT INTO main.grdb_outbox(name)
                SELECT ?1 WHERE NOT EXISTS (
                    SELECT 1 FROM main.grdb_outbox WHERE name = ?1 COLLATE NOCASE)
                """, arguments: [name])
        let last = try max(lastPosition(db), arrivals.position)
        if last > 0, isNew || mustRenew { try renew(db, after: last) }
        // The next replacement must not begin with positions that these entries have.
        uncommittedPosition = try lastPosition(db)
    }

    /// Begins another generation, so that no position is used twice. The entries of the new content follow all
    /// earlier ones.
    private func renew(_ db: Database, after last: Int64) throws {
        let start = ((last >> 32) + 1) << 32
        let (first, count) = try DatabaseOutbox.positions(name, db)
        try db.execute(
            sql: """
                UPDATE \(table) SET position = position + ?1, "transaction" = "transaction" + ?1
                """, arguments: [start + 1 - first])
        try setLastPosition(start + Int64(count), db)
    }

    /// The last position that was used. SQLite stores it apart from the entries.
    private func lastPosition(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(
            db, sql: "SELECT MAX(seq) FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE",
            arguments: [DatabaseOutbox.tableName(name)]) ?? 0
    }

    private func setLastPosition(_ position: Int64, _ db: Database) throws {
        // Under the name that the table has. Its letters may have another case.
        try db.execute(
            sql: """
                DELETE FROM main.sqlite_sequence WHERE name = ?1 COLLATE NOCASE;
                """, arguments: [DatabaseOutbox.tableName(name)])
        try db.execute(
            sql: """
                INSERT INTO main.sqlite_sequence (name, seq)
                SELECT COALESCE((SELECT name FROM main.sqlite_master WHERE name = ?1 COLLATE NOCASE), ?1), ?2
                """, arguments: [DatabaseOutbox.tableName(name), position])
    }

    /// Stops recording, and drops the table. The last position remains.
    func remove(_ db: Database) throws {
        stop(db)
        let last = try lastPosition(db)
        try db.execute(sql: "DROP TABLE \(table)")
        try db.execute(
            sql: "DELETE FROM main.grdb_outbox WHERE name = ? COLLATE NOCASE", arguments: [name])
        try setLastPosition(last, db)
        isOpen = false
        db.afterNextTransaction { [arrivals] _ in arrivals.signal() }
    }

    private func contentWasReplaced(_ db: Database) {
        guard isOpen else { return }
        mustRenew = true
        if collector != nil {
            // The collector has ended.
            record(tableNames, limit: limit, db)
            absentTables = Set(tableNames.map { CaseInsensitiveIdentifier($0) })
            updateAbsentTables(db)
        }
        // If this fails, the next transaction repeats it.
        try? create(db)
        arrivals.signal()
    }

    private func updateAbsentTables(_ db: Database) {
        absentTables = absentTables.filter { (try? checkTable($0.rawValue, db)) == nil }
    }

    // MARK: - Transactions

    /// Statements outside of transactions don't run `COMMIT`.
    private func willCommit() throws {
        if collector != nil, !database[StorageKey.self].isCreating { try checkTables(database) }
    }

    private func didCommit(_ db: Database) {
        forgetReplacements(db)
        arrivals.note(uncommittedPosition)
        uncommittedPosition = 0
        if hasRenewed { mustRenew = false }
        hasRenewed = false
        if !absentTables.isEmpty { updateAbsentTables(db) }
    }

    private func didRollback(_ db: Database) {
        forgetReplacements(db)
        uncommittedPosition = 0
        hasRenewed = false
    }

    private func forgetReplacements(_ db: Database) {
        replacedTables = [:]
        declaredReplacements = []
        db.forgetUndeclaredReplacements()
    }

    /// Refuses a statement that would remove rows, or move them to another name, without entries.
    private func willReplaceTable(_ table: String, _ db: Database) throws {
        guard let collector, !absentTables.contains(CaseInsensitiveIdentifier(table)),
            let table = tableNames.first(where: { ASCIICase.equal($0, table) })
        else { return }
        if db.raw.isInAutocommitMode {
            throw DatabaseOutbox.TransactionRequired(outboxName: name)
        }
        // Changes within savepoints are not collected yet.
        guard !db.hasSavepoints,
            try Row.fetchOne(
                db, sql: "SELECT 1 FROM main.\(table.quotedDatabaseIdentifier) LIMIT 1") == nil
        else { throw replacementError(table) }
        replacedTables[table] = collector.changes.count
        declaredReplacements.insert(CaseInsensitiveIdentifier(table))
    }

    private func replacementError(_ table: String) -> DatabaseError {
        DatabaseError(
            message: """
                The outbox \(name) can't record that the table \(table) is replaced: stop the outbox \
                first, or replace an empty table by an empty one, outside of savepoints
                """)
    }

    private func checkTables(_ db: Database) throws {
        // Nobody has looked whether they were empty.
        for table in db.undeclaredReplacements {
            let id = CaseInsensitiveIdentifier(table)
            if !absentTables.contains(id), !declaredReplacements.contains(id),
                let table = tableNames.first(where: { ASCIICase.equal($0, table) })
            {
                throw replacementError(table)
            }
        }
        if checkedGeneration != db.schemaGeneration {
            // The changes of a renamed table would be lost.
            for table in tableNames
            where try !absentTables.contains(CaseInsensitiveIdentifier(table))
                || db.hasTable(table, in: "main")
            {
                try checkTable(table, db)
            }
            checkedGeneration = db.schemaGeneration
        }
        for (table, start) in replacedTables {
            let count = try Int.fetchOne(
                db, sql: "SELECT COUNT(*) FROM main.\(table.quotedDatabaseIdentifier)")
            if count != collector?.growth(of: table, after: start) { throw replacementError(table) }
        }
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
        record(tableNames, limit: limit, db)
    }

    private func record(_ tableNames: [String], limit: DatabaseOutbox.Limit, _ db: Database) {
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
        absentTables = []
        replacedTables = [:]
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
        try checkTables(db)
        guard collector.hasChanges else { return }
        // All or nothing: the application may retry COMMIT after an error.
        try db.inSavepoint {
            if mustRenew {
                try prepare(db)
                hasRenewed = true
            }
            try record(collector.changes, db)
            return .commit
        }
        collector.changesWereStored()
        replacedTables = [:]
    }

    private func record(_ changes: [DatabaseRowChange], _ db: Database) throws {
        var range = try DatabaseOutbox.positions(name, db)
        if case .refuse(let highWaterMark) = limit, range.count + changes.count > highWaterMark {
            throw DatabaseOutbox.OverflowError(
                outboxName: name, pendingCount: range.count, changeCount: changes.count,
                highWaterMark: highWaterMark)
        }
        var last = try lastPosition(db)
        if last < arrivals.position {
            // Another process has replaced the content.
            try renew(db, after: arrivals.position)
            last = try lastPosition(db)
        }
        let transaction = last + 1
        uncommittedPosition = last + Int64(changes.count)
        let date = try db.transactionDate
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO \(table)
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
        range = try DatabaseOutbox.positions(name, db)
        if case .dropOldest(let highWaterMark) = limit, range.count > highWaterMark {
            let dropped = range.count - max(0, highWaterMark)
            try db.execute(
                sql: "DELETE FROM \(table) WHERE position < ?",
                arguments: [range.first + Int64(dropped)])
            try db.execute(
                sql: """
                    UPDATE main.grdb_outbox SET droppedCount = droppedCount + ?
                    WHERE name = ? COLLATE NOCASE
                    """,
                arguments: [dropped, name])
        }
    }
}

/// Wakes the tasks that wait for the entries of an outbox.
final class OutboxArrivals: Sendable {
    private struct State {
        var count = 0
        var position: Int64 = 0
        var waiters: [ObjectIdentifier: CheckedContinuation<Void, Never>] = [:]
    }

    /// The identity of a task that waits.
    private final class Waiter: Sendable {
        let isCancelled = Locked(false)
    }

    private let state = Locked(State())

    /// The number of transactions that have added entries.
    var count: Int { state.withLock { $0.count } }

    /// The last position that was committed or read.
    var position: Int64 { state.withLock { $0.position } }

    func note(_ position: Int64) {
        state.withLock { $0.position = max($0.position, position) }
    }

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
