#if GRDB_ENCRYPTION
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct EncryptionFailureTests {
    @Test(arguments: [DatabaseCipher.sqlcipher, .chacha20, .ascon128])
    func wrongKeys(cipher: DatabaseCipher) throws {
        let path = try Encrypted.makeFile(Encrypted.rawKey(), cipher: cipher)
        let failure = Encrypted.failure {
            _ = try Encrypted.open(path, Encrypted.rawKey(8), cipher: cipher)
        }
        expectEqual(failure, .wrongKey)
        let pool = Encrypted.failure {
            _ = try DatabasePool(
                path: path,
                configuration: Encrypted.configuration(Encrypted.rawKey(8), cipher: cipher))
        }
        expectEqual(pool, .wrongKey)
        try expectEqual(
            Encrypted.contents(Encrypted.open(path, Encrypted.rawKey(), cipher: cipher)).count,
            20)
    }

    @Test func messagesSayWhatIsWrong() throws {
        let path = try Encrypted.makeFile(Encrypted.rawKey())
        expectError(
            """
            SQLite error 26: The key or the cipher of main is wrong \
            - while executing `SELECT * FROM sqlite_master LIMIT 1`
            """
        ) { try Encrypted.open(path, Encrypted.rawKey(8)) }
        expectError(
            """
            SQLite error 26: main is encrypted, and has no key, or is not a database \
            - while executing `SELECT * FROM sqlite_master LIMIT 1`
            """
        ) { try Encrypted.open(path, nil) }
        let plain = try Encrypted.makeFile(nil)
        expectError(
            """
            SQLite error 26: main has a key, but its file is not encrypted \
            - while executing `SELECT * FROM sqlite_master LIMIT 1`
            """
        ) { try Encrypted.open(plain, Encrypted.rawKey(8)) }
        expectError("SQLite error 26: main is encrypted by SQLCipher 4, not by chacha20") {
            try Encrypted.open(path, Encrypted.rawKey(), cipher: .chacha20)
        }
    }

    @Test(arguments: [
        DatabaseCipher.sqlcipher(version: 1), .sqlcipher(version: 2), .sqlcipher(version: 3),
        .chacha20, .ascon128, .aegis256,
    ])
    func foreignCiphers(cipher: DatabaseCipher) throws {
        let path = try Encrypted.makeFile(Encrypted.rawKey(), cipher: cipher)
        expectEqual(
            Encrypted.failure { _ = try Encrypted.open(path, Encrypted.rawKey()) },
            .foreignCipher)
    }

    @Test func garbageIsNoDatabase() throws {
        let path = TestDatabases.makePath()
        try Data(repeating: 0x41, count: 1000).write(to: URL(fileURLWithPath: path))
        for key in [nil, try Encrypted.rawKey()] {
            let error = expectError(DatabaseError.self) { try Encrypted.open(path, key) }
            expectEqual(error?.resultCode, .SQLITE_NOTADB)
        }
    }

    @Test func alteredPagesAreNamed() throws {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(key, rows: 100)
        let original = try Encrypted.bytes(path)
        for page in [1, 3] {
            var bytes = original
            bytes[(page - 1) * 4096 + 1000] ^= 1
            try bytes.write(to: URL(fileURLWithPath: path))
            do {
                let queue = try Encrypted.open(path, key)
                _ = try Encrypted.contents(queue)
                Issue.record("page \(page)")
            } catch let error as DatabaseError {
                expectEqual(error.encryptionFailure, .alteredPage)
                expectEqual(error.resultCode, .SQLITE_CORRUPT)
                expectEqual(error.message, "Page \(page) of main is altered, or cut off")
            }
        }
    }

    @Test func truncatedFiles() throws {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(key, rows: 100)
        let original = try Encrypted.bytes(path)
        for size in [original.count - 4096, original.count - 1, 3 * 4096, 4096, 4095, 600, 100, 1] {
            try original.prefix(size).write(to: URL(fileURLWithPath: path))
            expectError(DatabaseError.self, "\(size)") {
                let queue = try Encrypted.open(path, key)
                _ = try Encrypted.contents(queue)
            }
        }
    }
}

#endif
