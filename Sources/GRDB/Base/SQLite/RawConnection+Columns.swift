import CGRDBSQLite

extension RawConnection {
    /// The declared type of a column, empty if it has none, and the name of its collation; nil if there is
    /// no such column, or if it is a column of a view.
    ///
    /// - parameter schema: the schema of the table; nil for the first schema that has such a table.
    package func columnMetadata(
        _ column: String, in table: String, schema: String?
    ) -> (type: String, collation: String)? {
        guard let handle else { return nil }
        var type: UnsafePointer<CChar>?
        var collation: UnsafePointer<CChar>?
        let code = grdb_sqlite3_table_column_metadata(
            handle, schema, table, column, &type, &collation, nil, nil, nil)
        guard code == SQLITE_OK, let collation else { return nil }
        return (type.map { String(cString: $0) } ?? "", String(cString: collation))
    }

    /// The generated columns of all tables with a name, as pairs of a generated column and one of its
    /// source columns.
    func generatedColumns(in table: String) -> [(column: String, source: String)] {
        guard let handle else { return [] }
        var columns: [(column: String, source: String)] = []
        withUnsafeMutablePointer(to: &columns) { columns in
            grdb_generated_columns(handle, table, columns) { context, column, source in
                guard let context, let column, let source else { return }
                context.assumingMemoryBound(to: [(column: String, source: String)].self)
                    .pointee.append((String(cString: column), String(cString: source)))
            }
        }
        return columns
    }
}
