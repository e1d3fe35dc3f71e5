import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct IdentifierPartsTests {
    @Test(arguments: [
        ("camelCase", ["camel", "Case"]),
        ("snake_case", ["snake", "case"]),
        ("SCREAMING_SNAKE", ["SCREAMING", "SNAKE"]),
        ("HTTPServer", ["HTTP", "Server"]),
        ("parseURL", ["parse", "URL"]),
        ("URLSessionHTTPTask", ["URL", "Session", "HTTP", "Task"]),
        ("utf8", ["utf", "8"]),
        ("sqlite3_open_v2", ["sqlite", "3", "open", "v", "2"]),
        ("sha256Sum", ["sha", "256", "Sum"]),
        ("2D", ["2", "D"]),
        ("__init__", ["init"]),
        ("_", []),
        ("____", []),
        ("iPhone", ["i", "Phone"]),
        ("caféCrème", ["café", "Crème"]),
        ("cafe\u{301}Cre\u{300}me", ["cafe\u{301}", "Cre\u{300}me"]),
        ("E\u{301}coleE\u{301}t\u{e9}", ["E\u{301}cole", "E\u{301}t\u{e9}"]),
        ("ΑΒΓδ", ["ΑΒ", "Γδ"]),
        ("第3章", ["第", "3", "章"]),
    ])
    func dividesNames(name: String, parts: [String]) {
        expectEqual(find(name).parts, parts)
        expectTrue(find(name).isDivided)
    }

    @Test(arguments: ["word", "Word", "WORD", "42", "élan", "Élan", "漢字", "E\u{301}"])
    func leavesWordsWhole(word: String) {
        expectEqual(find(word).parts, [word])
        expectTrue(!find(word).isDivided)
    }

    @Test(arguments: [
        String(repeating: "snake_", count: 100), "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3",
        "QmFzZTY0IGlzIG5vIG5hbWU",
    ])
    func leavesDataWhole(data: String) {
        expectEqual(find(data).parts, [data])
        expectTrue(!find(data).isDivided)
    }

    private func find(_ name: String) -> (parts: [String], isDivided: Bool) {
        var found = IdentifierParts()
        return Array(name.utf8).withUnsafeBufferPointer { utf8 in
            found.find(in: utf8)
            let parts = found.ranges.map {
                String(decoding: UnsafeBufferPointer(rebasing: utf8[$0]), as: UTF8.self)
            }
            return (parts, found.isDivided)
        }
    }
}
