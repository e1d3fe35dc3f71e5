extension FTS5: VirtualTableModule {
    public var moduleName: String { "fts5" }

    public func makeTableDefinition(
        configuration: VirtualTableConfiguration
    ) -> FTS5TableDefinition {
        FTS5TableDefinition(configuration: configuration)
    }

    public func moduleArguments(
        for definition: FTS5TableDefinition, in db: Database
    ) throws -> [String] {
        try definition.moduleArguments(db)
    }

    public func database(
        _ db: Database, didCreate tableName: String, using definition: FTS5TableDefinition
    ) throws {
        try definition.synchronization(db, tableName)?.begin()
    }
}

/// Defines an FTS5 table. See ``FTS5``.
///
/// Use a definition only in the closure that receives it.
///
/// Related SQLite documentation:
/// <https://www.sqlite.org/fts5.html#fts5_table_creation_and_initialization>
public final class FTS5TableDefinition {
    /// The tokenizer of the table; nil for `unicode61`.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book" USING fts5(title, tokenize='''porter''')
    /// try db.create(virtualTable: "book", using: FTS5()) { t in
    ///     t.tokenizer = .porter()
    ///     t.column("title")
    /// }
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#tokenizers>
    public var tokenizer: FTS5TokenizerDescriptor?

    /// The `content` option: the table or view that contains the indexed text, or an empty string
    /// if the text is not stored. The default is nil: the full-text table stores the text itself.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book_ft" USING fts5(title, content='book', content_rowid='id')
    /// try db.create(virtualTable: "book_ft", using: FTS5()) { t in
    ///     t.content = "book"
    ///     t.contentRowID = "id"
    ///     t.column("title")
    /// }
    /// ```
    ///
    /// SQLite does not keep the index up to date: prefer ``synchronize(withTable:)``. The other
    /// table must exist in the same schema.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts5.html#external_content_and_contentless_tables>
    public var content: String? {
        get { contentSource.table }
        set { contentSource = .option(table: newValue, rowID: contentRowID) }
    }

    /// The `content_rowid` option: the column of the content table that provides the rowid of the
    /// index. The default, nil, is `rowid`.
    public var contentRowID: String? {
        get { contentSource.rowID }
        set {
            if case .option(let table, _) = contentSource {
                contentSource = .option(table: table, rowID: newValue)
            } else {
                contentSource = .option(table: nil, rowID: newValue)
            }
        }
    }

    /// The `prefix` option: the lengths of the token prefixes to index, in characters. An index
    /// makes prefix searches faster.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book" USING fts5(title, prefix='2 4')
    /// try db.create(virtualTable: "book", using: FTS5()) { t in
    ///     t.prefixes = [2, 4]
    ///     t.column("title")
    /// }
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#prefix_indexes>
    public var prefixes: Set<Int>?

    /// The `columnsize` option. With 0, the table does not store the lengths of documents, which
    /// saves space, and makes ranking with `bm25` slower.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#the_columnsize_option>
    public var columnSize: Int?

    /// The `detail` option. The default is `"full"`. `"column"` and `"none"` save space, but don't
    /// support phrase queries; `"none"` does not support column queries either.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#the_detail_option>
    public var detail: String?

    /// The `contentless_delete` option: whether rows of a contentless table can be deleted and
    /// replaced.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book" USING fts5(title, content='', contentless_delete=1)
    /// try db.create(virtualTable: "book", using: FTS5()) { t in
    ///     t.content = ""
    ///     t.contentlessDelete = true
    ///     t.column("title")
    /// }
    /// ```
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts5.html#contentless_delete_tables>
    public var contentlessDelete = false

    /// The `contentless_unindexed` option: whether a contentless table stores its unindexed
    /// columns.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#contentless_tables>
    public var contentlessUnindexed = false

    /// The `tokendata` option: whether tokens may contain data after a NUL character, which
    /// searches ignore.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#the_tokendata_option>
    public var tokenData = false

    /// The `locale` option: whether the table stores the locales that the SQL function
    /// `fts5_locale` adds to values. Tokenizers can read the locales.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book" USING fts5(title, locale=1)
    /// try db.create(virtualTable: "book", using: FTS5()) { t in
    ///     t.locale = true
    ///     t.column("title")
    /// }
    /// // INSERT INTO book(title) VALUES (fts5_locale('fr_FR', ...))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#the_locale_option>
    public var locale = false

    /// The schema of the table.
    private let schemaName: String
    fileprivate var columns: [FTS5ColumnDefinition] = []
    private var contentSource = FullTextContent.option(table: nil)

    fileprivate init(configuration: VirtualTableConfiguration) {
        schemaName = configuration.schemaName
    }

