import CGRDBSQLite

/// The counters of `sqlite3_db_status()`, `sqlite3_stmt_status()` and `sqlite3_status()`.
package enum RawStatus {
    /// The counters of a connection.
    package enum Connection {
        package static let lookasideUsed = SQLITE_DBSTATUS_LOOKASIDE_USED
        package static let cacheUsed = SQLITE_DBSTATUS_CACHE_USED
        package static let schemaUsed = SQLITE_DBSTATUS_SCHEMA_USED
        package static let statementsUsed = SQLITE_DBSTATUS_STMT_USED
        package static let lookasideHit = SQLITE_DBSTATUS_LOOKASIDE_HIT
        package static let lookasideMissSize = SQLITE_DBSTATUS_LOOKASIDE_MISS_SIZE
        package static let lookasideMissFull = SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL
        package static let cacheHit = SQLITE_DBSTATUS_CACHE_HIT
        package static let cacheMiss = SQLITE_DBSTATUS_CACHE_MISS
        package static let cacheWrite = SQLITE_DBSTATUS_CACHE_WRITE
        package static let deferredForeignKeys = SQLITE_DBSTATUS_DEFERRED_FKS
        package static let cacheSpill = SQLITE_DBSTATUS_CACHE_SPILL
        package static let temporarySpill = SQLITE_DBSTATUS_TEMPBUF_SPILL
    }

    /// The counters of a statement.
    package enum Statement {
        package static let fullScanStep = SQLITE_STMTSTATUS_FULLSCAN_STEP
        package static let sort = SQLITE_STMTSTATUS_SORT
        package static let automaticIndex = SQLITE_STMTSTATUS_AUTOINDEX
        package static let virtualMachineStep = SQLITE_STMTSTATUS_VM_STEP
        package static let recompilation = SQLITE_STMTSTATUS_REPREPARE
        package static let run = SQLITE_STMTSTATUS_RUN
        package static let filterMiss = SQLITE_STMTSTATUS_FILTER_MISS
        package static let filterHit = SQLITE_STMTSTATUS_FILTER_HIT
        package static let memory = SQLITE_STMTSTATUS_MEMUSED
    }

    /// The counters of the process.
    package enum Process {
        package static let memoryUsed = SQLITE_STATUS_MEMORY_USED
        package static let allocationCount = SQLITE_STATUS_MALLOC_COUNT
        package static let largestAllocation = SQLITE_STATUS_MALLOC_SIZE
    }

    /// A counter of the process, and its maximum since the start of the process.
    package static func value(_ counter: CInt) -> (current: Int64, highest: Int64) {
        var current: Int64 = 0
        var highest: Int64 = 0
        _ = grdb_sqlite3_status64(counter, &current, &highest, 0)
        return (current, highest)
    }

    /// Whether SQLite tracks the memory usage of the process.
    package static var countsMemory: Bool { grdb_counts_memory() != 0 }
}

extension RawConnection {
    /// Whether the transaction leaves foreign key violations that prevent it from being committed.
    package var hasForeignKeyViolations: Bool {
        status(RawStatus.Connection.deferredForeignKeys).current > 0
    }

    /// A counter of the connection, and its maximum since the connection was opened.
    package func status(_ counter: CInt) -> (current: Int64, highest: Int64) {
        var current: Int64 = 0
        var highest: Int64 = 0
        if let handle {
            _ = grdb_sqlite3_db_status64(handle, counter, &current, &highest, 0)
        }
        return (current, highest)
    }
}

extension RawStatement {
    package static func status(_ statement: SQLiteStatement, _ counter: CInt) -> Int {
        Int(grdb_sqlite3_stmt_status(statement, counter, 0))
    }
}
