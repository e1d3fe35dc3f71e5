import Foundation
import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct WatchCommandTests {
    /// A `watch` that runs on a thread of its own until the test interrupts it.
    private final class Watch {
        let recorded: RecordedConsole
        private let interruption = Interruption()
        private let code = Locked<Int32?>(nil)

        init(_ arguments: [String], isTerminal: Bool = false) {
            recorded = RecordedConsole(isTerminal: isTerminal)
            let command = TextSearchCommand(
                console: recorded.console, interruption: interruption)
            Thread.detachNewThread { [code] in
                let result = command.run(["watch"] + arguments)
                code.value = result
            }
        }

        deinit { interruption.stopListening() }

        /// Waits for an output, and returns it.
        func output(ending end: String) -> String {
            wait { recorded.output.hasSuffix(end) }
            return recorded.output
        }

        /// Ends the command as Ctrl-C does.
        func interrupt() -> Int32? {
            interruption.receive(SIGINT)
            return end()
        }

        /// Waits for the exit code.
        func end() -> Int32? {
            wait { code.value != nil }
            return code.value
        }

        private func wait(until isDone: () -> Bool) {
            let deadline = Date(timeIntervalSinceNow: 3600)
            while !isDone(), Date() < deadline { Thread.sleep(forTimeInterval: 0.01) }
        }
    }

    /// `@unchecked Sendable`: the lock guards the value.
    private final class Locked<Value>: @unchecked Sendable {
        private let lock = NSLock()
        private var storage: Value

        init(_ value: Value) { storage = value }

        var value: Value {
            get { lock.withLock { storage } }
            set { lock.withLock { storage = newValue } }
        }
    }

    @Test func changedFilesArePrinted() throws {
        let files = try TestIndex()
        try files.folder.write("a", "one")
        try files.folder.write("b", "two")
        try files.update()
        let watch = Watch(["--database", files.databasePath])
        expectEqual(watch.output(ending: "ends.\n"), "Watching 2 files. Ctrl-C ends.\n")

        try files.folder.write("a", "longer")
        try files.folder.write("c", "three")
        try files.folder.remove("b")
        try files.update()
        expectTrue(
            watch.output(ending: "deleted.\n").hasSuffix(
                """
                ends.
                ~ \(files.folder["a"]) (3 → 6 bytes)
                - \(files.folder["b"]) (3 bytes)
                + \(files.folder["c"]) (5 bytes)
                3 changes: 1 inserted, 1 changed, 1 deleted.

                """))
        expectEqual(watch.interrupt(), 0)
        expectEqual(watch.recorded.errors, "")
    }

    @Test func changedFilesArePrintedAsJSON() throws {
        let files = try TestIndex()
        let watch = Watch(["--json", "--database", files.databasePath])
        expectEqual(watch.output(ending: "\n"), #"{"event":"start","files":0}"# + "\n")
        try files.folder.write("a", "one")
        try files.update()
        expectTrue(
            watch.output(ending: "3}\n").hasSuffix(
                #"{"change":"inserted","path":"\#(files.folder["a"])","size":3}"# + "\n"))
        expectEqual(watch.interrupt(), 0)
    }

    @Test func changedResultsArePrinted() throws {
        let files = try TestIndex()
        try files.folder.write("a", "word other")
        try files.folder.write("b", "word")
        try files.update()
        let watch = Watch(["word", "--database", files.databasePath])
        expectEqual(
            watch.output(ending: "a\n"),
            """
            Watching 2 files. Ctrl-C ends.
            2 results of word:
             1. \(files.folder["b"])
             2. \(files.folder["a"])

            """)
        try files.folder.write("b", "other")
        try files.folder.write("c", "word word word")
        try files.folder.write("d", "word")
        try files.update()
        expectTrue(
            watch.output(ending: "3 results.\n").hasSuffix(
                """
                - \(files.folder["b"])
                + \(files.folder["c"]) (1.)
                + \(files.folder["d"]) (2.)
                ~ \(files.folder["a"]) (2. → 3.)
                2 → 3 results.

                """))
        expectEqual(watch.interrupt(), 0)
    }

    @Test func changedResultsArePrintedAsJSON() throws {
        let files = try TestIndex()
        try files.folder.write("a", "word other")
        try files.folder.write("b", "word")
        try files.update()
        let watch = Watch(["word", "--json", "--database", files.databasePath])
        expectEqual(
            watch.output(ending: "\n"),
            """
            {"count":2,"event":"start","files":2,"query":"word",\
            "results":["\(files.folder["b"])","\(files.folder["a"])"]}

            """)
        try files.folder.write("b", "other")
        try files.folder.write("c", "word word word")
        try files.folder.write("d", "word")
        try files.update()
        expectTrue(
            watch.output(ending: #""result":"moved"}"# + "\n").hasSuffix(
                """
                {"count":3,"path":"\(files.folder["b"])","result":"disappeared"}
                {"count":3,"path":"\(files.folder["c"])","rank":1,"result":"appeared"}
                {"count":3,"path":"\(files.folder["d"])","rank":2,"result":"appeared"}
                {"count":3,"oldRank":2,"path":"\(files.folder["a"])","rank":3,"result":"moved"}

                """))
        expectEqual(watch.interrupt(), 0)
    }

    /// Only the best results are compared, but all are counted.
    @Test func resultsBeyondTheLimitAreCounted() throws {
        let files = try TestIndex()
        try files.folder.write("a", "word")
        try files.update()
        let watch = Watch(["word", "-n1", "--database", files.databasePath])
        _ = watch.output(ending: "a\n")
        try files.folder.write("b", "a word among many others")
        try files.update()
        expectTrue(watch.output(ending: "2 results.\n").hasSuffix("a\n1 → 2 results.\n"))
        expectEqual(watch.interrupt(), 0)
    }

    @Test func aTerminalHasColors() throws {
        let files = try TestIndex()
        try files.folder.write("a", "word")
        try files.update()
        let watch = Watch(["word", "--database", files.databasePath], isTerminal: true)
        expectTrue(
            watch.output(ending: "m\n").hasSuffix(
                " 1. \u{1b}[35m\(files.folder["a"])\u{1b}[0m\n"))
        try files.folder.write("b", "word word")
        try files.update()
        expectTrue(
            watch.output(ending: "results.\u{1b}[0m\n").contains(
                "\u{1b}[32;1m+\u{1b}[0m \(files.folder["b"]) ("))
        expectEqual(watch.interrupt(), 0)
    }

    @Test func aReplacedIndexEndsTheCommand() throws {
        let files = try TestIndex()
        let watch = Watch(["--database", files.databasePath])
        _ = watch.output(ending: "ends.\n")
        try FileManager.default.removeItem(atPath: files.databasePath)
        expectEqual(watch.end(), 2)
        expectEqual(watch.recorded.errors, "TextSearch: the index has been deleted or replaced\n")
    }

    @Test func aQueryNeedsWords() throws {
        let files = try TestIndex()
        let watch = Watch(["--database", files.databasePath, "--", "?!"])
        expectEqual(watch.end(), 2)
        expectEqual(
            watch.recorded.errors,
            """
            TextSearch: nothing to search for: the query has no letters and no digits

            """)
        expectEqual(watch.recorded.output, "")
    }

    @Test func aMissingIndexIsAnError() throws {
        let folder = try TestFolder()
        let watch = Watch(["--database", folder["none.sqlite"]])
        expectEqual(watch.end(), 2)
        expectEqual(watch.recorded.output, "")
        expectTrue(!FileManager.default.fileExists(atPath: folder["none.sqlite"]))
    }
}
