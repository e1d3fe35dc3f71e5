import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The columns that records leave alone, and the stored formats that filters don't know.
@Suite(.databases) struct StoredColumnsTests {
    struct Person: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
    }

    /// A record that has fewer columns than its table.
    @Test func upsertsKeepTheColumnsThatTheRecordLacks() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT UNIQUE, note TEXT DEFAULT 'new');
                    INSERT INTO person VALUES (1, 'Arthur', 'kept'), (2, 'Barbara', NULL);
                    """)
            for _ in 0..<2 {
                try Person(id: 1, name: "Arthur B.").upsert(db)
                _ = try Person(id: 2, name: "Barbara").upsertAndFetch(db)
                try Person(id: 3, name: "Craig").upsert(db)
                // The conflict is one of the name. The key is kept, too.
                try Person(id: 9, name: "Craig").upsert(db)
            }
            expectEqual(
                try Row.fetchAll(db, sql: "SELECT * FROM person ORDER BY id"),
                [
                    ["id": 1, "name": "Arthur B.", "note": "kept"],
                    ["id": 2, "name": "Barbara", "note": nil],
                    ["id": 3, "name": "Craig", "note": "new"],
                ])
        }
    }

    struct Visit: Codable, FetchableRecord, PersistableRecord {
        enum Columns {
            static let id = Column(CodingKeys.id)
            static let date = Column(CodingKeys.date)
        }

        static func databaseDateEncodingStrategy(
            for column: String
        ) -> DatabaseDateEncodingStrategy { .timeIntervalSince1970 }
        static func databaseDateDecodingStrategy(
            for column: String
        ) -> DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
        static func databaseUUIDEncodingStrategy(
            for column: String
        ) -> DatabaseUUIDEncodingStrategy { .uppercaseString }

        var id: UUID
        var date: Date
    }

    /// Strategies belong to records: a filter writes dates and UUIDs in their default formats.
    @Test func filtersIgnoreTheStrategiesOfRecords() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE visit (id PRIMARY KEY, date)")
            let visit = Visit(id: UUID(), date: Date(timeIntervalSince1970: 1000))
            try visit.insert(db)
            try expectEqual(Visit.fetchOne(db)?.date, visit.date)
            let columns = Visit.Columns.self
            expectEqual(try Visit.filter(columns.date == visit.date).fetchCount(db), 0)
            expectEqual(try Visit.filter(columns.id == visit.id).fetchCount(db), 0)
            expectEqual(
                try Visit.filter(columns.date == visit.date.timeIntervalSince1970).fetchCount(db),
                1)
            expectEqual(try Visit.filter(columns.id == visit.id.uuidString).fetchCount(db), 1)
            try expectSQL("UPDATE \"visit\" SET \"date\" = '1970-01-01 00:16:40.000'") {
                try Visit.updateAll(db, columns.date.set(to: visit.date))
            }
        }
    }
}
