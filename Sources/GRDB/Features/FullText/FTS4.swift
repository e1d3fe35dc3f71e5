/// The FTS4 full-text engine, a virtual table module.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "document" USING fts4(content)
/// try db.create(virtualTable: "document", using: FTS4()) { t in
///     t.column("content")
/// }
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/fts3.html>
public struct FTS4: Sendable {
    /// The order in which an index stores its documents.
    public enum Order: String, Hashable, Sendable {
        /// From the lowest to the highest rowid.
        case ascending = "asc"

        /// From the highest to the lowest rowid.
        case descending = "desc"
    }

    /// Creates the module.
    public init() {}
}

extension FTS4: VirtualTableModule {
    public var moduleName: String { "fts4" }

    public func makeTableDefinition(
        configuration: VirtualTableConfiguration
    ) -> FTS4TableDefinition {
        FTS4TableDefinition(configuration: configuration)
    }

    public func moduleArguments(for definition: FTS4TableDefinition, in db: Database) -> [String] {
        definition.moduleArguments
    }

    public func database(
        _ db: Database, didCreate tableName: String, using definition: FTS4TableDefinition
    ) throws {
        try definition.synchronization(db, tableName)?.begin()
    }
}

/// Defines an FTS4 table. See ``FTS4``.
///
/// Use a definition only in the closure that receives it.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts3.html#fts4_options>
public final class FTS4TableDefinition {
    /// The tokenizer of the table; nil for `simple`.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book" USING fts4(title, tokenize=porter)
    /// try db.create(virtualTable: "book", using: FTS4()) { t in
    ///     t.tokenizer = .porter
    ///     t.column("title")
    /// }
    /// ```
    public var tokenizer: FTS3TokenizerDescriptor?

    /// The `content` option: the table that contains the indexed text, or an empty string if the
    /// text is not stored. The default is nil: the full-text table stores the text itself.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book_ft" USING fts4(title, content="book")
    /// try db.create(virtualTable: "book_ft", using: FTS4()) { t in
    ///     t.content = "book"
    ///     t.column("title")
    /// }
    /// ```
    ///
    /// SQLite does not keep the index up to date: prefer ``synchronize(withTable:)``. The other
    /// table must exist in the same schema.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts3.html#the_content_option_>
    public var content: String? {
        get { contentSource.table }
        set { contentSource = .option(table: newValue) }
    }

    /// The `compress` option: the name of an SQL function that compresses the stored text. Set
    /// ``uncompress``, too.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts3.html#the_compress_and_uncompress_options>
    public var compress: String?

    /// The `uncompress` option: the name of the inverse of the SQL function ``compress``.
    public var uncompress: String?

    /// The `matchinfo` option. `"fts3"` saves space: the table does not store the document lengths,
    /// which the SQL function `matchinfo` can return.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts3.html#the_matchinfo_option>
    public var matchinfo: String?

    /// The `prefix` option: the lengths of the token prefixes to index, in bytes. An index makes
    /// prefix searches faster.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book" USING fts4(title, prefix="2,4")
    /// try db.create(virtualTable: "book", using: FTS4()) { t in
    ///     t.prefixes = [2, 4]
    ///     t.column("title")
    /// }
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts3.html#the_prefix_option>
    public var prefixes: Set<Int>?

    /// The `order` option: the order of results in which searches are fastest. The default, nil, is
    /// the ascending order.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "email" USING fts4(subject, order="desc")
    /// try db.create(virtualTable: "email", using: FTS4()) { t in
    ///     t.order = .descending
    ///     t.column("subject")
    /// }
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts3.html#the_order_option>
    public var order: FTS4.Order?

    /// The schema of the table.
    private let schemaName: String
    private var columns: [FTS4ColumnDefinition] = []
    private var contentSource = FullTextContent.option(table: nil)

    fileprivate init(configuration: VirtualTableConfiguration) {
        schemaName = configuration.schemaName
    }

    /// Adds a column. All columns contain text.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "document" USING fts4(content, uuid, notindexed=uuid)
    /// try db.create(virtualTable: "document", using: FTS4()) { t in
    ///     t.column("content")
    ///     t.column("uuid").notIndexed()
    /// }
    /// ```
    ///
    /// A table without columns gets the columns of its content table, or the single column
    /// `content`.
    @discardableResult
    public func column(_ name: String) -> FTS4ColumnDefinition {
        columns.append(FTS4ColumnDefinition(name: name))
        return columns[columns.count - 1]
    }

    /// Indexes the text of another table, and keeps the index up to date.
    ///
    /// ```swift
    /// try db.create(virtualTable: "book_ft", using: FTS4()) { t in
    ///     t.synchronize(withTable: "book")
    ///     t.column("author")
    ///     t.column("title")
    /// }
    /// ```
    ///
    /// The existing rows of the other table are indexed. Triggers apply its later changes to the
    /// index. After you drop the full-text table, drop the triggers with
    /// ``Database/dropFTS4SynchronizationTriggers(forTable:)``.
    ///
    /// If ``VirtualTableOptions/ifNotExists`` is given, and the table already exists with the same
    /// definition, missing triggers are created again, and the index is rebuilt. Triggers are
    /// missing, for example, after a migration has recreated the other table.
    /// Triggers that run on each update, as former versions created them, are replaced by triggers that
    /// run when an indexed column or the rowid is set.
    ///
    /// For the rows that `INSERT OR REPLACE` deletes, SQLite runs triggers only if
    /// `PRAGMA recursive_triggers` is on: prefer upserts.
    ///
    /// - parameter tableName: a table of the same schema, with a rowid, and with all columns of the
    ///   full-text table.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts3.html#_external_content_fts4_tables_>
    public func synchronize(withTable tableName: String) {
        contentSource = .synchronized(with: tableName)
    }

