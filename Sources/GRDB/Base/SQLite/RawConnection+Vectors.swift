import CGRDBSQLite

extension RawConnection {
    /// Registers the SQL functions on vectors.
    func addVectorFunctions() throws(RawFailure) {
        guard let handle else { throw RawFailure(code: SQLITE_MISUSE) }
        let code = grdb_add_vector_functions(handle)
        if code != SQLITE_OK { throw failure(code) }
    }
}
