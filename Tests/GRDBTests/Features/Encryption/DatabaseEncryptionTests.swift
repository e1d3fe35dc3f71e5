#if GRDB_ENCRYPTION
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

/// Databases with keys, in queues, pools and all else that opens files.
@Suite(.databases) struct DatabaseEncryptionTests {
    static let ciphers: [DatabaseCipher] = [
        .sqlcipher, .sqlcipher(version: 3), .sqlcipher(version: 2), .sqlcipher(pageSize: 1024),
        .chacha20, .ascon128, .aegis256,
    ]

    @Test(arguments: ciphers)
    func everyCipherReadsWhatItHasWritten(cipher: DatabaseCipher) throws {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(key, cipher: cipher)
        try expectTrue(!Encrypted.showsMarker(path))
        let queue = try Encrypted.open(path, key, cipher: cipher)
        try expectEqual(Encrypted.contents(queue), (1...20).map(Encrypted.content))
        try expectTrue(queue.read { $0.isEncrypted })
        try expectEqual(queue.read { $0.encryptionSalt?.count }, 16)
    }

    @Test func passphrasesAreTextsAndData() throws {
        var configuration = TestDatabases.makePlainConfiguration()
        configuration.prepareDatabase { try $0.usePassphrase("sécret") }
        let path = TestDatabases.makePath()
        var queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try Encrypted.fill($0, rows: 1) }
        try queue.close()

