import GRDB
public import _GRDBSystem

/// A durable list of changes for programs that must process every change, such as a webhook, a
/// search index or a sync engine.
///
/// An outbox records the changes of some tables in a table of its own, in the transaction that
/// makes the changes: either both are committed, or neither. Open the outbox when the program
/// starts, after migrations, and before the first write:
///
/// ```swift
/// let outbox = try dbPool.outbox(named: "search", tables: ["player", "team"])
///
/// Task {
///     for try await entry in outbox.entries() {
///         try await searchIndex.update(entry.json)
///         try await outbox.acknowledge(entry)
///     }
/// }
/// ```
///
/// - Entries are ordered by commit, and in the order of changes within a transaction.
/// - Entries remain until they are acknowledged, even if the program is restarted or killed. Each
///   entry is delivered at least once, so receivers must handle repeated entries.
/// - Changes that are rolled back leave no entries. This applies to transactions, savepoints, and
///   failed statements.
/// - The changes of triggers and foreign key actions, the deletions of `INSERT OR REPLACE`, and
///   incremental writes of blobs are recorded as well. `VIRTUAL` generated columns have no recorded
///   values.
/// - Only tables of the main database are recorded, and no table of an attached database with the
///   same name.
/// - Values are stored as JSON, with the names of their columns, so that entries remain readable
///   after changes of the schema. A statement that drops or renames a recorded table throws an error,
///   unless the table is empty, and an empty table takes its place in the same transaction. This
///   includes the steps that replace a table by another one, such as those of `transform`. Call
///   ``stop()`` first, and open the outbox again afterwards.
/// - When the content of the database is replaced as a whole, by a backup into it or by
///   `erase()`, the outbox continues with the new content. There are no entries for
///   the differences, but another ``OutboxEntry/generation``. Recorded tables that do not exist are
///   recorded as soon as they are created.
///
/// An outbox serves one consumer, because acknowledging an entry removes it for all readers of the
/// outbox. Open one outbox per consumer. The changes of a transaction are kept in memory until it is
/// committed.
///
/// The connection that has opened the outbox records its own changes until it is closed, or until
/// ``stop()`` is called, even if the `DatabaseOutbox` is released. The changes of another process
/// are recorded only if that process has opened the outbox, too.
///
/// Changes must be made in a transaction, such as that of `write`. A statement outside a
/// transaction throws ``TransactionRequired`` and changes nothing. So does a transaction begun with
/// `SAVEPOINT`, and a `COMMIT` in an open savepoint.
///
/// All methods may be called from any thread. Call methods with a `Database` argument in the access
/// of that connection.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/preupdate_blobwrite.html>
public final class DatabaseOutbox: Sendable {
    /// The behavior when too many entries wait to be acknowledged.
    public enum Limit: Hashable, Sendable {
        /// The number of entries is not limited.
        case none
        /// Transactions that would exceed the limit throw an ``OverflowError``, and are rolled
        /// back.
        case refuse(highWaterMark: Int)
        /// The oldest entries are dropped and counted: see ``DatabaseOutbox/droppedCount(_:)``.
        case dropOldest(highWaterMark: Int)
    }

    /// The error of a transaction whose changes exceed the limit of an outbox.
    public struct OverflowError: Error, Hashable, CustomStringConvertible {
        /// The name of the outbox.
        public let outboxName: String
        /// The number of entries that wait to be acknowledged.
        public let pendingCount: Int
        /// The number of changes of the transaction.
        public let changeCount: Int
        /// The maximum number of entries that may wait.
        public let highWaterMark: Int

        public var description: String {
            """
            The outbox \(outboxName) is full: \(pendingCount) changes wait to be acknowledged, and \
            \(changeCount) more would exceed the limit of \(highWaterMark)
            """
        }
    }

    /// The error of a change that an outbox can't record, because it is made outside a transaction.
    public struct TransactionRequired: Error, Hashable, CustomStringConvertible {
        /// The name of the outbox.
        public let outboxName: String

        public var description: String {
            """
            A change that the outbox \(outboxName) records must be made in a transaction that begins \
            with BEGIN, and is committed outside of savepoints
            """
        }
    }

    /// The name of the outbox.
    public let name: String

    private let writer: any DatabaseWriter
    private let arrivals: OutboxArrivals

    fileprivate init(name: String, writer: any DatabaseWriter, arrivals: OutboxArrivals) {
        self.name = name
        self.writer = writer
        self.arrivals = arrivals
    }

    /// The table of an outbox. It has the columns `position`, `transaction`, `date`, `tableName`, `kind`,
    /// `old` and `new`.
    public static func tableName(_ name: String) -> String { "grdb_outbox_\(name)" }

    // MARK: - Reading

    /// The entries that wait to be acknowledged and the entries that follow, in order.
    ///
    /// Each iteration starts with the oldest unacknowledged entry. It ends when its task is
    /// cancelled.
    ///
    /// ```swift
    /// for try await entry in outbox.entries() {
    ///     try await send(entry)
    ///     try await outbox.acknowledge(entry)
    /// }
    /// ```
    ///
    /// - parameters:
    ///   - batchSize: the number of entries that are fetched at a time.
    ///   - pollInterval: the time between two checks for entries of other processes, in seconds.
    ///     The default is nil, for programs that are the only writer: commits of this program wake
    ///     the sequence.
    public func entries(batchSize: Int = 100, pollInterval: TimeInterval? = nil) -> OutboxEntries {
        OutboxEntries(
            outbox: self, arrivals: arrivals, batchSize: max(1, batchSize),
            pollInterval: pollInterval)
    }

