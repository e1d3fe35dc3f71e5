import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// `DatabaseValueCursor`, `FastDatabaseValueCursor` and the fetching methods of values. `Int` is
/// decoded from the statement, `URL` and enums from database values.
@Suite(.databases) struct ValueFetchingTests {
    private enum Color: Int, DatabaseValueConvertible {
        case red = 1
        case white
    }

    private static let numbers =
        "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y' UNION ALL SELECT 2, 'z'"

    @Test func valuesComeFromTheLeftmostColumn() throws {
        try TestDatabases.makeQueue().write { db in
            try expectEqual(Int.fetchAll(db, sql: Self.numbers), [1, 2, 2])
            try expectEqual(Color.fetchAll(db, sql: Self.numbers), [.red, .white, .white])
            try expectEqual(Int.fetchSet(db, sql: Self.numbers), [1, 2])
            try expectEqual(Color.fetchSet(db, sql: Self.numbers), [.red, .white])
            try expectEqual(Int.fetchOne(db, sql: Self.numbers), 1)
            try expectEqual(Color.fetchOne(db, sql: Self.numbers), .red)
            try expectEqual(Array(Int.fetchCursor(db, sql: Self.numbers)), [1, 2, 2])
            try expectEqual(
                Array(Color.fetchCursor(db, sql: Self.numbers)), [.red, .white, .white])
            try expectEqual(DatabaseValue.fetchAll(db, sql: "SELECT NULL"), [.null])
        }
    }

    @Test func cursorsStayAtTheirEnd() throws {
        try TestDatabases.makeQueue().write { db in
            let values = try Int.fetchCursor(db, sql: Self.numbers)
            try expectEqual((0..<6).map { _ in try values.next() }, [1, 2, 2, nil, nil, nil])
            let colors = try Color.fetchCursor(db, sql: "SELECT 1")
            try expectEqual((0..<3).map { _ in try colors.next() }, [.red, nil, nil])
        }
    }

    @Test func staticTypesOfCursors() throws {
        try TestDatabases.makeQueue().write { db in
            let fast: FastDatabaseValueCursor<Int> = try Int.fetchCursor(db, sql: "SELECT 1")
            let slow: DatabaseValueCursor<Color> = try Color.fetchCursor(db, sql: "SELECT 1")
            let fastOptional: FastDatabaseValueCursor<Int?> =
                try Int?.fetchCursor(db, sql: "SELECT 1")
            let slowOptional: DatabaseValueCursor<Color?> =
                try Color?.fetchCursor(db, sql: "SELECT 1")
            let cursor: any DatabaseCursor<Int> = fast
            try expectEqual(cursor.next(), 1)
            try expectEqual(slow.next(), .red)
            try expectEqual(fastOptional.next(), .some(1))
            try expectEqual(slowOptional.next(), .some(.red))
        }
    }

    // MARK: - NULL

    @Test func fetchOneIsNilForNoRowAndForNull() throws {
        try TestDatabases.makeQueue().write { db in
            try expectEqual(Int.fetchOne(db, sql: "SELECT NULL"), nil)
            try expectEqual(Int.fetchOne(db, sql: "SELECT 1 WHERE 0"), nil)
            try expectEqual(Color.fetchOne(db, sql: "SELECT NULL"), nil)
            try expectEqual(Color.fetchOne(db, sql: "SELECT 1 WHERE 0"), nil)
            try expectEqual(Int?.fetchOne(db, sql: "SELECT NULL"), .some(nil))
            try expectEqual(Int?.fetchOne(db, sql: "SELECT 1 WHERE 0"), nil)
            try expectEqual(DatabaseValue.fetchOne(db, sql: "SELECT 1 WHERE 0"), nil)
            try expectEqual(DatabaseValue.fetchOne(db, sql: "SELECT NULL"), .null)
            // Only the first row is looked at.
            try expectEqual(Int.fetchOne(db, sql: "SELECT 1 UNION ALL SELECT 'x'"), 1)
        }
    }

