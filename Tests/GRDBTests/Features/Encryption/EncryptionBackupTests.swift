#if GRDB_ENCRYPTION
import Foundation
import GRDBServer
import GRDBTestSupport
import Testing

@testable import GRDB

/// Backups between ciphers copy everything, or nothing.
@Suite(.databases) struct EncryptionBackupTests {
    /// Nil for a plain file.
    private static let ciphers: [DatabaseCipher?] =
        DatabaseEncryptionTests.ciphers + [.sqlcipher(version: 1), nil]

    /// The ways of a backup. All of them replace the main database of the destination.
    private enum Way: CaseIterable {
        case backup, steps, copyOfAttached, copyToAttached
    }

    private static func make(
        _ cipher: DatabaseCipher?, _ key: EncryptionKey, rows: Int, pageSize: Int? = nil
    ) throws -> String {
        let path = TestDatabases.makePath()
        let queue = try Encrypted.open(
            path, cipher == nil ? nil : key, cipher: cipher ?? .sqlcipher)
        try queue.inDatabase { db in
            if let pageSize { try db.execute(sql: "PRAGMA page_size = \(pageSize)") }
            if rows > 0 { try Encrypted.fill(db, rows: rows) }
        }
        try queue.close()
        return path
    }

    /// The number of rows, after reopening; nil if the file is damaged.
    private static func rowCount(
        _ path: String, _ cipher: DatabaseCipher?, _ key: EncryptionKey
    ) -> Int? {
        func open() throws -> DatabaseQueue {
            try Encrypted.open(path, cipher == nil ? nil : key, cipher: cipher ?? .sqlcipher)
        }
        // Changes, and all pages written anew.
        for sql in ["UPDATE t SET content = content || 'x'", "VACUUM"] {
            try? open().inDatabase { try $0.execute(sql: sql) }
        }
        return try? open().read { db in
            guard try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok" else { return nil }
            return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t WHERE content LIKE '%x'")
        }
    }

    private static func copy(
        _ way: Way, _ from: String, _ source: DatabaseCipher?, _ sourceKey: EncryptionKey,
        to path: String, _ destination: DatabaseCipher?, _ key: EncryptionKey
    ) throws {
        func open(
            _ path: String, _ cipher: DatabaseCipher?, _ key: EncryptionKey, attached: Bool
        ) throws -> DatabaseQueue {
            if !attached {
                return try Encrypted.open(
                    path, cipher == nil ? nil : key, cipher: cipher ?? .sqlcipher)
            }
            let queue = try Encrypted.open(TestDatabases.makePath(), nil)
            try queue.inDatabase {
                try $0.attach(
                    path, as: "other", key: cipher == nil ? nil : key, cipher: cipher ?? .sqlcipher)
            }
            return queue
        }
        let sourceQueue = try open(from, source, sourceKey, attached: way == .copyOfAttached)
        let queue = try open(path, destination, key, attached: way == .copyToAttached)
        defer {
            try? sourceQueue.close()
            try? queue.close()
        }
        try sourceQueue.inDatabase { source in
            try queue.inDatabase { destination in
                switch way {
                case .backup:
                    try source.backup(to: destination)
                case .steps:
                    let backup = try DatabaseBackup(from: source, to: destination)
                    while try backup.step(pages: 2) {}
                    try backup.finish()
                case .copyOfAttached:
                    try source.copy(schema: "other", to: destination)
                case .copyToAttached:
                    try source.copy(schema: "main", to: destination, schema: "other")
                }
            }
        }
    }

