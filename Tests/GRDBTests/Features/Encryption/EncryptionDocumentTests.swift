#if GRDB_ENCRYPTION
import Foundation
@testable import GRDB
import GRDBTestSupport
import Testing

/// What documents about encryption show, and what is next to it.
@Suite(.databases) struct EncryptionDocumentTests {
    private func configuration(_ passphrase: String) -> Configuration {
        var configuration = TestDatabases.makePlainConfiguration()
        configuration.prepareDatabase { db in
            try db.usePassphrase(passphrase, cipher: .sqlcipher(iterations: 1000))
        }
        return configuration
    }

    private func open(_ path: String, _ passphrase: String) throws -> DatabaseQueue {
        try DatabaseQueue(path: path, configuration: configuration(passphrase))
    }

    @Test(arguments: ["delete", "wal"])
    func queuesChangeTheirPassphraseInWrites(mode: String) throws {
        let path = TestDatabases.makePath()
        let dbQueue = try open(path, "secret")
        try dbQueue.inDatabase { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = \(mode)") }
        try dbQueue.write { try Encrypted.fill($0, rows: 3) }
        let recorder = TransactionRecorder()
        dbQueue.add(transactionObserver: recorder, extent: .databaseLifetime)
        let committed = Locked(0)
        let sql = try TestDatabases.sql {
            try dbQueue.write { db in
                db.afterNextTransaction { _ in committed.withLock { $0 += 1 } }
                let date = try db.transactionDate
                try db.changePassphrase("newSecret")
                expectTrue(db.isInsideTransaction)
                try expectEqual(db.transactionDate, date)
                expectEqual(committed.withLock { $0 }, 0)
                try db.execute(sql: "INSERT INTO t VALUES (4, 'after')")
            }
        }
        // The transaction that is ended is not heard of.
        expectEqual(
            sql,
            [
                "BEGIN IMMEDIATE TRANSACTION", "INSERT INTO t VALUES (4, 'after')",
                "COMMIT TRANSACTION",
            ])
        expectEqual(recorder.lines().filter { $0.contains("ollback") }, [])
        expectEqual(committed.withLock { $0 }, 1)
        try expectEqual(Encrypted.contents(dbQueue).count, 4)
        try dbQueue.close()
        try expectEqual(Encrypted.contents(open(path, "newSecret")).count, 4)
        expectEqual(Encrypted.failure { _ = try open(path, "secret") }, .wrongKey)
    }

    @Test func poolsChangeTheirPassphraseInBarriers() throws {
        let path = TestDatabases.makePath()
        let passphrase = Locked("secret")
        var configuration = TestDatabases.makePlainConfiguration()
        configuration.prepareDatabase { db in
            try db.usePassphrase(passphrase.withLock { $0 }, cipher: .sqlcipher(iterations: 1000))
        }
        let dbPool = try DatabasePool(path: path, configuration: configuration)
        try dbPool.write { try Encrypted.fill($0, rows: 3) }
        try expectEqual(Encrypted.contents(dbPool).count, 3)
        try dbPool.barrierWriteWithoutTransaction { db in
            try db.changePassphrase("newSecret")
            passphrase.withLock { $0 = "newSecret" }
            dbPool.invalidateReadOnlyConnections()
        }
        try expectEqual(Encrypted.contents(dbPool).count, 3)
        // In a transaction as well.
        try dbPool.barrierWriteWithoutTransaction { db in
            try db.inTransaction {
                try db.changePassphrase("third")
                return .commit
            }
            passphrase.withLock { $0 = "third" }
            dbPool.invalidateReadOnlyConnections()
        }
        try expectEqual(Encrypted.contents(dbPool).count, 3)
        try dbPool.close()
        try expectEqual(Encrypted.contents(open(path, "third")).count, 3)
    }

    /// Each kind of transaction goes on as it began, and what it does later is rolled back as usual.
    @Test func transactionsGoOnAsTheyBegan() throws {
        let path = TestDatabases.makePath()
        let queue = try open(path, "0")
        let other = try DatabaseQueue(path: path, configuration: configuration("0"))
        // In a new file, BEGIN IMMEDIATE has written the first page.
        try queue.write { try $0.changePassphrase("1") }
        try queue.write { try Encrypted.fill($0, rows: 3) }
        var number = 1
        for kind in [Database.TransactionKind.deferred, .immediate, .exclusive] {
            number += 1
            try queue.inDatabase { db in
                try db.inTransaction(kind) {
                    try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
                    _ = try Row.fetchAll(db, sql: "SELECT * FROM t")
                    try db.changePassphrase("\(number)")
                    #expect(try Bool.fetchOne(db, sql: "PRAGMA defer_foreign_keys") == true)
                    try db.execute(sql: "DELETE FROM t")
                    return .rollback
                }
            }
            try expectEqual(Encrypted.contents(queue).count, 3)
        }
        try queue.inDatabase { db in
            try db.inTransaction(.exclusive) {
                try db.removeEncryption()
                expectTrue(!db.isEncrypted)
                return .commit
            }
        }
        try other.close()
        try queue.close()
        try expectEqual(Encrypted.contents(Encrypted.open(path, nil)).count, 3)
    }

    @Test func transactionsThatHaveWrittenKeepTheirKey() throws {
        let path = TestDatabases.makePath()
        let queue = try open(path, "secret")
        try queue.write { try Encrypted.fill($0, rows: 3) }
        let message = """
            SQLite error 21: The key can't be changed inside of a savepoint, or of a transaction that has written
            """
        for sql in [
            "INSERT INTO t VALUES (4, '')", "PRAGMA user_version = 1", "CREATE TABLE u(a)",
            "SAVEPOINT s", "CREATE TEMP TABLE u(a)",
        ] {
            expectError(message) {
                try queue.write { db in
                    try db.execute(sql: sql)
                    try db.changePassphrase("other")
                }
            }
            expectError(message) {
                try queue.write { db in
                    try db.execute(sql: sql)
                    try db.removeEncryption()
                }
            }
        }
        expectError(message) {
            try queue.write { db in
                try db.inSavepoint {
                    try db.changePassphrase("other")
                    return .commit
                }
            }
        }
        // The transaction can go on.
        try queue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (4, '')")
            expectError(message) { try db.changePassphrase("other") }
            try db.execute(sql: "INSERT INTO t VALUES (5, '')")
        }
        // In a new file, too.
        let new = try open(TestDatabases.makePath(), "secret")
        for sql in ["CREATE TABLE u(a)", "PRAGMA user_version = 1", "PRAGMA application_id = 1"] {
            expectError(message) {
                try new.write { db in
                    try db.execute(sql: sql)
                    try db.changePassphrase("other")
                }
            }
        }
        try queue.close()
        try expectEqual(Encrypted.contents(open(path, "secret")).count, 5)
    }

