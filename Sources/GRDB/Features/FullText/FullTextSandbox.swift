import _GRDBSystem

/// In-memory databases that tokenize texts and check patterns without a table of the application.
///
/// They only know the built-in tokenizers of SQLite, so they run no code of the application except
/// the error logger, which may call the sandbox again.
///
/// Opening a database takes a hundred times as long as checking a pattern, so a few databases are
/// kept. A thread owns a database while it uses it, and no thread waits for another. A forked child
/// process does not use the databases of its parent.
struct FullTextSandbox {
    private let database: SerializedDatabase

    private let content: Content

    /// The identity of a database in the sandbox.
    private enum Content: Equatable {
        /// A table `document` of the module `fts3tokenize`, with these arguments.
        case fts3Tokenizer([String])
        /// A table `document` with a tokenizer.
        case fts4(String)
        /// A table with these columns.
        case fts5([String])
    }

    /// The databases that no thread uses. The most recently used database is last. The lock is held
    /// briefly, and never while SQLite runs.
    private static let idle = Locked<[FullTextSandbox]>([])

    /// Enough for applications that search a few tables. Each database takes some hundred
    /// kilobytes.
    private static let maximumCount = 6

    // MARK: - Use

    /// Returns the tokens that a tokenizer of FTS3 finds.
    static func tokenize(
        _ string: String, _ tokenizer: FTS3TokenizerDescriptor
    ) throws -> [String] {
        var tokens: [String] = []
        try with(.fts3Tokenizer(tokenizer.components)) { db in
            let arguments = tokenizer.components.map(\.quotedDatabaseIdentifier)
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE document \
                    USING fts3tokenize(\(arguments.joined(separator: ", ")))
                    """)
        } _: { db in
            let statement = try db.cachedStatement(
                sql: "SELECT token FROM document WHERE input = ? ORDER BY position")
            defer { statement.setUncheckedArguments([nil]) }
            tokens = try String.fetchAll(statement, arguments: [string])
        }
        return tokens
    }

    /// The tokenizers of FTS3 that split texts in different ways.
    static let tokenizers = ["simple", "unicode61"]

    /// Throws an error if the text is not a pattern of FTS3 and FTS4.
    static func checkFTS3(rawPattern: String, tokenizer: String = "simple") throws {
        try with(.fts4(tokenizer)) { db in
            try db.execute(
                sql: "CREATE VIRTUAL TABLE document USING fts4(tokenize=\(tokenizer))")
        } _: { db in
            try search("document", rawPattern, db)
        }
    }

    /// Throws an error if the text is not a pattern of FTS5, or refers to other columns.
    static func checkFTS5(rawPattern: String, columns: [String]) throws {
        // A table can't have the same name as one of its columns.
        var table = "document"
        while columns.contains(where: { ASCIICase.equal($0, table) }) {
            table += "_"
        }
        try with(.fts5(columns)) { db in
            // A table has at least one column. A random name makes it unlikely that a pattern
            // refers to this column.
            let columns = columns.isEmpty ? [UUID().uuidString] : columns
            let arguments = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
            try db.execute(sql: "CREATE VIRTUAL TABLE \(table) USING fts5(\(arguments))")
        } _: { db in
            try search(table, rawPattern, db)
        }
    }

    private static func search(_ table: String, _ rawPattern: String, _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM \(table) WHERE \(table) MATCH ?")
        // Patterns may be long, and the statement is reused.
        defer { statement.setUncheckedArguments([nil]) }
        try statement.execute(arguments: [rawPattern])
    }

    // MARK: - Databases

    /// Calls the closure with a database.
    ///
    /// - parameter make: creates the table, if no database with this table is idle.
    /// - throws: errors without SQL, because the application did not write it.
    private static func with(
        _ content: Content, make: (Database) throws -> Void, _ body: (Database) throws -> Void
    ) throws {
        do {
            let sandbox = try takeIdle(content) ?? FullTextSandbox(content, make)
            defer { sandbox.giveBack() }
            try sandbox.database.exclusiveAccess(body)
        } catch let error as DatabaseError {
            throw DatabaseError(resultCode: error.extendedResultCode, message: error.message)
        }
    }

    private init(_ content: Content, _ make: (Database) throws -> Void) throws {
        database = try SerializedDatabase(
            path: ":memory:", configuration: Configuration(), defaultLabel: "GRDB.FullText")
        self.content = content
        try database.exclusiveAccess(make)
    }

    private static func takeIdle(_ content: Content) -> FullTextSandbox? {
        idle.withLock { idle in
            idle.lastIndex { $0.content == content && !$0.database.raw.isForked }
                .map { idle.remove(at: $0) }
        }
    }

    private func giveBack() {
        // The database is closed after the lock is released.
        _ = Self.idle.withLock { idle -> FullTextSandbox? in
            idle.append(self)
            return idle.count > Self.maximumCount ? idle.removeFirst() : nil
        }
    }
}
