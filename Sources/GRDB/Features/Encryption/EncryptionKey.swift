#if GRDB_ENCRYPTION

public import _GRDBSystem

/// The key of an encrypted database: a passphrase, or the bytes of the key.
///
/// ```swift
/// var config = Configuration()
/// config.prepareDatabase { db in
///     try db.useKey(.raw(keyFromKeychain()))
/// }
/// ```
///
/// A passphrase becomes a key by a derivation that takes a tenth of a second per connection, on
/// purpose. Bytes from a random number generator need no derivation.
///
/// The bytes of a key are overwritten when the last copy of it goes away. Descriptions and mirrors
/// don't show them.
public struct EncryptionKey: Sendable {
    let bytes: SecretBytes

    /// A key that is derived from a passphrase.
    ///
    /// As in SQLCipher, `x'…'` with 64 or 96 hexadecimal digits is no passphrase, but the bytes of a
    /// key.
    ///
    /// - parameter passphrase: a string, of which the UTF-8 bytes are used.
    public static func passphrase(_ passphrase: String) -> EncryptionKey {
        var passphrase = passphrase
        return passphrase.withUTF8 { utf8 in
            EncryptionKey(copying: UnsafeRawBufferPointer(utf8))
        }
    }

    /// A key that is derived from the bytes of a passphrase.
    public static func passphrase(_ passphrase: Data) -> EncryptionKey {
        passphrase.withUnsafeBytes { EncryptionKey(copying: $0) }
    }

    /// A key of random bytes, which is used as it is.
    ///
    /// - parameter key: 32 bytes.
    /// - parameter salt: 16 bytes, if the salt is not taken from the file.
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the number of bytes is another one.
    public static func raw(_ key: Data, salt: Data? = nil) throws -> EncryptionKey {
        guard key.count == 32, salt == nil || salt?.count == 16 else {
            throw DatabaseError(
                misuse: """
                    A key has 32 bytes, not \(key.count)\
                    \(salt.map { ", and its salt 16, not \($0.count)" } ?? "")
                    """)
        }
        // x'…', as SQLCipher writes keys.
        return EncryptionKey(
            bytes: SecretBytes(count: 3 + 2 * (key.count + (salt?.count ?? 0))) { buffer in
                buffer[0] = UInt8(ascii: "x")
                buffer[1] = UInt8(ascii: "'")
                var index = 2
                for data in [key, salt].compactMap({ $0 }) {
                    data.withUnsafeBytes { index = Self.writeHex($0, to: buffer, at: index) }
                }
                buffer[index] = UInt8(ascii: "'")
            })
    }

    private init(bytes: SecretBytes) {
        self.bytes = bytes
    }

    private init(copying source: UnsafeRawBufferPointer) {
        bytes = SecretBytes(count: source.count) { $0.copyMemory(from: source) }
    }

    /// Writes hexadecimal digits, and returns the index after them.
    static func writeHex(
        _ bytes: UnsafeRawBufferPointer, to buffer: UnsafeMutableRawBufferPointer, at start: Int
    ) -> Int {
        func digit(_ value: UInt8) -> UInt8 {
            value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        }
        var index = start
        for byte in bytes {
            buffer[index] = digit(byte >> 4)
            buffer[index + 1] = digit(byte & 15)
            index += 2
        }
        return index
    }

    /// Throws if there are no bytes: SQLite would not encrypt.
    func checkNotEmpty() throws {
        guard bytes.count > 0 else {
            throw DatabaseError(misuse: "The passphrase is empty")
        }
    }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description that hides the key.
    public var description: String { "EncryptionKey(…)" }

    /// A description that hides the key.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