    /// Fetches entries that wait to be acknowledged, in order.
    ///
    /// ```swift
    /// let entries = try dbPool.read { db in try outbox.pendingEntries(db, limit: 10) }
    /// ```
    ///
    /// - parameters:
    ///   - db: a connection to the database.
    ///   - position: the position after which entries are fetched.
    ///   - limit: the maximum number of entries.
    /// - throws: a ``/GRDB/DatabaseError``.
    public func pendingEntries(
        _ db: Database, after position: Int64 = 0, limit: Int = 100
    ) throws -> [OutboxEntry] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT position, "transaction", date, tableName, kind, old, new
                FROM main.\(Self.tableName(name).quotedDatabaseIdentifier)
                WHERE position > ? ORDER BY position LIMIT ?
                """, arguments: [position, limit]
        ).map { try OutboxEntry($0) }
    }

    func pendingEntries(after position: Int64, limit: Int) async throws -> [OutboxEntry] {
        try await writer.read { try self.pendingEntries($0, after: position, limit: limit) }
    }

    /// The number of entries that wait to be acknowledged.
    ///
    /// Value observations can track the number, to show or to watch the backlog:
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking { db in try outbox.pendingCount(db) }
    /// for try await count in observation.values(in: dbPool) {
    ///     if count > 10_000 { logger.warning("\(count) changes wait") }
    /// }
    /// ```
    ///
    /// - throws: a ``/GRDB/DatabaseError``.
    /// - complexity: does not depend on the number of entries.
    public func pendingCount(_ db: Database) throws -> Int {
        try Self.positions(name, db).count
    }

    /// The number of entries that were dropped since the outbox was created. See
    /// ``Limit/dropOldest(highWaterMark:)``.
    ///
    /// - throws: a ``/GRDB/DatabaseError``.
    public func droppedCount(_ db: Database) throws -> Int {
        try Int.fetchOne(
            db, sql: "SELECT droppedCount FROM main.grdb_outbox WHERE name = ? COLLATE NOCASE",
            arguments: [name])
            ?? 0
    }

    // Entries are removed only at the beginning, so positions have no gaps.
    static func positions(_ name: String, _ db: Database) throws -> (first: Int64, count: Int) {
        let table = tableName(name).quotedDatabaseIdentifier
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT (SELECT MIN(position) FROM main.\(table)), \
                (SELECT MAX(position) FROM main.\(table))
                """)
        guard let first: Int64 = row?[0], let last: Int64 = row?[1] else { return (0, 0) }
        return (first, Int(last - first + 1))
    }

    // MARK: - Acknowledging

    /// Removes an entry and all entries before it.
    ///
    /// - throws: a ``/GRDB/DatabaseError``, or `CancellationError` when the task is cancelled.
    public func acknowledge(_ entry: OutboxEntry) async throws {
        try await acknowledge(through: entry.position)
    }

    /// Removes the entries up to a position.
    ///
    /// - throws: a ``/GRDB/DatabaseError``, or `CancellationError` when the task is cancelled.
    public func acknowledge(through position: Int64) async throws {
        try await writer.write { try self.acknowledge($0, through: position) }
    }

    /// Removes the entries up to a position, in the current transaction.
    ///
    /// Use this method if the results of an entry are stored in the same database. Both are then
    /// committed together, so that each entry is processed exactly once.
    ///
    /// - throws: a ``/GRDB/DatabaseError``.
    public func acknowledge(_ db: Database, through position: Int64) throws {
        try db.execute(
            sql: """
                DELETE FROM main.\(Self.tableName(name).quotedDatabaseIdentifier) WHERE position <= ?
                """,
            arguments: [position])
    }

    // MARK: - Ending

    /// Stops recording. The entries remain.
    ///
    /// - throws: a ``/GRDB/DatabaseError``.
    public func stop() throws {
        try writer._syncWriteWithoutTransaction { db in
            OutboxRecorder.recorder(named: name, db).stop(db)
        }
    }

    /// Stops recording, and deletes the outbox and its entries.
    ///
    /// - throws: a ``/GRDB/DatabaseError``.
    public func remove() throws {
        try writer.write { try OutboxRecorder.recorder(named: name, $0).remove($0) }
    }
}

extension DatabaseWriter {
    /// Opens an outbox, and creates it if it does not exist.
    ///
    /// ```swift
    /// let outbox = try dbPool.outbox(
    ///     named: "search", tables: ["player", "team"],
    ///     limit: .refuse(highWaterMark: 100_000))
    /// ```
    ///
    /// From now on, this database records all its changes of the given tables. If the same outbox
    /// is opened again, the new tables and the new limit replace the previous ones.
    ///
    /// - parameters:
    ///   - name: the name of the outbox, ASCII case apart. A database can have several outboxes: one
    ///     for each program that acknowledges entries.
    ///   - tableNames: the tables whose changes are recorded. Pass nil in a program that only reads
    ///     the entries: the recording is then unchanged.
    ///   - limit: the behavior when too many entries wait to be acknowledged.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_ERROR` if the main database has no such table,
    ///   or if it is a view, a virtual table, or an internal table of SQLite or of this library.
    public func outbox(
        named name: String, tables tableNames: [String]? = nil, limit: DatabaseOutbox.Limit = .none
    ) throws -> DatabaseOutbox {
        try _syncWriteWithoutTransaction { try OutboxRecorder.recorder(named: name, $0).open($0) }
        var arrivals: OutboxArrivals?
        try _syncWriteWithoutTransaction { db in
            let recorder = OutboxRecorder.recorder(named: name, db)
            if let tableNames { try recorder.start(tables: tableNames, limit: limit, db) }
            arrivals = recorder.arrivals
        }
        return DatabaseOutbox(name: name, writer: self, arrivals: arrivals!)
    }
}
