import CGRDBSQLite

extension RawConnection {
    /// Registers the SQL functions on vectors.
    func addVectorFunctions() throws(RawFailure) {
        try check(grdb_add_vector_functions(try openHandle()))
    }
}
