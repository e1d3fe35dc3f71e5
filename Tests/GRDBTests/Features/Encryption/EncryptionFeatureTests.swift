#if GRDB_ENCRYPTION
import GRDBChanges
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB
import GRDBServer

/// Features that have nothing to do with encryption work in encrypted files, and leave no plain text.
@Suite(.databases) struct EncryptionFeatureTests {
    /// Expects that no file of the test shows its text.
    private static func expectNoPlainText(
        besides path: String, line: Int = #line
    ) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try expectTrue(
                !Encrypted.showsMarker(folder.appendingPathComponent(file).path),
                "\(file)", line: line)
        }
    }

    /// The bytes are those of a plain database, whatever the file is.
    @Test func serializedDatabasesAreNotEncrypted() throws {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(key)
        let queue = try Encrypted.open(path, key)
        let data = try queue.read { try $0.serialized() }
        expectEqual(data.prefix(16), Data("SQLite format 3\0".utf8))
        let copy = try DatabaseQueue(
            serialized: data, configuration: TestDatabases.makePlainConfiguration())
        try expectEqual(Encrypted.contents(copy).count, 20)
        try expectTrue(copy.read { $0.isEncrypted } == false)
        // And back into a file with a key.
        let back = TestDatabases.makePath()
        try copy.inDatabase { try $0.exportEncrypted(to: back, key: key) }
        try expectEqual(Encrypted.contents(Encrypted.open(back, key)).count, 20)
        try Self.expectNoPlainText(besides: path)
    }

    @Test func sessionsRecordAndApply() throws {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(key)
        let queue = try Encrypted.open(path, key)
        let changeset = try queue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            try db.execute(
                sql: """
                    INSERT INTO t VALUES (21, 'new');
                    UPDATE t SET content = 'changed' WHERE id = 1;
                    DELETE FROM t WHERE id = 2;
                    """)
            return try session.changeset()
        }
        let other = try Encrypted.open(Encrypted.makeFile(Encrypted.rawKey(8)), Encrypted.rawKey(8))
        try other.write { db in
            let application = try db.apply(changeset)
            expectEqual(application.appliedCount, 3)
        }
        try expectEqual(Encrypted.contents(other), Encrypted.contents(queue))
    }

    @Test(arguments: DatabaseKind.allCases)
    func observationsFetchWithTheKey(kind: DatabaseKind) throws {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(key)
        let writer: any DatabaseWriter =
            switch kind {
            case .queue: try Encrypted.open(path, key)
            case .pool:
                try DatabasePool(path: path, configuration: Encrypted.configuration(key))
            }
        let log = Log<Int>()
        let cancellable = ValueObservation.tracking {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") ?? 0
        }.start(
            in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values")),
            onError: { Issue.record($0) }, onChange: { log.append($0) })
        expectEqual(log.wait(forCount: 1), [20])
        try writer.write { try $0.execute(sql: "DELETE FROM t WHERE id > 15") }
        expectEqual(log.wait(forCount: 2).last, 15)
        cancellable.cancel()
        try Self.expectNoPlainText(besides: path)
    }

    @Test func migrationsRunAndAreRemembered() throws {
        let key = try Encrypted.rawKey()
        let path = TestDatabases.makePath()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { try Encrypted.fill($0) }
        migrator.registerMigration("v2") { db in
            try db.alter(table: "t") {
                $0.add(column: "note", .text).defaults(to: Encrypted.marker)
            }
        }
        for _ in 1...2 {
            let pool = try DatabasePool(path: path, configuration: Encrypted.configuration(key))
            try migrator.migrate(pool)
            try expectTrue(pool.read(migrator.hasCompletedMigrations))
            try expectEqual(Encrypted.contents(pool).count, 20)
            try pool.close()
        }
        try Self.expectNoPlainText(besides: path)
    }

    /// Sorters and temporary tables stay in memory, whatever the pragma says.
    @Test func temporaryFilesAreInMemory() throws {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(key, rows: 500)
        let queue = try Encrypted.open(path, key)
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA temp_store = FILE; PRAGMA cache_size = 5")
            try db.execute(
                sql: """
                    PRAGMA temp.cache_size = 5;
                    CREATE TEMP TABLE copies AS SELECT content || id AS content FROM t;
                    CREATE INDEX temp.i ON copies(content);
                    """)
            let cursor = try Row.fetchCursor(
                db, sql: "SELECT a.content, b.id FROM copies a, t b ORDER BY 1 DESC, 2")
            _ = try cursor.next()
            #if os(Linux)
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
                .compactMap {
                    try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/\($0)")
                }
            // SQLite removes the name of a temporary file at once.
            expectTrue(!files.contains { $0.contains("etilqs_") })
            #endif
        }
        try Self.expectNoPlainText(besides: path)
    }

    @Test func fullTextIndexesAreEncrypted() throws {
        let key = try Encrypted.rawKey()
        let path = TestDatabases.makePath()
        let pool = try DatabasePool(path: path, configuration: Encrypted.configuration(key))
        try pool.write { db in
            try db.create(virtualTable: "d", using: FTS5()) { $0.column("body") }
            for index in 0..<50 {
                try db.execute(
                    sql: "INSERT INTO d VALUES (?)", arguments: ["\(Encrypted.marker) word\(index)"]
                )
            }
            try db.execute(sql: "INSERT INTO d(d) VALUES ('optimize')")
        }
        let found = try pool.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM d WHERE d MATCH 'word7 OR word8'")
        }
        expectEqual(found, 2)
        try pool.write { try $0.execute(sql: "INSERT INTO d(d) VALUES ('integrity-check')") }
        for suffix in ["", "-wal"] {
            let bytes = try Encrypted.bytes(path + suffix)
            expectEqual(bytes.range(of: Data("word7".utf8)), nil)
        }
        try Self.expectNoPlainText(besides: path)
    }

    /// Each connection chooses a salt. The file has that of the first one that writes.
    @Test(arguments: DatabaseEncryptionTests.ciphers, [true, false])
    func connectionsToAnEmptyFileAgree(cipher: DatabaseCipher, isRaw: Bool) throws {
        let key = isRaw ? try Encrypted.rawKey() : .passphrase("secret")
        let path = TestDatabases.makePath()
        let queues = try (1...3).map { _ in try Encrypted.open(path, key, cipher: cipher) }
        let other = try Encrypted.open(path, .passphrase("other"), cipher: cipher)
        try queues[1].write { try Encrypted.fill($0) }
        for queue in queues {
            try expectEqual(Encrypted.contents(queue).count, 20)
            try queue.write { try $0.execute(sql: "UPDATE t SET content = content || 'x'") }
        }
        expectError(DatabaseError.self) { try Encrypted.contents(other) }
        if !isRaw {
            expectEqual(Set(try queues.map { try $0.read { $0.encryptionSalt } }).count, 1)
        }
        try other.close()
        for queue in queues { try queue.close() }
        let reopened = try Encrypted.open(path, key, cipher: cipher)
        try expectEqual(Encrypted.contents(reopened).count, 20)
    }

    @Test func rekeyedPoolsGoOnInWALMode() throws {
        let path = TestDatabases.makePath()
        let pool = try DatabasePool(
            path: path, configuration: Encrypted.configuration(.passphrase("one")))
        try pool.write { try Encrypted.fill($0) }
        try pool.barrierWriteWithoutTransaction { db in
            try db.changePassphrase("two")
            try expectEqual(String.fetchOne(db, sql: "PRAGMA journal_mode"), "wal")
            try db.execute(sql: "INSERT INTO t VALUES (21, 'after')")
        }
        // What is in the WAL has the new key, and its salt is the one in the file.
        let copy = TestDatabases.makePath()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        #expect(try Encrypted.bytes(copy + "-wal").count > 4096)
        try expectEqual(Encrypted.contents(Encrypted.open(copy, .passphrase("two"))).count, 21)
        expectEqual(
            Encrypted.failure { _ = try Encrypted.open(copy, .passphrase("one")) }, .wrongKey)
        try pool.close()
    }
}
#endif
