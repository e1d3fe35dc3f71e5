import GRDB
import GRDBFunctions
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseFunctionOptionsTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
    }

    private static func one(_ name: String) -> DatabaseFunction {
        DatabaseFunction(name, argumentCount: 0, pure: true) { _ in 1 }
    }

    @Test func directOnly() throws {
        let function = Self.one("one").withOptions(.directOnly)
        expectEqual(function.id, Self.one("one").id)
        try dbQueue.write { db throws in
            db.add(function: function)
            try expectEqual(Int.fetchOne(db, sql: "SELECT one()"), 1)
            try db.execute(sql: "CREATE VIEW v AS SELECT one()")
            expectError(
                "SQLite error 1: unsafe use of one() - while executing `SELECT * FROM v`"
            ) {
                try Row.fetchAll(db, sql: "SELECT * FROM v")
            }
            expectError(DatabaseError.self) {
                try db.execute(sql: "CREATE TABLE t (a, b AS (one()))")
            }
            // Without the option
            db.add(function: Self.one("one"))
            try expectEqual(Int.fetchOne(db, sql: "SELECT * FROM v"), 1)
        }
    }

    @Test func innocuous() throws {
        try dbQueue.writeWithoutTransaction { db throws in
            db.add(function: Self.one("one"))
            db.add(function: Self.one("safe").withOptions(.innocuous))
            try db.execute(
                sql: """
                    PRAGMA trusted_schema = OFF;
                    CREATE VIEW v AS SELECT one();
                    CREATE VIEW w AS SELECT safe();
                    """)
            try expectEqual(Int.fetchOne(db, sql: "SELECT * FROM w"), 1)
            expectError(
                "SQLite error 1: unsafe use of one() - while executing `SELECT * FROM v`"
            ) {
                try Row.fetchAll(db, sql: "SELECT * FROM v")
            }
        }
    }

    @Test func subtypes() throws {
        typealias Value = DatabaseFunction.SubtypedValue
        let tags = DatabaseFunction.withSubtypes("tags", argumentCount: 0) { _ in
            Value(#"["a","b"]"#, subtype: Value.json)
        }
        let subtype = DatabaseFunction.withSubtypes("subtype_of", argumentCount: 1) {
            Value(Int($0[0].subtype))
        }
        let failing = DatabaseFunction.withSubtypes("failing", argumentCount: 1) { _ in
            throw TestError()
        }
        try dbQueue.write { db throws in
            db.add(function: tags)
            db.add(function: subtype)
            db.add(function: failing)
            try expectEqual(String.fetchOne(db, sql: "SELECT json_array(tags())"), #"[["a","b"]]"#)
            try expectEqual(Int.fetchOne(db, sql: "SELECT subtype_of(json('1'))"), 74)
            try expectEqual(Int.fetchOne(db, sql: "SELECT subtype_of(tags())"), 74)
            try expectEqual(Int.fetchOne(db, sql: "SELECT subtype_of('1')"), 0)
            expectError(TestError()) { try Row.fetchAll(db, sql: "SELECT failing(1)") }
        }
    }
}
