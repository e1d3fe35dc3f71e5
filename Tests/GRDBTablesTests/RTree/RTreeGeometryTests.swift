@testable import GRDBTables
import Foundation
import GRDB
import GRDBTestSupport
import Testing

private struct Failure: Error, Equatable {
    var rowID: Int64?
}

@Suite(.databases) struct RTreeGeometryTests {
    /// What a circle touches.
    private static let circle = RTreeGeometry("circle") { cell in
        let (x, y, radius) = try (cell.number(at: 0), cell.number(at: 1), cell.number(at: 2))
        let (xs, ys) = (cell.region.ranges[0], cell.region.ranges[1])
        let dx = max(xs.lowerBound - x, 0, x - xs.upperBound)
        let dy = max(ys.lowerBound - y, 0, y - ys.upperBound)
        return dx * dx + dy * dy <= radius * radius ? .partly : .outside
    }

    private func makeWriter(
        _ kind: DatabaseKind, _ geometries: RTreeGeometry...
    ) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            for geometry in geometries { try db.add(geometry: geometry) }
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write(RTreeSupport.createPlaces)
        return writer
    }

    @Test(arguments: DatabaseKind.allCases) func aCircleFindsRows(kind: DatabaseKind) throws {
        try makeWriter(kind, Self.circle).read { (db: Database) throws in
            let request = Table("placeIndex").filter(Self.circle(3.5, 0.5, 1))
            try expectEqual(
                RTreeSupport.sql(of: request, db),
                #"SELECT * FROM "placeIndex" WHERE "id" MATCH circle(3.5, 0.5, 1)"#)
            let ids = try request.select(Column("id"), as: Int64.self).fetchSet(db)
            expectEqual(ids, [11, 21])
            try expectEqual(request.filter(RTree.within([2...3, 0...1])).fetchCount(db), 1)
            try expectTrue(request.queryPlan(db).description.contains("VIRTUAL TABLE INDEX 2"))
            let place = Table("place")
            let association = place.association(
                to: Table("placeIndex"), on: { $0[Column("id")] == $1[Column("id")] })
            try expectEqual(
                place.joining(required: association.filter(Self.circle(3.5, 0.5, 1)))
                    .fetchCount(db),
                2)
        }
    }

    @Test func theWholeTreeIsNotSearched() throws {
        let calls = Log<Int>()
        let point = RTreeGeometry("point") { cell in
            calls.append(cell.level)
            expectEqual((cell.rowID == nil), (cell.level > 0))
            #expect(cell.level < cell.levelCount)
            return cell.region.ranges[0].contains(0.5) && cell.region.ranges[1].contains(0.5)
                ? .within : .outside
        }
        try makeWriter(.queue, point).read { (db: Database) throws in
            try expectEqual(Table("placeIndex").filter(point()).fetchCount(db), 1)
            let levels = calls.removeAll()
            expectTrue(levels.contains(1))
            expectTrue(levels.contains(0))
            #expect(levels.count < 100)
        }
    }

    @Test func rowsComeInTheOrderOfTheirScores() throws {
        let nearest = RTreeGeometry("nearest") { cell in
            let squares = try cell.region.ranges.enumerated().map { index, range in
                let x = try cell.number(at: index)
                let distance = max(range.lowerBound - x, 0, x - range.upperBound)
                return distance * distance
            }
            return .partly(score: squares.reduce(0, +))
        }
        try makeWriter(.queue, nearest).read { (db: Database) throws in
            let names = try Table("placeIndex").filter(nearest(18.5, 18.5)).limit(3)
                .select(Column("id"), as: Int64.self).fetchAll(db)
            expectEqual(names.first, 100)
            expectEqual(Set(names), [100, 99, 90])
        }
    }

    @Test func scoresThatSQLiteMisunderstandsAreRefused() throws {
        for score in [-1, Double.nan] {
            let bad = RTreeGeometry("bad") { _ in .within(score: score) }
            try makeWriter(.queue, bad).read { (db: Database) throws in
                let error = expectError(DatabaseError.self) {
                    try Table("placeIndex").filter(bad()).fetchCount(db)
                }
                expectEqual(error?.resultCode, .SQLITE_MISUSE)
            }
        }
    }

    @Test func parametersAreValuesOfAnyType() throws {
        let parameters = Log<[DatabaseValue]>()
        let all = RTreeGeometry("all values") { cell in
            parameters.append(cell.parameters)
            return .within
        }
        try makeWriter(.queue, all).read { (db: Database) throws in
            let request = Table("placeIndex").filter(
                all(1, 2.5, "three", SQL("NULL"), SQL("x'04'")))
            try expectEqual(request.fetchCount(db), 100)
            let expected: [DatabaseValue] = [
                1.databaseValue, 2.5.databaseValue, "three".databaseValue, .null,
                Data([4]).databaseValue,
            ]
            let seen = parameters.removeAll()
            #expect(seen.count > 100)
            expectTrue(seen.allSatisfy { $0 == expected })
        }
    }

    @Test(arguments: DatabaseKind.allCases) func errorsAreThrown(kind: DatabaseKind) throws {
        let failing = RTreeGeometry("failing") { cell in
            if cell.rowID == 50 { throw Failure(rowID: cell.rowID) }
            return .partly
        }
        let refusing = RTreeGeometry("refusing") { _ in
            throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK, message: "no")
        }
        let writer = try makeWriter(kind, failing, refusing, Self.circle)
        try writer.read { (db: Database) throws in
            expectError(Failure(rowID: 50)) {
                try Table("placeIndex").filter(failing()).fetchAll(db)
            }
            let error = expectError(DatabaseError.self) {
                try Table("placeIndex").filter(refusing()).fetchCount(db)
            }
            expectEqual(error?.extendedResultCode, .SQLITE_CONSTRAINT_CHECK)
            expectEqual(error?.message, "no")
            let missing = expectError(DatabaseError.self) {
                try Table("placeIndex").filter(Self.circle(1)).fetchCount(db)
            }
            expectEqual(missing?.message, "there is no parameter 2")
            let wrong = expectError(DatabaseError.self) {
                try Table("placeIndex").filter(Self.circle(1, "x", 2)).fetchCount(db)
            }
            expectEqual(wrong?.resultCode, .SQLITE_MISMATCH)
            // The connection is fine.
            try expectEqual(Table("placeIndex").fetchCount(db), 100)
        }
        expectError(Failure(rowID: 50)) {
            try writer.write { (db: Database) throws in
                try db.execute(sql: "DELETE FROM placeIndex WHERE id = 1")
                try db.execute(sql: "DELETE FROM placeIndex WHERE id MATCH failing()")
            }
        }
        try expectEqual(writer.read { try Table("placeIndex").fetchCount($0) }, 100)
    }

    @Test func registration() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { (db: Database) throws in
            try RTreeSupport.createPlaces(db)
            expectError(DatabaseError.self) {
                try Table("placeIndex").filter(Self.circle(0, 0, 1)).fetchCount(db)
            }
            try db.add(geometry: Self.circle)
            try expectEqual(Table("placeIndex").filter(Self.circle(0, 0, 1)).fetchCount(db), 1)
            try db.add(geometry: RTreeGeometry("CIRCLE") { _ in .within })
            try expectEqual(Table("placeIndex").filter(Self.circle(0, 0, 1)).fetchCount(db), 100)
            let nul = expectError(DatabaseError.self) {
                try db.add(geometry: RTreeGeometry("a\0b") { _ in .within })
            }
            expectEqual(nul?.resultCode, .SQLITE_MISUSE)
            expectError(DatabaseError.self) {
                try db.add(
                    geometry: RTreeGeometry(String(repeating: "x", count: 256)) { _ in .within })
            }
            expectError("SQLite error 1: table place is not an R*Tree") {
                try Table("place").filter(Self.circle(0, 0, 1)).fetchCount(db)
            }
        }
    }

    @Test func closuresAreFreedWithTheConnection() throws {
        final class Token: Sendable {}
        weak var weakToken: Token?
        do {
            let token = Token()
            weakToken = token
            let dbQueue = try TestDatabases.makeQueue()
            try dbQueue.write { (db: Database) throws in
                try RTreeSupport.createPlaces(db)
                let geometry = RTreeGeometry("holding") { _ in
                    _ = token
                    return .within
                }
                try db.add(geometry: geometry)
                try expectEqual(Table("placeIndex").filter(geometry("a")).fetchCount(db), 100)
            }
            try dbQueue.close()
        }
        expectNil(weakToken)
    }
}
