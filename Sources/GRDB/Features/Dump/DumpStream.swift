/// Where a ``DumpFormat`` writes: the stream of the caller, or the standard output.
public struct DumpStream {
    private var base: any TextOutputStream
    private var needsMargin = false

    /// - parameter base: nil for the standard output.
    init(_ base: (any TextOutputStream)?) {
        self.base = base ?? StandardOutputStream()
    }

    /// Puts a line feed before the next output: it ends a line, or leaves a line empty. Without
    /// further output, nothing is written.
    public mutating func margin() {
        needsMargin = true
    }

    mutating func writeLine(_ line: String) {
        write(line + "\n")
    }
}

extension DumpStream: TextOutputStream {
    /// Writes the string, after the line feed that ``margin()`` has asked for.
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
