import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseFunctionTests {
    private static let count = DatabaseFunction("argCount") { $0.count }

    // MARK: - Arguments and results

    @Test func functionsReceiveTheirArguments() throws {
        try TestDatabases.makeQueue().write { db in
            db.add(function: DatabaseFunction("f") { "\($0)" })
            try expectEqual(
                String.fetchOne(db, sql: "SELECT f(NULL, 1, 1.5, 'x', x'', x'01', -0.0)"),
                #"[NULL, 1, 1.5, "x", Data(0 bytes), Data(1 bytes), -0.0]"#)
            try expectEqual(String.fetchOne(db, sql: "SELECT f()"), "[]")
            try expectEqual(
                String.fetchOne(db, sql: "SELECT f(?)", arguments: ["a\0b"]),
                #"["a\0b"]"#)
        }
    }

    @Test func theNumberOfArgumentsIsFixedOrFree() throws {
        try TestDatabases.makeQueue().write { db in
            db.add(function: Self.count)
            db.add(function: DatabaseFunction("two", argumentCount: 2) { $0.count })
            try expectEqual(Int.fetchOne(db, sql: "SELECT argCount()"), 0)
            try expectEqual(Int.fetchOne(db, sql: "SELECT ARGCOUNT(1, 2, 3)"), 3)
            // SQLITE_MAX_FUNCTION_ARG
            let many = Array(repeating: "1", count: 1000).joined(separator: ", ")
            try expectEqual(Int.fetchOne(db, sql: "SELECT argCount(\(many))"), 1000)
            try expectEqual(Int.fetchOne(db, sql: "SELECT two(1, 2)"), 2)
            expectError(
                "SQLite error 1: wrong number of arguments to function two() - "
                    + "while executing `SELECT two(1)`"
            ) {
                try Int.fetchOne(db, sql: "SELECT two(1)")
            }
        }
    }

    @Test(
        arguments: [
            (nil, "null", "NULL"), (1, "integer", "1"), (true, "integer", "1"),
            (1.5, "real", "1.5"),
            ("é", "text", #""é""#), ("", "text", #""""#), ("a\0b", "text", #""a\0b""#),
            (Data(), "blob", "Data(0 bytes)"), (Data([1]), "blob", "Data(1 bytes)"),
            (Date(timeIntervalSince1970: 0), "text", #""1970-01-01 00:00:00.000""#),
            (Double.nan, "null", "NULL"), (NSNull(), "null", "NULL"),
            (DatabaseValue.null, "null", "NULL"), (Int64.max, "integer", "\(Int64.max)"),
        ] as [((any DatabaseValueConvertible & Sendable)?, String, String)])
    func resultsOfAllKinds(
        result: (any DatabaseValueConvertible & Sendable)?, type: String, description: String
    ) throws {
        try TestDatabases.makeQueue().write { db in
            db.add(function: DatabaseFunction("f", argumentCount: 0) { _ in result })
            let row = try unwrap(Row.fetchOne(db, sql: "SELECT typeof(f()), f()"))
            expectEqual(row[0], type)
            expectEqual((row[1] as DatabaseValue).description, description)
        }
    }

    @Test func aResultMayBeAnArgument() throws {
        try TestDatabases.makeQueue().write { db in
            db.add(function: DatabaseFunction("same", argumentCount: 1) { $0[0] })
            try expectEqual(
                Row.fetchOne(db, sql: "SELECT same(same(1)), same('a' || same('b')), same(NULL)")
                    .map { Array($0.databaseValues) },
                [1.databaseValue, "ab".databaseValue, .null])
        }
    }

    // MARK: - Identity

    @Test func identityIsTheNameAndTheNumberOfArguments() {
        func function(_ name: String, _ count: Int?) -> DatabaseFunction {
            DatabaseFunction(name, argumentCount: count) { _ in nil }
        }
        expectEqual(function("a", 1).name, "a")
        expectEqual(function("a", 1).id, function("a", 1).id)
        #expect(function("a", 1).id != function("a", 2).id)
        #expect(function("a", 1).id != function("a", nil).id)
        #expect(function("a", 1).id != function("b", 1).id)
        // As SQLite sees it.
        expectEqual(function("a", 1).id, function("A", 1).id)
        expectEqual(Set([function("a", 1).id, function("A", 1).id]).count, 1)
    }

    @Test func overloadsAndRedefinition() throws {
        try TestDatabases.makeQueue().write { db in
            let one = DatabaseFunction("g", argumentCount: 1) { _ in "one" }
            db.add(function: one)
            db.add(function: DatabaseFunction("g", argumentCount: 2) { _ in "two" })
            db.add(function: DatabaseFunction("g") { _ in "any" })
            let sql = "SELECT g(1), g(1, 2), g(1, 2, 3)"
            try expectEqual(
                Row.fetchOne(db, sql: sql)?.map(\.1),
                ["one", "two", "any"].map(\.databaseValue))
            db.add(function: DatabaseFunction("G", argumentCount: 1) { _ in "ONE" })
            try expectEqual(Row.fetchOne(db, sql: sql)?[0], "ONE")
            db.remove(function: one)
            try expectEqual(String.fetchOne(db, sql: "SELECT g(1, 2)"), "two")
            // SQLite does not look for another one.
            expectError(
                "SQLite error 1: wrong number of arguments to function g() - "
                    + "while executing `SELECT g(1)`"
            ) {
                try String.fetchOne(db, sql: "SELECT g(1)")
            }
        }
    }

    @Test func removal() throws {
        try TestDatabases.makeQueue().write { db in
            let function = DatabaseFunction("g", argumentCount: 1) { _ in "one" }
            db.add(function: function)
            try expectEqual(String.fetchOne(db, sql: "SELECT g(1)"), "one")
            db.remove(function: function)
            expectError("SQLite error 1: no such function: g - while executing `SELECT g(1)`") {
                try String.fetchOne(db, sql: "SELECT g(1)")
            }
            // One that was never added.
            db.remove(function: function)
            db.add(function: function)
            try expectEqual(String.fetchOne(db, sql: "SELECT g(1)"), "one")
        }
    }

    @Test func functionsOfSQLiteCanBeOverridden() throws {
        try TestDatabases.makeQueue().write { db in
            db.add(function: DatabaseFunction("abs", argumentCount: 1) { _ in "overridden" })
            try expectEqual(String.fetchOne(db, sql: "SELECT abs(-1)"), "overridden")
        }
    }

    // MARK: - Purity

    @Test func pureFunctionsMayBeUsedInIndexes() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            let reversed: @Sendable ([DatabaseValue]) -> (any DatabaseValueConvertible)? = {
                String.fromDatabaseValue($0[0]).map { String($0.reversed()) }
            }
            db.add(
                function: DatabaseFunction("pure", argumentCount: 1, pure: true, function: reversed)
            )
            db.add(function: DatabaseFunction("impure", argumentCount: 1, function: reversed))
            try db.execute(
                sql: """
                    CREATE INDEX i ON t(pure(a));
                    INSERT INTO t VALUES ('ab'), ('cd');
                    """)
            try expectEqual(String.fetchOne(db, sql: "SELECT a FROM t WHERE pure(a) = 'dc'"), "cd")
            try expectEqual(
                String.fetchAll(
                    db, sql: "EXPLAIN QUERY PLAN SELECT a FROM t WHERE pure(a) = 'dc'",
                    adapter: ColumnMapping(["detail": "detail"])
                ),
                ["SEARCH t USING INDEX i (<expr>=?)"])
            expectError(
                "SQLite error 1: non-deterministic functions prohibited in index expressions - "
                    + "while executing `CREATE INDEX j ON t(impure(a))`"
            ) {
                try db.execute(sql: "CREATE INDEX j ON t(impure(a))")
            }
        }
    }

    @Test func pureFunctionsAreCalledOnceForConstants() throws {
        try TestDatabases.makeQueue().write { db in
            let calls = Log<String>()
            for (name, pure) in [("pure", true), ("impure", false)] {
                db.add(
                    function: DatabaseFunction(name, argumentCount: 1, pure: pure) { _ in
                        calls.append(name)
                        return 1
                    })
            }
            let rows = "(SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3)"
            try db.execute(sql: "SELECT pure(1) FROM \(rows)")
            expectEqual(calls.removeAll(), ["pure"])
            try db.execute(sql: "SELECT impure(1) FROM \(rows)")
            expectEqual(calls.elements, ["impure", "impure", "impure"])
        }
    }

    // MARK: - Where functions are used

    @Test func triggersCallFunctions() throws {
        try TestDatabases.makeQueue().write { db in
            let calls = Log<String>()
            db.add(
                function: DatabaseFunction("spy", argumentCount: 1) { dbValues in
                    calls.append("\(dbValues[0])")
                    return nil
                })
            try db.execute(
                sql: """
                    CREATE TABLE t(a);
                    CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT spy(new.a); END;
                    INSERT INTO t VALUES (1), ('x');
                    """)
            expectEqual(calls.elements, ["1", #""x""#])
        }
    }

    @Test func generatedColumnsAndChecksCallFunctions() throws {
        try TestDatabases.makeQueue().write { db in
            db.add(
                function: DatabaseFunction("twice", argumentCount: 1, pure: true) {
                    Int.fromDatabaseValue($0[0]).map { $0 * 2 }
                })
            try db.execute(
                sql: """
                    CREATE TABLE t(a CHECK (twice(a) < 10), b AS (twice(a)) STORED);
                    INSERT INTO t(a) VALUES (1), (4);
                    """)
            try expectEqual(Int.fetchAll(db, sql: "SELECT b FROM t"), [2, 8])
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO t(a) VALUES (5)")
            }
            expectEqual(error?.extendedResultCode, .SQLITE_CONSTRAINT_CHECK)
        }
    }

    @Test func everyConnectionHasItsFunctions() throws {
        let first = try TestDatabases.makeQueue()
        let second = try TestDatabases.makeQueue()
        try first.write { $0.add(function: Self.count) }
        try expectEqual(first.read { try Int.fetchOne($0, sql: "SELECT argCount(1)") }, 1)
        try second.read { db in
            expectError(
                "SQLite error 1: no such function: argCount - while executing `SELECT argCount(1)`"
            ) {
                try Int.fetchOne(db, sql: "SELECT argCount(1)")
            }
        }
        var config = TestDatabases.makeConfiguration()
        config.prepareDatabase { $0.add(function: Self.count) }
        let third = try TestDatabases.makeQueue(.memory, config)
        try expectEqual(third.read { try Int.fetchOne($0, sql: "SELECT argCount(1)") }, 1)
    }

    // MARK: - Lifetime

    private final class Witness: Sendable {}

    @Test func implementationsAreFreed() throws {
        weak var removed: Witness?
        weak var redefined: Witness?
        weak var closed: Witness?
        var dbQueue: DatabaseQueue? = try TestDatabases.makeQueue()
        func add(_ name: String, to db: Database) -> Witness {
            let witness = Witness()
            db.add(
                function: DatabaseFunction(name, argumentCount: 0) { _ in
                    withExtendedLifetime(witness) { 1 }
                })
            return witness
        }
        try dbQueue?.write { db in
            removed = add("a", to: db)
            redefined = add("b", to: db)
            closed = add("c", to: db)
            try expectEqual(Int.fetchOne(db, sql: "SELECT a() + b() + c()"), 3)
            expectTrue(removed != nil && redefined != nil && closed != nil)
            db.remove(function: DatabaseFunction("A", argumentCount: 0) { _ in nil })
            expectNil(removed)
            db.add(function: DatabaseFunction("b", argumentCount: 0) { _ in 2 })
            expectNil(redefined)
            expectTrue(closed != nil)
        }
        dbQueue = nil
        expectNil(closed)
    }
}
