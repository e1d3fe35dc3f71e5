@testable import GRDBTables
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// A CSV file of 1 GB is read without being loaded. `scripts/run-tests large-files` runs it.
@Suite(
    // One after the other: they measure the memory of the process.
    .databases, .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["GRDB_LARGE_FILES"] != nil))
struct LargeCSVTests {
    @Test func largeFileTakesNoMemory() throws {
        let path = TestDatabases.makePath("large.csv")
        try Data("id,name,score\n".utf8).write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        _ = try file.seekToEnd()
        var count = 0
        var size = 0
        while size < 1_000_000_000 {
            var block = ""
            for _ in 0..<10_000 {
                count += 1
                block += "\(count),\"The name, number \(count)\",0.5\n"
            }
            try file.write(contentsOf: Data(block.utf8))
            size += block.utf8.count
        }
        try file.close()

        var configuration = TestDatabases.makeConfiguration()
        configuration.add(module: .csv)
        let queue = try TestDatabases.makeQueue(.memory, configuration)
        let before = ProcessMemory.resetPeak() ?? 0
        let row = try queue.write { db throws in
            try db.create(virtualTable: "large", options: .temporary, using: CSVFile(path))
            return try Row.fetchOne(
                db, sql: "SELECT count(*), sum(id), sum(score), max(length(name)) FROM large")
        }
        let after = ProcessMemory.peak ?? 0
        print("\(size) bytes: peak of memory \(before) kB before, \(after) kB after")
        expectEqual(row?[0], count)
        expectEqual(row?[1], count * (count + 1) / 2)
        expectEqual(row?[2], Double(count) / 2)
        #expect(after - before < 20_000)
    }
}
