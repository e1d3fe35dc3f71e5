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
        case opening, closing, comma, dot, other
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
    /// Returns the tokens of SQL text, split like SQLite does.
    package static func tokens(of sql: String) -> [SQLToken] {
        let bytes = Array(sql.utf8)
        var tokens: [SQLToken] = []
        var index = 0
        func byte(_ offset: Int = 0) -> UInt8 {
            index + offset < bytes.count ? bytes[index + offset] : 0
        }
        func skip(while condition: (UInt8) -> Bool) {
            while index < bytes.count, condition(bytes[index]) { index += 1 }
        }
        /// Skips a quoted text, in which doubled quotes represent one quote.
        func skipQuoted(_ quote: UInt8) {
            index += 1
            while index < bytes.count {
                if bytes[index] == quote {
                    index += 1
                    if byte() != quote || index >= bytes.count { return }
                }
                index += 1
            }
        }
        while index < bytes.count {
            let start = index
            let kind: Kind
            switch byte() {
            case UInt8(ascii: " "), 0x09...0x0d:
                index += 1
                continue
            case UInt8(ascii: "-") where byte(1) == UInt8(ascii: "-"):
                skip { $0 != 0x0a }
                continue
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
                index += 2
                while index < bytes.count,
                    !(byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/"))
                { index += 1 }
                index = min(index + 2, bytes.count)
                continue
            case UInt8(ascii: "'"):
                kind = .string
                skipQuoted(UInt8(ascii: "'"))
            case UInt8(ascii: "\""), UInt8(ascii: "`"):
                kind = .quotedName
                skipQuoted(byte())
            case UInt8(ascii: "["):
                kind = .quotedName
                skip { $0 != UInt8(ascii: "]") }
                index = min(index + 1, bytes.count)
            case UInt8(ascii: "x") where byte(1) == UInt8(ascii: "'"),
                UInt8(ascii: "X") where byte(1) == UInt8(ascii: "'"):
                kind = .literal
                index += 1
                skipQuoted(UInt8(ascii: "'"))
            case UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: ".") where isDigit(byte(1)):
                kind = .literal
                let isHexadecimal = byte() == UInt8(ascii: "0") && byte(1) | 0x20 == 0x78
                var previous: UInt8 = 0
                while index < bytes.count {
                    let isSign =
                        !isHexadecimal && previous | 0x20 == UInt8(ascii: "e")
                        && (byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-"))
                    guard isSign || isWordByte(byte()) || byte() == UInt8(ascii: ".") else {
                        break
                    }
                    previous = byte()
                    index += 1
                }
            case UInt8(ascii: "("):
                kind = .opening
                index += 1
            case UInt8(ascii: ")"):
                kind = .closing
                index += 1
            case UInt8(ascii: ","):
                kind = .comma
                index += 1
            case UInt8(ascii: "."):
                kind = .dot
                index += 1
            case let first where isWordByte(first):
                kind = .word
                skip(while: isWordByte)
            default:
                kind = .other
                index += 1
            }
            let range = start..<index
            tokens.append(
                SQLToken(
                    kind: kind, range: range,
                    text: String(decoding: bytes[range], as: UTF8.self)))
        }
        return tokens
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte)
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x24, 0x80...: true
        default: false
        }
    }

    /// Removes the name of a table, and its schema if any, before column names.
    package static func removingQualifiers(in sql: String, table: String, schema: String) -> String
    {
        let tokens = tokens(of: sql)
        let bytes = Array(sql.utf8)
        var result: [UInt8] = []
        var end = 0
        func isName(_ index: Int) -> Bool {
            tokens.indices.contains(index)
                && [.word, .quotedName, .string].contains(tokens[index].kind)
        }
        func isDot(_ index: Int) -> Bool {
            tokens.indices.contains(index) && tokens[index].kind == .dot
        }
        for index in tokens.indices
        where isName(index) && isDot(index + 1) && isName(index + 2) && !isDot(index + 3)
            && ASCIICase.equal(tokens[index].name, table)
        {
            var start = index
            if isDot(index - 1) {
                guard isName(index - 2), ASCIICase.equal(tokens[index - 2].name, schema) else {
                    continue
                }
                start = index - 2
            }
            result += bytes[end..<tokens[start].range.lowerBound]
            end = tokens[index + 2].range.lowerBound
        }
        guard end > 0 else { return sql }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// Replaces each double-quoted name that is not a column with a string. SQLite reads such names as
    /// strings in the schemas of existing databases, but refuses them in new tables.
    package static func replacingQuotedStrings(in sql: String, columns: [String]) -> String {
        let tokens = tokens(of: sql)
        let bytes = Array(sql.utf8)
        var result: [UInt8] = []
        var end = 0
        for (index, token) in tokens.enumerated() {
            guard token.kind == .quotedName, token.text.hasPrefix("\""),
                !columns.contains(where: { ASCIICase.equal($0, token.name) }),
                !["rowid", "oid", "_rowid_"].contains(where: { ASCIICase.equal($0, token.name) })
            else { continue }
            if index > 0 {
                let previous = tokens[index - 1]
                if previous.kind == .dot || previous.isWord(in: ["COLLATE", "AS"]) { continue }
            }
            if index + 1 < tokens.count {
                let next = tokens[index + 1]
                if next.kind == .dot || next.kind == .opening { continue }
            }
            result += bytes[end..<token.range.lowerBound]
            result += Array(
                "'\(token.name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
                    .utf8)
            end = token.range.upperBound
        }
        guard end > 0 else { return sql }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }
}
