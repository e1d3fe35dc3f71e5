import Testing

@testable import TextSearch

@Suite struct TerminalTests {
    @Test func counts() {
        #expect(TextFormat.count(0) == "0")
        #expect(TextFormat.count(999) == "999")
        #expect(TextFormat.count(1000) == "1,000")
        #expect(TextFormat.count(-1_234_567) == "-1,234,567")
        #expect(TextFormat.count(1, "file") == "1 file")
        #expect(TextFormat.count(2, "binary", "binaries") == "2 binaries")
    }

    @Test func sizes() {
        #expect(TextFormat.size(1) == "1 byte")
        #expect(TextFormat.size(999) == "999 bytes")
        #expect(TextFormat.size(1000) == "1.0 kB")
        #expect(TextFormat.size(999_949) == "999.9 kB")
        #expect(TextFormat.size(999_950) == "1.0 MB")
        #expect(TextFormat.size(9_400_000) == "9.4 MB")
        #expect(TextFormat.size(.max) == "9,223,372.0 TB")
    }

    @Test func durations() {
        #expect(TextFormat.duration(0) == "0:00")
        #expect(TextFormat.duration(59.2) == "1:00")
        #expect(TextFormat.duration(75) == "1:15")
        #expect(TextFormat.duration(3605) == "1:00:05")
        #expect(TextFormat.duration(.infinity) == "?")
    }

    @Test func foreignTextDrivesNoTerminal() {
        #expect(TextFormat.printable("a\u{1b}[2Jb\r\n\tc") == "a\u{fffd}[2Jb\u{fffd}\u{fffd}    c")
        #expect(TextFormat.printable("é日🙂") == "é日🙂")
    }

    @Test func pathsAreShownRelativeToTheCurrentFolder() {
        #expect(DisplayPath.relative("/a/b/c", to: "/a/b") == "c")
        #expect(DisplayPath.relative("/a/bc", to: "/a/b") == "/a/bc")
        #expect(DisplayPath.relative("/a/b", to: "/") == "/a/b")
    }

    @Test func theEnvironmentMayRefuseColors() {
        #expect(Console.allowsStyles(["TERM": "xterm"]))
        #expect(Console.allowsStyles(["NO_COLOR": ""]))
        #expect(!Console.allowsStyles(["NO_COLOR": "1", "TERM": "xterm"]))
        #expect(!Console.allowsStyles(["TERM": "dumb"]))
    }

    /// A clock that a test moves.
    private final class Clock {
        var time = 0.0
    }

    @Test func progressOnATerminalIsABar() {
        let recorded = RecordedConsole(isTerminal: true)
        let clock = Clock()
        var progress = ProgressReport(
            console: recorded.console, fileCount: 4, byteCount: 4_000_000, now: { clock.time })
        clock.time = 1
        progress.advance(bytes: 1_000_000)
        progress.advance(bytes: 1_000_000)
        #expect(
            recorded.errors
                == "\r[##########------------------------------] 25 %, 1/4 files, 1.0 MB/s, 0:03 left\u{1b}[K"
        )
        progress.clear()
        progress.clear()
        #expect(recorded.errors.hasSuffix("left\u{1b}[K\r\u{1b}[K"))
    }

    @Test func progressElsewhereIsNotShown() {
        let recorded = RecordedConsole()
        let clock = Clock()
        var progress = ProgressReport(
            console: recorded.console, fileCount: 4, byteCount: 4_000_000, now: { clock.time })
        clock.time = 1
        progress.advance(bytes: 1_000_000)
        clock.time = 2
        progress.advance(bytes: 1_000_000)
        progress.clear()
        #expect(recorded.errors == "")
    }

    @Test func progressWithoutBytesCountsFiles() {
        let recorded = RecordedConsole(isTerminal: true)
        let clock = Clock()
        var progress = ProgressReport(
            console: recorded.console, fileCount: 2, byteCount: 0, now: { clock.time })
        clock.time = 2
        progress.advance(bytes: 0)
        #expect(recorded.errors.hasSuffix("] 50 %, 1/2 files, 0 bytes/s, 0:02 left\u{1b}[K"))
    }
}
