import Foundation
import GRDB
import GRDBQueries
import GRDBTestSupport
import Testing

/// Tells the user info that it was encoded and decoded with.
private struct Context: Codable, Equatable {
    var seen: String?
    enum CodingKeys: CodingKey { case seen }

    init() {}

    init(from decoder: any Decoder) throws {
        seen = decoder.userInfo[.context] as? String
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(encoder.userInfo[.context] as? String, forKey: .seen)
    }
}

/// Coders that a record type makes once, for all columns and all threads.
private struct SharedCoders: @unchecked Sendable {
    // Unchecked: nobody modifies the coders.
    let encoder = JSONEncoder()
    let decoder = JSONDecoder()

    init() {
        encoder.userInfo = [.own: "own"]
        decoder.userInfo = [.own: "own"]
        encoder.outputFormatting = .sortedKeys
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        encoder.dateEncodingStrategy = .secondsSince1970
        decoder.dateDecodingStrategy = .secondsSince1970
        encoder.dataEncodingStrategy = .deferredToData
        decoder.dataDecodingStrategy = .deferredToData
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
    }
}

private struct Shared: Codable, PersistableRecord, FetchableRecord {
    static let coders = SharedCoders()

    static func databaseJSONEncoder(for column: String) -> JSONEncoder { coders.encoder }
    static func databaseJSONDecoder(for column: String) -> JSONDecoder { coders.decoder }

    struct Details: Codable, Equatable {
        var joinDate = Date(timeIntervalSince1970: 1)
        var picture = Data([1])
        var topScore = Double.infinity
        var context = Context()
    }

    var id: Int
    var details = Details()
}

@Suite(.databases) struct CodingUserInfoTests {
    private let context: [CodingUserInfoKey: Any] = [.context: "here"]

    @Test func userInfoOfARowReachesJSONOfRecords() throws {
        struct Record: Decodable, FetchableRecord {
            var list: [Context]
            var object: Context
        }
        let row: Row = ["list": "[{}]", "object": "{}"]
        let record = try row.decode(Record.self, userInfo: context)
        expectEqual(record.list.map(\.seen), ["here"])
        expectEqual(record.object.seen, "here")
        let other = try row.decode(Record.self)
        expectEqual(other.list.map(\.seen), [nil])
        expectEqual(other.object.seen, nil)
    }

    @Test func userInfoOfACallDoesNotStayInSharedCoders() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE shared(id INTEGER PRIMARY KEY, details TEXT)")
            try Shared(id: 1).insert(db, setting: [], userInfo: context)
            try Shared(id: 2).insert(db)
            let details = try String.fetchAll(db, sql: "SELECT details FROM shared ORDER BY id")
            func json(_ context: String) -> String {
                #"{"context":{"seen":\#(context)},"join_date":1,"picture":[1],"top_score":"+"}"#
            }
            expectEqual(details, [json(#""here""#), json("null")])
            expectEqual(Shared.coders.encoder.userInfo.keys.map(\.rawValue), ["own"])

            let row = try unwrap(Row.fetchOne(db, sql: "SELECT * FROM shared"))
            let shared = try row.decode(Shared.self, userInfo: context)
            var expected = Shared.Details()
            expected.context.seen = "here"
            expectEqual(shared.details, expected)
            try expectEqual(row.decode(Shared.self).details, Shared.Details())
            expectEqual(Shared.coders.decoder.userInfo.keys.map(\.rawValue), ["own"])
        }
    }
}

/// A record with the default coders.
private struct Plain: Codable, PersistableRecord, FetchableRecord {
    static let databaseTableName = "shared"

    var id: Int
    var details = Context()
}

extension CodingUserInfoTests {
    @Test func userInfoOfACallReachesDefaultCoders() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE shared(id INTEGER PRIMARY KEY, details TEXT)")
            let userInfo: [CodingUserInfoKey: Any] = [.context: "here"]
            try Plain(id: 1).insert(db, setting: [], userInfo: userInfo)
            try Plain(id: 2).insert(db)
            try Table("shared").insert(db, from: Plain(id: 3), userInfo: userInfo)
            let details = try String.fetchAll(db, sql: "SELECT details FROM shared ORDER BY id")
            expectEqual(details, [#"{"seen":"here"}"#, #"{"seen":null}"#, #"{"seen":"here"}"#])
        }
    }
}

// MARK: - User info of JSON decoders

/// What a type sees before it asks for a container.
private enum Seen {
    static func of(_ decoder: any Decoder) -> String {
        let context = decoder.userInfo[.context] as? String ?? "-"
        return "\(context) \(decoder.userInfo[.own] as? String ?? "-")"
    }

    struct Object: Decodable {
        var seen: String
        enum CodingKeys: CodingKey {}
        init(from decoder: any Decoder) throws {
            seen = Seen.of(decoder)
            _ = try decoder.container(keyedBy: CodingKeys.self)
        }
    }

    struct Array: Decodable {
        var seen: String
        init(from decoder: any Decoder) throws {
            seen = Seen.of(decoder)
            _ = try decoder.unkeyedContainer()
        }
    }

    struct ArrayOfObjects: Decodable {
        var seen: String
        init(from decoder: any Decoder) throws {
            seen = Seen.of(decoder)
            seen += try decoder.singleValueContainer().decode([Object].self).map { " " + $0.seen }
                .joined()
        }
    }

    struct Text: Decodable {
        var seen: String
        init(from decoder: any Decoder) throws {
            seen = try Seen.of(decoder) + " " + decoder.singleValueContainer().decode(String.self)
        }
    }
}

extension CodingUserInfoTests {
    @Test func typesReadFromJSONSeeTheUserInfoOfTheJSONDecoder() throws {
        struct Record: Decodable, FetchableRecord {
            static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [.context: "record"] }
            static func databaseJSONDecoder(for column: String) -> JSONDecoder {
                let decoder = JSONDecoder()
                decoder.userInfo = [.own: "json \(column)"]
                return decoder
            }
            var object: Seen.Object
            var array: Seen.Array
            var list: [Seen.Object]
            var objects: Seen.ArrayOfObjects
            var blob: Seen.Object
            var text: Seen.Text
            var optional: Seen.Object?
        }
        try TestDatabases.makeQueue().read { db in
            let sql = """
                SELECT ' {}' AS object, '[]' AS array, '[{}]' AS list, '[{}]' AS objects,
                    CAST('{}' AS BLOB) AS blob, 'x' AS text, '{}' AS optional
                """
            let copied = try unwrap(Row.fetchOne(db, sql: sql))
            let records = try [Record.fetchOne(db, sql: sql), Record(row: copied)]
            for record in records {
                expectEqual(record?.object.seen, "- json object")
                expectEqual(record?.array.seen, "- json array")
                expectEqual(record?.list.map(\.seen), ["- json list"])
                expectEqual(record?.objects.seen, "- json objects - json objects")
                expectEqual(record?.blob.seen, "- json blob")
                expectEqual(record?.text.seen, "record - x")
                expectEqual(record?.optional?.seen, "- json optional")
            }
            // User info of a call is added.
            let record = try copied.decode(Record.self, userInfo: [.context: "call"])
            expectEqual(record.object.seen, "call json object")
            expectEqual(record.text.seen, "call - x")
        }
    }
}

extension CodingUserInfoKey {
    fileprivate static let context = CodingUserInfoKey(rawValue: "context")!
    fileprivate static let own = CodingUserInfoKey(rawValue: "own")!
}
