#if GRDB_ENCRYPTION

import _GRDBSystem

extension DatabaseQueue {
    /// Converts a file of SQLCipher 1, 2 or 3, or of another cipher, to the given cipher.
    ///
    /// ```swift
    /// let key = EncryptionKey.passphrase(passphrase)
    /// try DatabaseQueue.migrateLegacy(path: path, key: key)
    /// let dbQueue = try DatabaseQueue(path: path, configuration: config)
    /// ```
    ///
    /// The content is written to a new file beside the old one, which then takes its place. Old and new
    /// file have the same key. A file that already has the cipher is left alone.
    ///
    /// - precondition: nothing else uses the file.
    /// - parameter path: the path of the file.
    /// - parameter key: the key.
    /// - parameter cipher: how the file will be encrypted.
    /// - returns: whether the file was written anew.
    /// - throws: a ``DatabaseError``. See ``DatabaseError/encryptionFailure``.
    @discardableResult
    public static func migrateLegacy(
        path: String, key: EncryptionKey, to cipher: DatabaseCipher = .sqlcipher
    ) throws -> Bool {
        func open(_ cipher: DatabaseCipher) throws -> DatabaseQueue {
            var configuration = Configuration()
            configuration.prepareDatabase { try $0.useKey(key, cipher: cipher) }
            return try DatabaseQueue(path: path, configuration: configuration)
        }
        guard FileManager.default.fileExists(atPath: path) else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: "There is no file at \(path)")
        }
        do {
            try open(cipher).close()
            return false
        } catch let error as DatabaseError
            where error.encryptionFailure == .foreignCipher
            || error.encryptionFailure == .wrongKey
        {
            for candidate in DatabaseCipher.known where candidate != cipher {
                let queue: DatabaseQueue
                do {
                    queue = try open(candidate)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
                    continue
                }
                try queue.replace(path: path, key: key, cipher: cipher)
                return true
            }
            throw error
        }
    }

    private func replace(path: String, key: EncryptionKey, cipher: DatabaseCipher) throws {
        let newPath = path + "-migration"
        // Of a migration that was interrupted.
        for suffix in ["", "-journal", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: newPath + suffix)
        }
        let mode = try inDatabase { db in
            // Everything is in the one file that is replaced, and nobody else has it open.
            let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode")
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode") == "delete" else {
                throw DatabaseError(
                    resultCode: .SQLITE_BUSY, message: "Another connection uses \(path)")
            }
            try db.exportEncrypted(to: newPath, key: key, cipher: cipher)
            return mode
        }
        try close()
        guard renameFile(newPath, to: path) else {
            throw CocoaError(.fileWriteUnknown, userInfo: ["NSFilePath": path])
        }
        guard mode == "wal" else { return }
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.useKey(key, cipher: cipher) }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.inDatabase { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = WAL") }
        try queue.close()
    }
}
#endif
