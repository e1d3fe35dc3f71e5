import GRDB

/// A command for the index of an FTS5 table.
///
/// ```swift
/// // INSERT INTO "book"("book") VALUES('optimize')
/// try db.execute(fts5Command: .optimize, on: "book")
///
/// // INSERT INTO "book"("book", "rank") VALUES('automerge', 8)
/// try db.execute(fts5Command: .automerge(segments: 8), on: "book")
/// ```
///
/// Settings are stored with the table, and apply to all connections.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts5.html#special_insert_commands>
public struct FTS5Command: Hashable, Sendable {
    /// The value of the hidden column named after the table.
    let name: String

    /// The values of other columns.
    let values: [String: DatabaseValue]

    private init(_ name: String, _ values: [String: DatabaseValue] = [:]) {
        self.name = name
        self.values = values
    }

    /// A command with a value, for the hidden column `rank`.
    private init(_ name: String, rank: some DatabaseValueConvertible) {
        self.init(name, ["rank": rank.databaseValue])
    }

    // MARK: - The whole index

    /// Merges the segments of the index into one, which makes searches faster. Takes a long time
    /// for large tables.
    public static let optimize = FTS5Command("optimize")

    /// Deletes the index, and rebuilds it from the content of the table, or of its content table.
    /// Contentless tables do not support this command.
    public static let rebuild = FTS5Command("rebuild")

    /// Deletes the index of a contentless or external content table.
    public static let deleteAll = FTS5Command("delete-all")

    /// Throws a ``/GRDB/DatabaseError`` of code `SQLITE_CORRUPT_VTAB` if the index is damaged, or does
    /// not match the content.
    ///
    /// - parameter comparesContent: whether to compare the index of an external content table with
    ///   that table. Other indexes are always compared with their content.
    public static func integrityCheck(comparesContent: Bool = true) -> FTS5Command {
        FTS5Command("integrity-check", rank: comparesContent ? 1 : 0)
    }

    /// Does a part of the work of ``optimize``. Repeat the command as long as it adds at least 2
    /// changes to ``/GRDB/Database/totalChangesCount``.
    ///
    /// ```swift
    /// var count: Int
    /// try db.execute(fts5Command: .merge(pages: -500), on: "book")
    /// repeat {
    ///     count = db.totalChangesCount
    ///     try db.execute(fts5Command: .merge(pages: 500), on: "book")
    /// } while db.totalChangesCount - count > 1
    /// ```
    ///
    /// - parameter pages: the approximate number of pages to write. A negative number starts to
    ///   merge all segments of the index, even if there are few.
    public static func merge(pages: Int) -> FTS5Command {
        FTS5Command("merge", rank: pages)
    }

    // MARK: - Rows

    /// Removes a row from the index of a contentless or external content table.
    ///
    /// ```swift
    /// // INSERT INTO "book_ft"("book_ft", "rowid", "title") VALUES('delete', 1, 'Moby-Dick')
    /// try db.execute(
    ///     fts5Command: .delete(rowID: 1, values: ["title": "Moby-Dick"]), on: "book_ft")
    /// ```
    ///
    /// - parameter rowID: the rowid of the row.
    /// - parameter values: the indexed values by column. Missing values are NULL. If the values
    ///   differ from the indexed values, the index becomes corrupt.
    public static func delete(
        rowID: Int64, values: [String: (any DatabaseValueConvertible)?]
    ) -> FTS5Command {
        var columns = values.mapValues { $0?.databaseValue ?? .null }
        columns["rowid"] = rowID.databaseValue
        return FTS5Command("delete", columns)
    }

    // MARK: - Settings

    /// Sets how many segments of the index are merged with each change: see SQLite's documentation
    /// of `automerge`.
    ///
    /// - parameter segments: the minimum number of segments of similar size to merge, from 2 to 16;
    ///   0 to disable automatic merges, 1 for the default, 4.
    public static func automerge(segments: Int) -> FTS5Command {
        FTS5Command("automerge", rank: segments)
    }

    /// Sets the number of segments of similar size that forces an immediate merge.
    ///
    /// - parameter segments: the number of segments; 0 and 1 for the default, 16.
    public static func crisismerge(segments: Int) -> FTS5Command {
        FTS5Command("crisismerge", rank: segments)
    }

