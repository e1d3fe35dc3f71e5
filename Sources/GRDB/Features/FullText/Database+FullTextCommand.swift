extension Database {
    /// Runs a command for a full-text index. An error for which SQLite has no message names the command.
    ///
    /// The core only rebuilds indexes. GRDBTables has the other commands.
    package func executeFullTextCommand(
        _ command: String, on tableName: String, in schemaName: String?, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws {
        // Compiling the statement loads the schema.
        let statement = try cachedStatement(sql: sql)
        // An ordinary table may have a column of its own name.
        guard raw.hasVirtualTable(tableName, in: schemaName) else {
            throw DatabaseError(
                message: """
                    full-text command failed: \(command): \(tableName) is not a full-text table
                    """)
        }
        do {
            try statement.execute(arguments: arguments)
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_ERROR && error.message == "SQL logic error"
        {
            throw DatabaseError(
                resultCode: error.extendedResultCode,
                message: "full-text command failed: \(command)",
                sql: error.sql, arguments: error.arguments,
                publicStatementArguments: error.publicStatementArguments)
        }
    }
}
