import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The pages "JSON Support", "JSONColumn" and "SQLJSONExpressible".
@Suite(.databases) struct JSONDocumentTests {
    private struct Address: Codable, Equatable {
        var street: String
        var city: String
        var country: String
    }

    private struct Player: Codable, FetchableRecord, PersistableRecord {
        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
            static let address = JSONColumn(CodingKeys.address)  // JSONColumn
        }

        var id: String
        var name: String
        var address: Address
    }

    /// A record with a flexible JSON property.
    private struct FlexiblePlayer: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "player"

        var id: String
        var name: String
        var address: String  // JSON string
    }

    private struct Team: Codable, FetchableRecord, PersistableRecord {
        var id: String
        var color: String
        var info: Data  // JSON UTF8 data

        // Support SQLite JSON functions and operators by storing JSON data as database text:
        static func databaseDataEncodingStrategy(
            for column: String
        ) -> DatabaseDataEncodingStrategy { .text }
    }

    private func withTables(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(table: "player") { t in
                t.primaryKey("id", .text)
                t.column("name", .text).notNull()
                t.column("address", .jsonText).notNull()  // A JSON column
            }
            try db.create(table: "team") { t in
                t.primaryKey("id", .text)
                t.column("color", .text)
                t.column("info", .jsonText)
            }
            try body(db)
        }
    }

    // MARK: - Strict and flexible schemas

    @Test func strictSchema() throws {
        try withTables { db in
            let address = Address(street: "Rue de Belleville", city: "Paris", country: "FR")
            try Player(id: "a", name: "Arthur", address: address).insert(db)
            // Stored as a JSON string
            try expectEqual(
                String.fetchOne(db, sql: "SELECT address FROM player"),
                #"{"city":"Paris","country":"FR","street":"Rue de Belleville"}"#)
            try expectEqual(Player.fetchOne(db)?.address, address)
        }
    }

    @Test func flexibleSchemas() throws {
        try withTables { db in
            try FlexiblePlayer(id: "a", name: "Arthur", address: #"{"country":"FR"}"#).insert(db)
            let info = Data(#"{"founded":1970}"#.utf8)
            try Team(id: "t", color: "red", info: info).insert(db)
            try expectRequest(
                db,
                Table("player").select(JSONColumn("address")["country"]),
                #"SELECT "address" ->> 'country' FROM "player""#, ["FR"])
            // SQLite JSON functions throw errors for blobs.
            try expectRequest(
                db,
                Table("team").select(
                    SQL("typeof(info)").sqlExpression, JSONColumn("info")["founded"]),
                #"SELECT typeof(info), "info" ->> 'founded' FROM "team""#, ["text|1970"])
            try expectEqual(Team.fetchOne(db)?.info, info)
        }
    }

    // MARK: - JSONColumn

    private func withPlayers(_ body: (Database) throws -> Void) throws {
        try withTables { db in
            for (index, country) in ["FR", "US", "FR"].enumerated() {
                let address = Address(street: "\(index)", city: "c", country: country)
                try Player(id: "p\(index)", name: "n", address: address).insert(db)
            }
            try body(db)
        }
    }

    @Test func jsonColumn() throws {
        try withPlayers { db in
            try expectSQL(#"SELECT DISTINCT "address" ->> 'country' FROM "player""#) {
                // Fetch all country codes
                let countryCodes: [String] =
                    try Player
                    .select({ $0.address["country"] }, as: String.self)
                    .distinct()
                    .fetchAll(db)
                expectEqual(countryCodes, ["FR", "US"])
            }
            // It behaves like a regular column.
            try expectSQL(
                """
                SELECT COUNT(*) FROM "player" WHERE \
                ("address" IS NOT NULL) AND (("address" ->> 'country') = 'FR')
                """
            ) {
                let request = Player.filter { $0.address != nil && $0.address["country"] == "FR" }
                try expectEqual(request.fetchCount(db), 2)
            }
        }
    }

    // MARK: - SQLJSONExpressible

    /// Expects the SQL of an expression, and its value for one row.
    private func expectValue(
        _ expression: some SQLSpecificExpressible, _ sql: String, _ value: String, line: Int = #line
    ) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: #"""
                    CREATE TABLE player (info TEXT, address TEXT);
                    INSERT INTO player VALUES (
                        '{"firstName":"Arthur","address":{"street":"Rue de Belleville"}}',
                        '{"country":"FR"}');
                    """#)
            try expectRequest(
                db, Table("player").select(expression), #"SELECT \#(sql) FROM "player""#, [value],
                line: line)
        }
    }

    @Test func jsonValues() throws {
        try expectValue(
            Database.json("[1, 2, 3]".databaseValue.asJSON), "JSON('[1, 2, 3]')", "[1,2,3]")
        try TestDatabases.makeQueue().write { db in
            try db.create(table: "t") { $0.column("x") }
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            let error = expectError(DatabaseError.self) {
                try Table("t").select(Database.json("{foo".databaseValue.asJSON)).fetchAll(db)
            }
            expectEqual(error?.message, "malformed JSON")
        }
    }

    @Test func subcomponents() throws {
        let info = JSONColumn("info")
        try expectValue(info["firstName"], #""info" ->> 'firstName'"#, "Arthur")
        try expectValue(
            info["address"], #""info" ->> 'address'"#, #"{"street":"Rue de Belleville"}"#)
        try expectValue(
            Column("info").asJSON["firstName"], #""info" ->> 'firstName'"#, "Arthur")
        try expectValue(
            info.jsonRepresentation(atPath: "firstName"), #""info" -> 'firstName'"#,
            #""Arthur""#)
        try expectValue(
            info.jsonExtract(atPath: "$.address.street"),
            #"JSON_EXTRACT("info", '$.address.street')"#, "Rue de Belleville")
        try expectValue(
            info.jsonExtract(atPaths: ["$.firstName", "$.address.street"]),
            #"JSON_EXTRACT("info", '$.firstName', '$.address.street')"#,
            #"["Arthur","Rue de Belleville"]"#)
    }

    @Test func buildingFromValues() throws {
        let elements: [any SQLExpressible] = [
            JSONColumn("address"),
            Column("address"),
        ]
        try expectValue(
            Database.jsonArray(elements), #"JSON_ARRAY(JSON("address"), "address")"#,
            #"[{"country":"FR"},"{\"country\":\"FR\"}"]"#)
        try expectValue(
            Database.jsonObject(["address": JSONColumn("address")]),
            #"JSON_OBJECT('address', JSON("address"))"#, #"{"address":{"country":"FR"}}"#)
        try expectValue(
            Database.jsonGroupArray(JSONColumn("address")),
            #"JSON_GROUP_ARRAY(JSON("address"))"#, #"[{"country":"FR"}]"#)
        try expectValue(
            Database.jsonGroupObject(key: "k", value: JSONColumn("address")),
            #"JSON_GROUP_OBJECT('k', JSON("address"))"#, #"{"k":{"country":"FR"}}"#)
    }

    // MARK: - Functions

    @Test func functions() throws {
        let address = JSONColumn("address")
        try expectValue(Database.json(address), #"JSON("address")"#, #"{"country":"FR"}"#)
        try expectValue(
            Database.jsonArrayLength("[1,2,3]".databaseValue), "JSON_ARRAY_LENGTH('[1,2,3]')", "3")
        try expectValue(
            Database.jsonType(address, atPath: "$.country"),
            #"JSON_TYPE("address", '$.country')"#, "text")
        try expectValue(Database.jsonQuote("a\"b"), #"JSON_QUOTE('a"b')"#, #""a\"b""#)
        try expectValue(Database.jsonIsValid(address), #"JSON_VALID("address")"#, "1")
        try expectValue(
            Database.jsonInsert(address, ["$.city": "Paris"]),
            #"JSON_INSERT("address", '$.city', 'Paris')"#, #"{"country":"FR","city":"Paris"}"#)
        try expectValue(
            Database.jsonReplace(address, ["$.country": "US"]),
            #"JSON_REPLACE("address", '$.country', 'US')"#, #"{"country":"US"}"#)
        try expectValue(
            Database.jsonSet(address, ["$.country": "US"]),
            #"JSON_SET("address", '$.country', 'US')"#, #"{"country":"US"}"#)
        try expectValue(
            Database.jsonPatch(address, with: #"{"country":null,"zip":1}"#),
            #"JSON_PATCH("address", '{"country":null,"zip":1}')"#, #"{"zip":1}"#)
        try expectValue(
            Database.jsonRemove(address, atPath: "$.country"),
            #"JSON_REMOVE("address", '$.country')"#, "{}")
    }
}
