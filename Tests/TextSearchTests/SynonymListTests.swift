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
        #expect(list.groups == [["car", "automobile", "auto"], ["bike", "bicycle"]])
        #expect(list.synonyms(of: "auto") == ["car", "automobile"])
        #expect(list.synonyms(of: "train") == [])
    }

    @Test func aWordMayBeInSeveralGroups() throws {
        let list = try parse("bank,shore\nbank,institute")
        #expect(list.synonyms(of: "bank") == ["shore", "institute"])
        #expect(list.synonyms(of: "shore") == ["bank"])
    }

    @Test(arguments: [
        ("a, b\nlonely", "line 2: a group needs two different words, separated by a comma"),
        ("a, A", "line 1: a group needs two different words, separated by a comma"),
        ("car, motor car", "line 1: “motor car” is not one word"),
    ])
    func errorsNameTheLine(text: String, message: String) {
        let error = #expect(throws: CommandError.self) { try parse(text) }
        #expect(error?.message == message)
    }
}
