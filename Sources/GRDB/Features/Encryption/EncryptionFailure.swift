#if GRDB_ENCRYPTION
/// The reason why a file can't be read that is encrypted, or should be. See
/// ``DatabaseError/encryptionFailure``.
public enum EncryptionFailure: Hashable, Sendable, CaseIterable {
    /// The file is encrypted, and the connection has no key. A file of random bytes looks the same.
    case missingKey

    /// The key is wrong; or the cipher is, which often looks the same. So is the key of a connection that was
    /// open when another connection changed the key.
    case wrongKey

    /// The connection has a key, but the file is not encrypted.
    case notEncrypted

    /// The key is right, but for another cipher than the one in use. The message names it.
    case foreignCipher

    /// The key is right, and a page was altered, moved, or cut off.
    case alteredPage

    /// The code of errors for this reason.
    ///
    /// Its primary code is `SQLITE_CORRUPT` for altered pages, and `SQLITE_NOTADB` otherwise.
    public var resultCode: ResultCode {
        let code =
            switch self {
            case .missingKey: RawEncryptionCode.missingKey
            case .wrongKey: RawEncryptionCode.wrongKey
            case .notEncrypted: RawEncryptionCode.notEncrypted
            case .foreignCipher: RawEncryptionCode.foreignCipher
            case .alteredPage: RawEncryptionCode.altered
            }
        return ResultCode(rawValue: code)
    }
}

extension DatabaseError {
    /// The reason, if the error was caused by the encryption of a file; otherwise nil.
    ///
    /// ```swift
    /// do {
    ///     dbQueue = try DatabaseQueue(path: path, configuration: config)
    /// } catch let error as DatabaseError where error.encryptionFailure == .wrongKey {
    ///     askForPassphraseAgain()
    /// }
    /// ```
    public var encryptionFailure: EncryptionFailure? {
        EncryptionFailure.allCases.first { $0.resultCode == extendedResultCode }
    }
}
#endif
