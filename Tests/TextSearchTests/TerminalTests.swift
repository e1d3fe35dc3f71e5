import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct TerminalTests {
    @Test func counts() {
        expectEqual(TextFormat.count(0), "0")
        expectEqual(TextFormat.count(999), "999")
        expectEqual(TextFormat.count(1000), "1,000")
        expectEqual(TextFormat.count(-1_234_567), "-1,234,567")
        expectEqual(TextFormat.count(1, "file"), "1 file")
        expectEqual(TextFormat.count(2, "binary", "binaries"), "2 binaries")
    }

    @Test func sizes() {
        expectEqual(TextFormat.size(1), "1 byte")
        expectEqual(TextFormat.size(999), "999 bytes")
        expectEqual(TextFormat.size(1000), "1.0 kB")
        expectEqual(TextFormat.size(999_949), "999.9 kB")
        expectEqual(TextFormat.size(999_950), "1.0 MB")
        expectEqual(TextFormat.size(9_400_000), "9.4 MB")
        expectEqual(TextFormat.size(.max), "9,223,372.0 TB")
    }

    @Test func durations() {
        expectEqual(TextFormat.duration(0), "0:00")
        expectEqual(TextFormat.duration(59.2), "1:00")
        expectEqual(TextFormat.duration(75), "1:15")
        expectEqual(TextFormat.duration(3605), "1:00:05")
        expectEqual(TextFormat.duration(.infinity), "?")
    }

    @Test func foreignTextDrivesNoTerminal() {
        expectEqual(
            TextFormat.printable("a\u{1b}[2Jb\r\n\tc"), "a\u{fffd}[2Jb\u{fffd}\u{fffd}    c")
        expectEqual(TextFormat.printable("é日🙂"), "é日🙂")
    }

    @Test func pathsAreShownRelativeToTheCurrentFolder() {
        expectEqual(DisplayPath.relative("/a/b/c", to: "/a/b"), "c")
        expectEqual(DisplayPath.relative("/a/bc", to: "/a/b"), "/a/bc")
        expectEqual(DisplayPath.relative("/a/b", to: "/"), "/a/b")
    }

    @Test func theEnvironmentMayRefuseColors() {
        expectTrue(Console.allowsStyles(["TERM": "xterm"]))
        expectTrue(Console.allowsStyles(["NO_COLOR": ""]))
        expectTrue(!Console.allowsStyles(["NO_COLOR": "1", "TERM": "xterm"]))
        expectTrue(!Console.allowsStyles(["TERM": "dumb"]))
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
        expectEqual(
            recorded.errors,
            "\r[##########------------------------------] 25 %, 1/4 files, 1.0 MB/s, 0:03 left\u{1b}[K"
        )
        progress.clear()
        progress.clear()
        expectTrue(recorded.errors.hasSuffix("left\u{1b}[K\r\u{1b}[K"))
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
        expectEqual(recorded.errors, "")
    }

    @Test func progressWithoutBytesCountsFiles() {
        let recorded = RecordedConsole(isTerminal: true)
        let clock = Clock()
        var progress = ProgressReport(
            console: recorded.console, fileCount: 2, byteCount: 0, now: { clock.time })
        clock.time = 2
        progress.advance(bytes: 0)
        expectTrue(recorded.errors.hasSuffix("] 50 %, 1/2 files, 0 bytes/s, 0:02 left\u{1b}[K"))
    }
}
