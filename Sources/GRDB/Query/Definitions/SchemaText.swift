extension Database {
    /// The text of a node in a statement that changes the schema. Values are written as literals,
    /// because SQLite accepts no parameters in such a statement.
    func schemaText(_ node: any SQLFragment) throws -> String {
        try StatementWriter.writing(node, self, valueStyle: .literal).sql
    }

    package func schemaText(_ literal: SQL) throws -> String {
        try schemaText(literal as any SQLFragment)
    }

    /// Executes statements. If a statement fails, the previous statements are rolled back.
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
    /// - throws: a ``DatabaseError`` if the name is empty. SQLite accepts empty names, but not
    ///   everywhere.
    package func schemaIdentifier() throws -> String {
        guard !isEmpty else {
            throw DatabaseError(misuse: "empty identifier")
        }
        return quotedDatabaseIdentifier
    }

    /// `CREATE TABLE IF NOT EXISTS "name"`
    func creation(of kind: String, ifNotExists: Bool) throws -> String {
        try "CREATE \(kind)\(ifNotExists ? " IF NOT EXISTS" : "") \(schemaIdentifier())"
    }

    /// The string with an uppercase first character.
    var capitalizingFirst: String {
        prefix(1).uppercased() + dropFirst()
    }
}

extension [String] {
    /// `"a", "b"`
    package func schemaIdentifiers() throws -> String {
        try map { try $0.schemaIdentifier() }.joined(separator: ", ")
    }
}

extension Database.ConflictResolution? {
    /// ` ON CONFLICT REPLACE`, with a leading space, or nothing.
    package var onConflictClause: String {
        map { " ON CONFLICT \($0.rawValue)" } ?? ""
    }

    /// The clause of a column constraint. It omits the default resolution. The clauses of primary
    /// keys and table constraints include the default resolution, as in the schemas of existing
    /// databases, which migrations compare as text.
    var onColumnConflictClause: String {
        self == .abort ? "" : onConflictClause
    }
}

extension Database.CollationName {
    /// The name of a collation in SQL text, quoted only if necessary. Migrations compare schemas as
    /// text, and existing databases have unquoted names.
    package var schemaText: String { rawValue.quotedIfNeeded }
}

/// A `REFERENCES` clause.
package struct ForeignKeyClause {
    package var table: String
    /// The referenced columns; nil for the primary key.
    package var columns: [String]?
    package var deleteAction: Database.ForeignKeyAction?
    package var updateAction: Database.ForeignKeyAction?
    package var isDeferred: Bool

    package init(
        table: String, columns: [String]?, deleteAction: Database.ForeignKeyAction?,
        updateAction: Database.ForeignKeyAction?, isDeferred: Bool
    ) {
        self.table = table
        self.columns = columns
        self.deleteAction = deleteAction
        self.updateAction = updateAction
        self.isDeferred = isDeferred
    }

    /// - parameter column: the column that the clause belongs to; nil if it belongs to the table.
    package func text(_ resolver: ReferenceResolver, column: String? = nil) throws -> String {
        let columns = try columns ?? resolver.primaryKey(of: table).columns.map(\.name)
        if let column, columns.count != 1 {
            throw DatabaseError(
                message: """
                    foreign key on \(column) should reference only one column of table "\(table)"
                    """)
        }
        var sql = try "REFERENCES \(table.schemaIdentifier())(\(columns.schemaIdentifiers()))"
        if let deleteAction { sql += " ON DELETE \(deleteAction.rawValue)" }
        if let updateAction { sql += " ON UPDATE \(updateAction.rawValue)" }
        if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
        return sql
    }
}

extension ColumnDefinition.Default {
    /// The `DEFAULT` clause.
    package func text(_ db: Database) throws -> String {
        switch self {
        case .value(let value):
            let literal = try db.schemaText(value)
            // Some strings can't be written as a literal.
            return literal.hasPrefix("CAST") ? "DEFAULT (\(literal))" : "DEFAULT \(literal)"
        case .sql(let text):
            return "DEFAULT \(text)"
        case .expression(let expression):
            return "DEFAULT (\(try db.schemaText(expression)))"
        }
    }
}
