/// A format that prints one line per database value, all values as text. It is the `line` mode of
/// the `sqlite3` shell.
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
/// Blobs are decoded as UTF-8, errors repaired.
public struct LineDumpFormat: Sendable {
    /// How NULL is printed.
    public var nullValue: String

    /// Creates a format.
    ///
    /// - parameter nullValue: how NULL is printed.
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
        // An empty line before the next row, also if that comes from another statement.
        stream.margin()
    }

    public mutating func finalize(
        _ db: Database, statement: Statement, to stream: inout DumpStream
    ) {}
}

extension DumpFormat where Self == LineDumpFormat {
    /// A format that prints one line per database value, all values as text.
    ///
    /// - parameter nullValue: how NULL is printed.
    public static func line(nullValue: String = "") -> Self {
        LineDumpFormat(nullValue: nullValue)
    }
}
