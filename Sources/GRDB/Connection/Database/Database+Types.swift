public import _GRDBSystem

extension Database {
    /// A function that decides whether to wait for a lock. It receives the number of earlier calls for
    /// the same lock, and returns whether SQLite should try again.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

    /// The behavior of a statement when another connection has locked the database.
    ///
    /// See <https://www.sqlite.org/rescode.html#busy>.
    public enum BusyMode: Sendable {
        /// The statement throws `SQLITE_BUSY` immediately.
        case immediateError
        /// The statement retries for up to this number of seconds, then throws `SQLITE_BUSY`.
        case timeout(TimeInterval)
        /// The statement calls a function that decides whether to try again.
        case callback(BusyCallback)
    }

    /// How far a checkpoint goes to copy the write-ahead log into the database file. See
    /// <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>.
    public enum CheckpointMode: CInt, Sendable {
        /// Checkpoints as many frames as possible without waiting for any reader or writer.
        case passive = 0
        /// Waits for the writer, and until all readers use the latest snapshot.
        case full = 1
        /// Like `full`, and makes the next writer restart at the beginning of the WAL file.
        case restart = 2
        /// Like `restart`, and truncates the WAL file.
        case truncate = 3
    }

    /// The result of a checkpoint. See ``checkpointResult(_:on:)``.
    public struct CheckpointResult: Equatable, Sendable {
        /// The number of frames in the WAL file; -1 when the database is not in WAL mode.
        public let walFrameCount: Int

        /// The number of frames copied to the database, by this checkpoint or an earlier one; -1 when the
        /// database is not in WAL mode.
        public let checkpointedFrameCount: Int

        /// Whether the checkpoint is incomplete for its mode, because a reader, a writer or another
        /// checkpoint blocked it for longer than the busy mode allows.
        public let isBusy: Bool
    }

    /// When a transaction takes its locks. See <https://www.sqlite.org/lang_transaction.html>.
    public enum TransactionKind: String, Sendable {
        /// The transaction locks nothing until it reads or writes.
        case deferred = "DEFERRED"
        /// The transaction is a write transaction from the start.
        case immediate = "IMMEDIATE"
        /// Like `immediate`, and prevents other connections from reading, outside of WAL mode.
        case exclusive = "EXCLUSIVE"
    }

    /// The end of a transaction.
    @frozen
    public enum TransactionCompletion: Sendable {
        /// The changes are kept.
        case commit

        /// The changes are reverted.
        case rollback
    }

    /// The reaction to a constraint violation. See <https://www.sqlite.org/lang_conflict.html>.
    public enum ConflictResolution: String, Sendable {
        /// `ROLLBACK`: the statement fails, and its transaction is rolled back.
        case rollback = "ROLLBACK"

        /// `ABORT`: the statement fails without changing anything, and the transaction continues. The
        /// default of SQLite.
        case abort = "ABORT"

        /// `FAIL`: the statement fails, and keeps its changes of earlier rows.
        case fail = "FAIL"

        /// `IGNORE`: the row that violates the constraint is skipped.
        case ignore = "IGNORE"

        /// `REPLACE`: the conflicting rows are deleted.
        case replace = "REPLACE"
    }

    /// The action on the referencing rows when a row is deleted or its key changed. See
    /// <https://www.sqlite.org/foreignkeys.html>.
    public enum ForeignKeyAction: String, Sendable {
        /// `CASCADE`: the rows are deleted, or their foreign keys updated.
        case cascade = "CASCADE"

        /// `RESTRICT`: the statement fails immediately, even if the constraint is deferred.
        case restrict = "RESTRICT"

        /// `SET NULL`: the foreign key columns become NULL.
        case setNull = "SET NULL"

        /// `SET DEFAULT`: the foreign key columns get their default values.
        case setDefault = "SET DEFAULT"
    }

    /// The events that a trace reports.
    public struct TracingOptions: OptionSet, Sendable {
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// Reports executed statements, before they run.
        public static let statement = TracingOptions(rawValue: RawTrace.statementMask)

