import GRDB
public import _GRDBSystem

/// Reports the changes of each committed transaction, row by row, with old and new values.
///
/// Use a feed if you need the changes themselves, and not only a notification: for an undo stack,
/// an audit log, a search index, or a copy of the data.
///
/// ```swift
/// let feed = DatabaseChangeFeed(tracking: .table("player"), .table("team", columns: ["name"]))
///
/// // As an asynchronous sequence:
/// for try await transaction in feed.transactions(in: dbQueue) {
///     for change in transaction.changes {
///         // update main.player [id:1 score:10 → 20]
///         print(change)
///     }
/// }
///
/// // Or as a callback:
/// let cancellable = feed.start(in: dbQueue) { error in
///     print("no more changes: \(error)")
/// } onChange: { transaction in
///     print(transaction.changes)
/// }
/// ```
///
/// A feed reports each row that the writer connection inserts, updates or deletes. This includes
/// changes made by triggers and foreign key actions, changes in `WITHOUT ROWID` tables, and the
/// rows that `INSERT OR REPLACE` deletes. A feed does not report changes that were undone by the
/// rollback of a transaction or savepoint, or by a failed statement. It does not report an update
/// that leaves all tracked values and the rowid unchanged, nor a transaction without changes.
///
/// The feed does not report:
///
/// - changes by other connections and other processes (see ``ExternalChangeMonitor``),
/// - changes of the schema, including the rows of a dropped table,
/// - changes of virtual tables, such as full-text tables, and of their shadow tables, unless a
///   shadow table is tracked by its own name,
/// - writes of C code through its own blob handles.
///
/// Generated columns that are `VIRTUAL` have no values.
///
/// The changes of a transaction are kept in memory until it ends.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/preupdate_blobwrite.html>
public struct DatabaseChangeFeed: Sendable {
    /// A table whose changes a feed reports.
    public struct Source: Sendable {
        let name: CaseInsensitiveIdentifier
        /// Nil for all columns.
        let columns: [CaseInsensitiveIdentifier]?

        /// Returns a source for a table.
        ///
        /// ```swift
        /// let feed = DatabaseChangeFeed(tracking: .table("player", columns: ["id", "score"]))
        /// ```
        ///
        /// - parameters:
        ///   - name: the name of the table, in any schema. ASCII case is ignored.
        ///   - columns: the columns whose values and changes are reported. Nil, the default, means
        ///     all columns. Include the primary key to identify the rows.
        public static func table(_ name: String, columns: [String]? = nil) -> Source {
            Source(
                name: CaseInsensitiveIdentifier(name),
                columns: columns?.map { CaseInsensitiveIdentifier($0) })
        }

        /// Returns a source for the table of a record type.
        ///
        /// - parameters:
        ///   - type: a record type.
        ///   - columns: the columns whose values and changes are reported. Nil, the default, means
        ///     all columns.
        public static func table(
            of type: (some TableRecord).Type, columns: [String]? = nil
        ) -> Source {
            table(type.databaseTableName, columns: columns)
        }
    }

    /// The tracked tables with their columns; nil for all tables.
    let columnsByTable: [CaseInsensitiveIdentifier: [CaseInsensitiveIdentifier]?]?

    /// Creates a feed of all tables, except the internal tables of SQLite, virtual tables and
    /// migrations.
    public init() {
        columnsByTable = nil
    }

    /// Creates a feed of some tables.
    ///
    /// ```swift
    /// DatabaseChangeFeed(tracking: .table("player"), .table("team", columns: ["id", "name"]))
    /// ```
    public init(tracking sources: Source...) {
        self.init(tracking: sources)
    }

    /// Creates a feed of some tables.
    ///
    /// If a table is given twice, the columns of both sources are tracked.
    public init(tracking sources: [Source]) {
        columnsByTable = Dictionary(
            sources.map { ($0.name, $0.columns) },
            uniquingKeysWith: { first, second in
                guard let first, let second else { return nil }
                return first + second
            })
    }

    // MARK: - Callbacks

    /// Starts to report the transactions that are committed from now on.
    ///
    /// ```swift
    /// let cancellable = feed.start(in: dbQueue) { error in
    ///     print("no more changes: \(error)")
    /// } onChange: { transaction in
    ///     print(transaction.changes)
    /// }
    /// // Later
    /// cancellable.cancel()
    /// ```
    ///
    /// If you call this method in an access that writes to the database, the feed starts at the end
    /// of this access.
    ///
    /// - parameters:
    ///   - writer: the database. The feed does not keep it open.
    ///   - onError: called at most once, on any thread, if the feed can't start, or ends because
    ///     the database is closed. No other callback follows.
    ///   - onChange: called after the commit of each transaction, on the queue of the writer
    ///     connection. The next write waits until it returns.
    /// - returns: a cancellable that ends the feed when it is cancelled or deallocated. It can be
    ///   cancelled on any thread, including in the callback. A callback that is running on another
    ///   thread is not interrupted. No other callback follows.
    public func start(
        in writer: any DatabaseWriter,
        onError: @escaping @Sendable (any Error) -> Void = { _ in },
        onChange: @escaping @Sendable (DatabaseTransactionChanges) -> Void
    ) -> AnyDatabaseCancellable {
        let collector = ChangeCollector(
            self, willCommit: {}, onChange: onChange, onEnd: onError)
        collector.start(in: writer)
        // The connection does not retain the collector.
        return AnyDatabaseCancellable { collector.cancel() }
    }

