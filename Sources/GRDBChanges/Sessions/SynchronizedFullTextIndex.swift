import GRDB

/// A full-text index that triggers keep up to date with a table: see `FullTextSynchronization`.
///
/// Code that changes rows while triggers are disabled removes the rows from the index before, and
/// inserts them after the changes.
struct SynchronizedFullTextIndex {
    /// The statements for one row, whose arguments are the values of its key.
    private let removal: String
    private let insertion: String

    /// Returns whether a virtual table is an index that triggers of the main schema keep up to date.
    static func isSynchronized(_ indexName: String, in db: Database) throws -> Bool {
        try db.schemaObjects(ofType: .trigger, in: "main").contains {
            ASCIICase.equal($0.name, FullTextSynchronization.triggerName(indexName, "ai"))
        }
    }

    /// Returns the indexes of a table of the main schema.
    ///
    /// - parameter keyColumns: columns that identify rows of the table.
    static func indexes(
        of tableName: String, keyColumns: [String], in db: Database
    ) throws -> [SynchronizedFullTextIndex] {
        let triggers = try db.triggers(on: tableName, in: "main").map(\.name)
        return try triggers.compactMap { trigger in
            let indexName = String(trigger.dropFirst(2).dropLast(3))
            guard ASCIICase.equal(trigger, FullTextSynchronization.triggerName(indexName, "ai")),
                let info = try db.tableOrView(indexName, in: "main")?.info, info.isVirtualTable
            else { return nil }
            // Only FTS4 needs a trigger before deletions.
            let isFTS4 = triggers.contains {
                ASCIICase.equal($0, FullTextSynchronization.triggerName(indexName, "bd"))
            }
            return try SynchronizedFullTextIndex(
                info.name, of: tableName, isFTS4: isFTS4, keyColumns: keyColumns, in: db)
        }
    }

    private init(
        _ indexName: String, of tableName: String, isFTS4: Bool, keyColumns: [String],
        in db: Database
    ) throws {
        let content = try FullTextContentTable(tableName, in: "main", db)
        // FTS4 hides the column of the language, which triggers fill.
        let columns = try Row.fetchAll(
            db, sql: "SELECT name, hidden FROM pragma_table_xinfo(?, 'main')",
            arguments: [indexName]
        ).compactMap { row -> String? in
            let name: String = row[0]
            let isOwn = row[1] == 0 || isFTS4 && !ASCIICase.equal(name, "docid")
            return isOwn && content.columns.contains { ASCIICase.equal($0, name) }
                ? name.quotedDatabaseIdentifier : nil
        }
        let index = "main.\(indexName.quotedDatabaseIdentifier)"
        let rowID = try content.rowIDName().quotedDatabaseIdentifier
        // Keys that the column compares as equal may identify different changes.
        let condition = keyColumns.enumerated().map { position, column -> String in
            let column = column.quotedDatabaseIdentifier
            let argument = "?\(position + 1)"
            return """
                \(column) = \(argument) AND \(column) = \(argument) COLLATE BINARY \
                AND typeof(\(column)) = typeof(\(argument))
                """
        }.joined(separator: " AND ")
        let row = "FROM main.\(tableName.quotedDatabaseIdentifier) WHERE \(condition)"
        let names = ([isFTS4 ? "docid" : "rowid"] + columns).joined(separator: ", ")
        let values = ([rowID] + columns).joined(separator: ", ")
        insertion = "INSERT INTO \(index)(\(names)) SELECT \(values) \(row)"
        removal =
            isFTS4
            ? "DELETE FROM \(index) WHERE docid = (SELECT \(rowID) \(row))"
            : """
            INSERT INTO \(index)(\(indexName.quotedDatabaseIdentifier), \(names)) \
            SELECT 'delete', \(values) \(row)
            """
    }

    /// Removes the row with a key, if there is one, before it is changed.
    func remove(_ key: [DatabaseValue], in db: Database) throws {
        try db.cachedStatement(sql: removal).execute(arguments: StatementArguments(key))
    }

    /// Inserts the row with a key, if there is one, after it was changed.
    func insert(_ key: [DatabaseValue], in db: Database) throws {
        try db.cachedStatement(sql: insertion).execute(arguments: StatementArguments(key))
    }
}
