import Foundation

/// Where the index is.
enum DatabaseLocation {
    /// The path of the option `--database`, or the default one.
    ///
    /// - parameter name: the name of the default file.
    /// - throws: a `CommandError` if there is no folder for caches.
    static func path(_ option: String?, default name: String = "index.sqlite") throws -> String {
        if let option {
            // As an absolute path, which neither `:memory:` nor a URI can be.
            return URL(fileURLWithPath: option).path
        }
        return try cacheFolder().appendingPathComponent("TextSearch").appendingPathComponent(name)
            .path
    }

    private static func cacheFolder() throws -> URL {
        #if !canImport(Darwin)
        // https://specifications.freedesktop.org/basedir-spec: relative paths are ignored.
        if let folder = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"],
            folder.hasPrefix("/")
        {
            return URL(fileURLWithPath: folder, isDirectory: true)
        }
        #endif
        guard
            let folder = FileManager.default
                .urls(for: .cachesDirectory, in: .userDomainMask).first
        else {
            throw CommandError(message: "there is no cache folder: use --database FILE")
        }
        return folder
    }
}
