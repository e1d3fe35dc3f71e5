extension Database {
    // MARK: - Columns

    /// Returns the columns of a table or view, in the order of their definition.
    ///
    /// ```swift
    /// let columns = try dbQueue.read { db in
    ///     try db.columns(in: "player")
    /// }
    /// ```
    ///
    /// The result includes generated columns, but not the hidden columns of virtual tables: see
    /// ``allColumns(in:in:)``.
    ///
    /// - parameter tableName: the name of a table or view.
    /// - parameter schemaName: the schema of the table. If nil, schemas are searched in SQLite's
    ///   order: temp, main, attached databases.
    /// - throws: a ``DatabaseError``, for example if there is no such table or schema.
    public func columns(
        in tableName: String, in schemaName: String? = nil
    ) throws -> [ColumnInfo] {
        try allColumns(in: tableName, in: schemaName).filter { !$0.isHidden }
    }

    /// Returns the columns of a table or view, including hidden columns of virtual tables.
    ///
    /// - throws: a ``DatabaseError``, for example if there is no such table or schema.
    public func allColumns(
        in tableName: String, in schemaName: String? = nil
    ) throws -> [ColumnInfo] {
        guard let (id, _) = try tableOrView(tableName, in: schemaName) else {
            // Some virtual tables exist without having been created.
            let name = tableName.quotedDatabaseIdentifier
            let rows =
                schemaName == nil && !tableName.isEmpty
                ? try Row.fetchAll(self, sql: "PRAGMA table_xinfo(\(name))") : []
            guard !rows.isEmpty else { throw DatabaseError.noSuchTable(tableName) }
            return rows.map(ColumnInfo.init(row:))
        }
        return try columns(of: id)
    }

    private func columns(of table: DatabaseObjectID) throws -> [ColumnInfo] {
        let cache = try validSchemaCache()
        if let columns = cache.tables[table]?.columns { return columns }
        let columns = try Row.fetchAll(self, sql: table.pragma("table_xinfo"))
            .map(ColumnInfo.init(row:))
        cache.tables[table, default: TableStructure()].columns = columns
        return columns
    }

    // MARK: - Indexes

    /// Returns the indexes of a table, including the indexes of primary and unique keys.
    ///
    /// ```swift
    /// let indexes = try dbQueue.read { db in
    ///     try db.indexes(on: "player")
    /// }
    /// ```
    ///
    /// The result contains only indexes on columns, not indexes on expressions. The rowid has no
    /// index: use ``primaryKey(_:in:)`` or ``table(_:hasUniqueKey:)``.
    ///
    /// - throws: a ``DatabaseError``, for example if there is no such table or schema.
    public func indexes(
        on tableName: String, in schemaName: String? = nil
    ) throws -> [IndexInfo] {
        try indexes(of: existingTable(tableName, in: schemaName)).map(\.info)
    }

    func indexes(of table: DatabaseObjectID) throws -> [TableIndex] {
        let cache = try validSchemaCache()
        if let indexes = cache.tables[table]?.indexes { return indexes }
        let rows = try Row.fetchAll(self, sql: table.pragma("index_list"))
        let indexes = try rows.compactMap { row -> TableIndex? in
            let name: String = row.columnValue("name")
            let terms = try Row.fetchAll(self, sql: table.pragma("index_xinfo", of: name))
            let columns = terms.filter { $0.columnValue("key") }
                .map { $0.columnValue("name") as String? }
            // Expressions have no name.
            if columns.contains(nil) { return nil }
            let info = IndexInfo(
                name: name, columns: columns.compactMap(\.self),
                isUnique: row.columnValue("unique"), isPartial: row.columnValue("partial"),
                origin: IndexInfo.Origin(rawValue: row.columnValue("origin")))
            return TableIndex(
                info: info, endsWithRowID: terms.last?.columnValue("cid") as Int? == -1)
        }
        cache.tables[table, default: TableStructure()].indexes = indexes
        return indexes
    }

    // MARK: - Primary key

    /// Returns the primary key of a table, or of a view whose primary key the ``schemaSource``
    /// provides.
    ///
    /// ```swift
    /// let primaryKey = try dbQueue.read { db in
    ///     try db.primaryKey("player")
    /// }
    /// ```
    ///
    /// If a table declares no primary key, its primary key is the hidden rowid.
    ///
    /// - throws: a ``DatabaseError``, for example if there is no such table or schema, or if a view
    ///   has no primary key.
    public func primaryKey(
        _ tableName: String, in schemaName: String? = nil
    ) throws -> PrimaryKeyInfo {
        let cache = try validSchemaCache()
        if schemaName == nil, let primaryKey = cache.primaryKey(of: tableName) {
            return primaryKey
        }
        guard let (id, info) = try tableOrView(tableName, in: schemaName) else {
            // Throws an error if there is no such table.
            let columns = try allColumns(in: tableName, in: schemaName)
            return try primaryKey(ofTable: nil, isVirtual: true, columns: columns)
        }
        let primaryKey =
            try cache.tables[id]?.primaryKey
            ?? (info?.kind == .view
                ? primaryKey(ofView: id, as: tableName)
                : primaryKey(
                    ofTable: id, isVirtual: info?.isVirtualTable ?? false, columns: columns(of: id)))
        cache.tables[id, default: TableStructure()].primaryKey = primaryKey
        if schemaName == nil {
            cache.setPrimaryKey(primaryKey, of: tableName)
        }
        return primaryKey
    }

    private func primaryKey(
        ofView view: DatabaseObjectID, as name: String
    ) throws -> PrimaryKeyInfo {
        guard let columns = try schemaSource?.columnsForPrimaryKey(self, inView: view),
            !columns.isEmpty
        else {
            throw DatabaseError(message: "database view \(name) has no primary key")
        }
        return .columns(columns, hasRowID: false)
    }

    /// - parameter table: nil for a virtual table that exists without having been created.
    private func primaryKey(
        ofTable table: DatabaseObjectID?, isVirtual: Bool, columns allColumns: [ColumnInfo]
    ) throws -> PrimaryKeyInfo {
        let columns = allColumns.filter { $0.primaryKeyIndex > 0 }
            .ordered { $0.primaryKeyIndex < $1.primaryKeyIndex }
            .map(\.name)
        if columns.isEmpty {
            return rowIDName(besides: allColumns).map { .hiddenRowID(named: $0) } ?? .hiddenRowID
        }
        let tableIndexes = try table.map { try indexes(of: $0) } ?? []
        if let index = tableIndexes.first(where: { $0.info.origin == .primaryKeyConstraint }) {
            return .columns(columns, hasRowID: index.endsWithRowID)
        }
        // A primary key without an index is the rowid. The declared type alone is not sufficient:
        // INTEGER PRIMARY KEY DESC is not an alias of the rowid, nor is the key of a virtual table.
        return isVirtual ? .columns(columns, hasRowID: true) : .rowIDAlias(columns[0])
    }

    // MARK: - Unique keys

    /// Returns whether columns uniquely identify a row: whether they include the primary key, or
    /// all columns of a unique index.
    ///
    /// ```swift
    /// // CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c, UNIQUE (a, b))
    /// try db.table("t", hasUniqueKey: ["id"])          // true
    /// try db.table("t", hasUniqueKey: ["rowid"])       // true
    /// try db.table("t", hasUniqueKey: ["b", "a"])      // true
    /// try db.table("t", hasUniqueKey: ["a", "b", "c"]) // true
    /// try db.table("t", hasUniqueKey: ["a"])           // false
    /// ```
    ///
    /// Partial unique indexes are ignored, because the rows outside such an index may be equal.
    ///
    /// - throws: a ``DatabaseError``.
    public func table(
        _ tableName: String, hasUniqueKey columns: some Collection<String>
    ) throws -> Bool {
        guard try tableOrView(tableName) != nil else { return false }
        return try containsUniqueKey(Array(columns), in: tableName)
    }

    /// Whether at most one row has given values in the columns. The columns include those of a
    /// unique key.
    ///
    /// - throws: a ``DatabaseError``, for example if there is no such table or view.
    func containsUniqueKey(
        _ columns: [String], in tableName: String, _ schemaName: String? = nil
    ) throws -> Bool {
        if columns.isEmpty { return false }
        let given = Set(columns.map { CaseInsensitiveIdentifier($0) })
        func isGiven(_ key: [String]) -> Bool {
            !key.isEmpty && key.allSatisfy { given.contains(CaseInsensitiveIdentifier($0)) }
        }
        guard let (id, info) = try tableOrView(tableName, in: schemaName) else {
            return isGiven(try primaryKey(tableName, in: schemaName).columns)
        }
        if info?.kind == .view {
            return isGiven(try schemaSource?.columnsForPrimaryKey(self, inView: id) ?? [])
        }
        let primaryKey = try primaryKey(tableName, in: schemaName)
        if isGiven(primaryKey.columns) { return true }
        for index in try indexes(of: id).map(\.info) where index.isUnique && !index.isPartial {
            if isGiven(index.columns) { return true }
        }
        return try primaryKey.tableHasRowID
            && columns.contains { try isRowIDName($0, in: id) }
    }

    /// Whether a name refers to the rowid, and not to a column.
    func isRowIDName(_ name: String, in table: DatabaseObjectID) throws -> Bool {
        guard Self.rowIDNames.contains(.init(name)) else { return false }
        return try !columns(of: table).contains { ASCIICase.equal($0.name, name) }
    }

    private static let rowIDNames: [CaseInsensitiveIdentifier] = ["rowid", "oid", "_rowid_"]

    /// A name of the rowid that is not the name of a column, or nil.
    func rowIDName(besides columns: [ColumnInfo]) -> String? {
        Self.rowIDNames.first { name in
            !columns.contains { ASCIICase.equal($0.name, name.rawValue) }
        }?.rawValue
    }

    /// A name of the rowid in `RETURNING` clauses that is not the name of a column; nil if
    /// `RETURNING` does not support the rowid of this table.
    package func returnedRowIDName(
        in tableName: String, _ schemaName: String? = nil
    ) throws -> String? {
        let primaryKey = try primaryKey(tableName, in: schemaName)
        guard primaryKey.tableHasRowID,
            // Virtual tables return -1.
            try tableOrView(tableName, in: schemaName)?.info?.isVirtualTable != true
        else {
            return nil
        }
        return try rowIDName(besides: columns(in: tableName, in: schemaName))
            ?? primaryKey.rowIDColumn
    }

    // MARK: - Foreign keys

    /// Returns the foreign keys of a table.
    ///
    /// ```swift
    /// let foreignKeys = try dbQueue.read { db in
    ///     try db.foreignKeys(on: "player")
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError``, for example if there is no such table or schema, or if a
    ///   foreign key refers to the primary key of a table that does not exist, or whose primary key
    ///   has a different number of columns.
    public func foreignKeys(
        on tableName: String, in schemaName: String? = nil
    ) throws -> [ForeignKeyInfo] {
        let table = try existingTable(tableName, in: schemaName)
        return try foreignKeyDeclarations(of: table).map { try resolve($0, of: table) }
    }

    /// The foreign keys of a table that refer to the given table. Foreign keys to other tables may
    /// be invalid.
    func foreignKeys(
        on tableName: String, in schemaName: String?, to destinationTable: String
    ) throws -> [ForeignKeyInfo] {
        let table = try existingTable(tableName, in: schemaName)
        return try foreignKeyDeclarations(of: table)
            .filter { ASCIICase.equal($0.destinationTable, destinationTable) }
            .map { try resolve($0, of: table) }
    }

    package func foreignKeyDeclarations(
        of table: DatabaseObjectID
    ) throws -> [ForeignKeyDeclaration] {
        let cache = try validSchemaCache()
        if let declarations = cache.tables[table]?.foreignKeys { return declarations }
        let rows = try Row.fetchAll(self, sql: table.pragma("foreign_key_list"))
        let declarations = Dictionary(grouping: rows) { $0.columnValue("id") as Int }
            .ordered { $0.key < $1.key }
            .map { id, rows in
                let rows = rows.ordered {
                    ($0.columnValue("seq") as Int) < ($1.columnValue("seq") as Int)
                }
                let destinations = rows.compactMap { $0.columnValue("to") as String? }
                return ForeignKeyDeclaration(
                    id: id,
                    destinationTable: rows[0].columnValue("table"),
                    originColumns: rows.map { $0.columnValue("from") },
                    destinationColumns: destinations.isEmpty ? nil : destinations,
                    deleteAction: ForeignKeyAction(rawValue: rows[0].columnValue("on_delete")),
                    updateAction: ForeignKeyAction(rawValue: rows[0].columnValue("on_update")))
            }
        cache.tables[table, default: TableStructure()].foreignKeys = declarations
        return declarations
    }

    /// Adds the columns of the referenced primary key to a declaration.
    func resolve(
        _ declaration: ForeignKeyDeclaration, of table: DatabaseObjectID
    ) throws -> ForeignKeyInfo {
        let destinationTable = declaration.destinationTable
        let destinationColumns =
            try declaration.destinationColumns
            ?? primaryKey(destinationTable, in: table.schemaID.name).columns
        guard destinationColumns.count == declaration.originColumns.count else {
            throw DatabaseError(
                message: """
                    foreign key mismatch - "\(table.name)" referencing "\(destinationTable)"
                    """)
        }
        return ForeignKeyInfo(
            id: declaration.id,
            destinationTable: destinationTable,
            mapping: zip(declaration.originColumns, destinationColumns)
                .map { (origin: $0, destination: $1) },
            deleteAction: declaration.deleteAction,
            updateAction: declaration.updateAction)
    }
}
