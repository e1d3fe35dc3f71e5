#if GRDB_ENCRYPTION
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

/// Other keys, other ciphers, and none.
@Suite(.databases) struct EncryptionChangeTests {
    @Test(arguments: [DatabaseCipher.sqlcipher, .chacha20])
    func changedKeysReplaceTheOldOnes(cipher: DatabaseCipher) throws {
        let (old, new) = try (Encrypted.rawKey(), Encrypted.rawKey(8))
        let path = try Encrypted.makeFile(old, cipher: cipher)
        let queue = try Encrypted.open(path, old, cipher: cipher)
        try queue.inDatabase { try $0.changeKey(new) }
        try expectEqual(Encrypted.contents(queue).count, 20)
        try queue.close()
        expectEqual(
            Encrypted.failure { _ = try Encrypted.open(path, old, cipher: cipher) },
            .wrongKey)
        let reopened = try Encrypted.open(path, new, cipher: cipher)
        try expectEqual(Encrypted.contents(reopened), (1...20).map(Encrypted.content))
    }

    @Test func changedPassphrases() throws {
        let path = try Encrypted.makeFile(.passphrase("one"))
        let queue = try Encrypted.open(path, .passphrase("one"))
        try queue.inDatabase { try $0.changePassphrase("two") }
        try queue.inDatabase { try $0.changePassphrase(Data("three".utf8)) }
        try queue.close()
        try expectEqual(Encrypted.contents(Encrypted.open(path, .passphrase("three"))).count, 20)
        expectEqual(
            Encrypted.failure { _ = try Encrypted.open(path, .passphrase("two")) }, .wrongKey)
    }

    @Test func poolsChangeTheirKey() throws {
        let (old, new) = try (Encrypted.rawKey(), Encrypted.rawKey(8))
        let path = TestDatabases.makePath()
        let current = Locked(old)
        var configuration = TestDatabases.makePlainConfiguration()
        configuration.prepareDatabase { try $0.useKey(current.withLock { $0 }) }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { try Encrypted.fill($0) }
        try expectEqual(Encrypted.contents(pool).count, 20)
        try pool.barrierWriteWithoutTransaction { db in
            try db.changeKey(new)
            current.withLock { $0 = new }
            pool.invalidateReadOnlyConnections()
        }
        try expectEqual(Encrypted.contents(pool).count, 20)
        try pool.write { try $0.execute(sql: "DELETE FROM t WHERE id > 10") }
        try expectEqual(Encrypted.contents(pool).count, 10)
        try pool.close()
        try expectEqual(Encrypted.contents(Encrypted.open(path, new)).count, 10)
        expectEqual(Encrypted.failure { _ = try Encrypted.open(path, old) }, .wrongKey)
    }

