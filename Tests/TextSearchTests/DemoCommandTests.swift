import Foundation
import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct DemoCommandTests {
    private func makeCommand(_ folder: TestFolder, _ arguments: [String] = []) throws -> DemoCommand
    {
        let description = try unwrap(CommandDescription.named("demo"))
        var command = try DemoCommand(
            Arguments(["--database", folder["i.sqlite"]] + arguments, of: description))
        // The checkout has too many files for a test.
        command.root = folder["checkout"]
        for name in ["Sources", "Tests", "scripts"] {
            try FileManager.default.createDirectory(
                atPath: "\(command.root)/\(name)", withIntermediateDirectories: true)
        }
        return command
    }

    @Test func searchesShowTheirPatternsAndRanking() throws {
        let folder = try TestFolder()
        try folder.write(
            "checkout/Sources/Observer.swift", "func databaseWillChange(observer: Observer)\n")
        try folder.write(
            "checkout/scripts/Text.swift", "/// Deletes what has diacritics: delete it\n")
        try folder.write("checkout/Tests/DatabaseQueue.swift", "final class DatabaseQueue {}\n")
        try folder.write("checkout/Vendor/sqlite3.c", "DatabaseQueue diacritics delete\n")
        let recorded = RecordedConsole()
        let code = try makeCommand(folder).run(
            console: recorded.console, interruption: Interruption())
        expectEqual(code, 0)
        let blocks = recorded.output.components(separatedBy: "\n\n")
        let root = folder["checkout"]
        expectEqual(blocks.count, 5)
        expectEqual(blocks[0], "Indexing \(root)\nIndex: \(folder["i.sqlite"])")
        expectTrue(blocks[1].contains("3 changes: 3 inserted, 0 changed, 0 deleted."))
        expectEqual(
            blocks[2],
            """
            $ TextSearch search '"will change" observer' --limit 3
            A phrase is found inside of camelCase: databaseWillChange.
            \(root)/Sources/Observer.swift:1: func databaseWillChange(observer: Observer)
            """)
        expectEqual(
            blocks[3],
            """
            $ TextSearch search 'érasé diacritics' --limit 3
            Accents are folded, and the synonyms of “erase” are found: delete, remove.
            \(root)/scripts/Text.swift:1: /// Deletes what has diacritics: delete it
            """)
        expectEqual(
            blocks[4],
            """
            $ TextSearch search 'DatabaseQueue' --limit 3
            Ranked by bm25: a word in the name of a file weighs ten times as much.
            \(root)/Tests/DatabaseQueue.swift:1: final class DatabaseQueue {}

            """)
    }

    @Test func programsGetOnlyJSON() throws {
        let folder = try TestFolder()
        try folder.write("checkout/Tests/DatabaseQueue.swift", "final class DatabaseQueue {}\n")
        let recorded = RecordedConsole()
        var console = recorded.console
        console.isJSON = true
        try expectEqual(makeCommand(folder).run(console: console, interruption: Interruption()), 0)
        let lines = recorded.output.split(separator: "\n")
        expectTrue(!lines.isEmpty)
        for line in lines {
            expectNoError {
                try JSONSerialization.jsonObject(with: Data(line.utf8))
            }
        }
    }

    @Test func anInterruptedDemoDoesNotSearch() throws {
        let folder = try TestFolder()
        try folder.write("checkout/a", "text")
        let recorded = RecordedConsole()
        let interruption = Interruption()
        interruption.receive(SIGINT)
        _ = try makeCommand(folder).run(console: recorded.console, interruption: interruption)
        expectTrue(!recorded.output.contains("$ TextSearch"))
    }

    @Test func theCheckoutIsFoundFromInsideAndOutside() throws {
        let folder = try TestFolder()
        try folder.write("checkout/Sources/TextSearch/main.swift", "")
        try folder.write("checkout/Tests/a", "")
        try expectEqual(DemoCommand.packageRoot(from: folder["checkout"]), folder["checkout"])
        try expectEqual(DemoCommand.packageRoot(from: folder["checkout/Tests"]), folder["checkout"])
        // From elsewhere, that of the sources.
        let root = try DemoCommand.packageRoot(from: "/")
        expectTrue(FileManager.default.fileExists(atPath: root + "/Sources/TextSearch/main.swift"))
    }

    @Test func eachCheckoutHasItsOwnIndex() throws {
        expectEqual(DemoCommand.databaseName(root: ""), "demo-cbf29ce484222325.sqlite")
        expectEqual(DemoCommand.databaseName(root: "a"), "demo-af63dc4c8601ec8c.sqlite")
        let description = try unwrap(CommandDescription.named("demo"))
        let command = try DemoCommand(Arguments([], of: description))
        expectTrue(
            command.databasePath.hasSuffix("/" + DemoCommand.databaseName(root: command.root)))
    }
}
