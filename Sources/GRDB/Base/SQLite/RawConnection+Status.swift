import CGRDBSQLite

extension RawConnection {
    /// How often a page was in the cache, since the connection was opened.
    package var cacheHitCount: Int { Int(clamping: status(SQLITE_DBSTATUS_CACHE_HIT).current) }

    /// How often a page was read from the file.
    package var cacheMissCount: Int { Int(clamping: status(SQLITE_DBSTATUS_CACHE_MISS).current) }

    /// A counter of the connection, and its maximum since the connection was opened. GRDBServer has
    /// the other counters.
    package func status(_ counter: CInt) -> (current: Int64, highest: Int64) {
        var current: Int64 = 0
        var highest: Int64 = 0
        if let handle {
            _ = grdb_sqlite3_db_status64(handle, counter, &current, &highest, 0)
        }
        return (current, highest)
    }
}