    // MARK: - Asynchronous sequences

    /// The maximum number of transactions that wait for the reading task, and the behavior when
    /// there are more.
    ///
    /// A sequence never skips a transaction. If it can't continue, it throws an error after the
    /// last buffered transaction.
    public struct BufferingPolicy: Sendable {
        enum Overflow {
            case wait(TimeInterval)
            case end
            case refuse
        }

        let capacity: Int
        let overflow: Overflow

        /// Buffers all transactions. Only memory limits their number.
        public static let unbounded = BufferingPolicy(capacity: .max, overflow: .end)

        /// Buffers up to `capacity` transactions. If there are more, the database waits: the transaction
        /// is committed, but its write does not return, and no other write begins, until the reader
        /// has caught up.
        ///
        /// ```swift
        /// let transactions = feed.transactions(
        ///     in: dbPool, bufferingPolicy: .waiting(capacity: 100))
        /// ```
        ///
        /// A reader that writes to the same database would wait for itself. After the timeout, the
        /// write therefore returns, and the sequence ends with an ``OverflowError``.
        ///
        /// - parameters:
        ///   - capacity: the maximum number of buffered transactions.
        ///   - timeout: the maximum time that a write waits, in seconds. The default is 30.
        /// - precondition: the capacity is positive.
        public static func waiting(capacity: Int, timeout: TimeInterval = 30) -> BufferingPolicy {
            precondition(capacity > 0, "The capacity of a change feed must be positive")
            return BufferingPolicy(capacity: capacity, overflow: .wait(timeout))
        }

        /// Buffers up to `capacity` transactions. If there are more, the sequence ends with an
        /// ``OverflowError``. Writes don't wait.
        ///
        /// - precondition: the capacity is positive.
        public static func ending(capacity: Int) -> BufferingPolicy {
            precondition(capacity > 0, "The capacity of a change feed must be positive")
            return BufferingPolicy(capacity: capacity, overflow: .end)
        }

        /// Buffers up to `capacity` transactions. Until the reader has caught up, any other transaction
        /// with changes of the feed is rolled back, and its write throws an ``OverflowError``.
        ///
        /// - precondition: the capacity is positive.
        public static func refusing(capacity: Int) -> BufferingPolicy {
            precondition(capacity > 0, "The capacity of a change feed must be positive")
            return BufferingPolicy(capacity: capacity, overflow: .refuse)
        }
    }

    /// The error of a sequence or a write if too many transactions wait for their reader.
    public struct OverflowError: Error, Hashable, CustomStringConvertible {
        /// The maximum number of transactions that wait.
        public let capacity: Int

        public var description: String {
            """
            The change feed is full: \(capacity) committed transactions have not been read yet. Read \
            them faster, or choose another buffering policy.
            """
        }
    }

    /// The error that ends a feed when content was replaced as a whole, so that SQLite reports no rows: by a backup
    /// into the database, by an erasure, by another file that is attached under the same name, or because a tracked
    /// table was dropped or renamed.
    ///
    /// Start another feed, and read the content again.
    public struct ContentReplacedError: Error, Hashable, CustomStringConvertible {
        /// The schema whose content was replaced: `main`, `temp`, or the name of an attached database; nil if it is
        /// unknown.
        public let schemaName: String?

        /// The table that was dropped or renamed; nil if all tables of the schema were replaced.
        public let tableName: String?

        public var description: String {
            let content = tableName.map { "table \($0)" } ?? schemaName.map { "schema \($0)" }
            return """
                The content of the \(content ?? "database") was replaced. The change feed can't report the \
                differences.
                """
        }
    }

    /// Returns the transactions that are committed from now on, as an asynchronous sequence.
    ///
    /// ```swift
    /// for try await transaction in feed.transactions(in: dbQueue) {
    ///     print(transaction.changes)
    /// }
    /// ```
    ///
    /// Each iteration is a separate feed, which starts when its iterator is created. It ends when
    /// its task is cancelled. If the database is closed, the iteration throws an error.
    ///
    /// - parameters:
    ///   - writer: the database.
    ///   - bufferingPolicy: how transactions are buffered for the reader. By default, the database
    ///     waits if there are 100 of them.
    public func transactions(
        in writer: any DatabaseWriter,
        bufferingPolicy: BufferingPolicy = .waiting(capacity: 100)
    ) -> DatabaseTransactionSequence {
        DatabaseTransactionSequence(feed: self, writer: writer, policy: bufferingPolicy)
    }
}
