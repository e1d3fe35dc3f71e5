import Foundation

/// One line for each row, for a quick look: values stand as they are, with a separator between
/// them.
///
/// ```swift
/// // Arthur|500
/// // Barbara|1000
/// try db.dumpSQL("SELECT name, score FROM player", format: .debug())
/// ```
///
/// Blobs that hold UTF-8 text are printed as text, others of sixteen bytes as UUIDs, and the rest as
/// SQL literals: `X'01FF'`.
public struct DebugDumpFormat: Sendable {
    /// Whether column names precede the rows. An empty result prints nothing.
    public var header: Bool

    /// The separator between values.
    public var separator: String

    /// How NULL is printed.
    public var nullValue: String

    private var isFirstRow = true

    /// Creates a format.
    ///
    /// - parameter header: whether column names precede the rows.
    /// - parameter separator: the text between two values.
    /// - parameter nullValue: how NULL is printed.
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
            // Sixteen bytes that are no text are most likely a UUID.
            if data.count == 16, let uuid = UUID.fromDatabaseValue(value) { return uuid.uuidString }
            return value.sqlLiteral
        }
        return value.dumpedText(nullValue: nullValue)
    }
}

extension DumpFormat where Self == DebugDumpFormat {
    /// One line for each row, for a quick look: values stand as they are, with a separator between
    /// them.
    ///
    /// - parameter header: whether column names precede the rows.
    /// - parameter separator: the separator between values.
    /// - parameter nullValue: how NULL is printed.
    public static func debug(
        header: Bool = false, separator: String = "|", nullValue: String = ""
    ) -> Self {
        DebugDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}

extension DatabaseValue {
    /// The value as text, blobs included.
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
