import Foundation
import GRDB

/// Kills a process that writes, at random moments. What it has acknowledged must be there.
func killedWriters(count: Int) throws {
    try withFolder { folder in
        let path = folder + "/db.sqlite"
        var acknowledged = 0
        for round in 0..<count {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = ["killed-writer", path]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            // Wait until it writes, so that it is killed at its work.
            var output = pipe.fileHandleForReading.availableData
            usleep(UInt32.random(in: 0..<20_000))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            output += pipe.fileHandleForReading.readDataToEndOfFile()

            // A line that was cut acknowledges nothing.
            let text = String(decoding: output, as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let last = lines.last.flatMap({ Int($0) }) {
                acknowledged = max(acknowledged, last)
            }
            // Opening recovers the file. Half of the time, without writing.
            var configuration = Configuration()
            configuration.readonly = round % 2 == 1
            let dbPool = try DatabasePool(path: path, configuration: configuration)
            let (stored, rowCount) = try dbPool.read { db in
                try (
                    Int.fetchOne(db, sql: "SELECT MAX(id) FROM t") ?? 0,
                    Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0
                )
            }
            expect(
                stored >= acknowledged,
                "round \(round): \(acknowledged) acknowledged, \(stored) stored")
            expect(rowCount == stored, "round \(round): \(rowCount) rows, \(stored) stored")
            if round % 10 == 0 || round == count - 1 {
                try checkIntegrity(dbPool)
            } else {
                let report = try dbPool.read { try String.fetchAll($0, sql: "PRAGMA quick_check") }
                expect(report == ["ok"], "quick_check: \(report)")
            }
            try dbPool.close()
        }
        print(
            "kill, \(count) times: \(acknowledged) commits acknowledged, \(failures.count) failures"
        )
    }
}

/// Commits one row after the other, and acknowledges each commit.
func writeUntilKilled(path: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    let dbPool = try DatabasePool(path: path, configuration: configuration)
    try dbPool.writeWithoutTransaction { db in
        // Wait for the disk at each commit.
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, text TEXT)")
    }
    while true {
        let id = try dbPool.write { db in
            try db.execute(
                sql: "INSERT INTO t(text) VALUES (?)",
                arguments: [String(repeating: "x", count: Int.random(in: 0..<3000))])
            return db.lastInsertedRowID
        }
        printLine(String(id))
        if id % 50 == 0 {
            try dbPool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        }
    }
}
