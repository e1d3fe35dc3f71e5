import Foundation
import GRDB
import GRDBQueries
import GRDBTestSupport
import Testing

/// Records of views whose `INSTEAD OF` triggers write to a table.
@Suite(.databases) struct ViewPersistenceTests {
    struct Guest: Codable, MutablePersistableRecord, FetchableRecord, Identifiable, Equatable {
        static let databaseTableName = "guestView"

        var id: Int64?
        var name: String

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
        }

        static let name = Columns.name
    }

    private struct Keys: DatabaseSchemaSource {
        func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? {
            ["id"]
        }
    }

    private func makeQueue(_ schema: String = "main") throws -> DatabaseQueue {
        var configuration = TestDatabases.makeConfiguration()
        configuration.schemaSource = Keys()
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        try dbQueue.writeWithoutTransaction { db in
            if schema == "attached" {
                try db.execute(sql: "ATTACH '' AS \(schema)")
            }
            try db.execute(
                sql: """
                    CREATE TABLE \(schema).guest (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE \(schema).log (line);
                    CREATE VIEW \(schema).guestView AS SELECT * FROM guest;
                    CREATE TRIGGER \(schema).i INSTEAD OF INSERT ON guestView BEGIN
                        INSERT INTO guest VALUES (NEW.id, NEW.name);
                    END;
                    CREATE TRIGGER \(schema).u INSTEAD OF UPDATE ON guestView BEGIN
                        INSERT INTO log VALUES ('update');
                        UPDATE guest SET name = NEW.name WHERE id = OLD.id;
                    END;
                    CREATE TRIGGER \(schema).d INSTEAD OF DELETE ON guestView BEGIN
                        INSERT INTO log VALUES ('delete');
                        DELETE FROM guest WHERE id = OLD.id;
                    END;
                    INSERT INTO \(schema).guest VALUES (1, 'Ada'), (2, 'Ben'), (3, 'Cleo');
                    """)
        }
        return dbQueue
    }

    private func names(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT id || ' ' || name FROM guest ORDER BY id")
    }

    @Test func updates() throws {
        try makeQueue().write { db throws in
            // The statement is compiled, then kept.
            for name in ["Ann", "Alma", "Amy"] {
                try Guest(id: 1, name: name).update(db)
                try expectEqual(names(db), ["1 \(name)", "2 Ben", "3 Cleo"])
                expectEqual(db.changesCount, 0)
            }
            try Guest(id: 2, name: "Bob").update(db, columns: ["name"])
            try Guest(id: 3, name: "Cleo").update(db, setting: [Guest.name.set(to: "Cid")])
            try expectEqual(names(db), ["1 Amy", "2 Bob", "3 Cid"])

            var guest = Guest(id: 2, name: "Bob")
            try expectTrue(guest.updateChanges(db) { $0.name = "Bea" })
            try expectEqual(
                guest.updateAndFetch(
                    db, selection: [Guest.name], fetch: { try String.fetchOne($0) }),
                "Bea")
            try expectEqual(names(db), ["1 Amy", "2 Bea", "3 Cid"])
        }
    }

    @Test func rowsThatAreMissing() throws {
        try makeQueue().write { db throws in
            let guest = Guest(id: 9, name: "Nobody")
            for _ in 1...3 {
                expectError("Key not found in table guestView: [id:9]") { try guest.update(db) }
            }
            expectError("Key not found in table guestView: [id:9]") {
                try guest.update(db, columns: ["name"])
            }
            try expectEqual(guest.delete(db), false)
            try expectEqual(Guest.deleteOne(db, key: 9), false)
            try expectEqual(names(db), ["1 Ada", "2 Ben", "3 Cleo"])
        }
    }

    /// A trigger that changes nothing is taken for a missing row, as are rows that a constraint
    /// ignores.
    @Test func triggersThatChangeNothing() throws {
        try makeQueue().write { db throws in
            try db.execute(
                sql: """
                    DROP TRIGGER u;
                    CREATE TRIGGER u INSTEAD OF UPDATE ON guestView BEGIN SELECT 1; END;
                    """)
            expectError("Key not found in table guestView: [id:1]") {
                try Guest(id: 1, name: "Ann").update(db)
            }
            try expectEqual(Guest.updateAll(db, Guest.name.set(to: "Ann")), 0)
        }
    }

    @Test func savesDoNotInsertWhatTheyHaveUpdated() throws {
        try makeQueue().write { db throws in
            for name in ["Ann", "Alma"] {
                var guest = Guest(id: 1, name: name)
                let sql = try db.statements { try guest.save(db) }
                expectEqual(sql.filter { $0.hasPrefix("INSERT INTO \"guestView\"") }, [])
                try expectEqual(names(db), ["1 \(name)", "2 Ben", "3 Cleo"])
            }
            var guest = Guest(id: 4, name: "Dora")
            try guest.save(db)
            try expectEqual(names(db), ["1 Alma", "2 Ben", "3 Cleo", "4 Dora"])
            try expectEqual(
                guest.saveAndFetch(
                    db, selection: [Guest.name], fetch: { try String.fetchOne($0) }),
                "Dora")
            try expectEqual(Guest.fetchCount(db), 4)
        }
    }

    @Test func deletions() throws {
        try makeQueue().write { db throws in
            try expectTrue(Guest(id: 1, name: "").delete(db))
            try expectEqual(names(db), ["2 Ben", "3 Cleo"])
            try expectTrue(Guest.deleteOne(db, key: 2))
            // One row of the table, and one of the log.
            try expectEqual(Guest.deleteAll(db), 2)
            try expectEqual(Guest.deleteAll(db), 0)
            try expectEqual(names(db), [])
        }
    }

    @Test func updatesOfRequests() throws {
        try makeQueue().write { db throws in
            try expectEqual(Guest.filter(key: 1).updateAll(db, Guest.name.set(to: "x")), 2)
            try expectEqual(Guest.updateAll(db, Guest.name.set(to: "y")), 6)
            try expectEqual(Guest.filter(key: 9).updateAll(db, Guest.name.set(to: "z")), 0)
            try expectEqual(names(db), ["1 y", "2 y", "3 y"])
        }
    }

    @Test func insertions() throws {
        try makeQueue().write { db throws in
            let guests = Table("guestView")
            let id = Guest.Columns.id
            try expectEqual(
                guests.insertMany(
                    db,
                    [
                        [id.set(to: 4), Guest.name.set(to: "d")],
                        [id.set(to: 5), Guest.name.set(to: "e")],
                    ]),
                2)
            try expectEqual(
                guests.insertAll(
                    db, from: SQLRequest<Row>(sql: "SELECT 6, 'f' UNION ALL SELECT 7, 'g'")),
                2)
            var records = [Guest(id: 8, name: "h"), Guest(id: 9, name: "i")]
            try Guest.insertMany(db, &records)
            try expectEqual(Guest.fetchCount(db), 9)
        }
    }

    @Test(arguments: ["attached", "temp"]) func viewsOfOtherSchemas(schema: String) throws {
        try makeQueue(schema).write { db throws in
            let guests = Table("guestView", in: schema)
            try expectEqual(guests.filter(Guest.name == "Ben").deleteAll(db), 2)
            try expectEqual(guests.updateAll(db, Guest.name.set(to: "x")), 4)
            try Guest(id: 1, name: "Ann").update(db)
            try expectEqual(names(db), ["1 Ann", "3 x"])
        }
    }

    /// What the triggers of a table change does not count.
    @Test func triggersOfTables() throws {
        try makeQueue().write { db throws in
            try db.execute(
                sql: """
                    CREATE TRIGGER bu BEFORE UPDATE ON guest WHEN NEW.name = 'ignored' BEGIN
                        INSERT INTO log VALUES ('ignored');
                        SELECT RAISE(IGNORE);
                    END;
                    CREATE TRIGGER bd BEFORE DELETE ON guest WHEN OLD.id = 3 BEGIN
                        INSERT INTO log VALUES ('kept');
                        SELECT RAISE(IGNORE);
                    END;
                    """)
            let guests = Table("guest")
            try expectEqual(guests.updateAll(db, Guest.name.set(to: "ignored")), 0)
            try expectEqual(guests.filter(key: 3).deleteAll(db), 0)
            try expectEqual(guests.deleteAll(db), 2)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM log"), 5)
        }
    }
}
