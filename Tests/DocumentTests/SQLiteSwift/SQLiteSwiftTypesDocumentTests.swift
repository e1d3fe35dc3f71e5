import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the chapters "Custom Types" and "Codable Types" of the SQLite.swift guide, in the
/// spelling of this library.
@Suite(.databases) struct SQLiteSwiftTypesDocumentTests {
    // MARK: - Date-Time Values

    @Test func dates() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE posts (id INTEGER PRIMARY KEY, published_at DATETIME);
                    INSERT INTO posts VALUES
                        (1, '1969-12-31 00:00:00.000'), (2, '2014-11-18 12:45:30.000'),
                        (3, '2020-01-01 00:00:00.000');
                    """)
            let posts = Table("posts")
            let publishedAt = Column("published_at")
            let now = Date(timeIntervalSince1970: 1_416_314_730)
            let startDate = Date(timeIntervalSince1970: 0)
            try expectSQL(
                """
                SELECT * FROM "posts" WHERE "published_at" <= '2014-11-18 12:45:30.000'
                SELECT * FROM "posts" WHERE "published_at" \
                BETWEEN '1970-01-01 00:00:00.000' AND '2014-11-18 12:45:30.000'
                """
            ) {
                let published = posts.filter(publishedAt <= now)
                try expectEqual(published.fetchAll(db).map { $0["id"] as Int }, [1, 2])
                let recent = posts.filter((startDate...now).contains(publishedAt))
                try expectEqual(recent.fetchAll(db).map { $0["id"] as Int }, [2])
            }
        }
    }

    // MARK: - Binary Data

    /// Any type that can be initialized from and encoded to Data.
    struct Picture: DatabaseValueConvertible, Equatable {
        var pixels: [UInt8]

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Picture? {
            Data.fromDatabaseValue(dbValue).map { Picture(pixels: Array($0)) }
        }

        var databaseValue: DatabaseValue {
            Data(pixels).databaseValue
        }
    }

    @Test func binaryData() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE users (name TEXT, avatar BLOB)")
            _ = try db.columns(in: "users")
            _ = try db.indexes(on: "users")
            let users = Table("users")
            let avatar = Column("avatar")
            let picture = Picture(pixels: [1, 2, 255])
            try expectSQL(
                """
                INSERT INTO "users" ("avatar") VALUES (x'0102ff')
                SELECT * FROM "users" WHERE "avatar" = x'0102ff' LIMIT 1
                """
            ) {
                try users.insert(db, [avatar.set(to: picture)])
                let row = try unwrap(users.filter(avatar == picture).fetchOne(db))
                expectEqual(row["avatar"], picture)
            }
        }
    }

    // MARK: - Codable Types

    struct User: Codable, Equatable {
        let name: String
    }

    /// A value that is customized by the user info of its encoder and decoder.
    struct Signed: Codable {
        var name: String

        init(name: String) {
            self.name = name
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let signature = decoder.userInfo[.signature] as? String ?? "?"
            name = try "\(container.decode(String.self, forKey: .name)) read by \(signature)"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            let signature = encoder.userInfo[.signature] as? String ?? "?"
            try container.encode("\(name) by \(signature)", forKey: .name)
        }

        enum CodingKeys: CodingKey {
            case name
        }
    }

    private func write(_ body: (Database, Table<Row>) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, email TEXT)")
            try body(db, Table("users"))
        }
    }

    @Test func insertingAndUpdating() throws {
        try write { db, users in
            let id = Column("id")
            let email = Column("email")
            try expectSQL(
                """
                INSERT INTO "users" ("name") VALUES ('test')
                INSERT INTO "users" ("name", "email") VALUES ('a by me', 'a@example.com')
                UPDATE "users" SET "name" = 'b' WHERE "id" = 1
                UPDATE "users" SET "name" = 'c by me', "email" = NULL WHERE "id" = 2
                UPDATE "users" SET "name" = 'd'
                """
            ) {
                try users.insert(db, from: User(name: "test"))
                // userInfo, and additional setters
                try users.insert(
                    db, from: Signed(name: "a"), userInfo: [.signature: "me"],
                    [email.set(to: "a@example.com")])

                try users.filter(id == 1).updateAll(db, from: User(name: "b"))
                try users.filter(id == 2).updateAll(
                    db, from: Signed(name: "c"), userInfo: [.signature: "me"], [email.set(to: nil)])
                // Unless filtered, all table rows are updated.
                try expectEqual(users.updateAll(db, from: User(name: "d")), 2)
            }
        }
    }

    @Test func decodingRows() throws {
        try write { db, users in
            try users.insert(db, from: User(name: "a"))
            try users.insert(db, from: User(name: "b"))
            let loadedUsers: [User] = try users.fetchAll(db).map { row in
                try row.decode()
            }
            expectEqual(loadedUsers, [User(name: "a"), User(name: "b")])
            let signed: [Signed] = try Array(
                users.fetchCursor(db).map { row in
                    try row.decode(userInfo: [.signature: "me"])
                })
            expectEqual(signed.map(\.name), ["a read by me", "b read by me"])
        }
    }

    class Image: Decodable {
        var width: Int
    }
    final class PNGImage: Image {}
    final class JPGImage: Image {}
    final class HEIFImage: Image {}

    enum ImageKind: Int, Codable {
        case png, jpg, heif
    }

    /// The facade that hides subclasses behind a super class: it determines the correct subclass
    /// before it decodes it.
    struct AnyImage: Decodable {
        enum ImageCodingKeys: String, CodingKey {
            case kind
        }

        var image: Image

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ImageCodingKeys.self)
            switch try container.decode(ImageKind.self, forKey: .kind) {
            case .png:
                image = try PNGImage(from: decoder)
            case .jpg:
                image = try JPGImage(from: decoder)
            case .heif:
                image = try HEIFImage(from: decoder)
            }
        }
    }

    @Test func facades() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE images (kind INTEGER, width INTEGER);
                    INSERT INTO images VALUES (2, 10), (0, 20), (1, 30)
                    """)
            let images = Table("images")
            let loadedImages: [Image] = try images.fetchAll(db).map { row in
                try row.decode(AnyImage.self).image
            }
            expectEqual(
                loadedImages.map { "\(type(of: $0))" },
                ["HEIFImage", "PNGImage", "JPGImage"])
            expectEqual(loadedImages.map(\.width), [10, 20, 30])
            expectError((any Error).self) {
                try db.execute(sql: "UPDATE images SET kind = 3")
                _ = try images.fetchOne(db)?.decode(AnyImage.self)
            }
        }
    }

    /// Nested types are stored as JSON in a single column.
    @Test func nestedTypes() throws {
        struct Nested: Codable, Equatable {
            var tags: [String]
        }
        struct Value: Codable, Equatable {
            var int: Int
            var bool: Bool
            var float: Float
            var double: Double
            var string: String
            var date: Date
            var nested: Nested
        }
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (int, bool, float, double, string, date, nested)")
            let value = Value(
                int: 1, bool: true, float: 0.5, double: 0.25, string: "a",
                date: Date(timeIntervalSince1970: 0), nested: Nested(tags: ["x", "y"]))
            try Table("t").insert(db, from: value)
            let row = try unwrap(Row.fetchOne(db, sql: "SELECT * FROM t"))
            expectEqual(
                row,
                [
                    "int": 1, "bool": 1, "float": 0.5, "double": 0.25, "string": "a",
                    "date": "1970-01-01 00:00:00.000", "nested": #"{"tags":["x","y"]}"#,
                ])
            try expectEqual(row.decode(Value.self), value)
        }
    }
}

extension CodingUserInfoKey {
    fileprivate static let signature = CodingUserInfoKey(rawValue: "signature")!
}
