/// The place where a full-text table finds the text of its rows.
enum FullTextContent {
    /// The value of the `content` option: nil for the full-text table itself, an empty name if the
    /// text is not stored, or another table.
    case option(table: String?, rowID: String? = nil)

    /// A table whose changes are applied to the index.
    case synchronized(with: String)

    var table: String? {
        switch self {
        case .option(let table, _): table
        case .synchronized(let table): table
        }
    }

    /// The `content_rowid` option.
    var rowID: String? {
        if case .option(_, let rowID) = self { rowID } else { nil }
    }

    /// The other table; nil if there is none.
    func existingTable(_ context: VirtualTableContext) throws -> FullTextContentTable? {
        guard let table, !table.isEmpty else { return nil }
        return try FullTextContentTable(table, in: context.schemaName, context.db)
    }
}

/// A table or view that contains the text of a full-text table.
package struct FullTextContentTable {
    private let db: Database
    let name: String
    let schemaName: String
    package let columns: [String]

    /// - throws: a ``DatabaseError`` if the schema has no such table, because SQLite looks for the
    ///   table only there.
    package init(_ name: String, in schemaName: String, _ db: Database) throws {
        guard try db.tableOrView(name, in: schemaName) != nil else {
            // Another schema may contain the table.
            let isElsewhere = try db.tableOrView(name) != nil
            throw DatabaseError.noSuchTable(isElsewhere ? "\(schemaName).\(name)" : name)
        }
        self.db = db
        self.name = name
        self.schemaName = schemaName
        columns = try db.columns(in: name, in: schemaName).map(\.name)
    }

    func noSuchColumn(_ column: String) -> DatabaseError {
        DatabaseError(message: "no such column: \(name).\(column)")
    }

    /// Whether the table has a column or a rowid of this name.
    func hasColumn(_ column: String) -> Bool {
        (columns + ["rowid", "oid", "_rowid_"]).contains { ASCIICase.equal($0, column) }
    }

    /// Throws an error if a column does not exist.
    func check(columns: [String]) throws {
        if let column = columns.first(where: { !hasColumn($0) }) {
            throw noSuchColumn(column)
        }
    }

    /// The name of the rowid.
    package func rowIDName() throws -> String {
        let primaryKey = try db.primaryKey(name, in: schemaName)
        if let column = primaryKey.rowIDColumn { return column }
        guard primaryKey.tableHasRowID,
            let name = try db.rowIDName(besides: db.columns(in: name, in: schemaName))
        else {
            throw DatabaseError(
                message: "full-text tables can't index table \(name), which has no rowid")
        }
        return name
    }

    /// Throws an error if a column that is not the rowid is named `rowid`, because FTS4 finds rows
    /// by this name.
    func checkFTS4ReadsRowIDs() throws {
        guard let column = columns.first(where: { ASCIICase.equal($0, "rowid") }),
            try db.tableOrView(name, in: schemaName)?.info?.kind == .table,
            try db.primaryKey(name, in: schemaName).rowIDColumn != column
        else { return }
        throw DatabaseError(
            message: "FTS4 tables can't index table \(name): its column \(column) hides the rowid")
    }
}

extension VirtualTableContext {
    /// Throws an error for names of columns that SQLite rejects without a reason, or misinterprets.
    ///
    /// - parameter hidden: the columns that the module adds.
    func check(columns names: [String], of module: String, hidden: [String]) throws {
        if names.contains(where: \.isEmpty) {
            throw error("empty column name")
        }
        var known: Set<CaseInsensitiveIdentifier> = []
        for name in names where !known.insert(.init(name)).inserted {
            throw error("duplicate column name: \(name)")
        }
        for name in hidden where known.contains(.init(name)) {
            throw error("\(module) has a hidden column \(name) of its own")
        }
    }
}

extension String {
    /// Whether the string needs no quotes in the arguments of full-text modules.
    var isBareword: Bool {
        guard let first = utf8.first, !isDigit(first) else { return false }
        return utf8.allSatisfy { byte in
            byte >= 0x80 || isDigit(byte) || byte == UInt8(ascii: "_")
                || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// A name in the arguments of a full-text module. It is quoted only if necessary, because
    /// quotes are part of the schema, and make it harder to read.
    package var fullTextColumnName: String {
        isBareword ? self : quotedDatabaseIdentifier
    }
}
