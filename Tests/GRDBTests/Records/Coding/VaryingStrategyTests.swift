import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// What a record type says may depend on a variable: it is asked again for each record.
@Suite(.databases) struct VaryingStrategyTests {
    /// What the types below depend on.
    private enum Context {
        @TaskLocal static var user: String?
        @TaskLocal static var usesNumbers = false
        @TaskLocal static var usesSnakeCase = false
        @TaskLocal static var selectsAll = true
    }

    private func makeQueue(_ columns: String) throws -> DatabaseQueue {
        let queue = try TestDatabases.makeQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE note(\(columns))") }
        return queue
    }

    // MARK: - User info

    private struct Signed: Codable, PersistableRecord, FetchableRecord {
        static let databaseTableName = "note"
        static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] {
            Context.user.map { [.user: $0] } ?? [:]
        }
        static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { databaseEncodingUserInfo }

        /// Is stored as JSON.
        struct Signature: Codable, Equatable {
            var user: String

            init(user: String) { self.user = user }

            init(from decoder: any Decoder) throws {
                user = decoder.userInfo[.user] as? String ?? "none"
            }

            func encode(to encoder: any Encoder) throws {
                try [encoder.userInfo[.user] as? String ?? "none"].encode(to: encoder)
            }
        }

        var id: Int64?
        var user = ""
        var signature = Signature(user: "")
        enum CodingKeys: CodingKey { case id, user, signature }

