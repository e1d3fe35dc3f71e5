import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct SchemaObjectsTests {
    private func withSchema(_ body: (Database) throws -> Void) throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH DATABASE ':memory:' AS att")
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a UNIQUE);
                    CREATE VIEW v AS SELECT 1 AS a;
                    CREATE TEMP TABLE tmp(z);
                    CREATE TEMP VIEW tv AS SELECT 1;
                    CREATE TABLE att.t(q INTEGER PRIMARY KEY, r);
                    CREATE TABLE att.only(q);
                    CREATE TRIGGER trg AFTER INSERT ON t BEGIN SELECT 1; END;
                    CREATE TEMP TRIGGER ttrg AFTER INSERT ON t BEGIN SELECT 1; END;
                    CREATE VIRTUAL TABLE ft USING fts5(title);
                    CREATE INDEX i ON t(a);
                    """)
            try body(db)
        }
    }

    @Test func existence() throws {
        try withSchema { db throws in
            // As in all other methods, the name of nothing.
            expectError("SQLite error 21: The name of the table holds a NUL character, at byte 1") {
                try db.tableExists("t\0b")
            }
            expectError("SQLite error 21: The name of the view holds a NUL character, at byte 0") {
                try db.viewExists("\0")
            }
            expectError("SQLite error 21: The name of the trigger holds a NUL character, at byte 1")
            {
                try db.triggerExists("t\0")
            }
            for name in ["t", "T", "tmp", "only", "ft", "ft_data", "sqlite_sequence"] {
                try expectTrue(db.tableExists(name), "\(name)")
                try expectTrue(!db.viewExists(name), "\(name)")
            }
            for name in ["v", "V", "tv"] {
                try expectTrue(!db.tableExists(name), "\(name)")
                try expectTrue(db.viewExists(name), "\(name)")
            }
            for name in ["", "nope", "main.t", "att.t", "sqlite_master", "sqlite_temp_master", "i"]
            {
                try expectTrue(!db.tableExists(name), "\(name)")
                try expectTrue(!db.viewExists(name), "\(name)")
                try expectTrue(!db.triggerExists(name), "\(name)")
            }
            try expectTrue(db.triggerExists("TRG"))
            try expectTrue(db.triggerExists("ttrg"))
        }
    }

    @Test func existenceInSchema() throws {
        try withSchema { db throws in
            try expectTrue(db.tableExists("t", in: "MAIN"))
            try expectTrue(!db.tableExists("t", in: "temp"))
            try expectTrue(!db.tableExists("tmp", in: "main"))
            try expectTrue(db.tableExists("tmp", in: "temp"))
            try expectTrue(db.tableExists("only", in: "Att"))
            try expectTrue(!db.viewExists("tv", in: "main"))
            try expectTrue(!db.triggerExists("ttrg", in: "main"))
            expectError("SQLite error 1: no such schema: nope") {
                try db.tableExists("t", in: "nope")
            }
            expectError("SQLite error 1: no such schema: nope") {
                try db.triggerExists("trg", in: "nope")
            }
        }
    }

    @Test func objects() throws {
        try withSchema { db throws in
            try expectEqual(db.schemaObjects(ofType: .table, in: "att").map(\.name), ["t", "only"])
            try expectEqual(
                db.schemaObjects(ofType: .index, in: "main").map(\.name),
                ["sqlite_autoindex_t_1", "i"])
            let indexes = try db.schemaObjects(ofType: .index, in: "main")
            expectEqual(indexes.map(\.sql), [nil, "CREATE INDEX i ON t(a)"])
            expectEqual(indexes.map(\.tableName), ["t", "t"])
            try expectEqual(db.schemaObjects(ofType: .view).map(\.name), ["tv", "v"])
            let virtual = try db.schemaObjects(ofType: .table).filter(\.isVirtualTable)
            expectEqual(virtual.map(\.name), ["ft"])
            try expectEqual(db.triggers(on: "T").map(\.name), ["ttrg", "trg"])
            try expectTrue(db.triggers(on: "tmp").isEmpty)
            #expect(try db.schemaVersion() > 0)
        }
    }
}
