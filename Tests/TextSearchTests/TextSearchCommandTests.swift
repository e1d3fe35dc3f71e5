import Foundation
import GRDB
import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct TextSearchCommandTests {
    private static var sqliteVersion: String {
        let number = Database.sqliteLibVersionNumber
        return "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
    }

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
        (["index", "-5", "."], "unknown option -5"),
        (["remove"], "remove needs a folder"),
        (["remove", "-f", "."], "unknown option -f"),
        (["stats", "-x"], "unknown option -x"),
        (["search", "x", "-n"], "-n needs a value"),
        (["search", "x", "-n", "0"], "--limit needs a number from 1 to 10000, not “0”"),
        (["search", "x", "-n", "y"], "--limit needs a number from 1 to 10000, not “y”"),
        (["search", "x", "--limit"], "--limit needs a value"),
        (["search", "x", "--limit="], "--limit needs a value"),
        (["search", "x", "--limit", "0"], "--limit needs a number from 1 to 10000, not “0”"),
        (["stats", "--limit", "1"], "unknown option --limit"),
        (["stats", "x"], "unexpected argument “x”"),
        (["demo", "x"], "unexpected argument “x”"),
    ])
    func usageErrors(arguments: [String], message: String) {
        let recorded = RecordedConsole()
        expectEqual(TextSearchCommand(console: recorded.console).run(arguments), 64)
        expectEqual(
            recorded.errors,
            "TextSearch: \(message)\nSee `TextSearch \(arguments[0]) --help`.\n")
        expectEqual(recorded.output, "")
    }

    @Test(arguments: [
        ([], "a command is missing"), (["nope"], "unknown command “nope”"),
        (["help", "nope"], "unknown command “nope”"),
    ])
    func unknownCommands(arguments: [String], message: String) {
        let recorded = RecordedConsole()
        expectEqual(TextSearchCommand(console: recorded.console).run(arguments), 64)
        expectEqual(recorded.errors, "TextSearch: \(message)\nSee `TextSearch help`.\n")
    }

    @Test func indexesSearchesAndCounts() throws {
        let folder = try TestFolder()
        let database = try TestFolder()
        try folder.write("Queue.swift", "final class DatabaseQueue {}\n")
        try folder.write("synonyms", "queue, line")
        let path = database["new/folder/index.sqlite"]
        let first = run(
            "index", folder.path, "--database", path, "--synonyms=\(folder["synonyms"])")
        expectEqual(first.code, 0)
        expectTrue(first.output.contains("+ \(folder["Queue.swift"]) (29 bytes)\n"))
        expectTrue(first.output.contains("\n2 changes: 2 inserted, 0 changed, 0 deleted.\n"))
        let second = run("index", "--database", path, folder.path)
        expectTrue(second.output.hasPrefix("0 changes.\n2 files in 1 folder, 2 up to date"))

        let search = run("search", "class", "line", "--limit=1", "--database", path)
        expectEqual(search.code, 0)
        expectEqual(search.output, "\(folder["Queue.swift"]):1: final class DatabaseQueue {}\n")
        expectTrue(search.errors.hasPrefix("1 result ("))
        expectTrue(run("search", "--database", path, "--", "--").errors.hasPrefix("Nothing to"))
        let absent = run("search", "absent", "--database", path)
        expectEqual(absent.code, 1)
        expectTrue(absent.errors.hasPrefix("No results"))
        let raw = run("search", "--raw", "a AND", "--database", path)
        expectEqual(raw.code, 2)
        expectTrue(raw.errors.hasPrefix("TextSearch: FTS5 does not understand the query: "))

        let stats = run("stats", "--database", path)
        expectEqual(stats.code, 0)
        expectTrue(stats.output.contains("\nSQLite \(Self.sqliteVersion)\n"))
        expectTrue(stats.output.contains("\nSynonyms: 1 group\n"))
        expectTrue(stats.output.contains("\n  ENABLE_FTS5\n"))
    }

    @Test func manyChangesAreOnlyCounted() throws {
        let folder = try TestFolder()
        let database = try TestFolder()
        for number in 0...IndexCommand.maximumListedChanges {
            try folder.write("\(number)", "text")
        }
        let quiet = run("index", folder.path, "--database", database["index.sqlite"])
        expectTrue(quiet.output.hasPrefix("21 changes: 21 inserted"))
        let verbose = run(
            "index", folder.path, "--verbose", "--database", database["other.sqlite"])
        expectTrue(verbose.output.hasPrefix("+ "))
    }

    @Test func filesThatCanNotBeIndexedMakeTheCommandFail() throws {
        let folder = try TestFolder()
        let database = try TestFolder()
        try folder.write("good", "text")
        try folder.write("bad", bytes: [0x63, 0x61, 0x66, 0xe9])
        try folder.write("binary", bytes: [0])
        let result = run("index", folder.path, "--verbose", "--database", database["i.sqlite"])
        expectEqual(result.code, 1)
        expectEqual(result.errors, "\(folder["bad"]): is not UTF-8\n")
        expectTrue(result.output.contains("skipped \(folder["binary"]): binary\n"))
        expectTrue(result.output.contains("1 change: 1 inserted"))
        try folder.remove("bad")
        expectEqual(run("index", folder.path, "--database", database["i.sqlite"]).code, 0)
    }

    @Test func missingFoldersAreErrors() throws {
        let folder = try TestFolder()
        let result = run("index", folder["nope"], "--database", folder["i.sqlite"])
        expectEqual(result.code, 2)
        expectTrue(result.errors.hasPrefix("TextSearch: \(folder["nope"]): "))
        expectTrue(result.errors.contains("`TextSearch remove`"))
        expectEqual(result.output, "")
    }

    @Test func mistakesInSynonymsNameFileAndLine() throws {
        let folder = try TestFolder()
        try folder.write("s", "a, b\nalone")
        let result = run(
            "index", folder.path, "--synonyms", folder["s"], "--database", folder["i.sqlite"])
        expectEqual(result.code, 2)
        expectTrue(result.errors.hasPrefix("TextSearch: \(folder["s"]): line 2: "))
    }

    // MARK: - Options

    @Test func theNumberOfResultsHasAShortName() throws {
        let folder = try TestFolder()
        let path = folder["index/i.sqlite"]
        for number in 1...5 { try folder.write("texts/\(number)", "three") }
        expectEqual(run("index", folder["texts"], "--database", path).code, 0)
        for arguments in [
            ["three", "-n", "3"], ["three", "-n3"], ["-n", "3", "three"],
            ["three", "--limit", "3"],
        ] {
            let recorded = RecordedConsole()
            let code = TextSearchCommand(console: recorded.console).run(
                ["search"] + arguments + ["--database", path])
            expectEqual(code, 0)
            expectTrue(recorded.errors.hasPrefix("3 of 5 results ("))
        }
    }

    @Test func nothingAfterTwoDashesIsAnOption() throws {
        let folder = try TestFolder()
        let path = folder["index/i.sqlite"]
        try folder.write("-texts/a", "limit 3")
        try folder.write("-texts/b", "limit 3 n")
        try folder.write("-texts/c", "other")
        let index = run("index", "--database", path, "--", folder["-texts"])
        expectEqual(index.code, 0)
        // As a relative path, a folder may begin with a dash.
        expectTrue(
            run("index", "--database", path, "--", "-nope").errors.hasPrefix("TextSearch: -nope: "))
        let search = run("search", "--database", path, "--", "3", "-n")
        expectEqual(search.output, "\(folder["-texts/a"]):1: limit 3\n")
        expectTrue(
            run("search", "--database", path, "--", "--limit", "3").errors.hasPrefix("2 res"))
        expectTrue(run("search", "--database", path, "--", "--json").errors.hasPrefix("No results"))
    }

    @Test func aQueryMayExcludeOnly() throws {
        let folder = try TestFolder()
        let path = folder["index/i.sqlite"]
        try folder.write("texts/a", "foo")
        try folder.write("texts/b", "bar")
        try folder.write("texts/c", "baz")
        expectEqual(run("index", folder["texts"], "--database", path).code, 0)
        let search = run("search", "-foo", "--database", path)
        expectEqual(search.code, 0)
        expectEqual(search.output, "\(folder["texts/b"]):1:\n\(folder["texts/c"]):1:\n")
        let two = run("search", "-foo", "-bar", "--database", path, "--explain")
        expectTrue(two.output.hasPrefix("Pattern: NOT (\"foo\" OR \"bar\")\n"))
        expectTrue(two.output.hasSuffix("1. score 0.000\n\(folder["texts/c"]):1:\n"))
        expectEqual(run("search", "-ba*", "-foo", "--database", path).code, 1)
    }

    @Test func versions() throws {
        let result = run("--version")
        expectEqual(result.code, 0)
        expectEqual(
            result.output,
            "TextSearch \(TextSearchCommand.version)\nSQLite \(Self.sqliteVersion)\n")
        // The newest version of the changelog.
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let changelog = try String(
            contentsOf: root.appendingPathComponent("Sources/GRDB/GRDB.docc/Changelog.md"),
            encoding: .utf8)
        let heading = changelog.split(separator: "\n").first { $0.hasPrefix("### ") }
        expectEqual(heading?.contains(TextSearchCommand.version), true)
    }

    // MARK: - Remove

    @Test func foldersThatAreGoneLeaveTheIndex() throws {
        let folder = try TestFolder()
        let path = folder["index/i.sqlite"]
        try folder.write("one/a", "word")
        try folder.write("one/sub/b", "word")
        try folder.write("one2/c", "word")
        try folder.write("two/d", "word")
        for name in ["one", "one2", "two"] {
            expectEqual(run("index", folder[name], "--database", path).code, 0)
        }
        try folder.remove("one")
        let removed = run("remove", folder["one"] + "/", "--database", path)
        expectEqual(removed.code, 0)
        expectEqual(
            removed.output,
            """
            - \(folder["one/a"]) (4 bytes)
            - \(folder["one/sub/b"]) (4 bytes)
            2 changes: 0 inserted, 0 changed, 2 deleted.

            """)
        expectTrue(run("search", "word", "--database", path).errors.hasPrefix("2 results"))

        // A file, and a folder that is still there and stays.
        expectEqual(run("remove", folder["two/d"], folder["one2"], "--database", path).code, 0)
        expectTrue(FileManager.default.fileExists(atPath: folder["one2/c"]))
        expectEqual(run("search", "word", "--database", path).code, 1)
        let unknown = run("remove", folder["one"], "--database", path)
        expectEqual(unknown.code, 1)
        expectEqual(unknown.errors, "\(folder["one"]): is not in the index\n")
        let json = run("remove", folder["one"], "--json", "--database", path)
        expectEqual(json.output, #"{"changes":[],"unknown":["\#(folder["one"])"]}"# + "\n")
        let none = run("remove", folder["one"], "--database", folder["none.sqlite"])
        expectEqual(none.code, 2)
        expectTrue(!FileManager.default.fileExists(atPath: folder["none.sqlite"]))
    }

    @Test func removedFoldersMayHaveBeenNamedByALink() throws {
        let folder = try TestFolder()
        let path = folder["index/i.sqlite"]
        try folder.write("real/sub/a", "word")
        try FileManager.default.createSymbolicLink(
            atPath: folder["link"], withDestinationPath: folder["real"])
        expectEqual(run("index", folder["link/sub"], "--database", path).code, 0)
        try folder.remove("real/sub")
        expectEqual(run("remove", folder["link/sub"], "--database", path).code, 0)
        expectEqual(RemoveCommand.path(of: "/"), "/")
        expectEqual(RemoveCommand.path(of: "/none/at/../all"), "/none/all")
    }
}
