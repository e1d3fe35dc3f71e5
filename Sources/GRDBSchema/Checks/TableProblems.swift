import GRDB

/// Collects the problems of one table.
struct TableProblems {
    private let db: Database
    private let table: String
    private let schema: String
    private(set) var problems: [SchemaProblem] = []

    init(_ db: Database, table: DatabaseObjectID) {
        self.db = db
        self.table = table.name
        schema = table.schemaID.name
    }

    private mutating func add(
        _ kind: SchemaProblem.Kind, _ columns: [String], _ message: String
    ) {
        problems.append(
            SchemaProblem(kind: kind, table: table, columns: columns, message: message))
    }

    // MARK: - Columns

    /// - parameter isTable: whether the table is neither a view nor a virtual table.
    mutating func checkColumns(_ record: RecordColumns, isTable: Bool) throws {
        let columns = try db.allColumns(in: table, in: schema)
        // Views have none.
        let primaryKey = isTable ? try db.primaryKey(table, in: schema) : nil
        let keyColumns = primaryKey?.columns ?? ["rowid"]
        let isStrict =
            try Bool.fetchOne(
                db, sql: "SELECT strict FROM pragma_table_list WHERE schema = ? AND name = ?",
                arguments: [schema, table]) ?? false
        for name in record.names {
            guard let column = columns.first(where: { $0.name.isSameName(as: name) }) else {
                if !keyColumns.contains(where: name.isSameName) {
                    add(.missingColumn, [name], "the table has no such column")
                }
                continue
            }
            guard isTable, record.areStored else { continue }
            if column.isGenerated {
                add(.missingColumn, [column.name], "a generated column can't be written")
                continue
            }
            let isRowID = primaryKey?.rowIDColumn?.isSameName(as: column.name) ?? false
            if record.nullable.contains(name), !isRowID {
                if keyColumns.contains(where: column.name.isSameName) {
                    add(.key, [column.name], "the record may leave its primary key NULL")
                } else if column.isNotNull {
                    add(.notNull, [column.name], "the record may leave the column NULL")
                }
            }
            let type = ColumnType(column.type, isStrict: isStrict, isRowID: isRowID)
            let reasons = (record.values[name] ?? []).compactMap { type.refusal(of: $0) }
            for (index, reason) in reasons.enumerated() where !reasons[..<index].contains(reason) {
                add(.type, [column.name], reason)
            }
        }
        guard isTable, record.areStored else { return }
        func isSet(_ name: String) -> Bool { record.names.contains(where: name.isSameName) }
        for column in columns
        where column.isNotNull && column.defaultValueSQL == nil && !column.isGenerated
            && !isSet(column.name) && primaryKey?.rowIDColumn?.isSameName(as: column.name) != true
        {
            add(
                .notNull, [column.name],
                "the record has no such column, and there is no default value")
        }
        if columns.allSatisfy({ $0.primaryKeyIndex == 0 }), !keyColumns.contains(where: isSet) {
            add(.key, [], "the table has no primary key, so records can't be updated or deleted")
        }
        for name in keyColumns
        where !isSet(name) && columns.contains(where: { $0.name == name }) {
            add(
                .key, [name],
                "the record has no such column, so it can't be found by its primary key, updated or deleted"
            )
        }
    }

    // MARK: - Keys and indexes

    mutating func checkIndexes() throws {
        try checkForeignKeys()
        try checkRedundantIndexes()
    }

