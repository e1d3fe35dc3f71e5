import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// A blob of the greatest size goes in and out without being loaded. `scripts/run-tests large-files` runs it.
@Suite(
    // One after the other: they measure the memory of the process.
    .databases, .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["GRDB_LARGE_FILES"] != nil))
struct LargeBlobTests {
    private static let count = 2_147_000_000
    private static let chunkSize = 1 << 20

    @Test(arguments: DatabaseKind.allCases)
    func largeBlobTakesNoMemory(kind: DatabaseKind) async throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { try $0.setMaximumValueSize(2_147_483_645) }
        let writer: any DatabaseWriter =
            switch kind {
            case .queue: try TestDatabases.makeQueue(.file, configuration)
            case .pool: try TestDatabases.makePool(configuration)
            }
        let before = ProcessMemory.resetPeak() ?? 0
        try await writer.write { db in
            try db.execute(sql: "CREATE TABLE t (content BLOB)")
            try db.execute(
                literal: "INSERT INTO t VALUES (\(ZeroBlob(count: Self.count)))")
            let blob = try db.openBlob(table: "t", column: "content", rowID: 1, mode: .readWrite)
            var offset = 0
            while offset < blob.count {
                let size = min(Self.chunkSize, blob.count - offset)
                let byte = UInt8(truncatingIfNeeded: offset / Self.chunkSize &* 7)
                try blob.write([UInt8](repeating: byte, count: size), at: offset)
                offset += size
            }
        }
        var offset = 0
        for try await chunk in writer.blobChunks(
            table: "t", column: "content", rowID: 1, ofSize: Self.chunkSize)
        {
            let byte = UInt8(truncatingIfNeeded: offset / Self.chunkSize &* 7)
            expectTrue(chunk.first == byte && chunk.last == byte)
            offset += chunk.count
        }
        expectEqual(offset, Self.count)
        let after = ProcessMemory.peak ?? 0
        print("\(kind): peak of memory \(before) kB before, \(after) kB after")
        #expect(after - before < 100_000)
    }
}