    @Test(arguments: ciphers)
    func everyPairOfCiphersCopiesOrRefuses(source: DatabaseCipher?) throws {
        let (sourceKey, key) = try (Encrypted.rawKey(), Encrypted.rawKey(8))
        let from = try Self.make(source, sourceKey, rows: 20)
        var results: [String] = []
        for (index, destination) in Self.ciphers.enumerated() {
            for oldRows in [0, 3] {
                let way = Way.allCases[(index + oldRows) % 4]
                let path = try Self.make(destination, key, rows: oldRows)
                var result = "copied"
                do {
                    try Self.copy(way, from, source, sourceKey, to: path, destination, key)
                } catch let error as DatabaseError {
                    let isExplained =
                        error.message?.hasPrefix("The pages of the source ") == true
                    result =
                        error.resultCode == .SQLITE_READONLY && isExplained ? "refused" : "\(error)"
                }
                let count = Self.rowCount(path, destination, key)
                let expected = result == "copied" ? 20 : oldRows == 0 ? nil : oldRows
                if count != expected { result += ", and has \(count ?? -1) rows" }
                if result
                    == (Self.fit(source, destination, isNew: oldRows == 0) ? "copied" : "refused")
                {
                    continue
                }
                results.append(
                    "\(source?.title ?? "plain") to \(destination?.title ?? "plain") \(way): \(result)"
                )
            }
        }
        expectEqual(results, [])
    }

    /// Whether the pages of a cipher have the size of another one, and the reserved bytes that it needs. The
    /// size of a new file is that of the source, unless the cipher needs another one.
    private static func fit(
        _ source: DatabaseCipher?, _ destination: DatabaseCipher?, isNew: Bool
    ) -> Bool {
        func pages(_ cipher: DatabaseCipher?) -> (size: Int, reserved: Int) {
            guard let cipher else { return (4096, 0) }
            let reserved =
                switch cipher.title {
                case "SQLCipher 4": 80
                case "SQLCipher 3", "SQLCipher 2": 48
                case "SQLCipher 1": 16
                case "aegis": 64
                default: 32
                }
            return (cipher.pageSize == 0 ? 4096 : Int(cipher.pageSize), reserved)
        }
        return destination == nil
            || (pages(source).size == pages(destination).size
                || isNew && destination?.pageSize == 0)
                && pages(source).reserved >= pages(destination).reserved
    }

    @Test func pagesOfAnotherSizeAreCopiedToNewFilesOnly() throws {
        let (sourceKey, key) = try (Encrypted.rawKey(), Encrypted.rawKey(8))
        for cipher in [DatabaseCipher.chacha20, .ascon128, .aegis256] {
            let from = try Self.make(cipher, sourceKey, rows: 20, pageSize: 8192)
            let new = try Self.make(cipher, key, rows: 0)
            try Self.copy(.backup, from, cipher, sourceKey, to: new, cipher, key)
            #expect(Self.rowCount(new, cipher, key) == 20, "\(cipher.title)")
            let old = try Self.make(cipher, key, rows: 3)
            let error = expectError(DatabaseError.self) {
                try Self.copy(.backup, from, cipher, sourceKey, to: old, cipher, key)
            }
            #expect(error?.message?.hasPrefix("The pages of the source have 8192 bytes") == true)
            #expect(Self.rowCount(old, cipher, key) == 3, "\(cipher.title)")
        }
    }

    @Test func refusingDestinationsGoOn() throws {
        let key = try Encrypted.rawKey()
        for (source, destination) in [
            (DatabaseCipher.chacha20, DatabaseCipher.sqlcipher),
            (.sqlcipher(pageSize: 1024), .sqlcipher),
            (.ascon128, .aegis256),
        ] {
            let source = try Encrypted.open(Self.make(source, key, rows: 20), key, cipher: source)
            let path = try Self.make(destination, key, rows: 0)
            let queue = try Encrypted.open(path, key, cipher: destination)
            for _ in 1...2 {
                expectError(DatabaseError.self) { try source.backup(to: queue) }
            }
            try queue.write { try Encrypted.fill($0, rows: 5) }
            expectError(DatabaseError.self) { try source.backup(to: queue) }
            try queue.write { try $0.execute(sql: "DELETE FROM t WHERE id = 1") }
            try queue.close()
            expectEqual(Self.rowCount(path, destination, key), 4)
        }
    }

    @Test func refusalsSayWhatToDo() throws {
        let key = try Encrypted.rawKey()
        let source = try Encrypted.open(Self.make(.chacha20, key, rows: 1), key, cipher: .chacha20)
        let destination = try Encrypted.open(Self.make(.sqlcipher, key, rows: 1), key)
        expectError(
            """
            SQLite error 8: The pages of the source reserve 32 bytes, and the cipher of the destination \
            needs 80. Export the source with exportEncrypted instead.
            """
        ) { try source.backup(to: destination) }
    }
}
#endif
