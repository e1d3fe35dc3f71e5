public import Dispatch
import _GRDBSystem

/// The settings of the connections that a queue, a pool or a snapshot opens.
///
/// Change the settings before you open the database. Each connection keeps a copy, so later changes
/// have no effect:
///
/// ```swift
/// var config = Configuration()
/// config.busyMode = .timeout(5)     // waits for the locks of other processes
/// config.maximumReaderCount = 2     // pools only
/// config.prepareDatabase { db in
///     db.add(function: initials)    // each connection of a pool needs it
/// }
///
/// let dbPool = try DatabasePool(path: "/path/to/database.sqlite", configuration: config)
/// ```
///
/// The defaults suit an app with a file of its own. Change them if
///
/// - several processes open the file: set ``busyMode``, and see <doc:SharingFiles>;
/// - you use functions, collations or tokenizers of your own, or want to see the SQL that is
///   executed: set them up in ``prepareDatabase(_:)``, which runs for each new connection;
/// - the program must not change the file: set ``readonly``;
/// - the file or the SQL comes from somebody you don't trust: see <doc:UntrustedInput>.
///
/// Errors and traces don't show the values of statement arguments, because they may be private. Show
/// them in debug builds:
///
/// ```swift
/// #if DEBUG
///     config.publicStatementArguments = true
/// #endif
/// ```
///
/// See <doc:Connections> for the choice between a queue and a pool.
public struct Configuration: Sendable {
    // MARK: - SQLite connections

    /// Whether foreign key constraints are enforced. The default is true.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/foreignkeys.html>
    public var foreignKeysEnabled = true

    /// Whether the connection is read-only. The default is false.
    public var readonly = false

    /// Whether double-quoted strings that match no identifier are string literals. The default is
    /// false: such strings are errors.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/quirks.html#dblquote>
    public var acceptsDoubleQuotedStringLiterals = false

    /// Whether SQL is prevented from damaging the file, for example by writing to shadow tables or the
    /// schema table. The default is false.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfigdefensive>
    public var isDefensive = false

    /// Whether triggers, views, and other parts of the schema can use functions and virtual tables that
    /// are not marked as innocuous. The default is true.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_trusted_schema>
    public var trustsSchema = true

    /// Whether SQLite checks the cells of each page that it reads. The default is false.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_cell_size_check>
    public var checksCellSizes = false

    /// Limits what statements may do. GRDBServer has policies.
    package var policy: (any ConnectionPolicy)?

    /// The behavior when another connection has locked the database. The default is
    /// `.immediateError`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/rescode.html#busy>
    public var busyMode: Database.BusyMode = .immediateError

