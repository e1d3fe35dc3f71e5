/// A text output stream for the ``DumpFormat`` types.
public struct DumpStream {
    private var base: any TextOutputStream
    private var needsMargin = false

    /// - parameter base: nil for the standard output.
    init(_ base: (any TextOutputStream)?) {
        self.base = base ?? StandardOutputStream()
    }

    /// Has an empty line, or the end of a line, precede whatever is written next. Nothing is
    /// written if nothing follows.
    public mutating func margin() {
        needsMargin = true
    }

    mutating func writeLine(_ line: String) {
        write(line + "\n")
    }
}

extension DumpStream: TextOutputStream {
    /// Writes the string, after the margin if there is one to be written.
    public mutating func write(_ string: String) {
        if needsMargin, !string.isEmpty {
            needsMargin = false
            base.write("\n")
        }
        base.write(string)
    }
}

private struct StandardOutputStream: TextOutputStream {
    func write(_ string: String) {
        print(string, terminator: "")
    }
}
