import GRDB

extension TableTransformation {
    /// The table after the changes, and the values to copy into it.
    struct Result {
        var text: TableText

        // Keyed by identifiers, because SQLite distinguishes names that Swift strings consider
        // equal, such as composed and decomposed characters.

        /// The SQL of new values, for columns that don't keep their values.
        var contents: [CaseInsensitiveIdentifier: String] = [:]

        /// The SQL of values that replace NULL.
        var fillers: [CaseInsensitiveIdentifier: String] = [:]

        /// The statements that create the indexes of added columns.
        var indexes: [String] = []

        /// The dropped columns.
        var droppedColumns: [String] = []
    }

    /// Applies all changes except renames.
    func result(_ db: Database, of text: TableText, table: DatabaseObjectID) throws -> Result {
        var result = Result(text: text)
        for change in changes {
            try result.apply(change, db, table)
        }
        try result.checkKeys(table)
        return result
    }
}

extension TableTransformation.Result {
    private static func misuse(
        _ table: DatabaseObjectID, _ message: String
    ) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "can't transform table \(table.name): \(message)")
    }

    private func index(_ column: String, _ table: DatabaseObjectID) throws -> Int {
        guard let index = text.index(of: column) else {
            throw Self.misuse(table, "no such column: \(column)")
        }
        return index
    }

    /// Throws if a column is generated: its values can't be set.
    private func checkNotGenerated(_ column: String, _ table: DatabaseObjectID) throws {
        if text.columns[try index(column, table)].isGenerated {
            throw Self.misuse(table, "column \(column) is generated")
        }
    }

    fileprivate mutating func apply(
        _ change: TableTransformation.Change, _ db: Database, _ table: DatabaseObjectID
    ) throws {
        switch change {
        case .drop(let name):
            let index = try index(name, table)
            droppedColumns.append(text.columns.remove(at: index).name)
        case .add(let definition):
            try append(definition.text(ReferenceResolver(db: db)), table)
            if let index = definition.index(inTable: table.name) {
                indexes.append(try index.text(db))
            }
        case .addSQL(let literal):
            try append(db.schemaText(literal), table)
        case .type(let name, let type):
            let index = try index(name, table)
            text.columns[index].setType(type?.rawValue ?? "")
        case .content(let name, let node):
            try checkNotGenerated(name, table)
            contents[CaseInsensitiveIdentifier(name)] = try db.schemaText(node)
        case .notNull(let name, let filler):
            if let filler {
                try checkNotGenerated(name, table)
                fillers[CaseInsensitiveIdentifier(name)] = try db.schemaText(filler)
            }
            refuseNull(at: try index(name, table))
        case .nullable(let name):
            let index = try index(name, table)
            text.columns[index].remove { $0.kind == .notNull }
        case .defaultValue(let name, let value):
            let index = try index(name, table)
            text.columns[index].remove { $0.kind == .defaultValue }
            if let value {
                text.columns[index].append(.defaultValue, try value.text(db))
            }
        case .collation(let name, let collation):
            let index = try index(name, table)
            text.columns[index].remove { $0.kind == .collation }
            if let collation {
                text.columns[index].append(.collation, "COLLATE \(collation.schemaText)")
            }
        case .check(let name, let node):
            append(.check, name: name, "CHECK (\(try db.schemaText(node)))")
        case .dropChecks(let name):
            let index = try index(name, table)
            text.columns[index].remove { $0.kind == .check }
        case .dropConstraint(let name):
            try dropConstraint(name, table)
        case .uniqueKey(let columns, let conflict):
            append(
                .unique, columns: columns,
                "UNIQUE (\(try columns.schemaIdentifiers()))\(conflict.onConflictClause)")
        case .dropUniqueKey(let columns):
            try dropKey(.unique, .unique, columns, table, "unique key")
        case .foreignKey(let columns, let clause):
            let reference = try clause.text(ReferenceResolver(db: db))
            append(
                .foreignKey, columns: columns,
                "FOREIGN KEY (\(try columns.schemaIdentifiers())) \(reference)")
        case .dropForeignKey(let columns):
            try dropKey(.foreignKey, .references, columns, table, "foreign key")
        case .primaryKey(let columns, let conflict):
            dropPrimaryKey()
            append(
                .primaryKey, columns: columns,
                "PRIMARY KEY (\(try columns.schemaIdentifiers()))\(conflict.onConflictClause)")
        case .autoIncrementedPrimaryKey(let name):
            try setAutoIncrementedPrimaryKey(name, table)
        case .dropPrimaryKey:
            dropPrimaryKey()
        case .reorder(let names):
            try moveToFront(names, table)
        case .options(let options):
            setOptions(options)
        }
    }

    private mutating func refuseNull(at index: Int) {
        guard text.columns[index].constraint(.notNull) == nil else { return }
        text.columns[index].remove { $0.kind == .null }
        text.columns[index].append(.notNull, "NOT NULL")
    }

    private mutating func setAutoIncrementedPrimaryKey(
        _ name: String, _ table: DatabaseObjectID
    ) throws {
        dropPrimaryKey()
        if text.index(of: name) == nil {
            try append("\(try name.schemaIdentifier()) INTEGER", table)
            text.columns.insert(text.columns.removeLast(), at: 0)
        }
        let index = try index(name, table)
        text.columns[index].setType("INTEGER")
        text.columns[index].append(.primaryKey, "PRIMARY KEY AUTOINCREMENT")
    }

    private mutating func moveToFront(_ names: [String], _ table: DatabaseObjectID) throws {
        let first = try names.map { text.columns[try index($0, table)] }
        guard Set(names.map { CaseInsensitiveIdentifier($0) }).count == names.count else {
            throw Self.misuse(table, "a column is listed twice")
        }
        let others = text.columns.filter { column in
            !first.contains { ASCIICase.equal($0.name, column.name) }
        }
        text.columns = first + others
    }

    private mutating func setOptions(_ options: TableOptions) {
        if text.hasOption("STRICT"), !options.contains(.strict) {
            // In tables that are not strict, the type ANY has numeric affinity, and would convert text.
            for index in text.columns.indices
            where ASCIICase.equal(text.columns[index].type, "ANY") {
                text.columns[index].setType("")
            }
        }
        var words: [String] = []
        if options.contains(.strict) { words.append("STRICT") }
        if options.contains(.withoutRowID) { words.append("WITHOUT ROWID") }
        text.options = words.joined(separator: ", ")
    }

    private mutating func append(_ definition: String, _ table: DatabaseObjectID) throws {
        var parser = TableTextParser(definition)
        guard let column = parser.parseColumn(), parser.isAtEnd else {
            throw Self.misuse(table, "not a column definition: \(definition)")
        }
        guard text.index(of: column.name) == nil else {
            throw Self.misuse(table, "duplicate column name: \(column.name)")
        }
        text.columns.append(column)
    }

    private mutating func append(
        _ kind: TableText.Constraint.Kind, name: String? = nil, columns: [String] = [],
        _ definition: String
    ) {
        let head = name.map { "CONSTRAINT \($0.quotedDatabaseIdentifier) " } ?? ""
        text.constraints.append(
            TableText.Constraint(
                kind: kind, name: name, columns: columns,
                tokens: SQLToken.tokens(of: definition), text: head + definition))
    }

    private mutating func dropPrimaryKey() {
        for index in text.columns.indices {
            text.columns[index].remove { $0.kind == .primaryKey }
        }
        text.constraints.removeAll { $0.kind == .primaryKey }
    }

    private mutating func dropConstraint(_ name: String, _ table: DatabaseObjectID) throws {
        func isNamed(_ constraint: TableText.Constraint) -> Bool {
            constraint.name.map { ASCIICase.equal($0, name) } ?? false
        }
        let count = text.constraintCount
        for index in text.columns.indices {
            text.columns[index].remove(where: isNamed)
        }
        text.constraints.removeAll(where: isNamed)
        if text.constraintCount == count {
            throw Self.misuse(table, "no such constraint: \(name)")
        }
    }

    /// Drops a key that is defined as a constraint of the table, or of a column.
    private mutating func dropKey(
        _ kind: TableText.Constraint.Kind, _ columnKind: TableText.Constraint.Kind,
        _ columns: [String], _ table: DatabaseObjectID, _ description: String
    ) throws {
        let wanted = Set(columns.map { CaseInsensitiveIdentifier($0) })
        let count = text.constraintCount
        text.constraints.removeAll {
            $0.kind == kind && Set($0.columns.map { CaseInsensitiveIdentifier($0) }) == wanted
        }
        if columns.count == 1, let index = text.index(of: columns[0]) {
            text.columns[index].remove { $0.kind == columnKind }
        }
        if text.constraintCount == count {
            throw Self.misuse(
                table, "no \(description) on \(columns.joined(separator: ", "))")
        }
    }

    /// Throws if keys use unknown columns. The errors of SQLite would name the temporary table.
    fileprivate func checkKeys(_ table: DatabaseObjectID) throws {
        for constraint in text.constraints {
            for column in constraint.columns where text.index(of: column) == nil {
                let isExpression = constraint.kind != .foreignKey && column.isEmpty
                if !isExpression {
                    throw Self.misuse(
                        table, "constraint \(constraint.text) uses no such column: \(column)")
                }
            }
        }
    }
}

extension TableText {
    fileprivate var constraintCount: Int {
        columns.reduce(constraints.count) { $0 + $1.constraints.count }
    }
}

extension TableTextParser {
    /// Whether all tokens were read.
    var isAtEnd: Bool { remainingCount == 0 }
}
