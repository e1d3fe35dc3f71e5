#if GRDB_ENCRYPTION
import CGRDBSQLite
import CGRDBSQLiteCiphers

/// The codes of failures that are caused by encryption: extended codes that SQLite does not use.
enum RawEncryptionCode {
    static let missingKey = SQLITE_NOTADB | 0x41 << 8
    static let wrongKey = SQLITE_NOTADB | 0x42 << 8
    static let notEncrypted = SQLITE_NOTADB | 0x43 << 8
    static let foreignCipher = SQLITE_NOTADB | 0x44 << 8
    static let altered = SQLITE_CORRUPT | 0x45 << 8
}

// Ciphers, keys and copies. The current thread must own the connection.

extension RawConnection {
    /// Selects the cipher of the next key.
    ///
    /// - parameter lasts: whether the cipher applies to all later keys.
    func selectCipher(
        _ name: String, parameters: [(name: String, value: CInt)], salt: [UInt8]?, lasts: Bool
    ) throws(RawFailure) {
        let handle = try openHandle()
        guard grdb_cipher_select(handle, name, lasts ? 1 : 0) != 0 else {
            throw RawFailure(code: SQLITE_MISUSE, message: "There is no cipher \(name)")
        }
        for (parameter, value) in parameters {
            guard grdb_cipher_set_parameter(handle, name, parameter, value, lasts ? 1 : 0) != 0
            else {
                throw RawFailure(
                    code: SQLITE_MISUSE,
                    message: "The cipher \(name) does not accept \(value) for \(parameter)")
            }
        }
        let code = grdb_cipher_set_salt(handle, salt)
        guard code == SQLITE_OK else { throw RawFailure(code: code) }
    }

    /// Makes later keys read their salts from their files.
    func forgetCipherSalt() {
        if let handle { _ = grdb_cipher_set_salt(handle, nil) }
    }

    /// Calls the closure with the bytes of a key, or with nil and 0.
    private static func withBytes(
        of key: SecretBytes?, _ body: (UnsafeRawPointer?, CInt) -> CInt
    ) -> CInt {
        key?.withUnsafeBytes { body($0.baseAddress, CInt($0.count)) } ?? body(nil, 0)
    }

    /// Adds the SQL function `sqlcipher_export`.
    func addExportFunction() throws(RawFailure) {
        try check(grdb_cipher_add_export(try openHandle()))
    }

    func setKey(_ key: SecretBytes, schema: String) throws(RawFailure) {
        let handle = try openHandle()
        try check(Self.withBytes(of: key) { grdb_cipher_key(handle, schema, $0, $1) })
    }

    /// - parameter key: nil to remove the encryption.
    func changeKey(_ key: SecretBytes?, schema: String) throws(RawFailure) {
        let handle = try openHandle()
        let code = Self.withBytes(of: key) { grdb_cipher_rekey(handle, schema, $0, $1) }
        guard code == SQLITE_OK else { throw diagnosed(failure(code)) }
    }

    /// Changes the key outside of the current transaction, which must not have written: it is ended, and begun
    /// again after the closure.
    func pausingTransaction(_ change: () throws(RawFailure) -> Void) throws(RawFailure) {
        let handle = try openHandle()
        var state: CInt = 0
        let code = grdb_cipher_pause_transaction(handle, &state)
        guard code == SQLITE_OK else {
            throw code == SQLITE_MISUSE
                ? RawFailure(
                    code: code,
                    message: """
                        The key can't be changed inside of a savepoint, or of a transaction that has written
                        """) : failure(code)
        }
        do throws(RawFailure) {
            try change()
        } catch {
            _ = grdb_cipher_resume_transaction(handle, state)
            throw error
        }
        try check(grdb_cipher_resume_transaction(handle, state))
    }

