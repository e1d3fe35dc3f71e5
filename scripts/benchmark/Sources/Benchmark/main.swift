// Compares the library with direct calls of the C API. Run it with scripts/run-benchmarks.

import Foundation
import GRDB
import GRDBSQLite

let arguments = CommandLine.arguments.dropFirst()
let filter = arguments.first { !$0.hasPrefix("-") }

// For profilers, and tools that count instructions: one side only, a given number of times.
let profiledSide = Workload.Side.allCases.first { arguments.contains("--\($0)") }
let rounds =
    arguments.first { $0.hasPrefix("--rounds=") }.flatMap { Int($0.dropFirst(9)) } ?? 9

defer {
    let file = URL(fileURLWithPath: path)
    let folder = file.deletingLastPathComponent()
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    where name.hasPrefix(file.lastPathComponent) {
        try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
}

makeIntegers(raw)
makeMixed(raw)

if profiledSide == nil {
    print("SQLite \(String(cString: sqlite3_libversion())), \(rounds) rounds")
    Workload.printHeader()
}
let workloads =
    scanWorkloads() + insertWorkloads() + accessWorkloads() + recordWorkloads()
    + codingWorkloads() + dateWorkloads() + awaitingWorkloads() + associationWorkloads()
    + requestWorkloads() + fullTextWorkloads() + observationWorkloads()
    + valueObservationWorkloads()
for workload in workloads {
    if let filter, !workload.name.contains(filter) { continue }
    if let profiledSide {
        try workload.run(profiledSide, rounds: rounds)
    } else {
        try workload.run(rounds: rounds)
    }
}
