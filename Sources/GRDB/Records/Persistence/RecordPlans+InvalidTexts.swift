// Stored texts that are not valid UTF-8.
//
// A Swift string can't represent such a text: its invalid bytes are read as U+FFFD. An update of all columns
// would store what was read, and the bytes would be lost, although nobody changed the text.

extension PersistenceOperation {
    /// Whether the operation may overwrite texts of a row that the record was read from.
    var overwritesTexts: Bool { verb == .update || verb == .upsert }

    /// The keys that may identify the row that the operation updates. The first one that does is sufficient: a
    /// record stores the bytes of the row that it was read from.
    fileprivate func keys(of table: String, _ db: Database) throws -> [[String]] {
        if verb == .upsert, let target = details?.columns, !target.isEmpty { return [target] }
        let primaryKey = try db.primaryKey(table).columns
        if verb == .update { return [primaryKey] }
        let others = try db.indexes(on: table).filter {
            $0.isUnique && $0.origin != .primaryKeyConstraint
        }
        return [primaryKey] + others.map(\.columns)
    }
}

extension Statement {
    /// Whether an argument contains U+FFFD, which is seldom the case.
    fileprivate var hasReplacedText: Bool {
        RawStatement.replacedText(sqliteStatement, after: 0) > 0
    }

    /// Binds the stored bytes of texts that the record read with U+FFFD in the place of invalid bytes, and did
    /// not change since.
    ///
    /// The arguments must be bound. Runs a query if an argument contains U+FFFD; an upsert, one for each key until
    /// the row is found.
    ///
    /// - parameter column: returns the column that a parameter is assigned to; nil for other parameters.
    /// - parameter value: returns the value of a column; nil if the record does not set the column.
    fileprivate func keepInvalidTexts(
        _ operation: PersistenceOperation, table: String, column: (CInt) -> String?,
        value: (String) -> DatabaseValue?
    ) throws {
        var texts: [(column: String, parameter: CInt)] = []
        var parameter = RawStatement.replacedText(sqliteStatement, after: 0)
        while parameter > 0 {
            if let column = column(parameter) { texts.append((column, parameter)) }
            parameter = RawStatement.replacedText(sqliteStatement, after: parameter)
        }
        if texts.isEmpty { return }
        for keyColumns in try operation.keys(of: table, database) {
            let key = keyColumns.compactMap(value)
            // The columns of the key have the bytes by which the row is found.
            let updates = texts.filter { text in
                !keyColumns.contains { ASCIICase.equal($0, text.column) }
            }
            if key.count < keyColumns.count || key.contains(where: \.isNull) || updates.isEmpty {
                continue
            }
            let columns = updates.map(\.column.quotedDatabaseIdentifier).joined(separator: ", ")
            let selection = try database.cachedStatement(
                KeyedStatement(
                    head: "SELECT \(columns) FROM \(table.quotedDatabaseIdentifier)",
                    keyColumns: keyColumns, key: key))
            var isFound = false
            try selection.withFirstRow(adapter: nil) { row, _ in
                isFound = true
                for (index, update) in updates.enumerated() {
                    try keepInvalidText(row, CInt(index), at: update.parameter)
                }
            }
            if isFound { return }
        }
    }

    private func keepInvalidText(
        _ row: SQLiteStatement, _ index: CInt, at parameter: CInt
    ) throws {
        let (type, bytes) = RawColumn.content(row, index)
        let text = String(decoding: bytes, as: UTF8.self)
        // The bytes are equal if U+FFFD itself is stored.
        guard case .string(let value) = boundValue(at: parameter).storage,
            text.hasSameBytes(as: value), !text.utf8.elementsEqual(bytes)
        else { return }
        let code =
            type == RawType.blob
            ? RawBinding.blob(sqliteStatement, parameter, UnsafeRawBufferPointer(bytes))
            : RawBinding.text(sqliteStatement, parameter, bytes)
        if code != RawStatement.ok { throw bindingError(code) }
    }
}

extension PersistencePlan {
    func keepInvalidTexts() throws {
        guard statement.hasReplacedText else { return }
        try statement.keepInvalidTexts(
            operation, table: table, column: column(ofParameter:), value: boundValue(ofColumn:))
    }
}

extension RecordPlans {
    func keepInvalidTexts(
        in statement: Statement, _ operation: PersistenceOperation,
        _ container: PersistenceContainer, _ assignments: [ColumnAssignment]
    ) throws {
        guard operation.overwritesTexts, statement.hasReplacedText else { return }
        let columns =
            operation.verb == .upsert
            ? container.columns : updatedColumns(operation, container, assignments)
        try statement.keepInvalidTexts(
            operation, table: table,
            // The values of the record are the first arguments.
            column: { $0 <= columns.count ? columns[Int($0) - 1] : nil },
            value: container.databaseValue(forColumn:))
    }
}