        /// Reports executed statements and their durations, after they have run.
        public static let profile = TracingOptions(rawValue: RawTrace.profileMask)
    }

    /// An event that a connection reports to the function passed to `trace(options:_:)`.
    public enum TraceEvent: CustomStringConvertible {
        /// The statement of an event. It reads the raw statement on demand, and is only valid during the
        /// call of the tracing function.
        public struct Statement: CustomStringConvertible {
            let sqliteStatement: SQLiteStatement
            let tracedSQL: String?
            let showsArguments: Bool

            /// The SQL text, with its placeholders. For triggers, a comment with their name.
            public var sql: String {
                if let tracedSQL, tracedSQL.hasPrefix("--") { return tracedSQL }
                return SQLText.withoutKeys(
                    SQLText.trimmed(RawStatement.sql(sqliteStatement) ?? tracedSQL ?? ""))
            }

            /// The SQL text, with the values of its arguments.
            public var expandedSQL: String {
                if let tracedSQL, tracedSQL.hasPrefix("--") { return tracedSQL }
                return SQLText.withoutKeys(
                    SQLText.trimmed(RawStatement.expandedSQL(sqliteStatement) ?? sql))
            }

            /// The SQL text. Arguments are visible if
            /// ``Configuration/publicStatementArguments`` is true.
            public var description: String { showsArguments ? expandedSQL : sql }
        }

        /// A statement or trigger starts.
        case statement(Statement)

        /// A statement has ended. The duration is in seconds.
        case profile(statement: Statement, duration: TimeInterval)

        public var description: String { text { $0.description } }

        /// The description, with the values of arguments.
        public var expandedDescription: String { text { $0.expandedSQL } }

        private func text(_ sql: (Statement) -> String) -> String {
            switch self {
            case .statement(let statement): sql(statement)
            case .profile(let statement, let duration): "\(Self.format(duration)) \(sql(statement))"
            }
        }

        /// Returns the duration in seconds, with three decimals.
        private static func format(_ duration: TimeInterval) -> String {
            // Negative if the clock was set back.
            let milliseconds = max(0, Int((duration * 1000).rounded()))
            let fraction = String(milliseconds % 1000)
            let zeros = String(repeating: "0", count: 3 - fraction.count)
            return "\(milliseconds / 1000).\(zeros)\(fraction)s"
        }
    }

    /// The SQL name of a collation, a rule for comparing and sorting text. See
    /// <https://www.sqlite.org/datatype3.html#collating_sequences>.
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Compares bytes.
        public static let binary = CollationName(rawValue: "BINARY")
        /// Like binary, but ignores ASCII case.
        public static let nocase = CollationName(rawValue: "NOCASE")
        /// Like binary, but ignores trailing spaces.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }

    /// The declared type of a column. See <https://www.sqlite.org/datatype3.html>.
    public struct ColumnType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A text column: `TEXT`.
        public static let text = ColumnType(rawValue: "TEXT")
        /// A JSON text column.
        public static let jsonText = ColumnType(rawValue: "TEXT")
        /// A column of JSON in SQLite's binary format.
        public static let jsonb = ColumnType(rawValue: "BLOB")

        /// An integer column: `INTEGER`.
        public static let integer = ColumnType(rawValue: "INTEGER")

        /// A floating-point column: `DOUBLE`.
        public static let double = ColumnType(rawValue: "DOUBLE")

        /// A floating-point column: `REAL`.
        public static let real = ColumnType(rawValue: "REAL")

        /// A numeric column: `NUMERIC`. SQLite stores texts that look like numbers as numbers.
        public static let numeric = ColumnType(rawValue: "NUMERIC")

        /// A Boolean column, whose values are stored as 0 and 1: `BOOLEAN`.
        public static let boolean = ColumnType(rawValue: "BOOLEAN")

