#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The sizes of files, which are not opened for it: closing one would free all locks that SQLite holds on
/// it in this process.
enum FileSize {
    /// The size of the write-ahead log of a database, in bytes; 0 if there is none.
    static func ofWAL(_ path: String) -> Int {
        path.isEmpty || path.hasPrefix("file:") ? 0 : of(path + "-wal")
    }

    private static func of(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
