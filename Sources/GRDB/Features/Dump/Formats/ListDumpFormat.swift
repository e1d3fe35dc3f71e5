/// A format that prints one line per database row, with all values as text, like the `list` mode of
/// the `sqlite3` shell.
///
/// ```swift
/// // Arthur|500
/// // Barbara|1000
/// try db.dumpSQL("SELECT name, score FROM player", format: .list())
/// ```
///
/// Blobs are decoded as UTF-8. Invalid UTF-8 is repaired.
public struct ListDumpFormat: Sendable {
    /// Whether to print column names before the rows. An empty result prints nothing.
    public var header: Bool

    /// The separator between values.
    public var separator: String

    /// The text for NULL.
    public var nullValue: String

    private var isFirstRow = true

    /// Creates a format.
    ///
    /// - parameter header: whether to print column names before the rows.
    /// - parameter separator: the text between two values.
    /// - parameter nullValue: the text for NULL.
    public init(header: Bool = false, separator: String = "|", nullValue: String = "") {
        self.header = header
        self.separator = separator
        self.nullValue = nullValue
    }
}

extension ListDumpFormat: DumpFormat {
    public mutating func writeRow(
        _ db: Database, statement: Statement, to stream: inout DumpStream
    ) {
        if isFirstRow, header {
            stream.writeLine(stream.columnNames(statement).joined(separator: separator))
        }
        isFirstRow = false
        stream.writeLine(
            stream.columnValues(statement)
                .map { $0.dumpedText(nullValue: nullValue) }
                .joined(separator: separator))
    }

    public mutating func finalize(
        _ db: Database, statement: Statement, to stream: inout DumpStream
    ) {
        isFirstRow = true
    }
}

extension DumpFormat where Self == ListDumpFormat {
    /// A format that prints one line per database row, with all values as text.
    ///
    /// - parameter header: whether to print column names before the rows.
    /// - parameter separator: the separator between values.
    /// - parameter nullValue: how NULL is printed.
    public static func list(
        header: Bool = false, separator: String = "|", nullValue: String = ""
    ) -> Self {
        ListDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}
