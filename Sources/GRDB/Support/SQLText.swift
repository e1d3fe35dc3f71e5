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

    private static func isTrimmed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ";"), UInt8(ascii: " "), 0x09...0x0d: true
        default: false
        }
    }
}
