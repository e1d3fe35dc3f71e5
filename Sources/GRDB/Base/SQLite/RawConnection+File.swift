import CGRDBSQLite
import _GRDBSystem

/// The identity of a file, independent of its path.
package struct FileIdentity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

extension RawConnection {
    /// The file from which the main database was opened. Nil if the database has no file, or if the
    /// file was not opened by one of SQLite's Unix file systems.
    package var fileIdentity: FileIdentity? {
        var identity = FileIdentity(device: 0, inode: 0)
        guard let handle, grdb_file_identity(handle, &identity.device, &identity.inode) != 0 else {
            return nil
        }
        return identity
    }

    /// Whether a path refers to a pipe. Opening a pipe for reading would wait for a writing process.
    static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    #if GRDB_ENCRYPTION
    /// Whether there is a regular file with content at a path.
    static func hasContent(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }
    #endif

    #if !GRDB_ENCRYPTION
    /// Whether the size of the main database's file is a multiple of 512, as that of an encrypted file is.
    var mayBeEncrypted: Bool {
        guard let handle, let path = grdb_sqlite3_db_filename(handle, "main") else { return false }
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0 && status.st_size % 512 == 0
    }
    #endif

    /// Whether there is a database of temporary objects. SQLite creates it on first use.
    var hasTemporaryDatabase: Bool {
        handle.map { grdb_sqlite3_db_filename($0, "temp") != nil } ?? false
    }
}

extension RawFailure {
    /// The failure to open a database file or a file next to it, with the path and the reason.
    ///
    /// - parameter path: the path of the database.
    func naming(path: String) -> RawFailure {
        if code == SQLITE_READONLY | 6 << 8 {
            var failure = self
            failure.message = """
                \(message ?? ""): \(path) (its folder is read-only, but WAL mode creates files in it, even for \
                readers. Open a file that never changes with the URI parameter "immutable")
                """
            return failure
        }
        // Other messages contain a path, for example that of an attached database.
        guard code & 0xff == SQLITE_CANTOPEN, message == RawSQLite.errorString(SQLITE_CANTOPEN),
            !path.utf8.contains(0)
        else { return self }
        var failure = self
        failure.message = "\(message ?? ""): \(path)"
        if let reason = Self.reason(path) ?? Self.reason(systemError) {
            failure.message! += " (\(reason))"
        }
        return failure
    }

    /// The reason given by the system.
    private static func reason(_ systemError: CInt) -> String? {
        // Not all C libraries declare the pointer as optional.
        let text: UnsafeMutablePointer<CChar>? = systemError == 0 ? nil : strerror(systemError)
        return text.map { String(cString: $0) }
    }

    /// The reason found by examining the path.
    private static func reason(_ path: String) -> String? {
        if path.hasPrefix("file:") { return nil }
        func isDirectory(_ path: String) -> Bool? {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            return status.st_mode & S_IFMT == S_IFDIR
        }
        if isDirectory(path) == true { return "it is a folder" }
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let parent = slash == path.startIndex ? "/" : String(path[..<slash])
        return switch isDirectory(parent) {
        case nil: "there is no folder \(parent)"
        case false?: "\(parent) is no folder"
        case true?: nil
        }
    }
}
