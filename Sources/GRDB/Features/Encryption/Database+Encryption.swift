#if GRDB_ENCRYPTION

public import _GRDBSystem

extension Database {
    // MARK: - Keys

    /// Gives the connection the passphrase of its encrypted database file.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     try db.usePassphrase(loadPassphrase())
    /// }
    /// let dbPool = try DatabasePool(path: path, configuration: config)
    /// ```
    ///
    /// Call it at the start of ``Configuration/prepareDatabase(_:)``, before anything reads the file.
    /// A new file is encrypted from its first byte on. Databases in memory have no file, and ignore the
    /// passphrase.
    ///
    /// A wrong passphrase makes opening the database fail: see ``DatabaseError/encryptionFailure``. This can
    /// take seconds, because the passphrase is tried with all ciphers: 456,014 rounds of hashing in all, and
    /// the Argon2id of ``DatabaseCipher/aegis256``.
    ///
    /// - parameter passphrase: a string. See ``EncryptionKey/passphrase(_:)-(String)``.
    /// - parameter cipher: how the file is encrypted; in the files of SQLCipher 4 by default.
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the passphrase is empty, or if the
    ///   parameters of the cipher are invalid; of code `SQLITE_NOTADB` if the passphrase fits another
    ///   cipher.
    public func usePassphrase(
        _ passphrase: String, cipher: DatabaseCipher = .sqlcipher
    ) throws {
        try useKey(.passphrase(passphrase), cipher: cipher)
    }

    /// Gives the connection the passphrase of its encrypted database file, as `Data`.
    ///
    /// See ``usePassphrase(_:cipher:)-(String,_)``.
    ///
    /// - throws: a ``DatabaseError``, as ``usePassphrase(_:cipher:)-(String,_)``.
    public func usePassphrase(_ passphrase: Data, cipher: DatabaseCipher = .sqlcipher) throws {
        try useKey(.passphrase(passphrase), cipher: cipher)
    }

    /// Gives the connection the key of its encrypted database file.
    ///
    /// ```swift
    /// config.prepareDatabase { db in
    ///     try db.useKey(.raw(keyFromKeychain()))
    /// }
    /// ```
    ///
    /// See ``usePassphrase(_:cipher:)-(String,_)``.
    ///
    /// - throws: a ``DatabaseError``, as ``usePassphrase(_:cipher:)-(String,_)``.
    public func useKey(_ key: EncryptionKey, cipher: DatabaseCipher = .sqlcipher) throws {
        try checkAccess()
        try key.checkNotEmpty()
        try cipher.select(in: self, lasts: true)
        guard raw.isInFile(schema: "main"), !DatabasePath.isInMemory(path) else { return }
        try DatabaseError.convertingFailures { try raw.setKey(key.bytes, schema: "main") }
        try checkCipher(cipher, key: key)
        raw.forgetCipherSalt()
    }

    /// Throws if the key opens the file, but only with another cipher.
    private func checkCipher(_ cipher: DatabaseCipher, key: EncryptionKey) throws {
        let failure = raw.diagnosed(RawFailure(code: ResultCode.SQLITE_NOTADB.rawValue))
        guard failure.code == RawEncryptionCode.wrongKey, cipher.salt == nil else { return }
        for candidate in DatabaseCipher.known where candidate != cipher {
            try candidate.select(in: self, lasts: false)
            guard raw.opens(schema: "main", with: key.bytes) == true else { continue }
            throw DatabaseError(
                resultCode: EncryptionFailure.foreignCipher.resultCode,
                message: "main is encrypted by \(candidate.title), not by \(cipher.title)")
        }
        // As it was: the selections above were for one key each.
        try cipher.select(in: self, lasts: true)
    }

    /// Whether the file of the main database is encrypted, or will be once it is written.
    public var isEncrypted: Bool {
        preconditionAccess()
        return raw.hasKey(schema: "main")
    }

