import GRDB

extension Database {
    /// Returns the views, triggers and full-text tables that don't compile, with their errors.
    func schemaFailures() throws -> [String: String] {
        var failures: [String: String] = [:]
        func compile(_ sql: String, _ subject: String) {
            do {
                _ = try makeStatement(sql: sql)
            } catch let error as DatabaseError {
                failures[subject] = error.message ?? "\(error)"
            } catch {
                failures[subject] = "\(error)"
            }
        }
        var triggers: [DatabaseObjectID: [String]] = [:]
        for schemaID in try schemaIDs(named: nil) {
            for object in try schemaObjects(in: schemaID).all {
                let id = DatabaseObjectID(name: object.name, schemaID: schemaID)
                switch object.kind {
                case .view:
                    compile("SELECT * FROM \(id.qualifiedName)", "view \(object.name)")
                case .trigger:
                    for table in try tables(ofTrigger: object, schemaID) {
                        triggers[table, default: []].append(object.name)
                    }
                case .table:
                    if let sql = try fullTextContentQuery(object, schemaID) {
                        compile(sql, "full-text table \(object.name)")
                    }
                case .index:
                    break
                }
            }
        }
        // SQLite only compiles triggers as part of the statements that fire them.
        for (table, names) in triggers {
            let subject =
                "\(names.count == 1 ? "trigger" : "triggers") \(names.sorted().joined(separator: ", "))"
            let name = table.qualifiedName
            compile("INSERT INTO \(name) DEFAULT VALUES", "\(subject) after INSERT")
            compile("DELETE FROM \(name)", "\(subject) after DELETE")
            let columns = try? columns(in: table.name, in: table.schemaID.name)
                .filter { !$0.isGenerated }.map(\.name.quotedDatabaseIdentifier)
            guard let columns, !columns.isEmpty else { continue }
            let assignments = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
            compile("UPDATE \(name) SET \(assignments)", "\(subject) after UPDATE")
        }
        return failures
    }

    /// Throws if an object no longer compiles, or fails with another error than before.
    func checkSchema(after former: [String: String], _ tableName: String) throws {
        let failures = try schemaFailures()
        for (subject, message) in failures.sorted(by: { $0.key < $1.key })
        where former[subject] != message {
            throw DatabaseError(
                message: "can't transform table \(tableName): \(subject): \(message)")
        }
    }

    /// Returns the tables and views that a trigger may belong to. The schema has only the table
    /// name of a temporary trigger.
    private func tables(
        ofTrigger trigger: SchemaObjectInfo, _ schemaID: DatabaseSchemaID
    ) throws -> [DatabaseObjectID] {
        let candidates = schemaID == .temp ? try schemaIDs(named: nil) : [schemaID]
        return try candidates.filter {
            try schemaObjects(in: $0).tableOrView(named: trigger.tableName) != nil
        }.map { DatabaseObjectID(name: trigger.tableName, schemaID: $0) }
    }

    /// Returns a query of the columns that a full-text table reads from its external content.
    private func fullTextContentQuery(
        _ table: SchemaObjectInfo, _ schemaID: DatabaseSchemaID
    ) throws -> String? {
        guard table.isVirtualTable, let sql = table.sql else { return nil }
        let tokens = SQLToken.tokens(of: sql)
        guard let module = tokens.firstIndex(where: { $0.isWord("USING") }),
            module + 1 < tokens.count,
            ["fts3", "fts4", "fts5"].contains(ASCIICase.lowercased(tokens[module + 1].name))
        else { return nil }
        func option(_ name: String) -> String? {
            tokens.indices.dropLast(2).first { index in
                tokens[index].isWord(name) && tokens[index + 1].text == "="
            }.map { tokens[$0 + 2].name }
        }
        guard let content = option("content"), !content.isEmpty,
            try schemaObjects(in: schemaID).tableOrView(named: content) != nil
        else { return nil }
        let columns = try columns(in: table.name, in: schemaID.name).map(\.name)
        let prefix = content.quotedDatabaseIdentifier
        let names = [option("content_rowid") ?? "rowid"] + columns
        // Qualified with their table, names in double quotes are never parsed as strings.
        let terms = names.map { "\(prefix).\($0.quotedDatabaseIdentifier)" }
        let source = DatabaseObjectID(name: content, schemaID: schemaID).qualifiedName
        return "SELECT \(terms.joined(separator: ", ")) FROM \(source)"
    }
}