        init(id: Int64? = nil) { self.id = id }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int64.self, forKey: .id)
            user = decoder.userInfo[.user] as? String ?? "none"
            signature = try container.decode(Signature.self, forKey: .signature)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(encoder.userInfo[.user] as? String ?? "none", forKey: .user)
            try container.encode(signature, forKey: .signature)
        }
    }

    private static let users = [nil, nil, "alice", "alice", "bob", "bob", nil, nil]

    @Test func encodingUserInfo() throws {
        try makeQueue("id INTEGER PRIMARY KEY, user TEXT, signature TEXT").write { db in
            for user in Self.users {
                try Context.$user.withValue(user) { try Signed().insert(db) }
            }
            let names = Self.users.map { $0 ?? "none" }
            func check() throws {
                try expectEqual(String.fetchAll(db, sql: "SELECT user FROM note"), names)
                try expectEqual(
                    String.fetchAll(db, sql: "SELECT signature FROM note"),
                    names.map { "[\"\($0)\"]" })
            }
            try check()
            try db.execute(sql: "UPDATE note SET user = NULL, signature = NULL")
            for (index, user) in Self.users.enumerated() {
                try Context.$user.withValue(user) { try Signed(id: Int64(index) + 1).update(db) }
            }
            try check()
        }
    }

    @Test func decodingUserInfo() throws {
        try makeQueue("id INTEGER PRIMARY KEY, user TEXT, signature TEXT").write { db in
            try Signed(id: 1).insert(db)
            for user in Self.users {
                try Context.$user.withValue(user) {
                    let name = user ?? "none"
                    for record in [
                        try Signed.find(db, key: 1), try unwrap(Signed.fetchOne(db, key: 1)),
                        try Signed.fetchAll(db)[0],
                    ] {
                        expectEqual(record.user, name)
                        expectEqual(record.signature, Signed.Signature(user: name))
                    }
                }
            }
        }
    }

    // MARK: - Strategies

    private struct Values: Codable, PersistableRecord, FetchableRecord, Equatable {
        static let databaseTableName = "note"
        static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
            Context.usesSnakeCase ? .convertToSnakeCase : .useDefaultKeys
        }
        static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
            Context.usesSnakeCase ? .convertFromSnakeCase : .useDefaultKeys
        }
        static func databaseDateEncodingStrategy(
            for column: String
        ) -> DatabaseDateEncodingStrategy {
            Context.usesNumbers ? .secondsSince1970 : .deferredToDate
        }
        static func databaseDateDecodingStrategy(
            for column: String
        ) -> DatabaseDateDecodingStrategy {
            Context.usesNumbers ? .timeIntervalSince1970 : .deferredToDate
        }
        static func databaseDataEncodingStrategy(
            for column: String
        ) -> DatabaseDataEncodingStrategy {
            Context.usesNumbers ? .custom { $0.count } : .deferredToData
        }
        static func databaseDataDecodingStrategy(
            for column: String
        ) -> DatabaseDataDecodingStrategy {
            Context.usesNumbers
                ? .custom { Int.fromDatabaseValue($0).map { Data(count: $0) } } : .deferredToData
        }
        static func databaseUUIDEncodingStrategy(
            for column: String
        ) -> DatabaseUUIDEncodingStrategy {
            Context.usesNumbers ? .lowercaseString : .deferredToUUID
        }

        var id: Int
        var aDate = Date(timeIntervalSince1970: 5)
        var someData = Data(count: 2)
        var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    }

    @Test func strategiesOfValues() throws {
        try makeQueue("id INTEGER PRIMARY KEY, aDate, someData, uuid").write { db in
            let choices = [false, false, true, true, false, true, false]
            for (id, usesNumbers) in choices.enumerated() {
                try Context.$usesNumbers.withValue(usesNumbers) {
                    try Values(id: id).insert(db)
                    let types = try String.fetchAll(
                        db,
                        sql: """
                            SELECT typeof(aDate) || ' ' || typeof(someData) || ' ' || typeof(uuid)
                            FROM note WHERE id = ?
                            """, arguments: [id])
                    expectEqual(types, [usesNumbers ? "integer integer text" : "text blob blob"])
                    try expectEqual(Values.find(db, key: id), Values(id: id))
                    try Values(id: id).update(db)
                    try expectEqual(Values.fetchOne(db, key: id), Values(id: id))
                }
            }
        }
    }

    @Test func strategiesOfColumns() throws {
        let columns = "id INTEGER PRIMARY KEY, a_date, some_data, aDate, someData, uuid"
        try makeQueue(columns).write { db in
            for (id, usesSnakeCase) in [false, false, true, true, false].enumerated() {
                try Context.$usesSnakeCase.withValue(usesSnakeCase) {
                    try Values(id: id).insert(db)
                    try expectEqual(Values.find(db, key: id), Values(id: id))
                    let isSnakeCase = try Bool.fetchOne(
                        db,
                        sql: """
                            SELECT a_date IS NOT NULL AND some_data IS NOT NULL
                                AND aDate IS NULL AND someData IS NULL
                            FROM note WHERE id = ?
                            """, arguments: [id])
                    expectEqual(isSnakeCase, usesSnakeCase)
                }
            }
        }
    }

    private struct Failing: Codable, PersistableRecord {
        static let databaseTableName = "note"
        static func databaseDateEncodingStrategy(
            for column: String
        ) -> DatabaseDateEncodingStrategy { .iso8601 }

        var date: Date?
        var a = 1

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            // What has no representation is left out.
            if let date { try? container.encode(date, forKey: .date) }
            try container.encode(a, forKey: .a)
        }
    }

    @Test func recordsThatCatchErrorsOfStrategies() throws {
        try makeQueue("date TEXT, a INTEGER").write { db in
            for time in [0, 0, .infinity, 0, .infinity, .infinity] as [Double] {
                try Failing(date: Date(timeIntervalSince1970: time)).insert(db)
            }
            let date = "1970-01-01T00:00:00Z"
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM note"),
                [date, date, nil, date, nil, nil].map { ["date": $0, "a": 1] })
        }
    }

    // MARK: - Selections

    private struct Selected: FetchableRecord, TableRecord {
        static let databaseTableName = "note"
        static var databaseSelection: [any SQLSelectable] {
            Context.selectsAll ? [.allColumns] : [Column("id"), (Column("a") * 2).forKey("b")]
        }

        var columns: [String]

        init(row: Row) { columns = Array(row.columnNames) }
    }

    private struct Constant: FetchableRecord, TableRecord {
        static let databaseTableName = "note"
        static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("a")] }

        init(row: Row) { expectEqual(Array(row.columnNames), ["id", "a"]) }
    }

    @Test func selections() throws {
        try makeQueue("id INTEGER PRIMARY KEY, a, b, c").write { db in
            try db.execute(sql: "INSERT INTO note VALUES (1, 2, 3, 4)")
            for selectsAll in [true, true, false, false, true, false] {
                try Context.$selectsAll.withValue(selectsAll) {
                    let columns = selectsAll ? ["id", "a", "b", "c"] : ["id", "b"]
                    try expectEqual(Selected.find(db, key: 1).columns, columns)
                    try expectEqual(Selected.fetchOne(db, key: 1)?.columns, columns)
                }
            }
            for _ in 0..<3 { _ = try Constant.find(db, key: 1) }
        }
    }

    // MARK: - Functions that name columns

    private struct Translated: Codable, PersistableRecord, FetchableRecord {
        static let databaseTableName = "note"
        static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
            .custom { $0.stringValue == "title" ? "title_\(Context.user ?? "en")" : $0.stringValue }
        }

        var id: Int
        var title: String
    }

    @Test func columnsNamedByAFunction() throws {
        try makeQueue("id INTEGER PRIMARY KEY, title_en, title_fr").write { db in
            try Translated(id: 1, title: "one").insert(db)
            try Context.$user.withValue("fr") {
                try Translated(id: 2, title: "deux").insert(db)
                try Translated(id: 1, title: "un").update(db)
            }
            try Translated(id: 2, title: "two").update(db)
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM note ORDER BY id"),
                [
                    ["id": 1, "title_en": "one", "title_fr": "un"],
                    ["id": 2, "title_en": "two", "title_fr": "deux"],
                ])
        }
    }
}

extension CodingUserInfoKey {
    fileprivate static let user = CodingUserInfoKey(rawValue: "user")!
}
