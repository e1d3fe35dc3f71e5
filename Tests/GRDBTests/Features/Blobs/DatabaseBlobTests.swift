import GRDBQueries
import Dispatch
import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseBlobTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write(Self.setUp)
        return writer
    }

    private static func setUp(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE video (id INTEGER PRIMARY KEY, name TEXT, content BLOB, code BLOB UNIQUE);
                INSERT INTO video VALUES
                    (1, 'one', x'0102030405', x'01'),
                    (2, 'two', x'0a0b0c', x'02'),
                    (3, 'three', NULL, x'03');
                """)
    }

    private func content(_ db: Database, _ id: Int = 1) throws -> [UInt8]? {
        try Data.fetchOne(db, sql: "SELECT content FROM video WHERE id = ?", arguments: [id])
            .map(Array.init)
    }

    // MARK: - Reading

    @Test(arguments: DatabaseKind.allCases) func piecesAreRead(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.read { db in
            let blob = try db.openBlob(table: "VIDEO", column: "Content", rowID: 1)
            expectEqual(blob.count, 5)
            expectEqual(blob.tableName, "video")
            expectEqual(blob.columnName, "content")
            expectEqual(blob.schemaName, "main")
            expectEqual(blob.rowID, 1)
            try expectEqual(blob.read(count: 2, at: 1), Data([2, 3]))
            try expectEqual(blob.read(count: 5, at: 0), Data([1, 2, 3, 4, 5]))
            try expectEqual(blob.read(count: 0, at: 5), Data())
            var bytes = [UInt8](repeating: 0, count: 2)
            try bytes.withUnsafeMutableBytes { try blob.read(into: $0, at: 3) }
            expectEqual(bytes, [4, 5])
        }
    }

    @Test func chunksAreRead() throws {
        let writer = try makeWriter(.queue)
        try writer.read { db in
            let blob = try db.openBlob(table: "video", column: "content", rowID: 1)
            var chunks: [[UInt8]] = []
            try blob.forEachChunk(ofSize: 2) { chunks.append(Array($0)) }
            expectEqual(chunks, [[1, 2], [3, 4], [5]])
            chunks = []
            try blob.forEachChunk { chunks.append(Array($0)) }
            expectEqual(chunks, [[1, 2, 3, 4, 5]])
            expectError(TestError("stop")) {
                try blob.forEachChunk(ofSize: 2) { _ in throw TestError("stop") }
            }
            expectError(
                "SQLite error 21: Pieces of a blob must have a positive size, and not 0 bytes"
            ) {
                try blob.forEachChunk(ofSize: 0) { _ in }
            }
        }
    }

    @Test func textsAreRead() throws {
        let writer = try makeWriter(.queue)
        try writer.read { db in
            let blob = try db.openBlob(table: "video", column: "name", rowID: 3)
            try expectEqual(blob.read(count: 5, at: 0), Data("three".utf8))
        }
    }

    @Test func emptyBlobsAreRead() throws {
        let writer = try makeWriter(.queue)
        try writer.write { db in
            try db.execute(sql: "UPDATE video SET content = x'' WHERE id = 1")
            let blob = try db.openBlob(
                table: "video", column: "content", rowID: 1, mode: .readWrite)
            expectEqual(blob.count, 0)
            try expectEqual(blob.read(count: 0, at: 0), Data())
            try blob.write(Data(), at: 0)
            try blob.forEachChunk { _ in Issue.record("There is no chunk") }
        }
    }

    @Test func piecesOutOfRangeAreRefused() throws {
        let writer = try makeWriter(.queue)
        try writer.write { db in
            let blob = try db.openBlob(
                table: "video", column: "content", rowID: 1, mode: .readWrite)
            for (count, offset) in [(6, 0), (1, 5), (0, 6), (1, -1), (-1, 0), (Int.max, 1)] {
                expectError(
                    """
                    SQLite error 1: \(count) bytes at the offset \(offset) are out of the range of a \
                    blob of 5 bytes
                    """
                ) {
                    try blob.read(count: count, at: offset)
                }
            }
            expectError(
                """
                SQLite error 1: 2 bytes at the offset 4 are out of the range of a blob of 5 bytes
                """
            ) {
                try blob.write(Data([8, 9]), at: 4)
            }
            // The blob is still usable.
            try expectEqual(blob.read(count: 1, at: 4), Data([5]))
        }
    }

    // MARK: - Writing

    @Test(arguments: DatabaseKind.allCases) func piecesAreWritten(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.write { db in
            let blob = try db.openBlob(
                table: "video", column: "content", rowID: 1, mode: .readWrite)
            try blob.write(Data([0xff]), at: 1)
            try blob.write([0xee] as [UInt8], at: 4)
            try expectEqual(blob.read(count: 5, at: 0), Data([1, 0xff, 3, 4, 0xee]))
        }
        try expectEqual(writer.read { try content($0) }, [1, 0xff, 3, 4, 0xee])
    }

    @Test func writesAreRolledBack() throws {
        let writer = try makeWriter(.queue)
        expectError(TestError()) {
            try writer.write { db in
                let blob = try db.openBlob(
                    table: "video", column: "content", rowID: 1, mode: .readWrite)
                try blob.write(Data([0xff]), at: 1)
                throw TestError()
            }
        }
        try expectEqual(writer.read { try content($0) }, [1, 2, 3, 4, 5])
    }

    @Test(arguments: DatabaseKind.allCases)
    func readOnlyAccessesRefuseWriting(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let message = "SQLite error 8: attempt to write a readonly database"
        try writer.read { db in
            expectError(message) {
                try db.openBlob(table: "video", column: "content", rowID: 1, mode: .readWrite)
            }
        }
        try writer.write { db in
            let reader = try db.openBlob(table: "video", column: "content", rowID: 1)
            expectError(message) { try reader.write(Data([1]), at: 0) }
            let blob = try db.openBlob(
                table: "video", column: "content", rowID: 1, mode: .readWrite)
            try db.readOnly { () throws in
                expectError(message) { try blob.write(Data([1]), at: 0) }
                try expectEqual(blob.read(count: 1, at: 0), Data([1]))
            }
            try blob.write(Data([9]), at: 0)
        }
        try expectEqual(writer.read { try content($0) }, [9, 2, 3, 4, 5])
    }

    @Test func writingNeedsATransaction() throws {
        let writer = try makeWriter(.queue)
        try writer.writeWithoutTransaction { db in
            expectError("SQLite error 21: A blob must be opened for writing in a transaction") {
                try db.openBlob(table: "video", column: "content", rowID: 1, mode: .readWrite)
            }
            let blob = try db.openBlob(table: "video", column: "content", rowID: 1)
            try expectEqual(blob.read(count: 1, at: 0), Data([1]))
        }
    }

    // MARK: - Refusals

    @Test func whatCanNotBeOpenedThrows() throws {
        let writer = try makeWriter(.queue)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE VIEW v AS SELECT * FROM video;
                    CREATE TABLE w (id INTEGER PRIMARY KEY, content BLOB) WITHOUT ROWID;
                    CREATE TABLE g (content BLOB, size AS (length(content)));
                    CREATE VIRTUAL TABLE f USING fts5(content);
                    """)
            func expect(
                _ message: String, _ table: String, _ column: String = "content", _ id: Int64 = 1,
                in schema: String? = nil, mode: DatabaseBlob.Mode = .readOnly
            ) {
                expectError("SQLite error 1: \(message)") {
                    try db.openBlob(table: table, column: column, rowID: id, in: schema, mode: mode)
                }
            }
            expect("no such table: missing", "missing")
            expect("no such schema: other", "video", in: "other")
            expect("no such column: \"missing\"", "video", "missing")
            expect("no such rowid: 99", "video", "content", 99)
            expect("cannot open value of type null", "video", "content", 3)
            expect("cannot open view: v", "v")
            expect("cannot open table without rowid: w", "w")
            expect("cannot open table with generated columns: g", "g")
            expect("cannot open virtual table: f", "f")
            expect("cannot open indexed column for writing", "video", "code", mode: .readWrite)
            expect(
                "table sqlite_master may not be modified", "sqlite_master", "sql",
                mode: .readWrite)
        }
    }

    @Test func blobsOfOtherSchemasAreOpened() throws {
        let writer = try makeWriter(.queue)
        try writer.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ':memory:' AS other;
                    CREATE TABLE other.video (content BLOB);
                    INSERT INTO other.video VALUES (x'ff');
                    CREATE TEMPORARY TABLE t (content BLOB);
                    INSERT INTO t VALUES (x'ee');
                    """)
            try db.inTransaction {
                let blob = try db.openBlob(
                    table: "video", column: "content", rowID: 1, in: "other", mode: .readWrite)
                expectEqual(blob.schemaName, "other")
                try expectEqual(blob.read(count: 1, at: 0), Data([0xff]))
                try blob.write(Data([0xfe]), at: 0)
                let temporary = try db.openBlob(table: "t", column: "content", rowID: 1)
                expectEqual(temporary.schemaName, "temp")
                try expectEqual(temporary.read(count: 1, at: 0), Data([0xee]))
                return .commit
            }
            try expectEqual(Data.fetchOne(db, sql: "SELECT content FROM other.video"), Data([0xfe]))
        }
    }

    // MARK: - Changes of the row

    @Test(
        arguments: [
            "UPDATE video SET name = 'other' WHERE id = 1", "DELETE FROM video WHERE id = 1",
            "REPLACE INTO video VALUES (1, 'other', x'0000000000', x'09')",
        ]
    )
    func changedRowIsAborted(sql: String) throws {
        let writer = try makeWriter(.queue)
        try writer.write { db in
            let message = "SQLite error 4: The row of the blob was changed or deleted"
            let blob = try db.openBlob(
                table: "video", column: "content", rowID: 1, mode: .readWrite)
            let other = try db.openBlob(table: "video", column: "content", rowID: 2)
            try db.execute(sql: sql)
            expectError(message) { try blob.read(count: 1, at: 0) }
            expectError(message) { try blob.write(Data([1]), at: 0) }
            expectError(message) { try blob.move(to: 2) }
            try expectEqual(other.read(count: 1, at: 0), Data([0x0a]))
        }
    }

    @Test func moveOpensAnotherRow() throws {
        let writer = try makeWriter(.queue)
        try writer.write { db in
            let blob = try db.openBlob(
                table: "video", column: "content", rowID: 1, mode: .readWrite)
            try blob.move(to: 2)
            expectEqual(blob.count, 3)
            expectEqual(blob.rowID, 2)
            try blob.write(Data([7]), at: 2)
            try expectEqual(blob.read(count: 3, at: 0), Data([0x0a, 0x0b, 7]))
            expectError("SQLite error 1: no such rowid: 99") { try blob.move(to: 99) }
            expectError("SQLite error 4: The row of the blob was changed or deleted") {
                try blob.move(to: 1)
            }
        }
        try expectEqual(writer.read { try content($0, 2) }, [0x0a, 0x0b, 7])
    }

    @Test func moveToNullThrows() throws {
        let writer = try makeWriter(.queue)
        try writer.read { db in
            let blob = try db.openBlob(table: "video", column: "content", rowID: 1)
            expectError("SQLite error 1: cannot open value of type null") {
                try blob.move(to: 3)
            }
        }
    }

    // MARK: - Lifetime

    private final class Kept: @unchecked Sendable {
        var blob: DatabaseBlob?
    }

    @Test(arguments: DatabaseKind.allCases)
    func blobThatOutlivesItsAccessHoldsNoLock(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let kept = Kept()
        // The commit is not prevented.
        try writer.write { db in
            kept.blob = try db.openBlob(
                table: "video", column: "content", rowID: 1, mode: .readWrite)
            try kept.blob?.write(Data([0x11]), at: 0)
        }
        expectError("SQLite error 21: Database was not used on the correct thread.") {
            try kept.blob?.read(count: 1, at: 0)
        }
        let reader = Kept()
        try writer.read { db in
            reader.blob = try db.openBlob(table: "video", column: "content", rowID: 1)
        }
        try writer.writeWithoutTransaction { db in
            expectError("SQLite error 4: The blob is closed: its access has ended") {
                try kept.blob?.read(count: 1, at: 0)
            }
            try db.execute(sql: "VACUUM; DROP TABLE video")
        }
        withExtendedLifetime((kept, reader)) {}
    }

    /// SQLite ends the transaction on its own, and would neither open a savepoint nor commit while a blob may
    /// write.
    @Test(arguments: DatabaseKind.allCases) func transactionsThatSQLiteRollsBack(
        kind: DatabaseKind
    ) throws {
        let writer = try makeWriter(kind)
        try writer.writeWithoutTransaction { db in
            try db.beginTransaction()
            let writable = try db.openBlob(
                table: "video", column: "content", rowID: 1, mode: .readWrite)
            let readable = try db.openBlob(table: "video", column: "content", rowID: 2)
            try writable.write(Data([9]), at: 0)
            expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT OR ROLLBACK INTO video VALUES (4, '', NULL, x'01')")
            }
            expectTrue(!db.isInsideTransaction)
            try db.execute(
                sql: """
                    SAVEPOINT s;
                    UPDATE video SET name = 'changed' WHERE id = 2;
                    RELEASE s;
                    """)
            expectError(DatabaseError.self) { try writable.read(count: 1, at: 0) }
            _ = readable
            try expectEqual(content(db), [1, 2, 3, 4, 5])
        }
        let name = try writer.read { db in
            try String.fetchOne(db, sql: "SELECT name FROM video WHERE id = 2")
        }
        expectEqual(name, "changed")
    }

    @Test func transactionsEndWithOpenBlobs() throws {
        let writer = try makeWriter(.queue)
        try writer.writeWithoutTransaction { db in
            let closed = "SQLite error 4: The blob is closed: its access has ended"
            try db.beginTransaction()
            let blob = try db.openBlob(
                table: "video", column: "content", rowID: 1, mode: .readWrite)
            let reader = try db.openBlob(table: "video", column: "content", rowID: 2)
            try blob.write(Data([0x21]), at: 0)
            try db.commit()
            expectError(closed) { try blob.read(count: 1, at: 0) }
            try expectEqual(reader.read(count: 1, at: 0), Data([0x0a]))

            try db.beginTransaction()
            let other = try db.openBlob(
                table: "video", column: "content", rowID: 1, mode: .readWrite)
            try other.write(Data([0x22]), at: 0)
            try db.rollback()
            expectError(closed) { try other.write(Data([1]), at: 0) }
            try expectEqual(content(db), [0x21, 2, 3, 4, 5])
        }
    }

    @Test func savepointsNeedClosedBlobs() throws {
        let writer = try makeWriter(.queue)
        try writer.write { db in
            let blob = try db.openBlob(
                table: "video", column: "content", rowID: 1, mode: .readWrite)
            expectError(
                """
                SQLite error 5: cannot open savepoint - SQL statements in progress - while \
                executing `SAVEPOINT grdb`
                """
            ) {
                try db.inSavepoint { .commit }
            }
            try blob.close()
            try blob.close()
            try db.inSavepoint {
                let inner = try db.openBlob(
                    table: "video", column: "content", rowID: 1, mode: .readWrite)
                try inner.write(Data([0x31]), at: 0)
                return .commit
            }
            try db.inSavepoint {
                let inner = try db.openBlob(
                    table: "video", column: "content", rowID: 1, mode: .readWrite)
                try inner.write(Data([0x32]), at: 0)
                return .rollback
            }
        }
        try expectEqual(writer.read { try content($0) }, [0x31, 2, 3, 4, 5])
    }

    /// SQLite aborts the blob, but would refuse the next savepoint while it is open.
    @Test func rollingBackToASavepointClosesWritableBlobs() throws {
        let writer = try makeWriter(.queue)
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "SAVEPOINT s")
            let blob = try db.openBlob(
                table: "video", column: "content", rowID: 1, mode: .readWrite)
            let reader = try db.openBlob(table: "video", column: "content", rowID: 2)
            try blob.write(Data([0x41]), at: 0)
            expectError(
                "SQLite error 1: no such savepoint: other - while executing `ROLLBACK TO other`"
            ) {
                try db.execute(sql: "ROLLBACK TO other")
            }
            try expectEqual(blob.read(count: 1, at: 0), Data([0x41]))

            try db.execute(sql: "ROLLBACK TO s")
            expectError("SQLite error 4: The blob is closed: its access has ended") {
                try blob.read(count: 1, at: 0)
            }
            try expectEqual(reader.read(count: 1, at: 0), Data([0x0a]))
            try db.execute(
                sql: """
                    SAVEPOINT inner;
                    UPDATE video SET name = 'changed' WHERE id = 2;
                    RELEASE inner;
                    RELEASE s;
                    """)
            try expectEqual(content(db), [1, 2, 3, 4, 5])
        }
    }

    /// Cursors that outlive their access are reset, and blobs are statements as well.
    @Test func blobsAndCursorsEndTogether() throws {
        let writer = try makeWriter(.queue)
        let kept = Kept()
        let cursors = Log<CursorBox>()
        try writer.read { db in
            kept.blob = try db.openBlob(table: "video", column: "content", rowID: 1)
            let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM video")
            _ = try cursor.next()
            cursors.append(CursorBox(cursor: cursor))
            try expectEqual(kept.blob?.read(count: 1, at: 0), Data([1]))
        }
        writer.writeWithoutTransaction { _ in
            expectError("SQLite error 4: The blob is closed: its access has ended") {
                try kept.blob?.read(count: 1, at: 0)
            }
        }
        withExtendedLifetime(cursors) {}
    }

    private struct CursorBox: @unchecked Sendable {
        let cursor: RowCursor
    }

    @Test func blobFreedElsewhereDoesNotCloseAnother() throws {
        let writer = try makeWriter(.queue)
        let kept = Kept()
        try writer.read { db in
            kept.blob = try db.openBlob(table: "video", column: "content", rowID: 1)
        }
        try writer.read { db in
            let blob = try db.openBlob(table: "video", column: "content", rowID: 2)
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                kept.blob = nil
                done.signal()
            }
            done.wait()
            // Runs a statement.
            try expectEqual(content(db, 2), [0x0a, 0x0b, 0x0c])
            try expectEqual(blob.read(count: 1, at: 0), Data([0x0a]))
        }
        try writer.read { _ in }
    }

    @Test(arguments: DatabaseKind.allCases)
    func connectionIsClosedFirst(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let kept = Kept()
        try writer.write { db in
            kept.blob = try db.openBlob(
                table: "video", column: "content", rowID: 1, mode: .readWrite)
        }
        try writer.close()
        expectError("SQLite error 21: Database was not used on the correct thread.") {
            try kept.blob?.read(count: 1, at: 0)
        }
        kept.blob = nil
    }

    @Test func limitsApply() throws {
        let writer = try makeWriter(.queue)
        try writer.read { db in
            let blob = try db.openBlob(table: "video", column: "content", rowID: 1)
            try db.withTimeLimit(0) {
                expectError("SQLite error 9: Time limit exceeded") {
                    try blob.read(count: 1, at: 0)
                }
            }
            try expectEqual(blob.read(count: 1, at: 0), Data([1]))
        }
    }

    @Test func maximumValueSizeIsChanged() throws {
        let writer = try makeWriter(.queue)
        try writer.write { db in
            expectEqual(sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, -1), 1_000_000_000)
            try db.setMaximumValueSize(2_000_000_000)
            expectEqual(sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, -1), 2_000_000_000)
            try db.setMaximumValueSize(100)
            expectError(
                "SQLite error 18: string or blob too big - while executing `SELECT zeroblob(101)`"
            ) {
                try Data.fetchOne(db, sql: "SELECT zeroblob(101)")
            }
            for size in [-1, 2_147_483_646] {
                expectError(
                    """
                    SQLite error 21: The maximum size of values must be between 0 and 2147483645, \
                    and not \(size)
                    """
                ) {
                    try db.setMaximumValueSize(size)
                }
            }
        }
    }
}
