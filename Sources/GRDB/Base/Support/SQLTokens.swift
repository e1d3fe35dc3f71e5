/// A token of SQL text. White space and comments are not tokens.
package struct SQLToken {
    package enum Kind {
        /// A keyword, or an unquoted name.
        case word
        /// A name in double quotes, backquotes or brackets.
        case quotedName
        /// A string literal, which SQLite accepts as a name in many places.
        case string
        /// A number or a blob.
        case literal
        case opening, closing, comma, dot, semicolon, other
    }

    package let kind: Kind

    /// The range of the token in the UTF-8 bytes of the text.
    package let range: Range<Int>

    /// The token as written.
    package let text: String

    /// Whether the token is a keyword, given in uppercase.
    package func isWord(_ keyword: String) -> Bool {
        kind == .word && ASCIICase.equal(text, keyword)
    }

    package func isWord(in keywords: [String]) -> Bool {
        keywords.contains { isWord($0) }
    }

    /// The name that the token represents, without its quotes.
    package var name: String {
        switch kind {
        case .quotedName, .string:
            var bytes = Array(text.utf8)
            guard bytes.count >= 2 else { return text }
            let quote = bytes.removeLast()
            bytes.removeFirst()
            if quote == UInt8(ascii: "]") { return String(decoding: bytes, as: UTF8.self) }
            var result: [UInt8] = []
            var isEscape = false
            for byte in bytes {
                // The second of two quotes.
                if byte == quote, !isEscape {
                    isEscape = true
                    continue
                }
                isEscape = false
                result.append(byte)
            }
            return String(decoding: result, as: UTF8.self)
        default:
            return text
        }
    }
}

extension SQLToken {
    /// Returns the tokens of SQL text.
    package static func tokens(of sql: String) -> [SQLToken] {
        let bytes = Array(sql.utf8)
        var tokens: [SQLToken] = []
        var rest = bytes[...]
        while let (kind, range) = SQLText.popToken(&rest) {
            guard case .syntax(let kind) = kind else { continue }
            tokens.append(
                SQLToken(
                    kind: kind, range: range,
                    text: String(decoding: bytes[range], as: UTF8.self)))
        }
        return tokens
    }
}
