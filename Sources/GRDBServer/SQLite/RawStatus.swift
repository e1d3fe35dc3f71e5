import GRDB
import CGRDBSQLite

/// The counters of `sqlite3_db_status()`, `sqlite3_stmt_status()` and `sqlite3_status()`.
enum RawStatus {
    /// The counters of a connection.
    enum Connection {
        static let lookasideUsed = SQLITE_DBSTATUS_LOOKASIDE_USED
        static let cacheUsed = SQLITE_DBSTATUS_CACHE_USED
        static let schemaUsed = SQLITE_DBSTATUS_SCHEMA_USED
        static let statementsUsed = SQLITE_DBSTATUS_STMT_USED
        static let lookasideHit = SQLITE_DBSTATUS_LOOKASIDE_HIT
        static let lookasideMissSize = SQLITE_DBSTATUS_LOOKASIDE_MISS_SIZE
        static let lookasideMissFull = SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL
        static let cacheWrite = SQLITE_DBSTATUS_CACHE_WRITE
        static let deferredForeignKeys = SQLITE_DBSTATUS_DEFERRED_FKS
        static let cacheSpill = SQLITE_DBSTATUS_CACHE_SPILL
        static let temporarySpill = SQLITE_DBSTATUS_TEMPBUF_SPILL
    }

    /// The counters of a statement.
    enum Statement {
        static let fullScanStep = SQLITE_STMTSTATUS_FULLSCAN_STEP
        static let sort = SQLITE_STMTSTATUS_SORT
        static let automaticIndex = SQLITE_STMTSTATUS_AUTOINDEX
        static let virtualMachineStep = SQLITE_STMTSTATUS_VM_STEP
        static let recompilation = SQLITE_STMTSTATUS_REPREPARE
        static let run = SQLITE_STMTSTATUS_RUN
        static let filterMiss = SQLITE_STMTSTATUS_FILTER_MISS
        static let filterHit = SQLITE_STMTSTATUS_FILTER_HIT
        static let memory = SQLITE_STMTSTATUS_MEMUSED
    }

    /// The counters of the process.
    enum Process {
        static let memoryUsed = SQLITE_STATUS_MEMORY_USED
        static let allocationCount = SQLITE_STATUS_MALLOC_COUNT
        static let largestAllocation = SQLITE_STATUS_MALLOC_SIZE
    }

    /// A counter of the process, and its maximum since the start of the process.
    static func value(_ counter: CInt) -> (current: Int64, highest: Int64) {
        var current: Int64 = 0
        var highest: Int64 = 0
        _ = grdb_sqlite3_status64(counter, &current, &highest, 0)
        return (current, highest)
    }

    /// Whether SQLite tracks the memory usage of the process.
    static var countsMemory: Bool { grdb_counts_memory() != 0 }
}

extension RawConnection {
    /// A counter of the connection, and its maximum since the connection was opened.
    func status(_ counter: CInt) -> (current: Int64, highest: Int64) {
        var current: Int64 = 0
        var highest: Int64 = 0
        if let handle {
            _ = grdb_sqlite3_db_status64(handle, counter, &current, &highest, 0)
        }
        return (current, highest)
    }

    /// How often a page was in the cache, since the connection was opened.
    var cacheHitCount: Int { Int(clamping: status(SQLITE_DBSTATUS_CACHE_HIT).current) }

    /// How often a page was read from the file.
    var cacheMissCount: Int { Int(clamping: status(SQLITE_DBSTATUS_CACHE_MISS).current) }

    /// Whether the transaction leaves foreign key violations that prevent it from being committed.
    var hasForeignKeyViolations: Bool {
        status(RawStatus.Connection.deferredForeignKeys).current > 0
    }
}

extension RawStatus {
    /// A counter of a statement.
    static func value(_ statement: SQLiteStatement, _ counter: CInt) -> Int {
        Int(grdb_sqlite3_stmt_status(statement, counter, 0))
    }
}