    @Test func onlyOptionalsDecodeNull() throws {
        try TestDatabases.makeQueue().write { db in
            let sql = "SELECT 1 UNION ALL SELECT NULL"
            try expectEqual(Int?.fetchAll(db, sql: sql), [1, nil])
            try expectEqual(Color?.fetchAll(db, sql: sql), [.red, nil])
            try expectEqual(Int?.fetchSet(db, sql: sql), [1, nil])
            try expectEqual(Color?.fetchSet(db, sql: sql), [.red, nil])
            expectError(RowDecodingError.self) { try Int.fetchAll(db, sql: sql) }
            expectError(RowDecodingError.self) { try Color.fetchSet(db, sql: sql) }
            expectError(RowDecodingError.self) { try Color?.fetchAll(db, sql: "SELECT 9") }
            expectError(RowDecodingError.self) { try Color.fetchOne(db, sql: "SELECT 9") }
        }
    }

    // MARK: - Statements and requests

    @Test func statementsKeepTheirArguments() throws {
        try TestDatabases.makeQueue().write { db in
            let statement = try db.makeStatement(sql: "SELECT ? UNION ALL SELECT 2")
            try expectEqual(Int.fetchAll(statement, arguments: [1]), [1, 2])
            try expectEqual(Int.fetchAll(statement), [1, 2])
            try expectEqual(Color.fetchSet(statement), [.red, .white])
            try expectEqual(Int.fetchSet(statement, arguments: [2]), [2])
            try expectEqual(Color.fetchOne(statement), .white)
            try expectEqual(Int.fetchOne(statement, arguments: [nil]), nil)
            try expectEqual(Color.fetchAll(statement, arguments: [1]), [.red, .white])
            try expectEqual(Array(Color.fetchCursor(statement)), [.red, .white])
            try expectEqual(Row.fetchSet(statement, arguments: [3]).count, 2)
            try expectEqual(
                Int.fetchOne(statement, adapter: RenameColumnAdapter { $0 + "x" }),
                3)
        }
    }

    @Test func requests() throws {
        try TestDatabases.makeQueue().write { db in
            let request: SQLRequest<Int> = "SELECT 1 AS a, 2 AS b"
            try expectEqual(Int.fetchAll(db, request), [1])
            try expectEqual(Int.fetchSet(db, request), [1])
            try expectEqual(Int.fetchOne(db, request), 1)
            try expectEqual(Int.fetchCursor(db, request).next(), 1)
            try expectEqual(Color.fetchAll(db, request), [.red])
            try expectEqual(Color.fetchSet(db, request), [.red])
            try expectEqual(Color.fetchOne(db, request), .red)
            try expectEqual(Color.fetchCursor(db, request).next(), .red)
            try expectEqual(Row.fetchAll(db, request), [["a": 1, "b": 2]])
            try expectEqual(Row.fetchSet(db, request), [["a": 1, "b": 2]])
            try expectEqual(Row.fetchOne(db, request), ["a": 1, "b": 2])
            let rows = try Row.fetchCursor(db, request)
            try expectEqual(rows.next(), ["a": 1, "b": 2])
        }
    }