    /// The 16 bytes of the salt of the main database, nil if it is not encrypted.
    ///
    /// Keep it beside the key if the file has a readable header, because such files don't contain it:
    ///
    /// ```swift
    /// let salt = try dbQueue.read { db in db.encryptionSalt }
    /// ```
    ///
    /// The salt is not a secret.
    public var encryptionSalt: Data? {
        preconditionAccess()
        return raw.cipherSalt(schema: "main").map { Data($0) }
    }

    /// Makes SQLite clear all memory that it frees, in the whole process, which slows it down.
    ///
    /// The keys are always cleared. This is for the rest: pages, rows, texts of statements.
    ///
    /// Any thread may set it.
    public static func setCipherMemorySecurity(_ isOn: Bool) {
        RawConnection.setMemorySecurity(isOn)
    }

    // MARK: - Changing the key

    /// Encrypts the whole database file again, with another passphrase.
    ///
    /// ```swift
    /// try dbPool.barrierWriteWithoutTransaction { db in
    ///     try db.changePassphrase(newPassphrase)
    ///     dbPool.invalidateReadOnlyConnections()
    /// }
    /// ```
    ///
    /// The change is one transaction: after a crash, the file has the old passphrase or the new one.
    /// Connections that are open keep the old one, and fail. From now on, the functions of
    /// ``Configuration/prepareDatabase(_:)`` must give the new passphrase.
    ///
    /// In a transaction that has not written yet, such as that of `dbQueue.write`, the transaction is ended,
    /// the key changed, and a transaction of the same kind begun.
    ///
    /// - precondition: no other process uses the file.
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` in a transaction that has written, in a
    ///   savepoint, or if the database is not encrypted.
    public func changePassphrase(_ passphrase: String) throws {
        try changeKey(.passphrase(passphrase))
    }

    /// Encrypts the whole database file again, with another passphrase, given as `Data`.
    ///
    /// See ``changePassphrase(_:)-(String)``.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` in a transaction that has written, in a
    ///   savepoint, if the database is not encrypted, or if the passphrase is empty.
    public func changePassphrase(_ passphrase: Data) throws {
        try changeKey(.passphrase(passphrase))
    }

    /// Encrypts the whole database file again, with another key.
    ///
    /// See ``changePassphrase(_:)-(String)``. The cipher and the salt of the file stay the same: use
    /// ``exportEncrypted(to:key:cipher:)`` to change them.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` in a transaction that has written, in a
    ///   savepoint, if the database is not encrypted, or if the key is empty; of code `SQLITE_ERROR` if the
    ///   key contains another salt.
    public func changeKey(_ key: EncryptionKey) throws {
        try key.checkNotEmpty()
        try checkCanRekey()
        try rekey(key)
    }

    /// Decrypts the database file.
    ///
    /// See ``changePassphrase(_:)-(String)``: the same conditions apply.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` in a transaction that has written, in a
    ///   savepoint, if the database is not encrypted, or in WAL mode.
    public func removeEncryption() throws {
        try checkCanRekey()
        guard try String.fetchOne(self, sql: "PRAGMA main.journal_mode") != "wal" else {
            throw DatabaseError(misuse: "A database in WAL mode can't be decrypted: export it")
        }
        try rekey(nil)
    }

