import GRDB

/// The memory usage of a connection, and its counters since it was opened.
///
/// ```swift
/// try dbQueue.read { db in
///     let before = try db.status
///     let players = try Player.fetchAll(db)
///     let pagesRead = try db.status.cacheMissCount - before.cacheMissCount
/// }
/// ```
///
/// Sizes are in bytes. Counters never decrease: subtract an earlier value to get a difference.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_dbstatus_options.html>
public struct DatabaseStatus: Hashable, Sendable {
    /// The memory used by all page caches.
    public let cacheByteCount: Int

    /// The memory used by the schemas.
    public let schemaByteCount: Int

    /// The memory used by all statements of the connection, including cached ones.
    public let statementByteCount: Int

    /// The number of pages found in the cache.
    public let cacheHitCount: Int

    /// The number of pages not found in the cache, and so read from the file.
    public let cacheMissCount: Int

    /// The number of pages written to the file, or to the write-ahead log.
    public let cacheWriteCount: Int

    /// The number of pages written in the middle of a transaction, because the cache was full.
    public let cacheSpillCount: Int

    /// The bytes written to temporary files because memory was full, for example by sorting.
    public let temporarySpillByteCount: Int

    /// Whether the transaction leaves foreign key violations that prevent it from being committed.
    public let hasForeignKeyViolations: Bool

    /// The use of lookaside memory: a buffer of the connection for small allocations.
    public let lookaside: Lookaside

    /// The use of lookaside memory.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/malloc.html#lookaside>
    public struct Lookaside: Hashable, Sendable {
        /// The number of slots in use.
        public let usedCount: Int
        /// The highest number of slots in use.
        public let highestUsedCount: Int
        /// The number of allocations that used a slot.
        public let hitCount: Int
        /// The number of allocations that were too large for a slot.
        public let missedBySizeCount: Int
        /// The number of allocations that found no free slot.
        public let missedByFullnessCount: Int
    }

    init(_ raw: RawConnection) {
        func current(_ counter: CInt) -> Int { Int(clamping: raw.status(counter).current) }
        func highest(_ counter: CInt) -> Int { Int(clamping: raw.status(counter).highest) }
        typealias Counter = RawStatus.Connection
        cacheByteCount = current(Counter.cacheUsed)
        schemaByteCount = current(Counter.schemaUsed)
        statementByteCount = current(Counter.statementsUsed)
        cacheHitCount = raw.cacheHitCount
        cacheMissCount = raw.cacheMissCount
        cacheWriteCount = current(Counter.cacheWrite)
        cacheSpillCount = current(Counter.cacheSpill)
        temporarySpillByteCount = current(Counter.temporarySpill)
        hasForeignKeyViolations = raw.hasForeignKeyViolations
        lookaside = Lookaside(
            usedCount: current(Counter.lookasideUsed),
            highestUsedCount: highest(Counter.lookasideUsed),
            hitCount: highest(Counter.lookasideHit),
            missedBySizeCount: highest(Counter.lookasideMissSize),
            missedByFullnessCount: highest(Counter.lookasideMissFull))
    }
}

/// The memory that SQLite uses for all connections of the process.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_status_malloc_count.html>
public struct DatabaseMemoryStatus: Hashable, Sendable {
    /// The number of bytes in use.
    public let usedByteCount: Int
    /// The highest number of bytes in use so far.
    public let highestUsedByteCount: Int
    /// The number of allocations in use.
    public let allocationCount: Int
    /// The size of the largest requested allocation, in bytes.
    public let largestAllocationByteCount: Int
}

extension Database {
    /// The memory usage of this connection, and its counters since it was opened.
    ///
    /// - throws: a `DatabaseError` of code `SQLITE_MISUSE` if the connection is closed or does not belong
    ///   to the current thread.
    /// - complexity: visits all pages in the cache, tables of the schema and statements of the connection.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/db_status.html>
    public var status: DatabaseStatus {
        get throws {
            try checkAccess()
            return DatabaseStatus(raw)
        }
    }

    /// The memory that SQLite uses for all connections of the process; nil if SQLite does not count it,
    /// which is the default.
    ///
    /// Counting takes a lock for each allocation, so it is disabled in the vendored SQLite. To enable it,
    /// call `sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1)` before opening the first connection. Any thread may
    /// read this property.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/status.html>
    public static var memoryStatus: DatabaseMemoryStatus? {
        guard RawStatus.countsMemory else { return nil }
        let used = RawStatus.value(RawStatus.Process.memoryUsed)
        return DatabaseMemoryStatus(
            usedByteCount: Int(clamping: used.current),
            highestUsedByteCount: Int(clamping: used.highest),
            allocationCount: Int(
                clamping: RawStatus.value(RawStatus.Process.allocationCount).current),
            largestAllocationByteCount: Int(
                clamping: RawStatus.value(RawStatus.Process.largestAllocation).highest))
    }
}