    /// After a crash in the middle of the change, the old key is needed to roll back, with its salt.
    @Test(arguments: [DatabaseCipher.sqlcipher, .chacha20, .ascon128], ["delete", "wal"])
    func newKeysKeepTheSalt(cipher: DatabaseCipher, mode: String) throws {
        let path = TestDatabases.makePath()
        let queue = try Encrypted.open(path, .passphrase("one"), cipher: cipher)
        try queue.inDatabase { db in
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)")
            try Encrypted.fill(db)
        }
        let salt = try unwrap(queue.read { $0.encryptionSalt })
        try queue.inDatabase { try $0.changePassphrase("two") }
        try expectEqual(queue.read { $0.encryptionSalt }, salt)
        try queue.close()
        try expectEqual(Encrypted.bytes(path).prefix(16), salt)
        let reopened = try Encrypted.open(path, .passphrase("two"), cipher: cipher)
        try expectEqual(Encrypted.contents(reopened).count, 20)
    }

    @Test func keysWithAnotherSaltAreExported() throws {
        let path = try Encrypted.makeFile(Encrypted.rawKey())
        let queue = try Encrypted.open(path, Encrypted.rawKey())
        let salt = try unwrap(queue.read { $0.encryptionSalt })
        let key = Data(repeating: 8, count: 32)
        let other = try EncryptionKey.raw(key, salt: Data(repeating: 1, count: 16))
        queue.inDatabase { db in
            expectError(
                """
                SQLite error 1: Rekeying failed. The new key contains another salt than the file.
                """
            ) { try db.changeKey(other) }
        }
        try expectEqual(Encrypted.contents(queue).count, 20)
        try queue.write { try $0.execute(sql: "DELETE FROM t WHERE id > 10") }
        try queue.inDatabase { try $0.changeKey(.raw(key, salt: salt)) }
        try queue.close()
        try expectEqual(Encrypted.contents(Encrypted.open(path, .raw(key))).count, 10)
    }

    @Test(arguments: ["delete", "wal"])
    func readableHeadersKeepTheirSalt(mode: String) throws {
        let salt = Data((1...16).map { UInt8($0) })
        let cipher = DatabaseCipher.sqlcipher(plaintextHeaderSize: 32, salt: salt)
        let path = TestDatabases.makePath()
        let queue = try Encrypted.open(path, .passphrase("one"), cipher: cipher)
        try queue.inDatabase { db in
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)")
            try Encrypted.fill(db)
            try db.changePassphrase("two")
        }
        try expectEqual(queue.read { $0.encryptionSalt }, salt)
        try queue.close()
        try expectEqual(Encrypted.bytes(path).prefix(6), Data("SQLite".utf8))
        let reopened = try Encrypted.open(path, .passphrase("two"), cipher: cipher)
        try expectEqual(Encrypted.contents(reopened).count, 20)
    }

    @Test func keysCannotAlwaysBeChanged() throws {
        let key = try Encrypted.rawKey()
        let plain = try Encrypted.open(Encrypted.makeFile(nil), nil)
        plain.inDatabase { db in
            expectError("SQLite error 21: The database is not encrypted") { try db.changeKey(key) }
            expectError("SQLite error 21: The database is not encrypted") {
                try db.removeEncryption()
            }
        }
        let queue = try Encrypted.open(Encrypted.makeFile(key), key)
        try queue.write { db in
            try db.execute(sql: "DELETE FROM t WHERE id = 1")
            expectError(
                """
                SQLite error 21: The key can't be changed inside of a savepoint, or of a transaction that has \
                written
                """
            ) { try db.changeKey(key) }
        }
        try queue.inDatabase { db in
            expectError("SQLite error 21: The passphrase is empty") { try db.changePassphrase("") }
            try db.readOnly {
                expectError("SQLite error 8: The key of a read-only database can't be changed") {
                    try db.changeKey(key)
                }
                expectError("SQLite error 8: A read-only access can't export a database") {
                    try db.exportPlain(to: TestDatabases.makePath())
                }
            }
        }
        let pool = try DatabasePool(
            path: TestDatabases.makePath(), configuration: Encrypted.configuration(key))
        pool.writeWithoutTransaction { db in
            expectError("SQLite error 21: A database in WAL mode can't be decrypted: export it") {
                try db.removeEncryption()
            }
        }
    }

    @Test func encryptionIsRemoved() throws {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(key)
        let queue = try Encrypted.open(path, key)
        try queue.inDatabase { try $0.removeEncryption() }
        try expectTrue(queue.read { $0.isEncrypted } == false)
        try expectEqual(Encrypted.contents(queue).count, 20)
        try queue.close()
        try expectTrue(Encrypted.showsMarker(path))
        try expectEqual(Encrypted.contents(Encrypted.open(path, nil)).count, 20)
    }

    @Test(arguments: DatabaseEncryptionTests.ciphers)
    func copiesHaveAnyCipher(cipher: DatabaseCipher) throws {
        let (old, new) = try (Encrypted.rawKey(), Encrypted.rawKey(8))
        for source in [nil, old] {
            let queue = try Encrypted.open(Encrypted.makeFile(source), source)
            let (encrypted, plain) = (TestDatabases.makePath(), TestDatabases.makePath())
            try queue.inDatabase { db in
                try db.execute(sql: "PRAGMA user_version = 42")
                try db.exportEncrypted(to: encrypted, key: new, cipher: cipher)
                try db.exportPlain(to: plain)
            }
            try expectEqual(Encrypted.contents(queue).count, 20)
            try expectTrue(!Encrypted.showsMarker(encrypted))
            try expectTrue(Encrypted.showsMarker(plain))
            let copy = try Encrypted.open(encrypted, new, cipher: cipher)
            try expectEqual(Encrypted.contents(copy), (1...20).map(Encrypted.content))
            try expectEqual(copy.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }, 42)
            #expect(try Encrypted.bytes(plain)[20] == 0, "reserved bytes")
            try expectEqual(Encrypted.contents(Encrypted.open(plain, nil)).count, 20)

            // And back, from this cipher to the plain file and to SQLCipher 4.
            let (back, backPlain) = (TestDatabases.makePath(), TestDatabases.makePath())
            try copy.inDatabase { db in
                try db.exportEncrypted(to: back, key: old)
                try db.exportPlain(to: backPlain)
            }
            try expectEqual(Encrypted.contents(Encrypted.open(back, old)).count, 20)
            try expectEqual(Encrypted.contents(Encrypted.open(backPlain, nil)).count, 20)
        }
    }

    @Test func copiesDoNotReplaceFiles() throws {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(nil)
        let queue = try Encrypted.open(Encrypted.makeFile(key), key)
        queue.inDatabase { db in
            expectError("SQLite error 1: output file already exists") {
                try db.exportPlain(to: path)
            }
            expectError("SQLite error 1: output file already exists") {
                try db.exportEncrypted(to: path, key: key)
            }
        }
        try expectEqual(Encrypted.contents(queue).count, 20)
    }

    @Test(
        arguments: [
            DatabaseCipher.sqlcipher(version: 1), .sqlcipher(version: 2), .sqlcipher(version: 3),
            .chacha20,
        ], ["delete", "wal"])
    func legacyFilesAreMigrated(cipher: DatabaseCipher, mode: String) throws {
        let key = EncryptionKey.passphrase("secret")
        let path = try Encrypted.makeFile(key, cipher: cipher)
        let queue = try Encrypted.open(path, key, cipher: cipher)
        try queue.inDatabase { db in
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)")
            try db.execute(sql: "DELETE FROM t WHERE id > 15")
        }
        try queue.close()
        try expectTrue(DatabaseQueue.migrateLegacy(path: path, key: key))
        try expectTrue(!DatabaseQueue.migrateLegacy(path: path, key: key))
        let migrated = try Encrypted.open(path, key)
        try expectEqual(Encrypted.contents(migrated).count, 15)
        try expectEqual(migrated.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }, mode)
        try expectEqual(migrated.read { try Int.fetchOne($0, sql: "PRAGMA page_size") }, 4096)
        expectTrue(!FileManager.default.fileExists(atPath: path + "-migration"))
    }

    @Test func wrongKeysMigrateNothing() throws {
        let path = try Encrypted.makeFile(.passphrase("secret"), cipher: .sqlcipher(version: 3))
        let bytes = try Encrypted.bytes(path)
        let failure = Encrypted.failure {
            try DatabaseQueue.migrateLegacy(path: path, key: .passphrase("other"))
        }
        expectEqual(failure, .wrongKey)
        try expectEqual(Encrypted.bytes(path), bytes)
        expectError(DatabaseError.self) {
            try DatabaseQueue.migrateLegacy(
                path: TestDatabases.makePath(), key: .passphrase("other"))
        }
    }
}
#endif