    private func checkCanRekey() throws {
        try checkAccess()
        guard raw.hasKey(schema: "main") else {
            throw DatabaseError(misuse: "The database is not encrypted")
        }
        guard !isReadOnly else {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY,
                message: "The key of a read-only database can't be changed")
        }
    }

    private func rekey(_ key: EncryptionKey?) throws {
        // Cursors would go on in pages that are written anew.
        raw.resetAllStatements()
        statementCache.removeAll()
        defer { clearSchemaCache() }
        try convertingFailures {
            try raw.pausingTransaction { () throws(RawFailure) in
                try raw.changeKey(key?.bytes, schema: "main")
                // Pages with the old key stay in the file until they are overwritten.
                _ = try? checkpointResult(.truncate)
            }
        }
    }

    // MARK: - Attached databases

    /// Attaches a database file that has its own key, or none.
    ///
    /// ```swift
    /// try db.attach("/path/to/archive.sqlite", as: "archive", key: .passphrase("other"))
    /// try db.attach("/path/to/plain.sqlite", as: "plain", key: nil)
    /// ```
    ///
    /// ``attach(_:as:)`` uses the key of the main database together with its salt: for new
    /// files, and for copies made by `VACUUM INTO`. Other files have another salt.
    ///
    /// - parameter path: the path of the file.
    /// - parameter schemaName: the name of the schema.
    /// - parameter key: the key, or nil for a file that is not encrypted.
    /// - parameter cipher: how the file is encrypted.
    /// - throws: a ``DatabaseError``. See ``DatabaseError/encryptionFailure``.
    public func attach(
        _ path: String, as schemaName: String, key: EncryptionKey?,
        cipher: DatabaseCipher = .sqlcipher
    ) throws {
        try checkAccess()
        try key?.checkNotEmpty()
        guard !path.utf8.contains(0), !schemaName.utf8.contains(0) else {
            throw DatabaseError(misuse: "The path or the name holds a NUL character")
        }
        if key != nil { try cipher.select(in: self, lasts: false) }
        defer { raw.forgetCipherSalt() }
        try DatabaseError.convertingFailures {
            try raw.attach(path, schema: schemaName, key: key?.bytes)
        }
        clearSchemaCache()
    }

    // MARK: - Copies

    /// Writes a copy of the database into a file, encrypted with a passphrase.
    ///
    /// ```swift
    /// // Encrypts a plain database.
    /// try plainQueue.writeWithoutTransaction { db in
    ///     try db.exportEncrypted(to: path, passphrase: passphrase)
    /// }
    /// ```
    ///
    /// The original may be encrypted or not. It stays as it is.
    ///
    /// - parameter path: a path where there is no file, or an empty one.
    /// - parameter passphrase: the passphrase of the copy.
    /// - parameter cipher: how the copy is encrypted.
    /// - throws: a ``DatabaseError``.
    public func exportEncrypted(
        to path: String, passphrase: String, cipher: DatabaseCipher = .sqlcipher
    ) throws {
        try exportEncrypted(to: path, key: .passphrase(passphrase), cipher: cipher)
    }

    /// Writes a copy of the database into a file, encrypted with a key.
    ///
    /// See ``exportEncrypted(to:passphrase:cipher:)``.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the key is empty.
    public func exportEncrypted(
        to path: String, key: EncryptionKey, cipher: DatabaseCipher = .sqlcipher
    ) throws {
        try checkAccess()
        try key.checkNotEmpty()
        try cipher.select(in: self, lasts: false)
        defer { raw.forgetCipherSalt() }
        try export(to: path, key: key, pageSize: cipher.pageSize)
    }

    /// Writes a copy of the database into a file that is not encrypted.
    ///
    /// - parameter path: a path where there is no file, or an empty one.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the path is no file: `""` or `":memory:"`.
    public func exportPlain(to path: String) throws {
        try export(to: path, key: nil, pageSize: 0)
    }

    private func export(to path: String, key: EncryptionKey?, pageSize: CInt) throws {
        try checkAccess()
        guard !isReadOnly else {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY, message: "A read-only access can't export a database")
        }
        guard !path.isEmpty, path != ":memory:" else {
            throw DatabaseError(misuse: "A database is exported to a file, not to \"\(path)\"")
        }
        if RawConnection.isPipe(path) {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: "The path refers to a named pipe: \(path)")
        }
        if RawConnection.hasContent(path) {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "output file already exists")
        }
        // Pages have the number of reserved bytes that the cipher needs, not the number of the original.
        let uri = try DatabasePath.checkedURI(path, [("reserve", "0")])
        do {
            try raw.vacuum(
                schema: "main", into: uri, key: key?.bytes, pageSize: pageSize)
        } catch {
            throw self.error(error.naming(path: path))
        }
    }
}
#endif
