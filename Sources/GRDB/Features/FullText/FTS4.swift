/// The FTS4 full-text engine, as a module of virtual tables.
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
    /// The order in which an index keeps its documents.
    public enum Order: String, Hashable, Sendable {
        /// From the smallest rowid to the greatest one.
        case ascending = "asc"

        /// From the greatest rowid to the smallest one.
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
        guard let synchronization = try definition.synchronization(db, tableName) else { return }
        try synchronization.createFTS4Triggers()
        try synchronization.rebuildFTS4Index()
    }
}

/// Defines an FTS4 table. See ``FTS4``.
///
/// A definition may only be used in the closure that received it.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts3.html#fts4_options>
public final class FTS4TableDefinition {
    /// The tokenizer of the table; nil for the `simple` one.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book" USING fts4(title, tokenize=porter)
    /// try db.create(virtualTable: "book", using: FTS4()) { t in
    ///     t.tokenizer = .porter
    ///     t.column("title")
    /// }
    /// ```
    public var tokenizer: FTS3TokenizerDescriptor?

    /// The `content` option: the table that contains the indexed text, or an empty string when
    /// nothing contains it. By default, nil, the full-text table itself does.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book_ft" USING fts4(title, content="book")
    /// try db.create(virtualTable: "book_ft", using: FTS4()) { t in
    ///     t.content = "book"
    ///     t.column("title")
    /// }
    /// ```
    ///
    /// Nothing keeps the index up to date: prefer ``synchronize(withTable:)``. The other table must
    /// exist, in the same schema.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts3.html#the_content_option_>
    public var content: String? {
        get { contentSource.table }
        set { contentSource = .option(table: newValue) }
    }

    /// The `compress` option: the name of an SQL function that compresses the stored text. Goes
    /// with ``uncompress``.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts3.html#the_compress_and_uncompress_options>
    public var compress: String?

    /// The `uncompress` option: the name of an SQL function that undoes what ``compress`` does.
    public var uncompress: String?

    /// The `matchinfo` option. `"fts3"` saves space by not storing the document lengths that the
    /// SQL function `matchinfo` can return.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts3.html#the_matchinfo_option>
    public var matchinfo: String?

    /// The `prefix` option: the lengths, in bytes, of token prefixes to index, which makes prefix
    /// searches faster.
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

    /// The `order` option: the order in which searches are the fastest. By default, nil, it is the
    /// ascending one.
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
    /// A table without columns has the columns of its content table, or the single column
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
    /// The rows that the table already has are indexed. Triggers apply its later changes to the
    /// index: drop them after the full-text table, with
    /// ``Database/dropFTS4SynchronizationTriggers(forTable:)``.
    ///
    /// When the table already exists, with the same definition, and ``VirtualTableOptions/ifNotExists``
    /// is given, missing triggers are created again, and the index is rebuilt. A migration that
    /// recreates the other table drops them.
    ///
    /// SQLite runs no trigger for the rows that an `INSERT OR REPLACE` deletes, unless
    /// `PRAGMA recursive_triggers` is on: prefer upserts.
    ///
    /// - parameter tableName: a table of the same schema, with a rowid, and with all columns of
    ///   this one.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts3.html#_external_content_fts4_tables_>
    public func synchronize(withTable tableName: String) {
        contentSource = .synchronized(with: tableName)
    }

    /// The synchronization of the table with another one; nil if there is none.
    fileprivate func synchronization(
        _ db: Database, _ tableName: String
    ) throws -> FullTextSynchronization? {
        guard case .synchronized(let table) = contentSource else { return nil }
        let contentTable = try FullTextContentTable(table, in: schemaName, db)
        return FullTextSynchronization(
            db: db, tableName: tableName, contentTable: contentTable,
            columns: synchronizedColumns(with: contentTable))
    }

    /// The columns to fill. A table without columns of its own has all columns of its content
    /// table.
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
        option("prefix", prefixes?.sorted().map(String.init).joined(separator: ","))
        option("order", order?.rawValue)
        return arguments
    }
}

extension FTS4TableDefinition: CheckedVirtualTableDefinition {
    func check(_ context: VirtualTableContext) throws {
        let names = columns.map(\.name)
        // FTS4 takes all that has an equals sign for an option.
        if let name = names.first(where: { $0.contains("=") }) {
            throw context.error("columns of FTS4 tables can't have an equals sign: \(name)")
        }
        let languageIDs = columns.filter { $0.role == .languageID }.map(\.name)
        if languageIDs.count > 1 {
            throw context.error(
                "several language ids: \(languageIDs.joined(separator: ", "))")
        }
        try FullTextColumnNames(names, hidden: [context.tableName, "docid"]).check("FTS4", context)

        guard let contentTable = try contentSource.existingTable(context) else { return }
        try contentTable.checkFTS4ReadsRowIDs()
        if case .synchronized = contentSource {
            try contentTable.check(columns: names)
        }
    }

    func completeExistingTable(_ context: VirtualTableContext) throws {
        guard let synchronization = try synchronization(context.db, context.tableName) else {
            return
        }
        if try synchronization.restoreFTS4Triggers() {
            try synchronization.rebuildFTS4Index()
        }
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

    /// Stores the column without indexing it: searches don't look into it.
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
        // A language id is no text, and never indexed.
        if role == .indexed { role = .notIndexed }
        return self
    }

    /// Makes the column the language id of its documents: a hidden integer column. Searches only
    /// find the documents of the language id that they ask for, 0 by default.
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
