import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseBlobChunksTests {
    private static let bytes = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    private func setUp(_ writer: any DatabaseWriter) throws {
        try writer.write { db in
            try db.execute(
                sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, content BLOB)")
            try db.execute(
                sql: "INSERT INTO t VALUES (1, 'one', ?), (2, 'two', x'')",
                arguments: [Self.bytes])
        }
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try setUp(writer)
        return writer
    }

    private func chunks(
        _ reader: any DatabaseReader, _ rowID: Int64 = 1, size: Int = 3000
    ) -> DatabaseBlobChunks {
        reader.blobChunks(table: "t", column: "content", rowID: rowID, ofSize: size)
    }

    private func readAll(_ chunks: DatabaseBlobChunks) async throws -> [Data] {
        var result: [Data] = []
        for try await chunk in chunks { result.append(chunk) }
        return result
    }

    @Test(arguments: DatabaseKind.allCases) func chunksAreRead(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let sequence = chunks(writer)
        for _ in 1...2 {
            let pieces = try await readAll(sequence)
            expectEqual(pieces.map(\.count), [3000, 3000, 3000, 1000])
            expectEqual(Data(pieces.joined()), Self.bytes)
        }
        try await expectEqual(readAll(chunks(writer, size: 5000)).map(\.count), [5000, 5000])
        try await expectEqual(readAll(chunks(writer, size: 20_000)), [Self.bytes])
        try await expectEqual(readAll(chunks(writer, 2)), [])
        try await expectEqual(readAll(chunks(AnyDatabaseWriter(writer))).count, 4)
        try await expectEqual(readAll(chunks(AnyDatabaseReader(writer))).count, 4)
    }

    /// Far from the beginning, one access reads several pieces.
    @Test(arguments: DatabaseKind.allCases) func manyChunksAreRead(kind: DatabaseKind) async throws
    {
        let writer = try makeWriter(kind)
        for size in [1, 7, 100, 999] {
            let pieces = try await readAll(chunks(writer, size: size))
            expectTrue(pieces.dropLast().allSatisfy { $0.count == size })
            expectEqual(pieces.count, (Self.bytes.count + size - 1) / size)
            expectEqual(Data(pieces.joined()), Self.bytes)
        }
    }

    @Test func chunksOfSnapshotsAreRead() async throws {
        let pool = try TestDatabases.makePool()
        try setUp(pool)
        let snapshot = try pool.makeSnapshot()
        let snapshotPool = try pool.makeSnapshotPool()
        try await pool.write { try $0.execute(sql: "DELETE FROM t") }
        try await expectEqual(Data(readAll(chunks(snapshot)).joined()), Self.bytes)
        try await expectEqual(Data(readAll(chunks(snapshotPool)).joined()), Self.bytes)
        await expectError(DatabaseError.self) { try await readAll(chunks(pool)) }
    }

    @Test(arguments: DatabaseKind.allCases) func refusals(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        await expectError("SQLite error 1: no such rowid: 9") {
            try await readAll(chunks(writer, 9))
        }
        await expectError(
            "SQLite error 21: Pieces of a blob must have a positive size, and not 0 bytes"
        ) {
            try await readAll(chunks(writer, size: 0))
        }
        // After an error, there is nothing.
        var iterator = chunks(writer, 9).makeAsyncIterator()
        await expectError(DatabaseError.self) { try await iterator.next() }
        try await expectEqual(iterator.next(), nil)
    }

    @Test(arguments: [
        "UPDATE t SET name = 'x' WHERE id = 1", "DELETE FROM t WHERE id = 1", "DELETE FROM t",
    ])
    func queueNoticesChangesOfTheRow(sql: String) async throws {
        let writer = try makeWriter(.queue)
        var iterator = chunks(writer).makeAsyncIterator()
        try await expectEqual(iterator.next()?.count, 3000)
        // Other rows, and what is rolled back
        try await writer.write { try $0.execute(sql: "INSERT INTO t (id) VALUES (3)") }
        try? await writer.write { db in
            try db.execute(sql: sql)
            throw TestError()
        }
        try await expectEqual(iterator.next()?.count, 3000)
        try await writer.write { try $0.execute(sql: sql) }
        await expectError(DatabaseError.self) { try await iterator.next() }
    }

    /// SQLite reports a row that makes room for another one to the preupdate hook only.
    @Test func queueNoticesReplacedRows() async throws {
        let writer = try makeWriter(.queue)
        var iterator = chunks(writer).makeAsyncIterator()
        try await expectEqual(iterator.next()?.count, 3000)
        try await writer.write { db in
            try db.execute(sql: "REPLACE INTO t VALUES (1, 'other', zeroblob(10000))")
        }
        await expectError("SQLite error 4: The row of the blob was changed or deleted") {
            try await iterator.next()
        }
    }

    @Test func queueNoticesWritesThroughBlobs() async throws {
        let writer = try makeWriter(.queue)
        var iterator = chunks(writer).makeAsyncIterator()
        try await expectEqual(iterator.next()?.count, 3000)
        var blobWriter = writer.blobWriter(table: "t", column: "content", rowID: 1)
        try await blobWriter.write(Data([1]))
        await expectError("SQLite error 4: The row of the blob was changed or deleted") {
            try await iterator.next()
        }
    }

    @Test func queueNoticesOtherConnections() async throws {
        let path = TestDatabases.makePath()
        let queue = try TestDatabases.openQueue(path)
        try setUp(queue)
        let other = try TestDatabases.openQueue(path)
        var iterator = chunks(queue).makeAsyncIterator()
        try await expectEqual(iterator.next()?.count, 3000)
        try await other.write { try $0.execute(sql: "INSERT INTO t (id) VALUES (3)") }
        await expectError(
            "SQLite error 4: Another connection has changed the database of the blob"
        ) {
            try await iterator.next()
        }
    }

    @Test func poolReadsOneMoment() async throws {
        let pool = try TestDatabases.makePool()
        try setUp(pool)
        var pieces: [Data] = []
        for try await piece in chunks(pool) {
            pieces.append(piece)
            // The loop may use the database.
            try await pool.write { try $0.execute(sql: "UPDATE t SET content = zeroblob(5)") }
        }
        expectEqual(Data(pieces.joined()), Self.bytes)
        try await expectEqual(readAll(chunks(pool)), [Data(count: 5)])
    }

    @Test(arguments: DatabaseKind.allCases) func cancellation(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let sequence = chunks(writer)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in sequence { Issue.record("The task is cancelled") }
        }
        await expectError(CancellationError.self) { try await task.value }
    }

    @Test(arguments: DatabaseKind.allCases) func closedDatabase(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        try writer.close()
        await expectError(DatabaseError.self) { try await readAll(chunks(writer)) }
    }

    // MARK: - Writing

    @Test(arguments: DatabaseKind.allCases) func writer(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        try await writer.write { db in
            try db.execute(
                literal: "UPDATE t SET content = \(ZeroBlob(count: 10)) WHERE id = 2")
        }
        var blobWriter = writer.blobWriter(table: "t", column: "content", rowID: 2)
        for chunk in [Data([1, 2, 3]), Data([4]), Data(), Data([5, 6, 7, 8])] {
            try await blobWriter.write(chunk)
        }
        expectEqual(blobWriter.offset, 8)
        let writerBeforeFailure = blobWriter
        await expectError(
            "SQLite error 1: 3 bytes at the offset 8 are out of the range of a blob of 10 bytes"
        ) {
            var blobWriter = writerBeforeFailure
            try await blobWriter.write(Data([9, 10, 11]))
        }
        try await blobWriter.write(Data([9, 10]))
        let pieces = try await readAll(chunks(writer, 2, size: 4))
        expectEqual(Array(pieces.joined()), Array(1...10))
        try await writer.write { try $0.execute(sql: "DELETE FROM t WHERE id = 2") }
        blobWriter.offset = 0
        let writerOfNoRow = blobWriter
        await expectError("SQLite error 1: no such rowid: 2") {
            var blobWriter = writerOfNoRow
            try await blobWriter.write(Data([1]))
        }
    }
}
