import GRDBFunctions
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Records are found by the keys that they have, whatever is stored of them.
@Suite(.databases) struct KeyStrategyTests {
    private static let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!

    private struct Tag: Codable, Hashable, FetchableRecord, PersistableRecord, Identifiable {
        static func databaseUUIDEncodingStrategy(
            for column: String
        ) -> DatabaseUUIDEncodingStrategy {
            column == "id" ? .uppercaseString : .deferredToUUID
        }

        var id: UUID
        var other: UUID
    }

    private func withTag(_ body: (Database, Tag) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE tag(id PRIMARY KEY, other)")
            let tag = Tag(id: Self.uuid, other: Self.uuid)
            try tag.insert(db)
            try body(db, tag)
        }
    }

    @Test func keysAreEncodedLikeColumns() throws {
        try withTag { db, tag in
            let id = tag.id
            try expectTrue(Tag.exists(db, id: id))
            // The second time, with a statement that is kept.
            for _ in 0..<3 { try expectEqual(Tag.fetchOne(db, id: id)?.id, id) }
            try expectEqual(Tag.find(db, key: id).id, id)
            try expectEqual(Tag.fetchAll(db, ids: [id, UUID()]).count, 1)
            try expectEqual(Tag.fetchSet(db, keys: [id]).count, 1)
            try expectTrue(Tag.fetchCursor(db, keys: [id]).next() != nil)
            try expectEqual(Tag.filter(id: id).fetchCount(db), 1)
            try expectEqual(Tag.filter(ids: [id]).fetchCount(db), 1)
            try expectEqual(Tag.all().filter(key: id).fetchCount(db), 1)
            try expectEqual(Tag.filter(key: id as UUID?).fetchCount(db), 1)
            try expectEqual(Tag.filter(key: nil as UUID?).fetchCount(db), 0)
            try expectEqual(Table<Tag>("tag").filter(id: id).fetchCount(db), 1)
            try expectTrue(Table<Tag>("tag").exists(db, id: id))
            try expectSQL(
                #"SELECT * FROM "tag" WHERE "id" = 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'"#
            ) {
                _ = try Tag.filter(id: id).fetchAll(db)
            }
            try expectTrue(generic(Tag.self, db, id))
            try expectTrue(Tag.deleteOne(db, id: id))
            try tag.insert(db)
            try expectEqual(Tag.deleteAll(db, ids: [id]), 1)
        }

        func generic<Record: TableRecord>(
            _ type: Record.Type, _ db: Database, _ key: UUID
        ) throws -> Bool {
            try Record.exists(db, key: key) && Record.filter(key: key).fetchCount(db) == 1
        }
    }

    @Test func otherConditionsAreNot() throws {
        try withTag { db, tag in
            try expectEqual(Tag.filter(Column("id") == tag.id).fetchCount(db), 0)
            try expectEqual(Tag.fetchOne(db, key: ["id": tag.id]), nil)
            try expectEqual(Tag.filter(Column("other") == tag.id).fetchCount(db), 1)
            try expectEqual(Tag.filter(key: tag.id).asRequest(of: Row.self).fetchCount(db), 1)
            try expectEqual(Tag.all().asRequest(of: Row.self).filter(key: tag.id).fetchCount(db), 0)
        }
    }

    private struct Day: Codable, FetchableRecord, PersistableRecord {
        static func databaseDateEncodingStrategy(
            for column: String
        ) -> DatabaseDateEncodingStrategy { .timeIntervalSince1970 }

        var day: Date
        var name: String
    }

    private struct Named: Codable, FetchableRecord, PersistableRecord {
        static func databaseDataEncodingStrategy(
            for column: String
        ) -> DatabaseDataEncodingStrategy { .text }

        var name: Data
    }

    @Test func datesAndData() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE day(day PRIMARY KEY, name); CREATE TABLE named(name PRIMARY KEY)"
            )
            let date = Date(timeIntervalSince1970: 86_400.5)
            try Day(day: date, name: "first").insert(db)
            try expectEqual(Day.find(db, key: date).name, "first")
            try expectEqual(Day.filter(keys: [date]).fetchCount(db), 1)
            let data = Data("é".utf8)
            try Named(name: data).insert(db)
            try expectEqual(Named.find(db, key: data).name, data)
            try expectEqual(Named.filter(key: data).fetchCount(db), 1)
            // What the strategy refuses can't be a key.
            expectError(EncodingError.self) { try Named.fetchOne(db, key: Data([0xFF])) }
            expectError(EncodingError.self) {
                try Named.filter(key: Data([0xFF])).fetchCount(db)
            }
        }
    }
}
