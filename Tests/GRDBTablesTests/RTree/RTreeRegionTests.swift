@testable import GRDBTables
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct RTreeRegionTests {
    struct PlaceIndex: TableRecord, FetchableRecord, Decodable {
        var id: Int64
        static let place = belongsTo(Place.self, using: ForeignKey(["id"]))
    }

    struct Place: TableRecord, FetchableRecord, Decodable {
        var id: Int64
        var name: String
        static let index = hasOne(PlaceIndex.self, using: ForeignKey(["id"]))
    }

    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write(RTreeSupport.createPlaces)
        return dbQueue
    }

    private func ids(
        _ db: Database, _ request: QueryInterfaceRequest<PlaceIndex>
    ) throws -> [Int64] {
        try request.fetchAll(db).map(\.id).sorted()
    }

    @Test func conditionsArePlainComparisonsThatTheIndexServes() throws {
        try makeQueue().read { (db: Database) throws in
            let region: RTreeRegion = [1.5...4.5, 0...2]
            let expected: [(SQLExpression, String, [Int64])] = [
                (
                    RTree.within(region),
                    #"("minX" >= 1.5) AND ("maxX" <= 4.5) AND ("minY" >= 0.0) AND ("maxY" <= 2.0)"#,
                    [11]
                ),
                (
                    RTree.overlaps(region),
                    #"("minX" <= 4.5) AND ("maxX" >= 1.5) AND ("minY" <= 2.0) AND ("maxY" >= 0.0)"#,
                    [11, 12, 21, 22]
                ),
                (
                    RTree.contains(region),
                    #"("minX" <= 1.5) AND ("maxX" >= 4.5) AND ("minY" <= 0.0) AND ("maxY" >= 2.0)"#,
                    []
                ),
            ]
            for (condition, sql, rows) in expected {
                let request = PlaceIndex.filter(condition)
                try expectEqual(
                    RTreeSupport.sql(of: request, db),
                    #"SELECT * FROM "placeIndex" WHERE "# + sql)
                try expectEqual(ids(db, request), rows)
                let plan = try request.queryPlan(db)
                expectTrue(plan.description.contains("VIRTUAL TABLE INDEX 2:"))
                // All four comparisons: an operator and a column each.
                expectTrue(plan.description.contains(/INDEX 2:(..){4}$/), "\(plan)")
            }
            try expectEqual(ids(db, PlaceIndex.all().within(region)), [11])
            try expectEqual(ids(db, PlaceIndex.all().overlapping(region)), [11, 12, 21, 22])
            try expectEqual(ids(db, PlaceIndex.all().containing(region)), [])
            try expectEqual(ids(db, PlaceIndex.all().containing([2.25...2.5, 0...1])), [11])
            try expectEqual(
                ids(db, PlaceIndex.all().overlapping(RTreeRegion(point: [2, 1]))), [11])
        }
    }

    @Test func conditionsCombineWithOthers() throws {
        try makeQueue().read { (db: Database) throws in
            let column: RTreeRegion = [0...1, -Double.infinity...Double.infinity]
            try expectEqual(PlaceIndex.all().within(column).fetchCount(db), 10)
            try expectEqual(PlaceIndex.filter(!RTree.within(column)).fetchCount(db), 90)
            try expectEqual(
                ids(
                    db, PlaceIndex.filter(RTree.within(column) && Column("name") == "n3")),
                [3])
            let either = PlaceIndex.filter(
                RTree.within([0...1, 0...1]) || RTree.within([18...19, 18...19]))
            try expectEqual(ids(db, either), [1, 100])
        }
    }

    @Test func joinsWithTheTableOfContents() throws {
        try makeQueue().read { (db: Database) throws in
            let region: RTreeRegion = [0...3, 0...1]
            let request = Place.joining(required: Place.index.overlapping(region)).order(
                Column("id"))
            try expectEqual(request.fetchAll(db).map(\.name), ["place 1", "place 11"])
            let plan = try request.queryPlan(db)
            expectTrue(
                plan.description.contains(/SCAN placeIndex VIRTUAL TABLE INDEX 2/), "\(plan)")
            expectTrue(
                plan.description.contains(/SEARCH place USING INTEGER PRIMARY KEY/), "\(plan)")

            let alias = TableAlias(name: "box")
            let qualified = Place.joining(required: Place.index.aliased(alias))
                .filter(alias[RTree.overlaps(region)])
            try expectEqual(qualified.fetchCount(db), 2)
            let reverse = PlaceIndex.all().overlapping(region).including(required: PlaceIndex.place)
            try expectEqual(Row.fetchAll(db, reverse).count, 2)
            let subquery = PlaceIndex.all().overlapping(region).select(Column("id"))
            try expectEqual(Place.filter(subquery.contains(Column("id"))).fetchCount(db), 2)
        }
    }

    @Test func aBoxIsWithinItself() throws {
        // Few of these numbers are floats.
        var generator = SplitMix64(seed: 7)
        try makeQueue().write { (db: Database) throws in
            for _ in 0..<500 {
                let scale = [1e-30, 1e-3, 1, 180, 1e7, 1e30].randomElement(using: &generator)!
                let numbers = (0..<4).map { _ in
                    Double.random(in: -scale...scale, using: &generator)
                }
                let region: RTreeRegion = [
                    min(numbers[0], numbers[1])...max(numbers[0], numbers[1]),
                    min(numbers[2], numbers[3])...max(numbers[2], numbers[3]),
                ]
                try db.execute(
                    sql: "INSERT OR REPLACE INTO placeIndex VALUES (1000, ?, ?, ?, ?, NULL)",
                    arguments: [
                        region.ranges[0].lowerBound, region.ranges[0].upperBound,
                        region.ranges[1].lowerBound, region.ranges[1].upperBound,
                    ])
                let request = PlaceIndex.filter(Column("id") == 1000)
                try expectEqual(request.within(region).fetchCount(db), 1, "\(region)")
                try expectEqual(request.overlapping(region).fetchCount(db), 1, "\(region)")
                try expectEqual(request.containing(region).fetchCount(db), 1, "\(region)")
            }
            try db.checkRTree("placeIndex")
        }
    }

    /// The columns of an ordinary table have no index of boxes.
    @Test func ordinaryTablesWithSuchColumns() throws {
        try DatabaseQueue().write { (db: Database) throws in
            try db.execute(
                sql: """
                    CREATE TABLE box (
                        id INTEGER PRIMARY KEY, minX REAL, maxX REAL, minY REAL, maxY REAL)
                    """)
            for condition in [RTree.within, RTree.overlaps, RTree.contains] {
                expectError("SQLite error 1: table box is not an R*Tree") {
                    try Table("box").filter(condition([0...1, 0...1])).fetchCount(db)
                }
            }
            // A view of an R*Tree uses the index.
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE tree USING rtree(id, minX, maxX);
                    INSERT INTO tree VALUES (1, 0, 1), (2, 5, 6);
                    CREATE VIEW treeView AS SELECT * FROM tree
                    """)
            try expectEqual(Table("treeView").filter(RTree.overlaps([0...2])).fetchCount(db), 1)
        }
    }

    @Test func regionsThatDoNotFitTheTable() throws {
        try makeQueue().read { (db: Database) throws in
            expectError(
                "SQLite error 1: the region has 1 dimensions, and the R*Tree placeIndex has 2"
            ) {
                try PlaceIndex.all().within([0...1]).fetchCount(db)
            }
            expectError("SQLite error 1: table place is not an R*Tree") {
                try Place.all().overlapping([0...1, 0...1]).fetchCount(db)
            }
        }
    }
}
