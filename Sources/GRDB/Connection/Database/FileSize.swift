#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Reads the sizes of files without opening them: closing a file would release all locks that SQLite
/// holds on it in this process.
enum FileSize {
    /// The size of the write-ahead log of a database, in bytes; 0 if there is none, or for a URI.
    static func ofWAL(_ path: String) -> Int {
        path.isEmpty || path.hasPrefix("file:") ? 0 : of(path + "-wal")
    }

    private static func of(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
