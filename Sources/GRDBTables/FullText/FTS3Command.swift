import GRDB

/// A command for the index of an FTS3 or FTS4 table.
///
/// ```swift
/// // INSERT INTO "book"("book") VALUES('optimize')
/// try db.execute(fts3Command: .optimize, on: "book")
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/fts3.html#commands>
public struct FTS3Command: Hashable, Sendable {
    /// The value to insert in the hidden column named after the table.
    let text: String

    /// Merges the segments of the index into one, which makes searches faster. Takes a long time
    /// for large tables.
    public static let optimize = FTS3Command(text: "optimize")

    /// Deletes the index, and rebuilds it from the content of the table, or of its content table.
    public static let rebuild = FTS3Command(text: "rebuild")

    /// Throws a ``/GRDB/DatabaseError`` of code `SQLITE_CORRUPT_VTAB` if the index does not match the
    /// content.
    public static let integrityCheck = FTS3Command(text: "integrity-check")

    /// Does a part of the work of ``optimize``. Repeat the command as long as it adds at least 2
    /// changes to ``/GRDB/Database/totalChangesCount``.
    ///
    /// - parameter blocks: the approximate number of blocks to write.
    /// - parameter segments: the minimum number of segments of similar size to merge, at least 2.
    public static func merge(blocks: Int, segments: Int = 8) -> FTS3Command {
        FTS3Command(text: "merge=\(blocks),\(segments)")
    }

    /// Sets whether each transaction that changes the index also merges some of its segments.
    ///
    /// - parameter segments: the minimum number of segments of similar size to merge, from 2 to 16;
    ///   0 to disable automatic merges.
    public static func automerge(segments: Int) -> FTS3Command {
        FTS3Command(text: "automerge=\(segments)")
    }
}

extension Database {
    /// Runs a command on an FTS3 or FTS4 table.
    ///
    /// ```swift
    /// // INSERT INTO "book"("book") VALUES('rebuild')
    /// try db.execute(fts3Command: .rebuild, on: "book")
    /// ```
    ///
    /// - parameter command: the command to run.
    /// - parameter tableName: the full-text table.
    /// - parameter schemaName: the schema of the table; nil for the first schema that contains the
    ///   table.
    /// - throws: a ``/GRDB/DatabaseError`` that names the command if the table rejects it.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts3.html#commands>
    public func execute(
        fts3Command command: FTS3Command, on tableName: String, in schemaName: String? = nil
    ) throws {
        let column = tableName.quotedDatabaseIdentifier
        let table = tableName.qualified(in: schemaName)
        let value = command.text.databaseValue.sqlLiteral
        try executeFullTextCommand(
            command.text, on: tableName, in: schemaName,
            sql: "INSERT INTO \(table)(\(column)) VALUES(\(value))")
    }
}
