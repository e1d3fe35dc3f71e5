import Foundation
import GRDB
import GRDBSQLite

// How much memory a process needs at most that does one thing and ends. Each case is measured in a
// child process, whose peak no other case has raised.

struct MemoryCase {
    var name: String
    /// Both return a checksum: they must agree, or they don't do the same work.
    var twin: (RawDatabase) throws -> Int
    var library: (DatabaseQueue) throws -> Int
}

/// The peak of the resident memory of this process, in bytes.
private func peakMemory() -> Int {
    #if os(Linux)
    // getrusage() would count what the process had before it became this program.
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    return kilobytes.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
    #else
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
    #endif
}

extension MemoryCase {
    private static let option = "--memory-case="

    /// Runs the case that the command line asks for, if it is that of a child.
    static func runAsChild(_ arguments: [String]) throws -> Bool {
        guard let argument = arguments.first(where: { $0.hasPrefix(option) }) else { return false }
        let parts = argument.dropFirst(option.count).split(separator: ",", maxSplits: 2)
        let all = makeAll()
        guard parts.count == 3, let index = Int(parts[1]), all.indices.contains(index) else {
            fatalError("malformed: \(argument)")
        }
        let file = String(parts[2])
        let sum =
            try parts[0] == "twin"
            ? all[index].twin(RawDatabase(path: file))
            : all[index].library(DatabaseQueue(path: file))
        print(sum, peakMemory())
        return true
    }

    /// Runs one side in a child process.
    ///
    /// - returns: the checksum and the peak.
    private static func measure(_ side: String, _ index: Int) throws -> (sum: Int, peak: Int) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["\(option)\(side),\(index),\(path)"]
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        precondition(numbers.count == 2 && process.terminationStatus == 0, "\(side) \(index)")
        return (numbers[0], numbers[1])
    }

    /// Measures all cases.
    ///
    /// - returns: the name of each, and its peaks in bytes.
    /// - precondition: the file at `path` has the tables.
    static func measureAll() throws -> [(name: String, twin: Int, library: Int)] {
        try makeAll().enumerated().map { index, memoryCase in
            let twin = try measure("twin", index)
            let library = try measure("library", index)
            precondition(twin.sum == library.sum, "\(memoryCase.name): checksums differ")
            return (memoryCase.name, twin.peak, library.peak)
        }
    }

    private static func makeAll() -> [MemoryCase] {
        /// All rows of `mixed`, as many times.
        func scan(_ times: Int) -> MemoryCase {
            let values = (1...times).map { "(\($0))" }.joined(separator: ",")
            let sql = "SELECT mixed.* FROM (VALUES \(values)) CROSS JOIN mixed"
            let count = 50_000 * times
            let name = count < 1_000_000 ? "\(count / 1000)k" : "\(count / 1_000_000)M"
            return MemoryCase(name: "cursor over \(name) records") { raw in
                let s = raw.prepare(sql)
                defer { sqlite3_finalize(s) }
                var sum = 0
                while sqlite3_step(s) == SQLITE_ROW { sum &+= rawMixed(s).checksum }
                return sum
            } library: { queue in
                try queue.read { db in
                    var sum = 0
                    let records = try Mixed.fetchCursor(db, sql: sql)
                    while let record = try records.next() { sum &+= record.checksum }
                    return sum
                }
            }
        }

        // Four statements, because SQLite's limit is 32,766 parameters.
        let marks = [String](repeating: "?", count: 25_000).joined(separator: ",")
        let countSQL = "SELECT COUNT(*) FROM integers WHERE i0 IN (\(marks))"
        func rawCount(_ raw: RawDatabase) -> Int {
            let s = raw.prepare(countSQL)
            defer { sqlite3_finalize(s) }
            var sum = 0
            for batch in 0..<4 {
                for i in 1...25_000 { sqlite3_bind_int64(s, CInt(i), Int64(batch * 25_000 + i)) }
                precondition(sqlite3_step(s) == SQLITE_ROW)
                sum += Int(sqlite3_column_int64(s, 0))
                sqlite3_reset(s)
            }
            return sum
        }

        var cases = [
            MemoryCase(name: "an open connection") { raw in
                raw.execute("SELECT * FROM mixed LIMIT 1")
                return 0
            } library: { queue in
                try queue.read { try $0.execute(sql: "SELECT * FROM mixed LIMIT 1") }
                return 0
            },
            MemoryCase(name: "fetchAll of 50k records") { raw in
                let s = raw.prepare("SELECT * FROM mixed")
                defer { sqlite3_finalize(s) }
                var records: [Mixed] = []
                while sqlite3_step(s) == SQLITE_ROW { records.append(rawMixed(s)) }
                return records.reduce(0) { $0 &+ $1.checksum }
            } library: { queue in
                try queue.read { db in
                    try Mixed.fetchAll(db).reduce(0) { $0 &+ $1.checksum }
                }
            },
            scan(1),
            scan(20),
            MemoryCase(name: "100k bound arguments, in 4 statements", twin: rawCount) { queue in
                try queue.read { db in
                    let statement = try db.makeStatement(sql: countSQL)
                    return try (0..<4).reduce(0) { sum, batch in
                        let ids = (1...25_000).map { batch * 25_000 + $0 }
                        return try sum
                            + Int.fetchOne(statement, arguments: StatementArguments(ids))!
                    }
                }
            },
        ]
        #if !AGAINST_GRDB
        // One parameter, an array: more than 32,766 values are an error there.
        cases.append(
            MemoryCase(name: "100k values in one filter", twin: rawCount) { queue in
                try queue.read { db in
                    let ids = Array(1...100_000)
                    return try Table("integers").filter(ids.contains(Column("i0")))
                        .fetchCount(db)
                }
            })
        #endif
        return cases
    }
}