    /// The behavior of read-only connections when another connection has locked the database. The default
    /// is nil. Read-only connections are the readers of pools, snapshots, and ``readonly`` connections.
    ///
    /// If nil, read-only connections use ``busyMode``, except that the readers of pools and snapshots wait
    /// for at least ten seconds. In WAL mode, they only wait while another connection opens, closes or
    /// recovers the database.
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
        /// Pools use WAL mode. Queues don't change the journal mode of the file.
        case `default`
        /// WAL mode. See <https://www.sqlite.org/wal.html>.
        case wal
    }

    /// The journal mode to set up when a connection that can write is opened.
    public var journalMode = JournalModeConfiguration.default

    // MARK: - Connections of this library

    /// A label for the connection, used in `Database.description` and in the name of its dispatch
    /// queue. The default is nil.
    public var label: String?

    /// Whether errors and trace events show the arguments of statements. The default is false,
    /// because arguments may contain sensitive information.
    public var publicStatementArguments = false

    /// Whether SQLite converts a string or blob that does not match the requested Swift type. The default
    /// is false: such a mismatch is an error.
    ///
    /// This option is for apps whose files contain such values and that rely on the conversion:
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
    /// The option applies to integers, `Double`, `Float`, `CGFloat`, `Decimal`, `Bool` and `String`, to
    /// `RawRepresentable` types with such raw values, and to dates that a record's strategy decodes from
    /// numbers or texts. It applies to values read from the rows of a statement, and from the rows of
    /// preupdate events and change feeds, by subscripts, cursors, `decode` methods and `Decodable`
    /// records. NULL is still no value of these types, and numbers out of range remain errors. A
    /// ``DatabaseValue`` contains the stored value: it is never converted, and neither are the values
    /// decoded from it.
    ///
    /// Values that match their type are decoded as fast as without the option.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/column_blob.html>
    public var convertsMismatchedValues = false

    /// Whether an access may leave a transaction open. If false, the default, such an access rolls the
    /// transaction back, and throws an error of code `SQLITE_MISUSE`.
    public var allowsUnsafeTransactions = false

    #if GRDB_FOUNDATION || !canImport(FoundationEssentials)
    /// Whether the connection observes ``Database/suspendNotification`` and
    /// ``Database/resumeNotification``. The default is false.
    public var observesSuspensionNotifications = false

    /// Whether the database is suspended as soon as it is open, until ``Database/resumeNotification``. The
    /// default is false.
    ///
    /// An app that the system launches in the background is suspended without a notification. Its writes belong
    /// in ``DatabaseWriter/writeInExpiringActivity(_:_:)``.
    ///
    /// Has no effect unless ``observesSuspensionNotifications`` is true.
    public var beginsSuspended = false

    /// Asks the system for time before it suspends the app: see
    /// ``DatabaseWriter/writeInExpiringActivity(_:_:)``.
    ///
    /// The default calls `ProcessInfo.performExpiringActivity(withReason:using:)` on iOS, tvOS, watchOS and
    /// visionOS. Other systems don't suspend programs. Replace it in tests, or for another kind of background
    /// task. The closure must call `block`, on a thread that may wait: with false when the activity begins, and
    /// with true when it expires, or can't begin.
    public var performExpiringActivity:
        @Sendable (_ reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) ->
            Void = {
                reason, block in
                #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
                ProcessInfo.processInfo.performExpiringActivity(withReason: reason, using: block)
                #else
                // The threads of Dispatch are few, and the write may need one.
                Thread.detachNewThread { block(false) }
                #endif
            }
    #else
    var observesSuspensionNotifications = false
    #endif

    /// The clock used for ``Database/transactionDate``.
    public var transactionClock: any TransactionClock = .default

    /// Provides information about views that SQLite can't provide. The default is nil.
    public var schemaSource: (any DatabaseSchemaSource)?

    /// Counts and times the accesses. GRDBServer has a meter.
    package var accessMeter: (any AccessMeter)?

    /// The time limit of the reads of a pool, in seconds. The default is nil: no limit.
    ///
    /// A long read prevents the write-ahead log from being reset, so that the file grows with each write.
    /// After the time limit, the running statement, or the next one, throws a ``DatabaseError`` of code
    /// `SQLITE_INTERRUPT` and message "Time limit exceeded". The error contains the label of the access, if
    /// it has one. Swift code is not interrupted: an access that runs no statement ends when it returns.
    ///
    /// The limit also applies to the reads of snapshots, but not to the lifetime of snapshots. It does not
    /// apply to writes: see ``Database/withTimeLimit(_:_:)``.
    public var maximumReadDuration: TimeInterval?

    /// Whether `close()` updates the query planner's statistics when it closes a connection that can write.
    /// The default is false.
    ///
    /// SQLite recommends this for programs that open a database for a short time. Closing then runs
    /// `PRAGMA optimize`: see ``/GRDBServer/GRDB/Database/optimize(_:)``. Errors are ignored.
    public var optimizesWhenClosing = false

    /// Whether a queue or a pool frees memory when the app receives a memory warning, and when it enters the
    /// background. The default is true.
    ///
    /// It only has an effect on systems with UIKit. See ``DatabaseQueue/releaseMemory()`` and
    /// ``DatabasePool/releaseMemoryEventually()``.
    public var automaticMemoryManagement = true

    // MARK: - Batched writes

    /// The maximum number of batched writes per transaction. The default is 256.
    ///
    /// See ``/GRDBServer/GRDB/DatabaseWriter/batchedWrite(_:)``.
    public var maximumBatchedWriteCount = 256

    /// The time in seconds after which no write joins a shared transaction. The default is 0.1.
    ///
    /// See ``/GRDBServer/GRDB/DatabaseWriter/batchedWrite(_:)``.
    public var maximumBatchedWriteDuration: TimeInterval = 0.1

    // MARK: - Pools

    /// How many connections a pool opens for reads, and so how many reads can run at the same time.
    /// The default is 5.
    ///
    /// Further reads wait for their turn. Reads inside of writes don't wait, because the reads that hold
    /// the connections may be waiting for the writer: another connection is opened, and closed
    /// afterwards.
    public var maximumReaderCount = 5

    /// Whether the read-only connections of a pool remain open when memory is released. The default is
    /// false.
    public var persistentReadOnlyConnections = false

    // MARK: - Dispatch queues

    /// How urgent accesses are for the system, compared with other work. The default is
    /// `userInitiated`.
    ///
    /// Ignored if a target queue is set.
    public var qos = DispatchQoS.userInitiated

    /// How urgent reads are: the class of the target queue, or else ``qos``.
    public var readQoS: DispatchQoS { targetQueue?.qos ?? qos }

    /// How urgent writes are: the class of their target queue, or else ``qos``.
    public var writeQoS: DispatchQoS {
        (readonly ? nil : writeTargetQueue?.qos) ?? targetQueue?.qos ?? qos
    }

    /// The target queue of the dispatch queues of all connections. The default is nil.
    public var targetQueue: DispatchQueue?

    /// The target queue of the writer's dispatch queue. The default is nil: ``targetQueue`` is used.
    ///
    /// Ignored if ``readonly`` is true, because there is no writer.
    public var writeTargetQueue: DispatchQueue?

    private var preparations: [@Sendable (Database) throws -> Void] = []

    /// Creates a configuration with default values.
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
    /// Functions run in the order in which they were added, on each connection of a pool, and on the
    /// connections of snapshots. If a function throws, opening the connection throws its error.
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
    /// Returns the date of the current transaction. Called when the transaction begins.
    ///
    /// - throws: any error. ``Database/transactionDate`` throws it during the whole transaction.
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
    /// - parameter now: returns the date of a transaction. Called on the queue of the connection.
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

/// A type that provides information about the schema that SQLite does not have: the columns that
/// identify the rows of a view.
public protocol DatabaseSchemaSource: Sendable {
    /// Returns the names of the columns that identify a row of a view, or nil for the default.
    ///
    /// - throws: any error. The method that needs the key throws it.
    func columnsForPrimaryKey(
        _ db: Database, inView view: DatabaseObjectID
    ) throws -> [String]?
}

extension DatabaseSchemaSource {
    public func columnsForPrimaryKey(
        _ db: Database, inView view: DatabaseObjectID
    ) throws -> [String]? { nil }
}
