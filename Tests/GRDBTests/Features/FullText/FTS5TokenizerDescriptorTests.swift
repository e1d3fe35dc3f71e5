import GRDB
import GRDBTestSupport
import Testing

struct FTS5TokenizerDescriptorTests {
    @Test func componentsAreTheNameAndTheArguments() {
        expectEqual(FTS5TokenizerDescriptor(components: ["a", "b c"]).components, ["a", "b c"])
        expectEqual(FTS5TokenizerDescriptor.ascii().components, ["ascii"])
        expectEqual(
            FTS5TokenizerDescriptor.ascii(separators: ["-", "'"], tokenCharacters: ["#"])
                .components,
            ["ascii", "separators", "'-", "tokenchars", "#"])
        expectEqual(FTS5TokenizerDescriptor.porter().components, ["porter"])
        expectEqual(
            FTS5TokenizerDescriptor.porter(wrapping: .ascii()).components,
            ["porter", "ascii"])
        expectEqual(
            FTS5TokenizerDescriptor.porter(wrapping: .unicode61(diacritics: .keep)).components,
            ["porter", "unicode61", "remove_diacritics", "0"])
        expectEqual(FTS5TokenizerDescriptor.unicode61().components, ["unicode61"])
        expectEqual(
            FTS5TokenizerDescriptor.unicode61(diacritics: .keep).components,
            ["unicode61", "remove_diacritics", "0"])
        expectEqual(
            FTS5TokenizerDescriptor.unicode61(diacritics: .remove).components,
            ["unicode61", "remove_diacritics", "2"])
        expectEqual(
            FTS5TokenizerDescriptor.unicode61(diacritics: .removeLegacy).components,
            ["unicode61"])
        expectEqual(
            FTS5TokenizerDescriptor.unicode61(
                diacritics: .keep, categories: "L* N*", separators: ["'"], tokenCharacters: ["#"]
            ).components,
            [
                "unicode61", "remove_diacritics", "0", "categories", "L* N*", "separators", "'",
                "tokenchars", "#",
            ])
    }

    @Test func descriptorsNeedAComponent() async {
        await #expect(processExitsWith: .failure) {
            _ = FTS5TokenizerDescriptor(components: [])
        }
    }

    @Test(arguments: [
        (FTS5TokenizerDescriptor.ascii(), ["Éric", "s", "jumped", "over", "123"]),
        (.unicode61(), ["eric", "s", "jumped", "over", "123"]),
        (.unicode61(diacritics: .keep), ["éric", "s", "jumped", "over", "123"]),
        (.unicode61(diacritics: .remove), ["eric", "s", "jumped", "over", "123"]),
        (.porter(), ["eric", "s", "jump", "over", "123"]),
        (.porter(wrapping: .ascii()), ["Éric", "s", "jump", "over", "123"]),
        (.unicode61(tokenCharacters: ["-", "'"]), ["eric's", "jumped-over", "123"]),
        (.unicode61(separators: ["é", "p"]), ["eric", "s", "jum", "ed", "over", "123"]),
        (.unicode61(categories: "N*"), ["123"]),
        (
            .ascii(separators: ["m"], tokenCharacters: ["-"]),
            ["Éric", "s", "ju", "ped-over", "123"]
        ),
        (FTS5TokenizerDescriptor(components: ["trigram"]), []),
    ])
    func makeTokenizerFindsTheTokenizersOfSQLite(
        _ descriptor: FTS5TokenizerDescriptor, _ tokens: [String]
    ) throws {
        try DatabaseQueue().read { db in
            let tokenizer = try db.makeTokenizer(descriptor)
            if descriptor.components == ["trigram"] {
                try expectEqual(tokenizer.documentTokens("Éric"), ["éri", "ric"])
            } else {
                try expectEqual(tokenizer.documentTokens("Éric's jumped-over 123"), tokens)
                try expectEqual(tokenizer.queryTokens("Éric's jumped-over 123"), tokens)
            }
        }
    }

    @Test func tokenizeHandlesAnyText() throws {
        try DatabaseQueue().read { db in
            let tokenizer = try db.makeTokenizer(.unicode61())
            try expectEqual(tokenizer.documentTokens(""), [])
            try expectEqual(tokenizer.documentTokens("   "), [])
            try expectEqual(tokenizer.documentTokens("a\0b"), ["a", "b"])
            try expectEqual(tokenizer.queryTokens("foo*"), ["foo"])
            let long = String(repeating: "é", count: 100_000)
            try expectEqual(
                tokenizer.documentTokens(long), [String(repeating: "e", count: 100_000)])
            try expectEqual(
                tokenizer.documentTokens(String(repeating: "ab ", count: 100_000)).count,
                100_000)
        }
    }

    @Test func unknownTokenizersAreErrors() throws {
        try DatabaseQueue().read { db in
            let error = try unwrap(
                expectError(DatabaseError.self) {
                    try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["nope"]))
                })
            expectEqual(error.description, "SQLite error 1: no such tokenizer: nope")
        }
    }

    @Test(arguments: [
        ["unicode61", "nope", "1"], ["unicode61", "remove_diacritics"], ["porter", "nope"],
        ["ascii", "separators", "-", "nope", "-"], ["a\0b"], ["ascii", "tokenchars", "-\0"],
    ])
    func refusedArgumentsAreErrors(_ components: [String]) throws {
        try DatabaseQueue().read { db in
            let error = try unwrap(
                expectError(DatabaseError.self) {
                    try db.makeTokenizer(FTS5TokenizerDescriptor(components: components))
                })
            let message =
                components.joined().utf8.contains(0)
                ? "tokenizer descriptor contains a NUL character"
                : "error in tokenizer constructor: " + components.joined(separator: " ")
            expectEqual(error.message, message)
        }
    }

    @Test func tokenizersOutliveTheConnection() throws {
        let dbQueue = try DatabaseQueue()
        nonisolated(unsafe) var tokenizer: (any FTS5Tokenizer)?
        try dbQueue.read { db in
            tokenizer = try db.makeTokenizer(.porter(wrapping: .unicode61(diacritics: .keep)))
        }
        try dbQueue.close()
        try expectEqual(tokenizer?.documentTokens("Frustration É"), ["frustrat", "é"])
        tokenizer = nil
    }
}
