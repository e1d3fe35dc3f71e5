// Keys in texts: those of `PRAGMA key`, of `ATTACH … KEY …`, and of URIs.

#if !GRDB_ENCRYPTION
extension SQLText {
    /// Returns the text without the keys of encrypted databases.
    @inline(__always)
    static func withoutKeys(_ text: String) -> String { text }

    /// Returns a path or URI without the keys of encrypted databases.
    @inline(__always)
    static func pathWithoutKeys(_ path: String) -> String { path }

    /// Returns the message of a failed statement, or nil if it shows a part of its key.
    @inline(__always)
    static func message(_ message: String, ofStatement sql: String) -> String? { message }

    /// Whether an argument of a statement is a key, or a URI with a key.
    @inline(__always)
    static func hasKeyArgument(_ sql: String, _ arguments: @autoclosure () -> String) -> Bool {
        false
    }

    /// Whether the text of a statement contains a key.
    @inline(__always)
    static func containsKey(_ sql: String) -> Bool { false }
}
#else
extension SQLText {
    /// Returns the text without the keys of encrypted databases: SQL, a message that contains SQL, or a URI.
    ///
    /// A text that can't be understood loses too much rather than too little. The text does not run as SQL.
    static func withoutKeys(_ text: String) -> String {
        let utf8 = Array(text.utf8)
        guard mayContainKey(utf8) else { return text }
        return replacing(keysOfURIs(in: utf8) + keysOfStatements(in: utf8).texts, in: utf8)
    }

    /// Whether the text of a statement contains a key.
    static func containsKey(_ sql: String) -> Bool {
        let utf8 = Array(sql.utf8)
        return mayContainKey(utf8) && !keysOfStatements(in: utf8).texts.isEmpty
    }

    /// Whether an argument of a statement is a key, or a URI with a key.
    static func hasKeyArgument(_ sql: String, _ arguments: @autoclosure () -> String) -> Bool {
        let utf8 = Array(sql.utf8)
        switch outerWords(sql).first {
        case "ATTACH" where mayContainKey(utf8) && keysOfStatements(in: utf8).areArguments:
            return true
        case "ATTACH", "VACUUM": return !keysOfURIs(in: Array(arguments().utf8)).isEmpty
        default: return false
        }
    }

    /// Returns the message of a failed statement, or nil if it shows a part of its key: SQLite quotes the token
    /// that it can't compile.
    static func message(_ message: String, ofStatement sql: String) -> String? {
        let utf8 = Array(sql.utf8)
        guard mayContainKey(utf8) else { return withoutKeys(message) }
        for key in keysOfStatements(in: utf8).texts {
            let words = utf8[key].split { !isWordByte($0) }
            let isShown = words.contains { word in
                message.contains(String(decoding: word, as: UTF8.self))
            }
            if isShown { return nil }
        }
        return withoutKeys(message)
    }

