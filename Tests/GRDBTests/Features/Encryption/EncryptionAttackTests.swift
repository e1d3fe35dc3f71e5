#if GRDB_ENCRYPTION
import GRDBQueries
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

/// Files that somebody has altered give an error, or their right content: never other content.
@Suite(.databases) struct EncryptionAttackTests {
    /// A file of 20 pages, and its rows.
    private static func makeFile(_ key: EncryptionKey) throws -> (path: String, rows: [String]) {
        let path = try Encrypted.makeFile(key, rows: 124)
        let queue = try Encrypted.open(path, key)
        return (path, try Encrypted.contents(queue))
    }

    private enum Outcome { case right, error, other }

    private static func read(_ path: String, _ key: EncryptionKey, _ rows: [String]) -> Outcome {
        do {
            let queue = try Encrypted.open(path, key)
            return try Encrypted.contents(queue) == rows ? .right : .other
        } catch {
            return .error
        }
    }

    @Test func everyFlippedByteIsNoticed() throws {
        let key = try Encrypted.rawKey()
        let (path, rows) = try Self.makeFile(key)
        let original = try Encrypted.bytes(path)
        expectEqual(original.count, 20 * 4096)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        // One connection: each byte alone would take a derivation and a new schema.
        let queue = try Encrypted.open(path, key)
        var errors = 0
        for offset in original.indices {
            try file.seek(toOffset: UInt64(offset))
            file.write(Data([original[offset] ^ UInt8(1 << (offset % 8))]))
            let outcome: Outcome
            do {
                try queue.inDatabase { db in
                    db.releaseMemory()
                    // Nothing of the file may come from memory.
                    try db.execute(sql: "PRAGMA cache_size = 0; PRAGMA cache_size = -2000")
                }
                let page = offset / 4096
                if page < 2 || offset % 512 == 0 {
                    outcome = Self.read(path, key, rows)
                } else {
                    outcome = try Encrypted.contents(queue) == rows ? .right : .other
                }
            } catch {
                outcome = .error
            }
            #expect(outcome != .other, "byte \(offset)")
            if outcome == .error { errors += 1 }
            try file.seek(toOffset: UInt64(offset))
            file.write(Data([original[offset]]))
        }
        #expect(errors > original.count * 9 / 10)
        try expectEqual(Encrypted.contents(queue), rows)
    }

    @Test func movedPagesAreNoticed() throws {
        let key = try Encrypted.rawKey()
        let (path, rows) = try Self.makeFile(key)
        let original = try Encrypted.bytes(path)
        func page(_ number: Int) -> Range<Int> { (number - 1) * 4096..<number * 4096 }
        var noticed = 0
        for (first, second) in [(1, 2), (2, 3), (4, 9), (5, 20), (1, 20), (10, 11)] {
            var bytes = original
            bytes.replaceSubrange(page(first), with: original[page(second)])
            bytes.replaceSubrange(page(second), with: original[page(first)])
            try bytes.write(to: URL(fileURLWithPath: path))
            let outcome = Self.read(path, key, rows)
            #expect(outcome != .other, "\(first) and \(second)")
            if outcome == .error { noticed += 1 }
        }
        expectEqual(noticed, 6)
    }

    @Test func pagesOfOtherFilesAreNoticed() throws {
        let (path, rows) = try Self.makeFile(Encrypted.rawKey())
        let (otherPath, _) = try Self.makeFile(Encrypted.rawKey(8))
        var bytes = try Encrypted.bytes(path)
        bytes.replaceSubrange(8192..<12288, with: try Encrypted.bytes(otherPath)[8192..<12288])
        try bytes.write(to: URL(fileURLWithPath: path))
        expectEqual(Self.read(path, try Encrypted.rawKey(), rows), .error)
    }

    /// An old page of the same file authenticates: no cipher of pages notices. This is documented.
    @Test func replayedPagesAreOldContent() throws {
        let key = try Encrypted.rawKey()
        let (path, _) = try Self.makeFile(key)
        let old = try Encrypted.bytes(path)
        let queue = try Encrypted.open(path, key)
        try queue.write { try $0.execute(sql: "UPDATE t SET content = 'n' || substr(content, 2)") }
        let new = try Encrypted.contents(queue)
        try queue.close()
        var bytes = try Encrypted.bytes(path)
        bytes.replaceSubrange(4 * 4096..<5 * 4096, with: old[4 * 4096..<5 * 4096])
        try bytes.write(to: URL(fileURLWithPath: path))
        let mixed = try Encrypted.contents(Encrypted.open(path, key))
        expectEqual(mixed.count, new.count)
        #expect(mixed != new)
    }

    @Test func cutWALFilesLoseCommits() throws {
        let key = try Encrypted.rawKey()
        let path = TestDatabases.makePath()
        let pool = try DatabasePool(path: path, configuration: Encrypted.configuration(key))
        try pool.write { try Encrypted.fill($0, rows: 1) }
        for id in 2...10 {
            try pool.write {
                try $0.execute(
                    sql: "INSERT INTO t VALUES (?, ?)", arguments: [id, Encrypted.content(id)])
            }
        }
        let rows = try Encrypted.contents(pool)
        let main = try Encrypted.bytes(path)
        let wal = try Encrypted.bytes(path + "-wal")
        #expect(Encrypted.entropy(wal) > 7.9)
        for share in 0...20 {
            let copy = TestDatabases.makePath()
            try main.write(to: URL(fileURLWithPath: copy))
            try wal.prefix(wal.count * share / 20).write(to: URL(fileURLWithPath: copy + "-wal"))
            do {
                let read = try Encrypted.contents(Encrypted.open(copy, key))
                expectEqual(read, Array(rows.prefix(read.count)))
            } catch let error as DatabaseError {
                // The table itself was in the part that is gone.
                expectEqual(error.message, "no such table: t")
            }
        }
        for offset in stride(from: 40, to: wal.count, by: 97) {
            let copy = TestDatabases.makePath()
            var bytes = wal
            bytes[offset] ^= 4
            try main.write(to: URL(fileURLWithPath: copy))
            try bytes.write(to: URL(fileURLWithPath: copy + "-wal"))
            guard let read = try? Encrypted.contents(Encrypted.open(copy, key)) else { continue }
            expectEqual(read, Array(rows.prefix(read.count)))
        }
        try pool.close()
    }

    @Test(arguments: [DatabaseCipher.sqlcipher, .chacha20, .ascon128, .aegis256])
    func filesLookRandom(cipher: DatabaseCipher) throws {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(key, cipher: cipher, rows: 500)
        let bytes = try Encrypted.bytes(path)
        #expect(Encrypted.entropy(bytes) > 7.99)
        #expect(bytes.prefix(16) != Data("SQLite format 3\0".utf8))
    }

    @Test func journalsAreEncrypted() throws {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(key, rows: 500)
        let queue = try Encrypted.open(path, key)
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = 10; PRAGMA journal_mode = PERSIST")
            try db.inTransaction {
                try db.execute(sql: "UPDATE t SET content = content || 'x'")
                try db.inSavepoint {
                    try db.execute(sql: "UPDATE t SET content = content || 'y'")
                    return .rollback
                }
                let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
                for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                    let file = folder.appendingPathComponent(file).path
                    try expectTrue(!Encrypted.showsMarker(file))
                }
                #expect(Encrypted.entropy(try Encrypted.bytes(path + "-journal")) > 7.9)
                return .rollback
            }
        }
        try expectEqual(Encrypted.contents(queue), (1...500).map(Encrypted.content))
    }
}
#endif
