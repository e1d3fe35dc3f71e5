import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct RowUnsafeDataTests {
    private static let sql = "SELECT x'0102' AS b, 'é' AS s, NULL AS n, x'' AS e, 12 AS i"

    private func withRows(_ body: (Row) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchCursor(db, sql: Self.sql)
            let row = try unwrap(rows.next())
            try body(row)
            try body(row.copy())
        }
    }

    @Test func byIndexNameAndColumn() throws {
        try withRows { row in
            try expectEqual(row.withUnsafeData(atIndex: 0) { $0 }, Data([1, 2]))
            try expectEqual(row.withUnsafeData(named: "B") { $0 }, Data([1, 2]))
            try expectEqual(row.withUnsafeData(at: Column("b")) { $0 }, Data([1, 2]))
            try expectEqual(row.withUnsafeData(named: "s") { $0 }, Data("é".utf8))
            try expectEqual(row.withUnsafeData(named: "e") { $0 }, Data())
        }
    }

    @Test func nullAndMissingColumnsAreNil() throws {
        try withRows { row in
            try expectEqual(row.withUnsafeData(named: "n") { $0 }, nil)
            try expectEqual(row.withUnsafeData(atIndex: 2) { $0 }, nil)
            try expectEqual(row.withUnsafeData(named: "missing") { $0 }, nil)
            try expectEqual(row.withUnsafeData(at: Column("missing")) { $0 }, nil)
        }
    }

    @Test func numbersAreNotData() throws {
        try withRows { row in
            let error = expectError(RowDecodingError.self) {
                try row.withUnsafeData(named: "i") { $0 }
            }
            expectEqual(
                error?.description.hasPrefix(
                    "could not decode Optional<Data> from database value 12 - column: \"i\", "
                        + "column index: 4, "), true)
        }
    }

    @Test func errorsOfTheClosureAreRethrown() throws {
        struct CustomError: Error {}
        try withRows { row in
            expectError(CustomError.self) {
                try row.withUnsafeData(atIndex: 0) { _ in throw CustomError() }
            }
        }
    }

    @Test func dataOfALiveRowIsNotCopied() throws {
        try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT randomblob(100000) AS b")
            let row = try unwrap(rows.next())
            func address(_ data: Data?) -> UInt? {
                data?.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            }
            let unsafe = try row.withUnsafeData(named: "b") { address($0) }
            try expectEqual(unsafe, row.withUnsafeData(atIndex: 0) { address($0) })
            #expect(unsafe != address(row["b"] as Data))
        }
    }

    // MARK: - Deprecated

    private protocol NoCopy {
        func data(at index: Int) -> Data?
        func data(named name: String) -> Data?
        func data(in column: Column) -> Data?
    }

    /// A witness that is deprecated calls the deprecated methods without a warning.
    private struct Reader: NoCopy {
        var row: Row

        @available(*, deprecated)
        func data(at index: Int) -> Data? { row.dataNoCopy(atIndex: index) }

        @available(*, deprecated)
        func data(named name: String) -> Data? { row.dataNoCopy(named: name) }

        @available(*, deprecated)
        func data(in column: Column) -> Data? { row.dataNoCopy(column) }
    }

    @Test func dataNoCopy() throws {
        try withRows { row in
            let reader: any NoCopy = Reader(row: row)
            expectEqual(reader.data(at: 0), Data([1, 2]))
            expectEqual(reader.data(at: 1), Data("é".utf8))
            expectEqual(reader.data(at: 2), nil)
            expectEqual(reader.data(at: 3), Data())
            expectEqual(reader.data(named: "B"), Data([1, 2]))
            expectEqual(reader.data(named: "n"), nil)
            expectEqual(reader.data(named: "missing"), nil)
            expectEqual(reader.data(in: Column("b")), Data([1, 2]))
            expectEqual(reader.data(in: Column("missing")), nil)
        }
    }

    /// Other readings of the column may not move the data, nor is it different from that of a copy.
    @Test(arguments: ["UTF-8", "UTF-16le"]) func dataStaysWhileTheColumnIsRead(encoding: String)
        throws
    {
        let text = String(repeating: "é4", count: 700)
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE t(a, b)")
            try db.execute(
                sql: "INSERT INTO t VALUES (?, ?)", arguments: [text, Data(text.utf8)])
            let rows = try Row.fetchCursor(db, sql: "SELECT a, b FROM t")
            while let row = try rows.next() {
                for index in 0..<2 {
                    try row.withUnsafeData(atIndex: index) { data in
                        let copy: Data = row.copy()[index]
                        expectEqual(data, copy)
                        expectEqual(row[index] as String, text)
                        expectError((any Error).self) {
                            try row.decode(Double.self, atIndex: index)
                        }
                        expectEqual(data, copy)
                    }
                }
            }
        }
    }
}
