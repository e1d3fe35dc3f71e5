import Foundation

/// What the file system says of a file, without reading it.
struct FileStatus: Equatable {
    enum Kind {
        case file, folder, symbolicLink, other
    }

    var kind: Kind
    var size: Int
    /// The modification date, in nanoseconds since 1970: a `Date` would lose the last digits.
    var modified: Int64
    var device: Int64
    var serial: UInt64

    init(path: String, followsLinks: Bool = false) throws(FileProblem) {
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else {
            throw FileProblem(errorNumber: errno)
        }
        self.init(status)
    }

    /// Looks at a file of an open folder, and not at what a link leads to.
    init(name: UnsafePointer<CChar>, in folder: Int32) throws(FileProblem) {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw FileProblem(errorNumber: errno)
        }
        self.init(status)
    }

    init(descriptor: Int32) throws(FileProblem) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw FileProblem(errorNumber: errno)
        }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .symbolicLink
            default: .other
            }
        size = Int(status.st_size)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        device = Int64(truncatingIfNeeded: status.st_dev)
        serial = UInt64(truncatingIfNeeded: status.st_ino)
    }
}

/// Why a file or a folder can't be used.
struct FileProblem: Error {
    let message: String
    /// There is no such file.
    let isMissing: Bool

    init(errorNumber: Int32) {
        message = String(cString: strerror(errorNumber))
        isMissing = errorNumber == ENOENT || errorNumber == ENOTDIR
    }

    init(message: String) {
        self.message = message
        isMissing = false
    }
}

/// A path, compared byte by byte: strings of Swift are equal when they look the same, while two
/// files may differ in how an accent is encoded.
struct ExactPath: Hashable {
    let string: String

    static func == (lhs: ExactPath, rhs: ExactPath) -> Bool {
        var (lhs, rhs) = (lhs.string, rhs.string)
        return lhs.withUTF8 { lhs in rhs.withUTF8 { lhs.compareBytes(with: $0) == 0 } }
    }

    func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
