public import Dispatch
import Foundation

/// The configuration of a database connection.
///
/// ```swift
/// var config = Configuration()
/// config.readonly = true
/// config.maximumReaderCount = 2 // (DatabasePool only) The default is 5
///
/// let dbQueue = try DatabaseQueue(path: "/path/to/database.sqlite", configuration: config)
/// ```
public struct Configuration: Sendable {
    // MARK: - SQLite connections

    /// Whether foreign key constraints are enforced. The default is true.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/foreignkeys.html>
    public var foreignKeysEnabled = true

    /// Whether the connection is read-only. The default is false.
    public var readonly = false

    /// Whether double-quoted strings that match no identifier are string literals. The default is
    /// false: they are errors.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/quirks.html#dblquote>
    public var acceptsDoubleQuotedStringLiterals = false

    /// Whether SQL is kept from damaging the file, by writes to shadow tables and to the schema table
    /// for instance. The default is false.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfigdefensive>
    public var isDefensive = false

    /// Whether triggers, views, and other parts of the schema can use functions and virtual tables that
    /// are not marked as harmless. The default is true.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_trusted_schema>
    public var trustsSchema = true

    /// Whether the cells of a page are checked when it is read. The default is false.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_cell_size_check>
    public var checksCellSizes = false

    /// The limits that differ from those of SQLite. The default is empty.
    ///
    /// ```swift
    /// configuration.limits[.sqlLength] = 10_000
    /// ```
    ///
    /// They apply when a connection opens, before ``prepareDatabase(_:)``.
    public var limits: [Database.Limit: Int] = [:]

    /// Decides what statements may do, once a connection is open and prepared. The default is nil.
    ///
    /// It is asked for all statements, also for those that the library runs in order to know the schema,
    /// but not for those that begin and end transactions. See ``Database/withAuthorizer(_:operations:)``.
    public var authorizer: (@Sendable (Database.Authorization) -> Database.AuthorizationDecision)?

    /// What happens when another connection has locked the database. The default is
    /// `.immediateError`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/rescode.html#busy>
    public var busyMode: Database.BusyMode = .immediateError

    /// What happens when another connection has locked the database, for read-only connections: those
    /// that a pool reads with, those of snapshots, and any that is ``readonly``. The default is nil.
    ///
    /// When nil, read-only connections use ``busyMode``, except that the readers of a pool and
    /// snapshots wait for ten seconds at least. In WAL mode, they only ever wait when another
    /// connection opens, closes or recovers the database.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.busyMode = .immediateError
    /// config.readonlyBusyMode = .timeout(30)
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/wal.html#sometimes_queries_return_sqlite_busy_in_wal_mode>
    public var readonlyBusyMode: Database.BusyMode?

    /// The journal mode to set up when a connection is opened.
    public enum JournalModeConfiguration: Sendable {
        /// Pools use the WAL mode. Queues leave the journal mode of the file as it is.
        case `default`
        /// The WAL mode. See <https://www.sqlite.org/wal.html>.
        case wal
    }

    /// How the journal mode is set up when a connection that can write is opened.
    public var journalMode = JournalModeConfiguration.default

    // MARK: - Connections of this library

    /// A label that describes a connection, in `Database.description` and in the name of its
    /// dispatch queue. The default is nil.
    public var label: String?

    /// Whether statement arguments are visible in the description of errors and of trace events.
    /// The default is false: arguments may hold sensitive information.
    public var publicStatementArguments = false

    /// Whether a text or blob that is not what the wanted Swift type is stored as is read as SQLite
    /// converts it. The default is false: it is an error.
    ///
    /// This is for apps whose files hold such values, and which used to read them:
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.convertsMismatchedValues = true
    /// let dbQueue = try DatabaseQueue(path: path, configuration: config)
    ///
    /// try dbQueue.read { db in
    ///     try Int.fetchOne(db, sql: "SELECT '12 apples'")   // 12
    ///     try Int.fetchOne(db, sql: "SELECT 'apples'")      // 0
    ///     try String.fetchOne(db, sql: "SELECT x'41ff'")    // "A\u{FFFD}"
    /// }
    /// ```
    ///
    /// It applies to integers, `Double`, `Float`, `CGFloat`, `Decimal`, `Bool` and `String`, to
    /// `RawRepresentable` types of such raw values, and to dates that are decoded from numbers or
    /// texts by the strategy of a record, wherever they are read from the rows of a statement, or
    /// from the rows of preupdate events and change feeds: by subscripts, cursors, `decode` methods
    /// and `Decodable` records. NULL is no value of these types all the same, and a number that is
    /// out of range remains an error. A ``DatabaseValue`` is what is stored: it is never converted,
    /// nor is what is read from it.
    ///
    /// Reading the other values costs nothing more.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/column_blob.html>
    public var convertsMismatchedValues = false

    /// Whether an access may end with a transaction still open. When false, which is the default,
    /// such an access rolls the transaction back and throws an error of code `SQLITE_MISUSE`.
    public var allowsUnsafeTransactions = false

    /// Whether the connection listens to ``Database/suspendNotification`` and
    /// ``Database/resumeNotification``. The default is false.
    public var observesSuspensionNotifications = false

    /// The clock that feeds ``Database/transactionDate``.
    public var transactionClock: any TransactionClock = .default

    /// What the library should know of views and other objects of the schema.
    public var schemaSource: (any DatabaseSchemaSource)?

    /// Counts and times the accesses. The default is nil.
    ///
    /// ```swift
    /// configuration.metricsCollector = DatabaseMetricsCollector()
    /// ```
    ///
    /// See ``DatabaseMetrics``.
    public var metricsCollector: DatabaseMetricsCollector?

