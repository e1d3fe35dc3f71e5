import _GRDBSystem

/// A format that prints one line per row, for debugging. Values are printed without quotes, with a
/// separator between them.
///
/// ```swift
/// // Arthur|500
/// // Barbara|1000
/// try db.dumpSQL("SELECT name, score FROM player", format: .debug())
/// ```
///
/// Blobs with UTF-8 text are printed as text, other blobs of sixteen bytes as UUIDs, and all
/// remaining blobs as SQL literals: `X'01FF'`.
public struct DebugDumpFormat: Sendable {
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

extension DebugDumpFormat: DumpFormat {
    public mutating func writeRow(
        _ db: Database, statement: Statement, to stream: inout DumpStream
    ) {
        if isFirstRow, header {
            stream.writeLine(stream.columnNames(statement).joined(separator: separator))
        }
        isFirstRow = false
        stream.writeLine(stream.columnValues(statement).map(format).joined(separator: separator))
    }

    public mutating func finalize(
        _ db: Database, statement: Statement, to stream: inout DumpStream
    ) {
        isFirstRow = true
    }

    private func format(_ value: DatabaseValue) -> String {
        if case .blob(let data) = value.storage {
            if let text = String(data: data, encoding: .utf8) { return text }
            // Sixteen bytes that are not text are most likely a UUID.
            if data.count == 16, let uuid = UUID.fromDatabaseValue(value) { return uuid.uuidString }
            return value.sqlLiteral
        }
        return value.dumpedText(nullValue: nullValue)
    }
}

extension DumpFormat where Self == DebugDumpFormat {
    /// A format that prints one line per row, for debugging. Values are printed without quotes,
    /// with a separator between them.
    ///
    /// - parameter header: whether to print column names before the rows.
    /// - parameter separator: the separator between values.
    /// - parameter nullValue: the text for NULL.
    public static func debug(
        header: Bool = false, separator: String = "|", nullValue: String = ""
    ) -> Self {
        DebugDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}

extension DatabaseValue {
    /// The value as text, including blobs.
    func dumpedText(nullValue: String) -> String {
        switch storage {
        case .null: nullValue
        case .int64(let value): value.description
        case .double(let value): value.description
        case .string(let value): value
        case .blob(let value): String(decoding: value, as: UTF8.self)
        }
    }
}
