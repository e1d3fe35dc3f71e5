/// The FTS3 full-text engine, a virtual table module.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "document" USING fts3(content)
/// try db.create(virtualTable: "document", using: FTS3()) { t in
///     t.column("content")
/// }
/// ```
///
/// Choose ``FTS4`` or ``FTS5`` for new tables: FTS3 is their predecessor, and its only option is
/// the tokenizer.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts3.html>
public struct FTS3: Sendable {
    /// How the `unicode61` tokenizer handles diacritics.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts3.html#tokenizer>
    public enum Diacritics: Hashable, Sendable {
        /// Keeps diacritics: "jérôme" does not match "jerome".
        case keep

        /// Removes diacritics from Latin characters, except from a few characters with several
        /// diacritics.
        case removeLegacy

        /// Removes diacritics from Latin characters.
        case remove
    }

    /// Creates the module.
    public init() {}

    /// Returns the tokens that a tokenizer of FTS3 and FTS4 finds in a string.
    ///
    /// ```swift
    /// try FTS3.tokenize("SQLite database")  // ["sqlite", "database"]
    /// try FTS3.tokenize("Gustave Doré", withTokenizer: .unicode61())  // ["gustave", "dore"]
    /// ```
    ///
    /// This method needs no connection, and can be called from any thread.
    ///
    /// - parameter string: the string.
    /// - parameter tokenizer: one of SQLite's built-in tokenizers.
    /// - throws: a ``DatabaseError`` if there is no such tokenizer, or if it rejects its arguments.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts3.html#querying_tokenizers>
    public static func tokenize(
        _ string: String, withTokenizer tokenizer: FTS3TokenizerDescriptor = .simple
    ) throws -> [String] {
        try FullTextSandbox.tokenize(string, tokenizer)
    }
}

extension FTS3: VirtualTableModule {
    public var moduleName: String { "fts3" }

    public func makeTableDefinition(
        configuration: VirtualTableConfiguration
    ) -> FTS3TableDefinition {
        FTS3TableDefinition()
    }

    public func moduleArguments(for definition: FTS3TableDefinition, in db: Database) -> [String] {
        definition.columns.map(\.fullTextColumnName)
            + [definition.tokenizer?.moduleArgument]
            .compactMap(\.self)
    }

    public func database(
        _ db: Database, didCreate tableName: String, using definition: FTS3TableDefinition
    ) {}
}

/// Defines an FTS3 table. See ``FTS3``.
///
/// Use a definition only in the closure that receives it.
public final class FTS3TableDefinition {
    /// The tokenizer of the table; nil for `simple`.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book" USING fts3(title, tokenize=porter)
    /// try db.create(virtualTable: "book", using: FTS3()) { t in
    ///     t.tokenizer = .porter
    ///     t.column("title")
    /// }
    /// ```
    public var tokenizer: FTS3TokenizerDescriptor?

    fileprivate var columns: [String] = []

    /// Adds a column. All columns contain text.
    ///
    /// A table without columns gets a single column, `content`.
    public func column(_ name: String) {
        columns.append(name)
    }
}

extension FTS3TableDefinition: CheckedVirtualTableDefinition {
    package func check(_ context: VirtualTableContext) throws {
        try context.check(columns: columns, of: "FTS3", hidden: [context.tableName, "docid"])
    }
}
