import CGRDBSQLite

extension RawConnection {
    /// Isolates the current transaction: it sees the database as it is now, and no later changes.
    ///
    /// - returns: the version of the main schema.
    @discardableResult
    func beginRead() throws(RawFailure) -> Int32 {
        let handle = try openHandle()
        var version: CInt = 0
        try check(grdb_begin_read(handle, "main", &version))
        return version
    }
}
