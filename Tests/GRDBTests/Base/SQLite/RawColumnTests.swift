import Foundation
import GRDBSQLite
import GRDBTestSupport
import Testing

@testable import GRDB

/// What is read from the memory of a row, side by side with what SQLite's own functions say of it.
@Suite struct RawColumnTests {
    /// Compares all columns of all rows that a statement finds.
    private func check(
        _ sql: String, encoding: String = "UTF-8",
        convertedBy convert: (OpaquePointer, CInt) -> Void = { _, _ in }
    ) throws {
        try withConnection { connection in
            sqlite3_exec(connection, "PRAGMA encoding = '\(encoding)'", nil, nil, nil)
            sqlite3_exec(
                connection,
                """
                CREATE TABLE t(r REAL, b);
                INSERT INTO t VALUES (7, zeroblob(5)), (1e300, x''), (-0.5, '')
                """, nil, nil, nil)
            // One statement is read by the library, the other one by SQLite's functions.
            let mine = try prepare(sql, connection)
            defer { sqlite3_finalize(mine) }
            let its = try prepare(sql, connection)
            defer { sqlite3_finalize(its) }
            var rowCount = 0
            while sqlite3_step(mine) == SQLITE_ROW, sqlite3_step(its) == SQLITE_ROW {
                rowCount += 1
                for index in 0..<sqlite3_column_count(its) {
                    convert(mine, index)
                    convert(its, index)
                    compare(mine, its, index)
                }
            }
            #expect(rowCount > 0)
        }
    }

    private func compare(_ mine: OpaquePointer, _ its: OpaquePointer, _ index: CInt) {
        let type = sqlite3_column_type(its, index)
        expectEqual(RawColumn.isNull(mine, index), (type == SQLITE_NULL))
        expectEqual(RawColumn.type(mine, index), type)
        let integer = RawColumn.integer(mine, index)
        expectEqual(integer.type, type)
        expectEqual(integer.value, (type == SQLITE_INTEGER ? sqlite3_column_int64(its, index) : 0))
        let real = RawColumn.real(mine, index)
        expectEqual(real.type, type)
        let isNumber = type == SQLITE_INTEGER || type == SQLITE_FLOAT
        expectEqual(real.value, (isNumber ? sqlite3_column_double(its, index) : 0))
        let content = RawColumn.content(mine, index)
        expectEqual(content.type, type)
        var bytes: UnsafeRawPointer?
        if type == SQLITE_BLOB {
            bytes = sqlite3_column_blob(its, index)
        } else if type != SQLITE_NULL {
            bytes = sqlite3_column_text(its, index).map(UnsafeRawPointer.init)
        }
        let count = type == SQLITE_NULL ? 0 : Int(sqlite3_column_bytes(its, index))
        expectEqual(Data(content.bytes), Data(UnsafeRawBufferPointer(start: bytes, count: count)))
    }

    private func withConnection(_ body: (OpaquePointer) throws -> Void) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            ":memory:", &handle,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        let connection = try unwrap(handle)
        defer { sqlite3_close(connection) }
        expectEqual(code, SQLITE_OK)
        try body(connection)
    }

    private func prepare(_ sql: String, _ connection: OpaquePointer) throws -> OpaquePointer {
        var statement: OpaquePointer?
        expectEqual(sqlite3_prepare_v2(connection, sql, -1, &statement, nil), SQLITE_OK)
        return try unwrap(statement)
    }

    private static let values =
        "SELECT 1, -9223372036854775808, 0.25, 9e999, 'text', '', 'a' || char(0) || 'é', x'00ff', "
        + "x'', zeroblob(9), NULL, 1 = 1, '12' + 0, CAST('3.5' AS REAL), r, b, typeof(r) FROM t"

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func allTypes(encoding: String) throws {
        try check(Self.values, encoding: encoding)
    }

    /// A converted column has two types at once in SQLite's memory.
    @Test func convertedColumns() throws {
        try check(Self.values) { statement, index in _ = sqlite3_column_text(statement, index) }
        try check(Self.values) { statement, index in _ = sqlite3_column_blob(statement, index) }
        try check(Self.values) { statement, index in _ = sqlite3_column_bytes16(statement, index) }
        try check(Self.values) { statement, index in _ = sqlite3_column_int64(statement, index) }
        try check(Self.values) { statement, index in _ = sqlite3_column_text16(statement, index) }
    }

    @Test func aColumnOutOfRangeIsNull() throws {
        try withConnection { connection in
            let statement = try prepare("SELECT 1, 'two'", connection)
            defer { sqlite3_finalize(statement) }
            func expectNull(at index: CInt) {
                expectTrue(RawColumn.isNull(statement, index))
                expectEqual(RawColumn.type(statement, index), SQLITE_NULL)
                #expect(RawColumn.integer(statement, index) == (SQLITE_NULL, 0))
                #expect(RawColumn.real(statement, index) == (SQLITE_NULL, 0))
                expectTrue(RawColumn.content(statement, index).bytes.isEmpty)
            }
            // Before the first row, on it, and after the last one.
            for index: CInt in [-1, 0, 1, 2, .max, .min] { expectNull(at: index) }
            expectEqual(sqlite3_step(statement), SQLITE_ROW)
            for index: CInt in [-1, 2, .max, .min] { expectNull(at: index) }
            #expect(RawColumn.integer(statement, 0) == (SQLITE_INTEGER, 1))
            expectEqual(sqlite3_step(statement), SQLITE_DONE)
            for index: CInt in [-1, 0, 1, 2] { expectNull(at: index) }
            sqlite3_reset(statement)
            for index: CInt in [0, 1] { expectNull(at: index) }
        }
    }
}
