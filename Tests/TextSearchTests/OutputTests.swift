import Foundation
import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct OutputTests {
    private let folder: TestFolder
    private let database: String
    private let databaseFolder: TestFolder

    init() throws {
        folder = try TestFolder()
        databaseFolder = try TestFolder()
        database = databaseFolder["index.sqlite"]
        try folder.write("Queue.swift", "\n\nfinal class DatabaseQueue {}\n")
        try folder.write("other.txt", "a queue")
        expectEqual(run("index", folder.path).code, 0)
    }

    private func run(
        _ arguments: String..., isTerminal: Bool = false
    ) -> (code: Int32, output: String, errors: String) {
        let recorded = RecordedConsole(isTerminal: isTerminal)
        let code = TextSearchCommand(console: recorded.console).run(
            arguments + ["--database", database])
        return (code, recorded.output, recorded.errors)
    }

    private func json(_ text: some StringProtocol) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(String(text).utf8)) as? [String: Any])
    }

    // MARK: - Text

    @Test func resultsArePlacesThatEditorsOpen() {
        let result = run("search", "queue")
        expectEqual(
            result.output,
            """
            \(folder["Queue.swift"]):3: final class DatabaseQueue {}
            \(folder["other.txt"]):1: a queue

            """)
        // The summary is not in the way of programs that read the places.
        expectTrue(result.errors.hasPrefix("2 results ("))
    }

    @Test func aMatchInTheNameAloneIsTheFirstLine() {
        expectEqual(run("search", "txt").output, "\(folder["other.txt"]):1:\n")
    }

    @Test func terminalsGetColors() {
        let escape = "\u{1b}["
        let result = run("search", "class", isTerminal: true)
        expectTrue(result.output.contains("\(escape)32m3\(escape)0m: final \(escape)1;31mclass"))
        let name = run("search", "txt", isTerminal: true)
        expectTrue(name.output.contains("other.\(escape)0m\(escape)1;31mtxt\(escape)0m"))
        expectTrue(!run("search", "class").output.contains(escape))
    }

    @Test func colorsCanBeChosen() {
        expectTrue(run("search", "class", "--color=always").output.contains("\u{1b}[1;31m"))
        expectTrue(
            !run("search", "class", "--color", "never", isTerminal: true).output.contains("\u{1b}"))
        let wrong = run("search", "class", "--color", "red")
        expectEqual(wrong.code, 64)
        expectTrue(
            wrong.errors.hasPrefix(
                "TextSearch: --color is one of auto, always, never, not “red”\n"))
    }

    @Test func explanationsTellPlanAndRank() {
        let lines = run("search", "queue", "--explain").output.split(separator: "\n")
        expectEqual(lines[0], "Pattern: (\"queue\")")
        expectTrue(lines[1].hasPrefix("SQL: SELECT "))
        expectTrue(lines[1].contains("bm25"))
        expectEqual(lines[2], "Plan:")
        expectTrue(lines.contains { $0.hasPrefix("  SCAN search VIRTUAL TABLE INDEX") })
        expectTrue(lines.contains { $0.hasPrefix("1. score 0.") })
        expectTrue(lines.contains { $0.hasSuffix(", first match: word 2 of the body") })
    }

    // MARK: - JSON

    @Test func searchesAsJSON() throws {
        let result = run("search", "queue", "--json", "--explain", "--color=always")
        expectEqual(result.errors, "")
        expectEqual(result.output.filter { $0 == "\n" }.count, 1)
        let object = try json(result.output)
        expectEqual(object["query"] as? String, "queue")
        expectEqual(object["count"] as? Int, 2)
        let explanation = try unwrap(object["explanation"] as? [String: Any])
        expectEqual(explanation["pattern"] as? String, "(\"queue\")")
        expectEqual((explanation["plan"] as? [String])?.isEmpty, false)
        let results = try unwrap(object["results"] as? [[String: Any]])
        expectEqual(results.map { $0["rank"] as? Int }, [1, 2])
        expectEqual(results[0]["path"] as? String, folder["Queue.swift"])
        expectEqual((results[0]["nameMatches"] as? [[String: Int]]), [["start": 0, "end": 5]])
        let line = try unwrap((results[0]["lines"] as? [[String: Any]])?.first)
        expectEqual(line["number"] as? Int, 3)
        expectEqual(line["text"] as? String, "final class DatabaseQueue {}")
        expectEqual((line["matches"] as? [[String: Int]]), [["start": 12, "end": 25]])
        let place = try unwrap(results[1]["firstMatch"] as? [String: Any])
        expectEqual(place["column"] as? String, "body")
        expectEqual(place["word"] as? Int, 1)
    }

    @Test func emptySearchesAsJSON() throws {
        for query in ["absent", "--"] {
            let recorded = RecordedConsole()
            let code = TextSearchCommand(console: recorded.console).run(
                ["search", "--json", "--database", database, "--", query])
            expectEqual(code, 1)
            let object = try json(recorded.output)
            expectEqual(object["count"] as? Int, 0)
            expectEqual((object["results"] as? [Any])?.isEmpty, true)
        }
    }

    @Test func indexingAsJSON() throws {
        try folder.write("bad", bytes: [0x63, 0xe9])
        try folder.write("new", "text")
        try folder.write("binary", bytes: [0])
        try folder.remove("other.txt")
        let result = run("index", folder.path, "--json")
        expectEqual(result.code, 1)
        expectEqual(result.errors, "")
        let object = try json(result.output)
        expectEqual(object["files"] as? Int, 4)
        expectEqual(object["upToDate"] as? Int, 1)
        expectEqual(object["binaries"] as? [String], [folder["binary"]])
        expectEqual(
            object["problems"] as? [[String: String]],
            [["path": folder["bad"], "message": "is not UTF-8"]])
        let changes = try unwrap(object["changes"] as? [[String: Any]])
        expectEqual(changes.count, 2)
        expectTrue(changes.contains { $0["change"] as? String == "deleted" })
        expectTrue(changes.contains { $0["path"] as? String == folder["new"] })
    }

    @Test func statisticsAsJSON() throws {
        let object = try json(run("stats", "--json").output)
        expectEqual(object["textCount"] as? Int, 2)
        expectTrue(object["sqliteVersion"] as? String != nil)
        let tables = try unwrap(object["tables"] as? [[String: Any]])
        expectTrue(tables.contains { $0["name"] as? String == "search" })
    }

    @Test func watchesAsJSON() throws {
        let recorded = RecordedConsole()
        let interruption = Interruption()
        interruption.receive(SIGINT)
        let command = TextSearchCommand(console: recorded.console, interruption: interruption)
        expectEqual(command.run(["watch", "queue", "--json", "--database", database]), 0)
        let object = try json(recorded.output)
        expectEqual(object["event"] as? String, "start")
        expectEqual(object["count"] as? Int, 2)
    }
}