    @Test func plainDatabasesAreCopiedIntoEncryptedOnes() throws {
        let clearDBQueue = try Encrypted.open(Encrypted.makeFile(nil), nil)
        let encryptedDBQueue = try Encrypted.open(TestDatabases.makePath(), .passphrase("secret"))
        try clearDBQueue.inDatabase { db in
            try db.execute(
                sql: "ATTACH DATABASE ? AS encrypted KEY ?",
                arguments: [encryptedDBQueue.path, "secret"])
            try db.execute(sql: "SELECT sqlcipher_export('encrypted')")
            try db.execute(sql: "DETACH DATABASE encrypted")
        }
        try expectEqual(Encrypted.contents(encryptedDBQueue), (1...20).map(Encrypted.content))
    }

    /// All that a database can contain is copied, or nothing.
    @Test func exportCopiesEverything() throws {
        let queue = try Encrypted.open(TestDatabases.makePath(), nil)
        try queue.write { db in
            try Encrypted.fill(db)
            try db.execute(
                sql: """
                    CREATE TABLE a(id INTEGER PRIMARY KEY AUTOINCREMENT, b UNIQUE, c AS (b || 'c'), d AS (b) STORED);
                    CREATE INDEX ai ON a(c) WHERE b > 1;
                    CREATE TABLE w(k TEXT PRIMARY KEY, v REFERENCES a) WITHOUT ROWID;
                    CREATE TABLE "in""ner"("x y", CHECK ("x y" > 0));
                    INSERT INTO "in""ner"(rowid, "x y") VALUES (7, 1), (9, 2);
                    INSERT INTO a(b) VALUES (1), (2), (3);
                    DELETE FROM a WHERE b = 3;
                    INSERT INTO w VALUES ('k', 1), ('l', 2);
                    CREATE VIEW v AS SELECT * FROM a;
                    CREATE TRIGGER r AFTER INSERT ON a BEGIN DELETE FROM w; END;
                    CREATE VIRTUAL TABLE f USING fts5(text);
                    INSERT INTO f VALUES ('some words');
                    ANALYZE;
                    PRAGMA user_version = 3;
                    """)
        }
        func content(_ db: Database) throws -> [String] {
            try String.fetchAll(
                db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
                + ["a", "w", "v", "f", "sqlite_sequence", "sqlite_stat1", "t"].map { table in
                    "\(try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1"))"
                } + ["\(try Row.fetchAll(db, sql: "SELECT rowid, * FROM \"in\"\"ner\""))"]
                + String.fetchAll(db, sql: "SELECT rowid FROM f('words')")
                + String.fetchAll(db, sql: "PRAGMA integrity_check")
        }
        let expected = try queue.read(content)
        let recorder = TransactionRecorder()
        queue.add(transactionObserver: recorder, extent: .databaseLifetime)
        for cipher in [DatabaseCipher.sqlcipher, .chacha20] {
            let path = TestDatabases.makePath()
            try queue.inDatabase { db in
                try db.attach(path, as: "o", key: Encrypted.rawKey(), cipher: cipher)
                try db.inTransaction {
                    try db.execute(sql: "SELECT sqlcipher_export('o', 'main')")
                    return .rollback
                }
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM o.sqlite_master"), 0)
                try db.execute(sql: "SELECT sqlcipher_export('o')")
                let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM o.sqlite_master")
                for (sql, message) in [
                    ("SELECT sqlcipher_export('o')", "sqlcipher_export needs an empty database"),
                    (
                        "SELECT sqlcipher_export('none')",
                        "sqlcipher_export needs the names of two databases"
                    ),
                    (
                        "SELECT sqlcipher_export('main')",
                        "sqlcipher_export needs the names of two databases"
                    ),
                ] {
                    expectError("SQLite error 1: \(message) - while executing `\(sql)`") {
                        try db.execute(sql: sql)
                    }
                }
                expectError(DatabaseError.self) {
                    try db.readOnly { try db.execute(sql: "SELECT sqlcipher_export('main', 'o')") }
                }
                try expectEqual(
                    Int.fetchOne(db, sql: "SELECT COUNT(*) FROM o.sqlite_master"), count)
                try expectEqual(Int.fetchOne(db, sql: "PRAGMA foreign_keys"), 1)
                expectTrue(!db.isInsideTransaction)
                try db.detach("o")
            }
            let copy = try Encrypted.open(path, Encrypted.rawKey(), cipher: cipher)
            try expectEqual(copy.read(content), expected)
            try copy.write { try $0.execute(sql: "INSERT INTO a(b) VALUES (4)") }
            try expectEqual(copy.read { try Int.fetchOne($0, sql: "SELECT MAX(id) FROM a") }, 4)
        }
        expectEqual(recorder.lines().filter { $0.contains("didChange") }, [])
        try expectEqual(queue.read(content), expected)
        try queue.write { try $0.execute(sql: "INSERT INTO a(b) VALUES (4)") }
    }

    @Test func pragmasOfSQLCipherAreNotIgnored() throws {
        var configuration = TestDatabases.makePlainConfiguration()
        configuration.prepareDatabase { db in
            try db.usePassphrase("secret")
            try db.execute(sql: "PRAGMA cipher_plaintext_header_size = 32")
        }
        expectError(
            """
            SQLite error 1: PRAGMA cipher_plaintext_header_size has no effect: pass the parameter to \
            DatabaseCipher.sqlcipher - while executing `PRAGMA cipher_plaintext_header_size = 32`
            """
        ) { try DatabasePool(path: TestDatabases.makePath(), configuration: configuration) }
    }

    /// Whatever its length is: `raw:` marks a key in other programs.
    @Test(arguments: [
        DatabaseCipher.sqlcipher(iterations: 1000), .chacha20(iterations: 1000), .ascon128,
        .aegis256,
    ])
    func passphrasesBeginAsTheyLike(cipher: DatabaseCipher) throws {
        let bytes = Data((0..<48).map { UInt8(ascii: "0") + UInt8($0 % 10) })
        for (length, salt) in [(32, nil), (48, bytes.suffix(16))] as [(Int, Data?)] {
            let passphrase = Data("raw:".utf8) + bytes.prefix(length)
            let path = try Encrypted.makeFile(.passphrase(passphrase), cipher: cipher, rows: 1)
            try expectEqual(
                Encrypted.contents(
                    Encrypted.open(path, .passphrase(passphrase), cipher: cipher)
                ).count,
                1)
            expectTrue(
                Encrypted.failure {
                    _ = try Encrypted.open(path, .raw(bytes.prefix(32), salt: salt), cipher: cipher)
                } == .wrongKey, "\(length)")
        }
    }

    @Test func exportsNeedAFile() throws {
        let queue = try Encrypted.open(Encrypted.makeFile(nil), nil)
        let folder = FileManager.default.temporaryDirectory.path
        let key = try Encrypted.rawKey()
        func message(_ export: (Database) throws -> Void) throws -> String {
            do {
                try queue.inDatabase(export)
                return "exported"
            } catch let error as DatabaseError {
                return "\(error)"
            }
        }
        let paths = [folder, "/zz/file", "", ":memory:"]
        let messages = [
            "SQLite error 14: unable to open database file: \(folder) (it is a folder)",
            "SQLite error 14: unable to open database file: /zz/file (there is no folder /zz)",
            "SQLite error 21: A database is exported to a file, not to \"\"",
            "SQLite error 21: A database is exported to a file, not to \":memory:\"",
        ]
        // First those that end in the process of the test.
        for path in paths.reversed() {
            let expected = messages[paths.firstIndex(of: path)!]
            try expectEqual(message { try $0.exportEncrypted(to: path, key: key) }, expected)
            try expectEqual(message { try $0.exportPlain(to: path) }, expected)
        }
        for key in [key, nil] {
            try expectTrue(
                message { try $0.attach(folder, as: "a", key: key) }.hasPrefix(
                    "SQLite error 14: "))
        }
    }

    /// Readers that kept the old key fail like queues, also if the pages with the new key are in the WAL file.
    @Test(arguments: [DatabaseCipher.sqlcipher, .chacha20], [false, true])
    func readersWithTheOldKeySaySo(cipher: DatabaseCipher, holdsSnapshot: Bool) throws {
        let (old, new) = try (Encrypted.rawKey(), Encrypted.rawKey(8))
        let path = TestDatabases.makePath()
        let pool = try DatabasePool(
            path: path, configuration: Encrypted.configuration(old, cipher: cipher))
        try pool.write { try Encrypted.fill($0, rows: 200) }
        let queue = try Encrypted.open(path, old, cipher: cipher)
        try expectEqual(Encrypted.contents(pool).count, 200)
        try expectEqual(Encrypted.contents(queue).count, 200)
        let snapshot = holdsSnapshot ? try pool.makeSnapshot() : nil
        try pool.writeWithoutTransaction { try $0.changeKey(new) }
        let snapshotCount = try snapshot.map { try Encrypted.contents($0).count }
        expectEqual(snapshotCount, (holdsSnapshot ? 200 : nil))
        func failures(_ reader: any DatabaseReader) -> [EncryptionFailure?] {
            ["SELECT * FROM t", "SELECT COUNT(*) FROM t", "SELECT * FROM t WHERE id = 100"].map {
                sql in
                Encrypted.failure { _ = try reader.read { try Row.fetchAll($0, sql: sql) } }
            }
        }
        expectEqual(failures(queue), [.wrongKey, .wrongKey, .wrongKey])
        expectEqual(failures(pool), [.wrongKey, .wrongKey, .wrongKey])
        try pool.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM t WHERE id > 50") }
        expectEqual(failures(queue), [.wrongKey, .wrongKey, .wrongKey])
        expectEqual(failures(pool), [.wrongKey, .wrongKey, .wrongKey])
    }
}
#endif
