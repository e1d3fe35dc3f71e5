public import Foundation

/// Reports the changes of each committed transaction, row by row, with old and new values.
///
/// Use a feed for an undo stack, an audit log, a search index, or a copy of the data: when it is
/// not enough to know that something has changed.
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
/// A feed reports each row that was inserted, updated or deleted by the connection that writes:
/// also by triggers and by the actions of foreign keys, in tables `WITHOUT ROWID`, and the rows
/// that make room for others in `INSERT OR REPLACE`. It does not report changes that were undone:
/// by the rollback of a transaction or of a savepoint, or because a statement has failed halfway.
/// An update that leaves all tracked values and the rowid unchanged is not reported, nor is a
/// transaction without changes.
///
/// The feed does not report: what other connections and other processes change (see
/// ``ExternalChangeMonitor``); changes of the schema, and so the rows of a table that is dropped;
/// changes of virtual tables, such as full-text tables, and of the tables in which these keep their
/// content, unless such a table is tracked by its own name; what C code writes through a blob handle
/// of its own. Generated columns that are `VIRTUAL` have no values.
///
/// The changes of a transaction are kept in memory until it ends.
///
/// See the [SQLite documentation](https://www.sqlite.org/c3ref/preupdate_blobwrite.html) of the hook
/// that feeds rest on.
public struct DatabaseChangeFeed: Sendable {
    /// A table whose changes a feed reports.
    public struct Source: Sendable {
        let name: CaseInsensitiveIdentifier
        /// Nil means all of them.
        let columns: [CaseInsensitiveIdentifier]?

        /// A table.
        ///
        /// - parameters:
        ///   - name: the name of the table, in any schema. ASCII case is ignored.
        ///   - columns: the columns whose values are reported, and whose changes matter. Nil, the
        ///     default, means all of them. Name the primary key among them, in order to know which row
        ///     it is.
        public static func table(_ name: String, columns: [String]? = nil) -> Source {
            Source(
                name: CaseInsensitiveIdentifier(name),
                columns: columns?.map { CaseInsensitiveIdentifier($0) })
        }

        /// The table of a record type.
        ///
        /// - parameters:
        ///   - type: a record type.
        ///   - columns: the columns whose values are reported, and whose changes matter. Nil, the
        ///     default, means all of them.
        public static func table(
            of type: (some TableRecord).Type, columns: [String]? = nil
        ) -> Source {
            table(type.databaseTableName, columns: columns)
        }
    }

    /// The tracked tables, with their columns; nil means all tables.
    let columnsByTable: [CaseInsensitiveIdentifier: [CaseInsensitiveIdentifier]?]?

    /// A feed of all tables, except the ones that SQLite, virtual tables and migrations keep for
    /// themselves.
    public init() {
        columnsByTable = nil
    }

    /// A feed of some tables.
    ///
    /// ```swift
    /// DatabaseChangeFeed(tracking: .table("player"), .table("team", columns: ["id", "name"]))
    /// ```
    public init(tracking sources: Source...) {
        self.init(tracking: sources)
    }

    /// A feed of some tables.
    ///
    /// A table that is given twice is tracked with the columns of both.
    public init(tracking sources: [Source]) {
        columnsByTable = Dictionary(
            sources.map { ($0.name, $0.columns) },
            uniquingKeysWith: { first, second in
                guard let first, let second else { return nil }
                return first + second
            })
    }

    // MARK: - Callbacks

    /// Starts reporting the transactions that are committed from now on.
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
    /// From inside an access that writes to the database, the feed starts when this access ends.
    ///
    /// - parameters:
    ///   - writer: the database. The feed does not keep it open.
    ///   - onError: called once, on any thread, if the feed can't start, or ends because the database
    ///     is closed. Nothing follows.
    ///   - onChange: called for each transaction, on the queue of the connection that writes, after the
    ///     commit. The next write waits for its end.
    /// - returns: a cancellable that ends the feed when it is cancelled or deallocated. Any thread
    ///   may cancel, also the callback. A callback that is running on another thread is not
    ///   interrupted. No other callback follows.
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

    /// How many transactions wait for the task that reads them, and what happens to the next one.
    ///
    /// No transaction is ever left out: a sequence that can't go on throws an error after the last
    /// transaction that it has kept.
    public struct BufferingPolicy: Sendable {
        enum Overflow {
            case wait(TimeInterval)
            case end
            case refuse
        }

        let capacity: Int
        let overflow: Overflow

        /// Keeps all transactions, however many there are. Memory is the limit.
        public static let unbounded = BufferingPolicy(capacity: .max, overflow: .end)

        /// Keeps some transactions, and has the database wait when there are too many: the transaction
        /// is committed, but its write does not return, and so no other write begins, before the reader
        /// has caught up.
        ///
        /// A reader that writes to the same database would wait for itself. That is what the time
        /// limit is for: after it, the write returns, and the sequence ends with an
        /// ``OverflowError``.
        ///
        /// - parameters:
        ///   - capacity: the number of transactions.
        ///   - timeout: how long a write waits, in seconds. 30 by default.
        /// - precondition: the capacity is positive.
        public static func waiting(capacity: Int, timeout: TimeInterval = 30) -> BufferingPolicy {
            precondition(capacity > 0, "The capacity of a change feed must be positive")
            return BufferingPolicy(capacity: capacity, overflow: .wait(timeout))
        }

        /// Keeps some transactions, and ends the sequence with an ``OverflowError`` when there are too
        /// many. Writes don't wait.
        ///
        /// - precondition: the capacity is positive.
        public static func ending(capacity: Int) -> BufferingPolicy {
            precondition(capacity > 0, "The capacity of a change feed must be positive")
            return BufferingPolicy(capacity: capacity, overflow: .end)
        }

        /// Keeps some transactions, and lets no other one with a change of the feed be committed
        /// before the reader has caught up: the write is rolled back, and throws an
        /// ``OverflowError``.
        ///
        /// - precondition: the capacity is positive.
        public static func refusing(capacity: Int) -> BufferingPolicy {
            precondition(capacity > 0, "The capacity of a change feed must be positive")
            return BufferingPolicy(capacity: capacity, overflow: .refuse)
        }
    }

    /// The error of a sequence, or of a write, when too many transactions wait for their reader.
    public struct OverflowError: Error, Hashable, CustomStringConvertible {
        /// The number of transactions that wait.
        public let capacity: Int

        public var description: String {
            """
            The change feed is full: \(capacity) committed transactions have not been read yet. Read \
            them faster, or choose another buffering policy.
            """
        }
    }

    /// The transactions that are committed from now on, as an asynchronous sequence.
    ///
    /// ```swift
    /// for try await transaction in feed.transactions(in: dbQueue) {
    ///     print(transaction.changes)
    /// }
    /// ```
    ///
    /// Each iteration is a feed of its own, from the moment when its iterator is made. It ends when its
    /// task is canceled, and with an error when the database is closed.
    ///
    /// - parameters:
    ///   - writer: the database.
    ///   - bufferingPolicy: how many transactions wait for the reader. By default, the database waits
    ///     when there are 100 of them.
    public func transactions(
        in writer: any DatabaseWriter,
        bufferingPolicy: BufferingPolicy = .waiting(capacity: 100)
    ) -> DatabaseTransactionSequence {
        DatabaseTransactionSequence(feed: self, writer: writer, policy: bufferingPolicy)
    }
}