        /// A data column: `BLOB`. SQLite does not convert its values.
        public static let blob = ColumnType(rawValue: "BLOB")

        /// A date column: `DATE`.
        public static let date = ColumnType(rawValue: "DATE")

        /// A column of dates and times: `DATETIME`.
        public static let datetime = ColumnType(rawValue: "DATETIME")

        /// A column of any type: `ANY`. In a strict table, values are not converted.
        public static let any = ColumnType(rawValue: "ANY")
    }

    /// How SQLite stores a value: as an integer, a real number, text or a blob, or as NULL. See
    /// <https://www.sqlite.org/datatype3.html>.
    public struct StorageClass: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Integers.
        public static let integer = StorageClass(rawValue: "INTEGER")

        /// Floating-point numbers.
        public static let real = StorageClass(rawValue: "REAL")

        /// Texts.
        public static let text = StorageClass(rawValue: "TEXT")

        /// Data.
        public static let blob = StorageClass(rawValue: "BLOB")
    }
}

extension Database {
    /// A function that receives the messages of SQLite's error log.
    public typealias LogErrorFunction =
        @Sendable (_ resultCode: ResultCode, _ message: String) -> Void

    private static let logFunction = Locked<LogErrorFunction?>(nil)

    /// The error logging function of all connections of the process. May be set at any time.
    ///
    /// ```swift
    /// Database.logError = { resultCode, message in
    ///     print("\(resultCode) \(message)")
    /// }
    /// ```
    ///
    /// Called on the thread on which the error occurred. It must not use a connection.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/errlog.html>
    public static var logError: LogErrorFunction? {
        get { logFunction.withLock { $0 } }
        set {
            let former = logFunction.withLock { function in
                defer { function = newValue }
                return function
            }
            defer { withExtendedLifetime(former) {} }
            if let newValue {
                RawLog.setHandler { code, message in
                    newValue(ResultCode(rawValue: code), message)
                }
            } else {
                RawLog.setHandler(nil)
            }
        }
    }

    #if GRDB_FOUNDATION || !canImport(FoundationEssentials)
    /// Posted to suspend the databases that observe it. See
    /// ``Configuration/observesSuspensionNotifications``.
    public static let suspendNotification = Notification.Name("GRDB.Database.Suspend")

    /// Posted to resume suspended databases.
    public static let resumeNotification = Notification.Name("GRDB.Database.Resume")
    #endif

    /// Whether a table belongs to SQLite, judging by its name: `sqlite_…` or `pragma_…`.
    public static func isSQLiteInternalTable(_ tableName: String) -> Bool {
        let name = ASCIICase.lowercased(tableName)
        return name.hasPrefix("sqlite_") || name.hasPrefix("pragma_")
    }

    /// Whether SQLite reserves the name of a table: `sqlite_…`.
    ///
    /// Unlike ``isSQLiteInternalTable(_:)``, this does not include names such as `pragma_settings`, which an
    /// application may give to its own tables.
    package static func isReservedTableName(_ tableName: String) -> Bool {
        ASCIICase.lowercased(tableName).hasPrefix("sqlite_")
    }

    /// Whether a table belongs to this library, judging by its name: `grdb_…`.
    public static func isGRDBInternalTable(_ tableName: String) -> Bool {
        ASCIICase.lowercased(tableName).hasPrefix("grdb_")
    }

    /// Whether a table belongs to this library, judging by its name, or by its columns: apps choose the
    /// names of the tables of undo histories.
    package static func isGRDBInternalTable(
        _ tableName: String, columnNames: some Sequence<String>
    ) -> Bool {
        isGRDBInternalTable(tableName)
            || columnNames.starts(with: undoTableColumnNames) { $0.utf8.elementsEqual($1.utf8) }
    }

    /// The first columns of the tables of undo histories.
    package static let undoTableColumnNames = ["id", "name", "isUndone", "changeset"]
}

// Tied to a connection: see `Database`.
@available(*, unavailable)
extension Database.TraceEvent: Sendable {}
