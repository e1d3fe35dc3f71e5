import Foundation
import GRDB
import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct IndexerTests {
    @Test func secondRunChangesNothing() throws {
        let files = try TestIndex()
        try files.folder.write("a.txt", "one")
        try files.folder.write("sub/b.md", "two")
        try expectEqual(
            files.update().changes,
            [
                "a.txt": .inserted(size: 3), "sub/b.md": .inserted(size: 3),
            ])
        let (changes, outcome) = try files.update()
        expectTrue(changes.isEmpty)
        expectEqual(outcome.unchangedCount, 2)
        expectEqual(outcome.readBytes, 0)
    }

    @Test func threeTouchedFilesAreReported() throws {
        let files = try TestIndex()
        for number in 1...20 {
            try files.folder.write("\(number).txt", "file \(number)")
        }
        try files.update()
        try files.folder.write("3.txt", "file 3, longer")
        try files.folder.touch("7.txt", seconds: 1)
        try files.folder.write("11.txt", "11")
        try expectEqual(
            files.update().changes,
            [
                "3.txt": .changed(oldSize: 6, newSize: 14),
                "7.txt": .changed(oldSize: 6, newSize: 6),
                "11.txt": .changed(oldSize: 7, newSize: 2),
            ])
        try expectEqual(files.search("longer"), ["3.txt"])
        try expectEqual(files.search("\"file 11\""), [])
        try expectTrue(files.isSound())
    }

    @Test func deletedFilesLeaveTheIndex() throws {
        let files = try TestIndex()
        try files.folder.write("stays", "word")
        try files.folder.write("sub/goes", "word")
        try files.update()
        try files.folder.remove("sub")
        try expectEqual(files.update().changes, ["sub/goes": .deleted(size: 4)])
        try expectEqual(files.search("word"), ["stays"])
        try expectTrue(files.isSound())
    }

    @Test func otherFoldersAreLeftAlone() throws {
        let files = try TestIndex()
        try files.folder.write("x/a", "word")
        try files.folder.write("x-y/b", "word")
        try files.folder.write("xy/c", "word")
        try files.update()
        // All that starts like the folder, but is not in it, is not seen, and stays.
        let indexer = Indexer(
            index: files.index, console: RecordedConsole().console, interruption: Interruption())
        try files.folder.remove("x/a")
        var outcome = Indexer.Outcome()
        try indexer.run(folders: [files.folder["x"]], outcome: &outcome)
        try expectEqual(files.fileNames(), ["x-y/b", "xy/c"])
    }

    @Test func nestedFoldersAreIndexedOnce() throws {
        let files = try TestIndex()
        try files.folder.write("x/a", "word")
        let indexer = Indexer(
            index: files.index, console: RecordedConsole().console, interruption: Interruption())
        var outcome = Indexer.Outcome()
        try indexer.run(
            folders: [files.folder["x"], files.folder.path, files.folder["x/"]], outcome: &outcome)
        expectEqual(outcome.folderCount, 1)
        expectEqual(outcome.fileCount, 1)
    }

    @Test func skipsWhatIsNoText() throws {
        let files = try TestIndex()
        try files.folder.write("text", "text")
        try files.folder.write("empty", "")
        try files.folder.write("nul", bytes: [0x61, 0, 0x62])
        try files.folder.write("late-nul", bytes: Array(repeating: 0x61, count: 300_000) + [0])
        try files.folder.write("controls", bytes: [0x1f, 0x8b, 0x08, 0x01, 0x02, 0x03, 0xff])
        try files.folder.write("latin1", bytes: Array("caf".utf8) + [0xe9])
        try files.folder.write("utf16", bytes: [0xff, 0xfe, 0x61, 0x00])
        try files.folder.write(".hidden/file", "text")
        try files.folder.write(".hidden-file", "text")
        try FileManager.default.createSymbolicLink(
            atPath: files.folder["link"], withDestinationPath: files.folder["text"])
        try FileManager.default.createSymbolicLink(
            atPath: files.folder["loop"], withDestinationPath: files.folder.path)
        expectEqual(mkfifo(files.folder["pipe"], 0o600), 0)

        let (changes, outcome) = try files.update()
        expectEqual(Set(changes.keys), ["text", "empty", ".hidden-file"])
        expectEqual(
            Set(outcome.binaries),
            Set(["nul", "late-nul", "controls"].map { files.folder[$0] }))
        expectEqual(outcome.problems.map(\.path), ["latin1", "utf16"].map { files.folder[$0] })
        expectEqual(outcome.problems.map(\.message), ["is not UTF-8", "is not UTF-8"])
    }

    @Test func aTextThatBecomesBinaryLeavesTheIndex() throws {
        let files = try TestIndex()
        try files.folder.write("file", "text")
        try files.update()
        try files.folder.write("file", bytes: [0, 1, 2])
        try expectEqual(files.update().changes, ["file": .deleted(size: 4)])
    }

    @Test func byteOrderMarksAreNoText() throws {
        let files = try TestIndex()
        try files.folder.write("file", bytes: [0xef, 0xbb, 0xbf] + Array("word".utf8))
        try expectEqual(files.update().changes, ["file": .inserted(size: 7)])
        try expectEqual(
            files.index.queue.read { try String.fetchOne($0, sql: "SELECT body FROM file") },
            "word")
    }

    @Test func tooLargeFilesAreNotRead() throws {
        let folder = try TestFolder()
        try folder.write("file", "12345")
        guard case .tooLarge = try TextFile(readingFrom: folder["file"], maximumSize: 4) else {
            Issue.record("the file is larger than 4 bytes")
            return
        }
        guard case .text("12345", _) = try TextFile(readingFrom: folder["file"], maximumSize: 5)
        else {
            Issue.record("the file has 5 bytes")
            return
        }
    }

    /// To Linux these are two files, to a Swift dictionary one string.
    #if os(Linux)
    @Test func namesAreComparedByteByByte() throws {
        let files = try TestIndex()
        try files.folder.write("\u{e9}", "composed")
        try files.folder.write("e\u{301}", "decomposed")
        try expectEqual(files.update().outcome.fileCount, 2)
        try expectEqual(files.index.files().count, 2)
        try expectTrue(files.update().changes.isEmpty)
    }
    #endif

    /// The superuser may read everything.
    @Test(.enabled(if: geteuid() != 0))
    func whatCanNotBeReadIsKept() throws {
        let files = try TestIndex()
        try files.folder.write("locked/a", "word")
        try files.folder.write("b", "word")
        try files.update()
        try files.folder.write("b", "other")
        expectEqual(chmod(files.folder["locked"], 0), 0)
        expectEqual(chmod(files.folder["b"], 0), 0)
        defer { chmod(files.folder["locked"], 0o700) }
        let (changes, outcome) = try files.update()
        expectTrue(changes.isEmpty)
        expectEqual(Set(outcome.problems.map(\.path)), [files.folder["locked"], files.folder["b"]])
        expectEqual(Set(try files.search("word")), ["locked/a", "b"])
    }

    @Test func readingWhatIsNoFileFails() throws {
        let folder = try TestFolder()
        let missing = expectError(FileProblem.self) {
            try TextFile(readingFrom: folder["missing"])
        }
        expectEqual(missing?.isMissing, true)
        let notAFile = expectError(FileProblem.self) { try TextFile(readingFrom: folder.path) }
        expectEqual(notAFile?.isMissing, false)
        expectEqual(FileWalker(root: folder["missing"]).problems.count, 1)
    }

    @Test func filesAreFoundByTheBytesOfTheirPaths() throws {
        // In the order of bytes: a full stop comes before the slash. The two accents look the same.
        let paths = ["/r/a", "/r/a.b", "/r/a/b", "/r/cafe\u{301}", "/r/caf\u{e9}", "/r/z"]
        var known = KnownFiles(paths.map { IndexedFile(path: $0, size: 1, modified: 2) })
        func find(_ path: String) -> String? {
            var path = path
            return path.withUTF8 { known.find($0) }?.path
        }
        expectEqual(find("/r"), nil)
        for path in [3, 0, 1, 5, 2].map({ paths[$0] }) {
            expectEqual(find(path).map { Array($0.utf8) }, Array(path.utf8))
        }
        expectEqual(find("/r/a/c"), nil)
        expectEqual(find("/r/zz"), nil)
        expectEqual(known.others.map { Array($0.path.utf8) }, [Array("/r/caf\u{e9}".utf8)])
        var none = KnownFiles([])
        expectEqual("/r/a".utf8.withContiguousStorageIfAvailable { none.find($0) }, .some(nil))
    }

    @Test func namesThatAreNotUTF8AreProblems() throws {
        let folder = try TestFolder()
        try folder.write("a", "word")
        // The name is a byte that starts nothing.
        let descriptor = open(folder.path + "/", O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        let file = [CChar(bitPattern: 0xff), 0].withUnsafeBufferPointer {
            openat(descriptor, $0.baseAddress!, O_CREAT | O_WRONLY, 0o600)
        }
        // Some file systems refuse it.
        guard file >= 0 else { return }
        close(file)
        let walker = FileWalker(root: folder.path)
        expectEqual(walker.fileCount, 1)
        expectEqual(walker.problems.map(\.message), ["its name is not UTF-8"])
        expectEqual(walker.problems.map(\.path), [folder["\u{fffd}"]])
    }

    @Test func twoProcessesMayIndexTheSameFolder() throws {
        let files = try TestIndex()
        for number in 1...50 {
            try files.folder.write("\(number)", "word \(number)")
        }
        let other = try IndexDatabase.forIndexing(path: files.databasePath)
        // Both have seen an empty index.
        let new = NewFile(path: files.folder["1"], size: 6, modified: 1, body: "word 1")
        try files.index.queue.write { try IndexDatabase.save(new, in: $0) }
        try other.queue.write { try IndexDatabase.save(new, in: $0) }
        try expectEqual(files.index.files().count, 1)
        try other.queue.write { try IndexDatabase.delete(path: new.path, in: $0) }
        try files.index.queue.write { try IndexDatabase.delete(path: new.path, in: $0) }
        try expectTrue(files.index.files().isEmpty)
        try expectTrue(files.isSound())
        try other.close()
    }
}
