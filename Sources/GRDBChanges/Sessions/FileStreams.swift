#if !GRDB_FOUNDATION && canImport(FoundationEssentials)
import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

// The parts of Foundation's streams that this module uses. FoundationEssentials has no streams.

class Stream {
    enum Status {
        case open, error
    }

    private let path: String
    private let flags: CInt
    fileprivate var descriptor: CInt = -1
    private(set) var streamError: POSIXError?

    var streamStatus: Status { streamError == nil ? .open : .error }

    fileprivate init(_ url: URL, flags: CInt) {
        path = url.path
        self.flags = flags
    }

    deinit { close() }

    func open() {
        descriptor = CInt(check(Int(openFile(path, flags))))
    }

    func close() {
        if descriptor >= 0 { closeFile(descriptor) }
        descriptor = -1
    }

    /// Notes the error of a function of the C library.
    fileprivate func check(_ result: Int) -> Int {
        if result < 0 { streamError = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return result
    }
}

final class InputStream: Stream {
    init?(url: URL) { super.init(url, flags: O_RDONLY | O_CLOEXEC) }

    func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        check(readFile(descriptor, buffer, maxLength))
    }
}

final class OutputStream: Stream {
    init?(url: URL, append: Bool) {
        super.init(url, flags: O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)
    }

    func write(_ buffer: UnsafePointer<UInt8>, maxLength: Int) -> Int {
        check(writeFile(descriptor, buffer, maxLength))
    }
}

// Methods hide the functions of these names.

private func openFile(_ path: String, _ flags: CInt) -> CInt { open(path, flags, 0o666) }
private func closeFile(_ descriptor: CInt) { close(descriptor) }
private func readFile(_ descriptor: CInt, _ buffer: UnsafeMutablePointer<UInt8>, _ count: Int)
    -> Int
{
    read(descriptor, buffer, count)
}
private func writeFile(_ descriptor: CInt, _ buffer: UnsafePointer<UInt8>, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}

#endif
