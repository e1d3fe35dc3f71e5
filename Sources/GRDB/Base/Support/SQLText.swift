/// Properties of SQL text that require no parser.
package enum SQLText {
    /// Returns the text without leading and trailing white space and semicolons.
    package static func trimmed(_ sql: String) -> String {
        let utf8 = sql.utf8
        guard let start = utf8.firstIndex(where: { !isTrimmed($0) }) else { return "" }
        // There is a last one, because there is a first one.
        let last = utf8.lastIndex(where: { !isTrimmed($0) })!
        if start == utf8.startIndex && utf8.index(after: last) == utf8.endIndex { return sql }
        return String(sql[start...last])
    }

    /// Whether the text only contains white space, semicolons and comments.
    ///
    /// Compiling the text would also answer this, but many pragmas run when they are compiled.
    static func isBlank(_ utf8: some Collection<UInt8>) -> Bool {
        var rest = Array(utf8)[...]
        while let token = popToken(&rest) {
            switch token.kind {
            case .space, .comment, .syntax(.semicolon): break
            default: return false
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
    /// Returns the text of a statement to which other text can be appended: without its final semicolon,
    /// the text after it, and an unclosed comment.
    ///
    /// A comment before the semicolon is kept, and may require a line break after it.
    static func withoutEnd(_ sql: String) -> String {
        let utf8 = Array(sql.utf8)
        var end: Int?
        var rest = utf8[...]
        while let token = popToken(&rest) {
            switch token.kind {
            case .space, .comment(isClosed: true): break
            case .syntax(.semicolon), .comment(isClosed: false): end = end ?? token.range.lowerBound
            default: end = nil
            }
        }
        return trimmed(end.map { String(decoding: utf8[..<$0], as: UTF8.self) } ?? sql)
    }

    /// Returns the unquoted words of the text outside of all parentheses, in uppercase.
    ///
    /// The words are keywords and names, excluding those in subqueries and function calls.
    package static func outerWords(_ sql: String) -> [String] {
        let utf8 = Array(sql.utf8)
        var words: [String] = []
        var depth = 0
        var rest = utf8[...]
        while let token = popToken(&rest) {
            switch token.kind {
            case .syntax(.opening): depth += 1
            case .syntax(.closing): depth -= 1
            case .syntax(.word) where depth == 0:
                words.append(String(decoding: utf8[token.range], as: UTF8.self).uppercased())
            default: break
            }
        }
        return words
    }

    /// Whether an SQL fragment may read rows of tables.
    static func mayHoldQuery(_ sql: String) -> Bool {
        let utf8 = Array(sql.utf8)
        var rest = utf8[...]
        var followsIn = false
        while let token = popToken(&rest) {
            switch token.kind {
            case .syntax(.word):
                // `x IN name` reads a table.
                if followsIn { return true }
                let word = String(decoding: utf8[token.range], as: UTF8.self).uppercased()
                if word == "SELECT" { return true }
                followsIn = word == "IN"
            case .syntax(.quotedName), .syntax(.string), .syntax(.literal):
                if followsIn { return true }
            case .space, .comment:
                break
            default:
                followsIn = false
            }
        }
        // A name may be appended.
        return followsIn
    }

    enum TokenKind: Equatable {
        case space, comment(isClosed: Bool)
        case syntax(SQLToken.Kind)
    }

    /// Removes and returns the first token of the text, which is split like SQLite does.
    static func popToken(
        _ rest: inout ArraySlice<UInt8>
    ) -> (kind: TokenKind, range: Range<Int>)? {
        let start = rest.startIndex
        guard let byte = rest.popFirst() else { return nil }
        var kind = TokenKind.syntax(.other)
        switch byte {
        case UInt8(ascii: "("): kind = .syntax(.opening)
        case UInt8(ascii: ")"): kind = .syntax(.closing)
        case UInt8(ascii: ","): kind = .syntax(.comma)
        case UInt8(ascii: ";"): kind = .syntax(.semicolon)
        case UInt8(ascii: "'"):
            kind = .syntax(.string)
            popQuoted(byte, &rest)
        case UInt8(ascii: "\""), UInt8(ascii: "`"):
            kind = .syntax(.quotedName)
            popQuoted(byte, &rest)
        case UInt8(ascii: "["):
            kind = .syntax(.quotedName)
            rest = rest.drop { $0 != UInt8(ascii: "]") }.dropFirst()
        case UInt8(ascii: "-") where rest.first == UInt8(ascii: "-"):
            kind = .comment(isClosed: true)
            rest = rest.drop { $0 != 0x0a }
        case UInt8(ascii: "/") where rest.first == UInt8(ascii: "*"):
            rest = rest.dropFirst()
            var isClosed = false
            var previous: UInt8 = 0
            while !isClosed, let byte = rest.popFirst() {
                isClosed = previous == UInt8(ascii: "*") && byte == UInt8(ascii: "/")
                previous = byte
            }
            kind = .comment(isClosed: isClosed)
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            if rest.first == UInt8(ascii: "'") {
                kind = .syntax(.literal)
                popQuoted(rest.removeFirst(), &rest)
            } else {
                kind = .syntax(.word)
                rest = rest.drop(while: isWordByte)
            }
        case 0x30...0x39:
            kind = .syntax(.literal)
            popNumber(startingWith: byte, &rest)
        case UInt8(ascii: "."):
            if let next = rest.first, 0x30...0x39 ~= next {
                kind = .syntax(.literal)
                popNumber(startingWith: byte, &rest)
            } else {
                kind = .syntax(.dot)
            }
        case _ where isTrimmed(byte):
            kind = .space
        case _ where isWordByte(byte):
            kind = .syntax(.word)
            rest = rest.drop(while: isWordByte)
        default:
            break
        }
        return (kind, start..<rest.startIndex)
    }

    /// Removes the rest of a quoted text, in which doubled quotes represent one quote.
    private static func popQuoted(_ quote: UInt8, _ rest: inout ArraySlice<UInt8>) {
        repeat {
            rest = rest.drop { $0 != quote }.dropFirst()
        } while rest.first == quote && rest.popFirst() != nil
    }

    private static func popNumber(
        startingWith first: UInt8, _ rest: inout ArraySlice<UInt8>
    ) {
        let isHexadecimal =
            first == UInt8(ascii: "0") && rest.first.map { $0 | 0x20 } == UInt8(ascii: "x")
        var previous = first
        while let byte = rest.first {
            let isSign =
                !isHexadecimal && previous | 0x20 == UInt8(ascii: "e")
                && (byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"))
            guard isSign || isWordByte(byte) || byte == UInt8(ascii: ".") else { break }
            previous = byte
            rest = rest.dropFirst()
        }
    }

    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x24, 0x80...: true
        default: false
        }
    }
}
