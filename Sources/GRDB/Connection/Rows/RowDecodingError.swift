/// Thrown when a value of a row can't be converted to the requested type, or when its column is
/// missing.
///
/// ```swift
/// // RowDecodingError: could not decode Int from database value "Arthur" -
/// // table: "player", column: "name", column index: 0, sql: `SELECT name FROM player`
/// try Int.fetchAll(db, sql: "SELECT name FROM player")
/// ```
///
/// The description shows the value that can't be converted. It shows the whole row only when
/// ``Configuration/publicStatementArguments`` is true, or when the program created the row from values.
public struct RowDecodingError: Error, Sendable {
    /// The origin of a row, for the description of errors.
    struct Context: Sendable {
        var rowDescription: String?
        var sql: String?
        var argumentsDescription: String?
        /// The table of the column; nil if the column is computed.
        var table: String?
        var column: String?
        var columnIndex: Int?
    }

    enum Reason: Sendable {
        /// - parameter failure: the error of the JSON decoder, if there is one.
        case valueMismatch(type: String, value: String, failure: String?)
        case columnNotFound(String, availableColumns: [String])
        case scopeNotFound(String, availableScopes: [String])
        case prefetchKeyNotFound(String, availableKeys: [String])
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

    init(
        valueMismatch type: String, dbValue: DatabaseValue, failure: String? = nil, in row: Row,
        at index: Int
    ) {
        self.init(
            .valueMismatch(type: type, value: dbValue.messageText, failure: failure),
            context: Context(row: row, column: index))
    }

    init(columnNotFound name: String, in row: Row) {
        self.init(.columnNotFound(name, availableColumns: row.layout.names), in: row)
    }

    init(indexOutOfRange index: Int, in row: Row) {
        self.init(.other("row index out of range: \(index)"), in: row)
    }
}

extension RowDecodingError.Context {
    init(row: Row) {
        sql = row.baseLayout.origin.map { SQLText.withoutKeys($0.sql) }
        guard row.baseLayout.showsValues else { return }
        rowDescription = row.messageText
        // A copied row has no access to the arguments of its statement.
        argumentsDescription = row.statement?.arguments.messageText
    }

    /// Creates the context of a column as it appears in the SQL, which the description also shows:
    /// adapters and scopes are ignored.
    init(row: Row, column index: Int) {
        self.init(row: row.unadapted)
        let rawIndex = Int(row.backingIndex(index))
        table = row.baseLayout.origin?.tables[rawIndex]
        column = row.baseLayout.names[rawIndex]
        columnIndex = rawIndex
    }

    /// The known details, for the end of a message; empty if there are none.
    var details: String {
        let details = [
            ("table", table.map { String(reflecting: $0) }),
            ("column", column.map { String(reflecting: $0) }),
            ("column index", columnIndex.map { "\($0)" }),
            ("row", rowDescription),
            ("sql", sql.map { "`\($0)`" }),
            ("arguments", argumentsDescription),
        ]
        return details.compactMap { name, text in text.map { "\(name): \($0)" } }
            .joined(separator: ", ")
    }
}

extension Row {
    /// The text of the row for the message of an error that may show values.
    fileprivate var messageText: String {
        columnsText(layout.names, valueArray.map(\.messageText))
    }

    /// The scopes, prefetched rows and columns for the message of an error: their names, and the
    /// values of columns if they may be shown. Values may be long, so they follow the names.
    var contentText: String {
        var parts: [String] = []
        let scopes = scopesTree.names.ordered()
        if !scopes.isEmpty { parts.append("available scopes: \(scopes)") }
        let keys = prefetches.keys.ordered()
        if !keys.isEmpty { parts.append("available prefetched rows: \(keys)") }
        parts.append(
            baseLayout.showsValues ? "row: \(messageText)" : "available columns: \(layout.names)")
        if let sql = baseLayout.origin?.sql { parts.append("sql: `\(SQLText.withoutKeys(sql))`") }
        return parts.joined(separator: ", ")
    }
}

extension RowDecodingError: CustomStringConvertible {
    public var description: String {
        let what =
            switch reason {
            case .valueMismatch(let type, let value, let failure):
                "could not decode \(type) from database value \(value)"
                    + (failure.map { ": \($0)" } ?? "")
            case .columnNotFound(let name, let columns):
                "column not found: \(String(reflecting: name))"
                    // The row description already shows the columns.
                    + available("columns", context.rowDescription == nil ? columns : [])
            case .scopeNotFound(let name, let scopes):
                "scope not found: \(String(reflecting: name))" + available("scopes", scopes)
            case .prefetchKeyNotFound(let key, let keys):
                "key for prefetched rows not found: \(String(reflecting: key))"
                    + available("keys", keys)
            case .other(let message):
                message
            }
        let details = context.details
        return details.isEmpty ? what : "\(what) - \(details)"
    }

    private func available(_ what: String, _ names: [String]) -> String {
        names.isEmpty ? "" : " - available \(what): \(names)"
    }
}