    /// Adds a column. All columns contain text.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "document" USING fts5(content, uuid UNINDEXED)
    /// try db.create(virtualTable: "document", using: FTS5()) { t in
    ///     t.column("content")
    ///     t.column("uuid").notIndexed()
    /// }
    /// ```
    @discardableResult
    public func column(_ name: String) -> FTS5ColumnDefinition {
        columns.append(FTS5ColumnDefinition(name: name))
        return columns[columns.count - 1]
    }

    /// Indexes the text of another table, and keeps the index up to date.
    ///
    /// ```swift
    /// try db.create(virtualTable: "book_ft", using: FTS5()) { t in
    ///     t.synchronize(withTable: "book")
    ///     t.column("author")
    ///     t.column("title")
    /// }
    /// ```
    ///
    /// The existing rows of the other table are indexed. Triggers apply its later changes to the
    /// index. After you drop the full-text table, drop the triggers with
    /// ``Database/dropFTS5SynchronizationTriggers(forTable:)``.
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
    /// <https://www.sqlite.org/fts5.html#external_content_tables>
    public func synchronize(withTable tableName: String) {
        contentSource = .synchronized(with: tableName)
    }

    fileprivate func moduleArguments(_ db: Database) throws -> [String] {
        var arguments = columns.map { column in
            column.name.fullTextColumnName + (column.isIndexed ? "" : " UNINDEXED")
        }
        func option(_ name: String, _ value: String?) {
            guard let value else { return }
            arguments.append("\(name)=\(value.databaseValue.sqlLiteral)")
        }
        func flag(_ name: String, _ value: Bool) {
            if value { arguments.append("\(name)=1") }
        }
        option(
            "tokenize",
            tokenizer?.components.map(\.databaseValue.sqlLiteral).joined(separator: " "))
        option("content", content)
        option("content_rowid", try contentRowIDArgument(db))
        option("prefix", prefixes?.ordered(by: <).map(String.init).joined(separator: " "))
        if let columnSize {
            arguments.append("columnSize=\(columnSize)")
        }
        if let detail {
            arguments.append(
                "detail=\(detail.isBareword ? detail : detail.databaseValue.sqlLiteral)")
        }
        flag("contentless_delete", contentlessDelete)
        flag("contentless_unindexed", contentlessUnindexed)
        flag("tokendata", tokenData)
        flag("locale", locale)
        return arguments
    }

    /// The table to synchronize with.
    fileprivate func synchronizedTable(_ db: Database) throws -> FullTextContentTable? {
        guard case .synchronized(let table) = contentSource else { return nil }
        return try FullTextContentTable(table, in: schemaName, db)
    }

    /// The synchronization with another table, or nil.
    fileprivate func synchronization(
        _ db: Database, _ tableName: String
    ) throws -> FullTextSynchronization? {
        guard let contentTable = try synchronizedTable(db) else { return nil }
        return FullTextSynchronization(
            module: .fts5, db: db, tableName: tableName, contentTable: contentTable,
            columns: columns.map(\.name),
            indexedColumns: columns.filter(\.isIndexed).map(\.name))
    }

    private func contentRowIDArgument(_ db: Database) throws -> String? {
        guard let table = try synchronizedTable(db) else { return contentRowID }
        let rowID = try table.rowIDName()
        return rowID == "rowid" ? nil : rowID
    }
}

extension FTS5TableDefinition: CheckedVirtualTableDefinition {
    package func check(_ context: VirtualTableContext) throws {
        if columns.isEmpty {
            throw context.error("FTS5 tables need a column")
        }
        let names = columns.map(\.name)
        // SQLite reports columns named "rank" or "rowid" itself.
        try context.check(columns: names, of: "FTS5", hidden: [context.tableName])
        guard let contentTable = try contentSource.existingTable(context) else { return }
        if case .synchronized = contentSource {
            try contentTable.check(columns: names)
        } else if let contentRowID, !contentTable.hasColumn(contentRowID) {
            throw contentTable.noSuchColumn(contentRowID)
        }
    }

    package func completeExistingTable(_ context: VirtualTableContext) throws {
        try synchronization(context.db, context.tableName)?.restore()
    }
}

/// Defines a column of an FTS5 table. See ``FTS5TableDefinition/column(_:)``.
public final class FTS5ColumnDefinition {
    fileprivate let name: String
    fileprivate var isIndexed = true

    fileprivate init(name: String) {
        self.name = name
    }

    /// Stores the column without indexing it. Searches ignore the column.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "document" USING fts5(content, uuid UNINDEXED)
    /// try db.create(virtualTable: "document", using: FTS5()) { t in
    ///     t.column("content")
    ///     t.column("uuid").notIndexed()
    /// }
    /// ```
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/fts5.html#the_unindexed_column_option>
    @discardableResult
    public func notIndexed() -> Self {
        isIndexed = false
        return self
    }
}