    /// The synchronization with another table, or nil.
    fileprivate func synchronization(
        _ db: Database, _ tableName: String
    ) throws -> FullTextSynchronization? {
        guard case .synchronized(let table) = contentSource else { return nil }
        let contentTable = try FullTextContentTable(table, in: schemaName, db)
        let filled = synchronizedColumns(with: contentTable)
        let others = columns.filter { $0.role == .notIndexed }.map(\.name)
        return FullTextSynchronization(
            module: .fts4, db: db, tableName: tableName, contentTable: contentTable,
            columns: filled, indexedColumns: filled.filter { !others.contains($0) })
    }

    /// The columns to fill. If the table has no columns of its own, these are all columns of its
    /// content table.
    fileprivate func synchronizedColumns(with contentTable: FullTextContentTable) -> [String] {
        let names = columns.map(\.name)
        if columns.contains(where: { $0.role != .languageID }) { return names }
        return contentTable.columns.filter { column in
            !names.contains { ASCIICase.equal($0, column) }
        } + names
    }

    fileprivate var moduleArguments: [String] {
        var arguments: [String] = []
        for column in columns {
            let name = column.name.fullTextColumnName
            switch column.role {
            case .indexed: arguments += [name]
            case .notIndexed: arguments += [name, "notindexed=\(name)"]
            case .languageID:
                arguments += ["languageid=\(column.name.quotedDatabaseIdentifier)"]
            }
        }
        func option(_ name: String, _ value: String?) {
            guard let value else { return }
            arguments.append("\(name)=\(value.quotedDatabaseIdentifier)")
        }
        if let tokenizer {
            arguments.append(tokenizer.moduleArgument)
        }
        option("content", content)
        option("compress", compress)
        option("uncompress", uncompress)
        option("matchinfo", matchinfo)
        option("prefix", prefixes?.ordered(by: <).map(String.init).joined(separator: ","))
        option("order", order?.rawValue)
        return arguments
    }
}

extension FTS4TableDefinition: CheckedVirtualTableDefinition {
    package func check(_ context: VirtualTableContext) throws {
        let names = columns.map(\.name)
        // FTS4 interprets any argument with an equals sign as an option.
        if let name = names.first(where: { $0.contains("=") }) {
            throw context.error("columns of FTS4 tables can't have an equals sign: \(name)")
        }
        let languageIDs = columns.filter { $0.role == .languageID }.map(\.name)
        if languageIDs.count > 1 {
            throw context.error(
                "several language ids: \(languageIDs.joined(separator: ", "))")
        }
        try context.check(columns: names, of: "FTS4", hidden: [context.tableName, "docid"])

        guard let contentTable = try contentSource.existingTable(context) else { return }
        try contentTable.checkFTS4ReadsRowIDs()
        if case .synchronized = contentSource {
            try contentTable.check(columns: names)
        }
    }

    package func completeExistingTable(_ context: VirtualTableContext) throws {
        try synchronization(context.db, context.tableName)?.restore()
    }
}

/// Defines a column of an FTS4 table. See ``FTS4TableDefinition/column(_:)``.
public final class FTS4ColumnDefinition {
    fileprivate enum Role {
        case indexed
        case notIndexed
        case languageID
    }

    fileprivate let name: String
    fileprivate var role = Role.indexed

    fileprivate init(name: String) {
        self.name = name
    }

    /// Stores the column without indexing it. Searches ignore the column.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "document" USING fts4(uuid, notindexed=uuid)
    /// try db.create(virtualTable: "document", using: FTS4()) { t in
    ///     t.column("uuid").notIndexed()
    /// }
    /// ```
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts3.html#the_notindexed_option>
    @discardableResult
    public func notIndexed() -> Self {
        // A language id is not text, and is never indexed.
        if role == .indexed { role = .notIndexed }
        return self
    }

    /// Makes the column the language id of its documents: a hidden integer column. A search finds
    /// only the documents with the language id of the query, 0 by default.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "document" USING fts4(content, languageid="lid")
    /// try db.create(virtualTable: "document", using: FTS4()) { t in
    ///     t.column("content")
    ///     t.column("lid").asLanguageId()
    /// }
    ///
    /// // SELECT * FROM "document" WHERE ("document" MATCH 'sqlite') AND ("lid" = 2)
    /// Document.matching(pattern).filter(Column("lid") == 2)
    /// ```
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts3.html#the_languageid_option>
    @discardableResult
    public func asLanguageId() -> Self {
        role = .languageID
        return self
    }
}
