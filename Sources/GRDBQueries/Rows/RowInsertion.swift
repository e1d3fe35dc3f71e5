import GRDB

// The statements that insert rows without a record type.

/// `INSERT INTO "table" ("a", "b") VALUES (…), (…)`
struct RowInsertion {
    let head: InsertionHead
    /// Row values, with a value for each column.
    var rows: [SQLExpression]
    /// ` ON CONFLICT DO UPDATE SET …`
    var upsert: SQL?

    var columns: [String] { head.columns }

    func sql(returning selection: [SQLSelection] = []) -> SQL {
        var sql = SQL(sql: head.text)
        for (index, row) in rows.enumerated() {
            if index > 0 { sql.append(sql: ", ") }
            sql.append(literal: SQL(row))
        }
        if let upsert { sql += upsert }
        for (index, column) in selection.enumerated() {
            sql.append(sql: index > 0 ? ", " : " RETURNING ")
            sql += "\(column)"
        }
        return sql
    }
}

/// `INSERT INTO "table" ("a", "b") VALUES `
///
/// A connection keeps the last one, because most insertions assign the columns of the one before.
final class InsertionHead {
    private let table: String
    private let schema: String?
    private let recordType: ObjectIdentifier
    private let conflictResolution: Database.ConflictResolution?
    /// The assigned columns; not empty.
    let columns: [String]
    let text: String

    private enum LastKey: DatabaseStorageKey {
        static var defaultValue: InsertionHead? { nil }
    }

    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` unless the row assigns columns, each one once.
    private init<Record>(
        _ table: Table<Record>, _ row: [ColumnAssignment],
        onConflict conflictResolution: Database.ConflictResolution?
    ) throws {
        self.table = table.tableName
        schema = table.schemaName
        recordType = ObjectIdentifier(Record.self)
        self.conflictResolution = conflictResolution
        columns = row.map(\.columnName)
        if columns.isEmpty {
            throw RowInsertion.misuse(
                "no column is assigned in a row to insert: see insertDefaultValues(_:)",
                table.tableName)
        }
        for (index, column) in columns.enumerated() {
            if columns[..<index].contains(where: { ASCIICase.equal($0, column) }) {
                throw RowInsertion.misuse(
                    "the column \(column) is assigned twice", table.tableName)
            }
        }
        text = "\(table.insertionVerb(conflictResolution)) \(columns.listOfIdentifiers) VALUES "
    }

    static func of<Record>(
        _ db: Database, _ table: Table<Record>, _ row: [ColumnAssignment],
        onConflict conflictResolution: Database.ConflictResolution?
    ) throws -> InsertionHead {
        if let last = db[LastKey.self], last.recordType == ObjectIdentifier(Record.self),
            last.conflictResolution == conflictResolution, last.isInSchema(table.schemaName),
            last.table.hasSameBytes(as: table.tableName), last.isAssigned(by: row)
        {
            return last
        }
        let head = try InsertionHead(table, row, onConflict: conflictResolution)
        db[LastKey.self] = head
        return head
    }

    private func isInSchema(_ other: String?) -> Bool {
        guard let schema, let other else { return schema == nil && other == nil }
        return schema.hasSameBytes(as: other)
    }

    /// Whether a row assigns the columns, in their order.
    func isAssigned(by row: [ColumnAssignment]) -> Bool {
        if row.count != columns.count { return false }
        for index in columns.indices
        where !columns[index].hasSameBytes(as: row[index].columnName) {
            return false
        }
        return true
    }
}

extension RowInsertion {
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` unless all rows assign the same
    ///   columns, each column once.
    init<Record>(
        _ db: Database, _ rows: [[ColumnAssignment]], into table: Table<Record>,
        onConflict conflictResolution: Database.ConflictResolution?
    ) throws {
        // Columns assigned with `noOverwrite` are not inserted either.
        let rows = rows.map { row in
            row.contains(where: \.keepsValue) ? row.filter { !$0.keepsValue } : row
        }
        let head = try InsertionHead.of(
            db, table, rows.first ?? [], onConflict: conflictResolution)
        let values = try rows.enumerated().map { index, row in
            SQLExpression.row(
                head.isAssigned(by: row)
                    ? row.map(\.value)
                    : try Self.values(of: row, inOrderOf: head.columns, index, table.tableName))
        }
        self.init(head: head, rows: values)
    }

    /// Returns the values of a row that assigns the columns in another order.
    private static func values(
        of row: [ColumnAssignment], inOrderOf columns: [String], _ index: Int, _ table: String
    ) throws -> [SQLExpression] {
        let values = columns.compactMap { column in
            row.first { ASCIICase.equal($0.columnName, column) }?.value
        }
        guard values.count == columns.count, row.count == columns.count else {
            throw misuse(
                """
                rows to insert must assign the same columns: the first one assigns \
                \(columns.joined(separator: ", ")), and the one at index \(index) \
                \(row.isEmpty ? "none" : row.map(\.columnName).joined(separator: ", "))
                """, table)
        }
        return values
    }

