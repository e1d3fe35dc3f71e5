import GRDB
import GRDBTestSupport
import Testing

/// The methods that fetch what they have saved, of records that insertions don't change.
@Suite(.databases) struct ImmutableReturningTests {
    /// Some columns of countries.
    private struct CountryName: TableRecord, FetchableRecord, Equatable {
        static let databaseTableName = "country"
        static var databaseSelection: [any SQLSelectable] { [Column("name")] }

        var name: String

        init(row: Row) { name = row["name"] }
    }

    private struct Place: PersistableRecord, FetchableRecord, Hashable {
        enum Columns {
            static let code = Column("code")
            static let name = Column("name")
        }

        static let databaseTableName = "country"

        var code: String
        var name: String

        init(code: String, name: String) {
            self.code = code
            self.name = name
        }

        init(row: Row) {
            code = row["code"]
            name = row["name"]
        }

        func encode(to container: inout PersistenceContainer) {
            container[Columns.code] = code
            container[Columns.name] = name
        }
    }

    @Test func insertAndFetch() throws {
        try RecordTables.write { db in
            try expectSQL(
                """
                INSERT INTO "country" ("code", "name") VALUES ('FR','France') RETURNING *
                INSERT INTO "country" ("code", "name") VALUES ('IT','Italy') RETURNING "name"
                INSERT INTO "country" ("code", "name") VALUES ('DE','Germany') RETURNING "code"
                INSERT INTO "country" ("code", "name") VALUES ('ES','Spain') RETURNING "name", "code"
                """
            ) {
                let france = Country(code: "FR", name: "France")
                try expectEqual(france.insertAndFetch(db), france)
                let italy = try Country(code: "IT", name: "Italy")
                    .insertAndFetch(db, as: CountryName.self)
                expectEqual(italy.name, "Italy")
                let code = try Country(code: "DE", name: "Germany")
                    .insertAndFetch(db, selection: [Column("code")]) { try String.fetchOne($0) }
                expectEqual(code, "DE")
                let row = try Place(code: "ES", name: "Spain").insertAndFetch(db) {
                    try Row.fetchOne($0)
                } select: {
                    [$0.name, $0.code]
                }
                expectEqual(row, ["name": "Spain", "code": "ES"])
            }
            let error = expectError(DatabaseError.self) {
                try Country(code: "FR", name: "France").insertAndFetch(db, as: CountryName.self)
            }
            expectEqual(error?.extendedResultCode, .SQLITE_CONSTRAINT_PRIMARYKEY)
        }
    }

    @Test func saveAndFetch() throws {
        try RecordTables.write { db in
            try expectSQL(
                """
                UPDATE "country" SET "name"='France' WHERE "code"='FR' RETURNING *
                INSERT INTO "country" ("code", "name") VALUES ('FR','France') RETURNING *
                UPDATE "country" SET "name"='Frankreich' WHERE "code"='FR' RETURNING *
                UPDATE "country" SET "name"='Francia' WHERE "code"='FR' RETURNING "name"
                UPDATE "country" SET "name"='Frankrig' WHERE "code"='FR' RETURNING "code"
                """
            ) {
                let france = Country(code: "FR", name: "France")
                try expectEqual(france.saveAndFetch(db), france)
                let renamed = Country(code: "FR", name: "Frankreich")
                try expectEqual(renamed.saveAndFetch(db), renamed)
                let name = try Country(code: "FR", name: "Francia")
                    .saveAndFetch(db, as: CountryName.self)
                expectEqual(name.name, "Francia")
                let code = try Country(code: "FR", name: "Frankrig")
                    .saveAndFetch(db, selection: [Column("code")]) { try String.fetchOne($0) }
                expectEqual(code, "FR")
            }
        }
    }

    @Test func upsertAndFetch() throws {
        try RecordTables.write { db in
            let france = Country(code: "FR", name: "France")
            try expectEqual(france.upsertAndFetch(db), france)
            let renamed = try Country(code: "FR", name: "Frankreich")
                .upsertAndFetch(db, as: CountryName.self)
            expectEqual(renamed.name, "Frankreich")
            let unchanged = try Country(code: "FR", name: "Francia")
                .upsertAndFetch(
                    db, onConflict: ["code"],
                    doUpdate: { _ in
                        [Column("name").noOverwrite]
                    })
            expectEqual(unchanged.name, "Frankreich")
            try expectEqual(Country.fetchAll(db).map(\.name), ["Frankreich"])
        }
    }

    @Test func updateOfRequests() throws {
        try RecordTables.write { db in
            for (code, name) in [("FR", "France"), ("IT", "Italy"), ("DE", "Germany")] {
                try Place(code: code, name: name).insert(db)
            }
            try expectSQL(
                """
                UPDATE "country" SET "name" = 'a' WHERE "code" = 'FR' RETURNING *
                UPDATE "country" SET "name" = 'b' WHERE "code" = 'FR' RETURNING *
                UPDATE "country" SET "name" = 'c' WHERE "code" > 'E' RETURNING *
                UPDATE "country" SET "name" = 'd' WHERE "code" > 'E' RETURNING *
                """
            ) {
                let france = Place.filter { $0.code == "FR" }
                let cursor = try france.updateAndFetchCursor(db, [Column("name").set(to: "a")])
                try expectEqual(cursor.next(), Place(code: "FR", name: "a"))
                try expectEqual(cursor.next(), nil)
                let typed = try france.updateAndFetchCursor(db) { [$0.name.set(to: "b")] }
                try expectEqual(typed.next(), Place(code: "FR", name: "b"))
                try expectEqual(typed.next(), nil)
                let others = Place.filter { $0.code > "E" }
                try expectEqual(
                    others.updateAndFetchSet(db, [Column("name").set(to: "c")]),
                    [Place(code: "FR", name: "c"), Place(code: "IT", name: "c")])
                try expectEqual(
                    others.updateAndFetchSet(db) { [$0.name.set(to: "d")] },
                    [Place(code: "FR", name: "d"), Place(code: "IT", name: "d")])
            }
        }
    }
}
