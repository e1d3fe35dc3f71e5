@testable import GRDBSchema
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The schema and the rows of a database, rowids included, one line each.
func contentDump(_ db: Database) throws -> [String] {
    var lines: [String] = []
    for schema in ["main", "temp"] {
        let objects = try Row.fetchAll(
            db,
            sql: "SELECT type, name, tbl_name, sql FROM \(schema).sqlite_master ORDER BY type, name"
        )
        for object in objects {
            let sql = (object["sql"] as String?) ?? "automatic"
            lines.append(
                "\(schema) \(object["type"] as String) \(object["name"] as String): \(sql)")
        }
        for object in objects where object["type"] == "table" {
            let name: String = object["name"]
            if name.hasPrefix("sqlite_stat") { continue }
            lines += try rowDump(db, name)
        }
    }
    return lines
}

/// The rows of a table, rowids included.
func rowDump(_ db: Database, _ table: String) throws -> [String] {
    let name = table.quotedDatabaseIdentifier
    let rows: [Row]
    if let rowIDs = try? Row.fetchAll(
        db, sql: "SELECT rowid AS \"(rowid)\", * FROM \(name) ORDER BY rowid")
    {
        rows = rowIDs
    } else {
        rows = try Row.fetchAll(db, sql: "SELECT * FROM \(name) ORDER BY 1")
    }
    return rows.map { row in
        "\(table): " + row.map { "\($0)=\($1.dumpText)" }.joined(separator: " ")
    }
}

/// Expects that a transformation throws an error, and changes nothing.
func expectRefusal(
    _ description: String, of table: String = "t", _ db: Database,
    file: String = #filePath, line: Int = #line,
    _ body: (TableTransformation) -> Void
) throws {
    let before = try contentDump(db)
    let enabled = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys")
    expectError(description, file: file, line: line) {
        try db.transform(table: table, body: body)
    }
    let after = try contentDump(db)
    expectEqual(Set(after).symmetricDifference(before), [], file: file, line: line)
    expectEqual(after, before, file: file, line: line)
    try expectEqual(Bool.fetchOne(db, sql: "PRAGMA foreign_keys"), enabled, file: file, line: line)
}

/// The definition of a table, index, view or trigger, as the schema stores it.
func schemaSQL(_ db: Database, _ name: String = "t") throws -> String? {
    try String.fetchOne(
        db, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [name])
}

/// Expects that neither the integrity check of SQLite nor the check of foreign keys finds a problem.
func expectIntegrity(
    _ db: Database, file: String = #filePath, line: Int = #line
) throws {
    try expectEqual(
        String.fetchAll(db, sql: "PRAGMA integrity_check"), ["ok"], file: file, line: line)
    try expectTrue(
        Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty, file: file, line: line)
}
