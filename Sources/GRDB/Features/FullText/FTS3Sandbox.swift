/// A database in memory, in which texts are tokenized and patterns are checked without a table of
/// the application.
///
/// All connections have the same FTS3, which knows no tokenizer but those of SQLite.
enum FTS3Sandbox {
    /// Opened when it is first needed, and never closed. Errors are those of every use.
    private static let database = Result { try DatabaseQueue() }

    static func tokenize(
        _ string: String, _ tokenizer: FTS3TokenizerDescriptor
    ) throws -> [String] {
        try database.get().inDatabase { db in
            // The tables are told apart by the tokenizer.
            let table = tokenizer.sqlText.quotedDatabaseIdentifier
            let components = tokenizer.components.map(\.quotedDatabaseIdentifier)
            return try forgettingSQL {
                try db.execute(
                    sql: """
                        CREATE VIRTUAL TABLE IF NOT EXISTS \(table) \
                        USING fts3tokenize(\(components.joined(separator: ", ")))
                        """)
                return try String.fetchAll(
                    db.cachedStatement(
                        sql: "SELECT token FROM \(table) WHERE input = ? ORDER BY position"),
                    arguments: [string])
            }
        }
    }

    static func check(rawPattern: String) throws {
        try database.get().inDatabase { db in
            try forgettingSQL {
                try db.execute(sql: "CREATE VIRTUAL TABLE IF NOT EXISTS document USING fts4")
                _ = try Row.fetchOne(
                    db.cachedStatement(sql: "SELECT 1 FROM document WHERE document MATCH ?"),
                    arguments: [rawPattern])
            }
        }
    }

    /// Throws errors without the SQL, which is not one that the application knows.
    private static func forgettingSQL<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw DatabaseError(resultCode: error.extendedResultCode, message: error.message)
        }
    }
}