    fileprivate static func misuse(_ message: String, _ table: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "can't insert into \(table): \(message)")
    }
}

extension [String] {
    /// `("a", "b")`
    var listOfIdentifiers: String {
        "(\(map(\.quotedDatabaseIdentifier).joined(separator: ", ")))"
    }
}

extension Table {
    /// Returns the given policy, or else the policy of the record type.
    private func insertionPolicy(
        _ conflictResolution: Database.ConflictResolution?
    ) -> Database.ConflictResolution {
        conflictResolution
            ?? PersistenceConflictPolicy(of: RowDecoder.self).conflictResolutionForInsert
    }

    /// `INSERT OR REPLACE INTO "schema"."table"`
    func insertionVerb(_ conflictResolution: Database.ConflictResolution?) -> String {
        let policy = insertionPolicy(conflictResolution)
        // The default of SQLite is not written.
        let verb = policy == .abort ? "INSERT INTO " : "INSERT OR \(policy.rawValue) INTO "
        let schema = schemaName.map { "\($0.quotedDatabaseIdentifier)." }
        return verb + (schema ?? "") + tableName.quotedDatabaseIdentifier
    }

    func upsertion(
        _ db: Database, _ assignments: [ColumnAssignment], _ conflictTarget: [String],
        _ strategy: UpsertUpdateStrategy,
        _ updates: ((TableAlias<RowDecoder>) -> [ColumnAssignment])?
    ) throws -> RowInsertion {
        var insertion = try RowInsertion(db, [assignments], into: self, onConflict: .abort)
        let excluded = TableAlias<RowDecoder>(name: "excluded")
        insertion.upsert = try SQL(
            upserting: insertion.columns,
            keyColumns: db.primaryKey(tableName, in: schemaName).columns,
            conflictTarget: conflictTarget, assignments: updates?(excluded) ?? [],
            overwritesColumns: !strategy.contains(.noColumnUnlessSpecified))
        return insertion
    }

    /// Calls the closure with one insertion per batch, each with as many rows as fit into one
    /// statement. All insertions are rolled back if one fails.
    func insertBatches(
        _ db: Database, _ rows: [[ColumnAssignment]],
        onConflict conflictResolution: Database.ConflictResolution?,
        returning selection: [SQLSelection] = [], _ insert: (SQL) throws -> Void
    ) throws {
        if rows.isEmpty { return }
        var insertion = try RowInsertion(db, rows, into: self, onConflict: conflictResolution)
        let values = insertion.rows
        // Divided by four, because expressions may have several arguments.
        let size = max(1, min(256, db.maximumStatementArgumentCount / 4 / insertion.columns.count))
        let policy = insertionPolicy(conflictResolution)
        if values.count <= size, try values.count == 1 || !db.mayKeepRowsOfFailedStatement(policy) {
            return try insert(insertion.sql(returning: selection))
        }
        try db.inSavepoint {
            for start in stride(from: 0, to: values.count, by: size) {
                insertion.rows = Array(values[start..<min(start + size, values.count)])
                try insert(insertion.sql(returning: selection))
            }
            return .commit
        }
    }
}

/// Whether the schema has a policy, or a trigger, that keeps the former rows of a statement that fails.
private final class PartialFailures {
    let arePossible: Bool

    init(arePossible: Bool) {
        self.arePossible = arePossible
    }
}

extension Database {
    /// Whether an insertion of several rows may keep some of them when it fails: the policy of the statement or
    /// of its table is `FAIL`, or a trigger calls `RAISE(FAIL)`.
    ///
    /// SQLite does not tell, so this looks for the word in the schema. An extra savepoint does no harm.
    fileprivate func mayKeepRowsOfFailedStatement(
        _ conflictResolution: ConflictResolution
    ) throws -> Bool {
        if conflictResolution == .fail { return true }
        let cache = try validSchemaCache()
        let id = ObjectIdentifier(PartialFailures.self)
        if let known = cache.derivedValue(for: id) as? PartialFailures { return known.arePossible }
        let arePossible = try schemaIDs(named: nil).contains { schemaID in
            try schemaObjects(in: schemaID).all.contains { object in
                SQLToken.tokens(of: object.sql ?? "").contains { $0.isWord("FAIL") }
            }
        }
        cache.setDerivedValue(PartialFailures(arePossible: arePossible), for: id)
        return arePossible
    }

    /// Inserts one row.
    ///
    /// - returns: its rowid; 0 if it was ignored.
    func insertRow(_ insertion: SQL) throws -> Int64 {
        try cachedStatement(literal: insertion).execute()
        // If the row was ignored, `lastInsertedRowID` is the rowid of an earlier insertion.
        return changesCount == 0 ? 0 : lastInsertedRowID
    }
}
