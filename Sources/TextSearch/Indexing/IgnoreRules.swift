import Foundation

/// What the `.gitignore` file of a folder excludes, after those of the folders around it.
///
/// Related documentation: <https://git-scm.com/docs/gitignore>
final class IgnoreRules: Sendable {
    /// The folder of the file, with a slash at the end.
    private let folder: String
    private let patterns: [IgnorePattern]
    private let around: IgnoreRules?

    init(text: some Sequence<UInt8>, folder: String, around: IgnoreRules? = nil) {
        self.folder = folder
        self.around = around
        patterns = Array(text)
            .split(separator: UInt8(ascii: "\n"))
            .compactMap { IgnorePattern(line: $0) }
    }

    /// Reads a file.
    ///
    /// - returns: nil if there is no plain file, or if it can't be read.
    convenience init?(file: String, folder: String, around: IgnoreRules? = nil) {
        // Git does not follow a link here either.
        guard let status = try? FileStatus(path: file), status.kind == .file,
            let text = FileManager.default.contents(atPath: file)
        else { return nil }
        self.init(text: text, folder: folder, around: around)
    }

    /// The rules of the folders around a folder of a Git repository; nil if it is in none.
    static func ofFoldersAround(_ path: String) -> IgnoreRules? {
        // From the inside out, until the folder that has the repository.
        var folders: [String] = []
        var folder = path
        while true {
            let prefix = folder.hasSuffix("/") ? folder : folder + "/"
            folders.append(prefix)
            if (try? FileStatus(path: prefix + ".git", followsLinks: true)) != nil { break }
            guard folder != "/", let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) else {
                return nil
            }
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
        }
        guard let top = folders.last else { return nil }
        var rules = IgnoreRules(file: top + ".git/info/exclude", folder: top)
        // That of the path itself is read when the folder is listed.
        for folder in folders.dropFirst().reversed() {
            rules = IgnoreRules(file: folder + ".gitignore", folder: folder, around: rules) ?? rules
        }
        return rules
    }

    /// Whether a path is excluded. It must be in the folder of these rules, and none of the folders
    /// between is excluded.
    func excludes(_ path: UnsafeBufferPointer<UInt8>, isFolder: Bool) -> Bool {
        let nameStart = (path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
        let name = UnsafeBufferPointer(rebasing: path[nameStart...])
        var rules: IgnoreRules? = self
        // The rules further inside have the last word.
        while let current = rules {
            let start = current.folder.utf8.count
            if path.count > start {
                let relative = UnsafeBufferPointer(rebasing: path[start...])
                for pattern in current.patterns.reversed()
                where pattern.matches(relative, name: name, isFolder: isFolder) {
                    return !pattern.isNegated
                }
            }
            rules = current.around
        }
        return false
    }
}

/// A line of a `.gitignore` file.
struct IgnorePattern: Sendable {
    /// Includes again what a line before excludes.
    private(set) var isNegated = false
    private var matchesFoldersOnly = false
    /// Whether the pattern is compared with the path from the folder on, or with the name.
    private var isAnchored = false
    private var glob: [UInt8]
    /// Without a character that means something, which is the most common case.
    private var isLiteral: Bool

    /// - returns: nil for blank lines and comments.
    init?(line: ArraySlice<UInt8>) {
        var line = line
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        while line.last == UInt8(ascii: " ") {
            if line.dropLast().last == UInt8(ascii: "\\") { break }
            line.removeLast()
        }
        if line.first == UInt8(ascii: "#") { return nil }
        if line.first == UInt8(ascii: "!") {
            isNegated = true
            line.removeFirst()
        }
        if line.last == UInt8(ascii: "/") {
            matchesFoldersOnly = true
            line.removeLast()
        }
        if line.contains(UInt8(ascii: "/")) { isAnchored = true }
        if line.first == UInt8(ascii: "/") { line.removeFirst() }
        if line.isEmpty { return nil }
        glob = Array(line)
        isLiteral = !glob.contains { "*?[\\".utf8.contains($0) }
    }

    /// - parameter path: from the folder of the file on.
    /// - parameter name: the last part of the path.
    func matches(
        _ path: UnsafeBufferPointer<UInt8>, name: UnsafeBufferPointer<UInt8>, isFolder: Bool
    ) -> Bool {
        if matchesFoldersOnly, !isFolder { return false }
        let text = isAnchored ? path : name
        if isLiteral { return glob.count == text.count && glob.elementsEqual(text) }
        return glob.withUnsafeBufferPointer { Glob(pattern: $0, text: text).matches() }
    }
}
