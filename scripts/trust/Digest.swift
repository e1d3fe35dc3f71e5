import Foundation
import GRDB
import TrustSupport

// The content of a file as a number. `digest` in power.py computes the same with another SQLite.

/// Adds texts, one per row.
private struct Digest {
    private(set) var value: UInt32 = 0

    mutating func add(_ db: Database, sql: String) throws {
        let texts = try String.fetchCursor(db, sql: sql)
        while var text = try texts.next() {
            text += "\n"
            value = text.withUTF8 { trust_crc32(value, $0.baseAddress, $0.count) }
        }
    }
}

/// The digest of the schema and of the rows of all tables but virtual ones, which keep their content in tables.
func contentDigest(_ db: Database) throws -> UInt32 {
    var digest = Digest()
    try digest.add(
        db,
        sql: """
            SELECT quote(type) || quote(name) || quote(tbl_name) || quote(sql) FROM sqlite_schema
            ORDER BY type, name
            """)
    let tables = try String.fetchAll(
        db,
        sql: """
            SELECT name FROM sqlite_schema
            WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_stat%'
            ORDER BY name
            """)
    for table in tables {
        let columns = try String.fetchAll(
            db, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
        let texts = columns.map { "quote(\($0.quotedDatabaseIdentifier))" }
        try digest.add(
            db,
            sql: """
                SELECT \(texts.joined(separator: "||'|'||")) FROM \(table.quotedDatabaseIdentifier) ORDER BY 1
                """)
    }
    return digest.value
}

/// The digest of a file, by a connection of its own. A file that does not exist is as an empty one.
func contentDigest(path: String) throws -> UInt32 {
    guard FileManager.default.fileExists(atPath: path) else { return 0 }
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    return try queue.read(contentDigest)
}
