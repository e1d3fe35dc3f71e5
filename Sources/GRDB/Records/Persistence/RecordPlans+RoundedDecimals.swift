#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
import Foundation
#else
import FoundationEssentials
#endif

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
        func has(_ names: String...) -> Bool { names.contains { type.rangeOfText($0) != nil } }
        if type.isEmpty || type == "ANY"
            || has("INT", "CHAR", "CLOB", "TEXT", "BLOB", "DATE", "TIME", "BOOL")
        {
            return nil
        }
        name = column.name
        self.type = column.type
        isReal = has("REAL", "FLOA", "DOUB")
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

extension RecordPlans {
    /// Checks the values that an operation is about to store.
    func checkDecimals(
        _ operation: PersistenceOperation, _ container: PersistenceContainer,
        _ assignments: [ColumnAssignment]
    ) throws {
        if roundingColumns.isEmpty || !operation.storesColumns { return }
        let isUpdate = operation.verb == .update
        for column in roundingColumns {
            let isKey = isUpdate && isKey(column.name)
            let isAssigned =
                operation.verb != .upsert
                && assignments.contains { ASCIICase.equal($0.columnName, column.name) }
            guard operation.updates(column.name), !isKey, !isAssigned,
                let value = container.databaseValue(forColumn: column.name)
            else { continue }
            try column.check(value, table: table)
        }
    }
}
