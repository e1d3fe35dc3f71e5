import GRDB
import GRDBTestSupport
import Testing

/// Prefetched associations are known by the keys on the way to them.
@Suite(.databases) struct PrefetchPathTests {
    private struct Country: TableRecord {
        static let passports = hasMany(Passport.self)
        static let visas = hasMany(Visa.self)
        static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
        static let visitors = hasMany(
            Citizen.self, through: visas, using: Visa.citizen, key: "citizens")
    }
    private struct Passport: TableRecord {
        static let citizen = belongsTo(Citizen.self)
        static let country = belongsTo(Country.self)
    }
    private struct Visa: TableRecord { static let citizen = belongsTo(Citizen.self) }
    private struct Citizen: TableRecord {}

    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE country (code TEXT PRIMARY KEY);
                    CREATE TABLE citizen (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE passport (
                        id INTEGER PRIMARY KEY, countryCode TEXT REFERENCES country,
                        citizenId INTEGER REFERENCES citizen);
                    CREATE TABLE visa (
                        id INTEGER PRIMARY KEY, countryCode TEXT REFERENCES country,
                        citizenId INTEGER REFERENCES citizen);
                    INSERT INTO country VALUES ('FR'), ('US');
                    INSERT INTO citizen VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cid');
                    INSERT INTO passport VALUES (1, 'FR', 1), (2, 'US', 2);
                    INSERT INTO visa VALUES (1, 'FR', 3), (2, 'US', 1);
                    """)
        }
    }

    private func rows(_ request: QueryInterfaceRequest<Country>) throws -> [Row] {
        try dbQueue.read { try Row.fetchAll($0, request) }
    }

    private func ids(_ rows: [Row], _ key: String = "citizens") -> [[Int]] {
        rows.map { row in row.prefetchedRows[key]!.map { $0["id"] as Int } }
    }

    @Test func sameKeyThroughDifferentPivots() throws {
        var sql: [String] = []
        var rows: [Row] = []
        try dbQueue.read { db in
            sql = try db.statements {
                rows = try Row.fetchAll(
                    db, Country.including(all: Country.citizens).including(all: Country.visitors))
            }
        }
        expectEqual(sql.count, 3)
        expectEqual(ids(rows), [[1], [2]])
        expectEqual(rows[0].prefetchedRows.keys, ["citizens"])
        expectEqual(rows[0].prefetchedRows["passports"], nil)
        expectEqual(
            rows[0].debugDescription,
            """
            ▿ [code:"FR"]
              + citizens: 1 row
            """)
        let others = try self.rows(
            Country.including(all: Country.visitors).including(all: Country.citizens))
        expectEqual(ids(others), [[3], [1]])
    }

    @Test func filtersAreNotShared() throws {
        let rows = try rows(
            Country.including(all: Country.visitors.filter(Column("name") == "Ann"))
                .including(all: Country.citizens))
        expectEqual(ids(rows), [[], [1]])
        let others = try self.rows(
            Country.including(all: Country.citizens)
                .including(all: Country.visitors.filter(Column("name") == "Ann")))
        expectEqual(ids(others), [[1], [2]])
    }

    @Test func theShallowestOneWins() throws {
        let passports = Country.passports.forKey("citizens").filter(Column("id") > 1)
        for request in [
            Country.including(all: Country.citizens).including(all: passports),
            Country.including(all: passports).including(all: Country.citizens),
        ] {
            let rows = try rows(request)
            expectEqual(ids(rows), [[], [2]])
            expectEqual(rows[1].prefetchedRows["citizens"]![0]["countryCode"], "US")
        }
        // The pivot may be prefetched itself, with conditions of its own.
        let rows = try rows(
            Country.including(all: Country.passports.filter(Column("id") == 1))
                .including(all: Country.citizens))
        expectEqual(ids(rows), [[1], [2]])
        expectEqual(ids(rows, "passports"), [[1], []])
    }

    @Test func samePathIsOnePrefetch() throws {
        let second = Country.hasMany(
            Citizen.self, through: Country.passports.filter(Column("id") == 2),
            using: Passport.citizen)
        let rows = try rows(Country.including(all: Country.citizens).including(all: second))
        expectEqual(ids(rows), [[], [2]])
    }

    @Test func prefetchesBelowScopes() throws {
        let request = Passport.including(
            required: Passport.country.including(all: Country.citizens)
                .including(all: Country.visitors)
        ).order(Column("id"))
        let rows = try dbQueue.read { try Row.fetchAll($0, request) }
        expectEqual(ids(rows), [[1], [2]])
        expectEqual(rows[0].scopes["country"]!.prefetchedRows["citizens"]!.count, 1)
        let country = rows[0].scopes["country"]!
        expectEqual(country.prefetchedRows, country.copy().prefetchedRows)
        #expect(country.prefetchedRows != rows[1].scopes["country"]!.prefetchedRows)
    }

    @Test func theLastConditionOnACommonTableCounts() throws {
        let cte = CommonTableExpression(named: "c", sql: "SELECT id, name FROM citizen")
        let byCitizen = Passport.association(to: cte) { passport, citizen in
            passport["citizenId"] == citizen["id"]
        }
        let byID = Passport.association(to: cte) { passport, citizen in
            passport["id"] == citizen["id"]
        }
        try dbQueue.read { db in
            let sql = try db.statements {
                _ = try Row.fetchAll(
                    db, Passport.with(cte).including(required: byCitizen).including(required: byID))
                _ = try Row.fetchAll(
                    db,
                    Passport.with(cte).including(optional: byID)
                        .including(required: byCitizen.filter(Column("id") == 1)))
            }
            let start = """
                WITH "c" AS (SELECT id, name FROM citizen) SELECT "passport".*, "c".* \
                FROM "passport" JOIN "c" ON
                """
            expectEqual(
                sql,
                [
                    #"\#(start) "passport"."id" = "c"."id""#,
                    #"\#(start) ("passport"."citizenId" = "c"."id") AND ("c"."id" = 1)"#,
                ])
        }
    }
}
