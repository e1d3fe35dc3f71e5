// Stored texts that are not valid UTF-8.
//
// A Swift string can't represent such a text: its invalid bytes are read as U+FFFD. An update of all columns
// would store what was read, and the bytes would be lost, although nobody changed the text.

extension Statement {
    /// Whether an argument contains U+FFFD, which is seldom the case.
    fileprivate var hasReplacedText: Bool {
        RawStatement.replacedText(sqliteStatement, after: 0) > 0
    }

    /// Replaces texts that an update is about to store with those of the row, if the record has read U+FFFD
    /// instead of invalid bytes, and did not change the text.
    ///
    /// The arguments must be bound. Runs a query if an argument contains U+FFFD.
    ///
    /// - parameter column: returns the column that a parameter is assigned to; nil for other parameters.
    /// - parameter key: returns the values of the primary key.
    fileprivate func keepInvalidTexts(
        table: String, column: (CInt) -> String?, keyColumns: [String], key: () -> [DatabaseValue]
    ) throws {
        var updates: [(column: String, parameter: CInt)] = []
        var parameter = RawStatement.replacedText(sqliteStatement, after: 0)
        while parameter > 0 {
            if let column = column(parameter) { updates.append((column, parameter)) }
            parameter = RawStatement.replacedText(sqliteStatement, after: parameter)
        }
        if updates.isEmpty { return }
        let selection = try database.cachedStatement(
            RowSelection(
                table: table, columns: updates.map(\.column), keyColumns: keyColumns, key: key()))
        try selection.withFirstRow(adapter: nil) { row, _ in
            for (index, update) in updates.enumerated() {
                try keepInvalidText(row, CInt(index), at: update.parameter)
            }
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
            table: table,
            column: { parameter in
                keyParameters.contains(parameter) ? nil : column(ofParameter: parameter)
            },
            keyColumns: keyParameters.compactMap(column(ofParameter:)),
            key: { keyParameters.map(statement.boundValue(at:)) })
    }
}

extension RecordPlans {
    func keepInvalidTexts(
        in statement: Statement, _ operation: PersistenceOperation,
        _ container: PersistenceContainer, _ assignments: [ColumnAssignment]
    ) throws {
        guard operation.verb == .update, statement.hasReplacedText else { return }
        let columns = updatedColumns(operation, container, assignments)
        try statement.keepInvalidTexts(
            table: table,
            // The values of the record are the first arguments.
            column: { $0 <= columns.count ? columns[Int($0) - 1] : nil },
            keyColumns: primaryKey.columns, key: { key(in: container) })
    }
}
