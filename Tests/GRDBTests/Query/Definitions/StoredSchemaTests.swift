import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Calls of the schema builders, and the text that they leave in `sqlite_master`.
///
/// `eraseDatabaseOnSchemaChange` compares such texts: an app that has made its database with
/// another implementation of this API must not lose it. So each line here was read from a database
/// that GRDB 7.10.0 has made with the same calls.
struct StoredSchemaCase: Sendable, CustomTestStringConvertible {
    var name: String
    var schema: [String]
    var build: @Sendable (Database) throws -> Void

    init(
        _ name: String, _ schema: [String], _ build: @escaping @Sendable (Database) throws -> Void
    ) {
        self.name = name
        self.schema = schema
        self.build = build
    }

    var testDescription: String { name }

    static let all = conflictClauses + columns + tables
}

@Suite(.databases) struct StoredSchemaTests {
    @Test(arguments: StoredSchemaCase.all)
    func storedSchema(_ test: StoredSchemaCase) throws {
        try TestDatabases.makeQueue().write { db in
            db.add(collation: DatabaseCollation("my_coll") { _, _ in .orderedSame })
            try db.create(table: "parent") { $0.autoIncrementedPrimaryKey("id") }
            try db.create(table: "parent2") { t in
                t.primaryKey {
                    t.column("a", .text)
                    t.column("b", .integer)
                }
            }
            try db.create(table: "np") { $0.column("x") }
            let known = try String.fetchSet(db, sql: "SELECT name FROM sqlite_master")
            try test.build(db)
            let rows = try Row.fetchAll(
                db, sql: "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY rowid")
            let schema: [String] = rows.filter { !known.contains($0[0]) }.map { $0[1] }
            expectEqual(schema, test.schema)
        }
    }

    @Test func collationsThatNeedQuotesHaveThem() throws {
        try TestDatabases.makeQueue().write { db in
            for name in ["my coll", "select", "1a", "a\"b", "é"] {
                db.add(collation: DatabaseCollation(name) { _, _ in .orderedSame })
                try db.create(table: "t") {
                    $0.column("a", .text).collate(Database.CollationName(rawValue: name))
                }
                let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master")
                let quoted = name.replacingOccurrences(of: "\"", with: "\"\"")
                expectEqual(sql, #"CREATE TABLE "t" ("a" TEXT COLLATE "\#(quoted)")"#)
                try db.drop(table: "t")
            }
        }
    }
}
