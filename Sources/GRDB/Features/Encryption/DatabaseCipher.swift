#if GRDB_ENCRYPTION

public import _GRDBSystem

/// How the pages of a database are encrypted.
///
/// ```swift
/// try db.useKey(key, cipher: .chacha20)
/// ```
///
/// All ciphers authenticate each page: an altered page gives an error, and no content. The exception is
/// version 1 of SQLCipher, which is for reading old files.
///
/// Related documentation: <https://utelle.github.io/SQLite3MultipleCiphers/docs/ciphers/cipher_overview/>
public struct DatabaseCipher: Hashable, Sendable {
    struct Parameter: Hashable, Sendable {
        var name: String
        var value: Int
    }

    /// The name of the cipher in pragmas.
    let name: String
    var parameters: [Parameter]
    var salt: Data?

    /// The files of SQLCipher 4: AES-256 in CBC mode, with HMAC-SHA512.
    public static var sqlcipher: DatabaseCipher { sqlcipher(version: 4) }

    /// The files of SQLCipher.
    ///
    /// - parameter version: 4; 3, 2 and 1 for old files. See
    ///   ``DatabaseQueue/migrateLegacy(path:key:to:)``.
    /// - parameter iterations: how often a passphrase is hashed, if it is not the number of the
    ///   version: 256,000 for version 4.
    /// - parameter pageSize: the size of pages, if it is not the one of the version: 4096 for
    ///   version 4.
    /// - parameter plaintextHeaderSize: how many bytes at the start of the file are readable: 32, so
    ///   that iOS recognizes a database in the container of an app group, or 0. Version 4 only.
    /// - parameter salt: the 16 bytes of the salt, when they are not in the file. See
    ///   ``Database/encryptionSalt``. Files with a readable header don't contain their salt.
    public static func sqlcipher(
        version: Int = 4, iterations: Int? = nil, pageSize: Int? = nil,
        plaintextHeaderSize: Int = 0, salt: Data? = nil
    ) -> DatabaseCipher {
        var cipher = DatabaseCipher(
            name: "sqlcipher",
            parameters: [
                Parameter(name: "legacy", value: version),
                Parameter(name: "plaintext_header_size", value: plaintextHeaderSize),
            ], salt: salt)
        cipher.set("kdf_iter", iterations)
        cipher.set("legacy_page_size", pageSize)
        return cipher
    }

    /// ChaCha20 with Poly1305, the fastest cipher where the processor has no instructions for AES.
    public static var chacha20: DatabaseCipher { chacha20(iterations: nil) }

    /// ChaCha20 with Poly1305.
    ///
    /// - parameter iterations: how often a passphrase is hashed; 64,007 times when nil.
    public static func chacha20(iterations: Int?) -> DatabaseCipher {
        var cipher = DatabaseCipher(name: "chacha20", parameters: [])
        cipher.set("kdf_iter", iterations)
        return cipher
    }

    /// Ascon-128.
    public static var ascon128: DatabaseCipher {
        DatabaseCipher(name: "ascon128", parameters: [])
    }

    /// AEGIS-256, with keys derived by Argon2id, which takes much memory.
    public static var aegis256: DatabaseCipher { DatabaseCipher(name: "aegis", parameters: []) }

    private mutating func set(_ name: String, _ value: Int?) {
        if let value { parameters.append(Parameter(name: name, value: value)) }
    }

    private var plaintextHeaderSize: Int {
        parameters.first { $0.name == "plaintext_header_size" }?.value ?? 0
    }

    /// The size that pages must have, or 0 for any size.
    var pageSize: CInt {
        guard name == "sqlcipher" else { return 0 }
        if let size = parameters.last(where: { $0.name == "legacy_page_size" })?.value {
            return CInt(clamping: size)
        }
        return parameters.contains(Parameter(name: "legacy", value: 4)) ? 4096 : 1024
    }

    /// What errors call the cipher.
    var title: String {
        name == "sqlcipher" ? "SQLCipher \(parameters[0].value)" : name
    }

    /// The ciphers that a file may be encrypted with, with their usual parameters.
    static var known: [DatabaseCipher] {
        [4, 3, 2, 1].map { sqlcipher(version: $0) } + [chacha20, ascon128, aegis256]
    }

    /// Selects the cipher for the next key.
    func select(in db: Database, lasts: Bool) throws {
        if let salt, salt.count != 16 {
            throw DatabaseError(misuse: "A salt has 16 bytes, not \(salt.count)")
        }
        // SQLCipher encrypts blocks of 16 bytes.
        guard plaintextHeaderSize % 16 == 0 else {
            throw DatabaseError(misuse: "The size of a readable header is a multiple of 16")
        }
        let values = try parameters.map { parameter in
            guard let value = CInt(exactly: parameter.value), value >= 0 else {
                throw DatabaseError(
                    misuse: "The cipher \(name) does not accept \(parameter.value) for "
                        + parameter.name)
            }
            return (name: parameter.name, value: value)
        }
        if name == "sqlcipher", !(1...4).contains(parameters[0].value) {
            throw DatabaseError(
                misuse: "SQLCipher has the versions 1 to 4, not \(parameters[0].value)")
        }
        try DatabaseError.convertingFailures {
            try db.raw.selectCipher(
                name, parameters: values, salt: salt.map { Array($0) }, lasts: lasts)
        }
    }
}
#endif