    /// - parameter key: nil for a plain file.
    func attach(_ path: String, schema: String, key: SecretBytes?) throws(RawFailure) {
        let handle = try openHandle()
        var isPlain: CInt = 0
        let code = Self.withBytes(of: key) {
            grdb_cipher_attach(handle, path, schema, $0, $1, &isPlain)
        }
        guard code != SQLITE_OK else { return }
        guard code & 0xff == SQLITE_NOTADB else { throw failure(code) }
        // SQLite has forgotten the schema, and with it the reason.
        if isPlain != 0 {
            throw RawFailure(
                code: RawEncryptionCode.notEncrypted,
                message: "A key is given for \(path), which is not encrypted")
        }
        throw key == nil
            ? RawFailure(
                code: RawEncryptionCode.missingKey,
                message: "\(path) is encrypted, or is not a database")
            : RawFailure(
                code: RawEncryptionCode.wrongKey,
                message: "The key or the cipher of \(path) is wrong")
    }

    /// Runs `VACUUM INTO`.
    ///
    /// - parameter key: the key of the copy; nil for a plain file.
    /// - parameter pageSize: the page size of the copy, or 0 for that of the original.
    func vacuum(
        schema: String, into uri: String, key: SecretBytes?, pageSize: CInt
    ) throws(RawFailure) {
        let handle = try openHandle()
        let code = Self.withBytes(of: key) {
            grdb_cipher_vacuum(handle, schema, uri, $0, $1, pageSize)
        }
        guard code == SQLITE_OK else {
            var failure = failure(code)
            if failure.message?.hasPrefix("unable to open database: ") == true {
                // The URI is ours. The path is added by the caller.
                failure.message = RawSQLite.errorString(code)
            }
            throw diagnosed(failure)
        }
    }

    /// Whether a key decrypts the file of a schema with the selected cipher; nil for an empty file.
    func opens(schema: String, with key: SecretBytes) -> Bool? {
        guard let handle else { return nil }
        let result = Self.withBytes(of: key) { grdb_cipher_opens(handle, schema, $0, $1) }
        return result < 0 ? nil : result != 0
    }

    func hasKey(schema: String) -> Bool {
        handle.map { grdb_cipher_has_key($0, schema) != 0 } ?? false
    }

    func cipherSalt(schema: String) -> [UInt8]? {
        guard let handle else { return nil }
        var salt = [UInt8](repeating: 0, count: 16)
        return grdb_cipher_get_salt(handle, schema, &salt) != 0 ? salt : nil
    }

    /// Whether a schema is stored in a file.
    func isInFile(schema: String) -> Bool {
        guard let name = handle.flatMap({ grdb_sqlite3_db_filename($0, schema) }) else {
            return false
        }
        return name.pointee != 0
    }

    static func setMemorySecurity(_ isOn: Bool) {
        grdb_cipher_secure_memory(isOn ? 1 : 0)
    }

    /// Returns the failure, with the reason if it is caused by the encryption of a file.
    func diagnosed(_ failure: RawFailure) -> RawFailure {
        let primary = failure.code & 0xff
        guard primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT, let handle else {
            return failure
        }
        var schema: UnsafePointer<CChar>?
        var page: UInt32 = 0
        let state = grdb_cipher_diagnose(handle, failure.code, &schema, &page)
        let name = schema.map { String(cString: $0) } ?? "main"
        var failure = failure
        switch state {
        case GRDB_CIPHER_MISSING_KEY:
            failure.code = RawEncryptionCode.missingKey
            failure.message = "\(name) is encrypted, and has no key, or is not a database"
        case GRDB_CIPHER_WRONG_KEY:
            failure.code = RawEncryptionCode.wrongKey
            failure.message = "The key or the cipher of \(name) is wrong"
        case GRDB_CIPHER_NOT_ENCRYPTED:
            failure.code = RawEncryptionCode.notEncrypted
            failure.message = "\(name) has a key, but its file is not encrypted"
        case GRDB_CIPHER_ALTERED:
            failure.code = RawEncryptionCode.altered
            failure.message = "Page \(page) of \(name) is altered, or cut off"
        default:
            break
        }
        return failure
    }
}
#endif
