/// The memory that a connection uses, and what it has counted since it was opened.
///
/// ```swift
/// try dbQueue.read { db in
///     let before = try db.status
///     let players = try Player.fetchAll(db)
///     let pagesRead = try db.status.cacheMissCount - before.cacheMissCount
/// }
/// ```
///
/// Sizes are in bytes. Counters never decrease: subtract an earlier value.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_dbstatus_options.html>
public struct DatabaseStatus: Hashable, Sendable {
    /// The memory of all page caches.
    public let cacheByteCount: Int

    /// The memory of the schemas.
    public let schemaByteCount: Int

    /// The memory of all statements of the connection, cached ones included.
    public let statementByteCount: Int

    /// How often a page was found in the cache.
    public let cacheHitCount: Int

    /// How often a page was not found in the cache, and so was read from the file.
    public let cacheMissCount: Int

    /// The number of pages written to the file, or to the write-ahead log.
    public let cacheWriteCount: Int

    /// The number of pages written in the middle of a transaction, because the cache was full.
    public let cacheSpillCount: Int

    /// The bytes that were written to temporary files, by sorting for example, because memory was full.
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
        /// The number of allocations that took a slot.
        public let hitCount: Int
        /// The number of allocations that were too large for a slot.
        public let missedBySizeCount: Int
        /// The number of allocations for which there was no slot left.
        public let missedByFullnessCount: Int
    }

    init(_ raw: RawConnection) {
        func current(_ counter: CInt) -> Int { Int(clamping: raw.status(counter).current) }
        func highest(_ counter: CInt) -> Int { Int(clamping: raw.status(counter).highest) }
        typealias Counter = RawStatus.Connection
        cacheByteCount = current(Counter.cacheUsed)
        schemaByteCount = current(Counter.schemaUsed)
        statementByteCount = current(Counter.statementsUsed)
        cacheHitCount = current(Counter.cacheHit)
        cacheMissCount = current(Counter.cacheMiss)
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
    /// The bytes in use.
    public let usedByteCount: Int
    /// The most bytes that were ever in use.
    public let highestUsedByteCount: Int
    /// The number of allocations in use.
    public let allocationCount: Int
    /// The bytes of the largest allocation that was ever asked for.
    public let largestAllocationByteCount: Int
}

extension Database {
    /// The memory that this connection uses, and what it has counted since it was opened.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the connection is closed or does not belong
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
    /// Counting costs a lock for each allocation, so that the vendored SQLite does not. A program asks for it
    /// with `sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1)` before it opens its first connection. Any thread may
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
