import GRDBSchema
@testable import GRDBTables
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct RTreeObservationTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { (db: Database) throws in
            try db.create(table: "place") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text)
                t.column("x", .double)
                t.column("y", .double)
            }
            try db.create(virtualTable: "placeIndex", using: RTree()) { t in
                t.dimension("minX", "maxX")
                t.dimension("minY", "maxY")
            }
            try db.execute(
                sql: """
                    CREATE TRIGGER placeInserted AFTER INSERT ON place BEGIN
                        INSERT INTO placeIndex VALUES (new.id, new.x, new.x, new.y, new.y);
                    END;
                    CREATE TRIGGER placeMoved AFTER UPDATE OF id, x, y ON place BEGIN
                        UPDATE placeIndex
                        SET id = new.id, minX = new.x, maxX = new.x, minY = new.y, maxY = new.y
                        WHERE id = old.id;
                    END;
                    CREATE TRIGGER placeDeleted AFTER DELETE ON place BEGIN
                        DELETE FROM placeIndex WHERE id = old.id;
                    END;
                    """)
        }
        return writer
    }

    private static let region: RTreeRegion = [0...10, 0...10]

    @Sendable private static func indexed(_ db: Database) throws -> [Int64] {
        try Table("placeIndex").all().within(region).select(Column("id"), as: Int64.self)
            .order(Column("id")).fetchAll(db)
    }

    /// Performs changes one by one, and expects what is observed after each of them.
    private func expect(
        _ changes: [(sql: String, ids: [Int64])], in writer: any DatabaseWriter
    ) throws {
        for fetch in [
            ValueObservation.tracking(Self.indexed), .trackingConstantRegion(Self.indexed),
        ] {
            let values = Log<[Int64]>()
            let cancellable = fetch.removeDuplicates().start(
                in: writer, scheduling: EagerScheduler(), onError: { Issue.record($0) },
                onChange: { values.append($0) })
            defer { cancellable.cancel() }
            expectEqual(values.wait(forCount: 1), [[]])
            for (index, change) in changes.enumerated() {
                try writer.write { try $0.execute(sql: change.sql) }
                let all = values.wait(forCount: index + 2)
                expectEqual(all.last, change.ids, "\(change.sql)")
            }
            try writer.write { try $0.checkRTree("placeIndex") }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func changesOfTheIndexAreObserved(kind: DatabaseKind) throws {
        try expect(
            [
                ("INSERT INTO placeIndex VALUES (1, 1, 2, 1, 2), (2, 3, 4, 3, 4)", [1, 2]),
                ("UPDATE placeIndex SET minX = 100, maxX = 101 WHERE id = 1", [2]),
                ("UPDATE placeIndex SET id = 3 WHERE id = 2", [3]),
                ("INSERT OR REPLACE INTO placeIndex VALUES (1, 1, 1, 1, 1)", [1, 3]),
                ("DELETE FROM placeIndex WHERE id = 3", [1]),
                ("DELETE FROM placeIndex", []),
            ], in: makeWriter(kind))
    }

    @Test(arguments: DatabaseKind.allCases)
    func changesByTriggersAreObserved(kind: DatabaseKind) throws {
        try expect(
            [
                ("INSERT INTO place VALUES (1, 'a', 1, 1), (2, 'b', 2, 2)", [1, 2]),
                ("UPDATE place SET x = 50 WHERE id = 1", [2]),
                ("UPDATE place SET id = 4 WHERE id = 2", [4]),
                ("UPDATE place SET x = 5", [1, 4]),
                ("DELETE FROM place WHERE id = 1", [4]),
                ("DELETE FROM place", []),
            ], in: makeWriter(kind))
    }

    @Test(arguments: DatabaseKind.allCases)
    func changesByACascadeAreObserved(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.write { (db: Database) throws in
            try db.execute(
                sql: """
                    CREATE TABLE city(id INTEGER PRIMARY KEY);
                    ALTER TABLE place ADD COLUMN cityID INTEGER
                        REFERENCES city(id) ON DELETE CASCADE;
                    """)
        }
        try expect(
            [
                (
                    """
                    INSERT INTO city VALUES (1), (2);
                    INSERT INTO place VALUES (1, 'a', 1, 1, 1), (2, 'b', 2, 2, 2)
                    """, [1, 2]
                ),
                ("DELETE FROM city WHERE id = 1", [2]),
                ("DELETE FROM city", []),
            ], in: writer)
    }

    @Test(arguments: DatabaseKind.allCases)
    func joinedContentIsObserved(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let place = Table("place")
        let association = place.association(
            to: Table("placeIndex"), on: { $0[Column("id")] == $1[Column("id")] })
        let request = place.joining(required: association.overlapping(Self.region))
            .select(Column("name"), as: String.self)
        let values = Log<[String]>()
        let cancellable = ValueObservation.tracking { try request.fetchAll($0) }.start(
            in: writer, scheduling: EagerScheduler(), onError: { Issue.record($0) },
            onChange: { values.append($0) })
        defer { cancellable.cancel() }
        try writer.write { try $0.execute(sql: "INSERT INTO place VALUES (1, 'a', 1, 1)") }
        expectEqual(values.wait(forCount: 2).last, ["a"])
        try writer.write { try $0.execute(sql: "UPDATE place SET name = 'b'") }
        expectEqual(values.wait(forCount: 3).last, ["b"])
        try writer.write { try $0.execute(sql: "UPDATE placeIndex SET maxY = 99, minY = 99") }
        expectEqual(values.wait(forCount: 4).last, [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func transformationsOfTheContentKeepTheIndex(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.write { (db: Database) throws in
            try db.execute(sql: "INSERT INTO place VALUES (1, 'a', 1, 1), (2, 'b', 20, 2)")
            try db.transform(table: "place") { t in t.drop(column: "name") }
            try expectEqual(Self.indexed(db), [1])
            try db.execute(sql: "INSERT INTO place VALUES (3, 3, 3)")
            try expectEqual(Self.indexed(db), [1, 3])
            try db.execute(sql: "DELETE FROM place WHERE id = 1")
            try expectEqual(Self.indexed(db), [3])
            try db.checkRTree("placeIndex")
        }
    }
}
