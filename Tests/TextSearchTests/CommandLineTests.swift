import Foundation
import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct CommandLineTests {
    private func run(_ arguments: [String]) -> (code: Int32, output: String, errors: String) {
        let recorded = RecordedConsole()
        let code = TextSearchCommand(console: recorded.console).run(arguments)
        return (code, recorded.output, recorded.errors)
    }

    // MARK: - Help

    @Test(arguments: CommandDescription.all.map(\.name))
    func eachCommandHasAHelpPage(name: String) throws {
        let description = try unwrap(CommandDescription.named(name))
        let page = Help.page(description, width: 80)
        for arguments in [
            [name, "--help"], [name, "-h"], [name, "x", "--help"], ["help", name],
        ] {
            let result = run(arguments)
            expectEqual(result.code, 0)
            expectEqual(result.output, page)
            expectEqual(result.errors, "")
        }
        expectTrue(page.contains("TextSearch \(name) \(description.synopsis)"))
        for option in description.options {
            expectTrue(page.contains("\n  \(option.names.joined(separator: ", "))"))
        }
    }

    @Test(arguments: [30, 60, 80, 100, 200])
    func helpWrapsAtWords(width: Int) {
        let pages = { (width: Int) in
            CommandDescription.all.map { Help.page($0, width: width) }
                + [Help.overview(width: width)]
        }
        for (page, widest) in zip(pages(width), pages(10_000)) {
            for line in page.split(separator: "\n") {
                // A line of one word may be longer.
                expectTrue(
                    line.count <= min(width, 100) || line.split(separator: " ").count == 1
                        || width == 30, "\(line)")
            }
            expectEqual(
                page.split(whereSeparator: \.isWhitespace),
                widest.split(whereSeparator: \.isWhitespace))
        }
    }

    @Test func helpKeepsColumns() {
        expectEqual(
            Help.wrapped("  --name  one two three four", width: 20),
            "  --name  one two\n          three four")
        // Too narrow for columns.
        expectEqual(Help.wrapped("  --name  one two", width: 14), "  --name  one\n    two")
        expectEqual(Help.wrapped("one two three\n\nfour", width: 8), "one two\nthree\n\nfour")
        expectEqual(
            Help.wrapped("https://example.org/long x", width: 10),
            "https://example.org/long\nx")
    }

    @Test(arguments: [["help"], ["--help"], ["-h"]])
    func theOverviewListsAllCommands(arguments: [String]) {
        let result = run(arguments)
        expectEqual(result.code, 0)
        expectEqual(result.output, Help.overview(width: 80))
        for command in CommandDescription.all {
            expectTrue(result.output.contains("\n  \(command.name) "))
        }
    }

    @Test func helpAfterTwoDashesIsAQuery() throws {
        let folder = try TestFolder()
        let result = run(["search", "--database", folder["none"], "--", "--help"])
        expectEqual(result.code, 2)
        expectTrue(result.errors.hasPrefix("TextSearch: there is no index"))
    }

    // MARK: - Completions

    @Test(arguments: CompletionScript.Shell.allCases)
    func scriptsKnowAllCommandsAndOptions(shell: CompletionScript.Shell) {
        let result = run(["completions", shell.rawValue])
        expectEqual(result.code, 0)
        for command in CommandDescription.all {
            expectTrue(result.output.contains(command.name))
            for option in command.options {
                expectTrue(result.output.contains(option.name.dropFirst(2)))
            }
        }
    }

    /// Runs the script in the shell itself.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")))
    func bashCompletes() throws {
        let folder = try TestFolder()
        try folder.write("script", CompletionScript(shell: .bash).text)
        try folder.write("with space/file", "")
        func completions(_ words: String...) throws -> [String] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
            process.arguments = [
                "-c",
                """
                source "$0"; shift 0
                COMP_WORDS=(TextSearch "$@"); COMP_CWORD=$#
                _TextSearch
                printf '%s\\n' "${COMPREPLY[@]}"
                """, folder["script"],
            ]
            process.arguments! += words
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            expectEqual(process.terminationStatus, 0)
            return String(decoding: output, as: UTF8.self)
                .split(separator: "\n").map(String.init)
        }
        try expectEqual(completions("se"), ["search"])
        try expectEqual(completions("search", "--li"), ["--limit"])
        try expectEqual(completions("search", "x", "-n", ""), [])
        try expectEqual(completions("remove", "wi"), ["with space"])
        try expectEqual(completions("--v"), ["--version"])
        try expectEqual(completions("search", "x", "--color", "a"), ["auto", "always"])
        try expectEqual(completions("completions", ""), ["bash", "zsh", "fish"])
        try expectEqual(completions("index", "wi"), ["with space"])
        try expectEqual(completions("index", "--synonyms", "scr"), ["script"])
        try expectEqual(completions("stats", "x"), [])
    }

    @Test(arguments: [["completions"], ["completions", "tcsh"]])
    func otherShellsAreUsageErrors(arguments: [String]) {
        let result = run(arguments)
        expectEqual(result.code, 64)
        expectTrue(result.errors.hasSuffix("See `TextSearch completions --help`.\n"))
    }
}
