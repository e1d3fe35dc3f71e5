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

extension SQLText {
    /// The unquoted words of the text that stand outside of all parentheses, in upper case.
    ///
    /// They are keywords and names, without those of subqueries and of function calls.
    static func outerWords(_ sql: String) -> [String] {
        var words: [String] = []
        var depth = 0
        var rest = Array(sql.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "("):
                depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
                // A doubled quote ends a quoted text, and begins another one.
                rest = rest.drop { $0 != byte }.dropFirst()
            case UInt8(ascii: "["):
                rest = rest.drop { $0 != UInt8(ascii: "]") }.dropFirst()
            case UInt8(ascii: "-") where rest.first == UInt8(ascii: "-"):
                rest = rest.drop { $0 != 0x0a }
            case UInt8(ascii: "/") where rest.first == UInt8(ascii: "*"):
                rest = rest.dropFirst()
                var previous: UInt8 = 0
                while let byte = rest.popFirst() {
                    if previous == UInt8(ascii: "*"), byte == UInt8(ascii: "/") { break }
                    previous = byte
                }
            case _ where isWordByte(byte):
                let end = rest.firstIndex { !isWordByte($0) } ?? rest.endIndex
                if depth == 0 {
                    let word = [byte] + rest[..<end]
                    words.append(String(decoding: word, as: UTF8.self).uppercased())
                }
                rest = rest[end...]
            default:
                break
            }
        }
        return words
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x24, 0x80...: true
        default: false
        }
    }
}
