import Foundation

/// How paths are shown: relative to the current folder if they are inside of it.
enum DisplayPath {
    static let currentFolder: String = {
        // The index has paths without symbolic links.
        guard let path = realpath(".", nil) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }()

    static func text(_ path: String) -> String {
        TextFormat.printable(relative(path, to: currentFolder))
    }

    static func relative(_ path: String, to folder: String) -> String {
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        guard prefix != "/", path.utf8.starts(with: prefix.utf8) else { return path }
        return String(Substring(path.utf8.dropFirst(prefix.utf8.count)))
    }
}
