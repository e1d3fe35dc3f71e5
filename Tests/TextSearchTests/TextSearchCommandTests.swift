import Foundation
import Testing

@testable import TextSearch

@Suite struct TextSearchCommandTests {
    private func run(
        _ arguments: String..., isTerminal: Bool = false
    ) -> (code: Int32, output: String, errors: String) {
        let recorded = RecordedConsole(isTerminal: isTerminal)
        let code = TextSearchCommand(console: recorded.console).run(arguments)
        return (code, recorded.output, recorded.errors)
    }

    @Test(arguments: [
        (["index"], "index needs a folder"),
        (["index", "-v", "."], "unknown option -v"),
        (["index", "--nope", "."], "unknown option --nope"),
        (["index", "--verbose=1", "."], "--verbose takes no value"),
        (["search"], "search needs a query"),
        (["search", "x", "--limit"], "--limit needs a value"),
        (["search", "x", "--limit="], "--limit needs a value"),
        (["search", "x", "--limit", "0"], "--limit needs a number from 1 to 10000, not “0”"),
        (["stats", "--limit", "1"], "unknown option --limit"),
        (["stats", "x"], "unexpected argument “x”"),
        (["demo", "x"], "unexpected argument “x”"),
    ])
    func usageErrors(arguments: [String], message: String) {
        let recorded = RecordedConsole()
        #expect(TextSearchCommand(console: recorded.console).run(arguments) == 64)
        #expect(
            recorded.errors
                == "TextSearch: \(message)\nSee `TextSearch \(arguments[0]) --help`.\n")
        #expect(recorded.output == "")
    }

    @Test(arguments: [
        ([], "a command is missing"), (["nope"], "unknown command “nope”"),
        (["help", "nope"], "unknown command “nope”"),
    ])
    func unknownCommands(arguments: [String], message: String) {
        let recorded = RecordedConsole()
        #expect(TextSearchCommand(console: recorded.console).run(arguments) == 64)
        #expect(recorded.errors == "TextSearch: \(message)\nSee `TextSearch help`.\n")
    }

    @Test func indexesSearchesAndCounts() throws {
        let folder = try TestFolder()
        let database = try TestFolder()
        try folder.write("Queue.swift", "final class DatabaseQueue {}\n")
        try folder.write("synonyms", "queue, line")
        let path = database["new/folder/index.sqlite"]
        let first = run(
            "index", folder.path, "--database", path, "--synonyms=\(folder["synonyms"])")
        #expect(first.code == 0)
        #expect(first.output.contains("+ \(folder["Queue.swift"]) (29 bytes)\n"))
        #expect(first.output.contains("\n2 changes: 2 inserted, 0 changed, 0 deleted.\n"))
        let second = run("index", "--database", path, folder.path)
        #expect(second.output.hasPrefix("0 changes.\n2 files in 1 folder, 2 up to date"))

        let search = run("search", "class", "line", "--limit=1", "--database", path)
        #expect(search.code == 0)
        #expect(search.output == "\(folder["Queue.swift"]):1: final class DatabaseQueue {}\n")
        #expect(search.errors.hasPrefix("1 result ("))
        #expect(run("search", "--database", path, "--", "--").errors.hasPrefix("Nothing to"))
        #expect(run("search", "absent", "--database", path).errors.hasPrefix("No results"))
        let raw = run("search", "--raw", "a AND", "--database", path)
        #expect(raw.code == 1)
        #expect(raw.errors.hasPrefix("TextSearch: FTS5 does not understand the query: "))

        let stats = run("stats", "--database", path)
        #expect(stats.code == 0)
        #expect(stats.output.contains("\nSQLite 3.53.4\n"))
        #expect(stats.output.contains("\nSynonyms: 1 group\n"))
        #expect(stats.output.contains("\n  ENABLE_FTS5\n"))
    }

    @Test func manyChangesAreOnlyCounted() throws {
        let folder = try TestFolder()
        let database = try TestFolder()
        for number in 0...IndexCommand.maximumListedChanges {
            try folder.write("\(number)", "text")
        }
        let quiet = run("index", folder.path, "--database", database["index.sqlite"])
        #expect(quiet.output.hasPrefix("21 changes: 21 inserted"))
        let verbose = run(
            "index", folder.path, "--verbose", "--database", database["other.sqlite"])
        #expect(verbose.output.hasPrefix("+ "))
    }

    @Test func filesThatCanNotBeIndexedMakeTheCommandFail() throws {
        let folder = try TestFolder()
        let database = try TestFolder()
        try folder.write("good", "text")
        try folder.write("bad", bytes: [0x63, 0x61, 0x66, 0xe9])
        try folder.write("binary", bytes: [0])
        let result = run("index", folder.path, "--verbose", "--database", database["i.sqlite"])
        #expect(result.code == 1)
        #expect(result.errors == "\(folder["bad"]): is not UTF-8\n")
        #expect(result.output.contains("skipped \(folder["binary"]): binary\n"))
        #expect(result.output.contains("1 change: 1 inserted"))
        try folder.remove("bad")
        #expect(run("index", folder.path, "--database", database["i.sqlite"]).code == 0)
    }

    @Test func missingFoldersAreErrors() throws {
        let folder = try TestFolder()
        let result = run("index", folder["nope"], "--database", folder["i.sqlite"])
        #expect(result.code == 1)
        #expect(result.errors.hasPrefix("TextSearch: \(folder["nope"]): "))
        #expect(result.output == "")
    }

    @Test func mistakesInSynonymsNameFileAndLine() throws {
        let folder = try TestFolder()
        try folder.write("s", "a, b\nalone")
        let result = run(
            "index", folder.path, "--synonyms", folder["s"], "--database", folder["i.sqlite"])
        #expect(result.code == 1)
        #expect(result.errors.hasPrefix("TextSearch: \(folder["s"]): line 2: "))
    }
}
