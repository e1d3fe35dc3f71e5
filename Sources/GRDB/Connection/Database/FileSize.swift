import _GRDBSystem

/// Moves a file, replacing another one.
package func renameFile(_ path: String, to newPath: String) -> Bool {
    rename(path, newPath) == 0
}

/// Reads the sizes of files without opening them: closing a file would release all locks that SQLite
/// holds on it in this process.
package enum FileSize {
    /// The size of the write-ahead log of a database, in bytes; 0 if there is none.
    ///
    /// - parameter path: the path or URI of the database.
    package static func ofWAL(_ path: String) -> Int {
        DatabasePath.filePath(path).map { of($0 + "-wal") } ?? 0
    }

    /// The size of a file, in bytes; 0 if there is none.
    package static func of(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
