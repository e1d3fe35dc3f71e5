import GRDB
import GRDBTestSupport
import Testing

/// What record types select: any expression, whenever they are fetched.
@Suite(.databases) struct RecordSelectionTests {
    private enum Context {
        @TaskLocal static var selectsAll = true
    }

    private func withScores(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE score(id INTEGER PRIMARY KEY, points INTEGER, blob);
                    INSERT INTO score VALUES (1, 3, x'00'), (2, 5, x'01')
                    """)
            try body(db)
        }
    }

    // MARK: - Subqueries

    private struct Score: Codable, FetchableRecord, TableRecord {
        static var databaseSelection: [any SQLSelectable] {
            [Column("id"), Score.select(max(Column("points"))).forKey("best")]
        }

        var id: Int64
        var best: Int?
    }

    @Test func aSubqueryOnTheTableItself() throws {
        try withScores { db in
            try expectEqual(Score.fetchAll(db).map(\.best), [5, 5])
            try expectEqual(Score.find(db, key: 1).best, 5)
            let request = Score.filter(Column("id") > 1)
            try expectEqual(request.fetchAll(db).map(\.best), [5])
            try expectEqual(
                request.makePreparedRequest(db).statement.sql,
                """
                SELECT "id", (SELECT MAX("points") FROM "score") AS "best" FROM "score" \
                WHERE "id" > ?
                """)
        }
    }

    // MARK: - Selections that depend on a variable

    private struct Varying: TableRecord {
        static let databaseTableName = "score"
        static var databaseSelection: [any SQLSelectable] {
            Context.selectsAll ? [.allColumns] : [Column("id")]
        }
        static let itself = belongsTo(Varying.self, using: ForeignKey(["points"], to: ["id"]))
    }

    @Test func theSelectionIsThatOfTheFetch() throws {
        try withScores { db in
            let request = Varying.all()
            let joined = Varying.including(optional: Varying.itself)
            try expectEqual(Row.fetchOne(db, request)?.count, 3)
            try expectEqual(Row.fetchOne(db, joined)?.unadapted.count, 6)
            try Context.$selectsAll.withValue(false) {
                try expectEqual(Row.fetchOne(db, request)?.count, 1)
                try expectEqual(Row.fetchOne(db, joined)?.unadapted.count, 2)
            }
            try expectEqual(Row.fetchOne(db, request)?.count, 3)
        }
    }

    private struct Picked: FetchableRecord, TableRecord {
        static let databaseTableName = "score"
        static var databaseSelection: [any SQLSelectable] {
            Context.selectsAll ? [Column("id"), Column("points")] : [Column("id")]
        }

        let names: [String]

        init(row: Row) { names = Array(row.columnNames) }
    }

    @Test func theSelectionByKeyIsThatOfTheFetch() throws {
        try withScores { db in
            for selectsAll in [true, true, false, false, true] {
                try Context.$selectsAll.withValue(selectsAll) {
                    let names = try Picked.fetchOne(db, key: 1)?.names
                    expectEqual(names, (selectsAll ? ["id", "points"] : ["id"]))
                }
            }
        }
    }

    private struct Wandering: FetchableRecord, TableRecord {
        static var databaseTableName: String { Context.selectsAll ? "score" : "other" }

        let points: Int

        init(row: Row) { points = row["points"] }
    }

    /// In a transaction, and outside of one, where plans are used before the schema is read.
    @Test(arguments: [false, true]) func theTableIsThatOfTheFetch(isTransaction: Bool) throws {
        let queue = try TestDatabases.makeQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE score(id INTEGER PRIMARY KEY, points INTEGER);
                    CREATE TABLE other(id INTEGER PRIMARY KEY, points INTEGER);
                    INSERT INTO score VALUES (1, 3);
                    INSERT INTO other VALUES (1, 5);
                    """)
            if isTransaction { try db.beginTransaction() }
            for selectsAll in [true, true, false, false, true] {
                try Context.$selectsAll.withValue(selectsAll) {
                    try expectEqual(Wandering.fetchOne(db, key: 1)?.points, (selectsAll ? 3 : 5))
                }
            }
            if isTransaction { try db.commit() }
        }
    }

    // MARK: - All columns but some

    private struct Light: Codable, FetchableRecord, MutablePersistableRecord, Identifiable,
        Equatable
    {
        static let databaseTableName = "score"
        static var databaseSelection: [any SQLSelectable] { [.allColumns(excluding: ["blob"])] }

        var id: Int64?
        var points: Int

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    @Test func excludedColumns() throws {
        try withScores { db in
            let first = Light(id: 1, points: 3)
            try expectEqual(Light.fetchAll(db), [first, Light(id: 2, points: 5)])
            try expectEqual(Light.fetchOne(db), first)
            try expectEqual(Light.find(db, key: 1), first)
            try expectEqual(Light.find(db, id: 1), first)
            try expectEqual(Light.fetchAll(db, keys: [1]), [first])
            try expectEqual(Light.fetchOne(db, key: ["id": 1]), first)
            try expectTrue(Light.exists(db, key: 1))
            try expectEqual(Light.all().fetchOne(db), first)

            let inserted = try Light(points: 7).insertAndFetch(db)
            expectEqual(inserted, Light(id: 3, points: 7))
            var light = Light(id: 3, points: 8)
            try expectEqual(light.updateAndFetch(db), light)
            light.points = 9
            try expectEqual(light.saveAndFetch(db), light)
            try expectEqual(light.upsertAndFetch(db), light)
            let changed = try light.updateChangesAndFetch(db, as: Light.self) { $0.points = 10 }
            expectEqual(changed, light)
            var lights = [Light(points: 11), Light(points: 12)]
            let many = try Light.insertManyAndFetch(db, &lights, as: Light.self)
            expectEqual(many.map(\.points), [11, 12])
            let row = try light.updateAndFetch(
                db, selection: [.allColumns(excluding: ["blob", "id"])]
            ) { try Row.fetchOne($0) }
            expectEqual(row, ["points": 10])
        }
    }

    /// Subclasses of `Record`, be they open to subclasses themselves or not.
    @Test func selectIDOfClasses() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY);
                    INSERT INTO player VALUES (2), (7);
                    """)
            let ids: [Int64?] = try IdentifiedClass.selectID().fetchAll(db)
            expectEqual(ids, [2, 7])
            let finalIDs: [Int64] = try FinalIdentifiedClass.selectID().fetchAll(db)
            expectEqual(finalIDs, [2, 7])
            let filtered = try FinalIdentifiedClass.filter(key: 7).selectID().fetchAll(db)
            expectEqual(filtered, [7])
            let request: QueryInterfaceRequest<Int64> = IdentifiedSubclass.selectPrimaryKey()
            try expectEqual(request.fetchSet(db), [2, 7])
            try expectEqual(Set(IdentifiedSubclass.selectID().fetchAll(db)), [2, 7])
        }
    }

    private class IdentifiedClass: Record, Identifiable {
        var id: Int64?
        override class var databaseTableName: String { "player" }
    }

    private class IdentifiedSubclass: IdentifiedClass {}

    private final class FinalIdentifiedClass: Record, Identifiable {
        var id: Int64 = 0
        override class var databaseTableName: String { "player" }
    }
}
