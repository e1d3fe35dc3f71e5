/// The triggers that apply the changes of a table to a full-text index.
///
/// Other libraries create and drop triggers of the same names. The triggers of all libraries must
/// be compatible.
struct FullTextSynchronization {
    let db: Database
    let tableName: String
    let contentTable: FullTextContentTable
    /// The columns of the full-text table that are also columns of the content table.
    let columns: [String]

    /// Whether existing triggers are left unchanged.
    var keepsTriggers = false

    private static let fts4Suffixes = ["bu", "bd", "au", "ai"]
    private static let fts5Suffixes = ["ai", "ad", "au"]

    static func triggerName(_ tableName: String, _ suffix: String) -> String {
        "__\(tableName)_\(suffix)"
    }

    static func dropFTS4Triggers(_ db: Database, _ tableName: String) throws {
        try drop(db, fts4Suffixes.map { triggerName(tableName, $0) })
    }

    static func dropFTS5Triggers(_ db: Database, _ tableName: String) throws {
        try drop(db, fts5Suffixes.map { triggerName(tableName, $0) })
    }

    /// Recreates missing triggers, and returns whether there were any. If so, the index lacks the
    /// changes that these triggers would have applied.
    func restoreFTS4Triggers() throws -> Bool {
        try restore(Self.fts4Suffixes) { try $0.createFTS4Triggers() }
    }

    /// Recreates missing triggers, and returns whether there were any. If so, the index lacks the
    /// changes that these triggers would have applied.
    func restoreFTS5Triggers() throws -> Bool {
        try restore(Self.fts5Suffixes) { try $0.createFTS5Triggers() }
    }

    private func restore(
        _ suffixes: [String], _ create: (FullTextSynchronization) throws -> Void
    ) throws -> Bool {
        let isComplete = try suffixes.allSatisfy { suffix in
            try db.triggerExists(
                Self.triggerName(tableName, suffix), in: contentTable.schemaName)
        }
        if isComplete { return false }
        var synchronization = self
        synchronization.keepsTriggers = true
        try create(synchronization)
        return true
    }

    private static func drop(_ db: Database, _ triggers: [String]) throws {
        try db.executeAll(
            triggers.map { "DROP TRIGGER IF EXISTS \($0.quotedDatabaseIdentifier)" })
    }

    func rebuildFTS4Index() throws {
        try db.execute(fts3Command: .rebuild, on: tableName, in: contentTable.schemaName)
    }

    func rebuildFTS5Index() throws {
        try db.execute(fts5Command: .rebuild, on: tableName, in: contentTable.schemaName)
    }

    /// FTS4 reads the text to remove from the content table, so the trigger runs before that text
    /// changes.
    func createFTS4Triggers() throws {
        let rowID = try contentTable.rowIDName().quotedDatabaseIdentifier
        let table = tableName.quotedDatabaseIdentifier
        let names = (["docid"] + columns).map(\.quotedDatabaseIdentifier)
        let delete = "DELETE FROM \(table) WHERE docid=old.\(rowID);"
        let insert = """
            INSERT INTO \(table)(\(list(names))) VALUES(\(list(values("new", rowID))));
            """
        try create("bu", "BEFORE UPDATE", [delete])
        try create("bd", "BEFORE DELETE", [delete])
        try create("au", "AFTER UPDATE", [insert])
        try create("ai", "AFTER INSERT", [insert])
    }

    /// Deletions pass the text to remove to FTS5.
    func createFTS5Triggers() throws {
        let rowID = try contentTable.rowIDName().quotedDatabaseIdentifier
        let table = tableName.quotedDatabaseIdentifier
        let names = (["rowid"] + columns).map(\.quotedDatabaseIdentifier)
        let insert = """
            INSERT INTO \(table)(\(list(names))) VALUES (\(list(values("new", rowID))));
            """
        let delete = """
            INSERT INTO \(table)(\(list([table] + names))) \
            VALUES('delete', \(list(values("old", rowID))));
            """
        try create("ai", "AFTER INSERT", [insert])
        try create("ad", "AFTER DELETE", [delete])
        try create("au", "AFTER UPDATE", [delete, insert])
    }

    /// `new."id", new."title"`
    private func values(_ row: String, _ rowID: String) -> [String] {
        ([rowID] + columns.map(\.quotedDatabaseIdentifier)).map { "\(row).\($0)" }
    }

    private func list(_ elements: [String]) -> String {
        elements.joined(separator: ", ")
    }

    private func create(_ suffix: String, _ event: String, _ statements: [String]) throws {
        let name = Self.triggerName(tableName, suffix).quotedDatabaseIdentifier
        let table = contentTable.name.quotedDatabaseIdentifier
        // Qualified with the schema, because a temporary table of the same name would take
        // precedence.
        let condition = keepsTriggers ? "IF NOT EXISTS " : ""
        try db.execute(
            sql: """
                CREATE TRIGGER \(condition)\(contentTable.schemaName).\(name) \(event) ON \(table) BEGIN
                    \(statements.joined(separator: "\n    "))
                END
                """)
    }
}

extension Database {
    /// Drops the triggers that keep an FTS4 table up to date with its content table.
    ///
    /// Call this method after you have dropped the full-text table. Otherwise, the triggers remain,
    /// and all changes of the content table fail:
    ///
    /// ```swift
    /// try db.create(virtualTable: "book_ft", using: FTS4()) { t in
    ///     t.synchronize(withTable: "book")
    ///     t.column("title")
    /// }
    ///
    /// try db.drop(table: "book_ft")
    /// try db.dropFTS4SynchronizationTriggers(forTable: "book_ft")
    /// ```
    ///
    /// Missing triggers are ignored. Dropping a content table drops its triggers.
    ///
    /// - parameter tableName: the name of the full-text table.
    /// - throws: a ``DatabaseError``, of code `SQLITE_READONLY` in a read-only access.
    public func dropFTS4SynchronizationTriggers(forTable tableName: String) throws {
        try FullTextSynchronization.dropFTS4Triggers(self, tableName)
    }

    /// Drops the triggers that keep an FTS5 table up to date with its content table.
    ///
    /// Call this method after you have dropped the full-text table. Otherwise, the triggers remain,
    /// and all changes of the content table fail:
    ///
    /// ```swift
    /// try db.create(virtualTable: "book_ft", using: FTS5()) { t in
    ///     t.synchronize(withTable: "book")
    ///     t.column("title")
    /// }
    ///
    /// try db.drop(table: "book_ft")
    /// try db.dropFTS5SynchronizationTriggers(forTable: "book_ft")
    /// ```
    ///
    /// Missing triggers are ignored. Dropping a content table drops its triggers.
    ///
    /// - parameter tableName: the name of the full-text table.
    /// - throws: a ``DatabaseError``, of code `SQLITE_READONLY` in a read-only access.
    public func dropFTS5SynchronizationTriggers(forTable tableName: String) throws {
        try FullTextSynchronization.dropFTS5Triggers(self, tableName)
    }
}
