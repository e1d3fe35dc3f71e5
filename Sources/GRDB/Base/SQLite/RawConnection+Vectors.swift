import CGRDBSQLite

extension RawConnection {
    /// Registers the SQL functions on vectors.
    func addVectorFunctions() throws(RawFailure) {
        let code = grdb_add_vector_functions(try openHandle())
        if code != SQLITE_OK { throw failure(code) }
    }
}
