/// The output of a ``DumpFormat``: the stream of the caller, or the standard output.
public struct DumpStream {
    private var base: any TextOutputStream
    private var needsMargin = false

    /// The columns to omit: the last column with each of these names.
    var hiddenColumns: [String] = []

    /// - parameter base: nil for the standard output.
    init(_ base: (any TextOutputStream)?) {
        self.base = base ?? StandardOutputStream()
    }

    /// Inserts a line feed before the next output, which ends a line, or adds an empty line.
    ///
    /// No line feed is added if the next output starts with a line feed. Nothing is written if
    /// there is no further output.
    public mutating func margin() {
        needsMargin = true
    }

    /// The columns of a statement that are printed.
    private func columnIndexes(_ statement: Statement) -> [Int] {
        let names = statement.columnNames
        let hiddenIndexes = hiddenColumns.map { column in
            names.lastIndex { $0.hasSameBytes(as: column) }
        }
        return names.indices.filter { !hiddenIndexes.contains($0) }
    }

    /// The names of the columns of a statement.
    func columnNames(_ statement: Statement) -> [String] {
        let names = statement.columnNames
        return hiddenColumns.isEmpty ? names : columnIndexes(statement).map { names[$0] }
    }

    /// The values of the current row of a statement.
    func columnValues(_ statement: Statement) -> [DatabaseValue] {
        let values = statement.columnValues()
        return hiddenColumns.isEmpty ? values : columnIndexes(statement).map { values[$0] }
    }

    mutating func writeLine(_ line: String) {
        write(line + "\n")
    }
}

extension DumpStream: TextOutputStream {
    /// Writes the string, after the line feed requested by ``margin()``.
    public mutating func write(_ string: String) {
        if needsMargin, !string.isEmpty {
            needsMargin = false
            if string.utf8.first != UInt8(ascii: "\n") { base.write("\n") }
        }
        base.write(string)
    }
}

private struct StandardOutputStream: TextOutputStream {
    func write(_ string: String) {
        print(string, terminator: "")
    }
}
