#if GRDB_ENCRYPTION
import CGRDBSQLiteCiphers

/// Bytes that are overwritten when they are deallocated.
///
/// `@unchecked Sendable`: the bytes don't change between `init` and `deinit`.
final class SecretBytes: @unchecked Sendable {
    private let buffer: UnsafeMutableRawBufferPointer

    /// Creates the bytes.
    ///
    /// - parameter initialize: fills the buffer, which contains zeros.
    init(count: Int, _ initialize: (UnsafeMutableRawBufferPointer) -> Void) {
        buffer = .allocate(byteCount: count, alignment: 1)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        initialize(buffer)
    }

    deinit {
        if let start = buffer.baseAddress {
            grdb_cipher_wipe(start, buffer.count)
        }
        buffer.deallocate()
    }

    var count: Int { buffer.count }

    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(buffer))
    }
}
#endif
