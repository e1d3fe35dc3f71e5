import Foundation

/// Visits the files of a folder and of the folders inside.
///
/// Hidden folders are skipped, and what `.gitignore` files exclude. Symbolic links are not followed,
/// and only plain files are visited: a named pipe would wait for a writer.
///
/// Files are looked at by their names in the open folder, and no string is made of their paths: in an
/// unchanged checkout, nobody wants one.
struct FileWalker {
    /// Called with the path of a file, which is UTF-8 and valid during the call.
    typealias Visit = (_ path: UnsafeBufferPointer<UInt8>, _ status: FileStatus) -> Void

    /// How many files were visited.
    private(set) var fileCount = 0
    /// Folders that can't be listed, files that can't be looked at.
    private(set) var problems: [(path: String, message: String)] = []

    private let respectsIgnoreFiles: Bool

    /// A folder to list, and the rules of the folders around it.
    private struct Folder {
        var path: String
        var rules: IgnoreRules?
    }

    private enum Kind {
        case file, folder, other, unknown
    }

    /// What a folder has: names one after the other, each with a zero at its end.
    private struct Names {
        var bytes: [UInt8] = []
        var entries: [(range: Range<Int>, kind: Kind)] = []
    }

    /// - parameter respectsIgnoreFiles: whether to skip what `.gitignore` files exclude.
    /// - parameter isCancelled: asked for each folder, in order to stop early.
    /// - parameter visit: called with the files in the order of the bytes of their names, a folder at
    ///   a time.
    init(
        root: String, respectsIgnoreFiles: Bool = true, isCancelled: () -> Bool = { false },
        visit: Visit = { _, _ in }
    ) {
        self.respectsIgnoreFiles = respectsIgnoreFiles
        let rules = respectsIgnoreFiles ? IgnoreRules.ofFoldersAround(root) : nil
        // A stack, since folders may be nested deeper than calls can be.
        var folders = [Folder(path: root, rules: rules)]
        while let folder = folders.popLast(), !isCancelled() {
            do throws(FileProblem) {
                let subfolders = try list(folder, visit)
                folders += subfolders.reversed()
            } catch {
                problems.append((folder.path, error.message))
            }
        }
    }

    /// Visits the files of a folder, and returns the folders inside.
    private mutating func list(_ folder: Folder, _ visit: Visit) throws(FileProblem) -> [Folder] {
        guard let directory = opendir(folder.path) else {
            throw FileProblem(errorNumber: errno)
        }
        defer { closedir(directory) }
        let prefix = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
        let names = try FileWalker.names(in: directory)
        var rules = folder.rules
        if respectsIgnoreFiles,
            names.entries.contains(where: { names.bytes[$0.range].elementsEqual(".gitignore".utf8) }
            )
        {
            rules = IgnoreRules(file: prefix + ".gitignore", folder: prefix, around: rules) ?? rules
        }

        var subfolders: [Folder] = []
        var path = Array(prefix.utf8)
        let prefixCount = path.count
        for entry in names.entries {
            path.removeSubrange(prefixCount...)
            path += names.bytes[entry.range]
            do throws(FileProblem) {
                var kind = entry.kind
                var status: FileStatus?
                if kind == .file || kind == .unknown {
                    let found = try FileWalker.status(names, entry.range, in: dirfd(directory))
                    status = found
                    kind =
                        switch found.kind {
                        case .file: .file
                        case .folder: .folder
                        case .symbolicLink, .other: .other
                        }
                }
                let isFolder = kind == .folder
                if kind == .other || isFolder && path[prefixCount] == UInt8(ascii: ".") { continue }
                try path.withUnsafeBufferPointer { path throws(FileProblem) in
                    guard path.isUTF8 else { throw FileProblem(message: "its name is not UTF-8") }
                    if rules?.excludes(path, isFolder: isFolder) == true { return }
                    if isFolder {
                        let path = String(decoding: path, as: UTF8.self)
                        subfolders.append(Folder(path: path, rules: rules))
                    } else if let status {
                        fileCount += 1
                        visit(path, status)
                    }
                }
            } catch {
                if !error.isMissing {
                    problems.append((String(decoding: path, as: UTF8.self), error.message))
                }
            }
        }
        return subfolders
    }

    /// Looks at a file without following the path to its folder again.
    private static func status(
        _ names: Names, _ range: Range<Int>, in folder: Int32
    ) throws(FileProblem) -> FileStatus {
        try names.bytes.withUnsafeBufferPointer { bytes throws(FileProblem) in
            let name = UnsafeRawPointer(bytes.baseAddress! + range.lowerBound)
            return try FileStatus(name: name.assumingMemoryBound(to: CChar.self), in: folder)
        }
    }

    /// The names in a folder in the order of their bytes, and what the system says of them without
    /// looking at each.
    private static func names(in directory: OpaquePointer) throws(FileProblem) -> Names {
        var names = Names()
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                if errno != 0 { throw FileProblem(errorNumber: errno) }
                break
            }
            let kind: Kind =
                switch Int(entry.pointee.d_type) {
                case Int(DT_REG): .file
                case Int(DT_DIR): .folder
                case Int(DT_UNKNOWN): .unknown
                default: .other
                }
            withUnsafeBytes(of: &entry.pointee.d_name) { name in
                // Some names are longer than the declared array.
                let start = name.baseAddress!.assumingMemoryBound(to: UInt8.self)
                let count = strlen(name.baseAddress!.assumingMemoryBound(to: CChar.self))
                // This folder, and the one around.
                if start[0] == UInt8(ascii: "."),
                    count == 1 || count == 2 && start[1] == UInt8(ascii: ".")
                {
                    return
                }
                let index = names.bytes.count
                names.bytes += UnsafeBufferPointer(start: start, count: count + 1)
                names.entries.append((index..<index + count, kind))
            }
        }
        let bytes = names.bytes
        bytes.withUnsafeBufferPointer { bytes in
            names.entries.sort {
                UnsafeBufferPointer(rebasing: bytes[$0.range])
                    .compareBytes(with: UnsafeBufferPointer(rebasing: bytes[$1.range])) < 0
            }
        }
        return names
    }
}
