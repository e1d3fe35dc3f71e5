import GRDB
import _GRDBSystem

/// Reads and writes changesets in pieces.
enum ChangesetFile {
    private static let chunkSize = 65_536

    /// Writes a temporary file, and moves it to its destination when it is complete: a truncated
    /// changeset may look like a complete one.
    static func write(
        to url: URL, _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        let temporary = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
        guard let stream = OutputStream(url: temporary, append: false) else {
            throw CocoaError(.fileWriteUnknown)
        }
        stream.open()
        do {
            if stream.streamStatus == .error { throw error(of: stream) }
            do {
                defer { stream.close() }
                var buffer: [UInt8] = []
                try body { bytes in
                    buffer.append(contentsOf: bytes)
                    if buffer.count >= chunkSize {
                        try write(buffer, to: stream)
                        buffer.removeAll(keepingCapacity: true)
                    }
                }
                try write(buffer, to: stream)
            }
            guard renameFile(temporary.path, to: url.path) else {
                throw CocoaError(.fileWriteUnknown, userInfo: ["NSFilePath": url.path])
            }
        } catch {
            try? FileManager.default.removeItem(at: temporary)
            throw error
        }
    }

    private static func write(_ bytes: [UInt8], to stream: OutputStream) throws {
        try bytes.withUnsafeBufferPointer { bytes in
            var offset = 0
            while offset < bytes.count {
                let start = bytes.baseAddress!.advanced(by: offset)
                let count = stream.write(start, maxLength: bytes.count - offset)
                guard count > 0 else { throw error(of: stream) }
                offset += count
            }
        }
    }

    static func error(of stream: Stream) -> any Error {
        stream.streamError
            ?? CocoaError(stream is OutputStream ? .fileWriteUnknown : .fileReadUnknown)
    }

    /// Reads a whole file, and calls a closure with each change.
    static func scan(
        _ url: URL, _ onChange: (Changeset.Change) throws -> Void
    ) throws -> ChangesetScanner {
        try withoutActuallyEscaping(onChange) { try scan(url, calling: $0) }
    }

    /// Reads a whole file, and returns the scanner with the summaries of its tables.
    ///
    /// - throws: a `DatabaseError` of code `SQLITE_CORRUPT` if the file is not a changeset.
    static func scan(_ url: URL) throws -> ChangesetScanner {
        try scan(url, calling: nil)
    }

    private static func scan(
        _ url: URL, calling onChange: ((Changeset.Change) throws -> Void)?
    ) throws -> ChangesetScanner {
        let reader = try ChangesetFileReader(url)
        defer { reader.close() }
        reader.onChange = onChange
        var buffer = [UInt8](repeating: 0, count: chunkSize)
        try buffer.withUnsafeMutableBytes { while try reader.read($0) > 0 {} }
        return reader.scanner
    }
}

/// Reads a changeset from a file, and returns only bytes that a scanner has validated.
final class ChangesetFileReader {
    private let stream: InputStream
    private(set) var scanner = ChangesetScanner()

    /// Called with each change before its bytes are returned.
    var onChange: ((Changeset.Change) throws -> Void)?

    /// The bytes that were read. Those before `returnedEnd` were returned.
    private var buffer: [UInt8] = []

    /// The ends of the validated bytes and of the returned bytes, in the buffer.
    private var acceptedEnd = 0
    private var returnedEnd = 0

    /// The offset of the buffer in the file.
    private var position = 0
    private var isAtEnd = false

    init(_ url: URL) throws {
        guard let stream = InputStream(url: url) else {
            throw CocoaError(.fileReadUnknown, userInfo: ["NSFilePath": url.path])
        }
        self.stream = stream
        stream.open()
        if stream.streamStatus == .error { throw ChangesetFile.error(of: stream) }
    }

    deinit {
        stream.close()
    }

    func close() {
        stream.close()
    }

    /// Fills a buffer.
    ///
    /// - returns: the number of bytes; 0 at the end of the file.
    func read(_ target: UnsafeMutableRawBufferPointer) throws -> Int {
        while returnedEnd == acceptedEnd {
            if isAtEnd {
                guard acceptedEnd == buffer.count else {
                    throw ChangesetScanner.truncated(at: position + acceptedEnd)
                }
                return 0
            }
            try readMore()
            try accept()
        }
        let count = min(target.count, acceptedEnd - returnedEnd)
        buffer.withUnsafeBytes {
            target.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: $0[returnedEnd...].prefix(count)))
        }
        returnedEnd += count
        return count
    }

    private func readMore() throws {
        buffer.removeFirst(returnedEnd)
        position += returnedEnd
        acceptedEnd -= returnedEnd
        returnedEnd = 0
        // Double the buffer for large changes, rather than scanning them again after each small
        // piece.
        let count = max(65_536, buffer.count)
        let start = buffer.count
        buffer.append(contentsOf: [UInt8](repeating: 0, count: count))
        let read = buffer.withUnsafeMutableBufferPointer {
            stream.read($0.baseAddress!.advanced(by: start), maxLength: count)
        }
        buffer.removeLast(count - max(read, 0))
        if read < 0 { throw ChangesetFile.error(of: stream) }
        if read == 0 { isAtEnd = true }
    }

    private func accept() throws {
        try buffer.withUnsafeBytes { bytes in
            var start = acceptedEnd
            while let unit = try scanner.next(bytes, at: &acceptedEnd, position: position) {
                if case .change(let header, _) = unit, let onChange {
                    let data = Data(UnsafeRawBufferPointer(rebasing: bytes[start..<acceptedEnd]))
                    try onChange(Changeset.Change(header: header, bytes: data))
                }
                start = acceptedEnd
            }
        }
    }
}
