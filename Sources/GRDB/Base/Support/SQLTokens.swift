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
