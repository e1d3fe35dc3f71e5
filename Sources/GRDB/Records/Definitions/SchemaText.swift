extension Database {
    /// The text of a node in a statement that changes the schema: values are literals, because
    /// SQLite accepts no parameter there.
    func schemaText(_ node: any SQLNode) throws -> String {
        try SQLGenerationContext.writing(node, self, valueStyle: .literal).sql
    }

    /// Executes statements; when one fails, none has changed anything.
    func executeAll(_ statements: [String]) throws {
        guard statements.count > 1 else {
            return try statements.forEach { try execute(sql: $0) }
        }
        try inSavepoint {
            try statements.forEach { try execute(sql: $0) }
            return .commit
        }
    }
}

extension String {
    /// The quoted name of a new schema object, or of a column.
    ///
    /// - throws: a ``DatabaseError`` if the name is empty. SQLite accepts this, but not everywhere.
    func schemaIdentifier() throws -> String {
        guard !isEmpty else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "empty identifier")
        }
        return quotedDatabaseIdentifier
    }

    /// The string with its first character in upper case.
    var capitalizingFirst: String {
        prefix(1).uppercased() + dropFirst()
    }
}

extension [String] {
    /// `"a", "b"`
    func schemaIdentifiers() throws -> String {
        try map { try $0.schemaIdentifier() }.joined(separator: ", ")
    }
}

extension Database.ConflictResolution? {
    /// ` ON CONFLICT REPLACE`, with a leading space, or nothing.
    var onConflictClause: String {
        map { " ON CONFLICT \($0.rawValue)" } ?? ""
    }
}

extension Database.CollationName {
    /// The name of a collation in SQL text. The built-in ones need no quotes, others may.
    var schemaText: String {
        let builtIn: [CaseInsensitiveIdentifier] = ["BINARY", "NOCASE", "RTRIM"]
        return builtIn.contains(.init(rawValue)) ? rawValue : rawValue.quotedDatabaseIdentifier
    }
}

/// A `REFERENCES` clause.
struct ForeignKeyClause {
    var table: String
    var columns: [String]
    var deleteAction: Database.ForeignKeyAction?
    var updateAction: Database.ForeignKeyAction?
    var isDeferred: Bool

    func text() throws -> String {
        var sql = try "REFERENCES \(table.schemaIdentifier())(\(columns.schemaIdentifiers()))"
        if let deleteAction { sql += " ON DELETE \(deleteAction.rawValue)" }
        if let updateAction { sql += " ON UPDATE \(updateAction.rawValue)" }
        if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
        return sql
    }
}