    private mutating func checkForeignKeys() throws {
        let name = "\(schema.quotedDatabaseIdentifier).\(table.quotedDatabaseIdentifier)"
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT id, "table", "from" FROM pragma_foreign_key_list(?, ?) ORDER BY id DESC, seq
                """, arguments: [table, schema])
        let ids = rows.map { $0["id"] as Int }
        for (index, id) in ids.enumerated() where !ids[..<index].contains(id) {
            let keyRows = rows.filter { ($0["id"] as Int) == id }
            let columns = keyRows.map { $0["from"] as String }
            let parent: String = keyRows[0]["table"]
            guard try db.tableExists(parent, in: schema) else {
                add(
                    .key, columns,
                    "the table \(parent) that the foreign key refers to does not exist")
                continue
            }
            // The planner knows which indexes it can use, partial ones and those of other collations among them.
            let conditions = columns.map { "\($0.quotedDatabaseIdentifier) = ?" }
            let plan = try Row.fetchAll(
                db,
                sql: """
                    EXPLAIN QUERY PLAN SELECT 1 FROM \(name) WHERE \(conditions.joined(separator: " AND "))
                    """, arguments: StatementArguments(columns.map { _ in 1 }))
            if plan.contains(where: { ($0["detail"] as String).hasPrefix("SCAN") }) {
                add(
                    .unindexedForeignKey, columns,
                    "no index: each deletion in \(parent) reads the whole table")
            }
        }
        do {
            // Compiled, not run.
            if !rows.isEmpty { _ = try db.makeStatement(sql: "INSERT INTO \(name) DEFAULT VALUES") }
        } catch let error as DatabaseError {
            guard let message = error.message, message.hasPrefix("foreign key mismatch") else {
                return
            }
            add(.key, [], "\(message): the columns that the foreign key refers to are not unique")
        }
    }

    private struct Index {
        let name: String
        let isUnique: Bool
        let isPartial: Bool
        /// Whether it can be dropped.
        let isCreated: Bool
        /// The columns with their collations and directions; nil for expressions.
        let terms: [String?]
        let columns: [String]
    }

    private func indexes() throws -> [Index] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM pragma_index_list(?, ?) ORDER BY name",
            arguments: [table, schema]
        ).map { row in
            let terms = try Row.fetchAll(
                db, sql: "SELECT * FROM pragma_index_xinfo(?, ?) WHERE \"key\" ORDER BY seqno",
                arguments: [row["name"] as String, schema])
            return Index(
                name: row["name"], isUnique: row["unique"], isPartial: row["partial"],
                isCreated: (row["origin"] as String) == "c",
                terms: terms.map { term in
                    (term["name"] as String?).map {
                        "\($0) \(term["coll"] as String) \(term["desc"] as Int)"
                    }
                },
                columns: terms.compactMap { $0["name"] as String? })
        }
    }

    private mutating func checkRedundantIndexes() throws {
        let indexes = try indexes()
        let rowIDColumn = try db.primaryKey(table, in: schema).rowIDColumn
        for (number, index) in indexes.enumerated()
        where index.isCreated && !index.isPartial && !index.terms.contains(nil) {
            if let rowIDColumn, index.columns == [rowIDColumn] {
                add(
                    .redundantIndex, index.columns,
                    "the index \(index.name) repeats the primary key")
                continue
            }
            let other = indexes.enumerated().first { otherNumber, other in
                guard otherNumber != number, !other.isPartial,
                    other.terms.starts(with: index.terms),
                    !index.isUnique || other.isUnique && other.terms.count == index.terms.count
                else { return false }
                // The first of two equal indexes remains.
                let areEqual =
                    other.isCreated && other.terms.count == index.terms.count
                    && other.isUnique == index.isUnique
                return !areEqual || otherNumber < number
            }
            if let other = other?.element {
                let what = other.isCreated ? "index \(other.name)" : "index of a key"
                add(
                    .redundantIndex, index.columns,
                    "the index \(index.name) is the beginning of the \(what)(\(other.columns.joined(separator: ", ")))"
                )
            }
        }
    }
}

/// The values that a column keeps as they are.
private struct ColumnType {
    private let name: String
    /// Nil for the strict type ANY, which keeps all values.
    private let affinity: RawAffinity?
    private let isStrict: Bool
    private let isRowID: Bool

    init(_ type: String, isStrict: Bool, isRowID: Bool) {
        let type = type.uppercased()
        name = type
        self.isStrict = isStrict
        self.isRowID = isRowID
        affinity = isStrict && type == "ANY" ? nil : RawAffinity(declaredType: type)
    }

    /// The reason why a value is no value of the column; nil if the column keeps it.
    func refusal(of value: DatabaseValue) -> String? {
        switch value.storage {
        case .null:
            return nil
        case .int64:
            return switch affinity {
            case .text: changes("an integer", "is stored as text")
            case .real: changes("an integer", "is stored as a real number, which has 53 bits")
            case .blob: isStrict ? rejects("an integer") : nil
            case .integer, .numeric, nil: nil
            }
        case .double:
            return switch affinity {
            case .text: changes("a real number", "is stored as text")
            case .integer:
                isStrict || isRowID
                    ? rejects("a real number") : "a real number does not belong in \(column)"
            case .blob: isStrict ? rejects("a real number") : nil
            case .real, .numeric, nil: nil
            }
        case .string(let text):
            switch affinity {
            case .integer, .real, .numeric:
                // Other texts, such as dates, remain texts.
                if isStrict || isRowID { return rejects("a text") }
                guard let number = Double(text) else { return nil }
                return changes(
                    "the text '\(text)'", "is stored as a number, rounded to \(number)")
            case .blob:
                return isStrict ? rejects("a text") : nil
            case .text, nil:
                return nil
            }
        case .blob:
            return switch affinity {
            case .blob, nil: nil
            case .numeric: isStrict ? rejects("a blob") : nil
            case .integer, .real, .text:
                isStrict || isRowID ? rejects("a blob") : "a blob does not belong in \(column)"
            }
        }
    }

    private var column: String { "a column of type \(name)" }

    private func changes(_ value: String, _ change: String) -> String {
        "\(value) \(change) in \(column)"
    }

    private func rejects(_ value: String) -> String {
        isRowID
            ? "the rowid is an integer, and not \(value)"
            : "\(column) of a strict table rejects \(value)"
    }
}

extension String {
    /// Whether SQLite takes both for the same name.
    fileprivate func isSameName(as other: String) -> Bool { ASCIICase.equal(self, other) }
}
