/// Thrown when a value of a row can't be converted to the type that is asked for, or when its
/// column is missing.
///
/// ```swift
/// // RowDecodingError: could not decode Int from database value NULL -
/// // column: "a", column index: 0, row: [a:NULL], sql: `SELECT NULL AS a`
/// try Int.fetchAll(db, sql: "SELECT NULL AS a")
/// ```
public struct RowDecodingError: Error, Sendable {
    /// Where a row comes from, for the description of errors.
    struct Context: Sendable {
        var rowDescription: String?
        var sql: String?
        var argumentsDescription: String?
        /// Whether the row was already gone when the error was made.
        var column: String?
        var columnIndex: Int?
    }

    enum Reason: Sendable {
        case valueMismatch(type: String, value: String)
        case columnNotFound(String)
        case scopeNotFound(String, availableScopes: [String])
        case prefetchKeyNotFound(String)
        case other(String)
    }

    let reason: Reason
    let context: Context

    init(_ reason: Reason, context: Context) {
        self.reason = reason
        self.context = context
    }

    init(_ reason: Reason, in row: Row) {
        self.init(reason, context: Context(row: row))
    }

    init<Value>(valueMismatch type: Value.Type, dbValue: DatabaseValue, in row: Row, at index: Int)
    {
        self.init(valueMismatch: "\(Value.self)", dbValue: dbValue, in: row, at: index)
    }

    init(valueMismatch type: String, dbValue: DatabaseValue, in row: Row, at index: Int) {
        // The column as in the SQL, which the description shows as well: adapters and scopes are
        // left out.
        let rawIndex = Int(row.backingIndex(index))
        var context = Context(row: row.unadapted)
        context.column = row.baseLayout.names[rawIndex]
        context.columnIndex = rawIndex
        self.init(.valueMismatch(type: type, value: dbValue.description), context: context)
    }

    init(columnNotFound name: String, in row: Row) {
        self.init(.columnNotFound(name), in: row)
    }

    @usableFromInline
    init(indexOutOfRange index: Int, in row: Row) {
        self.init(.other("row index out of range: \(index)"), in: row)
    }
}

extension RowDecodingError.Context {
    init(row: Row) {
        rowDescription = row.description
        if let statement = row.statement {
            sql = statement.sql
            if statement.database.configuration.publicStatementArguments {
                argumentsDescription = statement.arguments.description
            }
        }
    }
}

extension RowDecodingError: CustomStringConvertible {
    public var description: String {
        let what =
            switch reason {
            case .valueMismatch(let type, let value):
                "could not decode \(type) from database value \(value)"
            case .columnNotFound(let name):
                "column not found: \(String(reflecting: name))"
            case .scopeNotFound(let name, let scopes):
                "scope not found: \(String(reflecting: name))"
                    + (scopes.isEmpty ? "" : " - available scopes: \(scopes)")
            case .prefetchKeyNotFound(let key):
                "key for prefetched rows not found: \(String(reflecting: key))"
            case .other(let message):
                message
            }
        var details: [String] = []
        if let column = context.column {
            details.append("column: \(String(reflecting: column))")
        }
        if let index = context.columnIndex {
            details.append("column index: \(index)")
        }
        if let row = context.rowDescription {
            details.append("row: \(row)")
        }
        if let sql = context.sql {
            details.append("sql: `\(sql)`")
        }
        if let arguments = context.argumentsDescription {
            details.append("arguments: \(arguments)")
        }
        return details.isEmpty ? what : "\(what) - \(details.joined(separator: ", "))"
    }
}
