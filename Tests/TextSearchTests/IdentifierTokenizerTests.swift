import GRDB
import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct IdentifierTokenizerTests {
    /// The tokens, a position each; those at the same position in one string.
    private func tokens(
        _ text: String, synonyms: [[String]] = [], isQuery: Bool = false
    ) throws -> [String] {
        var configuration = Configuration()
        configuration.prepareDatabase { $0.add(tokenizer: IdentifierTokenizer.self) }
        return try DatabaseQueue(configuration: configuration).read { db in
            SynonymTable.of(db).list = SynonymList(groups: synonyms)
            let tokenizer = try db.makeTokenizer(IdentifierTokenizer.tokenizerDescriptor())
            let tokens =
                isQuery
                ? try tokenizer.tokenize(query: text) : try tokenizer.tokenize(document: text)
            return tokens.reduce(into: []) { positions, token in
                if token.flags.contains(.colocated) {
                    positions[positions.count - 1] += "|" + token.token
                } else {
                    positions.append(token.token)
                }
            }
        }
    }

    @Test func plainWordsAreFolded() throws {
        try expectEqual(tokens("Hello, WORLD!"), ["hello", "world"])
    }

    @Test func namesGiveTheirPartsAndTheWholeName() throws {
        try expectEqual(
            tokens("func databaseWillChange()"),
            ["func", "database|databasewillchange", "will", "change"])
        try expectEqual(tokens("snake_case x"), ["snake|snake_case", "case", "x"])
        try expectEqual(tokens("utf8"), ["utf|utf8", "8"])
    }

    @Test func underscoresAroundAWordAreDropped() throws {
        try expectEqual(tokens("_emphasis_ and ____"), ["emphasis|_emphasis_", "and"])
    }

    @Test func accentsAreFoldedInWordsAndInParts() throws {
        try expectEqual(tokens("Ångström ÉTÉ"), ["angstrom", "ete"])
        try expectEqual(tokens("caféCrème"), ["cafe|cafecreme", "creme"])
        try expectEqual(tokens("cafe\u{301}Cre\u{300}me"), ["cafe|cafecreme", "creme"])
    }

    @Test func synonymsAreAddedToQueriesOnly() throws {
        let synonyms = [["delete", "erase", "remove"]]
        try expectEqual(
            tokens("deleteRow", synonyms: synonyms, isQuery: true),
            ["delete|deleterow|erase|remove", "row"])
        try expectEqual(tokens("Delete", synonyms: synonyms), ["delete"])
    }

    @Test func synonymsOfTwoConnectionsAreApart() throws {
        let first = try TestIndex()
        let second = try TestIndex()
        try first.index.replaceSynonyms(SynonymList(groups: [["a", "b"]]))
        try first.folder.write("file", "b")
        try second.folder.write("file", "b")
        try first.update()
        try second.update()
        try expectEqual(first.search("a"), ["file"])
        try expectEqual(second.search("a"), [])
    }

    @Test func invalidTextIsNoTrap() throws {
        try DatabaseQueue().read { db in
            let tokenizer = try IdentifierTokenizer(db: db, arguments: [])
            var generator = SplitMix64(seed: 1)
            for _ in 0..<500 {
                let bytes = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                try bytes.withUnsafeBufferPointer { utf8 in
                    try tokenizer.visitTokens(of: utf8, for: .document) { token in
                        #expect(token.range.upperBound <= utf8.count)
                        return true
                    }
                }
            }
        }
    }
}
