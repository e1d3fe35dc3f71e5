/// `INSERT INTO "table" ("a", "b") VALUES (1, 2), (3, 4)`: an insertion that no record makes.
struct TableInsertion: SQLNode {
    enum Source {
        /// `DEFAULT VALUES`
        case defaultValues
        /// One or more rows, with as many expressions as there are columns.
        case rows([[SQLExpression]])
        /// The rows of a query.
        case query(SQLSubquery)
    }

    var table: Relation.TableName
    var conflictResolution: Database.ConflictResolution
    /// The assigned columns; empty for all columns of the table.
    var columns: [String] = []
    var source: Source
    var upsert: InsertStatement.Upsert?
    var returning: [SQLSelection] = []

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "INSERT")
        writer.append(conflictResolution)
        writer.append(sql: " INTO ")
        if let schema = table.schema {
            writer.append(identifier: schema)
            writer.append(sql: ".")
        }
        writer.append(identifier: table.name)
        if !columns.isEmpty {
            let names = columns.map(\.quotedDatabaseIdentifier)
            writer.append(sql: " (\(names.joined(separator: ", ")))")
        }
        switch source {
        case .defaultValues:
            writer.append(sql: " DEFAULT VALUES")
        case .rows(let rows):
            writer.append(sql: " VALUES ")
            try writer.append(list: rows.map { RowValue(expressions: $0) })
        case .query(let query):
            writer.append(sql: " ")
            try query.write(to: writer)
        }
        try upsert?.write(to: writer)
        try writer.append(returning: returning, ofTable: table)
    }
}

extension TableInsertion {
    /// The insertion of rows of assignments.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` unless all rows assign the same columns,
    ///   each of them once.
    init(
        _ rows: [[ColumnAssignment]], into table: Relation.TableName,
        onConflict conflictResolution: Database.ConflictResolution
    ) throws {
        // A column that is not to be overwritten is not to be inserted either.
        let rows = rows.map { $0.filter { $0.value != nil } }
        let columns = rows.first?.map(\.columnName) ?? []
        if columns.isEmpty {
            throw Self.misuse(
                "no column is assigned in a row to insert: see insertDefaultValues(_:)", table)
        }
        let keys = columns.map { CaseInsensitiveIdentifier($0) }
        for (index, key) in keys.enumerated() where keys[..<index].contains(key) {
            throw Self.misuse("the column \(key.rawValue) is assigned twice", table)
        }
        let values = try rows.enumerated().map { index, row in
            try Self.values(of: row, inOrderOf: keys, index, table)
        }
        self.init(
            table: table, conflictResolution: conflictResolution, columns: columns,
            source: .rows(values))
    }

    /// The values of a row, in the order of columns.
    private static func values(
        of row: [ColumnAssignment], inOrderOf columns: [CaseInsensitiveIdentifier],
        _ index: Int, _ table: Relation.TableName
    ) throws -> [SQLExpression] {
        var values: [SQLExpression] = []
        values.reserveCapacity(columns.count)
        for (position, column) in columns.enumerated() {
            // The usual case: all rows have their columns in the same order.
            if position < row.count, CaseInsensitiveIdentifier(row[position].columnName) == column {
                values.append(row[position].assignedValue)
            } else if let assignment = row.first(where: {
                CaseInsensitiveIdentifier($0.columnName) == column
            }) {
                values.append(assignment.assignedValue)
            }
        }
        guard values.count == columns.count, row.count == columns.count else {
            throw misuse(
                """
                rows to insert must assign the same columns: the first one assigns \
                \(columns.map(\.rawValue).joined(separator: ", ")), and the one at index \(index) \
                \(row.isEmpty ? "none" : row.map(\.columnName).joined(separator: ", "))
                """, table)
        }
        return values
    }

    private static func misuse(_ message: String, _ table: Relation.TableName) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "can't insert into \(table.name): \(message)")
    }
}
