import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct SynonymListTests {
    private func parse(_ text: String) throws -> SynonymList {
        try SynonymList(text: text) { word in
            word.lowercased().split(separator: " ").map(String.init)
        }
    }

    @Test func readsAGroupALine() throws {
        let list = try parse("# comment\n\nCar, automobile ,auto\r\nbike,bicycle\n")
        expectEqual(list.groups, [["car", "automobile", "auto"], ["bike", "bicycle"]])
        expectEqual(list.synonyms(of: "auto"), ["car", "automobile"])
        expectEqual(list.synonyms(of: "train"), [])
    }

    @Test func aWordMayBeInSeveralGroups() throws {
        let list = try parse("bank,shore\nbank,institute")
        expectEqual(list.synonyms(of: "bank"), ["shore", "institute"])
        expectEqual(list.synonyms(of: "shore"), ["bank"])
    }

    @Test(arguments: [
        ("a, b\nlonely", "line 2: a group needs two different words, separated by a comma"),
        ("a, A", "line 1: a group needs two different words, separated by a comma"),
        ("car, motor car", "line 1: “motor car” is not one word"),
    ])
    func errorsNameTheLine(text: String, message: String) {
        let error = expectError(CommandError.self) { try parse(text) }
        expectEqual(error?.message, message)
    }
}