    /// Returns a path or URI without the parameters that are keys of encrypted databases.
    static func pathWithoutKeys(_ path: String) -> String {
        guard path.hasPrefix("file:"), let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            return path
        }
        let fragment = path.utf8.firstIndex(of: UInt8(ascii: "#")) ?? path.endIndex
        guard mark < fragment else { return path }
        let parameters = path[path.utf8.index(after: mark)..<fragment].split(separator: "&")
        let others = parameters.filter { parameter in
            !isKeyParameter(Array(parameter.utf8.prefix { $0 != UInt8(ascii: "=") }))
        }
        if others.count == parameters.count { return path }
        return path[..<mark] + (others.isEmpty ? "" : "?" + others.joined(separator: "&"))
            + path[fragment...]
    }

    // MARK: - Searching

    private static let keyPragmas: Set<String> = [
        "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey",
    ]

    private static func mayContainKey(_ utf8: [UInt8]) -> Bool {
        // A percent sign may hide a letter of a parameter's name.
        firstIndex(of: "key", in: utf8[...]) != nil || utf8.contains(UInt8(ascii: "%"))
    }

    /// The first position of a lowercase ASCII word, which the text may contain in any case.
    private static func firstIndex(of word: StaticString, in utf8: ArraySlice<UInt8>) -> Int? {
        let count = word.utf8CodeUnitCount
        guard utf8.count >= count else { return nil }
        return (utf8.startIndex...utf8.endIndex - count).first { start in
            (0..<count).allSatisfy { utf8[start + $0] | 0x20 == word.utf8Start[$0] }
        }
    }

    /// The ranges of keys in statements, and whether there are arguments in their places.
    ///
    /// Messages quote statements in many ways, so that a statement may begin at any word. A text with many such
    /// words is not worth the time: the rest of it is a key.
    private static func keysOfStatements(
        in utf8: [UInt8]
    ) -> (texts: [Range<Int>], areArguments: Bool) {
        var keys: [Range<Int>] = []
        var areArguments = false
        var position = 0
        var candidateCount = 0
        while position + 6 < utf8.endIndex {
            let start = position
            position += 1
            let isAttachment = utf8[start] | 0x20 == UInt8(ascii: "a")
            guard isAttachment || utf8[start] | 0x20 == UInt8(ascii: "p"),
                start == 0 || !isWordByte(utf8[start - 1]), !isWordByte(utf8[start + 6]),
                firstIndex(of: isAttachment ? "attach" : "pragma", in: utf8[start..<(start + 6)])
                    != nil
            else { continue }
            position = start + 6
            candidateCount += 1
            if candidateCount > 100 {
                keys.append(position..<utf8.endIndex)
                break
            }
            // A path has at most 4096 bytes.
            let rest = utf8[position..<min(position + 20_000, utf8.endIndex)]
            guard let key = isAttachment ? startOfAttachedKey(rest) : startOfPragmaKey(rest) else {
                continue
            }
            if isAttachment, "?:@$".utf8.contains(utf8[key]) {
                areArguments = true
                continue
            }
            position = endOfStatement(utf8[key...])
            if key < position { keys.append(key..<position) }
        }
        return (keys, areArguments)
    }

    /// The position after `PRAGMA schema.key =`.
    private static func startOfPragmaKey(_ text: ArraySlice<UInt8>) -> Int? {
        var rest = text
        var name = ""
        while let token = popToken(&rest) {
            switch token.kind {
            case .space, .comment: break
            case .syntax(.word), .syntax(.quotedName), .syntax(.string), .syntax(.literal):
                name = unquoted(text[token.range])
            case .syntax(.dot): break
            case .syntax(.opening), .syntax(.comma), .syntax(.other):
                return keyPragmas.contains(name) ? startOfToken(rest) : nil
            default: return nil
            }
        }
        return nil
    }

    /// The position after `ATTACH … KEY`.
    private static func startOfAttachedKey(_ text: ArraySlice<UInt8>) -> Int? {
        var rest = text
        while let token = popToken(&rest) {
            switch token.kind {
            case .syntax(.semicolon): return nil
            case .syntax(.word) where unquoted(text[token.range]) == "key":
                return startOfToken(rest)
            default: break
            }
        }
        return nil
    }

    /// The position of the first token that is neither space nor a comment.
    private static func startOfToken(_ text: ArraySlice<UInt8>) -> Int? {
        var rest = text
        while let token = popToken(&rest) {
            switch token.kind {
            case .comment, .space: continue
            default: return token.range.lowerBound
            }
        }
        return nil
    }

    private static func endOfStatement(_ text: ArraySlice<UInt8>) -> Int {
        var rest = text
        while let token = popToken(&rest) {
            if token.kind == .syntax(.semicolon) { return token.range.lowerBound }
        }
        return text.endIndex
    }

    private static func unquoted(_ token: ArraySlice<UInt8>) -> String {
        let name = token.filter { byte in
            !"'\"`[]".utf8.contains(byte)
        }
        return ASCIICase.lowercased(String(decoding: name, as: UTF8.self))
    }

    /// The ranges of keys in URIs.
    private static func keysOfURIs(in utf8: [UInt8]) -> [Range<Int>] {
        guard let scheme = firstIndex(of: "file", in: utf8[...]) else { return [] }
        var keys: [Range<Int>] = []
        var position = scheme
        var quote: UInt8?
        while position < utf8.endIndex {
            let byte = utf8[position]
            position += 1
            if byte == UInt8(ascii: ":"), position >= 6,
                firstIndex(of: "file", in: utf8[(position - 5)..<(position - 1)]) != nil
            {
                quote = "'\"`".utf8.contains(utf8[position - 6]) ? utf8[position - 6] : nil
            }
            guard byte == UInt8(ascii: "?") || byte == UInt8(ascii: "&") else { continue }
            let name = utf8[position...].prefix { !"=&#?' \"".utf8.contains($0) }
            guard name.endIndex < utf8.endIndex, utf8[name.endIndex] == UInt8(ascii: "="),
                isKeyParameter(Array(name))
            else { continue }
            let start = name.endIndex + 1
            var end = start
            while end < utf8.endIndex, !"&#\n".utf8.contains(utf8[end]) {
                if utf8[end] == quote {
                    // A doubled quote belongs to the text.
                    guard end + 1 < utf8.endIndex, utf8[end + 1] == quote else { break }
                    end += 1
                }
                end += 1
            }
            if start < end { keys.append(start..<end) }
            position = end
        }
        return keys
    }

    private static func isKeyParameter(_ name: [UInt8]) -> Bool {
        let text = String(decoding: name, as: UTF8.self)
        return ["key", "hexkey", "textkey"].contains(
            (text.removingPercentEscapes ?? text).lowercased())
    }

    private static func replacing(_ ranges: [Range<Int>], in utf8: [UInt8]) -> String {
        var result: [UInt8] = []
        var position = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound })
        where range.lowerBound >= position {
            result += utf8[position..<range.lowerBound] + Array("<…>".utf8)
            position = range.upperBound
        }
        result += utf8[position...]
        return String(decoding: result, as: UTF8.self)
    }
}
#endif
