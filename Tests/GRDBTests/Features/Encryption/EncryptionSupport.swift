#if GRDB_ENCRYPTION
import Foundation
import GRDB
import GRDBTestSupport

/// Databases with keys, for the tests of this room.
enum Encrypted {
    static let marker = "MARKER-of-plain-text-0123456789"

    static func rawKey(_ byte: UInt8 = 7) throws -> EncryptionKey {
        try .raw(Data(repeating: byte, count: 32))
    }

    /// A configuration of tests with a key, or without.
    static func configuration(
        _ key: EncryptionKey?, cipher: DatabaseCipher = .sqlcipher
    ) -> Configuration {
        var configuration = TestDatabases.makePlainConfiguration()
        if let key {
            configuration.prepareDatabase { try $0.useKey(key, cipher: cipher) }
        }
        return configuration
    }

    static func open(
        _ path: String, _ key: EncryptionKey?, cipher: DatabaseCipher = .sqlcipher
    ) throws -> DatabaseQueue {
        try DatabaseQueue(path: path, configuration: configuration(key, cipher: cipher))
    }

    /// A new file with one table: `t(id, content)`, and rows that contain the marker.
    static func makeFile(
        _ key: EncryptionKey?, cipher: DatabaseCipher = .sqlcipher, rows: Int = 20
    ) throws -> String {
        let path = TestDatabases.makePath()
        let queue = try open(path, key, cipher: cipher)
        try queue.write { try fill($0, rows: rows) }
        try queue.close()
        return path
    }

    static func fill(_ db: Database, rows: Int = 20) throws {
        try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, content TEXT NOT NULL)")
        for id in 1...rows {
            try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [id, content(id)])
        }
    }

    static func content(_ id: Int) -> String {
        "\(id) \(marker) " + String(repeating: "x", count: 500)
    }

    static func contents(_ reader: any DatabaseReader) throws -> [String] {
        try reader.read { try String.fetchAll($0, sql: "SELECT content FROM t ORDER BY id") }
    }

    static func bytes(_ path: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// Whether a file contains the marker in plain text.
    static func showsMarker(_ path: String) throws -> Bool {
        try bytes(path).range(of: Data(marker.utf8)) != nil
    }

    /// The entropy of a file, in bits per byte: nearly 8 for random bytes.
    static func entropy(_ data: Data) -> Double {
        var counts = [Int](repeating: 0, count: 256)
        for byte in data { counts[Int(byte)] += 1 }
        return counts.filter { $0 > 0 }.reduce(0) { sum, count in
            let share = Double(count) / Double(data.count)
            return sum - share * log2(share)
        }
    }

    /// The reason that encryption has for an error.
    static func failure(_ body: () throws -> Void) -> EncryptionFailure? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DatabaseError)?.encryptionFailure
        }
    }
}
#endif
