import Foundation

/// Databases in memory, in which texts are tokenized and patterns are checked without a table of the
/// application.
///
/// They know no tokenizer but those of SQLite, so that no code of the application runs in them, except
/// the logger of errors: this one may come back here.
///
/// Opening a database takes a hundred times as long as checking a pattern. So a few are kept, each of
/// which belongs to one thread as long as it uses it: no thread waits for another. A child that was
/// forked leaves those of its parent alone.
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

    /// Those that no thread uses; at the end, the one that was used last. The lock is only held for
    /// moments, never while SQLite works.
    private static let idle = Locked<[FullTextSandbox]>([])

    /// Enough for applications that search a few tables. Each takes some hundred kilobytes.
    private static let maximumCount = 6

    // MARK: - Uses

    /// The tokens that a tokenizer of FTS3 finds.
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

    /// The tokenizers of FTS3 that split texts differently.
    static let tokenizers = ["simple", "unicode61"]

    /// Throws unless the text is a pattern of FTS3 and FTS4.
    static func checkFTS3(rawPattern: String, tokenizer: String = "simple") throws {
        try with(.fts4(tokenizer)) { db in
            try db.execute(
                sql: "CREATE VIRTUAL TABLE document USING fts4(tokenize=\(tokenizer))")
        } _: { db in
            try search("document", rawPattern, db)
        }
    }

    /// Throws unless the text is a pattern of FTS5 that refers to no other columns than these.
    static func checkFTS5(rawPattern: String, columns: [String]) throws {
        // The name of a table can't be that of one of its columns.
        var table = "document"
        while columns.contains(where: { ASCIICase.equal($0, table) }) {
            table += "_"
        }
        try with(.fts5(columns)) { db in
            // A table has at least one column. That no pattern refers to this one is certain enough.
            let columns = columns.isEmpty ? [UUID().uuidString] : columns
            let arguments = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
            try db.execute(sql: "CREATE VIRTUAL TABLE \(table) USING fts5(\(arguments))")
        } _: { db in
            try search(table, rawPattern, db)
        }
    }

    private static func search(_ table: String, _ rawPattern: String, _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM \(table) WHERE \(table) MATCH ?")
        // Patterns may be long, and the statement stays.
        defer { statement.setUncheckedArguments([nil]) }
        try statement.execute(arguments: [rawPattern])
    }

    // MARK: - Databases

    /// Calls the closure with a database.
    ///
    /// - parameter make: creates the table, if no such database is idle.
    /// - throws: errors without the SQL, which is not one that the application has written.
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
        // Closed when the lock is no longer held.
        _ = Self.idle.withLock { idle -> FullTextSandbox? in
            idle.append(self)
            return idle.count > Self.maximumCount ? idle.removeFirst() : nil
        }
    }
}
