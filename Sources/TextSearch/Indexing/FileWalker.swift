import Foundation

/// Lists the files of a folder and of the folders inside.
///
/// Hidden folders are skipped, and what `.gitignore` files exclude. Symbolic links are not followed,
/// and only plain files are listed: a named pipe would wait for a writer.
struct FileWalker {
    struct File {
        let path: String
        let status: FileStatus
    }

    /// In the order of their names, a folder at a time.
    private(set) var files: [File] = []
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

    /// - parameter respectsIgnoreFiles: whether to skip what `.gitignore` files exclude.
    /// - parameter isCancelled: asked for each folder, in order to stop early.
    init(
        root: String, respectsIgnoreFiles: Bool = true, isCancelled: () -> Bool = { false }
    ) {
        self.respectsIgnoreFiles = respectsIgnoreFiles
        let rules = respectsIgnoreFiles ? IgnoreRules.ofFoldersAround(root) : nil
        // A stack, since folders may be nested deeper than calls can be.
        var folders = [Folder(path: root, rules: rules)]
        while let folder = folders.popLast(), !isCancelled() {
            do throws(FileProblem) {
                let subfolders = try list(folder)
                folders += subfolders.reversed()
            } catch {
                problems.append((folder.path, error.message))
            }
        }
    }

    /// Adds the files of a folder, and returns the folders inside.
    private mutating func list(_ folder: Folder) throws(FileProblem) -> [Folder] {
        guard let directory = opendir(folder.path) else {
            throw FileProblem(errorNumber: errno)
        }
        defer { closedir(directory) }
        let prefix = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
        let entries = try entries(of: directory, prefix: prefix).sorted { $0.name < $1.name }
        var rules = folder.rules
        if respectsIgnoreFiles, entries.contains(where: { $0.name == ".gitignore" }) {
            rules = IgnoreRules(file: prefix + ".gitignore", folder: prefix, around: rules) ?? rules
        }

        var subfolders: [Folder] = []
        for entry in entries {
            let path = prefix + entry.name
            do throws(FileProblem) {
                var kind = entry.kind
                var status: FileStatus?
                if kind == .file || kind == .unknown {
                    let found = try FileStatus(name: entry.name, in: dirfd(directory))
                    status = found
                    kind =
                        switch found.kind {
                        case .file: .file
                        case .folder: .folder
                        case .symbolicLink, .other: .other
                        }
                }
                let isFolder = kind == .folder
                if kind == .other || isFolder && entry.name.utf8.first == UInt8(ascii: ".")
                    || rules?.excludes(path, isFolder: isFolder) == true
                {
                    continue
                }
                if isFolder {
                    subfolders.append(Folder(path: path, rules: rules))
                } else if let status {
                    files.append(File(path: path, status: status))
                }
            } catch {
                if !error.isMissing { problems.append((path, error.message)) }
            }
        }
        return subfolders
    }

    /// The names in a folder, and what the system says of them without looking at each.
    private mutating func entries(
        of directory: OpaquePointer, prefix: String
    ) throws(FileProblem) -> [(name: String, kind: Kind)] {
        var entries: [(name: String, kind: Kind)] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                if errno != 0 { throw FileProblem(errorNumber: errno) }
                return entries
            }
            let kind: Kind =
                switch Int(entry.pointee.d_type) {
                case Int(DT_REG): .file
                case Int(DT_DIR): .folder
                case Int(DT_UNKNOWN): .unknown
                default: .other
                }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                // Some names are longer than the declared array.
                name.withMemoryRebound(to: CChar.self, capacity: 1) { pointer in
                    String(validatingCString: pointer)
                        ?? {
                            problems.append(
                                (prefix + String(cString: pointer), "its name is not UTF-8"))
                            return nil
                        }()
                }
            }
            guard let name, name != ".", name != ".." else { continue }
            entries.append((name, kind))
        }
    }
}
