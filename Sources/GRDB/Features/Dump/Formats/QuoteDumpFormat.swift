/// A format that prints one line per database row, with all values as SQL literals, like the
/// `quote` mode of the `sqlite3` shell.
///
/// ```swift
/// // 'Arthur',500
/// // 'O''Brien',NULL
/// try db.dumpSQL("SELECT name, score FROM player", format: .quote())
/// ```
///
/// Text with NUL characters has no literal. It is printed as a cast blob.
public struct QuoteDumpFormat: Sendable {
    /// Whether to print column names, also as literals, before the rows. An empty result prints
    /// nothing.
    public var header: Bool

    /// The separator between values.
    public var separator: String

    private var isFirstRow = true

    /// Creates a format.
    ///
    /// - parameter header: whether to print column names before the rows.
    /// - parameter separator: the text between two values.
    public init(header: Bool = false, separator: String = ",") {
        self.header = header
        self.separator = separator
    }
}

extension QuoteDumpFormat: DumpFormat {
    public mutating func writeRow(
        _ db: Database, statement: Statement, to stream: inout DumpStream
    ) {
        if isFirstRow, header {
            stream.writeLine(
                stream.columnNames(statement).map(\.databaseValue.sqlLiteral).joined(
                    separator: separator))
        }
        isFirstRow = false
        stream.writeLine(
            stream.columnValues(statement).map { quote($0, db) }.joined(separator: separator))
    }

    public mutating func finalize(
        _ db: Database, statement: Statement, to stream: inout DumpStream
    ) {
        isFirstRow = true
    }

    private func quote(_ value: DatabaseValue, _ db: Database) -> String {
        // Numbers are printed like SQLite prints them.
        if case .double = value.storage,
            let literal = try? String.fetchOne(db, sql: "SELECT QUOTE(?)", arguments: [value])
        {
            return literal
        }
        return value.sqlLiteral
    }
}

extension DumpFormat where Self == QuoteDumpFormat {
    /// A format that prints one line per database row, with all values as SQL literals.
    ///
    /// - parameter header: whether to print column names before the rows.
    /// - parameter separator: the separator between values.
    public static func quote(header: Bool = false, separator: String = ",") -> Self {
        QuoteDumpFormat(header: header, separator: separator)
    }
}
