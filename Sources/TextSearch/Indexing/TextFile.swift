import Foundation

/// The content of a file, if it is text.
enum TextFile {
    case text(String, FileStatus)
    /// Has a NUL byte, or many control characters.
    case binary
    case notUTF8
    case tooLarge

    /// SQLite can't hold much more in a value, and a reader of 256 MB is no reader of text.
    static let maximumSize = 256_000_000

    private static let chunkSize = 1 << 16

    /// Reads a file.
    ///
    /// The status is that of the moment before: if the file is written meanwhile, its date is
    /// later, and the file will be read again.
    ///
    /// - throws: a `FileProblem`.
    init(readingFrom path: String, maximumSize: Int = TextFile.maximumSize) throws {
        // Without O_NONBLOCK, a pipe that has replaced the file would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileProblem(errorNumber: errno) }
        defer { close(descriptor) }
        let status = try FileStatus(descriptor: descriptor)
        guard status.kind == .file else {
            throw FileProblem(message: "is no longer a plain file")
        }
        if status.size > maximumSize {
            self = .tooLarge
            return
        }

        var bytes: [UInt8] = []
        bytes.reserveCapacity(status.size + 1)
        while true {
            // In one go when the size is right, and one more byte, which finds the end.
            let wanted = bytes.isEmpty ? TextFile.chunkSize : max(status.size - bytes.count, 0) + 1
            let chunk = try [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                repeat {
                    count = read(descriptor, buffer.baseAddress, wanted)
                } while count < 0 && errno == EINTR
                if count < 0 {
                    count = 0
                    throw FileProblem(errorNumber: errno)
                }
            }
            if chunk.isEmpty { break }
            if TextFile.isBinary(chunk, isStart: bytes.isEmpty) {
                self = bytes.isEmpty && TextFile.isUTF16(chunk) ? .notUTF8 : .binary
                return
            }
            bytes += chunk
            if bytes.count > maximumSize {
                self = .tooLarge
                return
            }
        }
        guard let text = String(bytes: bytes, encoding: .utf8) else {
            self = .notUTF8
            return
        }
        // A byte order mark is no part of the text.
        let hasMark = text.unicodeScalars.first == "\u{feff}"
        self = .text(hasMark ? String(text.unicodeScalars.dropFirst()) : text, status)
    }

    private static func isBinary(_ bytes: [UInt8], isStart: Bool) -> Bool {
        if bytes.contains(0) { return true }
        guard isStart else { return false }
        // Short compressed files may do without a NUL.
        let controls = bytes.lazy.filter { byte in
            switch byte {
            // Not blanks, backspace (formatted manuals have it), form feed and escape.
            case 0x08...0x0d, 0x1b: false
            case 0..<0x20, 0x7f: true
            default: false
            }
        }
        let count = controls.count
        return count > 2 && count * 32 > bytes.count
    }

    private static func isUTF16(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
    }
}