    /// The time, in seconds, after which a read of a pool is ended. The default is nil: reads may last.
    ///
    /// A read that lasts keeps the write-ahead log from being reset, so that the file grows with each write.
    /// With a limit, the statement that runs when the time is over, or the next one, throws a
    /// ``DatabaseError`` of code `SQLITE_INTERRUPT` and message "Time limit exceeded". It names the access, if
    /// this has a label. Swift code is not interrupted: an access that runs no statement ends when it returns.
    ///
    /// The reads of snapshots are limited as well, but not the lives of snapshots. Writes are not limited:
    /// see ``Database/withTimeLimit(_:_:)``.
    public var maximumReadDuration: TimeInterval?

    /// Whether the query planner's statistics are updated when a connection that can write is closed by
    /// `close()`. The default is false.
    ///
    /// SQLite recommends it to programs that open a database for a short time. It then runs
    /// `PRAGMA optimize`, see ``Database/optimize(_:)``. Errors are ignored.
    public var optimizesWhenClosing = false

    // MARK: - Batched writes

    /// The maximum number of writes that share a transaction. The default is 256.
    ///
    /// See ``DatabaseWriter/batchedWrite(_:)``.
    public var maximumBatchedWriteCount = 256

    /// The time, in seconds, after which no further write joins a shared transaction. The default is 0.1.
    ///
    /// See ``DatabaseWriter/batchedWrite(_:)``.
    public var maximumBatchedWriteDuration: TimeInterval = 0.1

    // MARK: - Pools

    /// The maximum number of concurrent reader connections of a pool. The default is 5.
    ///
    /// Other reads wait for their turn. A read inside of a write doesn't, because the reads that
    /// hold the connections may be waiting for the writer: it gets one more connection, which is
    /// closed afterwards.
    public var maximumReaderCount = 5

    /// Whether read-only connections of a pool stay open after memory is released. The default is
    /// false.
    public var persistentReadOnlyConnections = false

    // MARK: - Dispatch queues

    /// The quality of service of database accesses. The default is `userInitiated`.
    ///
    /// Ignored where a target queue is set.
    public var qos = DispatchQoS.userInitiated

    /// The effective quality of service of read-only accesses.
    public var readQoS: DispatchQoS { targetQueue?.qos ?? qos }

    /// The effective quality of service of write accesses.
    public var writeQoS: DispatchQoS {
        (readonly ? nil : writeTargetQueue?.qos) ?? targetQueue?.qos ?? qos
    }

    /// The target queue of the queues of all connections. The default is nil.
    public var targetQueue: DispatchQueue?

    /// The target queue of the queue of the writer connection. The default is nil: that of
    /// ``targetQueue``.
    ///
    /// Ignored when ``readonly`` is set: there is no writer then.
    public var writeTargetQueue: DispatchQueue?

    private var preparations: [@Sendable (Database) throws -> Void] = []

    /// Creates a factory configuration.
    public init() {}

    /// Adds a function that sets up each connection right after it is opened.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     try db.execute(sql: "PRAGMA cache_size = -8000")
    ///     db.add(function: DatabaseFunction("answer", argumentCount: 0) { _ in 42 })
    /// }
    /// ```
    ///
    /// Functions run in the order of their definition, on each connection of a pool, and on the
    /// connections of snapshots. When one throws, opening the connection throws.
    ///
    /// - parameter setup: called on the queue of the connection, before any access.
    public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {
        preparations.append(setup)
    }

    func setUp(_ db: Database) throws {
        for preparation in preparations {
            try preparation(db)
        }
    }

    /// The label of a dispatch queue.
    func queueLabel(default defaultLabel: String, purpose: String? = nil) -> String {
        let label = label ?? defaultLabel
        return purpose.map { "\(label).\($0)" } ?? label
    }
}

/// The clock of ``Database/transactionDate``.
///
/// ```swift
/// var config = Configuration()
/// config.transactionClock = .custom { db in Date(timeIntervalSince1970: 0) }
/// ```
public protocol TransactionClock: Sendable {
    /// Returns the date of the current transaction; called when it begins.
    ///
    /// - throws: any error: ``Database/transactionDate`` then throws it, in the whole transaction.
    func now(_ db: Database) throws -> Date
}

/// The clock that returns the current date.
public struct DefaultTransactionClock: TransactionClock {
    /// Creates the clock.
    public init() {}

    public func now(_ db: Database) throws -> Date { Date() }
}

/// A clock that calls a function.
public struct CustomTransactionClock: TransactionClock {
    let function: @Sendable (Database) throws -> Date

    /// Creates a clock from a function.
    ///
    /// - parameter now: returns the date of a transaction. It is called on the queue of the
    ///   connection.
    public init(_ now: @escaping @Sendable (Database) throws -> Date) {
        function = now
    }

    public func now(_ db: Database) throws -> Date { try function(db) }
}

extension TransactionClock where Self == DefaultTransactionClock {
    /// The clock that returns the start date of the transaction.
    public static var `default`: DefaultTransactionClock { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
    /// A clock that calls the given function at the start of each transaction.
    public static func custom(_ now: @escaping @Sendable (Database) throws -> Date) -> Self {
        CustomTransactionClock(now)
    }
}

/// Tells the library what SQLite does not know of the schema: which columns identify the rows of a
/// view.
public protocol DatabaseSchemaSource: Sendable {
    /// Returns the names of the columns that identify a row of a view, or nil for the default.
    ///
    /// - throws: any error: the method that asks for the key then throws it.
    func columnsForPrimaryKey(
        _ db: Database, inView view: DatabaseObjectID
    ) throws -> [String]?
}

extension DatabaseSchemaSource {
    public func columnsForPrimaryKey(
        _ db: Database, inView view: DatabaseObjectID
    ) throws -> [String]? { nil }
}
