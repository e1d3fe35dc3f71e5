/// What can be told of SQL text without parsing it.
enum SQLText {
    /// The text without the white space and the semicolons around it.
    static func trimmed(_ sql: String) -> String {
        let utf8 = sql.utf8
        guard let start = utf8.firstIndex(where: { !isTrimmed($0) }) else { return "" }
        // There is one, since there is a first one.
        let last = utf8.lastIndex(where: { !isTrimmed($0) })!
        if start == utf8.startIndex && utf8.index(after: last) == utf8.endIndex { return sql }
        return String(sql[start...last])
    }

    /// Whether the text holds nothing but white space, semicolons and comments.
    ///
    /// SQLite could tell, too, but many a pragma acts when it is compiled.
    static func isBlank(_ utf8: some Collection<UInt8>) -> Bool {
        var rest = utf8[...]
        while let byte = rest.first {
            rest = rest.dropFirst()
            if isTrimmed(byte) { continue }
            switch (byte, rest.first) {
            case (UInt8(ascii: "-"), UInt8(ascii: "-")):
                rest = rest.drop { $0 != 0x0a }
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                rest = rest.dropFirst()
                var wasStar = false
                while let byte = rest.first {
                    rest = rest.dropFirst()
                    if wasStar, byte == UInt8(ascii: "/") { break }
                    wasStar = byte == UInt8(ascii: "*")
                }
            default:
                return false
            }
        }
        return true
    }

    private static func isTrimmed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ";"), UInt8(ascii: " "), 0x09...0x0d: true
        default: false
        }
    }
}
