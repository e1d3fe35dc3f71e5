import Foundation
import GRDBTestSupport
import Testing

@testable import TextSearch

extension IgnoreRules {
    fileprivate func excludes(_ path: String, isFolder: Bool) -> Bool {
        var path = path
        return path.withUTF8 { excludes($0, isFolder: isFolder) }
    }
}

@Suite struct IgnoreRulesTests {
    private func excludes(_ text: String, _ path: String, isFolder: Bool = false) -> Bool {
        IgnoreRules(text: text.utf8, folder: "/r/").excludes("/r/" + path, isFolder: isFolder)
    }

    @Test(arguments: [
        // A name matches in every folder.
        ("build", "build", true), ("build", "a/build", true), ("build", "builds", false),
        ("*.o", "a/b.o", true), ("*.o", "b.oo", false), ("a?c", "abc", true), ("a?c", "ac", false),
        // A path matches from the folder of the file on.
        ("/build", "build", true), ("/build", "a/build", false), ("a/b", "a/b", true),
        ("a/b", "x/a/b", false), ("a/*", "a/b", true), ("a/*", "a/b/c", false),
        ("a*z/b", "a1/2z/b", false),
        // Two stars stand for folders.
        ("**/b", "b", true), ("**/b", "x/y/b", true), ("a/**", "a/x/y", true), ("a/**", "a", false),
        ("a/**/b", "a/b", true), ("a/**/b", "a/x/y/b", true), ("a/**/b", "ab", false),
        ("**/a/*.txt", "x/a/b.txt", true), ("a**b", "axxb", true), ("x/a**b", "x/a/b", false),
        // Sets of characters.
        ("[a-c]x", "bx", true), ("[!a-c]x", "bx", false), ("[^a-c]x", "dx", true),
        ("[]x]y", "]y", true), ("[a-]y", "-y", true), ("[[:digit:]]", "7", true),
        ("[[:digit:]]", "x", false), ("[ab", "[ab", false), ("x[/]y", "x/y", false),
        // What means something, and what a backslash makes of it.
        ("# comment", "# comment", false), ("\\#x", "#x", true), ("\\!x", "!x", true),
        ("a\\*", "a*", true), ("a\\*", "ab", false), ("trailing   ", "trailing", true),
        ("space\\ ", "space ", true), ("windows\r", "windows", true), ("", "x", false),
    ])
    func patterns(pattern: String, path: String, isExcluded: Bool) {
        expectEqual(excludes(pattern + "\n", path), isExcluded, "\(pattern) on \(path)")
    }

    @Test func aSlashAtTheEndMeansFolders() {
        expectTrue(excludes("build/", "build", isFolder: true))
        expectTrue(excludes("build/", "a/build", isFolder: true))
        expectTrue(!excludes("build/", "build"))
    }

    @Test func theLastPatternDecides() {
        expectTrue(!excludes("*.log\n!keep.log\n", "keep.log"))
        expectTrue(excludes("!keep.log\n*.log\n", "keep.log"))
    }

    @Test func folderInsideDecidesBeforeFolderAround() {
        let outer = IgnoreRules(text: "*.log\n".utf8, folder: "/r/")
        let inner = IgnoreRules(text: "!*.log\n/x\n".utf8, folder: "/r/a/", around: outer)
        expectTrue(!inner.excludes("/r/a/b.log", isFolder: false))
        expectTrue(inner.excludes("/r/a/x", isFolder: false))
        expectTrue(outer.excludes("/r/b.log", isFolder: false))
    }

    /// Patterns that make other programs try all combinations.
    @Test func manyStarsTakeNoTime() {
        let pattern = String(repeating: "*a", count: 40) + "b"
        expectTrue(!excludes(pattern, String(repeating: "a", count: 4000)))
        let folders = String(repeating: "**/a/", count: 40) + "b"
        expectTrue(!excludes(folders, String(repeating: "a/", count: 2000) + "c"))
    }

    // MARK: - Indexing

    @Test func ignoredFilesAreNotIndexed() throws {
        let files = try TestIndex()
        try files.folder.write(".gitignore", "*.log\n/build/\n")
        try files.folder.write("a.swift", "word")
        try files.folder.write("a.log", "word")
        try files.folder.write("build/b.swift", "word")
        try files.folder.write("sub/.gitignore", "!kept.log\n")
        try files.folder.write("sub/kept.log", "word")
        try files.folder.write("sub/build/c.swift", "word")
        try files.update()
        try expectEqual(
            files.fileNames(),
            [
                ".gitignore", "a.swift", "sub/.gitignore", "sub/build/c.swift", "sub/kept.log",
            ])
    }

    @Test func whatIsIgnoredNowLeavesTheIndex() throws {
        let files = try TestIndex()
        try files.folder.write("a.log", "word")
        try files.update()
        try files.folder.write(".gitignore", "*.log\n")
        try expectEqual(files.update().changes["a.log"], .deleted(size: 4))
    }

    @Test func ignoreFilesCanBeDisregarded() throws {
        let folder = try TestFolder()
        try folder.write(".gitignore", "*.log\n")
        try folder.write("a.log", "word")
        expectEqual(FileWalker(root: folder.path).fileCount, 1)
        expectEqual(FileWalker(root: folder.path, respectsIgnoreFiles: false).fileCount, 2)
    }

    @Test func foldersAroundCountInARepository() throws {
        let folder = try TestFolder()
        try folder.write(".gitignore", "*.log\n")
        try folder.write("sub/a.log", "word")
        try folder.write("sub/a.tmp", "word")
        expectEqual(FileWalker(root: folder["sub"]).fileCount, 2)
        try folder.write(".git/info/exclude", "*.tmp\n")
        expectEqual(FileWalker(root: folder["sub"]).fileCount, 0)
    }
}
