import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The record snippets of the pages "JSON Support", "JSONColumn", and of "Built-in Codable support"
/// on the page "DatabaseValueConvertible".
@Suite(.databases) struct JSONRecordsDocumentTests {
    struct Address: Codable, Equatable {
        var street: String
        var city: String
        var country: String
    }

    /// A strict schema
    struct Player: Codable, Equatable {
        var id: String
        var name: String

        // Stored as a JSON string
        // {"street": "...", "city": "...", "country": "..."}
        var address: Address
    }

    // JSON String property
    struct FlexiblePlayer: Codable {
        var id: String
        var name: String
        var address: String  // JSON string
    }

    // JSON Data property, saved as text in the database
    struct Team: Codable {
        var id: String
        var color: String
        var info: Data  // JSON UTF8 data
    }

    private func createPlayers(_ db: Database) throws {
        try db.create(table: "player") { t in
            t.primaryKey("id", .text)
            t.column("name", .text).notNull()
            t.column("address", .jsonText).notNull()  // A JSON column
        }
        _ = try db.columns(in: "player")
        _ = try db.primaryKey("player")
    }

    @Test func strictSchema() throws {
        try TestDatabases.makeQueue().write { db in
            try createPlayers(db)
            let address = Address(street: "Rue", city: "Paris", country: "FR")
            let player = Player(id: "1", name: "Arthur", address: address)
            try expectSQL(
                """
                INSERT INTO "player" ("id", "name", "address") \
                VALUES ('1','Arthur','{"city":"Paris","country":"FR","street":"Rue"}')
                """
            ) {
                try player.insert(db)
            }
            try expectEqual(Player.fetchAll(db), [player])
            for (id, country) in [("2", "FR"), ("3", "IT")] {
                let address = Address(street: "a", city: "b", country: country)
                try Player(id: id, name: "b", address: address).insert(db)
            }
            // Fetch all country codes
            try expectSQL(#"SELECT DISTINCT "address" ->> 'country' FROM "player""#) {
                let countryCodes: [String] =
                    try Player
                    .select({ $0.address["country"] }, as: String.self)
                    .distinct()
                    .fetchAll(db)
                expectEqual(countryCodes, ["FR", "IT"])
            }
        }
    }

    @Test func flexibleSchema() throws {
        try TestDatabases.makeQueue().write { db in
            try createPlayers(db)
            try db.create(table: "team") { t in
                t.primaryKey("id", .text)
                t.column("color", .text).notNull()
                t.column("info", .jsonText).notNull()
            }
            try FlexiblePlayer(id: "1", name: "Arthur", address: #"{"anything": [1, 2]}"#)
                .insert(db)
            try expectEqual(FlexiblePlayer.find(db, key: "1").address, #"{"anything": [1, 2]}"#)

            try Team(id: "1", color: "red", info: Data(#"{"wins": 3}"#.utf8)).insert(db)
            // Data is stored as text: SQLite JSON functions and operators support it.
            try expectEqual(
                Row.fetchOne(
                    db, sql: "SELECT typeof(info) AS type, info ->> 'wins' AS wins FROM team"),
                ["type": "text", "wins": 3])
            try expectEqual(Team.find(db, key: "1").info, Data(#"{"wins": 3}"#.utf8))
        }
    }

    // MARK: - Built-in Codable support

    struct Color: Codable, Equatable {
        var red: Double
        var green: Double
        var blue: Double
        var date: Date?
        var data: Data?
    }

    private struct Car: Codable, FetchableRecord, PersistableRecord {
        enum Columns {
            static let color = Column(CodingKeys.color)
        }

        var id: Int64
        var color: Color
    }

    @Test func codableValues() throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(table: "car") { t in
                t.primaryKey("id", .integer)
                t.column("color", .jsonText)
            }
            let red = Color(red: 1, green: 0, blue: 0)
            try Car(id: 1, color: red).insert(db)
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM car"),
                [["id": 1, "color": #"{"blue":0,"green":0,"red":1}"#]])
            try expectEqual(Car.find(db, key: 1).color, red)
            try expectSQL(
                #"""
                SELECT * FROM "car" WHERE "color" = '{"blue":0,"green":0,"red":1}'
                """#
            ) {
                try expectTrue(Car.filter { $0.color == red }.fetchAll(db).map(\.id) == [1])
            }
            try expectTrue(Car.select({ $0.color }, as: Color.self).fetchOne(db) == red)

            // Data values are handled with the .base64 strategy, Date with the
            // .millisecondsSince1970 strategy, and non conforming floats with the .throw strategy.
            let date = Date(timeIntervalSince1970: 1.5)
            let color = Color(red: 0, green: 0, blue: 0, date: date, data: Data([1, 2]))
            let text = try String.fetchOne(db, sql: "SELECT ?", arguments: [color])
            expectEqual(text, #"{"blue":0,"data":"AQI=","date":1500,"green":0,"red":0}"#)
            try expectEqual(Color.fetchOne(db, sql: "SELECT ?", arguments: [text]), color)
            expectError((any Error).self) {
                let color = Color(red: .infinity, green: 0, blue: 0)
                try db.execute(sql: "UPDATE car SET color = ?", arguments: [color])
            }
            expectError((any Error).self) {
                try Car(id: 2, color: Color(red: .nan, green: 0, blue: 0)).insert(db)
            }
        }
    }

    struct Moment: Codable, Equatable {
        var startDate: Date
    }

    /// To customize the JSON format, implement these two methods.
    @Test func customFormat() throws {
        try TestDatabases.makeQueue().write { db in
            let moment = Moment(startDate: Date(timeIntervalSince1970: 0))
            let row = try unwrap(
                Row.fetchOne(db, sql: "SELECT ? AS moment", arguments: [moment]))
            expectEqual(row, ["moment": #"{"start_date":"1970-01-01T00:00:00Z"}"#])
            expectEqual(row["moment"], moment)
        }
    }
}

extension JSONRecordsDocumentTests.Player: FetchableRecord, PersistableRecord {
    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let address = JSONColumn(CodingKeys.address)  // JSONColumn
    }
}

extension JSONRecordsDocumentTests.FlexiblePlayer: FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"
}

extension JSONRecordsDocumentTests.Team: FetchableRecord, PersistableRecord {
    // Support SQLite JSON functions and operators
    // by storing JSON data as database text:
    static func databaseDataEncodingStrategy(
        for column: String
    ) -> DatabaseDataEncodingStrategy {
        .text
    }
}

// Encodes and decodes `Color` as a JSON object in the database:
extension JSONRecordsDocumentTests.Color: DatabaseValueConvertible {}

extension JSONRecordsDocumentTests.Moment: DatabaseValueConvertible {
    static func databaseJSONEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return encoder
    }

    static func databaseJSONDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}
