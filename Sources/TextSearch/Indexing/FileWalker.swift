import Foundation

/// Lists the files of a folder and of the folders inside.
///
/// Hidden folders are skipped, symbolic links not followed, and only plain files are listed: a
/// named pipe would wait for a writer.
struct FileWalker {
    struct File {
        let path: String
        let status: FileStatus
    }

    /// In the order of their paths, a folder at a time.
    private(set) var files: [File] = []
    /// Folders that can't be listed, files that can't be looked at.
    private(set) var problems: [(path: String, message: String)] = []

    /// - parameter isCancelled: asked for each folder, in order to stop early.
    init(root: String, isCancelled: () -> Bool = { false }) {
        // A stack, since folders may be nested deeper than calls can be.
        var folders = [root]
        while let folder = folders.popLast(), !isCancelled() {
            do throws(FileProblem) {
                let subfolders = try list(folder)
                folders += subfolders.reversed()
            } catch {
                problems.append((folder, error.message))
            }
        }
    }

    /// Adds the files of a folder, and returns the folders inside.
    private mutating func list(_ folder: String) throws(FileProblem) -> [String] {
        guard let directory = opendir(folder) else {
            throw FileProblem(errorNumber: errno)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                if errno != 0 { throw FileProblem(errorNumber: errno) }
                break
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                // Some names are longer than the declared array.
                name.withMemoryRebound(to: CChar.self, capacity: 1) { pointer in
                    (decoded: String(cString: pointer), exact: String(validatingCString: pointer))
                }
            }
            if name.decoded == "." || name.decoded == ".." { continue }
            if let exact = name.exact {
                names.append(exact)
            } else {
                problems.append((join(folder, name.decoded), "its name is not UTF-8"))
            }
        }

        var subfolders: [String] = []
        for name in names.sorted() {
            let path = join(folder, name)
            do throws(FileProblem) {
                let status = try FileStatus(path: path)
                switch status.kind {
                case .file:
                    files.append(File(path: path, status: status))
                case .folder:
                    if name.utf8.first != UInt8(ascii: ".") { subfolders.append(path) }
                case .symbolicLink, .other:
                    break
                }
            } catch {
                if !error.isMissing { problems.append((path, error.message)) }
            }
        }
        return subfolders
    }

    private func join(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
}
