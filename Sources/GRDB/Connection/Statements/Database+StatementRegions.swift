extension Database {
    /// Compiles a statement again to determine what it reads.
    func region(ofStatement statement: Statement) throws -> DatabaseRegion {
        try checkAccess()
        // Many pragmas act when they are compiled, and none reads a table.
        if statement.effects.isPragma { return DatabaseRegion() }
        var reads = try readRegion(ofSQL: statement.sql)
        try reads.formUnion(regionBehindVirtualTables(reads))
        // Arrays of values are read from the table-valued function `carray`, unless a table of that
        // name hides it.
        let carray = ArrayArgument.tableName
        return try reads.contains(table: carray) && !hasTable(carray) && !hasView(carray)
            ? reads.removing(table: carray) : reads
    }

    /// Compiles a statement to determine what it reads, without the reads of its virtual tables.
    func readRegion(ofSQL sql: String) throws -> DatabaseRegion {
        let (prepared, recording) = try prepare(sql, recordsReads: true)
        if let prepared {
            RawStatement.finalize(prepared.statement)
        }
        guard var reads = recording.reads else { return .fullDatabase }
        reads.insertSourcesOfGeneratedColumns { raw.generatedColumns(in: $0) }
        return reads
    }

    /// Returns the region that the virtual tables of a region read in other tables.
    ///
    /// SQLite reports that a statement reads a virtual table, but not what the table reads itself:
    /// a full-text table with external content reads another table or view, and a table of its
    /// terms reads its index. A statement that changes a virtual table does not declare changes of
    /// the shadow tables that store its content. A read of a shadow table therefore counts as a
    /// read of the virtual table.
    func regionBehindVirtualTables(_ region: DatabaseRegion) throws -> DatabaseRegion {
        var result = DatabaseRegion()
        var visited: Set<CaseInsensitiveIdentifier> = []
        var added = region
        while let tables = added.tables {
            added = DatabaseRegion()
            for (table, part) in tables where !part.isEmpty && visited.insert(table).inserted {
                added.formUnion(try regionBehind(table, columns: part.columns))
            }
            if added.isEmpty { return result }
            result.formUnion(added)
        }
        return .fullDatabase
    }

    private func regionBehind(
        _ table: CaseInsensitiveIdentifier, columns: Set<CaseInsensitiveIdentifier>?
    ) throws -> DatabaseRegion {
        var result = DatabaseRegion()
        guard raw.hasVirtualTable(table.rawValue) else {
            // Eponymous virtual tables exist without being created.
            let name = ASCIICase.lowercased(table.rawValue)
            if name == "dbstat" { return .fullDatabase }
            if name.hasPrefix("pragma_") { result.insert(column: "name", ofTable: "sqlite_master") }
            if let owner = raw.virtualTable(keepingContentIn: table.rawValue, nil) {
                result.insert(column: "", ofTable: owner)
            }
            return result
        }
        for schemaID in try schemaIDs(named: nil) {
            guard let info = try schemaObjects(in: schemaID).tableOrView(named: table.rawValue),
                info.isVirtualTable, let definition = VirtualTableText(info.sql)
            else { continue }
            switch definition.module {
            case "fts3", "fts4", "fts5":
                result.formUnion(
                    try regionOfContent(of: info.name, definition, columns: columns, schemaID))
            case "fts3aux", "fts4aux", "fts5vocab":
                result.insert(column: "", ofTable: definition.termSource)
            default:
                break
            }
        }
        return result
    }

    /// The region of the external content of a full-text table.
    private func regionOfContent(
        of table: String, _ definition: VirtualTableText, columns: Set<CaseInsensitiveIdentifier>?,
        _ schemaID: DatabaseSchemaID
    ) throws -> DatabaseRegion {
        guard let content = definition.option("content"), !content.isEmpty,
            let source = try schemaObjects(in: schemaID).tableOrView(named: content)
        else { return DatabaseRegion() }
        var names = try withoutRecordingRegion {
            try self.columns(in: table, in: schemaID.name).map(\.name)
        }
        // The MATCH column of a full-text table includes all of its columns: highlight() reads it.
        if let columns, !columns.contains(CaseInsensitiveIdentifier(table)) {
            names = names.filter { columns.contains(CaseInsensitiveIdentifier($0)) }
        }
        names.append(definition.option("content_rowid") ?? "rowid")
        let id = DatabaseObjectID(name: source.name, schemaID: schemaID)
        let prefix = source.name.quotedDatabaseIdentifier
        let terms = names.map { "\(prefix).\($0.quotedDatabaseIdentifier)" }
        do {
            return try readRegion(
                ofSQL: "SELECT \(terms.joined(separator: ", ")) FROM \(id.qualifiedName)")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // The content lacks a column: reading the full-text table fails as well.
            return .fullDatabase
        }
    }

}

/// The text of `CREATE VIRTUAL TABLE`.
private struct VirtualTableText {
    /// The name of the module, in lower case.
    let module: String
    private let arguments: [[SQLToken]]

    init?(_ sql: String?) {
        guard let sql else { return nil }
        let tokens = SQLToken.tokens(of: sql)
        guard let using = tokens.firstIndex(where: { $0.isWord("USING") }), using + 1 < tokens.count
        else { return nil }
        module = ASCIICase.lowercased(tokens[using + 1].name)
        var arguments: [[SQLToken]] = [[]]
        var depth = 0
        for token in tokens[(using + 2)...] {
            switch token.kind {
            case .opening:
                depth += 1
                if depth == 1 { continue }
            case .closing:
                depth -= 1
                if depth == 0 { continue }
            case .comma where depth == 1:
                arguments.append([])
                continue
            default: break
            }
            arguments[arguments.count - 1].append(token)
        }
        self.arguments = arguments
    }

    /// The value of an argument such as `content=player`.
    func option(_ name: String) -> String? {
        for argument in arguments
        where argument.count == 3 && argument[1].text == "="
            && ASCIICase.equal(argument[0].name, name)
        {
            return argument[2].name
        }
        return nil
    }

    /// The table whose terms `fts4aux` and `fts5vocab` present. A schema name may precede it.
    var termSource: String {
        let count = module == "fts5vocab" ? 3 : 2
        let argument = arguments.count == count ? arguments[1] : arguments[0]
        return argument.first?.name ?? ""
    }
}