    /// Sets the minimum number of segments of similar size that ``merge(pages:)`` merges.
    ///
    /// - parameter segments: the number of segments, from 2 to 16. The default is 4.
    public static func usermerge(segments: Int) -> FTS5Command {
        FTS5Command("usermerge", rank: segments)
    }

    /// Sets the percentage of deleted rows in a segment of a `contentless_delete` table from which
    /// the segment is merged.
    ///
    /// - parameter percentage: the percentage. The default is 10. More than 100 disables such
    ///   merges.
    public static func deletemerge(percentage: Int) -> FTS5Command {
        FTS5Command("deletemerge", rank: percentage)
    }

    /// Sets the size of the blobs in which the index is stored.
    ///
    /// - parameter bytes: the size in bytes, from 32 to 65536. The default is 1000.
    public static func pgsz(bytes: Int) -> FTS5Command {
        FTS5Command("pgsz", rank: bytes)
    }

    /// Sets the maximum size of the changes to the index that are kept in memory until the end of a
    /// transaction.
    ///
    /// - parameter bytes: the size in bytes. The default is 1048576.
    public static func hashsize(bytes: Int) -> FTS5Command {
        FTS5Command("hashsize", rank: bytes)
    }

    /// Sets whether the tokens of deleted rows are removed from the file immediately, which makes
    /// deletions slower.
    public static func secureDelete(_ isOn: Bool) -> FTS5Command {
        FTS5Command("secure-delete", rank: isOn ? 1 : 0)
    }

    /// Sets the auxiliary function that computes the hidden column `rank`.
    ///
    /// ```swift
    /// // INSERT INTO "book"("book", "rank") VALUES('rank', 'bm25(10.0, 5.0)')
    /// try db.execute(fts5Command: .rank("bm25", [10.0, 5.0]), on: "book")
    /// ```
    ///
    /// - parameter function: the name of the function.
    /// - parameter arguments: the arguments that follow the table.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts5.html#sorting_by_auxiliary_function_results>
    public static func rank(
        _ function: String, _ arguments: [any DatabaseValueConvertible] = []
    ) -> FTS5Command {
        let arguments = arguments.map(\.databaseValue.sqlLiteral)
        return FTS5Command("rank", rank: "\(function)(\(arguments.joined(separator: ", ")))")
    }

    /// The value of the column `rank` in messages: `automerge 8`.
    fileprivate var description: String {
        values["rank"].map { "\(name) \($0.sqlLiteral)" } ?? name
    }

    /// SQLite reads only 32 bits of numbers.
    fileprivate func check() throws {
        guard let number = values["rank"].flatMap(Int64.fromDatabaseValue),
            Int32(exactly: number) == nil
        else { return }
        throw DatabaseError(message: "full-text command failed: \(description)")
    }
}

extension Database {
    /// Runs a command on an FTS5 table.
    ///
    /// ```swift
    /// // INSERT INTO "book"("book") VALUES('rebuild')
    /// try db.execute(fts5Command: .rebuild, on: "book")
    /// ```
    ///
    /// - parameter command: the command to run.
    /// - parameter tableName: the full-text table.
    /// - parameter schemaName: the schema of the table; nil for the first schema that contains the
    ///   table.
    /// - throws: a ``/GRDB/DatabaseError`` that names the command if the table rejects it.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts5.html#special_insert_commands>
    public func execute(
        fts5Command command: FTS5Command, on tableName: String, in schemaName: String? = nil
    ) throws {
        try checkAccess()
        try command.check()
        // Sorted, so that the same command has the same SQL.
        let values = command.values.ordered { $0.key < $1.key }
        let columns = ([tableName] + values.map(\.key)).map(\.quotedDatabaseIdentifier)
        let literals = values.map { _ in "?" }
        let name = command.name.databaseValue.sqlLiteral
        try executeFullTextCommand(
            command.description, on: tableName, in: schemaName,
            sql: """
                INSERT INTO \(tableName.qualified(in: schemaName))\
                (\(columns.joined(separator: ", "))) \
                VALUES(\(([name] + literals).joined(separator: ", ")))
                """,
            arguments: StatementArguments(values.map(\.value)))
    }
}
