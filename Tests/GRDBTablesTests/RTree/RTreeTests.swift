import Foundation
@testable import GRDBTables
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct RTreeTests {
    // MARK: - Definition

    @Test func theDefinitionCreatesTheTable() throws {
        try TestDatabases.makeQueue().write { (db: Database) throws in
            let sql = try db.statements { () throws in
                try db.create(virtualTable: "placeIndex", using: RTree()) { t in
                    t.dimension("minX", "maxX")
                    t.dimension("min\"Y", "max Y")
                    t.auxiliary("name")
                    t.auxiliary("a \"note\"")
                }
            }
            expectTrue(
                sql.contains(
                    """
                    CREATE VIRTUAL TABLE "placeIndex" USING rtree("id", "minX", "maxX", "min""Y", \
                    "max Y", +"name", +"a ""note""\u{22})
                    """))
            try expectEqual(
                db.columns(in: "placeIndex").map(\.name),
                ["id", "minX", "maxX", "min\"Y", "max Y", "name", "a \"note\""])
            try db.execute(
                sql:
                    "INSERT INTO placeIndex VALUES (1, 0, 1, 2, 3, 'park', x'00'), (2, 5, 6, 7, 8, 9, NULL)"
            )
            try expectEqual(
                Row.fetchOne(db, sql: "SELECT * FROM placeIndex WHERE minX < 1")?.description
                    .contains("name:\"park\""), true)
            try expectEqual(db.rtreeProblems(in: "placeIndex"), [])
        }
    }

    @Test func integersKeepTheirValues() throws {
        try TestDatabases.makeQueue().write { (db: Database) throws in
            try db.create(
                virtualTable: "meeting", options: [.temporary, .ifNotExists],
                using: RTree(.integers)
            ) { t in
                t.idColumn = "meetingID"
                t.dimension("start", "end")
            }
            try expectEqual(
                String.fetchOne(
                    db, sql: "SELECT sql FROM temp.sqlite_schema WHERE name = 'meeting'"),
                #"CREATE VIRTUAL TABLE "meeting" USING rtree_i32("meetingID", "start", "end")"#)
            // Floats have no such numbers.
            try db.execute(sql: "INSERT INTO meeting VALUES (1, 16777217, 16777219)")
            let region: RTreeRegion = [16_777_217...16_777_219]
            try expectEqual(Table("meeting").all().within(region).fetchCount(db), 1)
            try expectEqual(
                Table("meeting").all().within([16_777_218...16_777_219]).fetchCount(db),
                0)
        }
    }

    @Test func aNumberOfDimensionsThatSQLiteRefuses() throws {
        try TestDatabases.makeQueue().write { (db: Database) throws in
            for count in [0, 6] {
                expectError(
                    """
                    SQLite error 1: can't create table t: R*Trees have one to five dimensions, \
                    not \(count)
                    """
                ) {
                    try db.create(virtualTable: "t", using: RTree()) { t in
                        for index in 0..<count { t.dimension("min\(index)", "max\(index)") }
                    }
                }
                try expectTrue(!db.tableExists("t"))
            }
            try db.create(virtualTable: "t", using: RTree()) { t in
                for index in 0..<5 { t.dimension("min\(index)", "max\(index)") }
            }
            try expectEqual(db.columns(in: "t").count, 11)
        }
    }

    @Test func boundsInTheWrongOrderAreRefused() throws {
        try makeQueue().write { (db: Database) throws in
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO placeIndex VALUES (9, 2, 1, 0, 0, NULL)")
            }
            expectEqual(error?.resultCode, .SQLITE_CONSTRAINT)
        }
    }

    /// SQLite would store zeros, and find them there.
    @Test func coordinatesThatAreNoNumbersAreRefused() throws {
        try makeQueue().write { (db: Database) throws in
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM placeIndex")
            for (value, problem) in [
                (nil, "is NULL"), (Double.nan, "is NULL"), ("2,35", "is not a number"),
                ("", "is not a number"),
                ("2.35x", "is not a number"), (Data([50]), "is not a number"),
            ] as [((any DatabaseValueConvertible)?, String)] {
                let error = expectError(DatabaseError.self) {
                    try db.execute(
                        sql: "INSERT INTO placeIndex VALUES (900, -1e9, ?, 0, 0, NULL)",
                        arguments: [value])
                }
                expectEqual(error?.resultCode, .SQLITE_CONSTRAINT)
                expectEqual(error?.message, "rtree constraint failed: placeIndex.maxX \(problem)")
                expectError(DatabaseError.self) {
                    try db.execute(sql: "UPDATE placeIndex SET minY = ?", arguments: [value])
                }
                try db.execute(
                    sql: "INSERT OR IGNORE INTO placeIndex VALUES (900, -1e9, ?, 0, 0, NULL)",
                    arguments: [value])
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM placeIndex"), count)
            try db.execute(
                sql: "INSERT INTO placeIndex VALUES (900, '2.35', ' 7', -1e999, 1e999, NULL)")
            try expectEqual(
                Row.fetchOne(db, sql: "SELECT maxX, maxY FROM placeIndex WHERE id = 900"),
                ["maxX": 7, "maxY": Double.infinity])
            try db.execute(sql: "UPDATE placeIndex SET id = 901 WHERE id = 9000")

            try db.execute(
                sql: "CREATE VIRTUAL TABLE meeting USING rtree_i32(id, \"start\", \"end\")")
            for value in [1_700_000_000_000, -2_147_483_649, 2_147_483_648, 1e300, nil]
                as [(any DatabaseValueConvertible)?]
            {
                expectError(DatabaseError.self, "\(String(describing: value))") {
                    try db.execute(
                        sql: "INSERT INTO meeting VALUES (1, -2147483648, ?)", arguments: [value])
                }
            }
            try db.execute(sql: "INSERT INTO meeting VALUES (1, -2147483648, 2147483647.5)")
            try expectEqual(Int.fetchOne(db, sql: "SELECT \"end\" FROM meeting"), 2_147_483_647)
        }
    }

    @Test func triggersRefusePlacesWithoutCoordinates() throws {
        try TestDatabases.makeQueue().write { (db: Database) throws in
            try db.execute(
                sql: """
                    CREATE TABLE place(id INTEGER PRIMARY KEY, x, y);
                    CREATE VIRTUAL TABLE placeIndex USING rtree(id, minX, maxX, minY, maxY);
                    CREATE TRIGGER placeInserted AFTER INSERT ON place BEGIN
                        INSERT INTO placeIndex VALUES (new.id, new.x, new.x, new.y, new.y);
                    END;
                    """)
            for values in ["1, NULL, 1", "1, '2,35', 1"] {
                expectError(DatabaseError.self) {
                    try db.execute(sql: "INSERT INTO place VALUES (\(values))")
                }
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM place"), 0)
            try db.execute(sql: "INSERT INTO place VALUES (1, '2.35', 1)")
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM placeIndex"), 1)
        }
    }

    // MARK: - Integrity

    @Test func problemsAreReported() throws {
        try makeQueue().write { (db: Database) throws in
            try db.checkRTree("placeIndex")
            try expectEqual(db.rtreeProblems(in: "placeIndex", schema: "main"), [])
            try expectEqual(db.rtreeProblems(in: "place"), ["Schema corrupt or not an rtree"])
            expectError(DatabaseError.self) {
                try db.rtreeProblems(in: "placeIndex", schema: "missing")
            }
            expectError("SQLite error 1: no such table: missing") {
                try db.rtreeProblems(in: "missing")
            }
            expectError("SQLite error 1: no such table: missing") { try db.checkRTree("missing") }
            try db.execute(sql: "DELETE FROM placeIndex_rowid WHERE rowid IN (1, 2)")
            let problems = try db.rtreeProblems(in: "placeIndex")
            expectEqual(problems.count, 3)
            let error = expectError(DatabaseError.self) { try db.checkRTree("placeIndex") }
            expectEqual(error?.resultCode, .SQLITE_CORRUPT)
            expectEqual(error?.message, problems.first)
        }
    }

    // MARK: - Geopoly

    @Test func polygonsBySQL() throws {
        try TestDatabases.makeQueue().write { (db: Database) throws in
            try db.create(virtualTable: "area", using: "geopoly(name)")
            try db.execute(
                sql: "INSERT INTO area(name, _shape) VALUES (?, ?), (?, ?)",
                arguments: [
                    "square", "[[0,0],[4,0],[4,4],[0,4],[0,0]]",
                    "triangle", "[[10,10],[14,10],[10,14],[10,10]]",
                ])
            let names = try SQLRequest<String>(
                """
                SELECT name FROM area
                WHERE geopoly_contains_point(_shape, \(11), \(11))
                """
            ).fetchAll(db)
            expectEqual(names, ["triangle"])
            let overlapping = try String.fetchAll(
                db, sql: "SELECT name FROM area WHERE geopoly_overlap(_shape, ?)",
                arguments: ["[[3,3],[5,3],[5,5],[3,5],[3,3]]"])
            expectEqual(overlapping, ["square"])
        }
    }

    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write(RTreeSupport.createPlaces)
        return dbQueue
    }
}

enum RTreeSupport {
    /// The SQL of a request, with its arguments.
    static func sql(of request: some FetchRequest, _ db: Database) throws -> String {
        let statements = try db.statements { () throws in
            _ = try Row.fetchAll(db, request)
        }
        // Not the statements of virtual tables, which SQLite comments out, nor those of transactions.
        return statements.first { $0.hasPrefix(#"SELECT * FROM "placeIndex""#) } ?? ""
    }

    /// 100 squares of size 1 in a grid: the place of id 10 * x + y + 1 begins at (2x, 2y).
    static func createPlaces(_ db: Database) throws {
        try db.create(virtualTable: "placeIndex", using: RTree()) { t in
            t.dimension("minX", "maxX")
            t.dimension("minY", "maxY")
            t.auxiliary("name")
        }
        try db.create(table: "place") { t in
            t.primaryKey("id", .integer)
            t.column("name", .text)
        }
        for x in 0..<10 {
            for y in 0..<10 {
                let id = 10 * x + y + 1
                try db.execute(
                    literal: "INSERT INTO place VALUES (\(id), \("place \(id)"))")
                try db.execute(
                    literal: """
                        INSERT INTO placeIndex
                        VALUES (\(id), \(2 * x), \(2 * x + 1), \(2 * y), \(2 * y + 1), \("n\(id)"))
                        """)
            }
        }
    }
}
