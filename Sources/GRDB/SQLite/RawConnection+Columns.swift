import CGRDBSQLite

extension RawConnection {
    /// The name of the collation that a column is compared with; nil if there is no such column, or
    /// for those of views.
    ///
    /// - parameter schema: the schema of the table; nil for the first one that has it.
    func collation(ofColumn column: String, in table: String, schema: String?) -> String? {
        guard let handle else { return nil }
        var name: UnsafePointer<CChar>?
        let code = grdb_sqlite3_table_column_metadata(
            handle, schema, table, column, nil, &name, nil, nil, nil)
        return code == SQLITE_OK ? name.map { String(cString: $0) } : nil
    }
}
