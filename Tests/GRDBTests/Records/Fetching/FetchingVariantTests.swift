import GRDB
import GRDBTestSupport
import Testing

/// Sets of records, records by id, tables of values, and updates by closures.
@Suite(.databases) struct FetchingVariantTests {
    private struct City: Codable, FetchableRecord, PersistableRecord, Identifiable, Hashable {
        static let databaseTableName = "city"

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let size = Column(CodingKeys.size)
        }

        var id: Int64
        var size: Int
    }

    private func withCities(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE city (id INTEGER PRIMARY KEY, size INTEGER);
                    INSERT INTO city VALUES (1, 10), (2, 20), (3, 30);
                    """)
            try body(db)
        }
    }

    @Test func recordsOfStatementsAreFetchedAsSets() throws {
        try withCities { db in
            let sql = "SELECT * FROM city WHERE size > ?"
            let large: Set = [City(id: 2, size: 20), City(id: 3, size: 30)]
            let statement = try db.makeStatement(sql: sql)
            try expectEqual(City.fetchSet(statement, arguments: [10]), large)
            try expectEqual(City.fetchSet(db, sql: sql, arguments: [10]), large)
            let adapter = RenameColumnAdapter { $0 == "n" ? "size" : $0 }
            try expectEqual(
                City.fetchSet(
                    db, sql: "SELECT id, size AS n FROM city WHERE id = 1", adapter: adapter),
                [City(id: 1, size: 10)])
        }
    }

    @Test func cursorsFetchRecordsByID() throws {
        try withCities { db in
            let cursor = try City.fetchCursor(db, ids: [3, 1, 9])
            try expectEqual(Set(cursor), [City(id: 1, size: 10), City(id: 3, size: 30)])
            try expectEqual(City.fetchCursor(db, ids: []).next(), nil)
        }
    }

    /// A value that is not read from the column directly.
    private struct Wrapped: DatabaseValueConvertible, Hashable {
        var number: Int64

        var databaseValue: DatabaseValue { number.databaseValue }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Wrapped? {
            Int64.fromDatabaseValue(dbValue).map(Wrapped.init)
        }
    }

    @Test func tablesOfValuesFetchTheFirstColumn() throws {
        try withCities { db in
            let ids = Table<Wrapped>("city")
            let all = [1, 2, 3].map(Wrapped.init)
            try expectEqual(ids.fetchAll(db), all)
            try expectEqual(ids.fetchSet(db), Set(all))
            try expectEqual(ids.fetchOne(db), all[0])
            let cursor = try ids.fetchCursor(db)
            try expectEqual(cursor.next(), all[0])
            try expectEqual(Array(cursor), [all[1], all[2]])
        }
    }

    @Test func closuresAssignAndFetch() throws {
        try withCities { db in
            let large = City.filter { $0.size > 10 }
            try expectSQL(
                """
                UPDATE "city" SET "size" = "size" + 1 WHERE "size" > 10 RETURNING *
                UPDATE "city" SET "size" = "size" + 1 WHERE "size" > 10 RETURNING *
                UPDATE "city" SET "size" = "size" + 1 WHERE "size" > 10 RETURNING "id"
                UPDATE "city" SET "size" = 0
                """
            ) {
                let cursor = try large.updateAndFetchCursor(db, assignments: { [$0.size += 1] })
                try expectEqual(Set(cursor), [City(id: 2, size: 21), City(id: 3, size: 31)])
                try expectEqual(
                    large.updateAndFetchSet(db, assignments: { [$0.size += 1] }),
                    [City(id: 2, size: 22), City(id: 3, size: 32)])
                let statement = try large.updateAndFetchStatement(
                    db, assignments: { [$0.size += 1] }, select: { [$0.id] })
                try expectEqual(Int64.fetchSet(statement), [2, 3])
                try expectTrue(
                    Table<City>("city").updateAll(db, assignments: { [$0.size.set(to: 0)] })
                        == 3)
            }
        }
    }

    @Test func closuresSelectWhatDeletionsReturn() throws {
        try withCities { db in
            let statement = try City.filter { $0.size > 10 }
                .deleteAndFetchStatement(db, select: { [$0.size, $0.id] })
            expectEqual(
                statement.sql,
                #"DELETE FROM "city" WHERE "size" > ? RETURNING "size", "id""#)
            try expectEqual(
                Set(Row.fetchAll(statement)),
                [
                    ["size": 20, "id": 2], ["size": 30, "id": 3],
                ])
            try expectEqual(City.fetchAll(db), [City(id: 1, size: 10)])
        }
    }
}
