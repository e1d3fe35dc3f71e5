import CGRDBSQLite

extension RawConnection {
    /// Runs a WAL checkpoint of one schema, or of all schemas.
    ///
    /// A busy database is a result, not a failure.
    func checkpoint(
        mode: CInt, schema: String?
    ) throws(RawFailure) -> (code: CInt, walFrameCount: CInt, checkpointedFrameCount: CInt) {
        let handle = try openHandle()
        if grdb_sqlite3_is_interrupted(handle) != 0 {
            // An interruption lasts until a statement starts. A checkpoint is not a statement.
            let prepared = try prepare("SELECT 1", from: 0, persistent: false)
            grdb_sqlite3_step(prepared?.statement)
            grdb_sqlite3_finalize(prepared?.statement)
        }
        var walFrameCount: CInt = -1
        var checkpointedFrameCount: CInt = -1
        let code = grdb_sqlite3_wal_checkpoint_v2(
            handle, schema, mode, &walFrameCount, &checkpointedFrameCount)
        switch code & 0xff {
        case SQLITE_OK, SQLITE_BUSY:
            return (code, walFrameCount, checkpointedFrameCount)
        default:
            throw failure(code)
        }
    }
}
