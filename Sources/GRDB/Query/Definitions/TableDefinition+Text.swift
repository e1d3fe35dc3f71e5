extension TableDefinition {
    /// The statements that create the table and its indexes.
    func statements(_ db: Database) throws -> [String] {
        let resolver = ReferenceResolver(db: db, definition: self)
        let foreignKeys = try resolvedForeignKeys(resolver)
        var parts: [String] = []
        var indexes: [IndexDefinition] = []
        func define(_ column: ColumnDefinition) throws {
            parts.append(try column.text(resolver))
            if let index = column.index(inTable: name) { indexes.append(index) }
        }
        for element in elements {
            switch element {
            case .column(let column): try define(column)
            case .sql(let literal): parts.append(try db.schemaText(literal))
            case .foreignKey(let foreignKey, _):
                try foreignKeys[ObjectIdentifier(foreignKey)]?.columns.forEach(define)
            }
        }
        for primaryKey in primaryKeys {
            let terms = try primaryKey.terms.flatMap { term in
                try termTexts(term, db, foreignKeys)
            }
            parts.append(
                "PRIMARY KEY (\(terms.joined(separator: ", ")))"
                    + primaryKey.conflictResolution.onConflictClause)
        }
        for uniqueKey in uniqueKeys {
            parts.append(
                try "UNIQUE (\(uniqueKey.columns.schemaIdentifiers()))"
                    + uniqueKey.conflictResolution.onConflictClause)
        }
        for foreignKey in self.foreignKeys {
            switch foreignKey {
            case .definition(let definition):
                let resolved = foreignKeys[ObjectIdentifier(definition)]
                if let constraint = resolved?.constraint { parts.append(constraint) }
                if let index = resolved?.index { indexes.append(index) }
            case .columns(let columns, let clause):
                parts.append(
                    try "FOREIGN KEY (\(columns.schemaIdentifiers())) \(clause.text(resolver))")
            }
        }
        for check in checks {
            parts.append(try "CHECK (\(db.schemaText(check)))")
        }
        for constraint in constraints {
            parts.append(try db.schemaText(constraint))
        }
        var statements = [try head() + " (\(parts.joined(separator: ", ")))" + tail]
        for var index in indexes {
            if options.contains(.ifNotExists) { index.options.insert(.ifNotExists) }
            statements.append(try index.text(db))
        }
        return statements
    }

    private func head() throws -> String {
        let kind = options.contains(.temporary) ? "TEMPORARY TABLE" : "TABLE"
        return try name.creation(of: kind, ifNotExists: options.contains(.ifNotExists))
    }

    private var tail: String {
        var clauses: [String] = []
        if options.contains(.strict) { clauses.append("STRICT") }
        if options.contains(.withoutRowID) { clauses.append("WITHOUT ROWID") }
        return clauses.isEmpty ? "" : " " + clauses.joined(separator: ", ")
    }

    private typealias ResolvedForeignKeys = [ObjectIdentifier: ForeignKeyDefinition.Resolved]

    private func resolvedForeignKeys(
        _ resolver: ReferenceResolver
    ) throws -> ResolvedForeignKeys {
        var resolved: ResolvedForeignKeys = [:]
        for case .foreignKey(let foreignKey, let isInPrimaryKey) in elements {
            resolved[ObjectIdentifier(foreignKey)] = try foreignKey.resolve(
                resolver, in: name, isInPrimaryKey: isInPrimaryKey)
        }
        return resolved
    }

    // MARK: - Primary key

    private func termTexts(
        _ term: PrimaryKey.Term, _ db: Database, _ foreignKeys: ResolvedForeignKeys
    ) throws -> [String] {
        switch term {
        case .column(let name):
            return [try name.schemaIdentifier()]
        case .ordered(let node):
            return [try db.schemaText(node)]
        case .foreignKey(let foreignKey):
            let columns = foreignKeys[ObjectIdentifier(foreignKey)]?.columns ?? []
            return try columns.map { try $0.name.schemaIdentifier() }
        case .sql:
            throw DatabaseError(
                misuse: """
                    primary key of table \(name) can't be defined on a column defined by SQL text
                    """)
        }
    }

    /// The columns of the primary key; empty if it is the hidden rowid.
    func primaryKeyColumns(_ resolver: ReferenceResolver) throws -> [ReferenceResolver.KeyColumn] {
        for case .column(let column) in elements where column.primaryKey != nil {
            return [.init(name: column.name, type: column.type)]
        }
        return try primaryKeys.first?.terms.flatMap { term in
            try keyColumns(term, resolver)
        } ?? []
    }

    private func keyColumns(
        _ term: PrimaryKey.Term, _ resolver: ReferenceResolver
    ) throws -> [ReferenceResolver.KeyColumn] {
        switch term {
        case .column(let name):
            for case .column(let column) in elements where ASCIICase.equal(column.name, name) {
                return [.init(name: column.name, type: column.type)]
            }
            return [.init(name: name)]
        case .foreignKey(let foreignKey):
            if foreignKey.isReference(to: name) {
                throw DatabaseError(
                    misuse: """
                        primary key of table \(name) can't be defined by foreign key \
                        \(foreignKey.name) to the same table
                        """)
            }
            return try foreignKey.resolve(resolver, in: name, isInPrimaryKey: true).columns
                .map { .init(name: $0.name, type: $0.type) }
        case .ordered, .sql:
            throw DatabaseError(
                misuse: """
                    foreign key to table \(name) needs explicit columns, because its primary key \
                    is defined by SQL text
                    """)
        }
    }
}

extension ColumnDefinition {
    /// The index of the column; nil if the column is not indexed, or if its uniqueness is a constraint.
    package func index(inTable table: String) -> IndexDefinition? {
        guard case .index = indexing else { return nil }
        return IndexDefinition(
            name: "\(table)_on_\(name)", table: table, terms: [ColumnNode(name: name)], options: [])
    }
}

extension ForeignKeyDefinition {
    fileprivate func isReference(to tableName: String) -> Bool {
        let names = table.map { [$0] } ?? [name, Inflections.default.pluralize(name)]
        return names.contains { ASCIICase.equal($0, tableName) }
    }
}
