/// A format that prints one line per database value, with all values as text, like the `line` mode
/// of the `sqlite3` shell.
///
/// ```swift
/// //  name = Arthur
/// // score = 500
/// //
/// //  name = Barbara
/// // score = 1000
/// try db.dumpSQL("SELECT name, score FROM player", format: .line())
/// ```
///
/// Blobs are decoded as UTF-8. Invalid UTF-8 is repaired.
public struct LineDumpFormat: Sendable {
    /// The text for NULL.
    public var nullValue: String

    /// Creates a format.
    ///
    /// - parameter nullValue: the text for NULL.
    public init(nullValue: String = "") {
        self.nullValue = nullValue
    }
}

extension LineDumpFormat: DumpFormat {
    public mutating func writeRow(
        _ db: Database, statement: Statement, to stream: inout DumpStream
    ) {
        let names = stream.columnNames(statement)
        let width = names.lazy.map(\.count).max() ?? 0
        for (name, value) in zip(names, stream.columnValues(statement)) {
            let indentation = String(repeating: " ", count: width - name.count)
            stream.writeLine("\(indentation)\(name) = \(value.dumpedText(nullValue: nullValue))")
        }
        // An empty line before the next row, even if it belongs to another statement.
        stream.margin()
    }

    public mutating func finalize(
        _ db: Database, statement: Statement, to stream: inout DumpStream
    ) {}
}

extension DumpFormat where Self == LineDumpFormat {
    /// A format that prints one line per database value, with all values as text.
    ///
    /// - parameter nullValue: the text for NULL.
    public static func line(nullValue: String = "") -> Self {
        LineDumpFormat(nullValue: nullValue)
    }
}