        configuration = TestDatabases.makePlainConfiguration()
        configuration.prepareDatabase { try $0.usePassphrase(Data("sécret".utf8)) }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try expectEqual(Encrypted.contents(queue).count, 1)
    }

    @Test func poolsReadAndWriteWithTheKey() async throws {
        let path = TestDatabases.makePath()
        let key = try Encrypted.rawKey()
        let pool = try DatabasePool(path: path, configuration: Encrypted.configuration(key))
        try await pool.write { try Encrypted.fill($0) }
        try expectEqual(Encrypted.contents(pool).count, 20)
        let snapshot = try pool.makeSnapshot()
        let poolSnapshot = try pool.makeSnapshotPool()
        try await pool.write { try $0.execute(sql: "DELETE FROM t") }
        try expectEqual(Encrypted.contents(snapshot).count, 20)
        try expectEqual(Encrypted.contents(poolSnapshot).count, 20)
        try expectTrue(Encrypted.contents(pool).isEmpty)
        try expectTrue(!Encrypted.showsMarker(path))
        try expectTrue(!Encrypted.showsMarker(path + "-wal"))
        try pool.close()
    }

    @Test func databasesInMemoryIgnoreTheKey() throws {
        for path in [":memory:", "", "file:encrypted?mode=memory&cache=shared"] {
            let queue = try Encrypted.open(path, .passphrase("secret"))
            try queue.write { try Encrypted.fill($0, rows: 1) }
            try expectTrue(queue.read { $0.isEncrypted } == false)
        }
    }

    @Test func rawPragmasWork() throws {
        let path = TestDatabases.makePath()
        var configuration = TestDatabases.makePlainConfiguration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA key = 'secret'") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try Encrypted.fill($0, rows: 1) }
        try queue.inDatabase { try $0.execute(sql: "PRAGMA rekey = 'other'") }
        try queue.close()
        try expectEqual(Encrypted.contents(Encrypted.open(path, .passphrase("other"))).count, 1)
    }

    @Test func readableHeadersHaveTheSaltElsewhere() throws {
        let key = EncryptionKey.passphrase("secret")
        let salt = Data((1...16).map { UInt8($0) })
        let cipher = DatabaseCipher.sqlcipher(
            iterations: 1000, plaintextHeaderSize: 32, salt: salt)
        let path = TestDatabases.makePath()
        let pool = try DatabasePool(
            path: path, configuration: Encrypted.configuration(key, cipher: cipher))
        try pool.write { try Encrypted.fill($0) }
        try expectEqual(pool.read { $0.encryptionSalt }, salt)
        try expectEqual(Encrypted.contents(pool).count, 20)
        try pool.close()
        let bytes = try Encrypted.bytes(path)
        expectEqual(bytes.prefix(16), Data("SQLite format 3\0".utf8))
        expectTrue(bytes[18] == 2 && bytes[19] == 2, "the header says that it is a WAL database")
        try expectTrue(!Encrypted.showsMarker(path))
        let queue = try Encrypted.open(path, key, cipher: cipher)
        try expectEqual(Encrypted.contents(queue).count, 20)
        try queue.close()
        let otherSalt = DatabaseCipher.sqlcipher(
            iterations: 1000, plaintextHeaderSize: 32, salt: Data(repeating: 1, count: 16))
        expectEqual(
            Encrypted.failure { _ = try Encrypted.open(path, key, cipher: otherSalt) },
            .wrongKey)
    }

    @Test func readableHeadersAreMigratedTo() throws {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(key)
        let queue = try Encrypted.open(path, key)
        let salt = try unwrap(queue.read { $0.encryptionSalt })
        let copy = TestDatabases.makePath()
        let cipher = DatabaseCipher.sqlcipher(plaintextHeaderSize: 32, salt: salt)
        try queue.inDatabase { try $0.exportEncrypted(to: copy, key: key, cipher: cipher) }
        try expectEqual(Encrypted.bytes(copy).prefix(6), Data("SQLite".utf8))
        try expectEqual(Encrypted.contents(Encrypted.open(copy, key, cipher: cipher)).count, 20)
    }

    @Test func attachedDatabasesHaveKeysOfTheirOwn() throws {
        let key = try Encrypted.rawKey()
        let other = try Encrypted.rawKey(8)
        let different = try Encrypted.makeFile(other, cipher: .chacha20)
        let plain = try Encrypted.makeFile(nil)
        let queue = try Encrypted.open(Encrypted.makeFile(key), key)
        // A copy has the salt of the original.
        let same = TestDatabases.makePath()
        try queue.vacuum(into: same)
        let sql = try TestDatabases.sql {
            try queue.inDatabase { db in
                try db.attach(same, as: "same")
                try db.attach(different, as: "different", key: other, cipher: .chacha20)
                try db.attach(plain, as: "plain", key: nil)
                for schema in ["main", "same", "different", "plain"] {
                    try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(schema).t"), 20)
                }
                try db.execute(sql: "INSERT INTO different.t SELECT id + 100, content FROM main.t")
                try db.detach("different")
            }
        }
        expectTrue(!sql.contains { $0.contains("0808") })
        let reopened = try Encrypted.open(different, other, cipher: .chacha20)
        try expectEqual(Encrypted.contents(reopened).count, 40)
        try expectTrue(!Encrypted.showsMarker(different))
    }

    @Test func attachingSaysWhatIsWrong() throws {
        let key = try Encrypted.rawKey()
        let plain = try Encrypted.makeFile(nil)
        let encrypted = try Encrypted.makeFile(key)
        let queue = try Encrypted.open(Encrypted.makeFile(key), key)
        try queue.inDatabase { db in
            expectEqual(
                Encrypted.failure { try db.attach(plain, as: "a", key: key) }, .notEncrypted)
            expectEqual(
                Encrypted.failure { try db.attach(encrypted, as: "a", key: nil) },
                .missingKey)
            expectEqual(
                Encrypted.failure {
                    try db.attach(encrypted, as: "a", key: Encrypted.rawKey(9))
                },
                .wrongKey)
            try db.attach(encrypted, as: "a", key: key)
        }
    }

    @Test func backupsGoBetweenEncryptedAndPlainDatabases() throws {
        let key = try Encrypted.rawKey()
        let source = try Encrypted.open(Encrypted.makeFile(key), key)

        let otherPath = TestDatabases.makePath()
        let other = try Encrypted.open(otherPath, Encrypted.rawKey(8))
        try source.backup(to: other)
        try expectEqual(Encrypted.contents(other).count, 20)
        try expectTrue(!Encrypted.showsMarker(otherPath))

        let memory = try Encrypted.open(":memory:", nil)
        try source.backup(to: memory)
        try expectEqual(Encrypted.contents(memory).count, 20)

        let plainPath = TestDatabases.makePath()
        let plain = try Encrypted.open(plainPath, nil)
        try source.backup(to: plain)
        try expectEqual(Encrypted.contents(plain).count, 20)
        try expectTrue(Encrypted.showsMarker(plainPath))

        let back = TestDatabases.makePath()
        let encrypted = try Encrypted.open(back, key)
        try plain.backup(to: encrypted)
        try expectEqual(Encrypted.contents(encrypted).count, 20)
        try expectTrue(!Encrypted.showsMarker(back))
        try encrypted.close()
        try expectEqual(Encrypted.contents(Encrypted.open(back, key)).count, 20)
    }

    @Test func backupsFromPlainFilesWithoutRoomAreRefused() throws {
        let plain = try Encrypted.open(Encrypted.makeFile(nil), nil)
        let encrypted = try Encrypted.open(
            Encrypted.makeFile(Encrypted.rawKey()), Encrypted.rawKey())
        expectError(DatabaseError.self) { try plain.backup(to: encrypted) }
        try expectEqual(Encrypted.contents(encrypted).count, 20)
    }

    @Test func vacuumKeepsTheKey() throws {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(key)
        let queue = try Encrypted.open(path, key)
        let copy = TestDatabases.makePath()
        try queue.vacuum(into: copy)
        try queue.vacuum()
        try expectEqual(Encrypted.contents(queue).count, 20)
        try expectEqual(Encrypted.contents(Encrypted.open(copy, key)).count, 20)
        try expectTrue(!Encrypted.showsMarker(path))
        try expectTrue(!Encrypted.showsMarker(copy))
    }

    @Test func keysDoNotAppear() throws {
        let key = EncryptionKey.passphrase("top secret")
        expectEqual("\(key)", "EncryptionKey(…)")
        expectEqual(String(reflecting: key), "EncryptionKey(…)")
        var dump = ""
        Swift.dump(key, to: &dump)
        expectTrue(!dump.contains("116"))
        let path = TestDatabases.makePath()
        let sql = try TestDatabases.sql {
            let queue = try Encrypted.open(path, key)
            try queue.write { try Encrypted.fill($0, rows: 1) }
            try queue.inDatabase { db in
                try db.exportEncrypted(to: TestDatabases.makePath(), passphrase: "top secret")
                do {
                    try db.exportEncrypted(to: path, passphrase: "top secret")
                    Issue.record("a file was overwritten")
                } catch {
                    expectTrue(!"\(error)".contains("secret"))
                    expectTrue(!"\(error)".contains("746f70"))
                }
                try db.changePassphrase("more top secret")
            }
        }
        expectTrue(!sql.contains { $0.contains("secret") || $0.contains("746f70") })
        do {
            _ = try Encrypted.open(path, key)
            Issue.record("the old key opens the file")
        } catch let error as DatabaseError {
            expectTrue(!error.expandedDescription.contains("secret"))
        }
    }

    @Test func keysHaveTheRightLength() throws {
        for (key, salt) in [(0, nil), (31, nil), (33, nil), (32, 15), (32, 17)] as [(Int, Int?)] {
            expectError(DatabaseError.self) {
                try EncryptionKey.raw(Data(count: key), salt: salt.map { Data(count: $0) })
            }
        }
        let path = TestDatabases.makePath()
        expectError(DatabaseError.self) { try Encrypted.open(path, .passphrase("")) }
        for cipher in [
            DatabaseCipher.sqlcipher(version: 5), .sqlcipher(version: 0), .sqlcipher(iterations: 0),
            .sqlcipher(plaintextHeaderSize: 33), .sqlcipher(salt: Data(count: 15)),
            .sqlcipher(pageSize: -1),
        ] {
            expectError(DatabaseError.self) {
                try Encrypted.open(path, .passphrase("secret"), cipher: cipher)
            }
        }
        let salt = Data((0..<16).map { UInt8($0) })
        let salted = try EncryptionKey.raw(Data(repeating: 1, count: 32), salt: salt)
        let queue = try Encrypted.open(path, salted)
        try queue.write { try Encrypted.fill($0) }
        try expectEqual(Encrypted.bytes(path).prefix(16), salt)
    }

    @Test func wholeDatabaseFeaturesWork() throws {
        let key = try Encrypted.rawKey()
        let path = TestDatabases.makePath()
        let pool = try DatabasePool(path: path, configuration: Encrypted.configuration(key))
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.create(virtualTable: "d", using: FTS5()) { $0.column("body") }
            try Encrypted.fill(db)
        }
        try migrator.migrate(pool)
        try pool.write { db in
            try db.execute(sql: "INSERT INTO d VALUES ('\(Encrypted.marker) words')")
            try db.execute(sql: "CREATE TEMP TABLE copies AS SELECT * FROM t ORDER BY content")
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM copies"), 20)
        }
        let count = try pool.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM d WHERE d MATCH 'words'")
        }
        expectEqual(count, 1)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try expectTrue(!Encrypted.showsMarker(folder.appendingPathComponent(file).path))
        }
    }
}
#endif
