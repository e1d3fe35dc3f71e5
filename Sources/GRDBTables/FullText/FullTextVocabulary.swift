import GRDB

/// The tokens of an FTS5 table, a virtual table module.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "book_tokens" USING fts5vocab('book', 'row')
/// try db.create(virtualTable: "book_tokens", using: FTS5Vocabulary(of: "book"))
///
/// // How many books have each token, and how many times
/// let rows = try Row.fetchAll(db, sql: "SELECT term, doc, cnt FROM book_tokens")
/// ```
///
/// The table reads the index, and is read-only.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module>
public struct FTS5Vocabulary: VirtualTableModule, Sendable {
    /// The rows of a vocabulary table.
    public enum Rows: String, Hashable, Sendable {
        /// One row per token: `term`, `doc` (the number of rows that contain the token), `cnt` (the
        /// number of its occurrences).
        case tokens = "row"

        /// One row per token and column: `term`, `col`, `doc`, `cnt`.
        case columns = "col"

        /// One row per occurrence of a token: `term`, `doc` (the rowid), `col`, `offset`.
        case instances = "instance"
    }

    private let tableName: String
    private let schemaName: String?
    private let rows: Rows

    /// Creates the module.
    ///
    /// - parameter tableName: the FTS5 table.
    /// - parameter schemaName: the schema of the FTS5 table. Only temporary vocabulary tables can
    ///   read a table of another schema.
    /// - parameter rows: the kind of rows.
    public init(of tableName: String, in schemaName: String? = nil, rows: Rows = .tokens) {
        self.tableName = tableName
        self.schemaName = schemaName
        self.rows = rows
    }

    public var moduleName: String { "fts5vocab" }

    public func makeTableDefinition(configuration: VirtualTableConfiguration) {}

    public func moduleArguments(for definition: Void, in db: Database) -> [String] {
        [schemaName, tableName, rows.rawValue].compactMap { $0?.databaseValue.sqlLiteral }
    }

    public func database(_ db: Database, didCreate tableName: String, using definition: Void) {}
}

/// The tokens of an FTS3 or FTS4 table, a virtual table module.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "book_tokens" USING fts4aux('book')
/// try db.create(virtualTable: "book_tokens", using: FTS4Vocabulary(of: "book"))
///
/// // How many books have each token, and how many times
/// let rows = try Row.fetchAll(
///     db, sql: "SELECT term, documents, occurrences FROM book_tokens WHERE col = '*'")
/// ```
///
/// The table reads the index, and is read-only.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts3.html#fts4aux>
public struct FTS4Vocabulary: VirtualTableModule, Sendable {
    private let tableName: String
    private let schemaName: String?

    /// Creates the module.
    ///
    /// - parameter tableName: the FTS3 or FTS4 table.
    /// - parameter schemaName: the schema of the full-text table. Only temporary vocabulary tables
    ///   can read a table of another schema.
    public init(of tableName: String, in schemaName: String? = nil) {
        self.tableName = tableName
        self.schemaName = schemaName
    }

    public var moduleName: String { "fts4aux" }

    public func makeTableDefinition(configuration: VirtualTableConfiguration) {}

    public func moduleArguments(for definition: Void, in db: Database) -> [String] {
        // The module does not remove quotes from the name of a schema.
        [schemaName?.fullTextColumnName, tableName.databaseValue.sqlLiteral].compactMap(\.self)
    }

    public func database(_ db: Database, didCreate tableName: String, using definition: Void) {}
}
