import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// What errors show of keys and arguments.
@Suite(.databases) struct RecordErrorTests {
    private struct Author: Codable, FetchableRecord, PersistableRecord {
        var id: UUID
        var name: String
    }

    private let id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!

    private func withAuthors(
        _ kind: DatabaseKind, isPublic: Bool = false, _ body: (Database) throws -> Void
    ) throws {
        var config = TestDatabases.makeConfiguration()
        config.publicStatementArguments = isPublic
        try TestDatabases.makeWriter(kind, config).write { db in
            try db.execute(
                sql: "CREATE TABLE author (id BLOB PRIMARY KEY NOT NULL, name TEXT UNIQUE)")
            try body(db)
        }
    }

    @Test(arguments: DatabaseKind.allCases) func uuidKeys(kind: DatabaseKind) throws {
        try withAuthors(kind) { db in
            let notFound =
                "Key not found in table author: [id:E621E1F8-C36C-495A-93FC-0C247A3E6E5F]"
            var author = Author(id: id, name: "a")
            expectError(notFound) { try Author.find(db, key: id) }
            expectError(notFound) { try Author.find(db, key: ["id": id]) }
            expectError(notFound) { try author.update(db) }
            expectError(notFound) { try author.updateChanges(db) { $0.name = "b" } }
            expectError(notFound) { throw author.recordNotFound(db) }
            expectError(notFound) { throw Author.recordNotFound(db, key: id) }
        }
    }

    @Test func otherKeys() {
        func description(_ value: some DatabaseValueConvertible) -> String {
            RecordError.recordNotFound(
                databaseTableName: "t", key: ["a": value.databaseValue]
            ).description
        }
        let prefix = "Key not found in table t: "
        expectEqual(description(Data()), prefix + "[a:X'']")
        expectEqual(description(Data([0, 0xab])), prefix + "[a:X'00AB']")
        expectEqual(
            description(Data(repeating: 0, count: 32)),
            prefix + "[a:X'\(String(repeating: "0", count: 64))']")
        expectEqual(description(Data(repeating: 0, count: 33)), prefix + "[a:Data(33 bytes)]")
        expectEqual(description("x"), prefix + #"[a:"x"]"#)
        expectEqual(description(1.5), prefix + "[a:1.5]")
        // Descriptions of values show the size of blobs.
        expectEqual(Data([0]).databaseValue.description, "Data(1 bytes)")
    }

    @Test(arguments: DatabaseKind.allCases) func publicArguments(kind: DatabaseKind) throws {
        for isPublic in [false, true] {
            try withAuthors(kind, isPublic: isPublic) { db in
                try Author(id: id, name: "a").insert(db)
                let sql = "INSERT INTO author (id, name) VALUES (?, ?)"
                expectError(
                    "SQLite error 19: UNIQUE constraint failed: author.id - while executing `\(sql)`"
                        + (isPublic
                            ? #" with arguments [E621E1F8-C36C-495A-93FC-0C247A3E6E5F, "b"]"# : "")
                ) {
                    try db.execute(sql: sql, arguments: [id, "b"])
                }
                expectError(
                    "SQLite error 19: UNIQUE constraint failed: author.name - while executing `\(sql)`"
                        + (isPublic ? #" with arguments [X'01', "a"]"# : "")
                ) {
                    try db.execute(sql: sql, arguments: [Data([1]), "a"])
                }
                let named = "INSERT INTO author (id, name) VALUES (:id, :name)"
                expectError(
                    "SQLite error 19: UNIQUE constraint failed: author.id - while executing `\(named)`"
                        + (isPublic
                            ? #" with arguments [E621E1F8-C36C-495A-93FC-0C247A3E6E5F, "b"]"#
                            : "")
                ) {
                    try db.execute(sql: named, arguments: ["id": id, "name": "b"])
                }
            }
        }
    }
}
