import GRDB

extension SQLToken {
    /// Removes the name of a table, and its schema if any, before column names.
    static func removingQualifiers(in sql: String, table: String, schema: String) -> String {
        let tokens = tokens(of: sql)
        func isName(_ index: Int) -> Bool {
            tokens.indices.contains(index)
                && [.word, .quotedName, .string].contains(tokens[index].kind)
        }
        func isDot(_ index: Int) -> Bool {
            tokens.indices.contains(index) && tokens[index].kind == .dot
        }
        var qualifiers: [(Range<Int>, String)] = []
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
            let end = tokens[index + 2].range.lowerBound
            qualifiers.append((tokens[start].range.lowerBound..<end, ""))
        }
        return replacing(qualifiers, in: sql)
    }

    /// Replaces each double-quoted name that is not a column with a string. SQLite reads such names as
    /// strings in the schemas of existing databases, but refuses them in new tables.
    static func replacingQuotedStrings(in sql: String, columns: [String]) -> String {
        let names = columns + ["rowid", "oid", "_rowid_"]
        let tokens = tokens(of: sql)
        var strings: [(Range<Int>, String)] = []
        for (index, token) in tokens.enumerated() {
            guard token.kind == .quotedName, token.text.hasPrefix("\""),
                !names.contains(where: { ASCIICase.equal($0, token.name) })
            else { continue }
            if index > 0 {
                let previous = tokens[index - 1]
                if previous.kind == .dot || previous.isWord(in: ["COLLATE", "AS"]) { continue }
            }
            if index + 1 < tokens.count {
                let next = tokens[index + 1]
                if next.kind == .dot || next.kind == .opening { continue }
            }
            strings.append((token.range, "'\(token.name.replacingText("'", with: "''"))'"))
        }
        return replacing(strings, in: sql)
    }

    /// Replaces ranges of UTF-8, which are in order.
    private static func replacing(_ texts: [(Range<Int>, String)], in sql: String) -> String {
        let bytes = Array(sql.utf8)
        var result: [UInt8] = []
        var end = 0
        for (range, text) in texts {
            result += bytes[end..<range.lowerBound]
            result += text.utf8
            end = range.upperBound
        }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }
}