    @Test func statementsWithoutColumnsHaveNoValues() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            // The statements run.
            try expectEqual(Int.fetchAll(db, sql: "INSERT INTO t VALUES (1)"), [])
            try expectEqual(Int.fetchSet(db, sql: "DELETE FROM t"), [])
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA foreign_keys = 1"), nil)
            try expectEqual(String.fetchAll(db, sql: "CREATE TABLE u(a)"), [])
            try expectEqual(Row.fetchAll(db, sql: "INSERT INTO t VALUES (1)"), [])
            try expectEqual(Int.fetchOne(db, sql: "INSERT INTO t VALUES (2) RETURNING a * 10"), 20)
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [1, 2])
        }
    }

    /// A change is committed when its statement ends, which is not at its first row.
    @Test func changesThatDoNotCommitThrow() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent(id INTEGER PRIMARY KEY);
                    CREATE TABLE child(
                        parent INTEGER REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED);
                    """)
            let sql = "INSERT INTO child VALUES (1) RETURNING parent"
            for fetch in [
                { _ = try Int.fetchOne(db, sql: sql) },
                { _ = try Color.fetchOne(db, sql: sql) },
                { _ = try Row.fetchOne(db, sql: sql) },
                { _ = try Int.fetchAll(db, sql: sql) },
                { _ = try Row.fetchSet(db, sql: sql) },
                {
                    let cursor = try Int.fetchCursor(db, sql: sql)
                    try expectEqual(cursor.next(), 1)
                    _ = try cursor.next()
                },
            ] as [() throws -> Void] {
                let error = expectError(DatabaseError.self) { try fetch() }
                expectEqual(error?.extendedResultCode, .SQLITE_CONSTRAINT_FOREIGNKEY)
                expectEqual(error?.sql, sql)
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM child"), 0)
        }
    }

    // MARK: - Custom types

    /// Decoded from the statement.
    private struct EvenInteger: DatabaseValueConvertible, StatementColumnConvertible, Equatable {
        let value: Int

        init?(_ value: Int) {
            guard value.isMultiple(of: 2) else { return nil }
            self.value = value
        }

        init?(sqliteStatement: SQLiteStatement, index: CInt) {
            guard let value = Int(sqliteStatement: sqliteStatement, index: index) else {
                return nil
            }
            self.init(value)
        }

        var databaseValue: DatabaseValue { value.databaseValue }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> EvenInteger? {
            Int.fromDatabaseValue(dbValue).flatMap { EvenInteger($0) }
        }
    }

    @Test func customTypesDecodeFromTheStatement() throws {
        try TestDatabases.makeQueue().write { db in
            try expectEqual(EvenInteger.fetchOne(db, sql: "SELECT 2"), EvenInteger(2))
            try expectEqual(EvenInteger.fetchOne(db, sql: "SELECT NULL"), nil)
            expectError(RowDecodingError.self) { try EvenInteger.fetchOne(db, sql: "SELECT 3") }
            expectError(RowDecodingError.self) {
                try EvenInteger?.fetchAll(db, sql: "SELECT 3")
            }
            let rows = try Row.fetchCursor(db, sql: "SELECT 4 AS a, 5 AS b, NULL AS c")
            let row = try unwrap(rows.next())
            expectEqual(row["a"] as EvenInteger, EvenInteger(4))
            expectNil(row["c"] as EvenInteger?)
            expectError(RowDecodingError.self) {
                try row.decode(EvenInteger?.self, forColumn: "b")
            }
            expectEqual(row.copy()["a"] as EvenInteger, EvenInteger(4))
        }
    }

    /// Its conformance to `StatementColumnConvertible` has a condition of its own.
    fileprivate struct Tagged<RawValue> {
        var rawValue: RawValue
    }

    @Test func genericTypesDecodeFromTheStatementOrFromDatabaseValues() throws {
        try TestDatabases.makeQueue().write { db in
            try expectEqual(
                Tagged<Int>.fetchAll(db, sql: Self.numbers).map(\.rawValue), [1, 2, 2])
            try expectEqual(Tagged<Color>.fetchOne(db, sql: Self.numbers)?.rawValue, .red)
            try expectEqual(Tagged<Int>?.fetchOne(db, sql: "SELECT NULL")??.rawValue, nil)
            let row = try unwrap(Row.fetchOne(db, sql: Self.numbers))
            expectEqual((row["a"] as Tagged<Int>).rawValue, 1)
            expectEqual((row["a"] as Tagged<Color>).rawValue, .red)
            expectError(RowDecodingError.self) {
                try row.decode(Tagged<Int>.self, forColumn: "b")
            }
        }
    }

    /// A function that only knows that its type is a database value.
    private func values<Value: DatabaseValueConvertible>(
        _ type: Value.Type, _ db: Database, sql: String
    ) throws -> [Value] {
        try Value.fetchAll(db, sql: sql)
            + Row.fetchAll(db, sql: sql).map { try $0.decode(Value.self, atIndex: 0) }
    }

    @Test func genericFunctionsDecodeAllTypes() throws {
        try TestDatabases.makeQueue().write { db in
            try expectEqual(values(Int.self, db, sql: "SELECT 2"), [2, 2])
            try expectEqual(values(Color.self, db, sql: "SELECT 1"), [.red, .red])
            try expectEqual(values(EvenInteger.self, db, sql: "SELECT 2").map(\.value), [2, 2])
            try expectEqual(values(Int?.self, db, sql: "SELECT NULL"), [nil, nil])
        }
    }
}

extension ValueFetchingTests.Tagged: SQLExpressible where RawValue: SQLExpressible {}
extension ValueFetchingTests.Tagged: StatementBinding where RawValue: StatementBinding {}
extension ValueFetchingTests.Tagged: RawRepresentable {}
extension ValueFetchingTests.Tagged: DatabaseValueConvertible
where RawValue: DatabaseValueConvertible {}
extension ValueFetchingTests.Tagged: StatementColumnConvertible
where RawValue: StatementColumnConvertible {}
