import _GRDBSystem

// Decimals that a column would round.
//
// A `Decimal` is stored as text. A column of numeric or real affinity converts the text to a floating-point number,
// which has 15 to 17 digits, and SQLite reports nothing.

/// A column that converts decimal texts to numbers.
struct RoundingColumn {
    let name: String
    private let type: String

    /// Whether the column also converts integers to floating-point numbers.
    private let isReal: Bool

    /// - returns: nil if the column keeps texts, or is meant for other values: dates and Booleans are numeric for
    ///   SQLite. Integer columns are not checked, because nearly every record has some.
    init?(_ column: ColumnInfo) {
        let type = column.type.uppercased()
        let affinity = RawAffinity(declaredType: type)
        guard affinity == .numeric || affinity == .real, type != "ANY",
            !["DATE", "TIME", "BOOL"].contains(where: { type.rangeOfText($0) != nil })
        else { return nil }
        name = column.name
        self.type = column.type
        isReal = affinity == .real
    }

    /// - throws: a ``DatabaseError`` of code `SQLITE_MISMATCH` if the value is a decimal that the column rounds.
    func check(_ value: DatabaseValue, table: String) throws {
        guard case .string(let text) = value.storage, text.utf8.count > 15,
            isReal || Int64(text) == nil,
            let decimal = Decimal.fromDatabaseValue(value), let number = Double(text),
            Decimal.fromDatabaseValue(number.databaseValue) != decimal
        else { return }
        // Without the value, which may be private.
        throw DatabaseError(
            resultCode: .SQLITE_MISMATCH,
            message: """
                the column \(name) of the table \(table) has the type \(type), which rounds this decimal number: \
                store it as text, in a column declared as TEXT (.text, with the collation .decimal if SQL compares \
                the numbers), or store an integer, such as cents
                """)
    }
}

/// The parameters whose values are stored in columns that round decimals.
struct RoundedParameters {
    /// Without the columns, so that looking for a long text copies and retains nothing.
    private var parameters: [CInt] = []
    private var columns: [RoundingColumn] = []

    init(_ operation: PersistenceOperation, _ row: RowStatement, _ columns: [RoundingColumn]) {
        if !operation.storesColumns { return }
        for column in columns {
            let slot = row.slots.first {
                ASCIICase.equal($0.name, column.name) && $0.parameter > 0
                    && !row.keyParameters.contains($0.parameter)
            }
            if let slot {
                parameters.append(slot.parameter)
                self.columns.append(column)
            }
        }
    }

    /// Checks the values that a statement is about to store.
    @inline(__always)
    func check(_ statement: Statement, table: String) throws {
        for index in parameters.indices
        where RawStatement.isBoundLongText(statement.sqliteStatement, at: parameters[index]) {
            try checkText(index, statement, table)
        }
    }

    @inline(never)
    private func checkText(_ index: Int, _ statement: Statement, _ table: String) throws {
        try columns[index].check(statement.boundValue(at: parameters[index]), table: table)
    }
}
